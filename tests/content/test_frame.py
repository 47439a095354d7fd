"""The frame of a site is found by how it behaves, and what varies where nothing else does is noise, however long."""

from __future__ import annotations

from array import array
from hashlib import blake2b

import pytest

from scrapy_urinorm.content import Content, Frame
from scrapy_urinorm.visits.record import Visit

Lines = list[tuple[str, str]]
"""(slot, text)."""


def hashed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little") | 1


def visit(lines: Lines) -> Visit:
    packed = array("Q", [h for slot, text in lines for h in (hashed(slot), hashed(text))]).tobytes()
    words = bytes(len(text.split()) for _, text in lines)
    return Visit(url="http://a.example/", status=200, lines=packed, line_words=words, words=sum(words))


def contents(pages: list[Lines]) -> list[Content]:
    frame = Frame()
    visits = [visit(lines) for lines in pages]
    for one in visits:
        frame.add(one.lines or b"", one.line_words)
    frame.find_noise(visits)
    return [frame.content(one) for one in visits]


ARTICLE = "a text of more than ten words that is the content of page"
FORM = "you are not logged in please enter your name and your password below to go on"


def trace(n: int) -> str:
    """What was looked at before: long, and other on each page."""
    return "recently viewed: " + " ".join(f"page-{n + i}" for i in range(12))


def wiki(pages: int) -> list[Lines]:
    """Articles and, for each, its log-in form, its list of versions and its links."""
    out: list[Lines] = []
    for n in range(pages):
        out.append([("menu", "home"), ("trace", trace(4 * n)), ("main", f"{ARTICLE} {n}")])
        out.append([("menu", "home"), ("trace", trace(4 * n + 1)), ("main", FORM)])
        out.append([("menu", "home"), ("trace", trace(4 * n + 2)), ("main", f"{ARTICLE} {n}")])
        out.append([("menu", "home"), ("trace", trace(4 * n + 3)), ("main", f"{ARTICLE} {n % 7} links")])
    return out


def test_noise_of_any_length_is_no_content() -> None:
    found = contents(wiki(20))
    assert len({content.label for content in found[1::4]}) == 1
    assert [content.label for content in found[0::4]] == [content.label for content in found[2::4]]
    assert len({content.label for content in found[0::4]}) == 20


def test_a_slot_that_alone_tells_pages_apart_is_content() -> None:
    """A dictionary whose pages have one long line each, and a frame: the line varies where nothing else does."""
    pages: list[Lines] = [[("menu", "home"), ("main", f"{ARTICLE} {n}"), ("foot", "imprint")] for n in range(60)]
    assert len({content.label for content in contents(pages)}) == 60


def test_a_slot_that_tells_one_kind_of_page_apart_is_content() -> None:
    """Profiles that say the same but for one line: a single group of pages shows no noise."""
    same = "this user has not written anything yet nor told anything about the person that they are"
    pages: list[Lines] = [[("menu", "home"), ("head", f"{ARTICLE} {n}"), ("main", same)] for n in range(60)]
    assert len({content.label for content in contents(pages)}) == 60


@pytest.mark.parametrize("order", [1, -1], ids=["as it was", "another order"])
def test_content_has_no_order(order: int) -> None:
    lines: Lines = [("li", f"{ARTICLE} {n}") for n in range(5)]
    other: Lines = [("menu", "home"), ("aside", "a word")]
    pages = [[("menu", "home"), *lines], *[[*other, ("li", f"{ARTICLE} of {n}")] for n in range(30)]]
    pages.append([("menu", "home"), *lines[::order]])
    found = contents(pages)
    assert found[0].label == found[-1].label
