"""A checksum of the other parameters goes with each of them: what leads back is dropped, and the record is not."""

from __future__ import annotations

import hashlib
import itertools

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import learn
from tests.content.test_telling import HOST, elsewhere, prose, visit

NEWS, LISTS = 90, 5


def address(number: int, back: int) -> str:
    """As TYPO3 has them, with a hash that the server makes of the others."""
    query = f"tx_news={number}&backPid={back}"
    return f"/index.php?{query}&cHash={hashlib.md5(query.encode(), usedforsecurity=False).hexdigest()}"


@pytest.mark.parametrize("chooses", [False, True], ids=["what leads back", "what chooses the text"])
def test_what_comes_with_a_checksum_is_dropped_with_it(chooses: bool) -> None:
    visits = [visit(path, body) for path, body in elsewhere()]
    for number, back in itertools.product(range(NEWS), range(LISTS)):
        if (number + back) % 3:
            text = prose((number, back if chooses else 0))
            visits.append(visit(address(number, back), f"<h1>News {number}</h1><div><p>{text}</p></div>"))
    normalizer = Normalizer(learn(visits).rules)
    keys = {normalizer.key(HOST + address(number, back)) for number in range(NEWS) for back in range(LISTS)}
    assert len(keys) == (NEWS * LISTS if chooses else NEWS)
