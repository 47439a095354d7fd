"""A link-heavy crawl on loopback: 200 links a page, 90 % of them known; pages per CPU second of the crawler."""

from __future__ import annotations

import contextlib
import json
import random
import statistics
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from benchmarks.measured import Figure
from benchmarks.processes import module
from benchmarks.under_rules import TEN_LINES

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = 300
KNOWN, NEW = 180, 20
_WORDS = "advance archive article balance bicycle camera crisis culture design district event garden".split()


def crawls(rounds: int, pages: int = PAGES) -> Iterator[Figure]:
    """Scrapy alone and with the add-on, in turns."""
    samples: dict[str, list[float]] = {"alone": [], "addon": [], "pure": [], "rules": []}
    with site() as start:
        for _ in range(rounds):
            for name, values in samples.items():
                done = module(__name__, start, name, str(pages), pure=name == "pure").json()
                # equal pages, and the links of a page are equal too
                assert done["pages"] == pages, done
                values.append(pages / done["cpu"])
    rate = {name: statistics.median(values) for name, values in samples.items()}
    # crawls that followed one another saw the same machine
    ratio, pure = (
        statistics.median(one / alone for one, alone in zip(samples[name], samples["alone"], strict=True))
        for name in ("addon", "pure")
    )
    note = (
        f"{pages} pages each; {rate['addon']:.0f} a CPU second, Scrapy alone {rate['alone']:.0f}; "
        f"in pure Python {pure:.2f} x"
    )
    yield Figure("a link-heavy crawl, pages per CPU second, to Scrapy alone", ratio, "x", 1.15, least=True, note=note)
    spent = statistics.median(alone / one for one, alone in zip(samples["rules"], samples["alone"], strict=True))
    yield Figure("the same with a table of ten lines, CPU time to Scrapy alone", spent, "x", 1.0)


@contextlib.contextmanager
def site() -> Iterator[str]:
    """The site, while it is up: where to start."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class _Pages(BaseHTTPRequestHandler):
    """Page n links to its 20 children, which nobody else links to, and to 180 pages that all link to."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        number = int(self.path.rpartition("-")[2] or 0) if "-" in self.path else 0
        body = _page(number).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        return


def _page(number: int) -> str:
    draw = random.Random(number)
    links = [f"/{w}/{_WORDS[n % 12]}?id={n}&lang=en&view={w}" if n % 2 else f"/{w}/{_WORDS[n % 7]}/page-{n}"
             for n in range(1, KNOWN + 1) for w in (_WORDS[n % 11],)]  # fmt: skip
    links += [f"/{draw.choice(_WORDS)}/story-{KNOWN + number * NEW + n}" for n in range(1, NEW + 1)]
    draw.shuffle(links)
    items = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return f"<html><head><title>{number}</title></head><body><ul>{items}</ul></body></html>"


# --- what runs in a process of its own ------------------------------------------------------------------------------


def _crawl(start: str, name: str, pages: int) -> dict[str, float]:
    import scrapy
    from scrapy.crawler import CrawlerProcess

    class Spider(scrapy.Spider):
        name = "links"
        start_urls = [start]
        pages = 0
        began = 0.0
        spent = 0.0

        def parse(self, response: Any) -> Any:
            if not Spider.pages:
                Spider.began = time.process_time()
            if Spider.pages < pages:
                Spider.pages += 1
                Spider.spent = time.process_time() - Spider.began
                yield from response.follow_all(css="a")

    settings: dict[str, Any] = {
        "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, "CLOSESPIDER_PAGECOUNT": pages, "ROBOTSTXT_OBEY": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16, "DOWNLOAD_DELAY": 0,
    }  # fmt: skip
    if name != "alone":
        settings["ADDONS"] = {"scrapy_urinorm.Addon": 600}
    if name == "rules":
        settings["URINORM_RULES"] = {"rules": TEN_LINES}
    process = CrawlerProcess(settings)
    process.crawl(Spider)
    process.start()
    return {"pages": Spider.pages, "cpu": Spider.spent}


if __name__ == "__main__":
    print(json.dumps(_crawl(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
