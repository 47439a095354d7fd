"""Shapes of URLs: what a site's addresses look like, with what stands in the open places of each."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.learn.evidence.candidate import SKIP, Candidate, on_host
from scrapy_urinorm.learn.evidence.risk import TRACKER_PRIOR, name_prior
from scrapy_urinorm.learn.pages.values import (
    are_newest_and_older,
    are_numbers,
    chooses_tree,
    names_release,
    names_tree,
    roots_tree,
)
from scrapy_urinorm.url import decoded, decoded_segment

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.judge import Evidence
    from scrapy_urinorm.learn.options import Options
    from scrapy_urinorm.learn.pages.contexts import Contexts
    from scrapy_urinorm.learn.pages.view import View

_LETTER = re.compile(r"[^\W\d_]")
_is_number = re.compile("-?[0-9]{1,9}").fullmatch
_DATE = re.compile("(?<=/)(?:1[89]|2[01])[0-9]{2}/(?:0?[1-9]|1[0-2])(?:/(?:0?[1-9]|[12][0-9]|3[01]))?(?=/|$)")
MAX_VALUES = 200
"""Values of a parameter that are looked at for what it asks for."""
MAX_NAMES = 20
"""Names of parameters by which shapes are told apart, those of most pages."""


class Shape(NamedTuple):
    """The form of a URL: host, path with `*`, and each parameter with a value of a closed set or `*`."""

    host: str
    path: str
    query: tuple[tuple[str, str | None], ...]

    def order(self, count: int, *, several: bool = False) -> tuple[Any, ...]:
        """Sort key from the least to the most canonical: more parameters and wildcards, names below one, fewer URLs.

        Before all of these comes whether a page has `several` addresses of the shape, as a topic has by its posts.
        """
        wild = self.path.count("*") + sum(value is None for _, value in self.query)
        below = sum(map(bool, self.path.partition("*")[2].split("/")[1:]))
        shown = -len(self.query), -wild, -self.path.count("/"), -below
        return not several, *shown, count, self.host, self.path, str(self.query)

    @property
    def is_open(self) -> bool:
        """Whether it has places with many texts: else it is one address."""
        return "*" in self.path or any(value is None for _, value in self.query)

    def literals(self) -> frozenset[str]:
        """The segments that are the same in all addresses of the shape."""
        return frozenset(segment for segment in self.path.split("/") if segment and "*" not in segment)

    def trees(self) -> frozenset[str]:
        """Those of them that may be the roots of versions or languages, or name one below what the page is."""
        segments = self.path[1:].split("/")
        if "*" not in self.path:
            segments.pop()
        return frozenset(s for at, s in enumerate(segments) if "*" not in s and roots_tree(at, decoded_segment(s)))

    def variant(self, asking: AbstractSet[str] = frozenset()) -> frozenset[str]:
        """What may name a version or a language in the name of the host, as an extension, and in the query, whose
        parameters are `asking` for one.
        """
        _, dot, extension = self.path.rpartition("/")[2].rpartition(".")
        asked = (
            f"{name}={value}" for name, value in self.query if name in asking or names_release(decoded(value or ""))
        )
        return frozenset((*filter(names_tree, (*self.host.split("."), *([extension] if dot else ()))), *asked))

    def may_stand_for(self, other: Shape) -> bool:
        """Whether pages of another shape, whose `variant` is the same, are found here: those of another version or
        language are others, and a page is what its views are of, be it `/x/index.html` or `/x/print`. `/x` and `/x/`
        may have other relative links.
        """
        if self.host == other.host and self.path.rstrip("/") == other.path.rstrip("/") and self.path != other.path:
            return False
        if "*" in other.path and self.path.startswith(folder := other.path.rstrip("/") + "/"):
            view = self.path.removeprefix(folder)
            if view and "*" not in view and self.host == other.host:
                return False
        if self == other or not other.trees() <= self.literals():
            return False
        if self.path == other.path and self.has_another_number(other):
            return False
        return self.trees() == other.trees() or self._below() != other._below()

    def has_another_number(self, other: Shape) -> bool:
        """Whether one parameter is a number here and another there, or names what is newest and an older state: two
        months are no spellings of one.
        """
        theirs = dict(other.query)
        both = [(value, theirs.get(name) or "") for name, value in self.query if value]
        return any(are_numbers(values) or are_newest_and_older(map(decoded, values)) for values in both)

    def _below(self) -> tuple[str, tuple[tuple[str, str | None], ...]]:
        """What remains without such roots: `/page/*` of `/de/page/*`."""
        trees = self.trees()
        return "/".join(s for s in self.path.split("/") if s not in trees), self.query

    def outline(self) -> tuple[str, str, tuple[str, ...]]:
        """The shape without numbers and values: a permalink is of one outline, whatever its year and month."""
        folded = ("*" if "*" in segment or segment.isdigit() else segment for segment in self.path.split("/"))
        return self.host, "/".join(folded), tuple(name for name, _ in self.query)


class Shapes:
    """The views of a site by shape, and what stands in the open places of each.

    With `open_dates` a date in the path is an open place, too, with the numbers in the query, where there are such
    (`/2026/11/28/?next=3`): few months, days and steps from there would make a shape of each address.
    """

    def __init__(
        self,
        views: Sequence[View],
        contexts: Contexts,
        soft: frozenset[int],
        options: Options,
        scope: str,
        *,
        open_dates: bool = False,
    ) -> None:
        self.views = views
        self.soft = soft
        self.options = options
        self.scope = scope
        self.contexts = contexts
        self.open_dates = open_dates
        self.shape: list[Shape] = []
        self.slots: list[list[str]] = []
        self.of: dict[Shape, list[int]] = defaultdict(list)
        for n, view in enumerate(views):
            shape, slots = self._read(view)
            self.shape.append(shape)
            self.slots.append(slots)
            self.of[shape].append(n)
        self._names: dict[str, Counter[str]] | None = None
        self._affixes: dict[Shape, list[tuple[str, str]]] = {}

    @cached_property
    def asking(self) -> frozenset[str]:
        """The parameters that ask for a version or a language."""
        values: dict[str, set[str]] = defaultdict(set)
        for view in self.views:
            for name, value in view.items:
                if len(values[name]) < MAX_VALUES:
                    values[name].add(value)
        priors = {name: name_prior(decoded(name)) for name in values}
        return frozenset(
            name
            for name, texts in values.items()
            if priors[name] < TRACKER_PRIOR and chooses_tree(decoded(name), map(decoded, texts))
        )

    def ranked(self) -> list[tuple[Shape, list[int]]]:
        """Return the shapes with their views, those of most views first."""
        return sorted(self.of.items(), key=lambda item: (-len(item[1]), item[0].order(len(item[1]))))

    def _read(self, view: View) -> tuple[Shape, list[str]]:
        enums = self.contexts.enums
        query = tuple((name, value if value in enums.get(name, ()) else None) for name, value in view.items)
        template = self.contexts.template(view)
        if self.open_dates and (date := _DATE.search(view.path)) is not None:
            numbers = tuple((name, None if value is None or _is_number(value) else value) for name, value in query)
            if any(_is_number(value) for _, value in view.items):
                query, template = numbers, _without(template, date)
        slots = [
            decoded_segment(segment)
            for shown, segment in zip(template.split("/"), view.path.split("/"), strict=True)
            if shown != segment
        ]
        slots += [decoded(value) for (_, value), (_, shown) in zip(view.items, query, strict=True) if shown is None]
        return Shape(view.host, template, query), slots

    def affixes(self, shape: Shape) -> list[tuple[str, str]]:
        """Return what all values in each open place of a shape begin and end with, up to a boundary."""
        found = self._affixes.get(shape)
        if found is None:
            columns = zip(*(self.slots[n] for n in self.of[shape][:300]), strict=True)
            found = self._affixes[shape] = [_affix(list(column)) for column in columns]
        return found

    def variables(self, n: int) -> list[str]:
        """Return what varies in the open places of a view."""
        shape = self.shape[n]
        out = []
        for slot, (head, tail) in zip(self.slots[n], self.affixes(shape), strict=True):
            out.append(slot[len(head) : len(slot) - len(tail)] if len(slot) > len(head) + len(tail) else "")
        return out

    def skip(self, shape: Shape, evidence: Evidence, family: str, why: str) -> Candidate:
        """Return the rule that skips the addresses of a shape."""
        candidate = on_host(self.contexts, shape.host, self.scope, SKIP, True, evidence, family, why)
        candidate.conditions = self.where(shape)
        return candidate

    def text(self, shape: Shape, binding: tuple[int, ...] | None) -> str:
        """Return a shape in the grammar of `template`, its open places named by their number in the source."""
        names = [f"{{x{i + 1}}}" for i in (binding if binding is not None else range(len(self.affixes(shape))))]
        filled = [head + name + tail for name, (head, tail) in zip(names, self.affixes(shape), strict=True)]
        segments = [filled.pop(0) if s == "*" or s.startswith("*.") else s for s in shape.path.split("/")]
        items = [f"{decoded(n)}={filled.pop(0) if v is None else decoded(v)}" for n, v in shape.query]
        return "/".join(segments) + ("?" + "&".join(items) if items else "")

    def where(self, shape: Shape) -> dict[str, Any]:
        """Return the conditions that a shape and nothing else seen at its path meets."""
        query: dict[str, Any] = {}
        for name, value in shape.query:
            if value is not None:
                query[decoded(name)] = decoded(value)
            else:
                texts = {decoded(v) for n in self.of[shape] for k, v in self.views[n].items if k == name}
                query[decoded(name)] = {"matches": "[0-9]+"} if all(re.fullmatch("[0-9]+", t) for t in texts) else True
        if "*" not in shape.path:
            names = {name for name, _ in shape.query}
            query |= {decoded(n): False for n in self._names_at(shape.path) if n not in names}
        return {"path": shape.path, **({"query": query} if query else {})}

    def _names_at(self, path: str) -> list[str]:
        """The commonest parameters at a path, those that a rule has since taken away included."""
        if self._names is None:
            self._names = defaultdict(Counter)
            for view in self.views:
                for page in view.pages:
                    head, _, query = page.key.partition("?")
                    names = {item.partition("=")[0] for item in query.split("&") if item}
                    self._names["/" + head.partition("://")[2].partition("/")[2]].update(names)
        ranked = sorted(self._names[path].items(), key=lambda item: (-item[1], item[0]))
        return [name for name, _ in ranked[:MAX_NAMES]]


def _without(template: str, date: re.Match[str]) -> str:
    first = date.string.count("/", 0, date.start())
    last = first + date[0].count("/")
    return "/".join("*" if first <= at <= last else shown for at, shown in enumerate(template.split("/")))


def _common_start(values: Sequence[str]) -> str:
    low, high = min(values), max(values)
    same = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))
    return low[:same]


def _affix(values: list[str]) -> tuple[str, str]:
    if len(values) < 2:
        return "", ""
    head = _common_start(values)
    head = head[: len(head) - len(re.search(r"[^\W_]*$", head)[0])]  # type: ignore[index]  # matches every text
    tail = _common_start([value[len(head) :][::-1] for value in values])[::-1]
    tail = tail[len(re.match(r"[^\W_]*", tail)[0]) :]  # type: ignore[index]  # matches every text
    # that all dates seen are of one year is chance
    return head if _LETTER.search(head) else "", tail if _LETTER.search(tail) else ""
