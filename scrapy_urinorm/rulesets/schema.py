"""The JSON Schema of a rule file, made from the catalogue: editors complete and check `urinorm.toml` with it."""

from __future__ import annotations

from typing import Any

from scrapy_urinorm.rules import CATALOGUE
from scrapy_urinorm.rulesets import platforms
from scrapy_urinorm.rulesets.ruleset import PRESETS
from scrapy_urinorm.rulesets.scopes import CONDITION_KEYS

#: Where an editor may fetch the schema of the newest release.
SCHEMA_ID = "https://scrapy-urinorm.readthedocs.io/en/stable/_static/urinorm.schema.json"

_TEXT = {"type": "string"}
_PAIRS = {"type": "array", "items": {"type": "array", "items": _TEXT, "minItems": 2, "maxItems": 2}}


def rule_file_schema() -> dict[str, Any]:
    """The schema (JSON Schema 2020-12) of a rule file, whether TOML or JSON."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "Rules of scrapy-urinorm",
        "description": "Which URLs are one page, for every site, a site and its subdomains, or one host.",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "$schema": _TEXT,
            "preset": {
                "description": "The rules to start from.",
                "type": "string",
                "pattern": f"^({'|'.join(PRESETS)})(@\\d+)?$",
                "default": "recommended",
                "examples": list(PRESETS),
            },
            "include": {
                "description": "Rule files that are read before this one; a path is relative to this file.",
                "anyOf": [_TEXT, {"type": "array", "items": _TEXT}],
            },
            "version": {"description": "The version of a preset.", "type": "integer"},
            "rules": {"description": "Rules for every site.", "$ref": "#/$defs/table"},
            "site": {
                "description": "Rules for a domain and its subdomains, on any port.",
                "type": "object",
                "additionalProperties": {"$ref": "#/$defs/table"},
            },
            "host": {
                "description": "Rules for exactly one host, or host:port.",
                "type": "object",
                "additionalProperties": {"$ref": "#/$defs/table"},
            },
            "evidence": {
                "description": "What `urinorm learn` saw; read by people and by `urinorm validate`.",
                "type": "array",
                "items": {"type": "object"},
            },
        },
        "$defs": {
            "table": _table(
                [name for name, rule in CATALOGUE.items() if rule.scope != "file"],
                {
                    "where": {
                        "description": "Rules for a part of the URLs: those that all conditions hold for.",
                        "type": "array",
                        "items": {"$ref": "#/$defs/where"},
                    },
                    "platform": {
                        "description": "The programs that the site runs, whose packs come below the table's own rules.",
                        "anyOf": [_platform(), {"type": "array", "items": _platform()}],
                    },
                    "rewrite_requests": {
                        "description": "Rules whose edits are also made in the request that is sent.",
                        "type": "array",
                        "items": {"enum": list(CATALOGUE)},
                    },
                },
            ),
            "where": {
                **_table(
                    [name for name, rule in CATALOGUE.items() if rule.may_stand_in(())],
                    {
                        "path": {
                            "description": (
                                "Globs on the path: `*` within a segment, `**` across any,"
                                " `<7-12>` a number from 7 to 12 (also `<7->`, `<-12>`)."
                            ),
                            "anyOf": [_path(), {"type": "array", "items": _path()}],
                        },
                        "query": {
                            "description": (
                                "Conditions on parameters, all of which must hold. A name with a slash and a wildcard"
                                " is a glob, as in `path`: of the paths that programs have in their query"
                                " (`index.php?/shop/7`)."
                            ),
                            "type": "object",
                            "additionalProperties": {"$ref": "#/$defs/condition"},
                        },
                    },
                ),
                "anyOf": [{"required": ["path"]}, {"required": ["query"]}],
                "dependentSchemas": {
                    name: {"properties": {"query": False}}
                    for name, rule in CATALOGUE.items()
                    if rule.may_stand_in(()) and not rule.may_stand_in(("query",))
                },
            },
            "condition": _condition(),
        },
    }


def _platform() -> dict[str, Any]:
    name = {"type": "string", "examples": list(platforms.names()), "description": "A pack, or a file ending in .toml."}
    return {
        "anyOf": [
            name,
            {
                "type": "object",
                "required": ["name"],
                "additionalProperties": False,
                "properties": {
                    "name": name,
                    "path": {"description": "The directory that the program is installed in.", "pattern": "^/"},
                    "all": {
                        "description": "Also what no crawl has proven, but what a setting of the program decides.",
                        "type": "boolean",
                    },
                    "without": {
                        "description": "Lines that are left out, by their id.",
                        "type": "array",
                        "items": _TEXT,
                    },
                },
            },
        ]
    }


def _path() -> dict[str, Any]:
    return {"type": "string", "pattern": "^[/*]"}


def _condition() -> dict[str, Any]:
    value = {"type": ["string", "number"]}
    bound = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}]}
    shapes = {"below": bound, "above": bound, "matches": {"type": "string", "format": "regex"}}
    return {
        "description": (
            'A value, a list of values, a glob, true (present), "+" (present and not empty), false (absent), or below,'
            " above (a number, or a date as in 2024-01-31), matches."
        ),
        "anyOf": [
            value,
            {"type": "boolean"},
            {"type": "array", "items": {"anyOf": [value, {"const": False}]}, "minItems": 1},
            {
                "type": "object",
                "properties": {key: shapes[key] for key in CONDITION_KEYS},
                "additionalProperties": False,
                "minProperties": 1,
            },
        ],
    }


def _table(rules: list[str], others: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for name in rules:
        rule = CATALOGUE[name]
        properties[name] = {
            "description": f"{rule.summary}\n\nClass: {rule.safety.value}. Value: {rule.kind.describe()}.",
            "examples": [rule.value],
            **rule.kind.schema(),
        }
    properties |= others
    properties["examples"] = {"description": "Pairs of URLs that must get one key; checked at load.", **_PAIRS}
    properties["distinct"] = {"description": "Pairs of URLs that must not get one key; checked at load.", **_PAIRS}
    return {"type": "object", "additionalProperties": False, "properties": properties}
