"""Whether each character of a text decides alone how a regular expression goes on, so that it never backtracks far.

This is what Brueggemann-Klein and Wood (1998) call one-unambiguous: `(?:/[^/]+)+` is, and `(a+)+`, `(a|ab)*` and
`(a?a?)*` are not. A repeat whose body is not may take exponential time.
"""

from __future__ import annotations

import functools
import re
from re import _constants as sre  # type: ignore[attr-defined]  # typeshed knows none of it
from re import _parser as sre_parser  # type: ignore[attr-defined]  # typeshed knows none of it
from typing import Any, NamedTuple

#: A repeat of at most so many times is bounded; counts of nested repeats multiply.
_FEW = 8
#: A counted repeat in a long one is written out up to so many times, and taken for `+` above.
MANY = 32
#: One member stands for everything above Latin-1.
_OTHER = 256
#: A pattern with more positions, counted repeats written out, is not looked at: 2,000 characters can stand for 10^9.
_MOST = 20_000
#: Sets of characters are integers with a bit for each.
ALL = (1 << (_OTHER + 1)) - 1
REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)


def is_exponential(pattern: str) -> bool:
    """Whether `pattern`, a valid regular expression, could backtrack exponentially."""
    return _is_hazard(sre_parser.parse(pattern), 1)


def _is_hazard(sequence: Any, times: int) -> bool:
    for op, argument in sequence:
        count = times
        if op in REPEATS:
            high = argument[1]
            count = _FEW + 1 if high is sre.MAXREPEAT else times * high
            if count > _FEW:
                if not Positions().decides(argument[2], needed=argument[0]):
                    return True
                count = 1  # what is in it has just been looked at, but for assertions
        if any(_is_hazard(body, count) for body in bodies_of(op, argument)):
            return True
    return False


def bodies_of(op: Any, argument: Any) -> list[Any]:
    """The patterns that a construct holds."""
    if op in REPEATS:
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
    """A part of a pattern: in how many ways it may be empty (2 stands for more), and where it may begin and end."""

    empty: int
    first: list[int]
    last: list[int]


_NOTHING = _Part(empty=1, first=[], last=[])


class Positions:
    """The positions of a pattern, each one character of it, and which may follow which (Glushkov's automaton).

    A position that may follow in two ways is listed twice: the language of `(a+)+` is simple, its matching is not.
    """

    def __init__(self) -> None:
        self._characters: list[int] = []
        self._follow: list[list[int]] = []
        #: Whether some part may be empty in several ways, as in `(?:a?|b?)`: no character decides between them.
        self.doubtful = False

    def __len__(self) -> int:
        return len(self._characters)

    def decides(self, body: Any, *, needed: int) -> bool:
        """Whether one character always decides how to go on in a repeat of `body`, at least `needed` times."""
        part = self._repeated(self.sequence(body))
        # (a?){9} may leave any of its nine empty; beyond `needed` the engine stops at an empty one
        return not (part.empty and needed > 1) and all(map(self._apart, [part.first, *self._follow]))

    def decided(self, part: _Part) -> bool:
        """Whether one character always decides how to go on in `part`, the whole of what was read."""
        return not self.doubtful and all(map(self._apart, [part.first, *self._follow]))

    def characters(self, positions: list[int]) -> int:
        """What may stand at any of some positions."""
        found = 0
        for position in positions:
            found |= self._characters[position]
        return found

    def after(self, part: _Part) -> int:
        """The characters with which `part` may go on where it could have ended."""
        found = self.characters(part.first) if part.empty else 0
        for position in part.last:
            found |= self.characters(self._follow[position])
        return found

    def _apart(self, positions: list[int]) -> bool:
        seen = 0
        for position in positions:
            if self._characters[position] & seen:
                return False
            seen |= self._characters[position]
        return True

    def sequence(self, sequence: Any) -> _Part:
        """The part that some constructs make, one after the other."""
        return functools.reduce(self._joined, (self._construct(op, argument) for op, argument in sequence), _NOTHING)

    def _joined(self, one: _Part, other: _Part) -> _Part:
        for position in one.last:
            self._follow[position] += other.first
        return _Part(
            self._ways(one.empty * other.empty),
            one.first + other.first if one.empty else one.first,
            one.last + other.last if other.empty else other.last,
        )

    def _ways(self, number: int) -> int:
        self.doubtful |= number > 1
        return min(number, 2)

    def _repeated(self, part: _Part) -> _Part:
        for position in part.last:
            self._follow[position] += part.first
        return part

    def _construct(self, op: Any, argument: Any) -> _Part:
        characters = characters_of(op, argument)
        if characters is not None:
            return self._position(characters)
        if op is sre.GROUPREF:
            return self._position(ALL)._replace(empty=1)
        if op in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
            return _NOTHING
        if op in REPEATS:
            return self._repeat(*argument)
        parts = [self.sequence(body) for body in bodies_of(op, argument)]
        return _Part(
            self._ways(sum(part.empty for part in parts) + (op is sre.GROUPREF_EXISTS)),
            [position for part in parts for position in part.first],
            [position for part in parts for position in part.last],
        )

    def _position(self, characters: int) -> _Part:
        if len(self) >= _MOST:
            raise OverflowError(f"its repeats stand for more than {_MOST:,} characters")
        self._characters.append(characters)
        self._follow.append([])
        here = [len(self._follow) - 1]
        return _Part(empty=0, first=here, last=here)

    def _repeat(self, low: int, high: Any, body: Any) -> _Part:
        if high is sre.MAXREPEAT or high > MANY:
            part = self._repeated(self.sequence(body))
            return part._replace(empty=self._ways(part.empty + (low == 0)))
        whole = _NOTHING
        # x{2,4} is xx(x(x)?)?: built from its end
        for number in range(high, 0, -1):
            whole = self._joined(self.sequence(body), whole)
            if number > low:
                whole = whole._replace(empty=self._ways(whole.empty + 1))
        return whole


def characters_of(op: Any, argument: Any) -> int | None:
    """What a construct of one character may match, in either case; None for any other construct."""
    if op is sre.LITERAL:
        return _either_case(argument)
    if op is sre.NOT_LITERAL:
        return ALL & ~(1 << int(argument))
    if op is sre.ANY:
        return ALL
    return _of_class(tuple(argument)) if op is sre.IN else None


@functools.lru_cache(1024)
def _of_class(members: Any) -> int:
    negated = members[0][0] is sre.NEGATE
    found = 0
    for kind, value in members:
        if kind is sre.LITERAL:
            found |= _one(value) if negated else _either_case(value)
        elif kind is sre.RANGE:
            codes = range(value[0], min(value[1], _OTHER) + 1)
            for code in codes:
                found |= _one(code) if negated else _either_case(code)
            found |= 1 << _OTHER if value[0] > _OTHER else 0
        elif kind is sre.CATEGORY:
            found |= _of_category(str(value), whole=not negated)
    return (ALL & ~found) | 1 << _OTHER if negated else found


def _one(code: int) -> int:
    return 1 << min(code, _OTHER)


@functools.cache
def _either_case(code: int) -> int:
    return _one(code) | _one(ord(chr(code).swapcase()[0]))


@functools.cache
def _of_category(category: str, *, whole: bool) -> int:
    letter = category.rpartition("_")[2][0].lower()
    match = re.compile("\\" + (letter.upper() if "NOT" in category else letter)).match
    return sum(1 << code for code in range(_OTHER) if match(chr(code))) | (1 << _OTHER if whole else 0)
