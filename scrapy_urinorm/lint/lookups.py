"""What lint looks up for each of many entries: names that others cover or touch, and what is worked out once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from scrapy_urinorm.rules import CATALOGUE, Rule

if TYPE_CHECKING:
    from scrapy_urinorm.rules.kinds import Name, NameTable
    from scrapy_urinorm.rulesets.scopes import Body

_P = ParamSpec("_P")
_T = TypeVar("_T")


def of_catalogue(made: Callable[_P, _T]) -> Callable[_P, _T]:
    """Remember what follows from the catalogue of rules, which each table asks for, while it has the same rules."""
    known: dict[Any, tuple[tuple[Rule, ...], _T]] = {}

    def asked(*given: _P.args, **_: _P.kwargs) -> _T:
        rules = tuple(CATALOGUE.values())
        found = known.get(given)
        if found is None or found[0] != rules:
            found = known[given] = rules, made(*given, **_)
        return found[1]

    return asked


def once(made: Callable[[Body, str], _T]) -> Callable[[Body, str], _T]:
    """Remember what is made of a table and a rule: each of a hundred thousand entries may ask for it."""
    known: dict[tuple[int, str], tuple[Body, _T]] = {}

    def asked(body: Body, rule: str) -> _T:
        found = known.get((id(body), rule))
        if found is None:
            if len(known) > 1000:
                known.clear()
            # the table is kept beside the result, so that no other object can get its id
            found = known[id(body), rule] = body, made(body, rule)
        return found[1]

    return asked


@functools.lru_cache(65536)
def overlap(one: str, two: str) -> bool:
    """Whether two globs (`*` alone is special) have a name in common; case does not count."""
    one, two = one.lower(), two.lower()
    if "*" not in one + two:
        return one == two
    reached = {(0, 0)}
    todo = [(0, 0)]
    while todo:
        a, b = todo.pop()
        if a == len(one) and b == len(two):
            return True
        steps = []
        if one[a : a + 1] == "*":
            steps += [(a + 1, b)] + [(a, b + 1)] * (b < len(two))
        if two[b : b + 1] == "*":
            steps += [(a, b + 1)] + [(a + 1, b)] * (a < len(one))
        if a < len(one) and b < len(two) and one[a] == two[b]:
            steps.append((a + 1, b + 1))
        for step in steps:
            if step not in reached:
                reached.add(step)
                todo.append(step)
    return False


class Touching:
    """Whether one of many globs has a name in common with another: exact names are looked up, not tried."""

    def __init__(self, names: Iterable[str]):
        self._exact: set[str] = set()
        self._globs: list[str] = []
        for name in names:
            if "*" in name:
                self._globs.append(name)
            else:
                self._exact.add(name.lower())

    def __call__(self, name: str) -> bool:
        """Whether any of them has; case does not count."""
        if "*" not in name and name.lower() in self._exact:
            return True
        return any(overlap(one, name) for one in (*self._globs, *(self._exact if "*" in name else ())))


def covering(table: NameTable, entry: Name, leaving: Callable[[Name], bool] | None = None) -> Name | None:
    """The entry of a list that takes everything that `entry` takes; an exception in between ends the search.

    Entries that `leaving` says yes to count as if they were not there.
    """
    near = table[entry.name]
    for other in near:
        if leaving is not None and leaving(other):
            continue
        if other.keep:
            return None
        same_guard = other.value is None or (entry.value is not None and entry.value.text == other.value.text)
        if same_guard and bool(other.match(entry.name.swapcase())) >= bool(entry.match(entry.name.swapcase())):
            return other
    return None
