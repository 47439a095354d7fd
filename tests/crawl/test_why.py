"""What `why` answers, held against the log of the very crawl, and against crawls whose truth is known."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.visits import Visit, read_visits
from scrapy_urinorm.visits.links import link_hashes, page_links, url_hash
from scrapy_urinorm.visits.why import answers
from tests.cli.programs import SCRAPY, run
from tests.crawl.project import Project
from tests.crawl.site import Reply, Site, SiteServer, page

if TYPE_CHECKING:
    from pathlib import Path

RULES = """\
[rules]
remove_params = ["ref"]

[[rules.where]]
path = "/trap/**"
skip = true
"""


@pytest.fixture(scope="module")
def crawled(server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, str, Site]:
    """A crawl with all that can become of a request, its project and its log."""
    site = server.site({
        "/": page("home", "/a", "/a?ref=1", "/a?ref=2", "/b", "/b?x=1", "/gone", "/old", "/trap/1", "/c", "/a#top"),
        "/a": page("a", "/", "/b?ref=3"),
        "/a?ref=1": page("a", "/"),
        "/b": page("b", "/c?ref=b"),
        "/b?x=1": page("bx", "/d?ref=1"),
        "/c": page("c", "http://elsewhere.test/"),
        "/c?ref=b": page("c", "/"),
        "/d?ref=1": page("d", "/gone?ref=1"),
        "/new": page("new", "/"),
        "/old": Reply(301, headers=(("Location", "/new"),)),
    })  # fmt: skip
    project = Project(tmp_path_factory.mktemp("why") / "project", site.url())
    (project.path / "urinorm.toml").write_text(RULES)
    project.set("DUPEFILTER_DEBUG = True")
    done = project.scrapy("crawl", "pages", "-s", "URINORM_VISITS=visits.jsonl")
    assert done.returncode == 0, done.stderr
    return project, done.stderr, site


def of_log(pattern: str, log: str) -> set[str]:
    return set(re.findall(pattern, log))


def told(project: Project, urls: set[str]) -> dict[str, dict[str, str]]:
    done = run(
        "why", *sorted(urls), "--visits", "visits.jsonl", "--json", cwd=project.path, program=SCRAPY,
    )  # fmt: skip
    assert done.code == 0, done.err
    rows = [json.loads(line) for line in done.out.splitlines()]
    return {row["url"]: row for row in rows}


def test_every_url_of_the_log_has_its_answer(crawled: tuple[Project, str, Site]) -> None:
    project, log, site = crawled
    fetched = of_log(r"Crawled \(200\) <GET ([^>]+)>", log)
    failed = of_log(r"Crawled \(404\) <GET ([^>]+)>", log)
    redirected = of_log(r"Redirecting \(301\) to <GET [^>]+> from <GET ([^>]+)>", log)
    filtered = of_log(r"Filtered duplicate request: <GET ([^>]+)>", log)
    asked = {url for url in fetched | failed | redirected | filtered if not url.endswith("/robots.txt")}
    assert len(asked) >= 9, log
    found = told(project, asked | {site.url("/trap/1"), site.url("/never")})
    assert found[site.url("/trap/1")]["verdict"] == "skipped"
    assert "urinorm.toml:5" in found[site.url("/trap/1")]["why"] or "urinorm.toml" in found[site.url("/trap/1")]["why"]
    assert found[site.url("/never")]["verdict"] == "unknown"
    for url in asked:
        expected = (
            {"failed"} if url in failed
            else {"redirected"} if url in redirected
            else {"fetched"} if url in fetched
            else {"duplicate", "fetched"}
        )  # fmt: skip
        assert found[url]["verdict"] in expected, (url, found[url])
    duplicates = [row for row in found.values() if row["verdict"] == "duplicate"]
    assert duplicates
    for row in duplicates:
        assert "remove_params of" in row["why"]


LINKS = "http://a.example/p?ref=2 http://a.example/late http://a.example/w".split()  # noqa: SIM905


def visit(url: str, status: int = 200, links: list[str] | None = None, **more: object) -> Visit:
    packed, count = link_hashes(page_links(links or [], url))
    one = Visit(url=url, status=status, id=url_hash(url), links=packed, links_count=count, time="2026-01-01T00:00:00Z")
    for name, value in more.items():
        setattr(one, name, value)
    return one


VISITS = [
    visit("http://a.example/", links=LINKS),
    visit("http://a.example/p?ref=1", referer="http://a.example/"),
    visit("http://a.example/bad", 404),
    visit("http://a.example/q?ref=1", 500),
    visit("http://a.example/old", 301, final_url="http://a.example/new"),
]
ANSWERS = {
    "as it is": ("http://a.example/p?ref=1", "fetched", "found on http://a.example/"),
    "another spelling": ("HTTP://A.example:80/p?ref=1#x", "fetched", "fetched at 2026"),
    "another address of its page": ("http://a.example/p?ref=2", "duplicate", "same page as http://a.example/p?ref=1"),
    "of a failed one": ("http://a.example/q?ref=2", "duplicate", "which failed"),
    "an error": ("http://a.example/bad", "failed", "status 404"),
    "a redirect": ("http://a.example/old", "redirected", "redirected to http://a.example/new"),
    "a trap": ("http://a.example/trap/7", "skipped", "skip is said by"),
    "linked": ("http://a.example/late", "linked", "linked from http://a.example/, and not fetched"),
    "never linked": ("http://a.example/nowhere", "unknown", "no page of this crawl links to it"),
    "another site": ("http://b.example/", "unknown", "no page of this crawl links to it"),
    "no URL": ("mailto:a@b.example", "unknown", "no page"),
}


@pytest.mark.parametrize(("url", "verdict", "why"), ANSWERS.values(), ids=ANSWERS)
def test_answer(url: str, verdict: str, why: str) -> None:
    rules = {
        "rules": {"remove_params": ["ref"]},
        "site": {"a.example": {"where": [{"path": "/trap/**", "skip": True}]}},
    }
    (answer,) = answers([url], VISITS, Normalizer(rules))
    assert (answer.verdict, why in answer.why) == (verdict, True), answer


def test_what_is_not_known_is_said(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text('{"url": "http://a.example/", "rules": "0000"}\n')
    (answer,) = answers(["http://a.example/x"], read_visits([path]), Normalizer())
    assert answer.notes == [
        "1 of 1 visits were made under other rules than those asked with", "the visits do not say what pages link to",
    ]  # fmt: skip


def test_job(server: SiteServer, tmp_path: Path) -> None:
    site = server.site({"/": page("home", "/a?ref=1", "/b"), "/a?ref=1": page("a"), "/b": page("b")})
    project = Project(tmp_path / "project", site.url())
    (project.path / "urinorm.toml").write_text(RULES)
    assert project.scrapy("crawl", "pages", "-s", "JOBDIR=job").returncode == 0
    done = run("why", site.url("/a"), site.url("/c"), "--job", "job", cwd=project.path, program=SCRAPY)
    assert (done.code, done.err) == (0, "")
    assert "its key was requested" in done.out
    assert "its key was never requested" in done.out


def test_asked_of_nothing(tmp_path: Path) -> None:
    done = run("why", "http://a.example/", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "of which crawl? --visits FILE, --job JOBDIR" in done.err
