"""The store of fingerprints that the settings of a crawl ask for."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy.utils.job import job_dir
from scrapy.utils.misc import load_object

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.rules import normalizer_of
from scrapy_urinorm.crawl.start_errors import said_readably
from scrapy_urinorm.seen import SeenStore, make_store
from scrapy_urinorm.seen.redis_address import is_redis

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from scrapy_urinorm.normalizer import Normalizer


def _spider_name(crawler: Crawler) -> str:
    # the class may leave the name to its instances, and a shell may have neither
    return str(getattr(crawler.spider, "name", None) or getattr(crawler.spidercls, "name", None) or "spider")


def redis_prefix(crawler: Crawler) -> str:
    """The prefix of the keys of a crawl in Redis; raises ValueError where it asks for more than the spider."""
    return prefix_of(crawler.settings, _spider_name(crawler))


def prefix_of(settings: BaseSettings, spider: str) -> str:
    """The same for a spider of this name."""
    name = "URINORM_SEEN_PREFIX"
    given = own.text(settings, name)
    with said_readably():
        try:
            return given % {"spider": spider}
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"{name}: {given!r}: after a %, only %(spider)s and %% may stand") from None


def seen_store(crawler: Crawler) -> SeenStore:
    """The store that a crawler's settings ask for, not yet opened; raises where they make no sense."""
    settings = crawler.settings
    normalizer = normalizer_of(crawler)
    rules = normalizer.ruleset
    if only_looks(crawler) and (is_redis(own.text(settings, "URINORM_SEEN")) or shared_folder(settings)):
        return make_store()
    directory = own.value(settings, "URINORM_SEEN_DIR") or job_dir(settings)
    return make_store(
        own.text(settings, "URINORM_SEEN"),
        directory=Path(directory) if directory else None,
        stamp={"rules": rules.digest(), "preset": rules.preset, "keys": _sample(normalizer)},
        prefix=redis_prefix(crawler),
        ttl=own.number(settings, "URINORM_SEEN_TTL"),
        on_lost=own.value(settings, "URINORM_SEEN_ON_LOST"),
    )


def only_looks(crawler: Crawler) -> bool:
    """Whether a command of Scrapy's that is no crawl (`fetch`, `parse`, `check`) has given the spider its start.

    Crawls neither count as seen what it has met, nor lose to it what they have left. A fleet's queue is in its Redis:
    who takes from that asks for that.
    """
    start = getattr(crawler.spidercls, "start", None)
    return str(getattr(start, "__module__", "")).startswith("scrapy.commands.") and not getattr(
        load_object(crawler.settings["SCHEDULER"]), "of_fleet", False
    )


def shared_folder(settings: BaseSettings) -> Path | None:
    """The folder where fingerprints are kept from run to run, whatever the job; None where there is none."""
    kind, _, rest = own.text(settings, "URINORM_SEEN").partition(":")
    folder = (kind == "disk" and rest) or (kind in ("memory", "disk") and own.value(settings, "URINORM_SEEN_DIR"))
    return Path(folder) if folder else None


def _sample(normalizer: Normalizer) -> str:
    """What the code makes of URLs that show how a parser, a convention or a rule goes about its work.

    Other versions of this package or of a library are other conditions for a store only where this differs.
    """
    found = _samples.get(normalizer)
    if found is None:
        keys = "\n".join(f"{normalizer.key(url)} {normalizer.key(url, lossy=False)}" for url in _SAMPLE)
        found = hashlib.sha1(keys.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:16]
        _samples[normalizer] = found
    return found


# each crawl asks for its own twice: its summary looks whether the settings make sense before there is a store
_samples: WeakKeyDictionary[Normalizer, str] = WeakKeyDictionary()


#: Another list is another stamp, and a warning for every job that is resumed: add to it where a fault gives reason to.
_SAMPLE = (
    "HTTP://Ann:Secret@WWW.Example.COM:80/a/../b/./c//d/",
    "https://example.com:443",
    "http://example.com:8080/%7Eann/%2fb%2Fc/%41%zz%",
    "http://b\u00fccher.example/\u00fc?\u00fc=\u00e9#\u00fc",
    "http://xn--bcher-kva.example/fa\u00df",
    "http://fa\u00df.example/",
    "http://0x7f.1/",
    "http://192.168.1/a",
    "http://[2001:DB8:0:0::1]:8080/",
    "http://example.com/a;b;c=1/d;jsessionid=0123456789ABCDEF0123456789ABCDEF?x;y",
    "http://example.com/a;/..;x/%2e%2E/b",
    "http://example.com/\\a\tb\nc d|e^f`g{h}",
    "http://example.com/index.html",
    "http://example.com/default.asp?",
    "http://example.com/?",
    "http://example.com?b=2&a=1&a=0&&=&c&d==&e=%2B+%20",
    "http://example.com/?utm_source=a&gclid=b&fbclid=c&sid=d&PHPSESSID=0123456789abcdef0123456789abcdef&id=7",
    "http://example.com/?a[]=1&a%5B%5D=2&rev2[0]=x&q=%ff%fe&r=\ud800",
    "http://example.com/?url=http%3A%2F%2Fexample.org%2F&next=/a%3Fb%3Dc&amp;x=1",
    "http://example.com/a#!/route?x=1",
    "http://example.com/a#/route",
    "http://example.com/a#:~:text=b",
    "http://user@example.com./a",
    "http://a..b/",
    "http://exa mple/",
    "http://[::1",
    "ftp://example.com/a;type=i",
    "data:text/html,x",
    "mailto:ann@example.com",
    "about:blank",
    "//example.com/a",
    "/a?b",
    "",
)
