"""Addresses that failed (500, 404) are not all that there is of their page: a crawl asks for another one then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from scrapy_urinorm.learn import Options, learn
from tests.live.sites import Answer, prose, record

if TYPE_CHECKING:
    from collections.abc import Callable

ITEMS = 60


@dataclass
class Flaky:
    """Items that others link to with their number (`?ref=i3`), each with a file; one of these addresses fails."""

    status: int
    host: str = "items.example"

    @property
    def start(self) -> str:
        return f"http://{self.host}/"

    def answer(self, target: str) -> Answer:
        path = urlsplit(target).path
        kind, _, number = path.strip("/").rpartition("/")
        if target == "/item/7?ref=home":
            return Answer(self.status, "failed")
        if not kind:
            return Answer(200, prose(path), tuple(f"/item/{n}?ref=home" for n in range(ITEMS)), identity=path)
        links = []
        if kind == "item":
            links = [f"/item/{(int(number) + n) % ITEMS}?ref=i{int(number) % 5}" for n in (1, 7, 31)]
            links.append(f"/file/{number}")
        return Answer(200, prose(path), tuple(links), identity=path)


@pytest.mark.parametrize("options", [Options, lambda: Options().strict()], ids=["default", "strict"])
@pytest.mark.parametrize("status", [500, 404])
def test_an_address_that_failed_does_not_speak_against_a_rule(status: int, options: Callable[[], Options]) -> None:
    visits, _ = record(Flaky(status))
    assert [(one.rule, one.value) for one in learn(visits, options()).active] == [("remove_params", ["ref"])]
