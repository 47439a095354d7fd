"""`urinorm presets`: the rule files that come with the package."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from scrapy_urinorm.cli.display import say, show_table, write_json
from scrapy_urinorm.cli.project import Json  # noqa: TC001  read at run time
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.rulesets.sources import parse_toml, resource


def presets(
    name: Annotated[
        str | None, typer.Argument(metavar="[PRESET]", help="Show its rules, and why each of them is there.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the presets, or the rules of one with the reason for each entry.

    Examples:
    - `urinorm presets`

    - `urinorm presets recommended`
    """
    from scrapy_urinorm.rules.kinds import nearest
    from scrapy_urinorm.rulesets.ruleset import PRESETS

    if name is None:
        found = [preset(one) for one in PRESETS]
        if as_json:
            for one in found:
                write_json({key: one[key] for key in ("name", "version", "about", "entries")})
        else:
            rows = [(f"{one['name']}@{one['version']}", one["entries"], one["about"]) for one in found]
            show_table(("preset", "entries", "about"), rows, fold=("about",))
        return
    base, at, version = name.partition("@")
    if base not in PRESETS:
        raise UrinormError(f"there is no preset {name!r}; {nearest(name, PRESETS) or ' | '.join(PRESETS)}")
    one = preset(base)
    if at and version != str(one["version"]):
        raise UrinormError(f"preset {base} has no version {version!r} (this package has {base}@{one['version']})")
    if as_json:
        write_json(one)
        return
    say(f"{one['name']}@{one['version']}", "bold")
    say(one["about"])
    say()
    show_table(("rule", "entry", "value", "why"), one["rows"], fold=("value", "why"))


def preset(name: str) -> dict[str, Any]:
    """A preset as data: its rules, one row an entry, with those of the presets that it builds on."""
    text = resource("scrapy_urinorm.rulesets", f"presets/{name}.toml")
    data = parse_toml(text)
    base = preset(data["preset"].partition("@")[0]) if "preset" in data else None
    rows = [*(base["rows"] if base else ()), *_rows(data.get("rules", {}))]
    return {
        "name": name,
        "version": data["version"],
        "about": about(text),
        "on": data.get("preset"),
        "entries": len(rows),
        "rows": rows,
    }


def about(text: str) -> str:
    """The comment at the top of a preset file, one paragraph."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        if line == "#":
            break
        lines.append(line.removeprefix("#").strip())
    return " ".join(lines)


def _rows(rules: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    rows = []
    for rule, value in rules.items():
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, dict):
                rows.append((rule, str(entry.get("name", "")), str(entry.get("value", "")), str(entry.get("why", ""))))
            else:
                rows.append((rule, str(entry), "", ""))
    return rows
