"""For which addresses what was seen speaks, where the query holds more than the parameter that makes no difference."""

from __future__ import annotations

import pytest

from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.normalizer import Normalizer
from tests.learn.sites import Site

HOST = "http://photos.example"


@pytest.mark.parametrize(
    "form", ["/index.php?/album/{}&order=", "/index.php?%2Falbum%2F{}&order=", "/index.php/album/{}?order="]
)
def test_a_path_in_the_query_is_no_parameter_of_its_own(form: str) -> None:
    """Each page has another name there, and none of them speaks for more than itself if that narrows what is said."""
    site = Site(HOST)
    for n in range(35):
        bare = form.format(n).removesuffix("order=")[:-1]
        site.add(bare, f"album {n}")
        for order in range(5):
            site.add(f"{bare}{form[-7]}order={order}", f"album {n}")
    normalizer = Normalizer([learn(site.visits(), Options(jobs=1)).rules])
    assert len({normalizer.key(url) for url in site.pages}) == 35


def test_a_parameter_with_a_path_as_its_value_still_narrows_what_is_said() -> None:
    """A list that a filter has narrowed to one row is the same in any order, which says nothing of the whole list."""
    site = Site(HOST)
    for n in range(35):
        site.add(f"/list?at=/album/{n}", f"row {n}")
        for order in range(5):
            site.add(f"/list?at=/album/{n}&order={order}", f"row {n}")
    site.add("/list", "all rows")
    normalizer = Normalizer([learn(site.visits(), Options(jobs=1)).rules])
    assert normalizer.key(f"{HOST}/list?order=1") != normalizer.key(f"{HOST}/list")
    assert normalizer.key(f"{HOST}/list?at=/album/1&order=1") == normalizer.key(f"{HOST}/list?at=/album/1")
