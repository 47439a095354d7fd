"""Proposals decided by fetching from a real server, politely."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.content import DIFFERENT, EXACT, UNKNOWN
from scrapy_urinorm.learn import learn_file, validate_file
from scrapy_urinorm.learn.candidate import Candidate
from scrapy_urinorm.learn.fetch import PoliteFetcher
from scrapy_urinorm.learn.judge import Evidence
from scrapy_urinorm.learn.validate import Proposal, Validation, pairs_of
from scrapy_urinorm.visits.features import page_features

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("selectolax")


class Handler(BaseHTTPRequestHandler):
    """`v` never matters; `w` makes another page for a third of the articles; `x` answers 404."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = parse_qs(parts.query)
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        if parts.path == "/robots.txt":
            return self.answer(200, "User-agent: *\nDisallow: /private\n", "text/plain")
        number = int(parts.path.rpartition("/")[2] or 0)
        article = f"{number} other" if "w" in query and number % 3 == 0 else str(number)
        text = "".join(f"<p>sentence {i} of article {article} with a few words more</p>" for i in range(12))
        return self.answer(404 if "x" in query else 200, f"<h1>{self.path}</h1><main>{text}</main>", "text/html")

    def answer(self, status: int, body: str, kind: str) -> None:
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.asked = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=httpd.serve_forever, daemon=True)
    thread.start()
    yield httpd
    httpd.shutdown()
    httpd.server_close()
    thread.join()


def proposals(server: ThreadingHTTPServer, tmp_path: Path) -> tuple[str, Path, Path]:
    origin = f"http://127.0.0.1:{server.server_port}"
    urls = tmp_path / "urls.txt"
    lines = [f"{origin}/a/{n}{tail}\n" for n in range(60) for tail in ("", "?v=1", "?w=1", "?x=1")]
    lines += [f"{origin}/private/{n}{tail}\n" for n in range(60) for tail in ("", "?z=1")]
    lines += [f"{origin}/logout/{n}{tail}\n" for n in range(60) for tail in ("", "?u=1")]
    urls.write_text("".join(lines))
    rules = tmp_path / "proposed.toml"
    learn_file([urls], rules)
    return origin, urls, rules


def test_what_is_right_becomes_a_rule_and_what_is_wrong_is_rejected(
    server: ThreadingHTTPServer, tmp_path: Path
) -> None:
    origin, urls, rules = proposals(server, tmp_path)
    result = validate_file(rules, tmp_path / "out.toml", [urls], delay=0, budget=400)
    statuses = {c.value[0]: c.status for c in [*result.active, *result.others]}
    assert statuses == {"v": "active", "w": "rejected", "x": "rejected", "z": "unverified", "u": "unverified"}
    normalizer = Normalizer(str(tmp_path / "out.toml"))
    assert normalizer.key(f"{origin}/a/777?v=5") == f"{origin}/a/777"
    assert normalizer.key(f"{origin}/a/777?w=5") != f"{origin}/a/777"


def test_nothing_disallowed_or_acting_is_asked_for(server: ThreadingHTTPServer, tmp_path: Path) -> None:
    _, urls, rules = proposals(server, tmp_path)
    validate_file(rules, tmp_path / "out.toml", [urls], delay=0, budget=400)
    asked = server.asked  # type: ignore[attr-defined]
    assert asked[0] == "/robots.txt"
    assert asked.count("/robots.txt") == 1
    assert not [path for path in asked if "private" in path or "logout" in path]


def test_the_budget_is_kept(server: ThreadingHTTPServer, tmp_path: Path) -> None:
    _, urls, rules = proposals(server, tmp_path)
    result = validate_file(rules, tmp_path / "out.toml", [urls], delay=0, budget=20)
    assert len(server.asked) <= 21  # type: ignore[attr-defined]
    assert not result.active


RAW = {
    "/status": b"what is this\r\n\r\n",
    "/length": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n<p>short",
    "/chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx",
}
MOVED = {"/loop": "/loop", "/elsewhere": "http://localhost:1/x", "/hop": "/page", "/tosecret": "/private"}


