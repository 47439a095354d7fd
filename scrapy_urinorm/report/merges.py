"""What each rule merged: how often, which pairs of addresses agree in content and which do not, and the risk."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.content import FAR_SHARE as FAR
from scrapy_urinorm.content import NEAR_SHARE as NEAR
from scrapy_urinorm.learn.evidence.risk import risk
from scrapy_urinorm.report.columns import MAX_TEXT
from scrapy_urinorm.report.content import resemblances
from scrapy_urinorm.url import Item, decoded, items_of

if TYPE_CHECKING:
    from scrapy_urinorm.normalizer import Normalizer
    from scrapy_urinorm.report.figures import Figures

CHANGED = 10_000
"""Changed addresses that are explained at the most; the counts are scaled up from them."""
GROUPS = 2_000
"""Merged groups that are looked into at the most, suspicious ones first."""
MEMBERS = 10
MAX_NAMES = 8
EXAMPLES = 5
ORDERLY = frozenset(("safe", "sort_query"))
"""Steps that every key takes, with or without rules."""
AGREES, DIFFERS, UNDECIDED = "agrees", "differs", "undecided"


class RuleName(NamedTuple):
    """One rule as it acts: its name, where it is written and the parameter that it concerned, if any."""

    rule: str
    scope: str
    source: str
    name: str


@dataclass(slots=True)
class Record:
    """What was seen of a rule."""

    changed: float = 0
    avoided: float = 0
    agrees: int = 0
    differs: int = 0
    undecided: int = 0
    examples: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))


class Merges:
    """The merges of the rules of a report; `rules` and `suspicious` are ready to be shown."""

    def __init__(self, figures: Figures, normalizer: Normalizer, *, table: str = "visit") -> None:
        self._figures = figures
        self._table = table
        self._normalizer = normalizer
        self._records: dict[RuleName, Record] = defaultdict(Record)
        self._memo: dict[str, tuple[RuleName, ...]] = {}
        self.groups = 0
        self.examined = 0
        self.explained = 0
        self.lost = 0
        self.suspicious: list[dict[str, Any]] = []
        self._changed = self._sample()
        self._members = self._merged()

    def wanted(self) -> set[int]:
        """The visits whose texts are to be given to `look`."""
        return {row["n"] for row in (*self._changed, *self._members)}

    def look(self, texts: Mapping[int, dict[str, Any]]) -> None:
        """Explain and compare, now that the texts are known."""
        self._count_changed(texts)
        for _, group in groupby(self._members, key=lambda row: row["key"]):
            self.examined += 1
            self._look_into([{**row, **texts[row["n"]]} for row in group])
        self.suspicious.sort(key=lambda group: (-group["lost"], group["least"], -group["urls"], group["key"]))

    def rules(self) -> list[dict[str, Any]]:
        """The rules with what they did, the riskiest first."""
        rows = []
        for name, record in self._records.items():
            rows.append({
                **name._asdict(),
                "scope": name.scope.replace("'", '"'),
                "changed": round(record.changed),
                "avoided": round(record.avoided),
                "agrees": record.agrees,
                "differs": record.differs,
                "undecided": record.undecided,
                "risk": round(risk(record.agrees, record.differs), 4) if record.agrees + record.differs else None,
                "examples": {kind: record.examples[kind] for kind in (DIFFERS, AGREES, UNDECIDED)},
            })  # fmt: skip
        return sorted(rows, key=lambda row: (-(row["differs"] > 0), -row["avoided"], -row["changed"], row["rule"]))

    def wrong(self) -> dict[RuleName, dict[str, Any]]:
        """The rules that made one what differs, each with an example."""
        return {name: record.examples[DIFFERS][0] for name, record in self._records.items() if record.examples[DIFFERS]}

    def _sample(self) -> list[dict[str, Any]]:
        """A sample of the changed addresses, drawn by their hash."""
        sql = f"select n, kept from {self._table} where changed order by hash(n), n limit ?"
        return self._figures.select(sql, [CHANGED])

    def _count_changed(self, texts: Mapping[int, dict[str, Any]]) -> None:
        changed = self._figures.db.execute(f"select count(*) from {self._table} where changed").fetchall()[0][0]
        self.explained = len(self._changed)
        weight = changed / self.explained if self.explained else 0
        for row in self._changed:
            for name in self._rules(texts[row["n"]]["url"]):
                record = self._records[name]
                record.changed += weight
                record.avoided += weight * (not row["kept"])

    def _rules(self, url: str) -> tuple[RuleName, ...]:
        found = self._memo.get(url)
        if found is None:
            if len(url) >= MAX_TEXT:
                return ()
            steps = self._normalizer.explain(url).steps
            found = self._memo[url] = tuple(
                dict.fromkeys(
                    RuleName(step.rule, step.scope, step.source, name)
                    for step in steps
                    if step.rule not in ORDERLY
                    for name in _names(step.before, step.after)
                )
            )
        return found

    def _responsible(self, one: str, other: str) -> list[RuleName]:
        """The rules that took away what tells two addresses apart; all that acted, where none of them did it alone."""
        mine, theirs = self._rules(one), self._rules(other)
        acted, both = list(dict.fromkeys((*mine, *theirs))), set(mine) & set(theirs)
        items, others = items_of(one), items_of(other)
        same_path = one.partition("?")[0] == other.partition("?")[0]
        found = []
        for name in acted:
            if name.name:
                unlike = _values(items, name.name) != _values(others, name.name)
            else:
                unlike = name not in both or not same_path
            if unlike:
                found.append(name)
        return found or acted

    def _merged(self) -> list[dict[str, Any]]:
        """Some members of the groups of one key, those of different contents first."""
        figures = self._figures
        figures.db.execute(
            f"""
            create or replace temp table merged as
            select key, min(ident) <> max(ident) mixed, count(*) requests, min(n) as start from {self._table}
            where kind = 0 group by key having min(bare) <> max(bare)
            """
        )
        self.groups = figures.db.execute("select count(*) from merged").fetchall()[0][0]
        return figures.select(
            """
            with chosen as (
                select * from merged order by mixed desc, requests desc, start limit $groups
            ), first as (
                select key, bare, any_value(mixed) mixed, any_value(requests) requests,
                       any_value(start) as start, min(n) n,
                       arg_min(ident, n) ident, arg_min(label is not null, n) told, bool_or(weak) weak,
                       bool_or(kept) kept, min(ident) <> max(ident) unsteady
                from $visit join chosen using (key) where kind = 0 group by key, bare
            ), ranked as (
                select *, row_number() over (partition by key, ident order by n) again,
                       count(*) over (partition by key) urls
                from first
            )
            select * from ranked qualify row_number() over (partition by key order by again, n) <= $members
            order by mixed desc, requests desc, start, n
            """.replace("$groups", str(GROUPS))
            .replace("$members", str(MEMBERS))
            .replace("$visit", self._table)
        )

    def _look_into(self, members: list[dict[str, Any]]) -> None:
        """Compare the members of one group with the one that stands for it."""
        first = _representative(members, self._normalizer)
        rest = [member for member in members if member is not first]
        near = resemblances([first["sketch"]] * len(rest), [member["sketch"] for member in rest])
        pairs = [(member, _outcome(first, member, share), share) for member, share in zip(rest, near, strict=True)]
        cleared = {
            name
            for member, outcome, _ in pairs
            if outcome == AGREES
            for name in self._responsible(first["url"], member["url"])
        }
        suspects: set[RuleName] = set()
        for member, outcome, share in pairs:
            names = self._responsible(first["url"], member["url"])
            if outcome == DIFFERS:
                names = [name for name in names if name not in cleared] or names
                suspects.update(names)
            example = {"a": first["url"], "b": member["url"], "alike": _rounded(share, outcome)}
            for name in names:
                record = self._records[name]
                setattr(record, outcome, getattr(record, outcome) + 1)
                if len(record.examples[outcome]) < EXAMPLES and member["length"] < MAX_TEXT:
                    record.examples[outcome].append(example)
        different = [(member, share) for member, outcome, share in pairs if outcome == DIFFERS]
        if not different:
            return
        lost = len({member["ident"] for member, _ in different if not member["kept"]})
        self.lost += lost
        self.suspicious.append({
            "key": self._normalizer.explain(first["url"]).key,
            "urls": first["urls"],
            "requests": first["requests"],
            "lost": lost,
            "least": min(_rounded(share, DIFFERS) or 0 for _, share in different),
            "unsteady": any(member["unsteady"] for member in members),
            "rules": sorted({f"{name.rule} {name.name}".rstrip() for name in suspects}),
            "members": [
                {"url": first["url"], "alike": None},
                *({"url": member["url"], "outcome": outcome, "alike": _rounded(share, outcome)}
                  for member, outcome, share in sorted(pairs, key=lambda pair: pair[1] != DIFFERS)[:6]),
            ],
        })  # fmt: skip


def _outcome(one: dict[str, Any], other: dict[str, Any], share: float | None) -> str:
    """The outcome of comparing two pages, as the learner decides it."""
    if not (one["told"] and other["told"]):
        return UNDECIDED
    if one["ident"] == other["ident"]:
        return AGREES
    if one["weak"] or other["weak"] or one["unsteady"] or other["unsteady"]:
        return UNDECIDED
    if share is None or share < FAR:
        return DIFFERS
    return AGREES if share >= NEAR else UNDECIDED


def _rounded(share: float | None, outcome: str) -> float | None:
    """The likeness as shown; the sketches of equal pages see a frame that the comparison leaves out."""
    return None if share is None or outcome == AGREES else round(share, 2)


def _representative(members: Sequence[dict[str, Any]], normalizer: Normalizer) -> dict[str, Any]:
    """The member of the commonest content; among these one that no rule changes, then the shortest."""
    counts = Counter(member["ident"] for member in members)
    return min(members, key=lambda m: (-counts[m["ident"]], bool(normalizer.changed_by(m["url"])), m["length"], m["n"]))


def _names(before: str, after: str) -> list[str]:
    """The parameters that a step took away or changed, for people; one empty text where it is about none."""
    gone = Counter(items_of(before)) - Counter(items_of(after))
    return sorted({decoded(name) for name, _ in gone})[:MAX_NAMES] or [""]


def _values(items: Sequence[Item], name: str) -> list[str]:
    return sorted(value for found, value in items if decoded(found) == name)
