"""What a request costs on hosts that have rules: its fingerprint, the question whether it was seen, its log line.

The tables are of the sizes that people write; each stands for every host of the input. As in a crawl, the garbage
collector runs, over what was made since the round began.
"""

from __future__ import annotations

import functools
import tracemalloc
from typing import TYPE_CHECKING, Any

from benchmarks import peers
from benchmarks.fingerprints import without_c
from benchmarks.inputs import request_urls
from benchmarks.measure import Contestant, compare
from benchmarks.measured import Figure, number
from scrapy_urinorm import Normalizer, RuleSet
from scrapy_urinorm.crawl.fingerprinter import RequestFingerprinter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.measure import Timing

#: What the documentation shows for one shop: ten lines, two of them for a part of the site.
TEN_LINES: dict[str, Any] = {
    "www": "remove",
    "scheme": "https",
    "remove_params": ["ref", "promo_*", {"name": "s", "value": "[0-9a-f]{32}"}],
    "except_params": ["utm_content"],
    "default_params": {"sort": "ascending", "page": "1"},
    "directory_index": ["index.html", "default.asp"],
    "trailing_slash": "remove",
    "where": [
        {
            "path": "/forum/**",
            "keep_params": ["id", "t", "f", "start"],
            "rewrite": [{"pattern": r"^/forum/story_(\w+)$", "replace": r"/forum/story?id=\1"}],
        },
        {"path": "/calendar/**", "query": {"year": {"below": 2000}}, "skip": True},
    ],
}
_PARTS = "showthread.php forum wiki viewtopic.php category tag t image product user".split()
TWENTY_WHERE: dict[str, Any] = {
    "where": [
        *({"path": f"/{part}/**", "remove_params": [f"p{n}", "highlight"]} for n, part in enumerate(_PARTS)),
        *({"path": f"/{part}", "query": {"do": ["login", "edit"]}, "remove_params": ["id"]} for part in _PARTS[:5]),
        *({"query": {name: False, "page": "1"}, "remove_params": ["page"]} for name in ("t", "f", "id", "q", "u")),
    ]
}
TABLES: dict[str, dict[str, Any]] = {
    "no table": {},
    "a table of ten lines": TEN_LINES,
    "20 `where` tables": TWENTY_WHERE,
    "a simple rewrite": {"rewrite": [{"pattern": r"^/forum/story_(\w+)$", "replace": r"/forum/story?id=\1"},
                                     {"pattern": r"/print$", "replace": ""}]},
    "any rewrite": {"rewrite": [{"pattern": r"^/([a-z]+)/([a-z]+-)+(\d+)$", "replace": r"/\1/\3"}]},
}  # fmt: skip
#: How many times Scrapy's cost must be ours, by table: with the C module, and without.
FINGERPRINT = {"no table": (8, 2), "a table of ten lines": (4, 1), "20 `where` tables": (3, None),
               "a simple rewrite": (3, None), "any rewrite": (1.5, None)}  # fmt: skip
SEEN: dict[str, tuple[dict[str, Any], float]] = {
    "no rules": ({}, 5),
    "`skip` for another host": ({"host": {"elsewhere.example": {"where": [{"path": "/x/**", "skip": True}]}}}, 5),
    "a table of ten lines": ({"rules": TEN_LINES}, 3),
}


def fingerprints(urls: list[str], rounds: int) -> Iterator[tuple[Figure, Mapping[str, Timing]]]:
    """``fingerprint`` of fresh requests under each table, hosts known from an earlier round."""
    urls = request_urls(urls)
    for name, table in TABLES.items():
        rules = RuleSet.load({"rules": table})
        known, pure = Normalizer(rules), without_c(rules)
        timings = _compared({
            "Scrapy": peers.scrapy_fingerprinter,
            "urinorm": lambda known=known: RequestFingerprinter(known),
            "urinorm, pure Python": lambda pure=pure: RequestFingerprinter(pure),
        }, urls, rounds)  # fmt: skip
        with_c, alone = FINGERPRINT[name]
        yield _ratio(f"fingerprint, {name}", timings, "urinorm", with_c), timings
        yield _ratio(f"fingerprint without the C module, {name}", timings, "urinorm, pure Python", alone), timings


def cold(urls: list[str], rounds: int) -> Iterator[Figure]:
    """``fingerprint`` where nothing is known yet: neither hosts nor names."""
    urls = request_urls(urls)
    for name in ("no table", "a table of ten lines"):
        rules = RuleSet.load({"rules": TABLES[name]})
        made = {"Scrapy": peers.scrapy_fingerprinter, "urinorm": functools.partial(_knowing_nothing, rules)}
        hosts = len({url.split("/")[2] for url in urls})
        note = f"{len(urls):,} URLs of {hosts:,} hosts"
        yield _ratio(f"fingerprint, cold, {name}", _compared(made, urls, rounds), "urinorm", 4, note)


