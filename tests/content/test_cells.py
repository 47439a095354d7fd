"""Short cells that tell pages apart together, though each says what others say: marks, prices, what is booked."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import learn
from tests.content.test_telling import HOST, elsewhere, prose, visit

if TYPE_CHECKING:
    from collections.abc import Callable


def drawn(*of: object) -> random.Random:
    return random.Random(str(of))


def marks(number: int, form: int) -> str:
    """The marks of a school in a few subjects: there are six of them."""
    rows = "".join(f"<tr><td>{name}</td><td>{drawn(name, number, form).randrange(6)}</td></tr>" for name in "abcdefgh")
    return f"<table>{rows}</table>"


def plan(number: int, form: int) -> str:
    cells = "".join(f"<td>{'yes' if drawn(n, number, form).random() < 0.5 else 'no'}</td>" for n in range(12))
    return f"<table><tr>{cells}</tr></table>"


def calendar(number: int, form: int) -> str:
    """The days of a month, each with a second line."""
    days = ("free" if drawn(n // 3, number, form).random() < 0.5 else "booked" for n in range(28))
    return f"<table><tr>{''.join(f'<td>{n}<br>{said}</td>' for n, said in enumerate(days))}</tr></table>"


def price(number: int, form: int) -> str:
    """One number, and few of those: every one is that of other rooms, too."""
    return f"<p>{60 + 5 * drawn(number, form).randrange(30)} EUR</p>"


def stock(number: int, form: int) -> str:
    """How many a store has: of four goods in ten none has any."""
    return f"<table><tr><th>Stock</th><td>{drawn(number, form).randrange(9) if number % 5 > 1 else 0}</td></tr></table>"


def course(number: int, form: int) -> str:
    """Of seven courses in ten each term is as the last one."""
    lot = drawn(number, form if number % 10 < 3 else 0)
    return f"<table><tr><td>Room {lot.randrange(40)}</td><td>{lot.choice('abcde')}</td></tr></table>"


TOLD = {
    "marks": marks,
    "yes and no": plan,
    "two lines": calendar,
    "one price": price,
    "some goods": stock,
    "few courses": course,
}


@pytest.mark.parametrize("said", TOLD.values(), ids=TOLD)
@pytest.mark.thorough
def test_cells_tell_pages_apart(said: Callable[[int, int], str]) -> None:
    visits = [
        visit(f"/house/{n}?form={form}", f"<h1>House {n}</h1><div><p>{prose(n)}</p></div>{said(n, form)}", f"House {n}")
        for n in range(60)
        for form in range(4)
    ]
    normalizer = Normalizer(learn(visits).rules)
    assert len({normalizer.key(f"{HOST}/house/999?form={form}") for form in range(4)}) == 4


CREDITS = (3, 4, 5, 6, 8, 10, 12)
#: How many courses have one with another number of credits in the second term, and what numbers there are.
FEW = {
    "one in six": (6, CREDITS, ()),
    "one in twenty": (20, CREDITS, ()),
    "one in three, mostly of one number": (3, (5, 5, 5, 6), ()),
    "one in ten, beside links that say where they are": (10, CREDITS, ("?from=list", "?from=front", "?from=mail")),
    "one in ten, of one number": (10, (5,), ()),
    "none": (1_000, CREDITS, ("?from=list", "?from=front", "?from=mail")),
}


@pytest.mark.parametrize(("rate", "numbers", "others"), FEW.values(), ids=FEW)
def test_a_cell_that_a_value_changes_on_few_pages_is_of_those(
    rate: int, numbers: tuple[int, ...], others: tuple[str, ...]
) -> None:
    visits = [visit(path, body) for path, body in elsewhere()]
    for n, query in itertools.product(range(150), ("", "?term=1", "?term=2", *others)):
        points = drawn(n).choice(numbers) + (n % rate == 9 % rate and query == "?term=2")
        body = f"<h1>Course {n}</h1><div><p>{prose(n)}</p></div><dl><dt>Credits</dt><dd>{points}</dd></dl>"
        visits.append(visit(f"/course/{n}{query}", body, f"Course {n}"))
    normalizer = Normalizer(learn(visits).rules)
    are_told = rate < 150
    assert (normalizer.key(f"{HOST}/course/9?term=2") != normalizer.key(f"{HOST}/course/9")) is are_told


@pytest.mark.parametrize(("cells", "are_told"), [(12, True), (2, False)])
def test_the_plans_of_one_hall_are_a_site(cells: int, are_told: bool) -> None:
    """Beside a sentence they are all that its pages say."""

    def said(week: int) -> str:
        marks = "".join(f"<td>{drawn(n, week).choice(['free', 'booked', 'closed'])}</td>" for n in range(cells))
        return f"<p>The seats of our hall, which are free and which are booked.</p><table><tr>{marks}</tr></table>"

    visits = [visit(f"/plan?week={n}", said(n), "Our hall") for n in range(120)]
    visits += [visit(f"/about/{n}", f"<p>{prose(n)}</p>", f"About {n}") for n in range(12)]
    normalizer = Normalizer(learn(visits).rules)
    assert (normalizer.key(f"{HOST}/plan?week=901") != normalizer.key(f"{HOST}/plan?week=902")) is are_told


def heading(_: int, sort: str, __: int) -> str:
    return f"<h2>Sorted by {sort or 'name'}</h2>"


def marked(_: int, sort: str, __: int) -> str:
    """The order that is asked for stands out, where a program makes it so."""
    return "".join(f"<i>{name}</i>" if name == sort else f"<b>{name}</b>" for name in ("price", "size", "date"))


def advertisement(_: int, __: str, turn: int) -> str:
    return f"<aside>Buy {drawn(turn).randrange(8)}</aside>"


def clock(_: int, __: str, turn: int) -> str:
    return f"<footer>It is 10:{turn % 25:02}</footer>"


ORDERS = ("sort=price", "sort=size", "sort=date")
OTHERS = ("print=1", "ref=1", "from=list", "view=wide")


def seen_before(_: int, __: str, turn: int) -> str:
    """As a wiki's trace: half of the pages are opened after others than the one before."""
    return f"<aside>{drawn(turn if turn // 28 % 2 else 0).randrange(8)}</aside>"


