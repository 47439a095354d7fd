"""The questions that are asked of a request on a site, and the answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.importers.facets import LIMIT, is_script
from scrapy_urinorm.live.canaries import Canaries
from scrapy_urinorm.live.classes import NumberSet
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.recipe import hash_of
from scrapy_urinorm.rulesets.before import before
from scrapy_urinorm.suffixes import site_at

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.ruleset import RuleSet

bare: Callable[[str], str] = Normalizer(preset="safe").key
"""The key of an address under no rule."""


class LiveRule(NamedTuple):
    """A live rule: its name, what it does alone, and whether it was proven on real installations; `splits`, where it
    says how queries are split, which others then do as well.
    """

    id: str
    alone: Normalizer
    proven: bool = False
    splits: bool = False


def live_rule(said: dict[str, Any]) -> LiveRule:
    """Return a rule as the student says it."""
    alone = Normalizer([said["source"]], "safe", check_examples=False)
    return LiveRule(said["id"], alone, said.get("proven", False), said.get("splits", False))


def moved_by(rules: Sequence[LiveRule], url: str) -> list[LiveRule]:
    """Return the rules that change an address; that which says how its query is split where it alone does."""
    plain = bare(url)
    splitting = [rule for rule in rules if rule.splits and rule.alone.key(url) != plain]
    # the others split it as well
    split = splitting[0].alone.key(url) if splitting else plain
    return [rule for rule in rules if not rule.splits and rule.alone.key(url) != split] or splitting


class Ruling(NamedTuple):
    """What is to become of a request: `class_key` and `generation` name what it waits for."""

    verdict: str
    class_key: bytes | None = None
    generation: int = 0
    priority: int = 0
    rules: tuple[str, ...] = ()


PASS, PARK, CANARY, LATER, CLOSED, SAMPLE = "pass", "park", "canary", "later", "closed", "sample"
PASSED = Ruling(PASS)


_MASK = (1 << 64) - 1
_KINDS = 8
"""Kinds of requests whose classes are tested where a page may be shown instead of others: callbacks, jars; chosen."""
_REMEMBERED = 10_000
"""Hosts whose site is remembered: those of the requests that wait, of a broad crawl."""

_LONGEST = 300
"""Letters of an authority that is remembered: a host has 253 at the most (RFC 1035, 2.3.4), who logs in any number."""


class SiteNames:
    """The registrable domains of addresses, remembered by authority; `met` is told of each that is new."""

    def __init__(self, met: Callable[[str], object] = str) -> None:
        self._met = met
        self._known: dict[str, str] = {}

    def of(self, url: str) -> str:
        """Return the name of the site of an address, empty where it has none."""
        authority = url.partition("://")[2].partition("/")[0]
        name = self._known.get(authority)
        if name is None:
            self._met(name := site_at(url))
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            if len(authority) <= _LONGEST:
                self._known[authority] = name
        return name


class Question:
    """Is this page fetched already, or under way, under some rules? `claims` are classes under way, by their claim."""

    def __init__(self, sources: Sequence[dict[str, Any]], rules: RuleSet, preset: str) -> None:
        self.key = Normalizer(before(sources, rules, preset), check_examples=False).key
        self.served = NumberSet()
        self.claims: dict[int, int] = {}
        self.kinds: set[int] = set()
        """The first kinds that were asked for."""

    def number(self, url: str, kind: int) -> int:
        """Return the class of an address."""
        if len(self.kinds) < _KINDS:
            self.kinds.add(kind)
        return int.from_bytes(hash_of(f"{kind} {self.key(url)}"), "little") or 1

    def holds(self, number: int) -> bool:
        """Whether a page of the class is fetched or under way."""
        return number in self.served or number in self.claims


@dataclass
class SiteDesk:
    """A site under live rules; `on` while its questions are answered.

    What is `sure` parks a request; what is only `likely`, as its rules are not believed yet, has it come later, and so
    does what `later` defers.
    """

    generation: int = 0
    message: dict[str, Any] = field(default_factory=dict)
    """The student's, with the rules that hold now."""
    sure: Question | None = None
    likely: Question | None = None
    later: Normalizer | None = None
    filters: dict[str, frozenset[str]] = field(default_factory=dict)
    """The parameters of which `later` allows a few at a time, by the path of the script, empty where it is for none."""
    rules: list[LiveRule] = field(default_factory=list)
    on: bool = False
    canaries: Canaries = field(default_factory=Canaries)
    stopgaps: list[bytes] = field(default_factory=list)
    """Classes of which one request is to go, as what stands for them may be shown instead of any page."""
    _keyed: NumberSet = field(default_factory=NumberSet)
    """The addresses that were keyed under new rules so far."""

    @property
    def questions(self) -> list[Question]:
        """Those that there are."""
        return [one for one in (self.sure, self.likely) if one is not None]

    def class_of(self, url: str, kind: int) -> tuple[bytes, bool]:
        """Return the class of a request, and whether one of it is fetched already or under way."""
        if self.sure is None:
            return b"", False
        number = self.sure.number(url, kind)
        return number.to_bytes(8, "little"), self.sure.holds(number)

    def keyed(self, url: str, kind: int, own: str) -> None:
        """Note a page that was served before there were the rules of now; `own` is its address under the crawl's own.

        One of a class that was served already was held against it, as a canary is, when the rules were learned: under
        what a study finds no two pages that differ have one key.
        """
        address = hash((kind, own)) & _MASK or 1
        if self.sure is not None and address not in self._keyed and self.sure.number(url, kind) in self.sure.served:
            self.canaries.agreed(self.movers(url)[0], own)
        self._keyed.add(address)
        for question in self.questions:
            question.served.add(question.number(url, kind))

    def ready(self) -> None:
        """All that was served is keyed."""
        self._keyed.clear()
        self.on = bool(self.questions)

    def doubts(self, url: str, kind: int) -> bool:
        """Whether a request is likely for a page that was served, or is under way."""
        return self.on and self.likely is not None and self.likely.holds(self.likely.number(url, kind))

    def movers(self, url: str) -> tuple[tuple[str, ...], bool]:
        """Return the rules that change an address, and whether one was proven on real installations."""
        moving = moved_by(self.rules, url)
        return tuple(rule.id for rule in moving) or ("",), any(rule.proven for rule in moving)

    def defers(self, url: str) -> bool:
        """Whether a request comes behind the others by what it is: a list with more than one filter."""
        return self.later is not None and self.later.verdict(url)[1]

    def take_stopgaps(self, urls: Iterable[str]) -> None:
        """Take the student's addresses of pages that may be shown instead of any other; none that may do something."""
        if (sure := self.sure) is not None:
            safe = [url for url in urls if not speaks_of_action(url)]
            numbers = {sure.number(url, kind): None for url in safe for kind in [*sure.kinds]}
            self.stopgaps += [number.to_bytes(8, "little") for number in numbers]

    def untested(self) -> list[bytes]:
        """Return classes of which a request is to be fetched before the rules may give up the rest."""
        if self.sure is None:
            return []
        stopgaps, self.stopgaps = self.stopgaps, []
        return stopgaps + self.canaries.untested(self.sure.key)

    def take_later(self, table: dict[str, Any]) -> None:
        """Take the student's table of what comes behind the others."""
        self.later = Normalizer([table], "safe", check_examples=False)
        places = [*table.get("site", {}).values(), *table.get("host", {}).values()]
        rows = [row for place in places for row in (place, *place.get("where", ()))]
        # what was closed by them stays so where they are none any more, and is to be opened by the same
        for row in rows:
            path = str(row.get("path", ""))
            script = path if is_script(path.rpartition("/")[2]) else ""
            self.filters[script] = self.filters.get(script, frozenset()).union(row.get(LIMIT, {}).get("of", ()))


