"""Rows of tables: in another order they are one page, with other cells beside each other another one."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.content import Frame
from scrapy_urinorm.content.table_rows import TD_SLOT
from scrapy_urinorm.visits.walk import _tag_hashes
from tests.content.test_telling import prose, visit

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = [f"{name} {name[::-1]}" for name in prose("names", 12).split()]
TURNED = NAMES[::-1]


def table(*columns: Sequence[object]) -> str:
    rows = ("".join(f"<td>{cell}</td>" for cell in row) for row in zip(*columns, strict=True))
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def in_list(names: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{name}</li>' for name in names)}</ul>"


PAGES = {
    "rows in another order": (table(NAMES, range(12)), table(TURNED, range(12)[::-1]), 1),
    "a ranking of another year": (table(range(12), NAMES), table(range(12), TURNED), 2),
    "a ranking whose numbers come last": (table(NAMES, range(12)), table(TURNED, range(12)), 2),
    "who plays whom": (table(NAMES, NAMES[1:] + NAMES[:1]), table(NAMES, NAMES[2:] + NAMES[:2]), 2),
    "a list in another order": (in_list(NAMES), in_list(TURNED), 1),
    "a column in another order": (table(NAMES), table(TURNED), 1),
}


@pytest.mark.parametrize("others", [0, 30], ids=["alone", "among others"])
@pytest.mark.parametrize(("one", "other", "labels"), PAGES.values(), ids=PAGES)
def test_rows_are_compared_without_their_order(one: str, other: str, labels: int, others: int) -> None:
    more = (table(range(12), random.Random(n).sample(NAMES, 12)) for n in range(others))
    visits = [visit(f"/{n}", f"<h1>Table</h1>{body}") for n, body in enumerate((one, other, *more))]
    frame = Frame()
    for page in visits:
        frame.add(page.lines or b"", page.line_words)
    assert len({frame.content(page).label for page in visits[:2]}) == labels


def test_of_a_table_that_was_cut_only_the_cells_count() -> None:
    """Its last line is a sum of the others, whatever their order."""
    names = [str(n) for n in range(400)]
    pages = [visit("/", table(some, some)) for some in (names, names[::-1])]
    assert len({Frame().content(page).label for page in pages}) == 1


def test_a_cell_is_known_by_its_place_as_the_reader_makes_it() -> None:
    assert _tag_hashes["td"] == TD_SLOT
