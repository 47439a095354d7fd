"""Laws of learned rules: what had one value there is not known to be idle, and what nobody has met stays apart."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from functools import cache, partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.evidence.risk import TRACKER_PRIOR, name_prior
from tests.learn.sites import SITES, Site, forum, wiki
from tests.live.programs import place
from tests.live.sites import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy_urinorm.visits import Visit

NEW = ("zz9", "7315")
#: Of the first 25 sites of the generator those of `make test-all`: together they have whatever one of the 25 has.
SOME = (0, 1, 2, 4, 7, 9, 10, 11, 13, 15, 17, 22)

#: A half of the two largest, which shows the same.
SMALLER: dict[str, Callable[[], Site]] = {"forum": partial(forum, threads=150), "wiki": partial(wiki, pages=125)}


def tickets() -> Site:
    """Lists of open tickets in orders that make no difference to short ones; no closed one has been met."""
    site = Site("http://tickets.example")
    for n in range(40):
        for order in "abc":
            site.add(f"/list/{n}?status=open&order={order}", f"list {n}")
    return site


@cache
def recorded(name: str) -> list[Visit]:
    """The visits of an invented site, or of one of the generator of programs."""
    if name == "tickets":
        return tickets().visits()
    return SMALLER.get(name, SITES[name])().visits() if name in SITES else record(place(int(name), 400))[0]


def parts(visits: list[Visit]) -> Iterator[list[Visit]]:
    """All of a crawl, what it had met early, and a sample."""
    yield visits
    yield visits[: len(visits) // 4]
    yield random.Random(len(visits)).sample(visits, len(visits) // 2)


def changed(url: str, values: dict[str, set[str]], segments: dict[tuple[int, int], set[str]]) -> Iterator[str]:
    """The address with something that nobody has met: another value of what had one, another segment, a parameter."""
    parts = urlsplit(url)
    items = [item.partition("=") for item in parts.query.split("&")] if parts.query else []
    for at, (name, _, _) in enumerate(items):
        if len(values[name]) == 1 and name_prior(name) < TRACKER_PRIOR:
            for new in NEW:
                query = "&".join("".join(item) for item in [*items[:at], (name, "=", new), *items[at + 1 :]])
                yield urlunsplit(parts._replace(query=query))
    path = parts.path.split("/")
    for at, segment in enumerate(path):
        if segment and len(segments[len(path), at]) == 1:
            yield urlunsplit(parts._replace(path="/".join([*path[:at], NEW[0], *path[at + 1 :]])))
    yield urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{NEW[0]}"))
    yield urlunsplit(parts._replace(query=f"{parts.query}&{NEW[0]}=1".lstrip("&")))


def sites(*quick: str) -> list[object]:
    """The invented sites, those of the generator, and which of them are for every run."""
    slow = "tickets", *SITES, *map(str, SOME)
    return [
        *(pytest.param(name, marks=() if name in quick else pytest.mark.slow) for name in slow),
        *(pytest.param(str(n), marks=pytest.mark.soak) for n in range(25) if n not in SOME),
    ]


@pytest.mark.parametrize("name", sites("tickets", "shop", "0", "1"))
def test_a_parameter_is_kept_where_it_was_never_met(name: str) -> None:
    """Unless nearly all addresses have it: a path of another length is another kind of page."""
    visits = recorded(name)
    urls = sorted({visit.url for visit in visits})
    met: dict[str, dict[int, str]] = defaultdict(dict)
    counts: Counter[str] = Counter()
    for url in urls:
        parsed = urlsplit(url)
        for item in parsed.query.split("&") if parsed.query else ():
            met[item.partition("=")[0]][parsed.path.count("/")] = item
            counts[item.partition("=")[0]] += 1
    normalizer = Normalizer(learn(visits, Options(jobs=1, preset="safe")).rules)
    for url in random.Random(1).sample(urls, min(150, len(urls))):
        parsed, shown = urlsplit(url), urlsplit(normalizer.key(url))
        for one, items in met.items():
            if shown.path.count("/") in items or counts[one] > 0.9 * len(urls) or name_prior(one) >= TRACKER_PRIOR:
                continue
            for item in items.values():
                other = urlunsplit(parsed._replace(query=f"{parsed.query}&{item}".lstrip("&")))
                assert normalizer.key(other) != normalizer.key(url), (url, other)


@pytest.mark.parametrize(
    "options",
    [Options(jobs=1), pytest.param(Options(jobs=1).strict(), marks=pytest.mark.slow)],
    ids=["default", "strict"],
)
@pytest.mark.parametrize("name", sites("tickets", "shop", "0", "1"))
def test_what_nobody_has_met_stays_apart(name: str, options: Options) -> None:
    for visits in parts(recorded(name)):
        normalizer = Normalizer(learn(list(visits), options).rules)
        values: dict[str, set[str]] = defaultdict(set)
        segments: dict[tuple[int, int], set[str]] = defaultdict(set)
        urls = sorted({visit.url for visit in visits})
        for url in urls:
            parsed = urlsplit(url)
            for item in parsed.query.split("&"):
                values[item.partition("=")[0]].add(item.partition("=")[2])
            path = parsed.path.split("/")
            for at, segment in enumerate(path):
                segments[len(path), at].add(segment)
        for url in random.Random(1).sample(urls, min(150, len(urls))):
            decision = normalizer.decide(url)
            if not decision.skip:
                for other in changed(url, values, segments):
                    assert normalizer.key(other) != decision.key, (url, other)
