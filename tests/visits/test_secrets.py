"""No secret in clear: sixty names and shapes through everything that we write."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm import compression
from scrapy_urinorm.learn import learn_file
from scrapy_urinorm.report import write_report
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.visits import Redaction
from tests.crawl import forked
from tests.seen.redis_server import RedisServer
from tests.serving import Answer, Serving
from tests.visits.secrets_table import ROWS

IDS = [row[0].format("...") for row in ROWS]


def test_the_table_has_its_size() -> None:
    assert len(ROWS) >= 60
    assert len({value for _, value in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("query", "value"), ROWS, ids=IDS)
@pytest.mark.parametrize(
    "before", ["?", "?a=1&", "p;x=1?", "?n=1#"], ids=["alone", "after another", "path", "fragment"]
)
def test_masked(query: str, value: str, before: str) -> None:
    redact = Redaction(b"salt")
    url = f"http://a.example/{before}{query.format(value)}&b=2"
    assert value not in redact(url)
    assert redact(url).endswith("&b=2")
    assert redact(url) != Redaction(b"other")(url)


HARD = {
    "letters": lambda n: "http://a.example/" + "a" * n,
    "equals signs": lambda n: "http://a.example/?" + "a=" * (n // 2),
    "doubtful names": lambda n: "http://a.example/?" + "s=" * (n // 2),
    "escaped equals signs": lambda n: "http://a.example/?" + "a%3D" * (n // 4),
    "escapes of escapes": lambda n: "http://a.example/?a=%" + "25" * (n // 2),
    "schemes": lambda n: "://" * (n // 3),
    "escaped schemes": lambda n: "http:" + ":%2F%2F" * (n // 7) + "%40",
    "at signs": lambda n: "http://" + "a@" * (n // 2),
    "sessions of ASP.NET": lambda n: "http://a.example/(A(" + "a)A(" * (n // 4),
    "fields": lambda n: "http://a.example/?" + "&s=1" * (n // 4),
    "a long value": lambda n: "http://a.example/?a=" + "0a" * (n // 2),
}  # fmt: skip


@pytest.mark.parametrize("make", HARD.values(), ids=HARD)
def test_long_addresses_are_done_with(make: Any) -> None:
    """What is quadratic would take hours for this, and a recursion ends it."""
    Redaction(b"salt")(make(200_000))


@pytest.mark.slow
def test_what_is_remembered_is_bounded_in_characters() -> None:
    redact = Redaction(b"salt")
    for n in range(6_000):
        redact(f"http://a.example/?n={n}&x={'y' * 2_000}")
        redact(f"http://a.example/?n={n}&x={'y' * 20_000}")
    assert sum(map(len, redact._known)) <= 4 << 20


@given(st.text(st.sampled_from("=&%;:/?#@3D25a token")) | st.text())
def test_any_text(text: str) -> None:
    Redaction(b"salt")("http://a.example/?" + text)


# ---------------------------------------------------------------------- everything that we write

COOKIE = "fedcba9876543210fedcba9876543210"
SPIDER = """
import json, logging, sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Spider(scrapy.Spider):
    name = "walk"
    def __init__(self, start, **more):
        super().__init__(**more)
        self.start_urls = [start]
    def parse(self, response):
        for href in response.css("a::attr(href)"):
            yield response.follow(href)

process = CrawlerProcess(json.loads(sys.argv[2]))
# Scrapy's own lines name each request: at this level it is silent, and we are not
logging.getLogger("scrapy_urinorm").setLevel(logging.DEBUG)
crawler = process.create_crawler(Spider)
process.crawl(crawler, start=sys.argv[1])
process.start()
print(json.dumps(crawler.stats.get_stats(), default=str))
"""


def answer(target: str) -> Answer:
    """A page that links to each address of the table, twice; every other page is of one of seven kinds."""
    words = " ".join(f"word{target[1:2]}{n}" for n in range(40))
    body = f"<link rel=canonical href='{target}'><p>{words}</p>"
    if target == "/":
        for n, (query, value) in enumerate(ROWS):
            href = f"/{n % 7}?{query.format(value)}"
            body += f"<a href='{href}&i={n}'>x</a><a href='{href}'>x</a>"
    return 200, {"Set-Cookie": f"DokuWiki={COOKIE}"}, body


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a crawl and the commands after it have written, by what it is."""
    folder = tmp_path_factory.mktemp("secrets")
    redis = RedisServer(folder)
    redis.start()
    visits, found = folder / "v.jsonl.zst", {}
    settings = {
        "ADDONS": {"scrapy_urinorm.Addon": 600}, "LOG_LEVEL": "INFO", "TELNETCONSOLE_ENABLED": False,
        "URINORM_VISITS": str(visits), "URINORM_REPORT": str(folder / "own.html"),
        "URINORM_SEEN": redis.url,
    }  # fmt: skip
    with Serving(answer) as site:
        words = [SPIDER, f"{site.origin}/", json.dumps(settings)]
        done = forked.run("-c", words, cwd=folder, env=dict(os.environ), timeout=280)
    assert done.returncode == 0, done.stderr
    found["stats"], found["log"] = done.stdout, done.stderr
    found["visits"] = b"".join(compression.chunks(visits)).decode()
    assert found["visits"].count("\n") > len(ROWS)
    found["report of the crawl"] = (folder / "own.html").read_text("utf-8")
    client = redis.client()
    keys = list(client.keys("*"))
    assert keys
    found["Redis"] = repr([(key, client.dump(key)) for key in keys])
    client.close()
    redis.kill()
    others = folder / "others.csv"
    paths = [f"/{n % 7}?{query.format(value)}" for n, (query, value) in enumerate(ROWS)]
    others.write_text("url,text_digest\n" + "".join(f"http://b.example{path},t{path[1]}\n" for path in paths))
    log = "".join(f'1.2.3.4 - - [02/Jan/2020:03:04:05 +0100] "GET {path} HTTP/1.1" 200 9\n' for path in paths)
    (folder / "access.log").write_text(log)
    for name, path in {"visits": visits, "a table": others, "a log": folder / "access.log"}.items():
        learn_file([path], folder / "learned.toml", force=True)
        found[f"learned from {name}"] = (folder / "learned.toml").read_text("utf-8")
        write_report([path], folder / "r.html", RuleSet.load(), json_output=folder / "r.json", jobs=1)
        found[f"report on {name}"] = (folder / "r.html").read_text("utf-8") + (folder / "r.json").read_text("utf-8")
        (folder / "learned.toml").unlink()
    return found


@pytest.mark.parametrize(
    "what",
    [
        "visits", "stats", "log", "Redis", "report of the crawl", "learned from visits", "learned from a table",
        "learned from a log", "report on visits", "report on a table", "report on a log",
    ],
)  # fmt: skip
def test_nothing_that_we_write_has_a_secret(written: dict[str, str], what: str) -> None:
    assert [query for query, value in ROWS if value in written[what]] == []


def test_values_of_cookies_are_not_recorded(written: dict[str, str]) -> None:
    assert "cookie:DokuWiki" in written["visits"]
    assert COOKIE not in written["visits"]