def mostly_asked(number: int, name: str, _: int) -> str:
    """What the address asks for, on half of the pages, and of those on one in five with a word more."""
    return f"<p>In the menu: {name if number % 2 else ''}{' again' if number % 10 > 8 else ''}</p>"


NOISE = {
    "what is mostly an echo": (mostly_asked, ("from=list", "from=front", "from=mail"), 1),
    "a trace, with three things": (seen_before, OTHERS[:3], 1),
    "what the address asks for": (heading, ORDERS, 1),
    "an order that stands out": (marked, ORDERS, 1),
    "advertisements, with whatever is asked for": (advertisement, OTHERS, 1),
    "a clock, with whatever is asked for": (clock, OTHERS, 1),
    "advertisements, from one visit to the next": (advertisement, ("sort=price",), 2),
    "a clock, from one visit to the next": (clock, ("sort=price",), 2),
}


@pytest.mark.parametrize(
    ("said", "queries", "visited"),
    [pytest.param(*row, id=name, marks=[pytest.mark.slow] * ("clock" in name)) for name, row in NOISE.items()],
)
@pytest.mark.thorough
def test_what_tells_no_pages_apart(
    said: Callable[[int, str, int], str], queries: tuple[str, ...], visited: int
) -> None:
    turns = itertools.count()
    visits = []
    for _, n, query in itertools.product(range(visited), range(60), ("", *queries)):
        line = said(n, query.partition("=")[2], 7 * next(turns))
        visits.append(visit(f"/list/{n}?{query}".rstrip("?"), f"{line}<h1>List {n}</h1><div><p>{prose(n)}</p></div>"))
    visits += [visit(path, said(0, "", 7 * next(turns)) + body) for path, body in elsewhere()]
    normalizer = Normalizer(learn(visits).rules)
    for query in queries:
        assert normalizer.key(f"{HOST}/list/7?{query}") == normalizer.key(f"{HOST}/list/7")


@pytest.mark.thorough
def test_the_first_pages_of_a_second_crawl_show_no_clock() -> None:
    visits = []
    for turn, pages in enumerate((60, 6)):
        for n, form in itertools.product(range(pages), range(4 - 3 * turn)):
            body = f"<h1>House {n}</h1><div><p>{prose(n)}</p></div>{marks(n, form + 9 * turn)}"
            visits.append(visit(f"/house/{n}?form={form}", body, f"House {n}"))
    normalizer = Normalizer(learn(visits).rules)
    assert len({normalizer.key(f"{HOST}/house/999?form={form}") for form in range(4)}) == 4
