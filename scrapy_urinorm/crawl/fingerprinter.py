"""The request fingerprinter: Scrapy's recipe over the key, with the guard that keeps pages behind redirects."""

from __future__ import annotations

import hashlib
import logging
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakSet, ref

from scrapy import Request
from scrapy.http.request import NO_CALLBACK
from scrapy.settings import default_settings
from scrapy.utils.request import fingerprint as scrapy_fingerprint

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.chains import texts_of
from scrapy_urinorm.crawl.failures import failed
from scrapy_urinorm.crawl.fallback import fallback_of
from scrapy_urinorm.crawl.rules import normalizer_of
from scrapy_urinorm.crawl.start_errors import said_readably
from scrapy_urinorm.errors import RuleFileError
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.recipe import fingerprint_bytes
from scrapy_urinorm.rulesets.platforms import VERDICTS
from scrapy_urinorm.rulesets.ruleset import RuleSet

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.utils.request import RequestFingerprinterProtocol

logger = logging.getLogger(__name__)

_STATEFUL = frozenset(("redirect_urls", "urinorm", "verbatim_url", own.CHANCE_META))
#: How often a chain may come back to one URL text: once each for a cookie, a consent, a log-in.
_RETURNS = 3
_MAX_META_RULES = 256
#: A request's fingerprint, whether the rules say to skip or to defer it, and the bits of those that changed its URL
#: (None: not known).
JudgedRequest = tuple[bytes, bool, bool, int | None]
_being_built: WeakSet[Crawler] = WeakSet()


