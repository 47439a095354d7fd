"""Pages that a script draws in the browser are not counted as one, nor is anything proposed for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.report.crawls import Crawl, found, prose

if TYPE_CHECKING:
    from pathlib import Path

SHELL = ["Loading the product, one moment please, it will be here as soon as your browser has drawn it."]
PRODUCTS, ARTICLES = 60, 60


def data(number: int) -> str:
    return f'<script type="application/json">{{"name": "A chair of oak {number} of many"}}</script>'


def crawl(**products: Any) -> Crawl:
    """Articles with titles of their own, forms to log in that bear them, too, and products that are drawn."""
    made = Crawl()
    for n in range(ARTICLES):
        made.page(f"/blog/{n}", prose(f"article{n}"), f"Article {n}")
        made.page(
            f"/login?next=/blog/{n}", ["Please log in with your name and password to write a comment"], f"Article {n}"
        )
    for n in range(PRODUCTS):
        values = {name: value(n) if callable(value) else value for name, value in products.items()}
        made.page(f"/p/{n}", **values)
    return made


DRAWN: dict[str, dict[str, Any]] = {
    "a title": {"lines": SHELL, "title": lambda n: f"Chair {n * 7919 % 1009}"},
    "data": {"lines": lambda n: [*SHELL, data(n)]},
    "data, and hardly a word": {"lines": lambda n: ["One moment", data(n)]},
}


@pytest.mark.parametrize("products", DRAWN.values(), ids=DRAWN)
@pytest.mark.thorough
def test_what_is_drawn_in_the_browser_is_unknown(products: dict[str, Any], tmp_path: Path) -> None:
    totals = found(crawl(**products), tmp_path)["totals"]
    assert totals["duplicates"] == ARTICLES - 1  # the forms
    assert totals["unknown_content"] == PRODUCTS
    assert totals["pages"] == ARTICLES + 1 + PRODUCTS


def test_the_same_drawn_page_twice_is_a_duplicate_under_one_key_alone(tmp_path: Path) -> None:
    made = crawl(**DRAWN["a title"])
    for n in range(PRODUCTS):
        made.page(f"/p/{n}?from=list", SHELL, f"Chair {n * 7919 % 1009}")
        made.page(f"/p/{n}", SHELL, f"Chair {n * 7919 % 1009}")
    assert found(made, tmp_path)["totals"]["duplicates"] == ARTICLES - 1 + PRODUCTS


def test_one_text_under_one_title_is_one_page(tmp_path: Path) -> None:
    totals = found(crawl(lines=SHELL, title="No such product"), tmp_path)["totals"]
    assert totals["duplicates"] == ARTICLES - 1 + PRODUCTS - 1
    assert totals["unknown_content"] == 0
