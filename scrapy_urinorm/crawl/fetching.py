"""A Scrapy spider that fetches the addresses it is told, politely: `python -m scrapy_urinorm.crawl.fetching OPTIONS`.

`OPTIONS` is JSON: `user_agent`, `most_body` (octets), and in seconds `delay`, `timeout`, `longest_delay`. Messages
are those of `messages`. Each `get` with a `url` on standard input has one answer on
standard output: `got`, with `url`, `status`, `content_type`, `headers`, `cookies` (names) and the body; or `none`, with
`why`. Both say `requests`, the number of requests so far, redirects and robots.txt included. It ends with its input.

Robots.txt, redirects, delay and retries are Scrapy's; what RFC 9309 says beyond, and Crawl-delay, is `Manners`.
"""

from __future__ import annotations

import json
import sys
import threading
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from protego import Protego
from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider, IgnoreRequest
from scrapy.http import Response, TextResponse

from scrapy_urinorm.crawl.chains import chain_of
from scrapy_urinorm.crawl.engine_calls import close_spider
from scrapy_urinorm.suffixes import same_site
from scrapy_urinorm.visits import messages

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_NOTHING = b"User-agent: *\nDisallow: /\n"
#: RFC 9309 2.3.1.2: at least five consecutive redirects.
_MOST_REDIRECTS = 5


class Manners:
    """Downloader middleware, nearest to the engine: what a robots.txt means that cannot be had, and how often to ask.

    A robots.txt that the server fails to give (5xx, no answer) allows nothing, one that is not there (4xx, or behind
    more redirects than we follow) everything (RFC 9309 2.3.1).
    Redirects lead to no other site. A site that wants longer pauses than we have time for is left
    alone.
    """

    def __init__(self, crawler: Crawler):
        self._crawler = crawler
        self._longest = crawler.settings.getfloat("FETCHING_LONGEST_DELAY")
        self._agent = str(crawler.settings["USER_AGENT"])
        self._delays: dict[str, float] = {}
        self.requests = 0
        self.refused: dict[str, str] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        made = cls(crawler)
        assert isinstance(crawler.spider, Fetching)
        crawler.spider.manners = made
        return made

    def process_request(self, request: Request, spider: object = None) -> None:
        host = urlsplit(request.url).netloc
        if not _is_robots(request):
            if not same_site(_name(chain_of(request)[0]), _name(request.url)):
                raise IgnoreRequest("it redirects to another site")
            if host in self.refused:
                raise IgnoreRequest(self.refused[host])
            self._keep_delay(request, host)
        self.requests += 1

    def _keep_delay(self, request: Request, host: str) -> None:
        """Scrapy forgets the delay of a site that was not asked for a while."""
        engine = self._crawler.engine
        assert engine is not None
        slot = engine.downloader.slots.get(engine.downloader.get_slot_key(request))
        if slot is not None:
            slot.delay = max(slot.delay, self._delays.get(host, 0.0))

    def process_response(self, request: Request, response: Response, spider: object = None) -> Response:
        if not _is_robots(request):
            return response
        if response.status >= 500:
            return self._disallowed(request, f"its robots.txt answers {response.status}")
        if response.status >= 400:
            return response.replace(status=200, body=b"")
        host = urlsplit(chain_of(request)[0]).netloc
        delay = float(Protego.parse(response.body.decode("utf-8", "replace")).crawl_delay(self._agent) or 0)
        if delay > self._longest:
            return self._disallowed(request, f"its robots.txt asks for {delay:.0f} s between requests")
        self._delays[host] = delay
        return response

    def process_exception(self, request: Request, exception: Exception, spider: object = None) -> Response | None:
        return self._disallowed(request, "its robots.txt cannot be had") if _is_robots(request) else None

    def _disallowed(self, request: Request, why: str) -> Response:
        host = urlsplit(chain_of(request)[0]).netloc
        self.refused[host] = f"{host}: {why}"
        return TextResponse(request.url, body=_NOTHING, request=request)


