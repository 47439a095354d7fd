"""The page of a folder under a name that no server knows: `/arc/birds/2025-11/thrd1.html` and `/arc/birds/2025-11/`."""

from __future__ import annotations

import pytest

from scrapy_urinorm.learn import Options
from scrapy_urinorm.learn.evidence.candidate import REJECTED
from tests.learn.sites import Site
from tests.learn.test_learning import Learned

LISTS = ("birds", "moss", "pond", "council")
MONTHS = [f"20{year}-{month:02}" for year in (24, 25) for month in range(1, 13)]


def archive(name: str, *, differing: int = 0) -> Site:
    """Months of mailing lists; under `name` each folder shows what it does without, but for `differing` of them."""
    site, left = Site("http://lists.example"), differing
    for group in LISTS:
        for month in MONTHS:
            folder, shown = f"/arc/{group}/{month}/", f"threads of {group} in {month}"
            site.add(folder, shown)
            site.add(folder + name, shown + " by name" * (left > 0))
            site.add(folder + "dates.html", f"dates of {group} in {month}")
            left -= 1
            for n in range(4):
                site.add(f"{folder}msg{n:05}.html", f"message {n} of {group} in {month}")
    return site


@pytest.mark.parametrize("options", [Options(), Options().strict()], ids=["default", "strict"])
@pytest.mark.parametrize("name", ["thrd1.html", "WebHome", "maillist.html"])
def test_a_name_that_shows_what_its_folder_shows_goes(name: str, options: Options) -> None:
    learned = Learned(archive(name), options)
    assert learned.equal(f"/arc/birds/2026-01/{name}", "/arc/birds/2026-01/"), learned.result.rules
    assert not learned.equal("/arc/birds/2026-01/dates.html", "/arc/birds/2026-01/")
    assert not learned.equal(f"/arc/birds/2026-01/{name}", f"/arc/moss/2026-01/{name}")
    assert learned.lost() == []


def test_only_below_as_many_folders_as_were_seen() -> None:
    learned = Learned(archive("all.html"))
    assert learned.equal("/arc/birds/2026-01/all.html", "/arc/birds/2026-01/"), learned.result.rules
    assert not learned.equal("/arc/birds/all.html", "/arc/birds/")
    assert not learned.equal("/arc/birds/2026-01/5/all.html", "/arc/birds/2026-01/5/")
    assert not learned.equal("/arc/birds/2026-01/ALL.html", "/arc/birds/2026-01/")


@pytest.mark.parametrize(
    "name", ["en.html", "de", "index.de.html", "index-de.html", "home_en.php", "start.fr", "index.de"]
)
def test_but_no_language_and_what_is_refused_says_so(name: str) -> None:
    learned = Learned(archive(name))
    assert not learned.equal(f"/arc/birds/2026-01/{name}", "/arc/birds/2026-01/"), learned.result.rules


def test_nor_one_that_rules_cannot_name() -> None:
    learned = Learned(archive("%2A"))
    assert not learned.equal("/arc/birds/2026-01/anything", "/arc/birds/2026-01/")
    (refused,) = [one for one in learned.result.others if one.rule == "directory_index"]
    assert (refused.status, refused.why.rpartition(", but ")[2]) == (REJECTED, "no rule can name it")


def test_nor_one_that_shows_something_else_in_a_fifth_of_the_folders() -> None:
    learned = Learned(archive("thrd1.html", differing=20))
    assert learned.lost() == []
    (refused,) = [one for one in learned.result.others if one.rule == "directory_index"]
    assert (refused.status, refused.value, refused.evidence.against > 0) == (REJECTED, ["thrd1.html"], True)
