"""First crawls, for real, of sites whose addresses never end: they end, with all pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.learn.test_capped import ITEMS, Deeper, Endless, Nested, Tokens
from tests.live.served import Served
from tests.live.test_crawl import ORDERS, UNTIL_NEWS, live, pages

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("site", [Tokens(), Nested(), Deeper()], ids=lambda site: type(site).__name__)
def test_an_endless_site_ends(site: Endless, order: dict[str, Any], tmp_path: Path) -> None:
    with Served(site) as served:
        outcome = live(served, tmp_path, "Follow", None, CLOSESPIDER_PAGECOUNT=2_000, **order, **UNTIL_NEWS)
        met = pages(tmp_path)
        assert outcome.reason == "finished"
        assert len(served.identities(met)) == ITEMS
        assert len(met) < 10 * ITEMS
