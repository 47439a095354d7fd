"""What a crawl says of a response, and its body, to a visit: what is redacted, parsed and hashed, outside Scrapy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

from scrapy_urinorm.declared import canonical_link, clean_param_values
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.visits.links import LONGEST_LINK, LinkHashes, url_hash
from scrapy_urinorm.visits.marks import marks
from scrapy_urinorm.visits.record import GIVEN_OWN, Visit
from scrapy_urinorm.visits.redaction import Redaction
from scrapy_urinorm.visits.ruled import Ruled, are_few

if TYPE_CHECKING:
    from scrapy_urinorm.visits.features import PageFeatures

MOST_DIRECTIVES = 2_000
"""`Clean-param` lines kept of a robots.txt: the largest seen have some hundred."""


class Crawl:
    """What is the same for all visits of a crawl: its id, the salt of its masks, and the rules under which it runs."""

    def __init__(self, crawl_id: str, salt: bytes, rules: Sequence[Any] = (), preset: str = "safe") -> None:
        self.id = crawl_id
        self.opening: dict[str, Any] = {"id": crawl_id, "salt": salt.hex()}
        """What a process that parses pages makes its own copy of the crawl from; too many rules are left out."""
        if are_few(rules):
            self.opening |= {"rules": list(rules), "preset": preset}
        self.redact = Redaction(salt)
        self.ruled: Ruled | None = None
        self.unknown = ""
        """Why it is not known what the rules change of links; empty where it is."""
        try:
            self.ruled = Ruled(rules, preset) if rules or preset != "safe" else None
        except UrinormError as error:
            # one that the project has declared in the process of the crawl
            self.unknown = str(error)
        self.links = LinkHashes(self.redact.all, self.ruled)

    @classmethod
    def opened(cls, said: Mapping[str, Any]) -> Self:
        """Return the crawl that an `opening` tells of; one without rules has none."""
        return cls(said["id"], bytes.fromhex(said["salt"]), said.get("rules", ()), said.get("preset", "safe"))


def visit_of(crawl: Crawl, said: dict[str, Any], body: bytes | None) -> Visit:
    """Return the visit of a response; None for a body that is not to be read.

    `said` has `url`, `status` (None, and `failure`, where no response came), `time` (seconds) and, where there are
    such, `final`, `hops` ([status, url] each), `target` (of a redirect that is recorded by itself), `type` (the
    Content-Type), `size`, `depth`, `referer`, `key`, `link` (values of that header), `headers` and `cookies` (names),
    `date` (that header), `no_vary_search`, `given` (empty where it cannot be compared), `robots` (true for a
    robots.txt).
    Never raises on what a site has sent.
    """
    redact = crawl.redact
    visit = Visit(url=redact(said["url"]), status=said["status"], crawl=crawl.id)
    visit.id = url_hash(visit.url)
    visit.failure = said.get("failure")
    if target := said.get("target"):
        visit.final_url = redact(target)
        visit.redirects = ((said["status"], visit.url),)
    elif hops := said.get("hops"):
        visit.redirects = tuple((status, redact(url)) for status, url in hops)
    if final := said.get("final"):
        visit.final_url = redact(final)
    visit.depth, visit.size = said.get("depth"), said.get("size")
    visit.referer = redact(said["referer"]) if said.get("referer") else None
    visit.key = redact(said["key"]) if said.get("key") else None
    visit.no_vary_search = said.get("no_vary_search")
    if (given := said.get("given")) is not None:
        visit.given = redact.hashed(given) if given else GIVEN_OWN
    visit.time = shown_time(int(said["time"]))
    content_type: str = said.get("type") or ""
    visit.content_type = content_type.partition(";")[0].strip().lower() or None
    if body is not None:
        _read(visit, crawl, said, body, content_type)
    return visit


@lru_cache(maxsize=8)
def shown_time(seconds: int) -> str:
    """Return a moment as visits have it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _read(visit: Visit, crawl: Crawl, said: dict[str, Any], body: bytes, content_type: str) -> None:
    from scrapy_urinorm.visits.features import page_features

    if said.get("robots"):
        visit.clean_param = _clean_params(body)
    url = said.get("final") or said["url"]
    page: PageFeatures = page_features(body, content_type, None, url, said.get("date") or "")
    take_features(visit, page)
    canonical = page.canonical or canonical_link(said.get("link") or (), url)
    if canonical and len(canonical) <= LONGEST_LINK:
        visit.canonical = crawl.redact(canonical)
    if page.links is not None:
        visit.links, visit.links_count, keys = crawl.links(page.links)
        visit.link_keys = keys or None
    visit.marks = marks(page.generator, said.get("headers") or (), said.get("cookies") or (), body)


def take_features(visit: Visit, page: PageFeatures) -> None:
    """Give a visit what the page shows, but for the addresses in it."""
    visit.body_digest, visit.text_digest, visit.words = page.body_digest, page.text_digest, page.words
    visit.main_digest = page.rows_digest
    visit.lines, visit.line_words, visit.minhash = page.lines, page.line_words, page.minhash


def _clean_params(body: bytes) -> tuple[str, ...]:
    """Return the values of the `Clean-param` lines of a robots.txt."""
    return tuple(value for _, value in islice(clean_param_values(body.decode("utf-8", "replace")), MOST_DIRECTIVES))
