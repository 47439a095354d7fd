"""What `why` answers, held against the log of the very crawl, and against crawls whose truth is known."""

from __future__ import annotations

import json
import re
import socket
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urljoin

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


HOME = ("/a", "/a?ref=1", "/a?ref=2", "/b", "/b?x=1", "/gone", "/old", "/trap/1", "/c", "/a#top")


@pytest.fixture(scope="module")
def crawled(server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, str, Site]:
    """A crawl with all that can become of a request, its project and its log."""
    refused = f"http://127.0.0.1:{unused_port()}/x"
    site = server.site({
        "/": page("home", *HOME, refused),
        "/a": page("a", "/", "/b?ref=3", "/private/1"),
        "/a?ref=1": page("a", "/"),
        "/b": page("b", "/c?ref=b"),
        "/b?x=1": page("bx", "/d?ref=1"),
        "/c": page("c", "http://elsewhere.test/", "/deep/1"),
        "/c?ref=b": page("c", "/"),
        "/d?ref=1": page("d", "/gone?ref=1"),
        "/deep/1": page("deep 1", "/deep/2"),
        "/deep/2": page("deep 2", "/deep/3"),
        "/deep/3": page("deep 3"),
        "/new": page("new", "/"),
        "/old": Reply(301, headers=(("Location", "/new"),)),
        "/robots.txt": Reply(body=b"User-agent: *\nDisallow: /private/\n", headers=(("Content-Type", "text/plain"),)),
    })  # fmt: skip
    project = Project(tmp_path_factory.mktemp("why") / "project", site.url())
    (project.path / "urinorm.toml").write_text(RULES)
    project.set("DUPEFILTER_DEBUG = True\nROBOTSTXT_OBEY = True\nRETRY_TIMES = 1\nDEPTH_LIMIT = 3")
    done = project.scrapy("crawl", "pages", "-s", "URINORM_VISITS=visits.jsonl")
    assert done.returncode == 0, done.stderr
    return project, done.stderr, site


def unused_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def of_log(pattern: str, log: str) -> set[str]:
    return set(re.findall(pattern, log))


def told(project: Project, urls: set[str]) -> dict[str, dict[str, str]]:
    done = run(
        "why", *sorted(urls), "--visits", "visits.jsonl", "--json", cwd=project.path, program=SCRAPY,
    )  # fmt: skip
    assert done.code == 0, done.err
    rows = [json.loads(line) for line in done.out.splitlines()]
    return {row["url"]: row for row in rows}


@pytest.mark.newest
def test_every_url_of_the_crawl_has_its_answer(crawled: tuple[Project, str, Site]) -> None:
    """All that the log names and all that any page links to, each held against the log."""
    project, log, site = crawled
    fetched = of_log(r"Crawled \(200\) <GET ([^>]+)>", log)
    failed = of_log(r"Crawled \(404\) <GET ([^>]+)>", log)
    failed |= of_log(r"Gave up retrying <GET ([^>]+)>", log) | of_log(r"Forbidden by robots.txt: <GET ([^>]+)>", log)
    redirected = of_log(r"Redirecting \(301\) to <GET [^>]+> from <GET ([^>]+)>", log)
    filtered = of_log(r"Filtered duplicate request: <GET ([^>]+)>", log)
    linked = {
        urljoin(site.url(), href)
        for reply in site.routes.values()
        if isinstance(reply, Reply)
        for href in re.findall(r'href="([^"]+)"', str(reply.body))
    }
    met = {url.partition("#")[0] for url in fetched | failed | redirected | filtered | linked}
    asked = {url for url in met if not url.endswith("/robots.txt")}
    assert all((fetched, failed, redirected, filtered))
    assert len(asked) >= 15, log
    found = told(project, asked | {site.url("/never")})
    expected = dict.fromkeys(asked, "duplicate") | dict.fromkeys(fetched, "fetched")
    expected |= dict.fromkeys(redirected, "redirected") | dict.fromkeys(failed, "failed")
    expected |= {site.url("/deep/3"): "linked", site.url("/trap/1"): "skipped"}
    for url in asked:
        assert found[url]["verdict"] == expected[url], (url, found[url], log)
    assert found[site.url("/never")]["verdict"] == "unknown"
    assert "urinorm.toml:6" in found[site.url("/trap/1")]["why"]
    assert "Forbidden by robots.txt" in found[site.url("/private/1")]["why"]
    assert "not requested" in found[site.url("/private/1")]["why"]
    refused = [found[url]["why"] for url in asked & failed if url.startswith("http://127.0.0.1")]
    assert "requested without a response: " in refused[0]
    duplicates = [row for row in found.values() if row["verdict"] == "duplicate"]
    assert len(duplicates) >= 3
    for row in duplicates:
        assert "remove_params of" in row["why"]


