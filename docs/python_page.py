"""The page on the Python API, out of signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from typing import Any

HEAD = """
# Python

What may be imported; everything else may change in any release. Types are those of the signatures, and each text says
what is raised. Classes that Scrapy builds from settings are in [settings](settings.md).
"""


def _entries() -> list[tuple[str, Any, tuple[str, ...]]]:
    from scrapy_urinorm import Links, Normalizer, RuleFileError, RuleSet, UrinormError, arrow
    from scrapy_urinorm.extras import MissingExtraError
    from scrapy_urinorm.learn import Options, learn, learn_file
    from scrapy_urinorm.visits import Visit, read_visits

    return [
        ("scrapy_urinorm", Normalizer, ("key", "normalize", "decide", "explain", "lines", "edit")),
        ("scrapy_urinorm", RuleSet, ("load", "digest", "to_dict", "count")),
        ("scrapy_urinorm", Links, ()),
        ("scrapy_urinorm", UrinormError, ()),
        ("scrapy_urinorm", RuleFileError, ()),
        ("scrapy_urinorm.extras", MissingExtraError, ()),
        ("scrapy_urinorm.visits", read_visits, ()),
        ("scrapy_urinorm.visits", Visit, ("to_json",)),
        ("scrapy_urinorm.learn", learn, ()),
        ("scrapy_urinorm.learn", learn_file, ()),
        ("scrapy_urinorm.learn", Options, ("strict",)),
        ("scrapy_urinorm.arrow", arrow.normalize, ()),
        ("scrapy_urinorm.arrow", arrow.key, ()),
        ("scrapy_urinorm.arrow", arrow.decide, ()),
    ]


def page(notice: str) -> str:
    """The text of the page."""
    out = [notice, HEAD]
    for module, one, methods in _entries():
        out.append(_section("##", f"{module}.{one.__name__}", one))
        out += [_section("###", f"{one.__name__}.{name}", inspect.getattr_static(one, name)) for name in methods]
    return "\n".join(out).rstrip() + "\n"


def _section(level: str, name: str, one: Any) -> str:
    function = one.__func__ if isinstance(one, (classmethod, staticmethod)) else one
    try:
        # text as it is written: annotations are not evaluated
        shown = str(inspect.signature(function)).replace("'", "").replace("(self, ", "(").replace("(self)", "()")
        shown = shown.replace("(cls, ", "(").replace("(cls)", "()")
    except (TypeError, ValueError):
        shown = "(...)"
    if isinstance(one, type) and issubclass(one, Exception):
        shown = f"({', '.join(base.__name__ for base in one.__bases__)})"
    doc = _plain(inspect.getdoc(function) or "")
    return f"{level} `{name}`\n\n```text\n{name.rpartition('.')[2]}{shown}\n```\n\n{doc}\n"


def _plain(text: str) -> str:
    """A docstring as Markdown: those of the core are written with two backticks."""
    return re.sub(r":[a-z]+:`~?(?:[\w.]+\.)?([^`]*)`", r"`\1`", text).replace("``", "`")