class RequestFingerprinter:
    """Fingerprints requests by the key of their URL, method and body.

    A URL that no rule changes keeps the bytes of Scrapy's own fingerprint (default ports excepted). A redirect to a
    URL of its own key gets a fingerprint of its own, so that the page behind it is not taken for a duplicate (Scrapy
    #1225), as often as Scrapy follows redirects; a chain that comes back to one URL text a fourth time is a loop. Reads
    the settings `URINORM_RULES`, `URINORM_PRESET` and `URINORM_FALLBACK_REQUEST_FINGERPRINTER_CLASS`, and the
    meta keys `urinorm` and `verbatim_url`.

    No URL raises: what cannot be normalized gets Scrapy's own fingerprint and is counted.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build from a crawler's settings; raises RuleFileError with everything wrong in the rules.

        The fallback, or what it asks in turn, may ask for one of ours again, as scrapy-zyte-api's does by way of
        scrapy-poet's: that one has no fallback, and the circle ends.
        """
        normalizer = normalizer_of(crawler)
        if crawler in _being_built:
            return cls(normalizer, crawler=crawler)
        _being_built.add(crawler)
        try:
            with said_readably():
                fallback = fallback_of(crawler, RequestFingerprinter)
            return cls(normalizer, fallback=fallback, crawler=crawler)
        finally:
            _being_built.discard(crawler)

    def __init__(
        self,
        normalizer: Normalizer | None = None,
        *,
        fallback: RequestFingerprinterProtocol | None = None,
        crawler: Crawler | None = None,
    ):
        self.normalizer = normalizer or Normalizer()
        self._key = self.normalizer.key
        self._judge = self.normalizer.judge
        native = self.normalizer.native
        self._native = None if native is None else native.request
        self._fallback = fallback
        self._crawler = crawler
        self._reads_bodies = self.normalizer.reads_bodies
        self._simple = fallback is None and not self._reads_bodies
        # what WeakKeyDictionary does, without its calls in Python; a fingerprint alone where no meta counts
        self._cache: dict[ref[Request], bytes | tuple[Any, bytes]] = {}
        self._forget = self._cache.pop
        self._most_redirects = (
            default_settings.REDIRECT_MAX_TIMES if crawler is None else crawler.settings.getint("REDIRECT_MAX_TIMES")
        )
        self._meta_rules: dict[str, Normalizer] = {}

    def fingerprint(self, request: Request) -> bytes:
        """The fingerprint of a request, 20 bytes unless a fallback fingerprinter makes others."""
        # the private attribute, since looking at `meta` would make a dict for every link of every page
        meta = request._meta
        state = None
        if meta and not _STATEFUL.isdisjoint(meta):
            try:
                state = _state(meta)
            except Exception as error:  # noqa: BLE001  whatever objects in a project's meta raise
                return self._last_resort(request, error)
        place = ref(request, self._forget)
        cached = self._cache.get(place)
        if cached is not None:
            if isinstance(cached, bytes):
                if state is None:
                    return cached
            elif cached[0] == state:
                return cached[1]
        try:
            if state is None and self._simple and request.callback is not NO_CALLBACK:
                url, method, body = request.url, request.method, request.body
                told = None if self._native is None else self._native(url, method, body)
                fp = fingerprint_bytes(self._key(url), method, body) if told is None else told[0]
            else:
                fp = self._full(request, meta or {})
        except Exception as error:  # noqa: BLE001  raising here would end the crawl
            fp = self._last_resort(request, error)
        self._cache[place] = fp if state is None else (state, fp)
        return fp

    def judge(self, request: Request) -> JudgedRequest:
        """The fingerprint of a request, and what else the rules say of it, in one pass."""
        meta = request._meta
        if (meta and not _STATEFUL.isdisjoint(meta)) or not self._simple or request.callback is NO_CALLBACK:
            return self.fingerprint(request), *self.verdict(request), None
        url, method, body = request.url, request.method, request.body
        touched: int | None = None
        skip = defer = False
        try:
            told = None if self._native is None else self._native(url, method, body)
            if told is not None:
                fp, touched = told
            else:
                key, skip, defer = self._judge(url)
                fp = fingerprint_bytes(key, method, body)
        except Exception as error:  # noqa: BLE001  raising here would end the crawl
            fp = self._last_resort(request, error)
        self._cache[ref(request, self._forget)] = fp
        return fp, skip, defer, touched

    def verdict(self, request: Request) -> tuple[bool, bool]:
        """Whether the rules say to skip a request, or to defer it."""
        try:
            return (False, False) if exempt(request) else self.normalizer.verdict(request.url)
        except Exception as error:  # noqa: BLE001  a truth value that raises
            self._tell(error)
            return False, False

    def key(self, request: Request) -> str:
        """The key of a request, as its fingerprint takes it (without the count of redirects)."""
        meta = request._meta or {}
        try:
            if meta.get("verbatim_url"):
                return request.url
            normalizer, lossy = self._rules_of(request, meta)
            return normalizer.key(request.url, lossy=lossy)
        except Exception as error:  # noqa: BLE001  whatever objects in a project's meta raise
            self._tell(error)
            return self._key(request.url)

    def redirects_to_key(self, request: Request) -> int:
        """How many of the URLs that led to a request by redirection have its key; 0 where the chain is a loop."""
        meta = request._meta
        chain = texts_of(meta.get("redirect_urls")) if meta else []
        if not meta or not chain or meta.get("verbatim_url"):
            return 0
        normalizer, lossy = self._rules_of(request, meta)
        key = normalizer.key(request.url, lossy=lossy)
        count = sum(normalizer.key(url, lossy=lossy) == key for url in chain)
        if count > _RETURNS:
            text = request.url.partition("#")[0]
            returns = sum(url.partition("#")[0] == text for url in chain)
            if returns > _RETURNS or count > self._most_redirects:
                return 0
        return count

    def is_loop(self, request: Request) -> bool:
        """Whether the redirects that led to a request came back to its key so often that it passes for no page."""
        chain = texts_of((request._meta or {}).get("redirect_urls"))
        if not chain or self.redirects_to_key(request):
            return False
        normalizer, lossy = self._rules_of(request, request.meta)
        key = normalizer.key(request.url, lossy=lossy)
        return any(normalizer.key(url, lossy=lossy) == key for url in chain)

    def _full(self, request: Request, meta: dict[str, Any]) -> bytes:
        if meta.get("verbatim_url"):
            if self._fallback is not None:
                return self._fallback.fingerprint(request)
            return fingerprint_bytes(request.url, request.method, request.body)
        normalizer, lossy = self._rules_of(request, meta)
        n = self.redirects_to_key(request)
        key = normalizer.key(request.url, lossy=lossy)
        chance = meta.get(own.CHANCE_META)
        # a key never holds a raw space: what follows one cannot be taken for another page
        suffix = f" {n}" if n else ""
        if chance and chance[1] == key:
            suffix += f" variant {chance[0]}"
        if self._fallback is not None:
            return self._by_fallback(request, normalizer, lossy, suffix)
        text = key + suffix
        body: bytes = request.body
        headers: dict[str, list[str]] = {}
        if lossy and self._reads_bodies:
            steps, names = normalizer.body_rules(request.url)
            content_type = (request.headers.get("Content-Type") or b"").decode("latin-1") if steps else ""
            for run in steps:
                body = run(body, content_type=content_type)
            for name in sorted(name.lower() for name in names):
                if name in request.headers:
                    headers[name.encode().hex()] = [v.hex() for v in request.headers.getlist(name)]
        return fingerprint_bytes(text, request.method, body, headers)

    def normalizer_for(self, request: Request) -> Normalizer:
        """The normalizer of a request: with the rules of its own meta."""
        return self._rules_of(request, request._meta or {})[0]

    def _rules_of(self, request: Request, meta: dict[str, Any]) -> tuple[Normalizer, bool]:
        """The normalizer of a request, and whether lossy rules apply to it."""
        given = meta.get("urinorm")
        if given is False:
            return self.normalizer, False
        lossy = request.callback is not NO_CALLBACK
        if given is not None and given is not True and not meta.get("redirect_urls"):
            return self._with_meta(given), lossy
        return self.normalizer, lossy

    def _with_meta(self, rules: Any) -> Normalizer:
        # what cannot be rules may say something else of itself in each request, and is told once
        name = repr(rules if isinstance(rules, dict) else type(rules))
        found = self._meta_rules.get(name)
        if found is None:
            if len(self._meta_rules) >= _MAX_META_RULES:
                self._meta_rules.clear()
            is_file = isinstance(rules, dict) and rules.keys() & {"rules", "site", "host", "preset"}
            table = rules if is_file else {"rules": rules}
            ruleset = self.normalizer.ruleset
            try:
                found = Normalizer(RuleSet.load(*ruleset.sources, table, preset=ruleset.preset))
            except RuleFileError as error:
                logger.error("Request meta `urinorm` is ignored: %s", error)
                if self._crawler is not None:
                    own.stats_of(self._crawler).inc_value("urinorm/error")
                found = self.normalizer
            if name != repr(type(rules)) and any(f"'{verdict}': " in name for verdict in VERDICTS):
                logger.warning("Request meta `urinorm`: `skip` and `defer` are of the crawl's rules, not of a request")
            self._meta_rules[name] = found
        return found

    def _by_fallback(self, request: Request, normalizer: Normalizer, lossy: bool, suffix: str) -> bytes:
        assert self._fallback is not None
        url = normalizer.normalize(request.url) if lossy else request.url
        try:
            twin = request if url == request.url else request.replace(url=url)
        except Exception:  # noqa: BLE001  a Request subclass whose __init__ wants more than replace() gives
            twin = Request(url, method=request.method, body=request.body, headers=request.headers, meta=request.meta,
                           callback=request.callback)  # fmt: skip
        fp = self._fallback.fingerprint(twin)
        return hashlib.sha1(fp + suffix.encode(), usedforsecurity=False).digest() if suffix else fp

    def _last_resort(self, request: Request, error: Exception) -> bytes:
        """Scrapy's own fingerprint, and where that fails too a hash of the bare text: nothing may reach the engine."""
        self._tell(error)
        try:
            return (self._fallback.fingerprint if self._fallback is not None else scrapy_fingerprint)(request)
        except Exception:  # noqa: BLE001  nothing may reach the engine
            text = f"{request.method} {request.url}".encode("utf-8", "surrogatepass")
            return hashlib.sha1(text + request.body, usedforsecurity=False).digest()

    def _tell(self, error: Exception) -> None:
        if self._crawler is not None:
            failed(self._crawler, "A fingerprint", error)


def exempt(request: Request) -> bool:
    """Whether the rules have no say in a request: media and files, `verbatim_url`, `urinorm` False."""
    meta = request._meta or {}
    return request.callback is NO_CALLBACK or meta.get("urinorm") is False or bool(meta.get("verbatim_url"))


def _state(meta: dict[str, Any]) -> tuple[Any, ...]:
    """What of the meta may change the fingerprint."""
    given = meta.get("urinorm")
    chain = meta.get("redirect_urls")
    return (
        bool(meta.get("verbatim_url")),
        given if given is None or isinstance(given, bool) else repr(given),
        repr(chain),
        repr(meta.get(own.CHANCE_META)),
    )
