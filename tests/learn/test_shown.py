"""Pages whose texts are one, and that show something else: nothing makes them one."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.visits.page import Crawl, visit_of
from tests.live.sites import prose

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

THINGS, VIEWS = 60, ("day", "week", "month", "year")


def number(thing: int, view: str, n: int = 0) -> int:
    return int.from_bytes(blake2b(f"{thing} {view} {n}".encode(), digest_size=2).digest())


SHOWN = {
    "a chart": "<script>draw([{0}, {1}, {2}, {3}])</script>",
    "a chart in an attribute": "<canvas data-points='[{0}, {1}, {2}]'></canvas>",
    "a formula": "<script type='math/tex'>x^{{{0}}} + {1}</script>",
    "pictures behind a text": "<div style='background: url(/photos/{0}.jpg)'></div>",
    "numbers in fields": "<label>Jan</label><input readonly value={0}><label>Feb</label><input readonly value={1}>",
    "places on a map": "<map><area nohref alt='place {0}'><area nohref alt='place {1}'></map>",
    "a drawing": "<svg viewBox='0 0 100 100'><path d='M{0} {1}L{2} {3}Z' /></svg>",
    "cells": "<table><tr><td class='of-{0}'></td><td class='of-{1}'></td></tr></table>",
    "a player": "<script>player.setup({{file: '/media/{0}.mp4'}})</script>",
}


def visits(shown: str) -> list[Visit]:
    """A crawl of things that have four views each, which show what the thing and the view say."""
    crawl = Crawl("20260101T000000Z-00000000", b"salt" * 4)
    found = []
    for thing, view in ((thing, view) for thing in range(THINGS) for view in ("", *VIEWS)):
        numbers = [number(thing, view or "day", n) for n in range(4)]
        links = "".join(f"<li><a href='/thing?id={thing}&view={one}'>{one}</a>" for one in VIEWS)
        page = f"<title>Things</title><nav>Home</nav><h1>Thing {thing}</h1>{prose(str(thing))}<ul>{links}</ul>"
        url = f"http://s.example/thing?id={thing}" + (f"&view={view}" if view else "")
        said = {"url": url, "status": 200, "time": 1767225600, "depth": 1, "type": "text/html", "read": True}
        found.append(visit_of(crawl, said, (page + shown.format(*numbers)).encode()))
    return found


def keys(visits: list[Visit], options: Options) -> set[str]:
    normalizer = Normalizer(learn(visits, options).rules)
    return set(map(normalizer.key, (f"http://s.example/thing?id=7&view={view}" for view in VIEWS)))


@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)
@pytest.mark.thorough
def test_what_pages_show_tells_them_apart(shown: str) -> None:
    assert len(keys(visits(shown), Options())) == len(VIEWS)


def test_equal_ones_are_one() -> None:
    assert len(keys(visits("<script>draw([1, 2, 3])</script>"), Options())) == 1
