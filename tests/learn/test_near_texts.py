"""Of two long pages that are all but the same one may have a text of its own: no rule makes them one."""

from __future__ import annotations

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from tests.live.sites import record
from tests.live.test_near import ARTICLES, Magazine


@pytest.mark.parametrize("options", [Options(), Options().strict()], ids=["default", "strict"])
@pytest.mark.parametrize("every", [20, pytest.param(50, marks=pytest.mark.slow), 0])
def test_a_view_with_a_paragraph_more_is_kept(every: int, options: Options) -> None:
    visits, identities = record(Magazine(every))
    normalizer = Normalizer(learn(visits, options).rules)
    fetched = [url for url in identities if not normalizer.decide(url).skip]
    # whichever of a key is fetched, it shows what all of them show
    assert len({(normalizer.key(url), identities[url]) for url in fetched}) == len({*map(normalizer.key, fetched)})
    views = {normalizer.key(url) for url in fetched if "/article/" in url}
    assert (len(views) == ARTICLES) is (every == 0)
