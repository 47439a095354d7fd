"""Pages of days, seats, squares, and ages in words, drawn by lot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.visits.pages import NAMES

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator


def grids(count: int, chance: random.Random) -> Iterator[bytes]:
    """Pages of days, seats and squares."""
    states = ("a", "b", "a today", "odd", "a&amp;b c", "x-even", "A\u00a0b", "")
    colours = ("", "", " bgcolor=red", " bgcolor=lime", " title=x")
    texts = ("", "", "7", "31", "&nbsp;", " 7 ", "\u00a0", "7\u00a0", "1234", "x", "7<!-- -->")
    for _ in range(count):
        parts = []
        for _ in range(chance.randint(1, 4)):
            tags = chance.choices(("td", "th", "div", "span", "a", "i", "li", "b", "p"), k=chance.choice([1, 1, 3]))
            parts.append(f"<{chance.choice(['table><tr', 'div', 'ul', 'p', 'span'])}>")
            for tag in chance.choices(tags, k=chance.choice([3, 19, 20, 60])):
                name = chance.choice(NAMES) if chance.random() < 0.1 else "class"
                parts.append(f"<{tag} {name}='{chance.choice(states)}'{chance.choice(colours)}>")
                parts.append(f"{chance.choice(texts)}</{tag}>")
                if chance.random() < 0.1:
                    parts.append(chance.choice([" ", ", <i>x</i>", "<tr>"]))
        yield "".join(parts).encode()


def ages(count: int, chance: random.Random) -> Iterator[bytes]:
    """Pages of ages in words, of dates, and of pieces of both."""
    dates = (
        "11/27/2026 01:49 PM",
        "2026-11-27T13:49:00.000Z",
        "27 de x de 2026, 13:49",
        "a b 27 2026 1:49",
        "1764251342",
    )
    pieces = (
        "2026",
        "1999",
        "27",
        "1",
        ":49",
        ":4",
        "-",
        "/",
        ".",
        " ",
        "a",
        "é",
        "\u00a0",
        "&amp;",
        "&nbsp;",
        "+01:00",
        "2100",
        "1" * 50,
    )
    texts = (
        "20 minutes ago",
        " 5\n",
        "2",
        "33",
        "m",
        "M",
        "é",
        "\u20ac",
        "£",
        "\u2c00",
        "\u1fff",
        "&nbsp;",
        "&lt;",
        "x" * 31,
        "\u5206",
        "\f",
    )
    for _ in range(count):
        parts = ["<p>by "]
        for tag in chance.choices(
            ("a", "abbr", "small", "span", "time", "b", "p", "svg", "mi"), k=chance.choice([1, 3, 9])
        ):
            parts.append(f"<{tag}")
            for name in chance.choices(
                ("title", "datetime", "data-time", "data-utime", "data-timestamp", "class"), k=chance.randint(0, 3)
            ):
                value = (
                    chance.choice(dates)
                    if chance.random() < 0.5
                    else "".join(chance.choices(pieces, k=chance.randint(1, 9)))
                )
                parts.append(f' {name}="{value}"')
            parts.append(">" + "".join(chance.choices(texts, k=chance.choice([1, 1, 2, 3]))))
            parts.append(
                chance.choice(
                    [f"</{tag}>"] * 6
                    + [f"<!-- --></{tag}>", f"<i>x</i></{tag}>", "", f"</{tag}> ago<p>", f"<br></{tag}>"]
                )
            )
        yield "".join(parts).encode()
