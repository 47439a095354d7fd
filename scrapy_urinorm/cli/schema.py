"""`urinorm schema`: the JSON Schema of rule files."""

from __future__ import annotations

import json


def schema() -> None:
    """Print a JSON Schema of `urinorm.toml`, by which editors complete and check it.

    Example: `urinorm schema > urinorm.schema.json`, and `#:schema ./urinorm.schema.json` as the first line of the rule
    file (Even Better TOML, Taplo, and other editors that know this comment).
    """
    from scrapy_urinorm.rulesets.schema import rule_file_schema

    print(json.dumps(rule_file_schema(), indent=2))
