"""A pack tried on visits: what speaks against a line, and what cannot, as pages differ from themselves."""

from __future__ import annotations

import pytest

from scrapy_urinorm.learn.proof.pack_trial import PackTrial, pack_trials
from scrapy_urinorm.rulesets.platforms import read_pack
from tests.live.sites import Answer, prose, record

PRODUCTS, CATEGORIES = 20, 3
PACK = read_pack(
    "shop",
    """
title = "Shop"
about = "Shops."
[[mark]]
generator = '^Shop'
strong = true
[[line]]
id = "categories"
class = "drop"
proof = "documented"
why = "the way to a product"
source = "its source"
path = "/p"
query = { id = true }
remove_params = ["c"]
examples = [["/p?id=1&c=2", "/p?id=1"]]
distinct = [["/p?id=1", "/p?id=2"]]
""",
)


class Shop:
    """Products at an address in each category, every page with words in a box that are others on each visit; where
    `c_matters` the category chooses the text.
    """

    host, start = "shop.example", "http://shop.example/"

    def __init__(self, *, box: int, c_matters: bool) -> None:
        self._box, self._c_matters = box, c_matters
        self._asked = 0

    def answer(self, target: str) -> Answer:
        self._asked += 1
        head = "<meta name=generator content=Shop>"
        links = tuple(f"/p?id={n}&c={c}" for n in range(PRODUCTS) for c in range(CATEGORIES))
        if not target.startswith("/p?"):
            return Answer(200, f"{head}<p>{prose('front', 40)}</p>", links, identity=target)
        product, _, category = target.partition("&")
        own = prose(product + category * self._c_matters, 60)
        box = prose(f"asked {self._asked}", self._box) if self._box else ""
        return Answer(200, f"{head}<p>{own}</p><p>{box}</p>", ("/",), identity=product)


def trial(shop: Shop, crawls: int) -> PackTrial:
    (one,) = pack_trials(PACK, [visit for _ in range(crawls) for visit in record(shop, 200)[0]])
    return one


ROWS = [
    ("a right line on a steady site", Shop(box=0, c_matters=False), 2, {"agree"}),
    ("a wrong line on a steady site", Shop(box=0, c_matters=True), 2, {"against"}),
    ("a right line, a box drawn by chance", Shop(box=60, c_matters=False), 2, {"unsteady"}),
    ("a wrong line, a box drawn by chance", Shop(box=20, c_matters=True), 2, {"against"}),
    ("a box drawn by chance in one crawl", Shop(box=60, c_matters=False), 1, {"against"}),
]  # fmt: skip


@pytest.mark.parametrize(("shop", "crawls", "found"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_speaks_against_a_line(shop: Shop, crawls: int, found: set[str]) -> None:
    one = trial(shop, crawls)
    (line,) = one.effect.lines
    counts = {"agree": line.agree, "against": line.against, "unsteady": line.unsteady}
    assert counts == {name: PRODUCTS * (CATEGORIES - 1) if name in found else 0 for name in counts}
    assert one.lost is not None
    assert bool(one.lost) is ("against" in found)
    assert bool(one.doubtful) is ("unsteady" in found)
    assert one.effect.is_accused is ("against" in found)
