"""Lists of names with globs and guards, and what finds the entries that speak of a name."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy_urinorm.rules.globs import ascii_fold
from scrapy_urinorm.tuples import NamedTuple
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.rules.patterns import Pattern


class Name(NamedTuple):
    """A parameter, segment or file name with the guards that a rule file gave it.

    `name` is a glob that takes every name which `match` takes: `*` for an entry by pattern. `keep` marks an
    entry of `except_params`. `why` is the provenance, shown by `explain`.
    """

    name: str
    match: Callable[[str], Any]
    value: Pattern | None = None
    keep: bool = False
    why: str = ""


#: Entries that are tried one by one: an index of as many costs more than it saves (3,000 tables, first URL of each).
_FEW = 8


class NameList(tuple[Name, ...]):  # noqa: SLOT001  what is computed once needs a place
    """The entries of one list; what finds them by name is made once, however many sites add names of their own."""

    @functools.cached_property
    def by_name(self) -> tuple[dict[str, list[tuple[int, Name]]], list[tuple[int, Name]]]:
        """Places and entries: of exact names by lower-case name, and those of globs."""
        exact: dict[str, list[tuple[int, Name]]] = {}
        globs = []
        for place, entry in enumerate(self):
            if "*" in entry.name:
                globs.append((place, entry))
            else:
                exact.setdefault(entry.name.lower(), []).append((place, entry))
        return exact, globs

    @functools.cached_property
    def speaking(self) -> _Speaking:
        """Which entries speak of a decoded name, the last one first: a memo that all tables with this list share."""
        return _Speaking(self)


class JoinedNames(Sequence[Name]):
    """The entries of several lists in order, which are not copied: a preset has hundreds, and a crawl many sites."""

    __slots__ = ("parts",)

    def __init__(self, *lists: Sequence[Name]):
        self.parts = tuple(part for one in lists for part in _parts(one))

    def __iter__(self) -> Iterator[Name]:
        return itertools.chain.from_iterable(self.parts)

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __getitem__(self, place: Any) -> Any:
        return tuple(self)[place]


_T = TypeVar("_T")


class Memo(dict[str, _T]):
    """What was found for names: a known one costs one look-up."""

    __slots__ = ()
    #: Above the names of any one site; a list of hostile ones costs a few megabytes at most.
    LIMIT = 20_000

    def kept(self, name: str, found: _T) -> _T:
        """Remember what was found, and return it."""
        if len(name) < 200:
            if len(self) >= self.LIMIT:
                self.clear()
            self[name] = found
        return found


class _Speaking(Memo[tuple[Name, ...]]):
    __slots__ = ("_exact", "_heads", "_lengths")

    def __init__(self, names: NameList):
        super().__init__()
        self._exact, globs = names.by_name
        #: Globs by the text that begins each name that they take, ASCII case aside: a name asks few of many.
        self._heads: dict[str, list[tuple[int, Name]]] = {}
        for row in globs:
            self._heads.setdefault(ascii_fold(row[1].name.partition("*")[0]), []).append(row)
        self._lengths = sorted({len(head) for head in self._heads})

    def __missing__(self, name: str) -> tuple[Name, ...]:
        rows = list(self._exact.get(name.lower(), ()))
        folded = ascii_fold(name)
        for length in self._lengths:
            rows += self._heads.get(folded[:length], ())
        found = tuple([entry for _, entry in sorted(rows, key=_place, reverse=True) if entry.match(name)])
        return self.kept(name, found)


def _parts(names: Sequence[Name]) -> tuple[NameList, ...]:
    if isinstance(names, JoinedNames):
        return names.parts
    return (names if isinstance(names, NameList) else NameList(names),)


class NameTable(Memo[tuple[Name, ...]]):
    """Which entries of a list speak of a decoded name, the last one first; a memo, so that a known name is one look-up.

    Exact names are found in a dict, so that a list of hundreds costs what a list of one does.
    """

    __slots__ = ("_parts",)

    def __init__(self, names: Sequence[Name]):
        super().__init__()
        self._parts = _parts(names)

    @property
    def names(self) -> tuple[Name, ...]:
        """The entries in order."""
        return tuple(itertools.chain.from_iterable(self._parts))

    def __missing__(self, name: str) -> tuple[Name, ...]:
        found: tuple[Name, ...] = ()
        for part in reversed(self._parts):
            if len(part) > _FEW:
                found += part.speaking[name]
            else:
                # many sites have lists of their own: so few are tried without an index
                found += tuple([entry for entry in part[::-1] if entry.match(name)])
        return self.kept(name, found)

    def removes(self, name: str, value: str, decode: Callable[[str], str] = decoded) -> bool:
        """Whether the last entry that speaks of a name (decoded) and value (encoded) says to remove it.

        An exception says no. The value is decoded only where an entry asks for its shape.
        """
        for entry in self[name]:
            if entry.value is None or entry.value.match(decode(value)):
                return not entry.keep
        return False


def _place(row: tuple[int, Name]) -> int:
    return row[0]