def _knowing_nothing(rules: RuleSet) -> RequestFingerprinter:
    return RequestFingerprinter(Normalizer(rules))


def _compared(made: Mapping[str, Any], urls: list[str], rounds: int) -> dict[str, Timing]:
    contestants = [Contestant(name, lambda m=make: m().fingerprint, peers.requests) for name, make in made.items()]  # type: ignore[misc]  # mypy takes no default of a lambda
    return compare(contestants, urls, rounds, collecting=True)


def seen(urls: list[str], rounds: int) -> Iterator[Figure]:
    """``request_seen`` of known URLs, then ``log`` of the duplicates, beside Scrapy's filter."""
    urls = request_urls(urls)
    for name, (rules, goal) in SEEN.items():
        filters = {"Scrapy": scrapy_filter(), "urinorm": our_filter(rules)}
        alone = _of_filters(filters, lambda one: one.request_seen, urls, rounds)
        yield _ratio(f"request_seen of a known URL, {name}", alone, "urinorm", goal)
        # as a crawl does, which logs a request when it has just asked for it
        both = _of_filters(filters, lambda one: functools.partial(_seen_and_logged, one), urls, rounds)
        ours, theirs = (both[of].median - alone[of].median for of in ("urinorm", "Scrapy"))
        note = (
            f"{number(ours, 'us')}, Scrapy's {number(theirs, 'us')}; the difference of request_seen with it and without"
        )
        yield Figure(f"log of a duplicate, {name}, to Scrapy's", ours / theirs, "x", 1.5, note=note)


def queued(count: int) -> Iterator[Figure]:
    """What ``request_seen`` adds to the memory of a request that waits in the queue."""
    theirs, ours = (added(one, count) for one in (scrapy_filter(), our_filter({})))
    note = f"Scrapy's {number(theirs, 'octets')}"
    yield Figure("memory that request_seen adds to a queued request", ours, "octets", theirs + 120, note=note)


def added(one: Any, count: int) -> float:
    """Octets that a filter takes for each of ``count`` requests that it lets through and that stay."""
    made = peers.requests([f"http://a{n % 50}.example/path/page-{n}?id={n}" for n in range(count)])
    for request in peers.requests([f"http://a{n}.example/" for n in range(50)]):
        one.request_seen(request)
    tracemalloc.start()
    try:
        for request in made:
            one.request_seen(request)
        return tracemalloc.get_traced_memory()[0] / count
    finally:
        tracemalloc.stop()


def _of_filters(filters: Mapping[str, Any], function: Any, urls: list[str], rounds: int) -> dict[str, Timing]:
    made = [Contestant(of, functools.partial(function, one), peers.requests) for of, one in filters.items()]
    return compare(made, urls, rounds, collecting=True)


def _seen_and_logged(one: Any, request: Any) -> None:
    if one.request_seen(request):
        one.log(request, one.spider)


def scrapy_filter() -> Any:
    """Scrapy's own filter with its fingerprinter."""
    from scrapy.dupefilters import RFPDupeFilter

    return _opened(RFPDupeFilter, {})


def our_filter(rules: dict[str, Any]) -> Any:
    """Our filter with our fingerprinter, as the add-on sets them up."""
    from scrapy_urinorm import DupeFilter

    return _opened(DupeFilter, {"URINORM_RULES": rules, "REQUEST_FINGERPRINTER_CLASS": RequestFingerprinter})


def _opened(cls: Any, settings: dict[str, Any]) -> Any:
    from scrapy.spiders import Spider
    from scrapy.utils.reactor import install_reactor
    from scrapy.utils.test import get_crawler

    quiet = {"TELNETCONSOLE_ENABLED": False, "LOG_ENABLED": False, **settings}
    try:
        crawler = get_crawler(Spider, quiet)
    except RuntimeError:
        # older versions of Scrapy want a reactor, also where nothing is requested
        install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
        crawler = get_crawler(Spider, quiet)
    crawler.spider = crawler._create_spider("benchmark")
    made = cls.from_crawler(crawler)
    made.open()
    made.spider = crawler.spider
    return made


def _ratio(what: str, timings: Mapping[str, Timing], ours: str, goal: float | None, note: str = "") -> Figure:
    mine, theirs = timings[ours].median, timings["Scrapy"].median
    said = f"{number(mine, 'us')}, Scrapy {number(theirs, 'us')}{'; ' if note else ''}{note}"
    return Figure(f"{what}: Scrapy's to ours", theirs / mine, "x", goal, least=True, note=said)