def _is_robots(request: Request) -> bool:
    # Scrapy's middleware asks for it so; redirects inherit it
    return bool(request.meta.get("dont_obey_robotstxt"))


def _name(url: str) -> str:
    return urlsplit(url).hostname or ""


class Fetching(Spider):
    """Fetches what it is told by standard input, and stays until that ends."""

    name = "urinorm-fetching"
    manners: Manners

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider._listen, signals.spider_opened)
        crawler.signals.connect(spider._stay, signals.spider_idle)
        return spider

    def _listen(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        from twisted.internet import reactor

        loop: Any = reactor
        while (message := messages.received(sys.stdin.buffer.read)) is not None:
            loop.callFromThread(self._get, message[0].get("url", ""))
        loop.callFromThread(close_spider, self.crawler, "finished")

    def _stay(self) -> None:
        raise DontCloseSpider

    def _get(self, url: str) -> None:
        try:
            if urlsplit(url).scheme not in ("http", "https"):
                raise ValueError(f"{url!r} is not the address of a web page")
            request: Request = Request(url, self._got, errback=self._failed, dont_filter=True)
        except ValueError as error:
            self._answer({"do": "none", "why": str(error)})
            return
        engine = self.crawler.engine
        assert engine is not None
        engine.crawl(request)

    def _got(self, response: Response) -> None:
        said = response.headers
        found = {
            "do": "got",
            "url": response.url,
            "status": response.status,
            "content_type": (said.get("Content-Type") or b"").decode("latin-1"),
            "headers": [name.decode("latin-1") for name in said],
            "cookies": [value.partition(b"=")[0].strip().decode("latin-1") for value in said.getlist("Set-Cookie")],
        }
        self._answer(found, response.body)

    def _failed(self, failure: Any) -> None:
        request = getattr(failure, "request", None)
        why = self.manners.refused.get(urlsplit(request.url).netloc, "") if request is not None else ""
        self._answer({"do": "none", "why": why or failure.getErrorMessage() or failure.type.__name__})

    def _answer(self, header: dict[str, Any], body: bytes = b"") -> None:
        messages.send(sys.stdout.buffer.write, {**header, "requests": self.manners.requests}, body)
        sys.stdout.buffer.flush()


def settings_of(options: dict[str, Any]) -> dict[str, Any]:
    """Scrapy's settings for options as in the module's docstring: nothing of the user's project."""
    return {
        "USER_AGENT": options["user_agent"],
        "ROBOTSTXT_OBEY": True,
        "DOWNLOAD_DELAY": options["delay"],
        "RANDOMIZE_DOWNLOAD_DELAY": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_MAXSIZE": options["most_body"],
        "DOWNLOAD_TIMEOUT": options["timeout"],
        "FETCHING_LONGEST_DELAY": options["longest_delay"],
        "REDIRECT_MAX_TIMES": _MOST_REDIRECTS,
        "RETRY_TIMES": 1,
        "HTTPERROR_ALLOW_ALL": True,
        # of the page we want what it is, and a charset that there is not makes this one raise
        "METAREFRESH_ENABLED": False,
        "DOWNLOAD_HANDLERS": dict.fromkeys(("data", "file", "ftp", "s3")),
        "COOKIES_ENABLED": False,
        "DOWNLOADER_MIDDLEWARES": {Manners: 90},
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "LOG_ENABLED": False,
        "LOGSTATS_INTERVAL": 0,
    }


def main() -> None:
    """Run until standard input ends; Ctrl-C, which reaches a whole group of processes, is for who started us."""
    import signal

    from scrapy.crawler import CrawlerProcess

    process = CrawlerProcess(settings_of(json.loads(sys.argv[1])))
    process.crawl(Fetching)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    process.start(install_signal_handlers=False)


if __name__ == "__main__":
    main()
