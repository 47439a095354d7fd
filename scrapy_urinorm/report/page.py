"""The page: what was found, a template, a style sheet and two scripts, all in one file."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined

from scrapy_urinorm.report import drawing
from scrapy_urinorm.report.headline import cards, sentences
from scrapy_urinorm.report.tables import tables

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
