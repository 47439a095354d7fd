"""Requests are rewritten where the rules ask for it, and only by the rules they name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import scrapy

from tests.crawl.components import ADDON
from tests.crawl.crawling import Job, Outcome, crawl
from tests.crawl.site import Site, SiteServer, moved, page

if TYPE_CHECKING:
    from pathlib import Path

SCRAPY = tuple(int(part) for part in scrapy.__version__.split(".")[:2])
LONG = "/long?a=1&sid=" + "x" * 300


def requests(site: Site) -> dict[str, dict[str, Any]]:
    """What is asked, by the reason why."""
    return {
        "one parameter": {"url": site.url("/one?sid=1")},
        "all other bytes as sent": {"url": site.url("/b//./%7eann/?z=%2f+%20&sid=1&a=&b&&c=%C3%BC#top")},
        "not named": {"url": f"http://www.{site.host}/www?sid=1"},
        "clean already": {"url": site.url("/clean?a=1")},
        "longer than allowed before": {"url": site.url(LONG)},
        "HEAD": {"url": site.url("/head?sid=1"), "method": "HEAD"},
        "POST": {"url": site.url("/post?sid=1"), "method": "POST", "body": "a=1"},
        "verbatim": {"url": site.url("/verbatim?sid=1"), "meta": {"verbatim_url": True}},
        "turned off for the request": {"url": site.url("/off?sid=1"), "meta": {"urinorm": False}},
        "redirected to a session": {"url": site.url("/redirect?a=1")},
        "again": {"url": site.url("/one?sid=2"), "dont_filter": True, "cb_kwargs": {}, "priority": -1},
    }


@pytest.fixture(scope="module")
def crawled(server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, Outcome]:
    site = server.site({})
    targets = ["/one", "/b//./%7eann/?z=%2f+%20&a=&b&&c=%C3%BC", "/b//%7eann/?z=%2f+%20&a=&b&&c=%C3%BC", "www./www"]
    targets += [
        "/clean?a=1",
        "/long?a=1",
        "/head",
        "/post?sid=1",
        "/verbatim?sid=1",
        "/off?sid=1",
        "/redirect?a=1&sid=7",
    ]
    site.routes = {
        "/": page("home"),
        **{target: page(target) for target in targets},
        "/redirect?a=1": moved("/redirect?a=1&sid=7", 302),
    }
    rules = {
        "remove_params": ["sid"],
        "www": "remove",
        "duplicate_slashes": "remove",
        "rewrite_requests": ["remove_params"],
    }
    settings = {**ADDON, "URINORM_RULES": {"site": {site.name: rules}}, "URLLENGTH_LIMIT": 200}
    job = Job("job", [site.url("/?sid=0")], settings, spider="tests.crawl.spiders.Requests")
    job.attributes = {"requests": list(requests(site).values())}
    return site, crawl(job, tmp_path_factory.mktemp("rewrite"))


@pytest.mark.parametrize(
    ("reason", "sent"),
    [
        ("one parameter", "/one"),
        ("clean already", "/clean?a=1"),
        ("longer than allowed before", "/long?a=1"),
        ("HEAD", "/head"),
        ("POST", "/post?sid=1"),
        pytest.param("verbatim", "/verbatim?sid=1", marks=pytest.mark.skipif(SCRAPY < (2, 17), reason="Scrapy 2.17")),
        ("turned off for the request", "/off?sid=1"),
        ("redirected to a session", "/redirect?a=1&sid=7"),
    ],
)
def test_what_is_sent(crawled: tuple[Site, Outcome], reason: str, sent: str) -> None:
    site, _ = crawled
    assert sent in site.fetched()


def test_all_other_bytes_are_as_the_spider_sent_them(crawled: tuple[Site, Outcome]) -> None:
    """The query keeps its order, its empty fields and its escapes; the path its doubled slash."""
    (sent,) = [target for target in crawled[0].fetched() if target.startswith("/b/")]
    assert sent.endswith("/%7eann/?z=%2f+%20&a=&b&&c=%C3%BC")
    assert sent.startswith("/b//")


def test_rules_that_are_not_named_do_not_rewrite(crawled: tuple[Site, Outcome]) -> None:
    assert "www./www" in crawled[0].fetched()


def test_the_start_request(crawled: tuple[Site, Outcome]) -> None:
    assert crawled[0].fetched()[0] == "/"


def test_the_original_is_kept(crawled: tuple[Site, Outcome]) -> None:
    site, outcome = crawled
    originals = {item["url"]: item["meta"].get("urinorm_original_url") for item in outcome.items if "meta" in item}
    assert originals[site.url("/one")] in (site.url("/one?sid=1"), site.url("/one?sid=2"))
    assert originals[site.url("/clean?a=1")] is None
    assert originals[site.url("/post?sid=1")] is None


def test_dont_filter_is_kept(crawled: tuple[Site, Outcome]) -> None:
    assert crawled[0].fetched("/one") == ["/one", "/one"]


def test_nothing_is_rewritten_unless_asked(server: SiteServer, tmp_path: Path) -> None:
    site = server.site({"/": page("home", "/p?b=1&sid=1&a=2#x"), "/p?b=1&sid=1&a=2": page("p")})
    outcome = crawl(
        Job("job", [site.url()], {**ADDON, "URINORM_RULES": {"rules": {"remove_params": ["sid"]}}}), tmp_path
    )
    assert outcome.pages == {"home", "p"}


def test_the_middleware_named_by_hand(server: SiteServer, tmp_path: Path) -> None:
    site = server.site({"/": page("home", "/p?sid=1"), "/p": page("p")})
    settings = {
        "SPIDER_MIDDLEWARES": {"scrapy_urinorm.RewriteMiddleware": 950},
        "URINORM_RULES": {"rules": {"remove_params": ["sid"], "rewrite_requests": ["remove_params"]}},
    }
    outcome = crawl(Job("job", [site.url()], settings), tmp_path)
    assert outcome.pages == {"home", "p"}


def test_a_site_that_adds_the_session_again(server: SiteServer, tmp_path: Path) -> None:
    """Redirect targets are not rewritten, so this ends after one redirect."""
    links = [f"/item?id={n}&sid=old" for n in range(3)]
    pages = {f"/item?id={n}&sid=new": page(f"item{n}", *links) for n in range(3)}
    moves = {f"/item?id={n}": moved(f"/item?id={n}&sid=new", 302) for n in range(3)}
    site = server.site({"/": page("home", *links), **pages, **moves})
    rules = {"rules": {"remove_params": ["sid"], "rewrite_requests": ["remove_params"]}}
    outcome = crawl(Job("job", [site.url()], {**ADDON, "URINORM_RULES": rules}), tmp_path)
    assert outcome.pages == {"home", "item0", "item1", "item2"}
    assert len(site.fetched()) == 7


def test_a_rule_that_is_not_there_is_an_error(server: SiteServer, tmp_path: Path) -> None:
    site = server.site({"/": page("home")})
    rules = {"rules": {"rewrite_requests": ["remove_parms"]}}
    outcome = crawl(Job("job", [site.url()], {**ADDON, "URINORM_RULES": rules}), tmp_path)
    assert "remove_parms" in outcome.error
    assert "remove_params" in outcome.error, "with a suggestion"


def test_offsite_links_are_judged_after_rewriting(server: SiteServer, tmp_path: Path) -> None:
    """A rewritten host is what `allowed_domains` sees."""
    site = server.site({"/p": page("p")})
    site.routes = {**site.routes, "www./": page("home", f"http://www.{site.host}/p")}
    rules = {"rules": {"www": "remove", "rewrite_requests": ["www"]}}
    attributes = {"allowed_domains": [site.name]}
    job = Job("job", [f"http://www.{site.host}/"], {**ADDON, "URINORM_RULES": rules}, attributes=attributes)
    site.routes = {**site.routes, "/": page("home", f"http://www.{site.host}/p")}
    outcome = crawl(job, tmp_path)
    assert outcome.pages == {"home", "p"}
    assert "/p" in site.fetched()
