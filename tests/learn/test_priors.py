"""What a name suggests before anything is compared."""

from __future__ import annotations

import pytest

from scrapy_urinorm.learn.evidence.risk import DEFAULT_PRIOR, START_PRIOR, default_prior

STARTS = [
    "page",
    "cpage",
    "Page",
    "paged",
    "start",
    "offset",
    "itemOffset",
    "from",
    "itemFrom",
    "first",
    "st",
    "list_st",
    "pg",
]
NONE = ["post", "list", "artist", "host", "test", "thirst", "refrom", "photos"]


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("value", ["0", "1"])
def test_the_start_of_a_list(name: str, value: str) -> None:
    assert default_prior(name, value) == START_PRIOR
    assert default_prior(name, "2") < START_PRIOR


@pytest.mark.parametrize("name", NONE)
def test_but_no_name_that_merely_ends_so(name: str) -> None:
    assert default_prior(name, "1") <= DEFAULT_PRIOR
