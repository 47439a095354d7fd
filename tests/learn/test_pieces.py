"""Pieces of names: a first page that says so, and numbers that only say where a link stood."""

from __future__ import annotations

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from tests.learn.sites import Site


def pages_of(thread: int) -> int:
    return 1 + (thread % 4 == 0) + (thread % 8 == 0)


def archive() -> Site:
    """MyBB's archive: the query is a name, and `-1` its first page."""
    site = Site("http://forum.example")
    for thread in range(1, 80):
        base = f"/archive/index.php?thread-{thread}"
        site.add(base, f"thread {thread} 1")
        for page in range(1, pages_of(thread) + 1):
            site.add(f"{base}-{page}", f"thread {thread} {page}")
    return site


def both() -> Site:
    """An archive in the query beside topics in the path, each with first pages by number."""
    site, others = archive(), topics()
    site.pages |= others.pages
    site.words |= others.words
    return site


def topics(*, newest: bool = False, bare: int = 80) -> Site:
    """`/topic-12.html` is the first page of a topic, or the `newest` one; topics from `bare` on were met by page."""
    site = Site("http://forum.example")
    for topic in range(1, 120):
        pages = pages_of(topic)
        if topic < bare or (newest and pages == 1):
            site.add(f"/topic-{topic}.html", f"topic {topic} {pages if newest else 1}")
        for page in range(1, pages + 1):
            site.add(f"/topic-{topic}-{page}.html", f"topic {topic} {page}")
    return site


def words() -> Site:
    """Articles of several pages, by a word for them."""
    site = Site("http://news.example")
    for n, word in enumerate(f"{a}-{b}" for a in ("rain", "snow", "wind", "sun", "fog") for b in "abcdefghij"):
        site.add(f"/news/{word}", f"{word} 1")
        for page in range(1, pages_of(n) + 1):
            site.add(f"/news/{word}-page-{page}", f"{word} {page}")
    return site


def folders(mark: str = "/page/", after: str = "/") -> Site:
    """A blog whose lists have pages, and links to their first ones."""
    site = Site("http://blog.example")
    for n in range(40):
        base = f"/tag/{'ab'[n % 2]}{n}"
        site.add(base + after, f"tag {n} 1")
        for page in range(1, pages_of(n) + 1):
            site.add(f"{base}{mark}{page}{after}", f"tag {n} {page}")
    return site


def papers(word: str = "-print", *, only: int = 60, differ: int = 0) -> Site:
    """Articles with another view of each, and more text in the view of some."""
    site = Site("http://news.example")
    for n in range(60):
        name = f"/news/{'abcdef'[n % 6] * (n // 6 + 2)}-fire"
        site.add(f"{name}.html", f"article {n}")
        if n < only:
            site.add(f"{name}{word}.html", f"article {n}" if n >= differ else f"another {n}")
    return site


def series() -> Site:
    """`/story/rain-1` is the first part where there are others, and `/story/rain` what leads to them."""
    site = Site("http://tales.example")
    for n in range(60):
        site.add(f"/story/tale{'x' * n}", f"tale {n}")
        site.add(f"/story/tale{'x' * n}-1", f"tale {n}" if n < 50 else f"part {n}")
    return site


def board(*, matters: bool = False, lists: int = 6) -> Site:
    """Discuz: `/thread-12-1-5.html` was opened from the fifth page of a list, which may have comments of its own."""
    site = Site("http://board.example")
    for thread in range(1, 90):
        for page in range(1, pages_of(thread) + 1):
            for n in range(2):
                at = 1 + (thread + n) % lists
                told = f" {at}" if matters and thread % 10 == 0 else ""
                site.add(f"/thread-{thread}-{page}-{at}.html", f"thread {thread} {page}{told}")
    return site


