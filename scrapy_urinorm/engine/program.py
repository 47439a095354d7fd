"""What the tables of a scope chain come to: compiled steps, shared by all hosts of equal rules."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from scrapy_urinorm.rules import CATALOGUE
from scrapy_urinorm.rules import fragment as fragment_rules
from scrapy_urinorm.rules import query as query_rules
from scrapy_urinorm.rules.kinds import NameList, Names, NameTable
from scrapy_urinorm.rules.patterns import ascii_fold
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from scrapy_urinorm.rulesets.scopes import Body, Where
    from scrapy_urinorm.url import Item

_TEXT_RULES = ("semicolon_separators", "amp_entities", "plus_space")
_DISPLAY_RULES = ("stray_percent", "blank_values")
#: The inert value of a scalar rule: as if it were not set.
_INERT = {"keep", "off", "space", False}


class Step(NamedTuple):
    """One compiled rule: ``run(part)``, or ``run(items, path)`` for the one rule that needs both."""

    name: str
    run: Callable[..., Any]


def merge_bodies(bodies: Iterable[Body]) -> dict[str, Any]:
    """The value of every rule over a chain of tables, widest first; exceptions stand in line with what they except."""
    merged: dict[str, Any] = {}
    for body in bodies:
        rules = body.rules
        for name, value in rules.items():
            if name != "except_params":
                old = merged.get(name)
                merged[name] = value if old is None else CATALOGUE[name].kind.merge(old, value)
        if "except_params" in rules:
            # after `remove_params` of the same table: within one table the exception wins
            merged["remove_params"] = NameList.joined(merged.get("remove_params", ()), rules["except_params"])
    return merged


class Program:
    """The compiled rules of a chain of tables for paths and queries."""

    __slots__ = (
        "blank_distinct",
        "body_steps",
        "concerns",
        "defer",
        "display_steps",
        "filters_only",
        "fragment",
        "fragment_steps",
        "headers",
        "item_steps",
        "path_runs",
        "path_steps",
        "settles_at_once",
        "skip",
        "sort",
        "sort_canonical",
        "target_steps",
        "text_steps",
        "trivial_items",
        "unwrap",
    )

    def __init__(self, bodies: Sequence[Body]):
        merged = merge_bodies(bodies)
        rules = {k: v for k, v in merged.items() if not (isinstance(v, (str, bool)) and v in _INERT)}
        self.text_steps = [Step(n, _bind(n, rules[n])) for n in _TEXT_RULES if n in rules]
        self.display_steps = [Step(n, _bind(n, rules[n])) for n in _DISPLAY_RULES if n in rules]
        self.blank_distinct = rules.get("blank_values") == "distinct"
        self.path_steps = [Step(n, _bind(n, rules[n])) for n in _PATH_RULES if n in rules]
        self.path_runs = [s.run for s in self.path_steps]
        self.item_steps = _item_steps(rules)
        self.target_steps = [Step(n, _bind(n, rules[n])) for n in ("rewrite", "template") if n in rules]
        self.unwrap = _bind("unwrap_params", rules["unwrap_params"]) if "unwrap_params" in rules else None
        self.sort = _bind("sort_query", rules.get("sort_query", "pair"))
        if "sort_query" in merged and "sort_query" not in rules:
            self.sort = list  # "off" was said
        self.sort_canonical = "sort_query" in rules
        self.fragment = rules.get("fragment", "keep" if "fragment" in merged else None)
        self.fragment_steps = _fragment_steps(self.fragment, rules)
        self.skip = bool(rules.get("skip"))
        self.defer = bool(rules.get("defer"))
        self.body_steps = [Step(n, _bind(n, rules[n])) for n in ("remove_body_params", "sort_body") if n in rules]
        self.headers = tuple(n.name for n in rules.get("include_headers", ()))
        # filters on single items cannot set one another off, nor can what removes sessions from a path and a rule more
        self.filters_only = not self.target_steps and {s.name for s in self.item_steps} <= _FILTERS
        self.concerns = Concerns(rules, filters_only=self.filters_only)
        others = {s.name for s in self.path_steps} - SESSION_RULES
        self.settles_at_once = self.filters_only and len(others) < 2 and "remove_segments" not in others
        # the fast path of the key: nothing but remove-like rules on names, in Scrapy's own order
        self.trivial_items = not (
            self.text_steps
            or self.blank_distinct
            or self.target_steps
            or self.unwrap
            or self.skip
            or self.defer
            or rules.get("sort_query", "pair") != "pair"
            or self.sort is list
            or self.fragment not in (None, "remove")
            or rules.keys() & {"dedupe_params", "remove_query", "keep_params", "unicode_nfc", "map_params"}
        )


# a stray % concerns a path as it concerns a query
_PATH_RULES = ["stray_percent", *(rule.name for rule in CATALOGUE.values() if rule.part == "path")]
_BY_NAME = ("rename_params", "map_params", "rewrite_params", "unordered_values", "default_params")
_ITEM_RULES = [
    "rename_params", "lowercase_names", "lowercase_params", "numeric_params", "map_params",
    "rewrite_params", "unordered_values", "collapse_nested", "remove_params", "keep_params", "default_params",
    "remove_empty_params", "dedupe_params", "remove_query",
]  # fmt: skip


#: Rules that act on a path only where it has a ``;`` or a segment that begins with ``(``.
SESSION_RULES = {"path_params", "aspnet_session"}
_FILTERS = {
    "remove_params", "keep_params", "default_params", "remove_empty_params", "dedupe_params", "remove_query",
}  # fmt: skip


def _item_steps(rules: dict[str, Any]) -> list[Step]:
    steps = [Step(n, _bind(n, rules[n])) for n in _ITEM_RULES if n in rules]
    if rules.get("unicode_nfc"):
        steps.insert(0, Step("unicode_nfc", lambda items, _: query_rules.unicode_nfc_items(items)))
    return steps


def _fragment_steps(mode: str | None, rules: dict[str, Any]) -> list[Step]:
    if mode is None:
        return []
    steps = [Step("fragment", functools.partial(fragment_rules.fragment, mode=mode))]
    if mode != "remove" and "remove_params" in rules:
        names = NameTable(rules["remove_params"])
        steps.append(Step("remove_params", functools.partial(fragment_rules.fragment_params, names=names)))
    return steps


def _lower_keys(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {ascii_fold(name): value for name, value in pairs}


def _bind(name: str, value: Any) -> Callable[..., Any]:
    """The function of a rule with its value bound; item rules take (items, path)."""
    function = CATALOGUE[name].function
    if isinstance(CATALOGUE[name].kind, Names):
        value = NameTable(value)
    if name == "collapse_nested":
        return lambda items, path: function(items, names=value, path=path)
    if name in ("rename_params", "unordered_values"):
        names = {ascii_fold(k): v[0] for k, v in value}
        return lambda items, _: function(items, names=names)
    if name == "map_params":
        groups = {ascii_fold(k): (k, v) for k, v in value}
        return lambda items, _: function(items, names=groups)
    if name in ("rewrite_params", "default_params"):
        table = _lower_keys(value)
        return lambda items, _: function(items, names=table)
    keyword = _KEYWORD[name]
    if name in _ITEM_RULES:
        return lambda items, _: function(items, **{keyword: value})
    return functools.partial(function, **{keyword: value})


def _keyword(name: str) -> str:
    code = CATALOGUE[name].function.__code__
    return code.co_varnames[code.co_argcount]


_KEYWORD = {name: _keyword(name) for name in CATALOGUE}


#: What rules say of a parameter's name: nothing, something, or that it goes whatever its value and company.
FREE, CONCERNED, DROPPED = 0, 1, 2


class Concerns(dict[str, int]):
    """What rules say of a name in the key spelling: a memo, so that a known name costs one look-up.

    ``filters_only`` says that all rules on items judge each for itself.
    """

    __slots__ = ("_exact", "_names", "_removed")
    _LIMIT = 20_000

    def __init__(self, rules: dict[str, Any], *, filters_only: bool):
        super().__init__()
        lists = [exemptions().signatures.names]
        self._exact: set[str] = set()
        for rule, value in rules.items():
            if CATALOGUE[rule].part == "query":
                if isinstance(CATALOGUE[rule].kind, Names):
                    lists.append(value)
                elif rule in _BY_NAME:
                    self._exact.update(n.lower() for n, _ in value)
        self._names = NameTable(NameList.joined(*lists))
        self._removed = NameTable(rules.get("remove_params", ()) if filters_only else ())

    def __missing__(self, name: str) -> int:
        plain = decoded(name)
        found = FREE
        if plain.lower() in self._exact or self._names[plain]:
            removed = self._removed[plain]
            always = removed and removed[0].value is None and not removed[0].keep
            found = DROPPED if always and not exemptions().signatures[plain] else CONCERNED
        if len(name) < 200:
            if len(self) >= self._LIMIT:
                self.clear()
            self[name] = found
        return found


class Exemptions(NamedTuple):
    """What lossy rules leave alone: parameters that sign a URL, and URLs that speak of unsubscribing.

    One of ``stems``, all of :data:`STEM` letters, is in every word of ASCII letters that does.
    """

    signatures: NameTable
    words: Callable[[str], re.Match[str] | None]
    stems: tuple[str, ...]


#: Four letters are rare enough, and one comparison for the module in C.
STEM = 4


@functools.cache
def exemptions() -> Exemptions:
    """The exemptions that come with the package."""
    import importlib.resources
    import tomllib

    text = (importlib.resources.files("scrapy_urinorm.rulesets") / "presets" / "exemptions.toml").read_text("utf-8")
    data = tomllib.loads(text)
    problems: list[str] = []
    names = Names(guards=True).check(data["signature_params"], lambda m, _: problems.append(m))
    if problems or names is None:
        raise ValueError(f"exemptions.toml: {problems}")
    words = data["unsubscribe_words"]
    return Exemptions(NameTable(names), re.compile("|".join(map(re.escape, words))).search, tuple(_stems(words)))


def _stems(words: Iterable[str]) -> Iterator[str]:
    """A few pieces of words, one of which is in each word: of the pieces left, the one that is in most words."""
    left = {word for word in words if word.isascii()}
    while left:
        pieces: dict[str, set[str]] = {}
        for word in sorted(left):
            for at in range(len(word) - STEM + 1):
                pieces.setdefault(word[at : at + STEM], set()).add(word)
        best = max(pieces, key=lambda piece: len(pieces[piece]))
        yield best
        left -= pieces[best]


def is_signed(items: Iterable[Item]) -> bool:
    """Whether a parameter signs the URL, by name and by the shape of its value."""
    signatures = exemptions().signatures
    for name, value in items:
        plain = decoded(name)
        if signatures[plain] and signatures.removes(plain, value):
            return True
    return False


def unsubscribes(text: str) -> bool:
    """Whether a path or query speaks of unsubscribing: the preset's tracking parameters then carry the recipient."""
    _, words, stems = exemptions()
    text = unquote(text).lower()
    if text.isascii():
        for stem in stems:
            if stem in text:
                return words(text) is not None
        return False
    return words(text) is not None


