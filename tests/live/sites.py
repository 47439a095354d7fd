"""Sites made by lot, answered in memory or by a server: true duplicates, near ones, values that matter here alone.

What a page is, is said by its `identity`, which no test under test ever sees.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, is_dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol
from urllib.parse import parse_qsl, urlencode, urlsplit

from scrapy_urinorm.visits.page import Crawl, visit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy_urinorm.visits.record import Visit

WORDS = (
    "harbour lantern meadow copper thistle velvet granite willow ember falcon orchard pepper saddle timber ripple "
    "anchor basket candle dagger engine feather goblet hammer island jacket kettle ladder marble needle oyster"
).split()


@dataclass(frozen=True)
class Answer:
    """What a site answers. `identity` names the page, None for what is none."""

    status: int
    text: str = ""
    links: tuple[str, ...] = ()
    location: str = ""
    identity: str | None = None
    title: str = "Site"

    def html(self) -> str:
        links = "".join(f'<li><a href="{link.replace("&", "&amp;")}">{n}</a></li>' for n, link in enumerate(self.links))
        head = f"<html><head><title>{self.title}</title></head><body><nav>Home Contact</nav>"
        return f"{head}<main>{self.text}</main><ul>{links}</ul></body></html>"


class Answering(Protocol):
    """A site, whatever made it."""

    host: str

    @property
    def start(self) -> str:
        """Where a crawl begins."""

    def answer(self, target: str) -> Answer:
        """Answer a path with its query."""


@lru_cache(20_000)
def prose(seed: str, words: int = 60) -> str:
    """Text that is a page's own."""
    lot = random.Random(seed)
    lines = [" ".join(lot.choice(WORDS) for _ in range(8)) + f" {lot.randrange(10**6)}" for _ in range(words // 8)]
    return "".join(f"<p>{line}</p>" for line in lines)


@dataclass
class Site:
    """Articles in lists, with what makes duplicates; each feature by lot."""

    seed: int
    host: str = "site.example.com"
    features: set[str] = field(default_factory=set)
    articles: int = 0

    def __post_init__(self) -> None:
        lot = random.Random(self.seed)
        self.articles = self.articles or lot.randrange(40, 90)
        every = ["sid", "ref", "print", "order", "deep", "turning", "calendar", "noise", "near", "elsewhere", "errors"]
        self.features = self.features or set(lot.sample(every, lot.randrange(3, 8)))
        # from which article on a parameter that was idle so far matters: a tenth of the pages at the least, as fewer
        # are beyond what a test by samples can tell
        self.turn = lot.randrange(self.articles // 2, self.articles * 85 // 100)

    @property
    def start(self) -> str:
        return f"http://{self.host}/"

    # ------------------------------------------------------------------

    def answer(self, target: str) -> Answer:
        """Answer a path with its query."""
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        name = parts.path.strip("/").split("/")
        if "elsewhere" in self.features and query.get("sid") == "old":
            return Answer(301, location="/")
        if "errors" in self.features and query.get("ref") == "gone":
            return Answer(404, "not found")
        if name == [""]:
            return self._list(0, query, "home")
        if name[0] == "list" and len(name) == 2 and name[1].isdigit() and int(name[1]) < self._lists():
            return self._list(int(name[1]), query, f"list {name[1]}")
        if name[0] == "article" and len(name) == 2 and name[1].isdigit() and int(name[1]) < self.articles:
            return self._article(int(name[1]), query)
        if name[0] == "language" and "languages" in self.features:
            return Answer(302, location=query["next"])
        if name[0] == "vote" and "votes" in self.features:
            return Answer(302, location=f"/login?{urlencode({'next': target})}")
        if name == ["login"] and self.features & {"login", "votes"}:
            # advertisements: on each address of the page others
            lot = random.Random(f"{self.seed} {sorted(query.items())}")
            links = [f"/article/{lot.randrange(self.articles)}" for _ in range(3)]
            return Answer(
                200, "<h1>Log in</h1><p>Please log in first, or make an account.</p>", tuple(links), identity="login"
            )
        if name[0] == "calendar" and "calendar" in self.features and len(name) == 2 and name[1].isdigit():
            return self._calendar(int(name[1]))
        return Answer(404, "not found")

    def _lists(self) -> int:
        return (self.articles + 9) // 10

    def _list(self, number: int, query: dict[str, str], identity: str) -> Answer:
        members = list(range(number * 10, min(self.articles, number * 10 + 10)))
        if "order" in self.features and query.get("order") == "desc":
            members.reverse()
            identity += " desc"
        where = f"{identity} {sorted(query.items())}"
        links = [self._dressed(f"/article/{n}", where) for n in members]
        links += [self._dressed(f"/list/{n}", where) for n in range(self._lists())]
        if "order" in self.features:
            links += [f"/list/{number}?order={order}" for order in ("asc", "desc")]
        if "calendar" in self.features and number == 0:
            links.append("/calendar/1")
        titles = "".join(f"<p>{prose(f'{self.seed} title {n}', 8)}</p>" for n in members)
        order = identity if query.get("order") == "desc" else f"list {number}"
        return Answer(200, f"<h1>List {number}</h1>{titles}", tuple(links), identity=order)

    def _article(self, number: int, query: dict[str, str]) -> Answer:
        identity = f"article {number}"
        if "turning" in self.features and number >= self.turn and query.get("ref", "a") != "a":
            # idle on the first articles, another text on these
            identity += f" seen from {query['ref']}"
        if "deep" in self.features and number >= self.turn and "part" in query:
            identity += f" part {query['part']}"
        text = f"<h1>Article {number}</h1>{prose(f'{self.seed} {identity}')}"
        if "near" in self.features and "print" in query:
            text += f"<p>printed {number}</p>"
        if "noise" in self.features:
            text += f"<footer>served {random.Random(str(sorted(query.items()))).randrange(10**9)}</footer>"
        where = f"{identity} {sorted(query.items())}"
        links = [self._dressed(f"/article/{(number + 1) % self.articles}", where)]
        if "login" in self.features:
            links.append(f"/login?{urlencode({'next': f'/article/{number}?{urlencode(query)}'})}")
        if "languages" in self.features:
            links += [f"/language/{one}?{urlencode({'next': f'/article/{number}'})}" for one in ("de", "fr")]
        if "votes" in self.features:
            links.append(f"/vote/{number}")
        if "print" in self.features or "near" in self.features:
            links.append(f"/article/{number}?print=1")
        if "deep" in self.features:
            links += [f"/article/{number}?part={part}" for part in (1, 2)]
        return Answer(200, text, tuple(links), identity=identity)

    def _calendar(self, month: int) -> Answer:
        text = f"<h1>Month {month}</h1><p>There is nothing on in this month, come back another time please.</p>"
        return Answer(200, text, (f"/calendar/{month + 1}", f"/calendar/{month + 12}"), identity="calendar")

    def _dressed(self, path: str, where: str) -> str:
        """A link as this site makes them: with a session, one of a few, and where it stands."""
        lot = random.Random(f"{self.seed} {path} {where}")
        query = {}
        if "sid" in self.features:
            query["s"] = f"{lot.randrange(4) * 5573 + 4099:06x}"
        if "elsewhere" in self.features and lot.random() < 0.05:
            query["sid"] = "old"
        if "ref" in self.features or "turning" in self.features:
            query["ref"] = lot.choice("abcdef")
        if "errors" in self.features and lot.random() < 0.05:
            query["ref"] = "gone"
        return f"{path}?{urlencode(query)}" if query else path


_RECORDED: dict[tuple[str, int] | None, tuple[list[Visit], dict[str, str]]] = {}


def record(site: Answering, limit: int = 4_000) -> tuple[list[Visit], dict[str, str]]:
    """Crawl a site breadth first; return its visits as a crawl records them, and the identity of each address.

    A site that was recorded last is not recorded again for the other order.
    """
    # one that is no dataclass does not say by its text what it is
    known = (f"{type(site)} {site}", limit) if is_dataclass(type(site)) else None
    if known is None or known not in _RECORDED:
        _RECORDED.clear()
        _RECORDED[known] = crawled(site.start, lambda url: site.answer(url[len(site.start) - 1 :]), limit)
    visits, identities = _RECORDED[known]
    return [*visits], {**identities}


def crawled(
    start: str, answer: Callable[[str], Answer], limit: int, *, newest_first: bool = False
) -> tuple[list[Visit], dict[str, str]]:
    crawl = Crawl("20260101T000000Z-00000000", b"salt" * 4)
    queue, met = [(start, 0)], {start}
    visits: list[Visit] = []
    identities: dict[str, str] = {}
    origin = start.rstrip("/")
    while queue and len(visits) < limit:
        url, depth = queue.pop(-1 if newest_first else 0)
        found = answer(url)
        said = {"url": url, "status": found.status, "time": 0, "depth": depth, "type": "text/html; charset=utf-8"}
        following = [origin + link for link in found.links]
        if found.location:
            target = origin + found.location
            visits.append(visit_of(crawl, {**said, "target": target}, None))
            following = [target]
        else:
            visits.append(visit_of(crawl, {**said, "read": True}, found.html().encode()))
        if found.identity is not None:
            identities[url] = found.identity
        for link in following:
            if link not in met:
                met.add(link)
                queue.append((link, depth + 1))
    return visits, identities


def listed_from_newest(query: str, count: int, per_list: int) -> tuple[str, ...]:
    """What a list by `page` links to: the list of older ones first, and its own tenders, the newest first."""
    page = int(query.removeprefix("page=") or 0)
    first = count - per_list * page
    older = [f"/list?page={page + 1}"] if first > per_list else []
    return (*older, *(f"/tender/{n}" for n in range(first, max(0, first - per_list), -1)))


def identities_of(urls: list[str], identities: dict[str, str]) -> set[str]:
    """What was met by fetching some addresses."""
    return {identities[url] for url in urls if url in identities}


def seeds(first: int, count: int) -> Iterator[int]:
    yield from range(first, first + count)
