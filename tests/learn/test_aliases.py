"""Hosts that show what another shows: mirrors are one, the users of a blog service are not."""

from __future__ import annotations

from collections import Counter

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.evidence.candidate import Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.evidence.neighbours import MEMBER_CAP
from scrapy_urinorm.learn.families.aliases import MAX_ORIGINALS
from scrapy_urinorm.learn.families.stage import Stage
from scrapy_urinorm.learn.proof.replay import Replay
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.visits.record import Visit, visit_from_row

DOMAIN = "a.example"


def page(host: str, path: str, text: str) -> Visit:
    return visit_from_row(
        {"url": f"http://{host}.{DOMAIN}{path}", "status": 200, "text_digest": text, "words": 100, "depth": 0}
    )


def linked(host: str, path: str, text: str, links: list[tuple[str, str]]) -> Visit:
    row = {"url": f"http://{host}.{DOMAIN}{path}", "status": 200, "text_digest": text, "words": 100}
    return visit_from_row(row | {"depth": int(path != "/"), "links": [f"http://{h}.{DOMAIN}{p}" for h, p in links]})


def shown(host: str, author: str, pages: int = 30) -> list[Visit]:
    """The pages of an author, on a host."""
    return [page(host, f"/{n}.html", f"{author} {n}") for n in range(pages)]


def one_page(visits: list[Visit], *hosts: str) -> bool:
    key = Normalizer(learn(visits).rules).key
    return len({key(f"http://{host}.{DOMAIN}/new.html") for host in hosts}) == 1


def blogs(n: int) -> list[Visit]:
    return [visit for k in range(n) for visit in shown(f"b{k}", f"author {k}", 12)]


def test_mirrors_are_one_however_many() -> None:
    """More than the members of a group that are looked at otherwise."""
    hosts = [f"m{n}" for n in range(MEMBER_CAP + MAX_ORIGINALS)]
    assert one_page([visit for host in hosts for visit in shown(host, "one")], *hosts)


@pytest.mark.parametrize("others", [0, 3 * MAX_ORIGINALS], ids=["alone", "among larger ones"])
def test_a_mirror_is_found_among_the_users_of_a_service(others: int) -> None:
    visits = [*blogs(others), *shown("old", "us", 14), *shown("new", "us", 15)]
    assert one_page(visits, "old", "new")
    assert not others or not one_page(visits, "b0", "b1")


def test_a_mirror_that_alone_leads_to_some_pages_stays_a_host() -> None:
    """What is said of whole hosts cannot be narrowed to a part of one."""
    lists = [(host, f"/{kind}/{n}") for host in ("old", "new") for kind in ("list", "news") for n in range(30)]
    visits = [linked("old", "/", "front", lists)]
    for host, path in lists:
        own = host == "new" and path in ("/news/1", "/news/2", "/news/3")
        item = (host if own else "old", "/own" + path if own else "/item" + path)
        visits += [linked(host, path, path, [item]), linked(*item, item[1], [])]
    result = learn(list({visit.url: visit for visit in visits}.values()))
    alias = next(one for one in result.others if one.rule == "host_aliases")
    assert "no longer meets 3 pages" in alias.why
    key = Normalizer(result.rules).key
    assert key(f"http://new.{DOMAIN}/list/1") != key(f"http://old.{DOMAIN}/list/1")


def test_users_of_a_service_who_show_one_page_alike_are_not_one() -> None:
    hosts = [f"b{k}" for k in range(3 * MAX_ORIGINALS)]
    visits = [*blogs(len(hosts)), *(page(host, f"/terms/{n}", f"terms {n}") for host in hosts for n in range(9))]
    assert not one_page(visits, "b0", "b1")
    assert not one_page(visits, "b20", "b21")


def test_what_differs_on_some_addresses_counts_where_a_host_is_compared_for_others() -> None:
    """Two hosts are compared because of what they show alike, among many others; then on all that both have."""
    larger = [visit for k in range(2 * MAX_ORIGINALS) for visit in shown(f"b{k}", f"author {k}", 60)]
    visits = [*larger, *shown("old", "us", 40), *shown("new", "us", 40)]
    visits += [page(host, f"/{n}.html", f"{host} {n}") for host in ("old", "new") for n in range(40, 55)]
    assert not one_page(visits, "old", "new")


def test_each_host_is_compared_with_a_bounded_number_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    met: Counter[str] = Counter()
    compared = Stage.pair

    def counted(stage: Stage, page: int, other: int) -> object:
        met[stage.views[page].path] += 1
        return compared(stage, page, other)

    monkeypatch.setattr(Stage, "pair", counted)
    hosts = 12 * MAX_ORIGINALS
    learn(blogs(hosts))
    assert 0 < max(met.values()) <= hosts * MAX_ORIGINALS < hosts * (hosts - 1) // 2


@pytest.mark.parametrize("scope", [f"b1.{DOMAIN}", DOMAIN, "elsewhere.example"])
def test_a_rule_is_tried_on_all_pages_that_it_may_touch(scope: str) -> None:
    site = Site(DOMAIN)
    for visit in [
        *blogs(4),
        page("sub.b1", "/INDEX.html", "below"),
        page("b1", "/x?a=1", "x"),
        page("b2", "/x?a=1", "y"),
    ]:
        site.add(visit, visit.url.split("/")[2])
    site.build("safe")
    replay = Replay(site, Options())
    rules = [("remove_params", ["a"]), ("lowercase_path", True), ("directory_index", ["INDEX.html"])]
    for rule, value in rules:
        candidate = Candidate(scope, rule, value, Evidence(), "test", "")
        alone = replay.normalizer([candidate]).key
        assert set(replay.trial(candidate).keys) == {n for n, key in enumerate(replay.keys) if alone(key) != key}
    alias = Candidate(f"b1.{DOMAIN}", "host_aliases", [f"b2.{DOMAIN}"], Evidence(), "test", "", host=f"b2.{DOMAIN}")
    replay.add(alias, replay.trial(alias))
    again = Candidate(f"b1.{DOMAIN}", "remove_params", ["a"], Evidence(), "test", "")
    moved = {site.pages[n].url for n in replay.trial(again).keys}
    assert moved == {f"http://b1.{DOMAIN}/x?a=1", f"http://b2.{DOMAIN}/x?a=1"}