def run_step(program: Program, path: str, items: list[Item], trace: Trace | None = None) -> tuple[str, list[Item]]:
    """Apply every rule of a program once, in the order of the catalogue."""
    for name, run in program.path_steps:
        after = run(path)
        if after != path:
            if trace is not None:
                trace(name, after, items)
            path = after
    for name, run in program.item_steps:
        kept = run(items, path)
        if kept != items:
            if trace is not None:
                trace(name, path, kept)
            items = kept
    # patterns see the sorted query, so that no rule tells apart what Scrapy merges
    if program.target_steps:
        items = program.sort(items)
        for name, run in program.target_steps:
            new_path, new_items = run((path, items))
            if (new_path, new_items) != (path, items):
                if trace is not None:
                    trace(name, new_path, new_items)
                path, items = new_path, new_items
    return path, items


if TYPE_CHECKING:
    from typing import Protocol

    class Trace(Protocol):
        """Is told of a rule that changed path or items, with what they became."""

        def __call__(self, rule: str, path: str, items: list[Item]) -> None: ...  # noqa: D102


def matching(wheres: Sequence[Where], path: str, items: list[Item]) -> tuple[int, ...]:
    """The numbers of the ``where`` tables whose conditions hold."""
    return tuple([n for n, w in enumerate(wheres) if w.on_path(path) and w.on_items(items)])
