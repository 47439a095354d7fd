"""Whether a regular expression could take exponential time.

That needs a repeat whose iterations can read one text in several ways. Sound, not complete: a repeat passes when each
character of the text decides alone how to go on, which is what Brueggemann-Klein and Wood (1998) call one-unambiguous.
So ``(?:/[^/]+)+`` passes, and ``(a+)+``, ``(a|ab)*`` and ``(a?a?)*`` do not.
"""

from __future__ import annotations

import functools
import re
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

#: A repeat of at most so many times is bounded; counts of nested repeats multiply.
_FEW = 8
#: A counted repeat in a long one is written out up to so many times, and taken for ``+`` above.
_MANY = 32
#: One member stands for everything above Latin-1.
_OTHER = 256
_ALL = frozenset(range(_OTHER + 1))
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)


def is_exponential(pattern: str) -> bool:
    """Whether ``pattern``, a valid regular expression, could backtrack exponentially."""
    return _is_hazard(sre_parser.parse(pattern), 1)


def _is_hazard(sequence: Any, times: int) -> bool:
    for op, argument in sequence:
        count = times
        if op in _REPEATS:
            high = argument[1]
            count = _FEW + 1 if high is sre.MAXREPEAT else times * high
            if count > _FEW:
                if not _Positions().decides(argument[2], needed=argument[0]):
                    return True
                count = 1  # what is in it has just been looked at, but for assertions
        if any(_is_hazard(body, count) for body in _bodies(op, argument)):
            return True
    return False


def _bodies(op: Any, argument: Any) -> list[Any]:
    """The patterns that a construct holds."""
    if op in _REPEATS:
        return [argument[2]]
    if op is sre.SUBPATTERN:
        return [argument[-1]]
    if op is sre.BRANCH:
        return list(argument[1])
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        return [argument[1]]
    if op is sre.GROUPREF_EXISTS:
        return [part for part in argument[1:] if part is not None]
    return [argument] if op is sre.ATOMIC_GROUP else []


class _Part(NamedTuple):
    """A part of a pattern: may it be empty, and at which positions may it begin and end."""

    empty: bool
    first: list[int]
    last: list[int]


_NOTHING = _Part(empty=True, first=[], last=[])


class _Positions:
    """The positions of a pattern, each one character of it, and which may follow which (Glushkov's automaton).

    A position that may follow in two ways is listed twice: the language of ``(a+)+`` is simple, its matching is not.
    """

    def __init__(self) -> None:
        self._characters: list[frozenset[int]] = []
        self._follow: list[list[int]] = []

    def decides(self, body: Any, *, needed: int) -> bool:
        """Whether one character always decides how to go on in a repeat of ``body``, at least ``needed`` times."""
        part = self._repeated(self._sequence(body))
        # (a?){9} may leave any of its nine empty; beyond `needed` the engine stops at an empty one
        return not (part.empty and needed > 1) and all(map(self._apart, [part.first, *self._follow]))

    def _apart(self, positions: list[int]) -> bool:
        seen: frozenset[int] = frozenset()
        for position in positions:
            if self._characters[position] & seen:
                return False
            seen |= self._characters[position]
        return True

    def _sequence(self, sequence: Any) -> _Part:
        return functools.reduce(self._joined, (self._construct(op, argument) for op, argument in sequence), _NOTHING)

    def _joined(self, one: _Part, other: _Part) -> _Part:
        for position in one.last:
            self._follow[position] += other.first
        return _Part(
            one.empty and other.empty,
            one.first + other.first if one.empty else one.first,
            one.last + other.last if other.empty else other.last,
        )

    def _repeated(self, part: _Part) -> _Part:
        for position in part.last:
            self._follow[position] += part.first
        return part

    def _construct(self, op: Any, argument: Any) -> _Part:
        characters = _characters(op, argument)
        if characters is not None:
            return self._position(characters)
        if op is sre.GROUPREF:
            return self._position(_ALL)._replace(empty=True)
        if op in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
            return _NOTHING
        if op in _REPEATS:
            return self._repeat(*argument)
        parts = [self._sequence(body) for body in _bodies(op, argument)]
        return _Part(
            any(part.empty for part in parts) or op is sre.GROUPREF_EXISTS,
            [position for part in parts for position in part.first],
            [position for part in parts for position in part.last],
        )

    def _position(self, characters: frozenset[int]) -> _Part:
        self._characters.append(characters)
        self._follow.append([])
        here = [len(self._follow) - 1]
        return _Part(empty=False, first=here, last=here)

    def _repeat(self, low: int, high: Any, body: Any) -> _Part:
        if high is sre.MAXREPEAT or high > _MANY:
            part = self._repeated(self._sequence(body))
            return part._replace(empty=part.empty or low == 0)
        whole = _NOTHING
        # x{2,4} is xx(x(x)?)?: built from its end
        for number in range(high, 0, -1):
            whole = self._joined(self._sequence(body), whole)
            if number > low:
                whole = whole._replace(empty=True)
        return whole


def _characters(op: Any, argument: Any) -> frozenset[int] | None:
    """What a construct of one character may match, in either case; None for any other construct."""
    if op is sre.LITERAL:
        return _either_case(argument)
    if op is sre.NOT_LITERAL:
        return _ALL - {argument}
    if op is sre.ANY:
        return _ALL
    return _of_class(argument) if op is sre.IN else None


def _of_class(members: Any) -> frozenset[int]:
    negated = members[0][0] is sre.NEGATE
    found: frozenset[int] = frozenset()
    for kind, value in members:
        if kind is sre.LITERAL:
            found |= frozenset([value]) if negated else _either_case(value)
        elif kind is sre.RANGE:
            codes = range(value[0], min(value[1], _OTHER) + 1)
            found |= frozenset(codes) if negated else frozenset().union(*map(_either_case, codes)) or {_OTHER}
        elif kind is sre.CATEGORY:
            found |= _of_category(str(value), whole=not negated)
    return (_ALL - found) | {_OTHER} if negated else found


def _either_case(code: int) -> frozenset[int]:
    return frozenset(min(ord(character), _OTHER) for character in (chr(code), chr(code).swapcase()[0]))


@functools.cache
def _of_category(category: str, *, whole: bool) -> frozenset[int]:
    letter = category.rpartition("_")[2][0].lower()
    match = re.compile("\\" + (letter.upper() if "NOT" in category else letter)).match
    return frozenset(code for code in range(_OTHER) if match(chr(code))) | ({_OTHER} if whole else frozenset())
