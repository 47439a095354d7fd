"""Spiders for crawls with live rules; each writes the addresses of its pages to `pages` as their callbacks run."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

from scrapy import Request, Spider
from scrapy.http import Response, TextResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule
from scrapy.utils.defer import maybe_deferred_to_future

from scrapy_urinorm.live import patience


class Noted(Spider):
    """What all have in common."""

    name = "noted"
    pages = "pages.txt"

    def note(self, response: Response) -> None:
        with Path(self.pages).open("a", encoding="utf-8") as file:
            file.write(response.url + "\n")


class Follow(Noted):
    """Follow every link."""

    def parse(self, response: Response) -> Iterator[Any]:
        self.note(response)
        if isinstance(response, TextResponse):
            yield from (response.follow(href) for href in response.css("a::attr(href)").getall())


class Opening(Follow):
    """Follow what a script of the site opens, too."""

    def parse(self, response: Response) -> Iterator[Any]:
        yield from super().parse(response)
        yield from (response.follow(to) for to in response.css("[data-opens]::attr(data-opens)").getall())


class Leveled(Noted):
    """Follow three levels of links, which it counts in the meta."""

    levels = 3

    def parse(self, response: Response) -> Iterator[Any]:
        self.note(response)
        level = response.meta.get("level", 0) + 1
        if level <= self.levels:
            for href in response.css("a::attr(href)").getall():
                yield response.follow(href, meta={"level": level})


class Counting(Noted):
    """Ask for one number after the other, whatever is found there."""

    count: int
    handle_httpstatus_list = (404,)

    def parse(self, response: Response) -> Iterator[Any]:
        self.note(response)
        number = int(response.url.rpartition("/")[2] or 0)
        if number < self.count:
            yield response.follow(f"/day/{number + 1}")


class Paging(Noted):
    """Follow every link, and ask for the next page of each list, whatever it names."""

    def parse(self, response: Response) -> Iterator[Any]:
        self.note(response)
        links = response.css("ul a::attr(href)").getall()
        yield from response.follow_all(links)
        head, mark, number = response.url.partition("page=")
        if mark and links:
            yield response.follow(f"{head}page={int(number) + 1}")


class WithMeta(Follow):
    """Copy the meta of each response to its requests, as many spiders do."""

    def parse(self, response: Response) -> Iterator[Any]:
        for request in super().parse(response):
            request.meta.update(response.meta)
            yield request


def _lot(url: str) -> int:
    """A number that is an address's own, on any port."""
    return crc32(url.split("/", 3)[3].encode() or b"the front page")


class Stumbling(Follow):
    """A callback that fails for a tenth of the pages, before it has done anything, and only once for each address."""

    failed: set[str]

    def parse(self, response: Response) -> Iterator[Any]:
        self.failed = getattr(self, "failed", set())
        if _lot(response.url) % 10 == 0 and response.url not in self.failed:
            self.failed.add(response.url)
            raise ValueError("stumbled")
        yield from super().parse(response)


class Unspeakable:
    """Cannot be shown."""

    def __repr__(self) -> str:
        raise ValueError("cannot be shown")


class Awkward(Follow):
    """Every second address has an argument for its callback, or a meta of a CrawlSpider, that cannot be shown."""

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Any]:
        for request in super().parse(response):
            if _lot(request.url) % 2:
                request.cb_kwargs["odd"] = Unspeakable()
            elif _lot(request.url) % 4:
                request.meta["rule"] = Unspeakable()
            yield request


class Crawling(CrawlSpider):
    """The same by rules."""

    name = "crawling"
    pages = "pages.txt"
    rules = (
        Rule(LinkExtractor(allow=r"/article/"), callback="parse_page", follow=True),
        Rule(LinkExtractor(), callback="parse_page", follow=True),
    )

    def parse_start_url(self, response: Response, **kwargs: Any) -> Any:
        Noted.note(self, response)  # type: ignore[arg-type]  # a spider that is none of its class
        return []

    def parse_page(self, response: Response) -> Any:
        Noted.note(self, response)  # type: ignore[arg-type]  # a spider that is none of its class
        return []


class Downloading(Follow):
    """Fetch a variant beside the scheduler in each callback: it serves nobody else."""

    async def parse(self, response: Response) -> AsyncIterator[Any]:  # type: ignore[override]  # as it fetches
        self.note(response)
        hrefs = response.css("a::attr(href)").getall()
        if hrefs:
            request = response.follow(hrefs[0], dont_filter=True)
            engine = self.crawler.engine
            assert engine is not None
            if hasattr(engine, "download_async"):
                await engine.download_async(request)
            else:
                await maybe_deferred_to_future(engine.download(request))
        for href in hrefs:
            yield response.follow(href)


class Murderous(Follow):
    """Kill the process that learns, at the pages of `at`, and wait for it where it has not begun by then."""

    at: list[int]
    count = 0
    killed = -1

    async def parse(self, response: Response) -> AsyncIterator[Any]:  # type: ignore[override]  # as it waits
        self.count += 1
        if self.at and self.count >= self.at[0]:
            del self.at[0]
            # one that was killed may take a moment to go
            while not (found := [pid for pid in running("scrapy_urinorm.live.process") if pid != self.killed]):
                await asyncio.sleep(0.01)
            (self.killed,) = found
            os.kill(self.killed, signal.SIGKILL)
        for request in super().parse(response):
            yield request


class Impatient(Follow):
    """Have pages of a few words wait for `patience` pages with news, not for a thousand."""

    patience = 150

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        patience.PATIENCE = self.patience


class Stocking(Spider):
    """Fill an item over three pages, the last two of which say next to nothing."""

    name = "stocking"

    def parse(self, response: Response) -> Iterator[Any]:
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, self.product if href.startswith("/product/") else self.parse)

    def product(self, response: Response) -> Iterator[Any]:
        number = response.url.rpartition("/")[2]
        yield response.follow(f"/reviews/{number}", self.reviews, cb_kwargs={"page": number})

    def reviews(self, response: Response, page: str) -> Iterator[Any]:
        yield response.follow(f"/stock/{page}", self.stock, meta={"page": page})

    def stock(self, response: Response) -> Iterator[Any]:
        yield {"page": response.meta["page"]}


class Listing(Follow):
    """Offer the addresses of a file, and never end to offer: `start()` waits until nothing else is under way."""

    def offered(self) -> list[str]:
        return Path("offered.txt").read_text("utf-8").split()

    async def start(self) -> AsyncIterator[Any]:
        for url in self.offered():
            yield Request(url)


def running(name: str) -> list[int]:
    """The descendants of this process that run a module."""
    parents, found = {}, []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            if name in (path / "cmdline").read_text():
                found.append(int(path.name))
        except (OSError, ValueError):
            continue
    return [pid for pid in found if _is_ours(pid, parents)]


def _is_ours(pid: int, parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == os.getpid():
            return True
    return False
