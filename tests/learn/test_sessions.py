"""A program that finds no cookie puts the session into each link, and what the visitor has read on each page."""

from __future__ import annotations

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.site import session_names
from tests.live.sites import record
from tests.live.test_sessions import Wiki

HOST = "http://wiki.example"


@pytest.mark.parametrize("options", [Options(jobs=1), Options(jobs=1).strict()], ids=["default", "strict"])
def test_the_session_goes_from_each_address_and_stands_in_no_rule(options: Options) -> None:
    site = Wiki()
    visits, identities = record(site, 2_000)
    result = learn(visits, options)
    assert f"'remove_params': ['{Wiki.parameter}']" in str(result.rules)
    assert not any(session in str(result.rules) for session in site.sessions)
    normalizer = Normalizer(result.rules)
    keys: dict[str, set[str]] = {}
    for url, identity in identities.items():
        keys.setdefault(normalizer.key(url), set()).add(identity)
    assert all(len(shown) == 1 for shown in keys.values()), "what differs stays apart"
    assert len(keys) <= site.pages * 4 + 1


SESSION = "j8s7ru6uihppvb8o18qrt81nme"
ADDRESSES = {
    "in nearly every address": ([f"/p/{n}?s={SESSION}" for n in range(9)] + ["/"], {"s"}),
    "of searches alone": ([f"/p/{n}?s={SESSION}" for n in range(5)] + [f"/p/{n}" for n in range(5)], set()),
    "a word": ([f"/p/{n}?s=a-word-of-many-letters" for n in range(9)], set()),
    "a short one": ([f"/p/{n}?s=9f3b2c1" for n in range(9)], set()),
    "no query": (["/", "/p"], set()),
}


@pytest.mark.parametrize(("paths", "names"), ADDRESSES.values(), ids=ADDRESSES)
def test_a_session_is_in_nearly_every_address(paths: list[str], names: set[str]) -> None:
    assert session_names([HOST + path for path in paths]) == names
