"""What is written for people: inert text, tables and marked differences on a terminal, tab-separated text in a pipe."""

from __future__ import annotations

import difflib
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.report.inert import visible as inert

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_PIECES = re.compile(r"[A-Za-z0-9_%~-]+|.", re.DOTALL)


def is_terminal() -> bool:
    """Whether people read what is written to standard output: a terminal, or FORCE_COLOR says so."""
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def console() -> Console:
    """The terminal as it is now; honours NO_COLOR, TERM and the width. Imported here: pipes need not pay for it."""
    from rich.console import Console

    return Console(highlight=False, emoji=False, markup=False, soft_wrap=False)


def say(text: str = "", style: str | None = None) -> None:
    """Write a line."""
    if is_terminal():
        console().print(inert(text), style=style, overflow="fold")
    else:
        print(inert(text))


def completing(words: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """What a shell completes an option or argument with; `words` is called when Tab is pressed."""
    return lambda incomplete: sorted(word for word in words() if word.startswith(incomplete))


def next_step(text: str) -> None:
    """What to do next, for a person who watches; nothing in a pipe."""
    if is_terminal():
        console().print(inert(f"next: {text}"), style="dim", overflow="fold")


def write_json(data: Any) -> None:
    """Write one JSON value on one line; ASCII only, so that it is inert."""
    print(json.dumps(data))


def show_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, fold: Sequence[str] = ()) -> None:
    """Write a table: aligned on a terminal, one line a row with tabs between in a pipe.

    Numbers are aligned to the right; the columns of `fold` may take several lines.
    """
    if not is_terminal():
        for row in rows:
            print("\t".join(inert(_cell(value)) for value in row))
        return
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    body = list(rows)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for at, name in enumerate(columns):
        numbers = all(isinstance(row[at], int) for row in body)
        table.add_column(
            name, justify="right" if numbers else "left", overflow="fold", no_wrap=name not in fold and not numbers
        )
    for row in body:
        table.add_row(*[value if isinstance(value, Text) else Text(inert(_cell(value))) for value in row])
    console().print(table)


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and is_terminal() else str(value)


def say_pieces(*pieces: tuple[str, str]) -> None:
    """Write a line of texts, each in its style."""
    if is_terminal():
        from rich.text import Text

        console().print(Text.assemble(*((inert(text), style) for text, style in pieces)), overflow="fold")
    else:
        print(inert("".join(text for text, _ in pieces)))


def show_change(before: str, after: str, indent: str) -> None:
    """Write what a text was and what it becomes: in one line on a terminal, in two in a pipe."""
    if is_terminal():
        from rich.text import Text

        console().print(Text(indent) + marked(before, after), overflow="fold")
    else:
        print(f"{indent}- {inert(before)}\n{indent}+ {inert(after)}")


def marked(before: str, after: str) -> Text:
    """Both texts in one: what goes is struck through, what comes is underlined, so that it is seen without colour."""
    from rich.text import Text

    old, new = _PIECES.findall(inert(before)), _PIECES.findall(inert(after))
    text = Text(overflow="fold")
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            text.append("".join(old[a:b]))
        else:
            text.append("".join(old[a:b]), "red strike")
            text.append("".join(new[c:d]), "green underline")
    return text
