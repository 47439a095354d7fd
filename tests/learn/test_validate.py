"""Proposals decided by fetching from a real server, politely."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.content import DIFFERENT, EXACT, UNKNOWN
from scrapy_urinorm.learn import learn_file, validate_file
from scrapy_urinorm.learn.fetch import PoliteFetcher
from scrapy_urinorm.learn.validate import Proposal, pairs_of

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


def test_delays(server: ThreadingHTTPServer) -> None:
    now = [100.0]
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    fetch = PoliteFetcher(delay=2, sleep=sleep, clock=lambda: now[0])
    for n in range(3):
        response = fetch(f"http://127.0.0.1:{server.server_port}/a/{n}")
        assert response is not None
    assert slept == [2.0, 2.0, 2.0]


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
