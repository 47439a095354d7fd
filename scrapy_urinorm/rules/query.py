"""Rules that drop items of the query, and the order of what is left, in the order of execution."""

from __future__ import annotations

from collections.abc import Mapping

from scrapy_urinorm.rules.declaration import LOSSY, Drops, Stage, rule
from scrapy_urinorm.rules.globs import ascii_fold
from scrapy_urinorm.rules.kinds import Choice, Flag, Names, NameTable, Texts
from scrapy_urinorm.rules.nesting import nests
from scrapy_urinorm.url import Item, decoded, encoded, sort_items

Items = list[Item]


@rule(
    LOSSY,
    "http://a.example/login?next=/login%3Fnext%3D/x",
    "http://a.example/login",
    stage=Stage.ITEMS,
    kind=Names(),
    value=["next"],
    act={"each": True},
)
def collapse_nested(items: Items, *, names: NameTable, path: str) -> Items:
    """Drop a parameter that carries the address of its own page or nests itself: a trap without an end.

    The decoded value must start with `/` or `scheme://` and hold the URL's own path, or the parameter's own name
    followed by `=` after up to eight levels of decoding (`dust-learning`, self-nesting).
    """
    return [(n, v) for n, v in items if not (names[decoded(n)] and nests(decoded(n), decoded(v), path))]


@rule(
    LOSSY,
    "http://a.example/?id=7&utm_source=mail",
    "http://a.example/?id=7",
    stage=Stage.ITEMS,
    kind=Names(guards=True),
    value=["utm_*"],
    act={"each": True, "drops": Drops.NAMED},
)
def remove_params(items: Items, *, names: NameTable) -> Items:
    """Remove parameters by name or glob, and by a pattern on the value where a name alone proves nothing.

    Names match on the percent-decoded name, ASCII case-insensitively unless `case_sensitive`; `pattern` is a
    regular expression for the whole name, `value` one for the whole decoded value.
    """
    return [(n, v) for n, v in items if not names.removes(decoded(n), v)]


@rule(
    LOSSY,
    "http://a.example/?utm_content=a&utm_source=b",
    "http://a.example/?utm_content=a",
    stage=Stage.EXCEPTION,
    kind=Names(guards=True, keep=True),
    into="remove_params",
    value=["utm_content"],
    remove_params=["utm_*"],
)
def except_params(items: Items, *, names: NameTable) -> Items:
    """Take names back from `remove_params` of this scope and wider ones."""
    return items


@rule(
    LOSSY,
    "http://a.example/?id=7&x=1&y=2",
    "http://a.example/?id=7",
    stage=Stage.ITEMS,
    kind=Names(guards=True, replace=True),
    value=["id"],
    act={"each": True, "drops": Drops.OTHERS, "tidies": True},
)
def keep_params(items: Items, *, names: NameTable) -> Items:
    """Keep the named parameters and remove all others; the list of a narrower scope replaces a wider one."""
    return [(n, v) for n, v in items if names.removes(decoded(n), v)]


@rule(
    LOSSY,
    "http://a.example/?id=7&page=1",
    "http://a.example/?id=7",
    stage=Stage.ITEMS,
    kind=Texts("value", many=True),
    value={"page": "1"},
    act={
        "each": True,
        "drops": Drops.VALUES,
        "values": lambda names, name: [encoded(value) for value in names.get(ascii_fold(name), ())],
    },
)
def default_params(items: Items, *, names: Mapping[str, tuple[str, ...]]) -> Items:
    """Remove parameters that have their default value."""
    return [(n, v) for n, v in items if decoded(v) not in names.get(ascii_fold(decoded(n)), ())]


@rule(
    LOSSY,
    "http://a.example/?id=7&q=&x",
    "http://a.example/?id=7",
    stage=Stage.ITEMS,
    kind=Names(),
    value=["*"],
    act={"each": True, "drops": Drops.VALUES, "values": lambda names, name: [""] if names[name] else []},
)
def remove_empty_params(items: Items, *, names: NameTable) -> Items:
    """Remove the named parameters where they have no value; a parameter without a value is not therefore unused."""
    return [(n, v) for n, v in items if v or not names[decoded(n)]]


@rule(
    LOSSY,
    "http://a.example/?a=1&b=2&a=1",
    "http://a.example/?a=1&b=2",
    stage=Stage.ITEMS,
    kind=Choice(("off", "pair", "first", "last"), inert="off"),
    value="pair",
    splits=True,
    act={"tidies": True},
)
def dedupe_params(items: Items, *, mode: str) -> Items:
    """Drop repeated items: equal pairs, or all but the first or last of a name (Scrapy #137, #1113).

    `first` and `last` go by the order in the URL, so they may keep apart what Scrapy, which sorts, merges.
    """
    if mode == "off" or len(items) < 2:
        return items
    if mode == "pair":
        return list(dict.fromkeys(items))
    if mode == "last":
        return list(dedupe_params(items[::-1], mode="first"))[::-1]
    first: dict[str, Item] = {}
    for item in items:
        first.setdefault(item[0], item)
    return list(first.values())


@rule(
    LOSSY,
    "http://a.example/x?y=1",
    "http://a.example/x",
    stage=Stage.ITEMS,
    kind=Flag(),
    value=True,
    act={"each": True, "drops": Drops.ALL, "tidies": True},
)
def remove_query(items: Items, *, on: bool) -> Items:
    """Remove the whole query."""
    return [] if on else items


@rule(
    LOSSY,
    "http://a.example/?b=2&a=1",
    "http://a.example/?a=1&b=2",
    stage=Stage.ORDER,
    kind=Choice(("pair", "key", "off"), inert="off"),
    value="pair",
    splits=True,
)
def sort_query(items: Items, *, mode: str) -> Items:
    """Sort parameters by name and value as Scrapy does, by name so that repeated names keep their order, or not.

    Unset, the key is sorted by pair and the canonical URL is left as it came.
    """
    if mode == "pair":
        return sort_items(items)
    if mode == "key":
        return sorted(items, key=lambda item: decoded(item[0]).encode("utf-8", "surrogateescape"))
    return items
