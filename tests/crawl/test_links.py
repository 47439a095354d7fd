"""The helpers for link extractors and crawl-spider rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scrapy.http import HtmlResponse
from scrapy.link import Link
from scrapy.linkextractors import LinkExtractor

from scrapy_urinorm import Links, RuleFileError
from tests.crawl.components import ADDON
from tests.crawl.crawling import Job, crawl
from tests.crawl.site import SiteServer, moved, page

if TYPE_CHECKING:
    from pathlib import Path

ORG = "https://example.org"
RULES: dict[str, Any] = {
    "rules": {"remove_params": ["sid"], "trailing_slash": "remove", "rewrite_requests": ["remove_params"]},
    "site": {"example.org": {"where": [{"path": "/calendar/**", "skip": True}]}},
}
ODD = ["", "#top", "javascript:void(0)", "mailto:a@b.example", "http://[::1", "data:,x", "https://a..b/", "\ud800"]


def html(*hrefs: str) -> HtmlResponse:
    body = "".join(f'<a href="{href}">x</a>' for href in hrefs)
    return HtmlResponse(f"{ORG}/", body=f"<html>{body}</html>", encoding="utf-8")


def test_process_value_edits_by_the_named_rules_only() -> None:
    links = LinkExtractor(process_value=Links(RULES).process_value).extract_links(html("/a/?b=%7e&sid=1&a=2", "/b/"))
    assert [link.url for link in links] == [f"{ORG}/a/?b=%7e&a=2", f"{ORG}/b/"]


def test_process_value_leaves_out_what_is_skipped() -> None:
    links = LinkExtractor(process_value=Links(RULES).process_value).extract_links(html("/calendar/1999", "/a"))
    assert [link.url for link in links] == [f"{ORG}/a"]


def test_process_value_edits_nothing_unless_asked() -> None:
    rules = {"rules": {"remove_params": ["sid"]}}
    assert Links(rules).process_value(f"{ORG}/?b=1&sid=1&a") == f"{ORG}/?b=1&sid=1&a"


def test_process_links_keeps_as_many_of_a_page_as_a_failure_may_need() -> None:
    urls = ["/a?sid=1", "/b", "/a", "/calendar/1", "/a/", "/b#x", "/a?sid=2"]
    kept = Links(RULES).process_links([Link(ORG + url, text=url) for url in urls])
    assert [link.text for link in kept] == ["/a?sid=1", "/b", "/a", "/a/"]


@pytest.mark.parametrize("odd", ODD)
def test_odd_links_do_not_raise(odd: str) -> None:
    links = Links(RULES)
    links.process_value(odd)
    assert len(links.process_links([Link(odd), Link(f"{ORG}/a")])) == 2


def test_wrong_rules_are_told_at_once() -> None:
    with pytest.raises(RuleFileError, match="remove_parms"):
        Links({"rules": {"remove_parms": ["a"]}})


def test_a_crawl_spider(server: SiteServer, tmp_path: Path) -> None:
    links = ["/p?sid=1", "/p?sid=2", "/p", "/calendar/1", "/dir"]
    site = server.site({"/": page("home", *links), "/p": page("p"), "/dir": moved("/dir/"), "/dir/": page("dir")})
    settings = {**ADDON, "URINORM_RULES": {**RULES, "site": {site.name: RULES["site"]["example.org"]}}}
    job = Job("job", [site.url()], settings, spider="tests.crawl.spiders.ByRules")
    outcome = crawl(job, tmp_path)
    assert outcome.pages == {"p", "dir"}
    assert sorted(site.fetched()) == ["/", "/dir", "/dir/", "/p"]
