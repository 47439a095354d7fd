"""What recording visits costs a crawl: its share of the CPU of a crawl that does nothing but follow links.

    python benchmarks/learn_visits.py [--pages 400] [--rounds 3] [--items]

Each round crawls a site on loopback twice, in processes of their own, with and without URINORM_VISITS, for few and for
all pages: the differences are of the crawl alone. Instructions are counted where `perf` can, which other programs on
the machine do not change; else seconds of CPU. With --items the spider also takes an item from each page.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

WORDS = [f"{a}{b}{c}" for a in ("ba", "co", "di", "fu") for b in ("ran", "sel", "tim") for c in ("", "e", "ing", "ous")]
FEW = 40


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


def crawl(origin: str, pages: int, visits: str, items: bool) -> None:
    """Crawl in this process."""
    from scrapy import Request, Spider
    from scrapy.crawler import CrawlerProcess
    from scrapy.linkextractors import LinkExtractor

    extractor = LinkExtractor(allow=f"{re.escape(origin)}/page/\\d+$")

    class Follow(Spider):
        name = "follow"
        start_urls = (origin + "/page/0",)

        def parse(self, response: Any) -> Any:
            if items:
                yield {
                    "title": response.css("h1::text").get(),
                    "text": response.css("main p::text").getall(),
                    "authors": response.xpath("//li/div/b/text()").getall(),
                }
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
    process.crawl(Follow)
    process.start()


def cost(origin: str, pages: int, visits: str, items: bool) -> float:
    """Return what a crawl in a process of its own costs: instructions, or microseconds where there is no `perf`."""
    command = [sys.executable, __file__, "--crawl", origin, "--pages", str(pages), "--visits", visits]
    command += ["--items"] if items else []
    if shutil.which("perf"):
        counted = subprocess.run(
            ["perf", "stat", "-x", ",", "-e", "instructions:u", *command], check=True, capture_output=True, text=True
        )
        found = re.search(r"^(\d+),.*instructions", counted.stderr, re.MULTILINE)
        if found is not None:
            return float(found[1])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e6 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--items", action="store_true")
    parser.add_argument("--crawl", help=argparse.SUPPRESS)
    parser.add_argument("--visits", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.crawl:
        crawl(given.crawl, given.pages, given.visits, given.items)
        return
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    shares = []
    with tempfile.TemporaryDirectory() as folder:
        for n in range(given.rounds):
            spent = {}
            for mode in ("", str(Path(folder) / f"{n}.jsonl.gz")):
                few, all_pages = (cost(origin, count, mode, given.items) for count in (FEW, given.pages))
                spent[bool(mode)] = (all_pages - few) / (given.pages - FEW)
            shares.append(1 - spent[False] / spent[True])
            print(
                f"a page: {spent[False]:,.0f}, with visits {spent[True]:,.0f}: {shares[-1]:.1%} of the crawl",
                flush=True,
            )
    server.shutdown()
    print(f"median {statistics.median(shares):.1%}; a page is {len(page(7)):,} bytes")


if __name__ == "__main__":
    main()
