"""The example website, and all that a crawler can meet on it."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin

import pytest
from parsel import Selector

from example_project.website import Website

if TYPE_CHECKING:
    from collections.abc import Iterator

STARTS = ("https://shop.test/", "http://forum.test/")


class Walk(NamedTuple):
    """All that a perfect crawler meets: it follows the links of each page once, by the page's true identity."""

    lines: dict[str, dict[tuple[str, ...], str]]  # page -> its main text, lines sorted -> a URL that shows it so
    urls: dict[str, set[str]]  # page -> URLs that show it
    dead: set[str]  # links to nothing


def links(url: str, tree: Selector) -> list[str]:
    return [urljoin(url, target).partition("#")[0] for target in tree.css("a::attr(href)").getall()]


def main_lines(tree: Selector) -> tuple[str, ...]:
    """The visible lines of what a page is about, in any order."""
    blocks = tree.xpath(
        "//main//*[self::h1 or self::p or self::li or self::div][not(ancestor::nav or ancestor::aside)]"
    )
    return tuple(sorted(block.xpath("normalize-space()").get("") for block in blocks))


@pytest.fixture(scope="session")
def website() -> Iterator[Website]:
    with Website() as website:
        yield website


@pytest.fixture(scope="session")
def walk(website: Website) -> Walk:
    found = Walk(defaultdict(dict), defaultdict(set), set())
    queue, asked, shown = deque(STARTS), set(STARTS), set[str]()
    while queue:
        url = queue.popleft()
        answer = website.answer(url)
        if answer.location:
            targets = [urljoin(url, answer.location)]
        elif answer.page is None:
            found.dead.add(url)
            continue
        else:
            tree = Selector(answer.body)
            found.urls[answer.page].add(url)
            found.lines[answer.page].setdefault(main_lines(tree), url)
            targets = links(url, tree) if answer.page in website.pages - shown else []
            shown.add(answer.page)
        new = [target for target in targets if target not in asked]
        asked.update(new)
        queue.extend(new)
    return found
