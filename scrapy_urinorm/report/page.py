"""The page: what was found, a template, a style sheet and two scripts, all in one file."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import Environment, StrictUndefined

from scrapy_urinorm.report import drawing
from scrapy_urinorm.report.headline import cards, octets, sentences, share

_ASSETS = files("scrapy_urinorm.report") / "assets"


def page(found: dict[str, Any]) -> str:
    """Return the HTML page of what was found.

    Nothing in it can act: data stand in a script element that browsers do not run, `report.js` writes them as text,
    and a Content Security Policy allows only our two scripts, by their hash, and no connection at all.
    """
    style, script, chart = _asset("report.css"), _asset("report.js"), _chart()
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_asset("report.html.j2"))
    return template.render(
        found=found,
        cards=cards(found),
        sentences=sentences(found),
        tables=tables(found),
        bars=drawing.bars(found["by_requests"]) if found["by_requests"]["rows"] else None,
        ways=drawing.ways(found["proposals"]["trial"]) if found["proposals"] and found["proposals"]["trial"] else None,
        way_names=drawing.WAYS,
        outcome_names=drawing.OUTCOMES,
        size=(drawing.WIDTH, drawing.HEIGHT),
        style=style,
        script=script,
        chart=chart,
        style_hash=_hash(style),
        script_hash=_hash(script),
        chart_hash=_hash(chart),
        data=in_script(found),
    )


def in_script(data: Any) -> str:
    """JSON that can stand in a script element: nothing in it looks like markup."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text("utf-8")


def _chart() -> str:
    """Chart.js; without the comment that would make a browser look for its source map."""
    return "\n".join(line for line in _asset("chart.umd.min.js").splitlines() if not line.startswith("//#"))


def _hash(text: str) -> str:
    """What the policy calls an inline element (CSP 3, hash source)."""
    return "sha256-" + b64encode(hashlib.sha256(text.encode()).digest()).decode()


ROWS = 50
"""Rows of a table in the HTML; with script all can be looked at, and the JSON twin has them."""

Row = dict[str, Any]


class ShownTable(NamedTuple):
    """A table for people: the heads, which of them are numbers, the rows as texts, and how many more there are."""

    name: str
    heads: list[str]
    numbers: list[bool]
    rows: list[list[str]]
    more: int


class _Column(NamedTuple):
    label: str
    text: Callable[[Row], str]
    number: bool = False


def _text(label: str, key: str) -> _Column:
    return _Column(label, lambda row: str(row.get(key, "")))


def _number(label: str, key: str) -> _Column:
    return _Column(label, lambda row: f"{row[key]:,}" if row.get(key) is not None else "", number=True)


_COUNTS = [
    _number("requests", "requests"), _number("new pages", "pages"), _number("duplicates", "duplicates"),
    _number("redirects", "redirects"), _number("errors", "errors"), _number("rules avoid", "avoidable"),
    _number("still wasted", "left_over"), _Column("wasted", lambda row: octets(row["wasted_bytes"]), number=True),
]  # fmt: skip

_TABLES: dict[str, tuple[str, list[_Column]]] = {
    "traps": ("Crawl traps", [
        _text("sign", "kind"), _Column("where", lambda row: " ".join(filter(None, (row["host"], row["detail"])))),
        _number("requests", "requests"), _number("new pages", "pages"), _number("duplicates", "duplicates"),
        _Column("example", lambda row: next(iter(row["examples"]), "")), _text("rule", "toml"),
    ]),
    "hosts": ("By host", [_text("host", "host"), *_COUNTS]),
    "patterns": ("By path", [_text("host", "host"), _text("path", "pattern"), *_COUNTS]),
    "suspicious": ("Suspicious merges", [
        _text("key", "key"), _Column("members", lambda row: "\n".join(one["url"] for one in row["members"])),
        _Column("by", lambda row: ", ".join(row["rules"])), _number("addresses", "urls"), _number("lost", "lost"),
        _Column("least alike", lambda row: share(row["least"], 1), number=True),
    ]),
    "rules": ("Rules", [
        _Column("rule", lambda row: f"{row['rule']} {row['name']}".strip()),
        _Column("written", lambda row: f"{row['scope']} {row['source']}".strip()), _number("changed", "changed"),
        _number("avoided", "avoided"), _number("agree", "agrees"), _number("differ", "differs"),
        _Column("risk", lambda row: "" if row["risk"] is None else share(row["risk"], 1), number=True),
    ]),
    "groups": ("Pages with most addresses", [
        _Column("addresses of one page", lambda row: "\n".join(row["members"])),
        _Column("differ in", lambda row: ", ".join(row.get("differ", ()))), _number("addresses", "urls"),
        _number("requests", "requests"), _number("left", "left"),
    ]),
    "parameters": ("Parameters", [
        _text("parameter", "name"), _text("site", "site"), _text("verdict", "verdict"),
        _Column("share", lambda row: "" if row.get("share") is None else share(row["share"], 1), number=True),
        _number("requests", "requests"), _number("values", "values"), _number("contents", "contents"),
        _number("rules drop", "dropped"), _text("proposal", "rule"), _text("example", "example"),
    ]),
}  # fmt: skip


def tables(found: dict[str, Any]) -> dict[str, ShownTable]:
    """The tables of what was found, by section."""
    out = {section: _table(name, columns, found[section]) for section, (name, columns) in _TABLES.items()}
    proposed = found["proposals"]["rules"] if found["proposals"] else []
    out["proposals"] = _table("Proposals", _PROPOSALS, proposed)
    return out


_PROPOSALS = [
    _Column("", lambda row: "safe by evidence" if row["active"] else "look first"), _text("site", "site"),
    _text("why", "why"), _number("fewer requests", "saved"), _number("agree", "agrees"), _number("differ", "differs"),
    _text("rule", "toml"),
]  # fmt: skip


def _table(name: str, columns: Sequence[_Column], rows: Sequence[Row]) -> ShownTable:
    shown = [[column.text(row) for column in columns] for row in rows[:ROWS]]
    return ShownTable(
        name, [one.label for one in columns], [one.number for one in columns], shown, max(0, len(rows) - ROWS)
    )
