"""The links of a page as hashes of their keys, by which the visits of a crawl join to the graph of its site.

The hash of a URL is the first eight octets of BLAKE2b (`digest_size=8`) of the UTF-8 of its key without any rule, made
of the redacted URL: what a file of visits shows is enough to compute it again, and crawls under different rules join.
Where the rules of a crawl give a link another key, the hash of that one is known as well: of all addresses of a page
the crawl has fetched the first one that it met, and its key is what the others lead to.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate, chain
from struct import Struct

from scrapy_urinorm.engine import native
from scrapy_urinorm.engine.texts import bare_key
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.url import resolve
from scrapy_urinorm.visits.ruled import Ruled, lines_of

LINK_CAP = 2_000
"""Links kept of a page: every menu and list fits, and 2,000 hashes are 21 kB of base64."""
LONGEST_LINK = 8_192
"""Characters of the longest link that is followed up: about the longest line that servers take (RFC 9110 4.1)."""
NAMED = 256 << 10
"""Characters of the links of a page that are named: 2,000 of a usual length."""
_REMEMBERED = 8 << 20
"""Octets of links whose hashes are remembered: those of 60,000 links."""
_ENTRY = 100
"""Octets of an entry in memory beside its text."""
HASH = 8
"""Octets of the hash of a link: among a million links two collide once in 10^7 crawls."""

_SPACE = " \t\n\r\f"
_scheme = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:").match
_http = re.compile(r"https?://[^/\\]", re.IGNORECASE).match
_usual = re.compile(
    r"(?:https?://(?=[^/])|(/)(?!/)|([A-Za-z0-9_.%\-]+)(?![A-Za-z0-9_.%\-:]))[^\\\x00-\x20\ud800-\udfff]*"
).fullmatch
"""An absolute link, one from the root of the host, or one from the folder, of usual characters."""
_breaks = re.compile(r"[\t\n\r]")
_each = Struct(f"{HASH}s").iter_unpack
_unusual = re.compile(r"[\\\x00-\x1f\ud800-\udfff]").search


@functools.cache
def _bare() -> Normalizer:
    """Keys of many lines under no rule."""
    return Normalizer(preset="safe")


def url_hash(url: str) -> bytes:
    """Return the hash of one URL that is redacted already: the column `id` of a visit."""
    return _hash(bare_key(url))


def _hash(key: str) -> bytes:
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=HASH).digest()


def hashes_of(urls: list[str]) -> bytes:
    """Return the hashes of redacted URLs, eight octets each, in their order: one batch instead of many calls."""
    block = bare_keys(urls)
    return b"".join(map(url_hash, urls)) if block is None else _hashes_of_lines(block)


def bare_keys(urls: list[str]) -> bytes | None:
    """Return what URLs without a break are known by without rules, a line each; None where one is no text."""
    try:
        return _bare().lines(lines_of(urls), keys=True)
    except UnicodeEncodeError:
        return None


def _hashes_of_lines(block: bytes) -> bytes:
    keys = block.decode("utf-8", "surrogatepass").split("\n")
    keys.pop()
    if native.module is not None and (found := native.module.text(keys, bytes(len(keys)))) is not None:
        hashes: bytes = found[0]
        return hashes
    return b"".join(map(_hash, keys))


def stems(base: str) -> tuple[str, str, str, str]:
    """Return what the links of a page are joined to: scheme and colon, origin, folder, the page without its query."""
    page = base.partition("#")[0].partition("?")[0]
    scheme, colon, rest = page.partition("://")
    authority, slash, _ = rest.partition("/")
    origin = scheme + colon + authority
    return scheme + ":", origin, page[: page.rindex("/") + 1] if slash else origin + "/", page


def page_links(hrefs: Iterable[str], base: str) -> list[str]:
    """Return the addresses that the `href` of a page mean, in their order, each once.

    `base` is the URL of the page, or what its `base` element says. Links within the page, of other schemes than HTTP,
    and above `LONGEST_LINK` are left out. Dot segments stay: a key has none.
    """
    known = stems(base)
    heads = "", known[1], known[2]
    found: dict[str, None] = {}
    for given in hrefs:
        if len(given) <= LONGEST_LINK:
            usual = _usual(given)
            href = heads[usual.lastindex or 0] + given if usual else _joined(given, base, *known)
            if _http(href):
                found[href] = None
    return list(found)


def _joined(given: str, base: str, scheme: str, origin: str, folder: str, page: str) -> str:
    """Return what a link is where it is joined to its page; nothing for one within the page."""
    href = given.strip(_SPACE)
    if _unusual(href):
        href = resolve(_breaks.sub("", href), base)
        if _unusual(href):
            return ""
    head = href[:1]
    if head == "/":
        return scheme + href if href[1:2] == "/" else origin + href
    if head == "?":
        return page + href
    if not head or head == "#":
        return ""
    return href if _scheme(href) else folder + href


def link_hashes(urls: list[str]) -> tuple[bytes, int]:
    """Return the column `links` for URLs that are redacted already, and how many different ones there are."""
    return _unique(each_hash(hashes_of(urls)))


def each_hash(links: bytes | None) -> list[bytes]:
    """Return the hashes of a column of links, in their order."""
    return list(chain.from_iterable(_each(links or b"")))


def named_together(values: Mapping[bytes, str | None], links: Iterable[bytes | None]) -> set[str]:
    """Return the values, by the hashes of addresses, of which the links of one page name several."""
    found: set[str] = set()
    for column in links:
        linked = {value for hashed in each_hash(column) if (value := values.get(hashed))}
        if len(linked) > 1:
            found |= linked
    return found


def holds(links: bytes, hashed: bytes) -> bool:
    """Whether a hash is among those of links; a page may have thousands, and be asked often."""
    at = links.find(hashed)
    while at % HASH and at >= 0:
        at = links.find(hashed, at + 1)
    return at >= 0


def _unique(hashes: Iterable[bytes]) -> tuple[bytes, int]:
    unique = dict.fromkeys(hashes)
    return b"".join(list(unique)[:LINK_CAP]), len(unique)


def _columns(hashes: list[bytes]) -> tuple[bytes, int, bytes]:
    together = b"".join(hashes)
    if len(together) == HASH * len(hashes):
        # as a rule no two addresses of a page have one key
        each_differs = len(set(hashes)) == len(hashes) <= LINK_CAP
        return (together, len(hashes), b"") if each_differs else (*_unique(hashes), b"")
    keys: dict[bytes, bytes] = {}
    for one in hashes:
        keys.setdefault(one[:HASH], one[-HASH:])
    return (*_unique(keys), b"".join(list(keys.values())[:LINK_CAP]))


class LinkHashes:
    """The columns of the links of one crawl; what it has met it remembers, as most links of a site come again."""

    def __init__(self, redact: Callable[[list[str]], list[str]], ruled: Ruled | None = None) -> None:
        self._redact = redact
        self._ruled = ruled
        self._known: dict[str, bytes] = {}
        self._room = _REMEMBERED
        self._new: list[str] = []

    def __call__(self, urls: list[str]) -> tuple[bytes, int, bytes]:
        """Return the columns `links`, `links_count` and `link_keys` for URLs as they are in the page."""
        known = self._known
        new = [url for url in urls if url not in known]
        self._new = self._redact(new)
        if not new:
            return _columns([known[url] for url in urls])
        hashes = self._hashes(new)
        columns = _columns([known.get(url) or hashes[url] for url in urls])
        self._remember(hashes)
        return columns

    def _hashes(self, new: list[str]) -> dict[str, bytes]:
        """Return the hash of each URL; where the rules change its key, followed by that of the key under them."""
        redacted = self._new
        bare = bare_keys(redacted)
        hashed = hashes_of(redacted) if bare is None else _hashes_of_lines(bare)
        hashes = dict(zip(new, each_hash(hashed), strict=True))
        if self._ruled is not None and (changed := self._ruled.changed(new, bare if redacted == new else None)):
            keys = each_hash(hashes_of(self._redact(list(changed.values()))))
            for url, key in zip(changed, keys, strict=True):
                hashes[url] += key
        return hashes

    def take_new(self) -> list[str]:
        """Return, once, the links of the last page that none before had, redacted; of many the first ones."""
        new, self._new = self._new[:LINK_CAP], []
        ends = accumulate(map(len, new))
        return [url for url, end in zip(new, ends, strict=True) if end <= NAMED]

    def _remember(self, hashes: dict[str, bytes]) -> None:
        size = sum(map(len, hashes)) + _ENTRY * len(hashes)
        if size > _REMEMBERED // 4:
            return
        if size > self._room:
            self._known.clear()
            self._room = _REMEMBERED
        self._known.update(hashes)
        self._room -= size
