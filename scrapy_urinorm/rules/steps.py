"""How many steps a regular expression may take at most on a text of n characters, and so how long a text may be.

The matcher of `re` tries one way after the other, without a limit and without a break. Each part of a pattern has
a number of *ways* in which it can end and a number of *steps* for trying them all; in a sequence what follows is tried
once for each way of what stands before it. Both are bounded from above, from the parse tree:

- a part in which each character decides alone how to go on is run through once. It has one way where what follows
  cannot begin with a character with which it could have gone on, else one for each length;
- the ways of a sequence multiply, those of a branch add up, a repeat has all sums of powers of its body's; an atomic
  group, a possessive repeat and an assertion have one;
- a search begins anew at each character; where no repeat reads a character with which the pattern may begin, no text
  is covered by more beginnings than the pattern is long.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from re import _constants as sre  # type: ignore[attr-defined]  # typeshed knows none of it
from re import _parser as sre_parser  # type: ignore[attr-defined]  # typeshed knows none of it
from typing import Any, NamedTuple

from scrapy_urinorm.rules.backtracking import ALL, MANY, REPEATS, Positions, bodies_of, characters_of

Cost = Callable[[float], tuple[float, float]]

#: A bound of so many steps was at most 14 ms for some thousand random patterns on the texts that they like least.
MAX_STEPS = 1_000_000
_ASSERTIONS = (sre.ASSERT, sre.ASSERT_NOT)
_UNBOUNDED = (*_ASSERTIONS, sre.GROUPREF, sre.GROUPREF_EXISTS)


#: What may follow where the text, or a line of it, ends.
_ENDS = {sre.AT_END: 1 << ord("\n"), sre.AT_END_STRING: 0}


class _After(NamedTuple):
    """What follows a part: the characters it may begin with, whether it may be empty, what it costs to see it fail."""

    first: int
    empty: bool
    cost: int


_ANYTHING = _After(ALL, empty=True, cost=0)
_END = _After(0, empty=False, cost=1)


def longest(pattern: str, flags: int, *, full: bool, most: int) -> int:
    """The length of the longest text, up to `most`, that `pattern` is sure to be done with in `MAX_STEPS`."""
    steps = bound(pattern, flags, full=full)
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if steps(middle) <= MAX_STEPS else (low, middle - 1)
    return low


def bound(pattern: str, flags: int = 0, *, full: bool = True) -> Callable[[int], float]:
    """A function from the length of a text to a number of steps that a match, or a search for all, never exceeds."""
    tree = list(sre_parser.parse(pattern, flags))
    positions = Positions()
    part = positions.sequence(tree)
    nodes = _nodes(tree)
    if full and positions.decided(part) and not _holds(tree, _UNBOUNDED):
        return lambda n: 2 + (n + 1) * (nodes + 2)
    cost = _sequence(tree, _END if full else _ANYTHING)
    if full or tree[:1] in ([(sre.AT, sre.AT_BEGINNING)], [(sre.AT, sre.AT_BEGINNING_STRING)]):
        return lambda n: cost(n)[1]
    if part.empty or _holds(tree, _ASSERTIONS) or positions.characters(part.first) & _repeated_characters(tree):
        return lambda n: (n + 1) * cost(n)[1]

    def apart(n: int) -> float:
        # beginnings of any lengths that cover the text at most so often; the factor 2 is for lengths in between
        each = 2 * max(cost(1 << power)[1] / (1 << power) for power in range(n.bit_length() + 1))
        return min((n + 1) * cost(n)[1], (n + 1) * (nodes + (len(positions) + 1) * each))

    return apart


def _look(_: float) -> tuple[float, float]:
    """What it costs to see whether the text ends."""
    return 1, 1


def _sequence(items: list[Any], after: _After) -> Cost:
    costs: list[Cost] = []
    for item in reversed(items):
        if item[0] is sre.AT and item[1] in _ENDS:
            costs.append(_look)
            after = _After(_ENDS[item[1]], empty=False, cost=1)
            continue
        costs.append(_item(item, after))
        if _holds([item], _ASSERTIONS):
            # it may read on for long before what follows it fails at its first character
            after = _ANYTHING
            continue
        positions = Positions()
        part = positions.sequence([item])
        first = positions.characters(part.first)
        cost = _nodes([item]) + (after.cost if part.empty else 0)
        after = _After(first | after.first, after.empty, cost) if part.empty else _After(first, empty=False, cost=cost)

    def of(n: float) -> tuple[float, float]:
        ways = steps = 1.0
        for cost in costs:
            more, own = cost(n)
            ways, steps = _times(ways, more), own + _times(more, steps)
        return ways, steps

    return of


def _item(item: Any, after: _After) -> Cost:
    op, argument = item
    positions = Positions()
    part = positions.sequence([item])
    least, most = _widths([item])
    if positions.decided(part) and not _holds([item], _UNBOUNDED):
        nodes = _nodes([item])
        apart = least == most or not (after.empty or positions.after(part) & after.first)
        fails = after.cost if apart and least < most else 0
        return lambda n: (1 if apart else max(1, min(n, most) - least + 1), 2 + min(n + 1, most) * (nodes + 2 + fails))
    if op in REPEATS:
        return _repeat(op, argument, after)
    if op is sre.GROUPREF:
        return lambda n: (1, n + 1)
    alone = op in (*_ASSERTIONS, sre.ATOMIC_GROUP)
    costs = [_sequence(list(body), _ANYTHING if alone else after) for body in bodies_of(op, argument)]

    def of(n: float) -> tuple[float, float]:
        found = [cost(n) for cost in costs]
        return (
            1 if alone else sum(ways for ways, _ in found) + (op is sre.GROUPREF_EXISTS),
            1 + sum(steps for _, steps in found),
        )

    return of


def _repeat(op: Any, argument: Any, after: _After) -> Cost:
    low, high, body = argument[0], _number(argument[1]), list(argument[2])
    positions = Positions()
    part = positions.sequence(body)
    first = positions.characters(part.first)
    least = _widths(body)[0]
    follows = after if high <= 1 else _After(first | after.first, after.empty or bool(part.empty), after.cost + 1)
    cost = _sequence(body, _ANYTHING if part.empty else follows)
    one_end = not (part.empty or after.empty or first & after.first)

    def of(n: float) -> tuple[float, float]:
        ways, steps = cost(n)
        # an empty round ends a repeat, but for those that it must have
        times = min(high, max(low, n // max(1, least) + 1))
        if ways <= 1:
            ends = 1.0 if one_end else times - low + 1
            return (1 if op is sre.POSSESSIVE_REPEAT else ends), 1 + (times + 1) * (steps + 3 + after.cost)
        # ways > 1, so each power is at least twice the one before it, and the last at least half of the sum
        ends = 2 * _power(ways, times)
        return (1 if op is sre.POSSESSIVE_REPEAT else ends), 1 + _times(2 * _power(ways, times - 1), steps + 1) + ends

    return of


def _widths(items: Any) -> tuple[float, float]:
    """The fewest and the most characters that a part reads."""
    if _holds(items, (sre.GROUPREF,)):
        # the parser knows how wide a group is only in the pattern that the group stands in
        return 0, math.inf
    least, most = sre_parser.SubPattern(sre_parser.State(), items).getwidth()
    return _number(least), _number(most)


def _number(width: Any) -> float:
    return math.inf if width is sre.MAXREPEAT or width >= sre.MAXREPEAT else width


def _power(base: float, exponent: float) -> float:
    return math.inf if exponent * math.log(base) > 300 else base**exponent


def _times(one: float, other: float) -> float:
    return one * other if one and other else 0.0


def _nodes(items: Any) -> int:
    """The constructs of a pattern: no more are looked at where it fails at its first character."""
    return sum(
        len(argument) if op is sre.IN else 1 + sum(map(_nodes, bodies_of(op, argument))) for op, argument in items
    )


def _holds(items: Any, wanted: tuple[Any, ...]) -> bool:
    return any(op in wanted or any(_holds(b, wanted) for b in bodies_of(op, argument)) for op, argument in items)


def _repeated_characters(items: Any, *, inside: bool = False) -> int:
    """All that repeats without a small limit may read; what a back reference reads counts as all."""
    found = 0
    for op, argument in items:
        characters = characters_of(op, argument)
        if op is sre.GROUPREF:
            return ALL
        if characters is not None:
            found |= characters if inside else 0
            continue
        deeper = inside or (op in REPEATS and _number(argument[1]) > MANY)
        for body in bodies_of(op, argument):
            found |= _repeated_characters(body, inside=deeper)
    return found
