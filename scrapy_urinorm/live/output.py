"""What live rules have found, as a rule file for the next crawl."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scrapy_urinorm.importers.document import Document, toml_key, toml_value

_HEAD = (
    "Learned while a crawl ran (URINORM_LIVE). Only what stands in a [site] or [host] table is a rule; each has a row\n"
    "of evidence below. Name this file in `include` to use it."
)


def rule_file(preset: str, sources: Iterable[dict[str, Any]], evidence: Iterable[dict[str, Any]]) -> str:
    """Return a rule file of some rule sources, with their rows of evidence."""
    document = Document(_HEAD)
    for source in sources:
        for kind, scopes in source.items():
            for name, table in scopes.items():
                document.tables[kind, name] = table
    lines = [f"preset = {toml_value(preset)}", "", document.to_toml().rstrip("\n")]
    head, *rest = lines[2].split("\n\n", 1)
    lines = [head, "", lines[0], "", *rest]
    for row in evidence:
        lines += ["", "[[evidence]]", *(f"{toml_key(key)} = {toml_value(value)}" for key, value in row.items())]
    return "\n".join(lines) + "\n"
