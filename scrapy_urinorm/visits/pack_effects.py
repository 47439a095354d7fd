"""What a pack would do to the addresses of a site, line by line, and whether the pages that it makes one are one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.content import DIFFERENT, NEAR, UNKNOWN, are_apart, compare
from scrapy_urinorm.content.compare import NEAR_SHARE, resemblance
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.rulesets import platforms

if TYPE_CHECKING:
    from scrapy_urinorm.content.compare import Shown
    from scrapy_urinorm.rulesets.platforms import Line, LineTable, Use

#: Addresses of a site that are tried: enough for every line to meet its own, and done in seconds.
MOST_TRIED = 20_000
#: Pages visited twice from which a site is said to differ from itself: fewer may be news; chosen.
FEWEST_TWICE = 10


class Address(NamedTuple):
    """An address and the page that was seen there, where its content is known; `steady` is how much the texts of two
    visits resembled each other at the least, None where there was one.
    """

    url: str
    page: Shown | None = None
    steady: float | None = None


def self_likeness(addresses: Iterable[Address]) -> float | None:
    """How much pages that differ from themselves on each visit resemble themselves at the least.

    None where most of those that were visited twice do not, or too few were.
    """
    seen = sorted(one.steady for one in addresses if one.steady is not None)
    return seen[0] if len(seen) >= FEWEST_TWICE and seen[len(seen) // 2] < NEAR_SHARE else None


def differ_like_one(likeness: float | None, one: Address, other: Address) -> bool:
    """Whether two pages of different texts differ no more than such pages do from themselves."""
    if likeness is None or one.page is None or other.page is None or not (one.page.sketches and other.page.sketches):
        return False
    return resemblance(one.page.sketches[0], other.page.sketches[0]) >= likeness


class LineEffect(NamedTuple):
    """What one line does alone, the query being split as the pack says: to how many of the `urls`, and to which for
    example.

    Of the addresses that it makes one, `agree` have shown the content of the first of their key, `against` another, or
    under a line on sessions one that has nothing to do with it; of the rest nothing is known. `counterexample` is a
    pair of the latter. `unsteady` differ no more than the line's pages do from themselves: it may be another page or
    not.
    """

    line: Line
    urls: int
    agree: int
    against: int
    example: str | None
    counterexample: tuple[str, str] | None
    unsteady: int = 0


class Effect(NamedTuple):
    """What a pack does at a place to addresses of `urls` different keys: how many they have `after`, those that are
    requested last (`deferred`) counted, those that are not requested (`skipped`) not.
    """

    urls: int
    after: int
    skipped: int
    deferred: int
    lines: tuple[LineEffect, ...]

    @property
    def is_accused(self) -> bool:
        """Whether lines that say that nothing is lost have made another page one with the first."""
        return any(one.against and one.line.kind in platforms.HARMLESS for one in self.lines)


def site_rules(site: str, table: dict[str, Any]) -> dict[str, Any]:
    """The rule source of one table for a host; one with a port has its own kind of table."""
    return {"host" if ":" in site.rpartition("]")[2] else "site": {site: table}}


def effect(use: Use, site: str, addresses: Iterable[Address], preset: str | None = None) -> Effect:
    """Return what the lines of a pack do to addresses of a site, together and each alone."""
    bare = Normalizer(preset=preset)
    tried: dict[str, Address] = {}
    for address in addresses:
        if len(tried) >= MOST_TRIED:
            break
        key = bare.key(address.url)
        if key not in tried or tried[key].page is None:
            tried[key] = address
    together = Normalizer(site_rules(site, platforms.bound(use)[0]), preset)
    decisions = [together.decide(address.url) for address in tried.values()]
    lines = platforms.line_tables(use)
    splits = platforms.splitting(one.table for one in lines)
    return Effect(
        len(tried),
        len({one.key for one in decisions if not one.skip}),
        sum(one.skip for one in decisions),
        sum(one.defer and not one.skip for one in decisions),
        tuple(_alone(one, site, splits, preset, tried.values()) for one in lines),
    )


def _alone(
    one: LineTable, site: str, splits: Mapping[str, Any], preset: str | None, tried: Iterable[Address]
) -> LineEffect:
    line, table = one
    before = {key: value for key, value in splits.items() if key not in table}
    plain = Normalizer(site_rules(site, before), preset)
    normalizer = Normalizer(site_rules(site, {**before, **table}), preset)
    touched: list[str] = []
    groups: defaultdict[str, dict[str, Address]] = defaultdict(dict)
    for address in tried:
        key, decision = plain.key(address.url), normalizer.decide(address.url)
        if decision.skip or decision.defer or decision.key != key:
            touched.append(address.url)
        if not decision.skip and address.page is not None and address.page.label >= 0:
            groups[decision.key].setdefault(key, address)
    agree = unsteady = 0
    against = []
    merged = [[*members.values()] for members in groups.values() if len(members) > 1]
    likeness = self_likeness(address for members in merged for address in members)
    for first, *others in merged:
        for other in others:
            outcome, differs = _outcome(line, first, other)
            agree += outcome >= NEAR
            if differs and differ_like_one(likeness, first, other):
                unsteady += 1
            elif differs:
                against.append((first.url, other.url))
    example, counterexample = min(touched, key=len, default=None), next(iter(against), None)
    return LineEffect(line, len(touched), agree, len(against), example, counterexample, unsteady)


def _outcome(line: Line, one: Address, other: Address) -> tuple[int, bool]:
    """What comparing the pages of two addresses gives, and whether that speaks against the line."""
    if one.page is None or other.page is None:
        return UNKNOWN, False
    outcome = compare(one.page, other.page)
    return outcome, are_apart(one.page, other.page) if line.kind == platforms.SESSION else outcome == DIFFERENT
