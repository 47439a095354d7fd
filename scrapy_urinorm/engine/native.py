"""The fast way to a key or canonical URL, in C: for a known host and a usual spelling, under rules that it knows.

It finds the `where` tables that hold, drops items, and edits the path; rarer rules on the path, and edits of path and
query as one text, are functions in Python that it calls where a text that they need is there.

Each of its functions gives what the loop in Python (`pipeline`) gives, or None, and then the loop is asked; tests
compare the two on every URL they have. The package does without it where no C compiler was at hand; `URINORM_PURE=1`
in the environment leaves it out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.engine.bits import bit_of
from scrapy_urinorm.engine.compiled import compiled
from scrapy_urinorm.engine.exemptions import exemptions, unsubscribes
from scrapy_urinorm.recipe import digest
from scrapy_urinorm.rules.globs import PathShape, ascii_fold, name_glob, path_globs, path_shape
from scrapy_urinorm.rules.kinds.name_tables import Memo
from scrapy_urinorm.tuples import NamedTuple
from scrapy_urinorm.url import decoded, encoded

if TYPE_CHECKING:
    from scrapy_urinorm.engine.concerns import Concerns
    from scrapy_urinorm.engine.program import Program
    from scrapy_urinorm.engine.steps import Step
    from scrapy_urinorm.rulesets.scopes import Condition, Where

#: Grows with every change of what `rules.h` says: the functions of the module, and the tuples that it is told.
LAYOUT = 18
#: Flags of `Fast`: the canonical URL is sorted; it loses its fragment; it goes through the loop; its query loses empty
#: fields; `changes` is asked about values with a `;`.
SORTS, DROPS_FRAGMENT, KEY_ONLY, TIDIES, ASKS_SEMICOLON = 1, 2, 4, 8, 16
#: What no path that the module takes has: a rule that needs one of these does not concern such a path.
_REFUSED = frozenset((";", "%3B", "/("))
_SEMICOLON = frozenset(("%3B",))


#: The module in C, or None.
module = compiled(LAYOUT)


class PathStep(NamedTuple):
    """An act on the path: what is done in C (0: `run` is called where one of `texts` is in the path, or always)."""

    does: int
    texts: tuple[bytes, ...]
    run: Callable[[str], str]
    bit: int


class TextStep(NamedTuple):
    """An edit of path and query as one text, called where one of `needs` (at the start, text) is there, or always."""

    needs: tuple[tuple[int, bytes], ...]
    run: Callable[[str], str]
    bit: int


class Fast(NamedTuple):
    """What the module in C knows of a program, read by position.

    `changes` says whether the rules that need a text in a value change an item (name=value).
    """

    concerns: Concerns
    paths: tuple[PathStep, ...]
    edit: TextStep | None
    flags: int
    changes: Callable[[str], bool]


def fast_of(program: Program) -> Fast | None:
    """What the module is told of a program; None where every URL of it goes through the loop."""
    if (
        program.text_steps
        or program.unwrap_steps
        or program.verdict_steps
        or program.always
        or program.joins
        or program.keeps_fragment
        or not program.sorts_by_pair
        or not _SEMICOLON.issuperset(program.value_needs)
        or len(program.target_steps) > 1
    ):
        return None
    edit = None
    for step in program.target_steps:
        edit = _edit(step)
        if edit is None:
            return None
    paths = _path_steps(program.path_steps)
    flags = SORTS * program.sorts | DROPS_FRAGMENT * program.drops_fragment | TIDIES * program.tidies
    flags |= KEY_ONLY * bool(program.display_steps) | ASKS_SEMICOLON * bool(program.value_needs)
    needy = tuple([step.run for step in program.item_steps if step.act.needs])
    return Fast(program.concerns, paths, edit, flags, _changing(needy) if needy else _changes_nothing)


#: As many of them take 1.3 MB where the values of each table differ.
_MOST_TOLD = 1000
#: What the module is told of steps on the path, by their ids.
_told: dict[tuple[int, ...], tuple[Sequence[Step], tuple[PathStep, ...]]] = {}


def _changes_nothing(_: str) -> bool:
    return False


@functools.lru_cache(64)
def _changing(runs: tuple[Callable[..., Any], ...]) -> Callable[[str], bool]:
    # nearly always those of a preset, which are the same for all tables
    return functools.partial(_changes, runs)


def _changes(runs: Sequence[Callable[..., Any]], field: str) -> bool:
    name, _, value = field.partition("=")
    return any(run([(name, value)], "") != [(name, value)] for run in runs)


def _path_steps(steps: Sequence[Step]) -> tuple[PathStep, ...]:
    # often what few words say, which are the same objects for all tables
    numbers = tuple(map(id, steps))
    found = _told.get(numbers)
    if found is None:
        asked = (step for step in steps if not step.act.needs or not _REFUSED.issuperset(step.act.needs))
        if len(_told) >= _MOST_TOLD:
            _told.clear()
        # with the steps, so that no others get their ids
        found = _told[numbers] = steps, tuple(map(_path_step, asked))
    return found[1]


def _path_step(step: Step) -> PathStep:
    native = step.act.native(step.bound) if step.act.native else None
    does, texts = native or (0, step.act.needs)
    return PathStep(int(does), tuple(text.encode() for text in texts), step.run, bit_of(step.name))


def _edit(step: Step) -> TextStep | None:
    edit = step.act.edit(step.bound) if step.act.edit else None
    if edit is None:
        return None
    return TextStep(tuple((int(start), text.encode()) for start, text in edit.needs), edit.run, bit_of(step.name))


class Programs(dict[tuple[int, ...], Fast | None]):
    """What the module is told of the programs of a plan, by the numbers of the `where` tables that hold."""

    __slots__ = ("_most", "_program")

    def __init__(self, program: Callable[[tuple[int, ...]], Program], most: int):
        super().__init__()
        self._program = program
        self._most = most

    def __missing__(self, numbers: tuple[int, ...]) -> Fast | None:
        found = fast_of(self._program(numbers))
        if len(self) < self._most:
            self[numbers] = found
        return found


class PlanFast(NamedTuple):
    """What the module in C knows of a plan, read by position; `base` is the program without any `where` table."""

    wheres: tuple[tuple[Any, ...], ...]
    programs: Programs
    base: Fast | None


class Moved(dict[str, "tuple[str, int] | None"]):
    """What the rules make of a usual host, and their bits; None where they do not settle. A bounded memo."""

    __slots__ = ("_move",)
    #: As many hosts as `Sites` remembers.
    _LIMIT = 50_000

    def __init__(self, move: Callable[[str], tuple[str, int] | None]):
        super().__init__()
        self._move = move

    def __missing__(self, host: str) -> tuple[str, int] | None:
        found = self._move(host)
        if len(self) >= self._LIMIT:
            self.clear()
        self[host] = found
        return found


class Usual(NamedTuple):
    """What the rules do to every usual origin, read by position: the schemes that http and https become, with bits.

    `hosts` is asked of a host where one of `needs` is in it, or always; None where no rule changes a host.
    """

    http: bytes
    http_bits: int
    https: bytes
    https_bits: int
    needs: tuple[bytes, ...]
    hosts: Moved | None


def plan_of(wheres: Sequence[Where], base: Program, programs: Programs) -> PlanFast | None:
    """What the module is told of a plan; None where every URL of it goes through the loop."""
    fast = fast_of(base)
    if module is None or (fast is None and not wheres):
        return None
    return PlanFast(tuple(map(_where, wheres)), programs, fast)


def _where(where: Where) -> tuple[Any, ...]:
    alike: dict[tuple[PathShape, str], list[str]] = {}
    for glob in where.globs:
        alike.setdefault(path_shape(glob), []).append(glob)
    paths = []
    for (shape, head), globs in alike.items():
        # the others are their text, and want no pattern
        match = path_globs(tuple(globs)) if shape is PathShape.GLOB else None
        paths.append((int(shape), head.encode(), match))
    return tuple(paths), tuple(map(_condition, where.conditions))


class _Named(Memo[bool]):
    """Whether a name in the key spelling is one that a condition is about, ASCII case aside: a memo."""

    __slots__ = ("_glob", "_name")
    LIMIT = 2000

    def __init__(self, name: str):
        super().__init__()
        self._name, self._glob = name, name_glob(name)

    def __missing__(self, name: str) -> bool:
        folded = ascii_fold(decoded(name))
        return self.kept(name, folded == self._name or (self._glob is not None and bool(self._glob(folded))))


def _condition(condition: Condition) -> tuple[Any, ...]:
    values: Collection[str] | Callable[[str], bool] | bool | None
    if condition.values is True:
        values = None
    elif condition.values is False:
        values = False
    elif condition.values is None:
        values = functools.partial(_passes, condition.test)
    else:
        values = frozenset(map(encoded, condition.values))
    return _Named(condition.name), values, condition.absent


def _passes(test: Callable[[str], bool], value: str) -> bool:
    return test(decoded(value))


class Native(NamedTuple):
    """The functions in C over the sites of a rule set.

    `request` takes URL, method and body, and gives the fingerprint, and the bits of the rules that changed the URL. A
    URL that one of them takes has no verdict. `lines` and `column` are given what does a text that they do not take;
    `column` takes octets and where they are divided, and fills a buffer of that size with where its result is.
    """

    key: Callable[[str], str | None]
    request: Callable[[str, str, bytes], tuple[bytes, int] | None]
    canonical: Callable[[str], str | None]
    lines: Callable[[Callable[[str], str], bytes, bool], bytes]
    column: Callable[[Callable[[str], str], Any, Any, Any, bool], bytes]

    @classmethod
    def of(cls, known: Mapping[str, Any], learn: Callable[[str], object]) -> Native | None:
        """The functions over a mapping of origins to sites, and what finds the site of another; None without C."""
        if module is None:
            return None
        rules = known, learn, unsubscribes, "".join(exemptions().stems).encode()
        request = functools.partial(module.request, *rules, digest)
        ways = (module.key, module.canonical, module.lines, module.column)
        key, canonical, lines, column = (functools.partial(way, *rules) for way in ways)
        return cls(key, request, canonical, lines, column)
