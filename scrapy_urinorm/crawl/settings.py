"""Every setting, meta key and stat of the package: the one place that spells them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl.start_errors import amount, said_readably, worded
from scrapy_urinorm.extras import MissingExtraError, missing
from scrapy_urinorm.seen.redis_address import is_redis
from scrapy_urinorm.tuples import NamedTuple

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector

logger = logging.getLogger("scrapy_urinorm")

_PREFIX = "URINORM_"


class Setting(NamedTuple):
    """A setting: its default and what it does, for the reference."""

    default: Any
    doc: str


SETTINGS: dict[str, Setting] = {
    "URINORM_ENABLED": Setting(True, "Whether the add-on installs anything."),
    "URINORM_RULES": Setting(
        None,
        'Rule files: a path, `"package:file.toml"`, a dict, or a list of these. Unset, `urinorm.toml` beside '
        "`scrapy.cfg` is used where it exists. If a named file is missing, the crawl stops.",
    ),
    "URINORM_PRESET": Setting(
        None, "`safe`, `recommended` or `loose`, with an optional `@version`; overrides the files'."
    ),
    "URINORM_SEEN": Setting(
        "memory",
        "Where fingerprints are kept: `memory`, `disk` or a `redis://` URL (also `redis+sentinel`, `redis+cluster`).",
    ),
    "URINORM_SEEN_TTL": Setting(None, "Seconds after which a page may be crawled again (`disk`, `redis`)."),
    "URINORM_SEEN_DIR": Setting(
        None,
        "Folder of the `memory` or `disk` store that remembers from run to run, whatever the job: what was requested "
        "once is not requested again. Unset, the JOBDIR. Under Redis without a JOBDIR that "
        "of what was found and not fetched; unset, `.scrapy/urinorm` of the project.",
    ),
    "URINORM_SEEN_PREFIX": Setting("urinorm:%(spider)s", "Prefix of the keys in Redis."),
    "URINORM_SEEN_ON_LOST": Setting(
        "stop", "What a lost Redis connection does: `stop` the crawl, or `wait` and retry."
    ),
    "URINORM_JOURNAL": Setting(
        True,
        "Whether every request is written down in the JOBDIR (or in the folder where fingerprints are kept from run to "
        "run), so that a killed crawl loses none. With Scrapy's scheduler or one derived from it.",
    ),
    "URINORM_SECOND_CHANCE": Setting(True, "Whether another variant is requested when the first one of a key fails."),
    "URINORM_SECOND_CHANCE_LIMIT": Setting(
        100_000,
        "How many keys are watched in full, and how many variants are kept in case the first one fails.",
    ),
    "URINORM_RECORD_START": Setting(
        False, "Whether requests with `dont_filter`, such as start requests, are recorded as seen."
    ),
    "URINORM_FALLBACK_REQUEST_FINGERPRINTER_CLASS": Setting(
        None, "Fingerprinter of another package to ask, with the canonical URL; the add-on sets it."
    ),
    "URINORM_VISITS": Setting(None, "Path or feed-like URI where every response is recorded, for `urinorm learn`."),
    "URINORM_VISITS_ROTATE": Setting(None, "Bytes after which a local file of visits is followed by the next."),
    "URINORM_VISITS_CPU": Setting(
        0.12,
        "The share of the CPU time of the crawl's process that the page reader, a process of its own, may take after "
        "the first 5,000 pages; pages beyond it are recorded without text. 0 = no limit.",
    ),
    "URINORM_LIVE": Setting(
        False,
        "Whether rules are learned while the crawl runs: requests for pages that are fetched already wait, and are "
        "sent after all where a rule turns out to be wrong (docs/howto/live.md). Needs the `learn` extra.",
    ),
    "URINORM_LIVE_CLOSE": Setting(
        200,
        "Pages in a row without anything new after which addresses of one shape are only sampled; 0 = never.",
    ),
    "URINORM_LIVE_TEST": Setting(
        True,
        "Whether live rules test what `urinorm learn` has written, too: what it makes one page waits, as what they "
        "find does. False: it is dropped, as without live rules.",
    ),
    "URINORM_LIVE_OUTPUT": Setting(
        None,
        "Path of a rule file for what live rules have found; unset, `learned.toml` in the JOBDIR, or none without one.",
    ),
    "URINORM_REPORT": Setting(None, "Path of the HTML report that is written when the crawl ends."),
}

#: Request meta keys.
META: dict[str, str] = {
    "urinorm": "False: use Scrapy's own fingerprint; redirects inherit it. A dict of rules: added to the crawl's for "
    "this request, and ignored once it was redirected; `skip` and `defer` in it do nothing, as a warning says.",
    "urinorm_original_url": "Set by the rewriting middleware: the URL as the spider made it.",
}

#: Stats, each counted per request that is offered to the filter unless it says otherwise.
STATS: dict[str, str] = {
    "dupefilter/filtered": "Requests dropped as duplicates (Scrapy's own stat).",
    "urinorm/filtered": "Of these, requests whose URL a rule had changed: what Scrapy alone may have downloaded again.",
    "urinorm/filtered/RULE": "The same by rule; a request counts for each rule that changed it.",
    "urinorm/skipped": "Requests never sent because of `skip`.",
    "urinorm/deferred": "Requests put behind all others, or left to live rules, because of `defer`.",
    "urinorm/recovered": "Requests that a killed run had under way or waiting, and that this run serves.",
    "urinorm/unreadable": "Requests of another run or worker that this spider cannot read; they stay where they are.",
    "urinorm/redirect_passed": "Redirects to a URL of equal key that were let through.",
    "urinorm/second_chance": "Variants requested because the first one of their key had failed.",
    "urinorm/second_chance_hurried": "Of these, sent before the first one had failed (`URINORM_SECOND_CHANCE_LIMIT`).",
    "urinorm/rewritten": "Requests rewritten before they were sent.",
    "urinorm/seen_lost": "Requests dropped because the store of fingerprints could not be reached; the crawl stops.",
    "urinorm/unparsable": "URLs that the URL Standard refuses, or of a scheme without rules.",
    "urinorm/unstable": "URLs on which the rules do not settle.",
    "urinorm/seen/NAME": "What the store of fingerprints reports when the crawl ends: count, bytes, round trips.",
    "urinorm/visits/written": "Visits recorded.",
    "urinorm/visits/failed": "Responses that could not be recorded.",
    "urinorm/visits/without_text": "Of those recorded, pages that were not read, because the reader did not keep up or "
    "because of `URINORM_VISITS_CPU`.",
    "urinorm/platform/NAME": "Pages of sites on which this program was recognized; the log says where.",
    "urinorm/visits/given_up": "Pages that took the reader more than a second of CPU time, or too much memory.",
    "urinorm/live/rules": "Live rules when the crawl ended.",
    "urinorm/live/tested": "Learned rules that live rules have tested.",
    "urinorm/live/parked": "Requests that a live rule kept back, released ones included.",
    "urinorm/live/canaries": "Requests that a live rule would have kept back, fetched to test it.",
    "urinorm/live/later": "Requests put behind others: similar ones brought nothing new, or they may be duplicates.",
    "urinorm/live/closed": "Requests kept back because similar ones brought nothing new for long.",
    "urinorm/live/reopened": "Shapes that brought something new when they were closed, and were opened again.",
    "urinorm/live/released": "Requests that were sent after all, including those kept back in an earlier run.",
    "urinorm/live/doubts": "Pages that contradicted a live rule.",
    "urinorm/live/given_up": "Requests that were kept back until the end: duplicates.",
    "urinorm/live/not_fetched": "Requests of closed shapes that were kept back until the end.",
    "urinorm/error": "Fingerprints that fell back to Scrapy's own after an error, and errors of ours after which the "
    "crawl goes on; the log has the first.",
}

#: Meta key of a variant that is tried after a failure: (number, key). It has a fingerprint of its own, since a cache
#: would otherwise answer it with the failure.
CHANCE_META = "_urinorm_chance"
#: Meta key under which a request carries the (fingerprint, URL) pairs that its chain of redirects has claimed.
CLAIMS_META = "_urinorm_claims"
#: Meta key of a start request that a cache has answered with another spelling's redirect: its URL text.
FOREIGN_META = "_urinorm_foreign"
#: What Scrapy's middlewares for redirects keep in the meta.
REDIRECT_META = ("redirect_urls", "redirect_reasons", "redirect_times", "redirect_ttl")

#: Meta key of a request's number in the file of requests.
ROW_META = "_urinorm_row"

#: Meta keys of live rules: the number of a claim; a request that goes whatever they say; one that has waited already.
LIVE_META = "_urinorm_live"
CANARY_META = "_urinorm_canary"
LATER_META = "_urinorm_later"


def value(settings: BaseSettings, name: str) -> Any:
    """A setting of ours, or its default."""
    found = settings.get(name)
    return SETTINGS[name].default if found is None else found


def number(settings: BaseSettings, name: str) -> float | None:
    """A setting that is a finite number of 0 or more, or None; raises ValueError that names it."""
    given = value(settings, name)
    return None if given is None else amount(name, given)


def text(settings: BaseSettings, name: str) -> str:
    """A setting that is a text or a path, empty where there is none; raises ValueError that names it."""
    given = value(settings, name)
    return "" if given is None or given is False else worded(name, given)


def switch(settings: BaseSettings, name: str) -> bool:
    """A setting that is on or off; raises ValueError that names it."""
    with said_readably():
        try:
            return settings.getbool(name, bool(SETTINGS[name].default))
        except ValueError:
            raise ValueError(f"{name}: {settings.get(name)!r} is neither True nor False") from None


def misspelt(settings: BaseSettings) -> Iterator[tuple[str, str]]:
    """Settings with our prefix that are none of ours, each with the one that was meant, or nothing."""
    ours = {name.removeprefix(_PREFIX): name for name in SETTINGS}
    for name in sorted(str(name) for name in settings):
        if name.startswith(_PREFIX) and name not in SETTINGS:
            from difflib import get_close_matches

            yield name, "".join(ours[near] for near in get_close_matches(name.removeprefix(_PREFIX), ours, 1))


def require_extras(settings: BaseSettings) -> None:
    """Raise MissingExtraError with the settings that need extras and with all of those that are missing."""
    store = text(settings, "URINORM_SEEN")
    kept = ("disk",) if store.partition(":")[0] == "disk" else ("redis",) if is_redis(store) else ()
    needed = {
        "URINORM_REPORT": ("learn", "report") if settings.get("URINORM_REPORT") else (),
        "URINORM_VISITS": ("learn",) if settings.get("URINORM_VISITS") else (),
        "URINORM_LIVE": ("learn",) if switch(settings, "URINORM_LIVE") else (),
        "URINORM_SEEN": kept,
    }
    lacking = {name: missing(*extras) for name, extras in needed.items()}
    if wanting := [name for name, extras in lacking.items() if extras]:
        extras = dict.fromkeys(extra for name in wanting for extra in lacking[name])
        raise MissingExtraError(" and ".join(wanting), *extras)


def stats_of(crawler: Crawler) -> StatsCollector:
    """The stats of a crawler that has got so far as to have them."""
    stats = crawler.stats
    assert stats is not None
    return stats
