"""What recording visits costs a crawl that only follows links: in its own process, and in that of the page reader."""

from __future__ import annotations

import functools
import http.server
import json
import os
import random
import re
import resource
import shutil
import statistics
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.instructions import counts
from benchmarks.measured import Figure
from benchmarks.processes import module

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = [f"{a}{b}{c}" for a in ("ba", "co", "di", "fu") for b in ("ran", "sel", "tim") for c in ("", "e", "ing", "ous")]
PAGES = 300


@functools.cache
def page(number: int) -> bytes:
    """A page of about 40 kB: a menu, an article, forty comments, a list of links."""
    rng = random.Random(number)

    def text(count: int) -> str:
        return " ".join(rng.choices(WORDS, k=count))

    menu = "".join(f'<li class="item"><a href="/list/{n}">{WORDS[n]}</a></li>' for n in range(40))
    article = "".join(f"<p>{text(60)} <em>{text(3)}</em> {text(20)}</p>" for _ in range(20))
    comments = "".join(
        f'<li id="c{n}"><div class="author"><b>{text(2)}</b> <span>{n}</span></div><div><p>{text(30)}</p></div>'
        f'<a href="/page/{number}?replytocom={n}">reply</a></li>'
        for n in range(40)
    )
    links = "".join(f'<td><a href="/page/{2 * number + n}">{text(4)}</a></td>' for n in (1, 2))
    return (
        f"<html><head><title>{text(5)}</title><script>{'x=1;' * 800}</script></head><body><nav><ul>{menu}</ul></nav>"
        f"<main><h1>{text(5)}</h1>{article}<ol>{comments}</ol></main><table><tr>{links}</tr></table></body></html>"
    ).encode()


class Site(http.server.BaseHTTPRequestHandler):
    """Answers every address with the page of its number."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 18
    """Head and body in one packet: a crawl that waits 40 ms for each page does its work with cold caches."""

    def do_GET(self) -> None:
        numbers = re.findall(r"\d+", self.path)
        body = page(int(numbers[0]) if numbers else 0)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


def crawl(origin: str, visits: str, pages: int, core: int | None = None) -> None:
    """Crawl in this process; from its first page on its own thread has a core for itself, where one is named."""
    from scrapy import Request, Spider
    from scrapy.crawler import CrawlerProcess
    from scrapy.linkextractors import LinkExtractor

    extractor = LinkExtractor(allow=f"{re.escape(origin)}/page/\\d+$")

    class Follow(Spider):
        name = "follow"
        start_urls = [origin + "/page/0"]

        def parse(self, response: Any) -> Any:
            if core is not None:
                os.sched_setaffinity(0, {core})
            for link in extractor.extract_links(response):
                yield Request(link.url)

    settings: dict[str, Any] = {
        "ADDONS": {"scrapy_urinorm.Addon": 600},
        "CLOSESPIDER_PAGECOUNT": pages,
        "CONCURRENT_REQUESTS": 1,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
        **({"URINORM_VISITS": visits} if visits else {}),
    }
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(Follow)
    process.crawl(crawler)
    process.start()
    fetched = crawler.stats.get_value("response_received_count", 0)
    if fetched < pages:
        raise SystemExit(f"the crawl ended after {fetched} of {pages} pages")


def costs(rounds: int, pages: int = PAGES) -> Iterator[Figure]:
    """Shares of the CPU of a crawl that records nothing; what starting costs is in neither.

    Each round has two that record between two that do not: what changes on the machine meanwhile is in both. By how
    much those two differ is said. The crawl has a core, the server and the reader have the others: else the system
    moves all of them about, and that a crawl goes on with the cold caches of another core is no work of its process.
    """
    own, reader, same = [], [], []
    cores, core = _cores(), []
    if len(cores) > 1:
        core = [str(min(cores))]
        os.sched_setaffinity(0, cores - {min(cores)})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    # a crawl that waits for a server that makes its pages first goes on with cold caches
    _of_pages(f"http://127.0.0.1:{server.server_port}", pages, "", *core)
    with tempfile.TemporaryDirectory() as folder:
        for n in range(rounds):
            (before, _), (one, apart), (other, also_apart), (after, _) = (
                _of_pages(f"http://127.0.0.1:{server.server_port}", pages, visits, *core)
                for visits in ("", *(str(Path(folder, f"{n}.{m}.jsonl.zst")) for m in range(2)), "")
            )
            own.append((one + other) / (before + after) - 1)
            reader.append((apart + also_apart) / (before + after))
            same.append(abs(after / before - 1))
        shares = list(
            _instructions(f"http://127.0.0.1:{server.server_port}", pages // 6, str(Path(folder, "i.jsonl.zst")))
        )
    server.shutdown()
    server.server_close()
    if core:
        os.sched_setaffinity(0, cores)
    noise = f"two crawls without it: {100 * statistics.median(same):.1f} %"
    note = f"pages of {len(page(7)):,} bytes, {pages} of them; {noise}"
    yield Figure("recording visits, CPU it adds in the crawl's own process", 100 * statistics.median(own), "%", 2.0,
                 note=note)  # fmt: skip
    yield from shares
    yield Figure("the process that reads the pages, CPU to the crawl's", 100 * statistics.median(reader), "%", 12.0)


def _instructions(origin: str, pages: int, visits: str) -> Iterator[Figure]:
    """The same in instructions, which what the reader does meanwhile beside the crawl changes nothing of."""
    if shutil.which("valgrind") is not None:
        programs = {name: (__name__, origin, path) for name, path in (("bare", ""), ("recorded", visits))}
        each = counts(programs, (max(1, pages // 6), pages))
        share = 100 * (each["recorded"] / each["bare"] - 1)
        yield Figure("in instructions: recording visits, added in the crawl's own process", share, "%", 2.0,
                     note=f"{each['bare']:,.0f} a page without it")  # fmt: skip


def _cores() -> set[int]:
    """Return the cores that this process may use; none where the system does not say."""
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


def _of_pages(origin: str, pages: int, visits: str, *core: str) -> tuple[float, float]:
    """CPU seconds of the crawl and of its reader, for all pages less a tenth of them."""
    few, many = (module(__name__, origin, visits, str(count), *core).json() for count in (max(1, pages // 10), pages))
    return many[0] - few[0], many[1] - few[1]


if __name__ == "__main__":
    crawl(sys.argv[1], sys.argv[2], int(sys.argv[3]), *map(int, sys.argv[4:]))
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(json.dumps([one.ru_utime + one.ru_stime for one in spent]))