LEARNED = {
    "a query that is a name": (
        archive(), ["/archive/index.php?thread-900", "/archive/index.php?thread-900-1"],
        ["/archive/index.php?thread-900-2", "/archive/index.php?post-900-1", "/archive/index.php?thread-1",
         "/archive/index.php?thread-11", "/archive/index.php?thread-900-11"],
    ),
    "both in one site": (
        both(), ["/topic-900.html", "/topic-900-1.html"],
        ["/archive/index.php?thread-900-1", "/archive/index.php?thread-900-2", "/topic-900-2.html"],
    ),
    "the last segment": (
        topics(), ["/topic-900.html", "/topic-900-1.html"],
        ["/topic-900-2.html", "/topic-901.html", "/topic-1.html", "/topic-900-1", "/poll-900-1.html"],
    ),
    "a word for pages": (
        words(), ["/news/hail-z", "/news/hail-z-page-1"],
        ["/news/hail-z-page-2", "/news/hail-z-1", "/news/front-page-11", "/blog/hail-z-page-1"],
    ),
    "a page of a folder": (
        folders(), ["/tag/z9/", "/tag/z9/page/1/"],
        ["/tag/z9/page/2/", "/tag/z9/page/11/", "/tag/page/", "/tag/z9/list/1/", "/author/z9/page/1/"],
    ),
    "a page of a folder, in one segment and without a slash": (
        folders("/page-", ""), ["/tag/z9", "/tag/z9/page-1"],
        ["/tag/z9/page-2", "/tag/z9/page-11", "/tag/z9/page/1", "/tag/z9/front-page-1"],
    ),
    "a word for a view": (
        papers(), ["/news/flood.html", "/news/flood-print.html"],
        ["/news/flood-prints.html", "/news/flood-fire.html", "/news/print.html", "/news/flood-print",
         "/blog/x-print.html"],
    ),
    "words for a view": (
        papers("-sort-name"), ["/news/flood.html", "/news/flood-sort-name.html"],
        ["/news/flood-sort.html", "/news/flood-name.html", "/news/flood-sort-fire.html"],
    ),
    "where a link stood": (
        board(), ["/thread-900-2-1.html", "/thread-900-2-4.html", "/thread-900-2-77.html"],
        ["/thread-900-1-1.html", "/thread-901-2-1.html", "/thread-900-2.html", "/album-900-2-4.html"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("site", "one", "others"), LEARNED.values(), ids=LEARNED)
@pytest.mark.parametrize("options", [Options(), Options().strict()], ids=["default", "strict"])
@pytest.mark.thorough
def test_is_one_page(site: Site, one: list[str], others: list[str], options: Options) -> None:
    normalizer = Normalizer(learn(site.visits(), options).rules)
    keys = [{normalizer.key(site.origin + path) for path in paths} for paths in (one, others)]
    assert len(keys[0]) == 1
    assert len(keys[1]) == len(others)
    assert keys[0].isdisjoint(keys[1])
    merged: dict[str, set[tuple[str, int]]] = {}
    for url, identity in site.pages.items():
        merged.setdefault(normalizer.key(url), set()).add(identity)
    assert all(len(pages) == 1 for pages in merged.values())
    twice = [url.replace("-1", "-1-1").replace("page/1", "page/1/page/1") for url in site.pages]
    assert all(normalizer.key(normalizer.normalize(url)) == normalizer.key(url) for url in [*site.pages, *twice])


REFUSED = {
    "the bare name is the newest page": (topics(newest=True), "/topic-900.html", "/topic-900-1.html", "first page"),
    "none with a second page was met bare": (
        topics(newest=True, bare=0), "/topic-900.html", "/topic-900-1.html", "first page",
    ),
    "a series": (series(), "/story/hail", "/story/hail-1", None),
    "some views say more": (papers(differ=3), "/news/flood.html", "/news/flood-print.html", "suffix"),
    "few names end so": (papers(only=6), "/news/flood.html", "/news/flood-print.html", None),
    "a language among words": (papers("-print-de"), "/news/flood.html", "/news/flood-print-de.html", "suffix"),
    "a language": (papers("-de"), "/news/flood.html", "/news/flood-de.html", "suffix"),
    "comments of the list": (board(matters=True), "/thread-900-2-1.html", "/thread-900-2-4.html", "piece"),
    "two lists are not all": (board(lists=2), "/thread-900-2-1.html", "/thread-900-2-4.html", "piece"),
}  # fmt: skip


@pytest.mark.parametrize(("site", "one", "two", "family"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("options", [Options(), Options().strict()], ids=["default", "strict"])
def test_are_two_pages(site: Site, one: str, two: str, family: str | None, options: Options) -> None:
    result = learn(site.visits(), options)
    normalizer = Normalizer(result.rules)
    assert normalizer.key(site.origin + one) != normalizer.key(site.origin + two)
    refused = {candidate.family for candidate in result.others}
    assert family is None or family in refused
