"""A program that finds no cookie puts the session into each link, and what the visitor has read on each page."""

from __future__ import annotations

import hashlib
import random

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.sites.sessions import session_names
from scrapy_urinorm.visits import Visit
from tests.live.sites import WORDS, Answer, prose, record
from tests.live.test_sessions import Wiki

HOST = "http://wiki.example"


@pytest.mark.parametrize(
    "options",
    [Options(jobs=1), pytest.param(Options(jobs=1).strict(), marks=pytest.mark.slow)],
    ids=["default", "strict"],
)
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
    "what identifies a page": ([f"/{n % 3}?s={n}{SESSION[2:]}" for n in range(10, 40)], set()),
    "that and a token": ([f"/{n % 3}?s={n}{SESSION[2:]}&t={SESSION}{n}" for n in range(10, 40)], set()),
    "the hash of a commit": ([f"/p/{n}?id={SESSION}" for n in range(9)], set()),
    "no query": (["/", "/p"], set()),
}


@pytest.mark.parametrize(("paths", "names"), ADDRESSES.values(), ids=ADDRESSES)
def test_a_session_is_in_nearly_every_address(paths: list[str], names: set[str]) -> None:
    assert session_names([Visit(url=HOST + path) for path in paths]) == names


class Catalogue:
    """Items that the address names by a hash; of each kind all say the same but for two lines on what the item is."""

    host = "catalogue.example"
    start = "http://catalogue.example/"
    kinds, items = 6, 20

    def __init__(self, parameter: str) -> None:
        self.parameter = parameter
        numbers = ((kind, n) for kind in range(self.kinds) for n in range(self.items))
        self.names = {hashlib.md5(repr(one).encode()).hexdigest()[:24]: one for one in numbers}

    def answer(self, target: str) -> Answer:
        path, _, query = target.partition("?")
        if path == "/":
            return Answer(200, prose("home"), tuple(f"/{kind}" for kind in range(self.kinds)), identity="home")
        here = int(path.rpartition("/")[2])
        name = query.partition("=")[2]
        links = [f"/of/{kind}?{self.parameter}={one}" for one, (kind, _) in self.names.items() if kind == here]
        if not name:
            return Answer(200, f"<h1>{here}</h1>{prose(f'kind {here}')}", tuple(links), identity=f"kind {here}")
        _, number = self.names[name]
        about = " ".join(WORDS[(7 * here + number + step) % len(WORDS)] for step in range(0, 24, 2))
        text = f"<div>{about}</div><section>{prose(f'of all {here}')}</section>"
        return Answer(200, text, ("/", links[number - 1]), identity=f"item {here} {number}")


@pytest.mark.parametrize("parameter", ["item", "id"])
def test_the_hash_that_an_item_is_named_by_is_no_session(parameter: str) -> None:
    visits, identities = record(Catalogue(parameter))
    normalizer = Normalizer(learn(visits, Options(jobs=1)).rules)
    assert len({normalizer.key(url) for url in identities}) == len(set(identities.values()))


class Platform:
    """Schools of one platform, each with its key in every address: pages for all of them, with a paragraph of each."""

    host = "schools.example"
    start = "http://schools.example/"
    pages = 40

    def __init__(self) -> None:
        self.schools = [hashlib.md5(str(n).encode()).hexdigest() for n in range(6)]

    def answer(self, target: str) -> Answer:
        path, _, query = target.partition("?")
        if path == "/":
            return Answer(200, prose("all"), tuple(f"/home?org={one}" for one in self.schools), identity="all")
        school = query.removeprefix("org=")
        if path == "/home":
            links = [f"/page/{n}?org={school}" for n in range(self.pages)]
            return Answer(200, prose(f"home {school}"), tuple(links), identity=f"home {school}")
        own = " ".join(random.Random(path + school).choices(WORDS, k=25))
        text = f"<h1>{path}</h1>{prose(path)}<section>{own}</section>"
        return Answer(200, text, (f"/home?org={school}",), identity=f"{path} {school}")


@pytest.mark.parametrize("options", [Options(jobs=1), Options(jobs=1).strict()], ids=["default", "strict"])
def test_the_key_that_a_school_is_named_by_is_no_session(options: Options) -> None:
    visits, identities = record(Platform())
    normalizer = Normalizer(learn(visits, options).rules)
    assert len({normalizer.key(url) for url in identities}) == len(set(identities.values()))
