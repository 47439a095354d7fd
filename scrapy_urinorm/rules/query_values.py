"""Rules on names and values of single parameters, in the order of execution; they see items in the key spelling."""

from __future__ import annotations

from collections.abc import Mapping

from scrapy_urinorm.regex import Regex
from scrapy_urinorm.rules.composing import composed_text
from scrapy_urinorm.rules.declaration import LOSSY, Stage, half, rule
from scrapy_urinorm.rules.globs import ascii_fold
from scrapy_urinorm.rules.kinds import Aliases, Edit, NamedEdits, Names, NameTable, Renames, Texts, ValueAliases
from scrapy_urinorm.url import Item, decoded, encoded

Items = list[Item]


@half("unicode_nfc", stage=Stage.ITEMS, each=True)
def unicode_nfc_items(items: Items, *, on: bool) -> Items:
    """The part of `unicode_nfc` that concerns the query."""
    return [(_nfc(n), _nfc(v)) for n, v in items] if on else items


def _nfc(text: str) -> str:
    plain = decoded(text)
    composed = composed_text(plain)
    return text if composed == plain else encoded(composed)


@rule(
    LOSSY,
    "http://a.example/?page_id=7",
    "http://a.example/?p=7",
    stage=Stage.ITEMS,
    kind=Renames(),
    value={"page_id": "p"},
    act={"each": True},
)
def rename_params(items: Items, *, names: Mapping[str, str]) -> Items:
    """Give parameters that mean the same one name; chains are followed, cycles are an error."""
    out = []
    for name, value in items:
        target = names.get(ascii_fold(decoded(name)))
        out.append((encoded(target), value) if target is not None else (name, value))
    return out


@rule(
    LOSSY,
    "http://a.example/?Page=2",
    "http://a.example/?page=2",
    stage=Stage.ITEMS,
    kind=Names(),
    value=["page"],
    act={"each": True},
)
def lowercase_names(items: Items, *, names: NameTable) -> Items:
    """Lower-case the names themselves of the named parameters, for sites that read them in any case (ASP, JSP)."""
    return [(encoded(decoded(n).lower()), v) if names[decoded(n)] else (n, v) for n, v in items]


@rule(
    LOSSY,
    "http://a.example/?lang=EN",
    "http://a.example/?lang=en",
    stage=Stage.ITEMS,
    kind=Names(),
    value=["lang"],
    act={"each": True},
)
def lowercase_params(items: Items, *, names: NameTable) -> Items:
    """Lower-case the value of the named parameters, for values that the site reads in any case."""
    return [(n, encoded(decoded(v).lower())) if names[decoded(n)] else (n, v) for n, v in items]


@rule(
    LOSSY,
    "http://a.example/?page=007",
    "http://a.example/?page=7",
    stage=Stage.ITEMS,
    kind=Names(),
    value=["page"],
    act={"each": True},
)
def numeric_params(items: Items, *, names: NameTable) -> Items:
    """Drop the leading zeros of the named parameters where the value is a whole number: `007` is `7`."""
    return [(n, v.lstrip("0") or "0") if _is_number.fullmatch(v) and names[decoded(n)] else (n, v) for n, v in items]


_is_number = Regex("[0-9]+")


@rule(
    LOSSY,
    "http://a.example/?hb=refs/heads/master",
    "http://a.example/?hb=HEAD",
    stage=Stage.ITEMS,
    kind=ValueAliases(),
    value={"hb": [["HEAD", "refs/heads/master"]]},
    act={"each": True},
)
def map_params(items: Items, *, names: Mapping[str, tuple[str, tuple[Aliases, ...]]]) -> Items:
    """Replace values that mean the same by the first of their group; `false` in a group stands for absence.

    Where `false` comes first the parameter is dropped; where it stands later, an absent parameter is added.
    """
    out = []
    present = set()
    for name, value in items:
        key = ascii_fold(decoded(name))
        present.add(key)
        plain = decoded(value)
        for group in names.get(key, ("", ()))[1]:
            if plain in group.values:
                kept = group.values[0]
                if kept is not None:
                    out.append((name, encoded(kept)))
                break
        else:
            out.append((name, value))
    for key, (written, groups) in names.items():
        if key not in present:
            firsts = [g.values[0] for g in groups if None in g.values]
            out += [(encoded(written), encoded(first)) for first in firsts if first is not None]
    return out


@rule(
    LOSSY,
    "http://a.example/?id=wiki:start",
    "http://a.example/?id=wiki:",
    stage=Stage.ITEMS,
    kind=NamedEdits(),
    value={"id": {"pattern": "^(.*:)?[^:]*$", "replace": r"\1"}},
    act={"each": True},
)
def rewrite_params(items: Items, *, names: Mapping[str, tuple[Edit, ...]]) -> Items:
    """Rewrite the decoded value of a parameter by a pattern; an edit should leave its own result alone.

    `replace` is a template as in `sub`.
    """
    out = []
    for name, value in items:
        edits = names.get(ascii_fold(decoded(name)))
        if edits:
            plain = before = decoded(value)
            for edit in edits:
                # an optional group that did not take part is empty, as re.sub has it
                plain = edit.pattern.sub(edit.replace, plain)
            if plain != before:
                value = encoded(plain)
        out.append((name, value))
    return out


@rule(
    LOSSY,
    "http://a.example/?cols=b,a",
    "http://a.example/?cols=a,b",
    stage=Stage.ITEMS,
    kind=Texts("separator", sample="b{}a"),
    value={"cols": ","},
    act={"each": True},
)
def unordered_values(items: Items, *, names: Mapping[str, str]) -> Items:
    """Sort the parts of a value that is a set (`a,b` = `b,a`), given its separator; repeats are dropped."""
    out = []
    for name, value in items:
        separator = names.get(ascii_fold(decoded(name)))
        if separator:
            plain = decoded(value)
            parts = separator.join(sorted(set(plain.split(separator))))
            if parts != plain:
                value = encoded(parts)
        out.append((name, value))
    return out
