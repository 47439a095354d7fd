"""`urinorm rules`: the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from scrapy_urinorm.cli.display import completing, console, is_terminal, say, show_change, show_table, write_json
from scrapy_urinorm.cli.project import Json  # noqa: TC001  read at run time
from scrapy_urinorm.errors import UrinormError

if TYPE_CHECKING:
    from scrapy_urinorm.rules import Rule

_SCOPES = {"any": "site, host, where", "site": "site, host", "path": "site, host, where without query", "file": "file"}


# the columns that a table of five takes without breaking words
_WIDE = 90


def rule_names() -> list[str]:
    """The names of all rules."""
    from scrapy_urinorm.rules import CATALOGUE

    return list(CATALOGUE)


def rules(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RULE]...", help="Show these in full.", autocompletion=completing(rule_names)),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the rules that a table may hold: safety class, value and an example.

    Examples:
    - `urinorm rules`

    - `urinorm rules remove_params default_params`
    """
    from scrapy_urinorm.rules import CATALOGUE

    shown = [known_rule(name) for name in names or CATALOGUE]
    if as_json:
        for rule in shown:
            write_json(_to_dict(rule))
    elif names:
        for rule in shown:
            _show(rule)
    elif is_terminal() and console().width < _WIDE:
        for rule in shown:
            say(f"{rule.name}  ({rule.part}, {rule.safety.value})", "bold")
            say(f"  {rule.summary}")
            say(f"  {rule.kind.describe()}", "dim")
    else:
        show_table(
            ("rule", "part", "class", "value", "what it does"),
            [(r.name, r.part, r.safety.value, r.kind.describe(), r.summary) for r in shown],
            fold=("value", "what it does"),
        )


def known_rule(name: str) -> Rule:
    """The rule of a name; raises UrinormError with the nearest one."""
    from scrapy_urinorm.rules import CATALOGUE
    from scrapy_urinorm.rules.kinds import nearest

    if name not in CATALOGUE:
        raise UrinormError(f"there is no rule {name!r}; {nearest(name, CATALOGUE) or '`urinorm rules` lists them'}")
    return CATALOGUE[name]


def _to_dict(rule: Rule) -> dict[str, Any]:
    return {
        "name": rule.name,
        "part": rule.part,
        "class": rule.safety.value,
        "value": rule.kind.describe(),
        "scope": _SCOPES[rule.scope],
        "splits": rule.splits,
        "summary": rule.summary,
        "doc": rule.doc,
        "example": {"value": rule.value, "before": rule.before, "after": rule.after, "with": dict(rule.extra)},
    }


def _show(rule: Rule) -> None:
    from scrapy_urinorm.importers.document import toml_value

    say(rule.name, "bold")
    for name, text in (
        ("class", rule.safety.value), ("part", rule.part), ("value", rule.kind.describe()), ("in", _SCOPES[rule.scope]),
    ):  # fmt: skip
        say(f"  {name:<8}{text}")
    say(f"  example {rule.name} = {toml_value(rule.value)}")
    for name, value in rule.extra.items():
        say(f"          {name} = {toml_value(value)}")
    if rule.before:
        show_change(rule.before, rule.after, " " * 10)
    say()
    for line in rule.doc.splitlines():
        say(f"  {line}".rstrip())
    if rule.splits:
        say("  It may keep apart URLs that Scrapy's own fingerprint merges.")
    say()