class Bad(BaseHTTPRequestHandler):
    """What servers answer that a fetcher must outlive; `robots` is the robots.txt of the server."""

    robots: tuple[int, str, str] = (404, "", "")

    def do_GET(self) -> None:
        self.server.asked.append((self.path, time.monotonic()))  # type: ignore[attr-defined]
        if self.path == "/robots.txt" and self.robots[0] == 0:
            return self.close()
        if self.path == "/robots.txt":
            return self.answer(*self.robots)
        if self.path == "/rules/robots":
            return self.answer(200, "User-agent: *\nDisallow: /private\n", "text/plain")
        if self.path in RAW:
            return self.raw(RAW[self.path])
        if self.path in MOVED:
            return self.answer(302, "", MOVED[self.path])
        if self.path == "/large":
            return self.answer(200, "x" * (5 << 20), "text/html")
        return self.answer(200, "<p>caf\xe9", f"text/html{'; charset=undefined' if self.path == '/charset' else ''}")

    def raw(self, data: bytes) -> None:
        self.wfile.write(data)
        self.close()

    def close(self) -> None:
        self.close_connection = True

    def answer(self, status: int, body: str, kind: str) -> None:
        data = body.encode()
        self.send_response(status)
        self.send_header("Location" if 300 <= status < 400 else "Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def bad_server(robots: tuple[int, str, str] = (404, "", "")) -> Iterator[ThreadingHTTPServer]:
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Bad,), {"robots": robots}))
    httpd.asked = []  # type: ignore[attr-defined]
    threading.Thread(target=httpd.serve_forever, args=(0.05,), daemon=True).start()
    yield httpd
    httpd.shutdown()
    httpd.server_close()


def asked(httpd: ThreadingHTTPServer) -> list[str]:
    return [path for path, _ in httpd.asked]  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """What the fetcher makes of each of these paths, one after the other."""
    paths = ["/status", "/length", "/chunks", "/large", "/charset", "/loop", "/elsewhere", "/hop", "/page"]
    with bad_server() as httpd, PoliteFetcher(delay=0, timeout=5) as fetch:
        found = {path: fetch(f"http://127.0.0.1:{httpd.server_port}{path}") for path in paths}
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
def test_robots(robots: tuple[int, str, str], allowed: bool, why: str) -> None:
    with bad_server(robots) as httpd, PoliteFetcher(delay=0, timeout=5) as fetch:
        origin = f"http://127.0.0.1:{httpd.server_port}"
        assert (fetch(f"{origin}/page") is not None) is allowed
        assert fetch.requests >= len(asked(httpd)) - 1
        assert ("/page" in asked(httpd)) is allowed
        if robots[2] == "/rules/robots":
            assert fetch(f"{origin}/private") is None
            assert fetch(f"{origin}/tosecret") is None
            assert "/private" not in asked(httpd)
        assert why in "".join(fetch.refused)


def test_delays_hold_for_redirects_as_well() -> None:
    robots = (200, "User-agent: *\nCrawl-delay: 0.3\n", "text/plain")
    with bad_server(robots) as httpd, PoliteFetcher(delay=0.1) as fetch:
        for _ in range(2):
            fetch(f"http://127.0.0.1:{httpd.server_port}/hop")
        times = [when for _, when in httpd.asked]  # type: ignore[attr-defined]
    assert [path for path, _ in httpd.asked] == ["/robots.txt", "/hop", "/page", "/hop", "/page"]  # type: ignore[attr-defined]
    assert fetch.requests == 5
    assert min(after - before for before, after in itertools.pairwise(times[1:])) > 0.25


def test_redirects_count_in_the_budget() -> None:
    with bad_server() as httpd, PoliteFetcher(delay=0) as fetch:
        origin = f"http://127.0.0.1:{httpd.server_port}"
        candidate = Candidate("127.0.0.1", "remove_params", ["v"], Evidence(), "drop", "")
        pairs = [(f"{origin}/hop?{n}", f"{origin}/hop") for n in range(40)]
        told: list[int] = []
        Validation(fetch, budget=20, progress=told.append).run([Proposal(candidate, pairs)])
        assert sum(told) == fetch.requests
        assert len(asked(httpd)) <= 24


def test_the_process_ends_with_its_input() -> None:
    fetch = PoliteFetcher(delay=0)
    assert fetch("http://127.0.0.1:1/") is None
    process = fetch._process
    fetch.close()
    fetch.close()
    assert process is not None
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [("+" * 30, None), ("+" * 31, True), ("--", False), ("+" * 20 + "-", None), ("+" * 20 + "-" + "+" * 34, None),
     ("+" * 20 + "-" + "+" * 36, True), ("?" * 99, None)],
)  # fmt: skip
def test_the_sequential_test(outcomes: str, verdict: bool | None) -> None:
    trial = Proposal(None, [])  # type: ignore[arg-type]
    for outcome in outcomes:
        trial.add({"+": EXACT, "-": DIFFERENT, "?": UNKNOWN}[outcome], ("a", "b"))
    assert trial.verdict is verdict


def test_pairs_are_drawn_one_per_result(server: ThreadingHTTPServer, tmp_path: Path) -> None:
    _, urls, rules = proposals(server, tmp_path)
    result = learn_file([urls])[0]
    candidate = next(c for c in result.others if c.value == ["v"])
    pairs = pairs_of(candidate, urls.read_text().split(), "recommended")
    assert len({after for _, after in pairs}) == len(pairs) == 60
    assert all(before == after + "?v=1" for before, after in pairs)
    assert rules.exists()
