"""What is one page today, beyond the end of a list that grows, is none tomorrow."""

from __future__ import annotations

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import learn
from scrapy_urinorm.learn.evidence.beyond import Beyond
from scrapy_urinorm.learn.links.linked import untold
from scrapy_urinorm.learn.pages.page import Page
from scrapy_urinorm.learn.pages.view import View, view_of
from tests.learn.test_strict import HOST, page

LAST = 3


def test_pages_beyond_the_end_of_lists_are_not_one_in_all_lists() -> None:
    """A shop whose "next" has no end: once a category has grown, page 4 shows what is new."""
    visits = [page("/", "home")]
    for category in range(20):
        for number in range(1, 13):
            text = f"list {category} of {number}" if number <= LAST else "nothing is here"
            visits.append(page(f"/cat/{category}/page/{number}", text))
    found = learn(visits)
    key = Normalizer(found.rules).key
    assert key(f"{HOST}/cat/3/page/{LAST + 1}") != key(f"{HOST}/cat/5/page/{LAST + 1}")
    refused = [
        one for one in found.others if one.why.endswith("but smaller numbers in its place show pages of their own")
    ]
    assert refused


def views(shown: dict[str, int]) -> list[View]:
    found = (view_of(f"http://a.example{path}", [Page(path, path, label=label)]) for path, label in shown.items())
    return [view for view in found if view is not None]


def test_how_many_smaller_numbers_make_a_series() -> None:
    few = views({"/a/1/page/1": 1, "/a/1/page/2": 2, "/a/1/page/9": 5, "/b/1/page/3": 3, "/a/1/page/77777777777": 5})
    assert not Beyond(few, (1,)).doubt(few[2])
    many = [*few, *views({"/a/2/page/3": 3})]
    assert Beyond(many, (1,)).doubt(many[2]) == "smaller numbers in its place show pages of their own"
    # what is left open is no number of a series
    assert not Beyond(many, (1, 3)).doubt(many[2])


def test_addresses_that_another_rule_writes_as_other_pages_are_of_the_form() -> None:
    """`/sub/9/page/1` was the list itself, by one rule, and the empty page 2 by the constant view of the others."""
    folded = view_of("http://a.example/sub/9", [Page("http://a.example/sub/9/page/1", "", 1), Page("", "", 1)])
    assert folded is not None
    known = [folded, *views({"/sub/9/page/2": 5, "/sub/8/page/2": 5})]
    assert Beyond(known, (3,)).doubt(known[1]) == "another rule writes some of them as addresses of other pages"
    assert not Beyond(known, (3,)).doubt(known[2])


def test_what_a_sitemap_lists_is_told() -> None:
    """A crawl that begins with a sitemap asks for pages from it, and from their files for nothing."""
    asked = {0: {1, 2}}
    for name, is_told in (("sitemap_index.xml", True), ("api/items", False)):
        pages = [Page(f"http://a.example/{name}", "", 0), *(Page(f"http://a.example/{n}.pdf", "", n) for n in (1, 2))]
        assert (untold(pages, asked) == frozenset()) is is_told
