"""What was seen of a parameter says nothing of addresses that also have another one, beside which it never stood."""

from __future__ import annotations

from itertools import product

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import learn
from scrapy_urinorm.visits.record import Visit, visit_from_row

HOST = "http://a.example"
ITEMS = range(40)


def page(path: str, text: str) -> Visit:
    return visit_from_row({"url": HOST + path, "status": 200, "text_digest": text, "words": 100})


def normalizer_of(visits: list[Visit]) -> Normalizer:
    return Normalizer(learn(visits).rules)


def marked(given: tuple[str, ...]) -> list[Visit]:
    """Items, each at several addresses."""
    return [page(f"/item/{n}{one}", f"item {n}") for n, one in product(ITEMS, ("", *given))]


EDITS = {
    "dropped": ("?ref=7", "?ref=8", "?ref=9"),
    "default value": ("?ref=7",),
    "value alias": ("?ref=7", "?ref=8"),
}


@pytest.mark.parametrize("given", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("met", [1, 4, 40])
@pytest.mark.thorough
def test_beside_what_chooses_a_page_nothing_is_said(given: tuple[str, ...], met: int) -> None:
    """Items have numbers in their paths, so that it is another path each time at which `with` stands."""
    visits = marked(given)
    if given == EDITS["value alias"]:
        visits += [page(f"/item/{n}?ref=x{n}", f"other {n}") for n in ITEMS]
    visits += [page(f"/item/{n}?with={n + 1}", f"compared {n}") for n in ITEMS[:met]]
    normalizer = normalizer_of(visits)
    first, second = given[0], given[-1] if len(given) > 1 else "?"
    assert normalizer.key(f"{HOST}/item/3{first}") == normalizer.key(f"{HOST}/item/3{second}")
    beside = [f"{HOST}/item/3{one}{'&' if one[1:] else ''}with=9" for one in (first, second)]
    assert normalizer.key(beside[0]) != normalizer.key(beside[1])


def test_beside_what_chooses_nothing_itself_it_is_dropped_all_the_same() -> None:
    visits = marked(("?ref=7", "?ref=8", "?ref=9"))
    visits += [page(f"/item/{n}?ref=home&pos={n % 9}", f"item {n}") for n in ITEMS[::3]]
    normalizer = normalizer_of(visits)
    assert normalizer.key(f"{HOST}/item/3?ref=9&pos=5") == normalizer.key(f"{HOST}/item/3?pos=5")


def test_what_was_seen_beside_it_is_dropped_there() -> None:
    visits = marked(("?ref=7", "?ref=8", "?ref=9"))
    visits += [page(f"/item/{n}?ref={r}&part=2", f"second {n}") for n, r in product(ITEMS, (7, 8, 9))]
    normalizer = normalizer_of(visits)
    assert normalizer.key(f"{HOST}/item/3?ref=12&part=2") == normalizer.key(f"{HOST}/item/3?part=2")


def test_what_stands_at_other_paths_says_nothing_here() -> None:
    visits = marked(("?ref=7", "?ref=8", "?ref=9"))
    visits += [page(f"/plan/{n}/of?with={n}", f"plan {n}") for n in ITEMS]
    normalizer = normalizer_of(visits)
    assert normalizer.key(f"{HOST}/item/3?ref=7&with=2") == normalizer.key(f"{HOST}/item/3?with=2")
