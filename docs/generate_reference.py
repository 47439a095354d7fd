"""Write docs/reference/*.md and the JSON Schema from the code, and figures into pages; `--check` says what is stale and changes nothing."""

# ruff: noqa: E501  prose
from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import typer

from scrapy_urinorm.cli import app
from scrapy_urinorm.cli.presets import preset
from scrapy_urinorm.crawl.settings import META, SETTINGS, STATS
from scrapy_urinorm.importers.document import toml_value
from scrapy_urinorm.lint import CODES
from scrapy_urinorm.rules import CATALOGUE
from scrapy_urinorm.rulesets.ruleset import PRESETS
from scrapy_urinorm.rulesets.schema import rule_file_schema
from scrapy_urinorm.rulesets.scopes import CONDITION_KEYS

DOCS = Path(__file__).resolve().parent
NOTICE = "<!-- made by docs/generate_reference.py from the code: do not edit -->\n"
PARTS = {
    "scheme": "Scheme", "userinfo": "User and password", "host": "Host", "port": "Port", "path": "Path",
    "query": "Query", "fragment": "Fragment", "whole": "The whole URL", "body": "Body and headers",
}  # fmt: skip
SCOPES = {
    "any": "site, host, `where`",
    "site": "site, host",
    "path": "site, host, `where` without `query`",
    "file": "file",
}


def cell(text: object) -> str:
    """Text that does not break a table row."""
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(map(cell, row)) + " |" for row in rows)]) + "\n"


def rules() -> str:
    """The catalogue, by part of the URL, in the order of execution."""
    out = [
        f"{NOTICE}\n# Rules\n",
        (
            "Host rules run first, on scheme, port and host; then those on path, query and the whole URL, in the order of"
            " this page.\nNo rule sees the order in which a file writes them. Classes as in RFC 3986 section 6 and the"
            " literature: *safe* rules keep\nthe meaning of every URL and are always on, *usually safe* ones want evidence"
            " such as a redirect, *lossy* ones are right\nwhere a person or a crawl has said so.\n"
        ),
    ]
    everywhere = [("rule", "class", "value", "what it does")]
    rows = [
        (f"[`{r.name}`](#{r.name})", r.safety.value, f"`{r.kind.describe()}`", r.summary) for r in CATALOGUE.values()
    ]
    out.append(table(everywhere[0], rows))
    for part, title in PARTS.items():
        chosen = [rule for rule in CATALOGUE.values() if rule.part == part]
        if not chosen:
            continue
        out.append(f"## {title}\n")
        for rule in chosen:
            out += [f"### {rule.name}\n", rule.doc + "\n"]
            facts = [f"Class: {rule.safety.value}", f"value: `{rule.kind.describe()}`", f"in: {SCOPES[rule.scope]}"]
            out.append(". ".join(["; ".join(facts)]) + ".")
            if rule.splits:
                out.append("It may keep apart URLs that Scrapy's own fingerprint merges.")
            example = [f"{name} = {toml_value(value)}" for name, value in {rule.name: rule.value, **rule.extra}.items()]
            out.append("\n```toml\n" + "\n".join(example) + "\n```\n")
            if rule.before != rule.after:
                out.append(f"```text\n{rule.before}\n{rule.after}\n```\n")
    return "\n".join(out)


def presets() -> str:
    """Every entry of every preset, with its reason."""
    out = [f"{NOTICE}\n# Presets\n", '`preset = "recommended"` is the default; `"recommended@2"` pins a version.\n']
    for name in PRESETS:
        data = preset(name)
        out += [f"## {name}\n", f"Version {data['version']}. {data['about']}\n"]
        rows = data["rows"]
        if data["on"]:
            base = preset(data["on"].partition("@")[0])["rows"]
            rows = rows[len(base) :]
            out.append(f"On top of `{data['on']}`:\n")
        if rows:
            shown = [
                (f"`{rule}`", f"`{entry}`", f"`{value}`" if value else "", why) for rule, entry, value, why in rows
            ]
            out.append(table(("rule", "entry", "value", "why"), shown))
    return "\n".join(out)


def settings() -> str:
    """Settings, meta keys and stats of a crawl."""
    rows = [(f"`{name}`", f"`{one.default!r}`", one.doc) for name, one in SETTINGS.items()]
    return "\n".join(
        [
            f"{NOTICE}\n# Settings, meta keys, stats\n",
            "## Settings\n",
            "All are read before the first request, also of what is off. Where any is wrong, all that are are told.\n",
            table(("setting", "default", "meaning"), rows),
            "## Request meta keys\n",
            table(("key", "meaning"), [(f"`{name}`", doc) for name, doc in META.items()]),
            "## Stats\n",
            table(("stat", "meaning"), [(f"`{name}`", doc) for name, doc in STATS.items()]),
        ]
    )


