"""Tables and feeds have one content in any order."""

from __future__ import annotations

import random

import pytest

from scrapy_urinorm.visits.features import page_features, rows_digest

TABLE = ["id,name", "1,Ada", "2,Grace", "2,Grace", "3,Barbara"]
ITEMS = [f"<item><title>News {n}</title>\n <link>http://a.example/{n}</link></item>" for n in range(5)]


def feed(items: list[str], head: str = "") -> str:
    return f"<rss version='2.0'><channel><title>News</title>{head}{''.join(items)}</channel></rss>"


@pytest.mark.parametrize(
    ("kind", "end"), [("text/csv", "\n"), ("text/csv", "\r\n"), ("text/tab-separated-values", "\n")]
)
def test_the_order_of_rows_does_not_matter(kind: str, end: str) -> None:
    shuffled = random.Random(1).sample(TABLE, len(TABLE))
    assert shuffled != TABLE
    assert rows_digest(end.join(TABLE), kind) == rows_digest(end.join(shuffled) + end, kind)


@pytest.mark.parametrize("kind", ["application/rss+xml", "application/atom+xml", "text/xml"])
def test_the_order_of_entries_does_not_matter_nor_when_the_feed_was_made(kind: str) -> None:
    one, two = feed(ITEMS), feed(ITEMS[::-1], "<lastBuildDate>now</lastBuildDate>")
    assert rows_digest(one, kind) == rows_digest(two, kind) is not None


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("\n".join(TABLE), "\n".join(TABLE[:-1]), "text/csv"),
        ("\n".join(TABLE), "\n".join([*TABLE, TABLE[2]]), "text/csv"),
        (feed(ITEMS), feed(ITEMS[1:]), "application/rss+xml"),
        (feed(ITEMS), feed([item.replace("News", "Olds") for item in ITEMS]), "application/rss+xml"),
        (feed(ITEMS), feed([ITEMS[0].replace("/0", "/9"), *ITEMS[1:]]), "application/rss+xml"),
    ],
    ids=["a row less", "a row once more", "an entry less", "other texts", "another link"],
)
def test_other_rows_are_another_content(one: str, other: str, kind: str) -> None:
    assert rows_digest(one, kind) != rows_digest(other, kind)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("\n".join(TABLE), "text/plain"),
        ("<urlset><url><loc>http://a.example/</loc></url></urlset>", "application/xml"),
        (feed(ITEMS)[:-40], "application/rss+xml"),
        ("<itemized>no entry</itemized>", "text/xml"),
    ],
    ids=["prose", "a sitemap", "cut off", "another element"],
)
def test_what_has_no_rows_has_no_digest(text: str, kind: str) -> None:
    assert rows_digest(text, kind) is None


def test_empty_feeds_are_alike_whatever_they_are_called() -> None:
    one, two = feed([]), feed([], "<link>http://a.example/?order=id</link>")
    assert rows_digest(one, "text/xml") == rows_digest(two, "text/xml") is not None
    assert rows_digest(one, "text/xml") != rows_digest(feed(ITEMS), "text/xml")


def test_a_page_tells_them() -> None:
    page = page_features("\n".join(TABLE).encode(), "text/csv; charset=utf-8")
    assert page.rows_digest == rows_digest("\n".join(TABLE), "text/csv")
    assert page_features(b"<p>a,b", "text/html").rows_digest is None