def filters_of(site: SiteDesk | None, origin: str) -> frozenset[str]:
    """Return the parameters of an origin or script of a site of which a few at a time are enough."""
    if site is None:
        return frozenset()
    path = "/" + "/".join(origin.split("/")[3:])
    return site.filters.get("", frozenset()) | site.filters.get(path, frozenset())


class Claimant(NamedTuple):
    """A request that was handed out: its number, site, address and kind."""

    number: int
    site: str
    url: str
    kind: int


def pattern_key(pattern: str) -> bytes:
    """Return the class under which what a closed pattern keeps back waits."""
    return hash_of(pattern, person=b"pattern")


def chance(url: str, what: bytes = b"canary") -> float:
    """A number from 0 to 1 that is an address's own, in every run."""
    return int.from_bytes(hash_of(url, 4, what), "little") / 0x1_0000_0000


def by_lot(priority: int, url: str) -> int:
    """Return the priority of an address that comes later: of those of one kind a lot says which comes first.

    So many pages in a row without news say something of those that still wait if they were drawn by lot: the last 35 of
    290 objects may be the only ones with a text, and be closed after the first 200.
    """
    return priority * _LOTS + int(_LOTS * chance(url, b"turn"))


_LOTS = 1_000
"""Requests of one kind that a lot puts into an order; of more some go by their age."""
_ACTIONS = (
    "log-?out", "log-?off", "sign-?out", "delete", "remove", "unsubscribe", "cancel", "subscribe", "(?:up|down)?vote",
    "add-?to-?cart", "checkout", "report", "ban",
)  # fmt: skip
# a word of its own: `ban` stands in "urban" and "bank" as well
_acts = re.compile(rf"(?<![a-z])(?:{'|'.join(_ACTIONS)})(?![a-z])").search
_target = re.compile("^[^/]+//[^/?]*").sub
_humps = re.compile("(?<=[a-z])(?=[A-Z])").sub


def speaks_of_action(url: str) -> bool:
    """Whether an address may do something, by a word of its path or query (`?do=delete`, `/removeItem`)."""
    return _acts(_humps("-", _target("", url, 1)).lower().replace("_", "-")) is not None
