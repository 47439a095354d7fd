"""Addresses that lead to what one of their parameters says: switches of language, and links that somebody counts."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlsplit

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.families.wrapped import NO_FILES
from scrapy_urinorm.visits.record import Visit, visit_from_row
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.sites import Answer, identities_of, prose, record

HOST = "http://a.example"


def page(path: str, text: str) -> Visit:
    return visit_from_row({"url": HOST + path, "status": 200, "text_digest": text, "words": 100})


def hop(path: str, target: str) -> Visit:
    url = HOST + path
    target = target if "://" in target else HOST + target
    return visit_from_row({"url": url, "status": 302, "final_url": target, "redirects": [[302, url]]})


def switches(count: int, said: str = "/p{n}") -> list[Visit]:
    """Pages, each with two addresses that choose a language and lead back to it."""
    visits = [page(f"/p{n}", f"page {n}") for n in range(count)]
    for n in range(count):
        for language in ("de", "en"):
            value = quote(said.format(n=n), safe="")
            visits.append(hop(f"/language?lang={language}&next={value}", f"/p{n}"))
    return visits


@pytest.mark.parametrize(
    ("said", "value", "where"),
    [
        ("/p{n}", [{"name": "next", "paths": True}], {"query": {"next": {"matches": NO_FILES}}}),
        (HOST + "/p{n}", ["next"], {}),
    ],
    ids=["paths", "addresses"],
)
def test_what_leads_where_it_says_has_the_key_of_its_target(said: str, value: object, where: dict[str, object]) -> None:
    learned = learn(switches(20, said))
    assert learned.rules["site"] == {"a.example": {"where": [{"path": "/language", **where, "unwrap_params": value}]}}
    normalizer = Normalizer(learned.rules)
    new = quote(said.format(n="new") + "?page=2", safe="")
    assert normalizer.key(f"{HOST}/language?lang=fr&next={new}") == normalizer.key(f"{HOST}/pnew?page=2")
    # of other paths nothing is known
    assert "login" in normalizer.key(f"{HOST}/login?next={new}")


@pytest.mark.parametrize(
    ("forms", "others"),
    [
        (("/doc{n}.html",), ["/pic.jpg", "/pic"]),
        (("/doc{n}.html", "/doc{n}.pdf"), ["/pic.jpg"]),
        (("/doc{n}.html?lang=en",), ["/pic.jpg", "/pic.jpg?as=a.html"]),
        (("/doc.php?id={n}",), ["/pic.jpg"]),
        (("/p{n}",), ["/pic.jpg", "/pics/a.jpg?size=2"]),
    ],
    ids=["files", "files of two kinds", "files with a query", "a script", "pages"],
)
def test_what_leads_to_one_kind_of_file_says_nothing_of_others(forms: tuple[str, ...], others: list[str]) -> None:
    """Of a picture, which no such crawl has met, `/media` shows a page with its title."""
    targets = [form.format(n=n) for form in forms for n in range(20)]
    visits = [page(target, target) for target in targets]
    visits += [hop(f"/media?file={quote(target, safe='')}", target) for target in targets]
    normalizer = Normalizer(learn(visits).rules)
    for form in forms:
        new = form.format(n="new")
        assert normalizer.key(f"{HOST}/media?file={quote(new, safe='')}") == normalizer.key(HOST + new)
    for other in others:
        assert normalizer.key(f"{HOST}/media?file={quote(other, safe='')}") != normalizer.key(HOST + other)


AGAINST = {
    "a form that is shown there": page("/language?lang=fr&next=%2Fp3", "log in"),
    "one that leads elsewhere": hop("/language?lang=fr&next=%2Fp3", "/closed"),
    "one that leads to another host": hop("/language?lang=fr&next=%2Fp3", "http://b.example/p3"),
    "one that leads to nothing": visit_from_row({"url": f"{HOST}/language?lang=fr&next=%2Fgone", "status": 404}),
}


@pytest.mark.parametrize("other", AGAINST.values(), ids=AGAINST)
def test_one_that_does_not_speaks_against_it(other: Visit) -> None:
    learned = learn([*switches(20), other])
    assert "unwrap_params" not in str(learned.rules)
    (refused,) = (one for one in learned.others if one.rule == "unwrap_params")
    assert refused.status == "rejected"
    assert "elsewhere, or nowhere, at 1 addresses" in refused.why


SAYS_NOTHING = {
    "a relative path": ("p{n}", 20),
    "a host without a scheme": ("//a.example/p{n}", 20),
    "another site": ("http://b.example/p{n}", 20),
    "the number of a page": ("{n}", 20),
}


@pytest.mark.parametrize(("said", "count"), SAYS_NOTHING.values(), ids=SAYS_NOTHING)
def test_what_is_no_address_of_the_site_is_none(said: str, count: int) -> None:
    learned = learn(switches(count, said))
    assert not [one for one in (*learned.others, *learned.active) if one.rule == "unwrap_params"]


def test_a_few_are_a_proposal() -> None:
    learned = learn(switches(4))
    assert "unwrap_params" not in str(learned.rules)
    (proposed,) = (one for one in learned.others if one.rule == "unwrap_params")
    assert proposed.status == "proposed"


def test_two_addresses_of_one_target_are_one_case() -> None:
    visits = [page("/p0", "page 0"), *(hop(f"/language?lang=l{n}&next=%2Fp0", "/p0") for n in range(40))]
    assert "unwrap_params" not in str(learn(visits).rules)


@dataclass
class Counted:
    """Articles in lists; each page has switches of language, and, if wanted, articles are linked through a counter."""

    counter: bool = False
    host: str = "counted.example"
    start: str = "http://counted.example/"
    articles: int = 150

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query))
        first, *rest = parts.path.strip("/").split("/")
        if first in ("language", "go"):
            return Answer(302, location=query["next"])
        switched = tuple(f"/language?lang={lang}&next={quote(target, safe='')}" for lang in ("de", "en", "fr"))
        if first == "a":
            return Answer(200, prose(f"article {rest[0]}"), ("/", *switched), identity=f"article {rest[0]}")
        number = int(query.get("page", 1))
        here = range((number - 1) * 15, min(number * 15, self.articles))
        links = tuple(f"/go?next=/a/{n}" if self.counter else f"/a/{n}" for n in here)
        more = (f"/?page={number + 1}",) if here and here[-1] + 1 < self.articles else ()
        return Answer(200, prose(f"list {number}"), (*links, *more, *switched), identity=f"list {number}")


@IN_BOTH_ORDERS
@pytest.mark.parametrize(
    "counter", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["direct links", "links that are counted"]
)
def test_a_first_crawl_under_live_rules_leaves_them_alone(counter: bool, newest_first: bool) -> None:
    """Also where they are the only way to a page: it was not met, so such an address is fetched, and leads there."""
    visits, identities = record(Counted(counter))
    live = Simulator(visits, Options(skip=False)).crawl(newest_first=newest_first)
    assert identities_of(live.fetched, identities) == identities_of([visit.url for visit in visits], identities)
    switched = [url for url in live.fetched if "/language?" in url]
    assert len(switched) < 0.4 * sum("/language?" in visit.url for visit in visits)
