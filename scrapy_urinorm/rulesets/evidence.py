"""What a row of `[[evidence]]` may say: what reads rows (`learn`, `validate`, the report) need not doubt it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from scrapy_urinorm.rules import CATALOGUE
from scrapy_urinorm.rules.kinds import ByName, Edits, Names
from scrapy_urinorm.rulesets.scopes import check_body


def wrong_in(row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield what is wrong in a row: key, message and hint; a key that is not known is left to those who know it."""
    for key, value in row.items():
        known = _CHECKS.get(key)
        if known is not None and not known[0](value):
            yield key, f"{value!r} is not {known[1]}", known[2]
    if "value" in row:
        yield from _wrong_value(row)


def _wrong_value(row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    name, value = row.get("rule"), row["value"]
    rule = CATALOGUE.get(name) if isinstance(name, str) else None
    if not _is_plain(value):
        yield "value", f"{value!r} is not the value of a rule", ""
    elif rule is None:
        return
    elif isinstance(rule.kind, Names) and not (isinstance(value, (list, tuple)) and all(map(_is_name, value))):
        yield "value", f"{value!r} is not a list of names", 'write ["ref"]'
    elif isinstance(rule.kind, (Edits, ByName)) and not isinstance(value, type(rule.value)):
        yield "value", f"{value!r} is not {_SHAPES[type(rule.value)]}", ""
    elif row.get("status") == "active":
        found: list[tuple[str, str, str]] = []
        scope = "where" if row.get("where") else "site"
        check_body({rule.name: value}, lambda _, message, hint: found.append(("value", message, hint)), scope=scope)
        yield from found


def _is_name(entry: Any) -> bool:
    return isinstance(entry, str) or (isinstance(entry, dict) and isinstance(entry.get("name", ""), str))


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return isinstance(value, (str, int, float))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_share(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def _is_where(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("query", {}), dict):
        return False
    return _is_text(value.get("path", "")) or _are_texts(value["path"])


def _list_of(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, (list, tuple)) and all(map(check, value))


_are_texts = _list_of(_is_text)
_SHAPES: dict[type, str] = {dict: "a table", list: "a list"}
_TEXT = (_is_text, "text", "")
_COUNT = (_is_count, "a count", "a whole number, without quotes")
_SHARE = (_is_share, "a share", "a number from 0 to 1")
_are_pairs = _list_of(lambda pair: _are_texts(pair) and len(pair) == 2)
_PAIRS = (_are_pairs, "a list of pairs of URLs", 'write [["http://shop.example/a?ref=1", "http://shop.example/a"]]')
_CHECKS: dict[str, tuple[Callable[[Any], bool], str, str]] = {
    **dict.fromkeys(("status", "site", "rule", "source", "why", "graph"), _TEXT),
    **dict.fromkeys(("support", "against", "saved"), _COUNT),
    **dict.fromkeys(("risk", "confidence", "exact"), _SHARE),
    **dict.fromkeys(("examples", "counterexamples"), _PAIRS),
    "this_host": (lambda value: isinstance(value, bool), "true or false", ""),
    "where": (_is_where, "a table of conditions", 'write { path = "/forum/**" }'),
    "except": (_list_of(_is_where), "a list of tables of conditions", 'write [{ path = "/forum/**" }]'),
    "crawls": (_are_texts, "a list of texts", ""),
}
