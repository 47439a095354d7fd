"""Why a URL was crawled or not, told by the visits of a crawl: fetched, failed, a duplicate, skipped, never linked."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.content import is_error, is_redirect
from scrapy_urinorm.engine.texts import bare_key, without_userinfo
from scrapy_urinorm.url import split
from scrapy_urinorm.visits.links import holds, url_hash

if TYPE_CHECKING:
    from scrapy_urinorm.normalizer import Normalizer
    from scrapy_urinorm.visits.record import Visit

# a screenful: who asks wants to see that there are several, and one of them
_SHOWN = 3


class Fetch(NamedTuple):
    """One response, as far as an answer tells of it."""

    url: str
    status: int | None
    time: str | None
    final_url: str | None
    referer: str | None
    failure: str | None = None

    @classmethod
    def of(cls, visit: Visit) -> Fetch:
        """What a visit says."""
        urls = (visit.url, visit.final_url, visit.referer)
        url, final, referer = (without_userinfo(one) if one else one for one in urls)
        return cls(url or "", visit.status, visit.time, final, referer, visit.failure)

    def __str__(self) -> str:
        status = "" if self.status is None else f" with status {self.status}"
        status = f" ({self.failure})" if self.failure else status
        at = f" at {self.time}" if self.time else ""
        return f"{self.url}{status}{at}"

    @property
    def failed(self) -> bool:
        """Whether an error came back, or nothing."""
        return self.failure is not None or is_error(self.status)


@dataclass
class Answer:
    """What became of a URL: a word, the sentence that says why, and facts to go on from.

    `verdict` is `fetched`, `redirected`, `failed`, `skipped`, `parked` (kept back by live rules as a duplicate),
    `closed` (kept back, as addresses of its shape brought nothing new), `duplicate`, `linked` (and not fetched) or
    `unknown`.
    """

    url: str
    key: str
    verdict: str
    why: str
    notes: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON-ready data."""
        return {"url": self.url, "key": self.key, "verdict": self.verdict, "why": self.why, "notes": self.notes}


class _Asked:
    """What the visits say of one URL that is asked for."""

    def __init__(self, url: str, normalizer: Normalizer) -> None:
        self.url = url
        self.key = normalizer.key(url)
        self.bare = bare_key(url)
        self.hash = url_hash(url)
        self.own: list[Fetch] = []
        self.variants: list[Fetch] = []
        self.linked: list[str] = []
        self.kept_back = ""

    def see(self, visit: Visit, key: str) -> None:
        """Take in one visit and its key under the rules."""
        # the target of a redirect has a row of its own
        reached = visit.final_url if visit.final_url and not is_redirect(visit.status) else visit.url
        if visit.id == self.hash or self.bare in (bare_key(visit.url), bare_key(reached)):
            self.own.append(Fetch.of(visit))
        elif key == self.key:
            self.variants.append(Fetch.of(visit))
        if visit.links and len(self.linked) < _SHOWN and holds(visit.links, self.hash):
            self.linked.append(without_userinfo(visit.url))


def answers(
    urls: Sequence[str], visits: Iterable[Visit], normalizer: Normalizer, kept_back: Iterable[Mapping[str, Any]] = ()
) -> list[Answer]:
    """What became of each URL in the crawl of these visits, under these rules; the visits are read once.

    `kept_back` are the rows of `urinorm.parked.jsonl`; those of another crawl are left out.
    """
    asked = [_Asked(url, normalizer) for url in urls]
    digest = normalizer.ruleset.digest()
    seen = links = other_rules = 0
    hosts: set[str] = set()
    crawls: set[str | None] = set()
    for visit in visits:
        seen += 1
        links += visit.links is not None
        hosts.add(_host(visit.final_url or visit.url))
        crawls.add(visit.crawl)
        other_rules += visit.rules is not None and visit.rules != digest
        key = normalizer.key(visit.url)
        for one in asked:
            one.see(visit, key)
    _look_up(asked, (row for row in kept_back if not crawls - {None} or row.get("crawl") in crawls))
    notes = []
    if other_rules:
        notes.append(f"{other_rules:,} of {seen:,} visits were made under rules other than these")
    if seen and not links:
        notes.append("the visits do not say what pages link to")
    return [_answer(one, normalizer, notes, hosts, links_known=bool(links)) for one in asked]


