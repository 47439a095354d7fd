"""Proposals decided by fetching from a real server, politely."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.content import DIFFERENT, EXACT, UNKNOWN
from scrapy_urinorm.content.titles import OWN_TITLES
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.learn import fetch as fetching
from scrapy_urinorm.learn import learn_file, validate_file
from scrapy_urinorm.learn.evidence.candidate import Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.fetch import PoliteFetcher
from scrapy_urinorm.learn.validate import Proposal, Validation, may_act, pairs_of
from scrapy_urinorm.visits.features import page_features
from tests.serving import Answer, Serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("selectolax")


def answer(target: str) -> Answer:
    """`v` never matters; `w` makes another page for a third of the articles; `x` answers 404."""
    parts = urlsplit(target)
    query = parse_qs(parts.query)
    if parts.path == "/robots.txt":
        return 200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private\n"
    number = int(parts.path.rpartition("/")[2] or 0)
    article = f"{number} other" if "w" in query and number % 3 == 0 else str(number)
    text = "".join(f"<p>sentence {i} of article {article} with a few words more</p>" for i in range(12))
    return 404 if "x" in query else 200, {}, f"<h1>{target}</h1><main>{text}</main>"


@pytest.fixture(scope="module")
def fetch() -> Iterator[PoliteFetcher]:
    """The one process for all servers: what it knows of one is nothing to the next."""
    with PoliteFetcher(delay=0) as fetch:
        yield fetch


@pytest.fixture
def server() -> Iterator[Serving]:
    with Serving(answer) as serving:
        yield serving


def addresses(origin: str) -> list[str]:
    urls = [f"{origin}/a/{n}{tail}" for n in range(60) for tail in ("", "?v=1", "?w=1", "?x=1")]
    urls += [f"{origin}/private/{n}{tail}" for n in range(60) for tail in ("", "?z=1")]
    return urls + [f"{origin}/logout/{n}{tail}" for n in range(60) for tail in ("", "?u=1")]


def proposals(server: Serving, tmp_path: Path) -> tuple[str, Path, Path]:
    origin = server.origin
    urls = tmp_path / "urls.txt"
    urls.write_text("".join(f"{url}\n" for url in addresses(origin)))
    rules = tmp_path / "proposed.toml"
    learn_file([urls], rules)
    return origin, urls, rules


def test_what_is_right_becomes_a_rule_and_nothing_disallowed_or_acting_is_asked_for(
    server: Serving, fetch: PoliteFetcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin, urls, rules = proposals(server, tmp_path)
    # a fetcher as it makes one itself, of which the process is there already
    delays = []

    def made(*, delay: float) -> nullcontext[PoliteFetcher]:
        delays.append(delay)
        return nullcontext(fetch)

    monkeypatch.setattr("scrapy_urinorm.learn.fetch.PoliteFetcher", made)
    fetch.refused.clear()
    result = validate_file(rules, tmp_path / "out.toml", [urls], delay=0, budget=400)
    assert delays == [0]
    assert result.refused == fetch.refused
    assert "robots.txt" in "".join(result.refused)
    statuses = {c.value[0]: c.status for c in [*result.active, *result.others]}
    assert statuses == {"v": "active", "w": "rejected", "x": "rejected", "z": "unverified", "u": "unverified"}
    normalizer = Normalizer(str(tmp_path / "out.toml"))
    assert normalizer.key(f"{origin}/a/777?v=5") == f"{origin}/a/777"
    assert normalizer.key(f"{origin}/a/777?w=5") != f"{origin}/a/777"
    asked = server.asked
    assert asked[0] == "/robots.txt"
    assert asked.count("/robots.txt") == 1
    assert not [path for path in asked if "private" in path or "logout" in path]


def test_the_budget_is_kept(server: Serving, fetch: PoliteFetcher, tmp_path: Path) -> None:
    _, urls, rules = proposals(server, tmp_path)
    result = validate_file(rules, tmp_path / "out.toml", [urls], fetch=fetch, budget=20)
    assert len(server.asked) <= 21
    assert not result.active


RAW = {
    "/status": b"what is this\r\n\r\n",
    "/length": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n<p>short",
    "/chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx",
}
MOVED = {"/loop": "/loop", "/elsewhere": "http://localhost:1/x", "/hop": "/page", "/tosecret": "/private"}


class Bad:
    """What servers answer that a fetcher must outlive."""

    def __init__(self, robots: tuple[int, str, str]) -> None:
        self.robots = robots

    def __call__(self, target: str) -> Answer:
        if target == "/robots.txt":
            return _said(*self.robots) if self.robots[0] else b""
        if target == "/rules/robots":
            return _said(200, "User-agent: *\nDisallow: /private\n", "text/plain")
        if target in RAW:
            return RAW[target]
        if target in MOVED:
            return _said(302, "", MOVED[target])
        if target == "/large":
            return _said(200, "x" * (5 << 20), "text/html")
        return _said(200, "<p>caf\xe9", f"text/html{'; charset=undefined' if target == '/charset' else ''}")


def _said(status: int, body: str, kind: str) -> Answer:
    return status, {"Location" if 300 <= status < 400 else "Content-Type": kind}, body


def bad_server(robots: tuple[int, str, str] = (404, "", "")) -> Serving:
    return Serving(Bad(robots))


@pytest.fixture(scope="module")
def answers(fetch: PoliteFetcher) -> dict[str, Any]:
    """What the fetcher makes of each of these paths, one after the other."""
    paths = ["/status", "/length", "/chunks", "/large", "/charset", "/loop", "/elsewhere", "/hop", "/page"]
    with bad_server() as httpd:
        found = {path: fetch(f"{httpd.origin}{path}") for path in paths}
        found |= {url: fetch(url) for url in ("", "mailto:a@b.example", "http://[::1", "file:///etc/passwd")}
    return found


@pytest.mark.parametrize("path", ["/status", "/length", "/chunks", "/large", "/loop", "/elsewhere", "", "http://[::1"])
def test_what_is_no_page_is_no_answer(answers: dict[str, Any], path: str) -> None:
    # what came before the connection broke off is a page to Scrapy
    assert answers[path] is None or answers[path].body in (b"<p>short", b"")


@pytest.mark.parametrize("path", ["/charset", "/hop", "/page"])
def test_pages(answers: dict[str, Any], path: str) -> None:
    response = answers[path]
    assert response.status == 200
    assert page_features(response.body, response.content_type, None, response.url).words == 1


def test_files_are_not_read(answers: dict[str, Any]) -> None:
    assert answers["file:///etc/passwd"] is None


ROBOTS = {
    "allowed": ((200, "User-agent: *\nDisallow: /other\n", "text/plain"), True, ""),
    "disallowed": ((200, "User-agent: *\nDisallow: /p\n", "text/plain"), False, "robots.txt"),
    "not there": ((404, "User-agent: *\nDisallow: /\n", "text/plain"), True, ""),
    "not for us": ((403, "", "text/plain"), True, ""),
    "a server that fails": ((503, "", "text/plain"), False, "answers 503"),
    "a server that hangs up": ((0, "", ""), False, "cannot be had"),
    "behind a redirect": ((301, "", "/rules/robots"), True, ""),
    "a redirect without end": ((301, "", "/robots.txt"), True, ""),
    "a delay of a day": ((200, "User-agent: *\nCrawl-delay: 100000\n", "text/plain"), False, "100000 s between"),
}


@pytest.mark.parametrize(("robots", "allowed", "why"), ROBOTS.values(), ids=ROBOTS)
def test_robots(fetch: PoliteFetcher, robots: tuple[int, str, str], allowed: bool, why: str) -> None:
    before = fetch.requests
    fetch.refused.clear()
    with bad_server(robots) as httpd:
        origin = httpd.origin
        assert (fetch(f"{origin}/page") is not None) is allowed
        assert fetch.requests - before >= len(httpd.asked) - 1
        assert ("/page" in httpd.asked) is allowed
        if robots[2] == "/rules/robots":
            assert fetch(f"{origin}/private") is None
            assert fetch(f"{origin}/tosecret") is None
            assert "/private" not in httpd.asked
        assert why in "".join(fetch.refused)


@pytest.mark.slow
def test_delays_hold_for_redirects_as_well() -> None:
    robots = (200, "User-agent: *\nCrawl-delay: 0.3\n", "text/plain")
    with bad_server(robots) as httpd, PoliteFetcher(delay=0.1) as fetch:
        fetch(f"{httpd.origin}/page")
        began = time.monotonic()
        for _ in range(2):
            fetch(f"{httpd.origin}/hop")
        spent = time.monotonic() - began
    assert httpd.asked == ["/robots.txt", "/page", "/hop", "/page", "/hop", "/page"]
    assert fetch.requests == 6
    # three pauses; when a request arrives is up to the machine
    assert spent > 0.85


def test_redirects_count_in_the_budget(fetch: PoliteFetcher) -> None:
    before = fetch.requests
    with bad_server() as httpd:
        origin = httpd.origin
        candidate = Candidate("127.0.0.1", "remove_params", ["v"], Evidence(), "drop", "")
        pairs = [(f"{origin}/hop?{n}", f"{origin}/hop") for n in range(40)]
        told: list[int] = []
        Validation(fetch, budget=20, progress=told.append).run([Proposal(candidate, pairs)])
        assert sum(told) == fetch.requests - before
        assert len(httpd.asked) <= 24


def drawn(target: str) -> Answer:
    """A product whose title is all that the server sends of it, and articles."""
    if urlsplit(target).path.startswith("/a/"):
        found = answer(target)
        assert isinstance(found, tuple)
        return found[0], {}, f"<title>Article {urlsplit(target).path}</title>{found[2]!s}"
    if urlsplit(target).path == "/robots.txt":
        return 404, {}, ""
    number = int(parse_qs(urlsplit(target).query).get("id", ["0"])[0])
    text = "<p>Loading the product, one moment please, it is here as soon as your browser has drawn it.</p>"
    return 200, {}, f"<title>Chair {number}</title><main>{text}</main>"


def test_pages_that_a_script_draws_cannot_be_compared(fetch: PoliteFetcher) -> None:
    with Serving(drawn) as serving:
        articles = [(f"{serving.origin}/a/{n}?v=1", f"{serving.origin}/a/{n}") for n in range(40)]
        products = [(f"{serving.origin}/product?id={n}", f"{serving.origin}/product") for n in range(1, 41)]
        trials = [
            Proposal(Candidate("127.0.0.1", "remove_params", [name], Evidence(), "drop", ""), pairs)
            for name, pairs in (("v", articles), ("id", products))
        ]
        Validation(fetch, budget=400).run(trials)
    assert [trial.verdict for trial in trials] == [True, None]
    # a text under two titles may still be one page
    assert trials[1].agree < OWN_TITLES
    assert trials[1].agree + trials[1].unknown == len(products)


@pytest.mark.slow
def test_the_process_ends_with_its_input() -> None:
    fetch = PoliteFetcher(delay=0)
    assert fetch("http://127.0.0.1:1/") is None
    process = fetch._process
    fetch.close()
    fetch.close()
    assert process is not None
    assert process.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="lacks SIGSTOP")
@pytest.mark.thorough
def test_a_process_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(fetch: PoliteFetcher) -> subprocess.Popen[bytes]:
        process = fetch._process
        assert process is not None
        process.send_signal(signal.SIGSTOP)
        return process

    def hanging() -> tuple[PoliteFetcher, subprocess.Popen[bytes]]:
        fetch = PoliteFetcher(delay=0)
        # one that hangs is like another, and this one is there at once
        fetch._process = subprocess.Popen(["sleep", "300"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return fetch, stopped(fetch)

    fetch = PoliteFetcher(delay=0)
    assert fetch("http://127.0.0.1:1/") is None
    process = stopped(fetch)
    monkeypatch.setattr(fetching, "ANSWER_S", 0.2)
    with pytest.raises(UrinormError, match="has not answered for"):
        fetch("http://127.0.0.1:1/")
    assert process.returncode == -signal.SIGKILL
    monkeypatch.undo()
    fetch, process = hanging()
    monkeypatch.setattr(fetching, "_END_S", 0.2)
    fetch.close()
    assert process.returncode == -signal.SIGKILL
    monkeypatch.undo()
    fetch, process = hanging()
    del fetch
    assert process.returncode == -signal.SIGKILL


def test_what_was_never_made_has_nothing_to_end() -> None:
    with pytest.raises(TypeError):
        PoliteFetcher(1.0)  # type: ignore[call-arg]  # the delay has a name
    gc.collect()


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [("+" * 30, None), ("+" * 31, True), ("--", False), ("+" * 20 + "-", None), ("+" * 20 + "-" + "+" * 34, None),
     ("+" * 20 + "-" + "+" * 36, True), ("?" * 99, None)],
)  # fmt: skip
def test_the_sequential_test(outcomes: str, verdict: bool | None) -> None:
    trial = Proposal(None, [])  # type: ignore[arg-type]  # of no rule
    for outcome in outcomes:
        trial.add({"+": EXACT, "-": DIFFERENT, "?": UNKNOWN}[outcome], ("a", "b"))
    assert trial.verdict is verdict


def test_pairs_are_drawn_one_per_result(tmp_path: Path) -> None:
    urls = addresses("http://a.example")
    (tmp_path / "urls.txt").write_text("".join(f"{url}\n" for url in urls))
    result = learn_file([tmp_path / "urls.txt"])[0]
    candidate = next(c for c in result.others if c.value == ["v"])
    pairs = pairs_of(candidate, urls, "recommended")
    assert len({after for _, after in pairs}) == len(pairs) == 60
    assert all(before == after + "?v=1" for before, after in pairs)


@pytest.mark.parametrize("head", ['include = ["other.toml"]', '[rules]\nremove_params = ["q"]'])
def test_what_a_person_wrote_is_not_written_over(tmp_path: Path, head: str) -> None:
    (tmp_path / "other.toml").write_text('[site."b.example"]\nremove_params = ["q"]\n')
    rules = tmp_path / "mine.toml"
    rules.write_text(f"{head}\n")
    with pytest.raises(UrinormError, match="write to another file"):
        validate_file(rules, rules, fetch=lambda _: None)
    assert rules.read_text() == f"{head}\n"
    validate_file(rules, tmp_path / "learned.toml", fetch=lambda _: None)
    validate_file(rules, tmp_path / "learned.toml", fetch=lambda _: None)


@pytest.mark.parametrize(
    ("path", "acts"),
    [
        ("/post/7?ref=a", False),
        ("/address/1", False),
        ("/market/x", False),
        ("/report/7", True),
        ("/item/7?do=delete", True),
        ("/item/7?action=log_out", True),
        ("/removeItem?id=7", True),
        ("/posting.php?t=7", True),
        ("/index.php?action=deletemsg;msg=7", True),
        ("/editpost.php?p=7", True),
        ("/ratethread.php?t=7", True),
        ("/editorial/7", False),
    ],
)
def test_what_may_do_something_is_told_by_whole_words(path: str, acts: bool) -> None:
    assert may_act(f"http://a.example{path}") is acts