def commands() -> str:
    """Every command with its options."""
    root: Any = typer.main.get_command(app)
    out = [
        f"{NOTICE}\n# Commands\n",
        (
            "`urinorm COMMAND` and, inside a Scrapy project, `scrapy urinorm COMMAND`, which knows the rules of the project"
            " and,\nwith `scrapy urinorm --spider NAME COMMAND`, those of a spider. Exit codes: 0, 1 for findings and"
            " differences, 2 for errors,\n130 for Ctrl-C. `urinorm --install-completion` sets up the completion of the"
            " shell.\n"
        ),
    ]
    for name, command in root.commands.items():
        for full, one in _leaves(name, command):
            out += [f"## {full}\n", (one.help or "").replace("\f", "").strip() + "\n"]
            rows = [_parameter(p) for p in one.params if p.name != "help"]
            if rows:
                out.append(table(("argument or option", "meaning"), rows))
    out += [
        "## Findings of `check`\n",
        table(("code", "meaning"), [(f"`{code}`", text) for code, text in CODES.items()]),
    ]
    return "\n".join(out)


def _leaves(name: str, command: Any) -> list[tuple[str, Any]]:
    children = getattr(command, "commands", None)
    if children is None:
        return [(name, command)]
    return [(name, command), *((f"{name} {child}", one) for child, one in children.items())]


def _parameter(parameter: Any) -> tuple[str, str]:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar}`", parameter.help or ""
    names = ", ".join(sorted([*parameter.opts, *parameter.secondary_opts], key=len, reverse=True))
    value = f" {parameter.metavar}" if parameter.metavar else ""
    return f"`{names}{value}`", parameter.help or ""


def rule_files() -> str:
    """The grammar of rule files."""
    schema = rule_file_schema()
    top = [(f"`{name}`", one["description"]) for name, one in schema["properties"].items() if "description" in one]
    where = schema["$defs"]["where"]["properties"]
    own = [(f"`{name}`", where[name]["description"]) for name in ("path", "query", "examples", "distinct")]
    return "\n".join(
        [
            f"{NOTICE}\n# Rule files\n",
            (
                "TOML, or JSON where the name ends in `.json`. `urinorm schema` prints the JSON Schema, which is also"
                " [here](../_static/urinorm.schema.json).\nWith `#:schema ./urinorm.schema.json` as its first line, editors"
                " that use Taplo (Even Better TOML and others) complete and\ncheck a rule file.\n"
            ),
            "## Keys of a file\n",
            table(("key", "meaning"), top),
            "## Keys of a `where` table\n",
            "Beside the rules that the [list](rules.md) allows there:\n",
            table(("key", "meaning"), own),
            (
                f"A condition on a parameter is {schema['$defs']['condition']['description'][0].lower()}"
                f"{schema['$defs']['condition']['description'][1:]} Keys of the last: {', '.join(CONDITION_KEYS)}.\n"
            ),
        ]
    )


def index() -> str:
    """The table of contents."""
    names = ("rules", "presets", "platforms/index", "rule-files", "settings", "commands", "python")
    pages = "\n".join(names)
    return f"{NOTICE}\n# Reference\n\n```{{toctree}}\n:maxdepth: 1\n\n{pages}\n```\n"


def _platform_pages() -> dict[str, str]:
    # this file is run as a script and by path, so that its neighbour is not on the path of imports
    made: dict[str, str] = runpy.run_path(str(DOCS / "platform_pages.py"))["pages"]()
    return made


def _figures() -> dict[Path, str]:
    made: dict[Path, str] = runpy.run_path(str(DOCS / "figures.py"))["pages"]()
    return made


def _python_page() -> str:
    made: str = runpy.run_path(str(DOCS / "python_page.py"))["page"](NOTICE)
    return made


def pages() -> dict[Path, str]:
    """Every generated file with its text."""
    reference = DOCS / "reference"
    return {
        reference / "index.md": index(),
        reference / "rules.md": rules(),
        reference / "presets.md": presets(),
        reference / "rule-files.md": rule_files(),
        reference / "settings.md": settings(),
        reference / "commands.md": commands(),
        reference / "python.md": _python_page(),
        **{reference / "platforms" / name: text for name, text in _platform_pages().items()},
        DOCS / "_static" / "urinorm.schema.json": json.dumps(rule_file_schema(), indent=2) + "\n",
        **_figures(),
    }


def stale() -> list[Path]:
    """The generated files that are not what the code says."""
    return [path for path, text in pages().items() if not path.exists() or path.read_text("utf-8") != text]


if __name__ == "__main__":
    found = stale()
    for path in found:
        print(f"{'stale' if '--check' in sys.argv else 'written'}: {path.relative_to(DOCS.parent)}")
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pages()[path], encoding="utf-8")
    sys.exit(1 if found and "--check" in sys.argv else 0)