def _look_up(asked: Sequence[_Asked], kept_back: Iterable[Mapping[str, Any]]) -> None:
    wanted: dict[str, list[_Asked]] = {}
    for one in asked:
        wanted.setdefault(one.bare, []).append(one)
    for row in kept_back:
        for one in wanted.get(bare_key(str(row.get("url"))), ()):
            one.kept_back = str(row.get("why"))


def _host(url: str) -> str:
    parts = split(url)
    return "" if parts is None else parts.host


def _answer(
    asked: _Asked, normalizer: Normalizer, notes: list[str], hosts: Container[str], *, links_known: bool
) -> Answer:
    verdict, why = _why(asked, normalizer, links_known=links_known)
    told = list(notes)
    if verdict in ("linked", "unknown") and (host := _host(asked.url)) and host not in hosts:
        told.append(f"nothing from {host} was fetched: it may not be among the spider's allowed_domains")
    if asked.linked and verdict != "linked":
        told.append(f"linked from {asked.linked[0]}")
    return Answer(without_userinfo(asked.url), without_userinfo(asked.key), verdict, why, told)


def _why(asked: _Asked, normalizer: Normalizer, *, links_known: bool) -> tuple[str, str]:
    if asked.own:
        return _fetched(asked)
    skip, defer = normalizer.verdict(asked.url)
    if skip:
        said = "; ".join(normalizer.explain(asked.url).notes)
        return "skipped", f"never requested: {said or 'a rule skips it'}"
    if asked.kept_back == "closed":
        return "closed", (
            "kept back by live rules: addresses of its shape brought nothing new"
            " (with URINORM_LIVE_CLOSE = 0 they are fetched)"
        )
    if asked.kept_back == "later":
        return "linked", "put off by live rules, and the crawl was stopped before its turn came"
    if asked.kept_back:
        return "parked", "kept back by live rules to the end, since what it shows was fetched under another address"
    if asked.variants:
        first, *others = asked.variants
        more = f", and {len(others):,} more" if others else ""
        failed = ", which failed: the next variant met would have been tried" if first.failed else ""
        return "duplicate", f"the same page as {first}{more}{failed}; {_made_one(asked, first, normalizer)}"
    if asked.linked:
        last = " It is among those requested last (defer)." if defer else ""
        return "linked", (
            f"linked from {asked.linked[0]}, but not fetched: the spider or a filter on its domain or depth kept it"
            f" out, or the crawl ended before.{last}"
        )
    if not links_known:
        return "unknown", "neither this address nor another one of its key was fetched"
    return "unknown", "no page of this crawl links to it, nor was another address of its key fetched"


def _fetched(asked: _Asked) -> tuple[str, str]:
    fetch = next((one for one in asked.own if not one.failed), asked.own[0])
    often = f" ({len(asked.own):,} times)" if len(asked.own) > 1 else ""
    found = f", found on {fetch.referer}" if fetch.referer else ""
    if fetch.failure:
        refused = "robots.txt" in fetch.failure or fetch.failure.startswith("IgnoreRequest")
        what = "not requested" if refused else "requested without a response"
        return "failed", f"{what}: {fetch.failure}{often}{found}"
    if fetch.failed:
        return "failed", f"requested, and answered with status {fetch.status}{often}{found}"
    if is_redirect(fetch.status):
        return "redirected", f"requested, and redirected to {fetch.final_url or 'another address'}{often}{found}"
    at = f" at {fetch.time}" if fetch.time else ""
    to = ""
    if fetch.final_url and fetch.final_url != fetch.url:
        # asked for is either end of the chain
        to = f", where {fetch.url} leads" if bare_key(fetch.final_url) == asked.bare else f" as {fetch.final_url}"
    return "fetched", f"fetched{at}{to}{often}{found}"


def _made_one(asked: _Asked, other: Fetch, normalizer: Normalizer) -> str:
    """The rules that make two addresses one, with where they are written."""
    steps = [step for url in (asked.url, other.url) for step in normalizer.explain(url).steps if step.rule != "safe"]
    rules = dict.fromkeys(f"{step.rule} of {step.source or step.scope}" for step in steps)
    return f"by {', '.join(rules)}" if rules else "without any rule"
