"""Pages of days, seats and squares, drawn by lot."""

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
