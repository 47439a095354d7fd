"""What shows one page today and may show two tomorrow: versions, languages, months, and what has a name of its own."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.content.frame import TITLE_SLOT
from scrapy_urinorm.visits.links import url_hash
from scrapy_urinorm.visits.record import Visit
from tests.content.test_frame import visit
from tests.learn.test_few_values import BOTH, HOST, normalizer_of, page

if TYPE_CHECKING:
    from scrapy_urinorm.learn import Options


@BOTH
@pytest.mark.parametrize("others", [[""], ["&hb=HEAD"], ["&hb=2.2"]], ids=["default", "alias", "drop"])
def test_the_newest_release_is_what_another_will_be_tomorrow(others: list[str], options: Options) -> None:
    """Each file of a repository was the same at its last tag and at its head."""
    visits = [page(f"/raw?f=f{n}{hb}", f"file {n}") for n in range(60) for hb in (*others, "&hb=v2.3.1")]
    normalizer = normalizer_of(visits, options)
    assert len({normalizer.key(f"{HOST}/raw?f=f7{hb}") for hb in (*others, "&hb=v2.3.1")}) == 2


@BOTH
def test_it_is_it_where_the_site_says_so(options: Options) -> None:
    visits = [page(f"/docs?f=f{n}{v}", f"file {n}", f"/docs?f=f{n}") for n in range(60) for v in ("", "&v=2.3")]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/docs?f=f99&v=2.3") == normalizer.key(f"{HOST}/docs?f=f99")


@BOTH
@pytest.mark.parametrize("name", ["lang", "uselang", "set_language", "hl", "ui"])
def test_what_is_not_translated_today_may_be_tomorrow(name: str, options: Options) -> None:
    """The newest sixty articles are in one language, whatever is asked for; some older ones are in two."""
    values = ("", f"?{name}=de", f"?{name}=fr", f"?{name}=pt-br")
    visits = [page(f"/news/{n}{asked}", f"article {n}") for n in range(60) for asked in values]
    normalizer = normalizer_of(visits, options)
    assert len({normalizer.key(f"{HOST}/news/99{asked}") for asked in values}) == len(values)


@BOTH
def test_languages_are_one_where_the_site_says_so(options: Options) -> None:
    visits = [page(f"/news/{n}{q}", f"article {n}", f"/news/{n}") for n in range(60) for q in ("", "?lang=de")]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/news/99?lang=de") == normalizer.key(f"{HOST}/news/99")


@BOTH
def test_two_of_many_numbers_are_no_spellings_of_one(options: Options) -> None:
    """Of two months without an event each page shows one list."""
    visits = [page(f"/place/{n}?month={m}", f"place {n} in {m % 11}") for n in range(60) for m in range(1, 13)]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/place/7?month=12") != normalizer.key(f"{HOST}/place/7?month=1")


@BOTH
def test_a_name_is_another_where_it_stands_alone(options: Options) -> None:
    """`peg=5` is `rev=5`; with both it is the state of 5 of what was there at the other."""
    visits = [page(f"/log?{name}={n}", f"log {n}") for n in range(60) for name in ("rev", "peg")]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/log?peg=99") == normalizer.key(f"{HOST}/log?rev=99")
    assert normalizer.key(f"{HOST}/log?peg=99&rev=7") != normalizer.key(f"{HOST}/log?peg=7&rev=99")


def linked(path: str, text: str, *links: str) -> Visit:
    found = page(path, text)
    found.links = b"".join(url_hash(HOST + link) for link in links)
    found.links_count = len(links)
    return found


@BOTH
@pytest.mark.parametrize("relative", [True, False])
def test_relative_links_lead_from_one_of_two_addresses_alone(relative: bool, options: Options) -> None:
    """`/a/7` and `/a/7/` are served alike, and `./next` is at one of them; whichever is met first would be fetched."""
    visits = []
    for n in range(60):
        beside, below = (f"/a/next{n}", f"/a/{n}/next{n}") if relative else (f"/n/{n}", f"/n/{n}")
        visits += [linked(f"/a/{n}", f"page {n}", beside, "/"), linked(f"/a/{n}/", f"page {n}", below, "/")]
        visits.append(linked(below, f"next {n}", "/"))
        if relative:
            visits.append(Visit(url=HOST + beside, status=404))
    visits.append(linked("/", "home", *(f"/a/{n}{slash}" for n in range(60) for slash in ("", "/"))))
    normalizer = normalizer_of(visits, options)
    assert (normalizer.key(f"{HOST}/a/99") == normalizer.key(f"{HOST}/a/99/")) is not relative


@BOTH
@pytest.mark.parametrize("titled", [True, False])
def test_two_files_with_one_text_have_two_names(titled: bool, options: Options) -> None:
    """A repository shows files by their hash; what a page is called stands in its title alone."""
    visits = []
    for n in range(60):
        text = [("main", f"line {k} of file {n}, which says what it does") for k in range(6)]
        for name in (f"a{n}.txt", f"b/a{n}.txt"):
            lines = [("menu", "home"), ("foot", "all files"), *text]
            visits.append(visit(lines, f"{HOST}/blob?f={name}&h={n * 7919:x}"))
            if titled:
                lines_of = array("Q", [TITLE_SLOT]).tobytes() + url_hash(name)
                visits[-1].lines = lines_of + (visits[-1].lines or b"")
                visits[-1].line_words = b"\3" + (visits[-1].line_words or b"")
    normalizer = normalizer_of(visits, options)
    keys = {normalizer.key(f"{HOST}/blob?f={name}&h=77") for name in ("c.txt", "d/c.txt")}
    assert len(keys) == 1 + titled