@pytest.mark.newest
def test_a_request_without_a_response_is_no_page(crawled: tuple[Project, str, Site]) -> None:
    path = crawled[0].path / "visits.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    failures = [row for row in rows if "failure" in row]
    reader = read_visits([path])
    assert len(failures) == 3
    assert (len(list(reader)), reader.skipped) == (len(rows) - 3, 3)
    assert len(list(read_visits([path], failures=True))) == len(rows)
    assert all(row["crawl"] and row["time"] and row["referer"] and "status" not in row for row in failures)


LINKS = "http://a.example/p?ref=2 http://a.example/late http://a.example/w".split()


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
    Visit(url="http://a.example/down", failure="TimeoutError: 180 s", referer="http://a.example/"),
    Visit(url="http://a.example/up", failure="TimeoutError: 180 s"),
    visit("http://a.example/up"),
]
KEPT_BACK = [
    {"url": "http://a.example/month?m=7", "why": "closed"},
    {"url": "http://a.example/p?ref=3", "why": "duplicate"},
    {"url": "http://a.example/nowhere", "why": "closed", "crawl": "of last year"},
]
ANSWERS = {
    "as it is": ("http://a.example/p?ref=1", "fetched", "found on http://a.example/"),
    "another spelling": ("HTTP://A.example:80/p?ref=1#x", "fetched", "fetched at 2026"),
    "another address of its page": ("http://a.example/p?ref=2", "duplicate", "same page as http://a.example/p?ref=1"),
    "of a failed one": ("http://a.example/q?ref=2", "duplicate", "which failed"),
    "an error": ("http://a.example/bad", "failed", "status 404"),
    "no response": (
        "http://a.example/down",
        "failed",
        "without a response: TimeoutError: 180 s, found on http://a.example/",
    ),
    "no response at first": ("http://a.example/up", "fetched", "(2 times)"),
    "of one without a response": ("http://a.example/down?ref=2", "duplicate", "(TimeoutError: 180 s), which failed"),
    "kept back": ("http://a.example/p?ref=3", "parked", "under another address"),
    "of a closed shape": ("http://A.example/month?m=7#x", "closed", "URINORM_LIVE_CLOSE = 0"),
    "a redirect": ("http://a.example/old", "redirected", "redirected to http://a.example/new"),
    "a trap": ("http://a.example/trap/7", "skipped", "skip is said by"),
    "linked": ("http://a.example/late", "linked", "linked from http://a.example/, but not fetched"),
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
    visits = [replace(one, crawl="of today") for one in VISITS]
    kept_back = [{"crawl": "of today", **row} for row in KEPT_BACK]
    (answer,) = answers([url], visits, Normalizer(rules), kept_back)
    assert (answer.verdict, why in answer.why) == (verdict, True), answer


def test_a_host_that_was_never_met_is_said() -> None:
    for url, said in {"http://b.example/": True, "http://a.example/nowhere": False}.items():
        (answer,) = answers([url], VISITS, Normalizer())
        assert any("allowed_domains" in note for note in answer.notes) is said


def test_what_is_not_known_is_said(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text('{"url": "http://a.example/", "rules": "0000"}\n')
    (answer,) = answers(["http://a.example/x"], read_visits([path]), Normalizer())
    assert answer.notes == [
        "1 of 1 visits were made under rules other than these",
        "the visits do not say what pages link to",
    ]  # fmt: skip


@pytest.mark.newest
@pytest.mark.thorough
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
    assert "which crawl? give --visits FILE or --job JOBDIR" in done.err
