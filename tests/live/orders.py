"""The orders in which sites are crawled in memory: Scrapy's own, which every run of the tests has, and the other."""

from __future__ import annotations

import pytest

IN_BOTH_ORDERS = pytest.mark.parametrize(
    "newest_first",
    [pytest.param(False, id="breadth first", marks=pytest.mark.slow), pytest.param(True, id="depth first")],
)
