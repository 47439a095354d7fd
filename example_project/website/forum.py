"""The forum: http://forum.test/, a board of the old school, with a session id in every link."""

from __future__ import annotations

import re
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from . import prose
from .page import (
    NOT_FOUND,
    Address,
    Answer,
    advertisements,
    bullets,
    document,
    href,
    link,
    login_form,
    paragraphs,
    redirect,
)
from .shop import PRODUCT_URLS

if TYPE_CHECKING:
    from collections.abc import Callable

HOST = "forum.test"
BOARDS = {1: "Repairs", 2: "Outdoors", 3: "Coffee and tea"}
TOPICS_PER_PAGE = 10
POSTS_PER_PAGE = 6
SUBJECTS = (
    "A loose handle",
    "Best wood for a bench",
    "Tarp or tent",
    "The kettle sings",
    "Glue that holds",
    "Rust on the rim",
    "A lamp that hums",
    "Ropes and knots",
    "Grinding by hand",
    "Cracks in the glaze",
    "Wool or down",
    "Where to buy cork",
)
MEMBERS = prose.CHOICES["person"]
# `sid` names a stored search here, as on many boards; dropping it everywhere would lose these pages.
STORED_SEARCHES = range(101, 107)
SESSION = re.compile("[0-9a-f]{32}")


class Topic(NamedTuple):
    """One thread; `first_post` is the number of its first post on the whole board."""

    number: int
    board: int
    title: str
    posts: int
    first_post: int


def _topics() -> list[Topic]:
    source, made, first_post = Random("forum"), list[Topic](), 1
    for index in range(48):
        posts = source.randint(2, 16)
        title = f"{SUBJECTS[index % 12]} ({('question', 'report', 'poll', 'sequel')[index // 12]})"
        made.append(Topic(index + 1, index % 3 + 1, title, posts, first_post))
        first_post += posts
    return made


TOPICS = _topics()


def _starts(count: int, per_page: int) -> range:
    return range(0, count, per_page)


class _Visitor:
    """One request: its address and the session that the links of the answer carry."""

    def __init__(self, address: Address) -> None:
        self.address = address
        given = address.get("s")
        self.session = given if SESSION.fullmatch(given) else address.token()

    def link(self, path: str, text: str, *pairs: tuple[str, str | int], fragment: str = "") -> str:
        return link(href(path, *pairs, ("s", self.session), fragment=fragment), text)

    def start(self, count: int, per_page: int) -> int | None:
        """The offset asked for, None when the list has no such page."""
        asked = self.address.get("start", "0")
        return int(asked) if asked.isdigit() and int(asked) in _starts(count, per_page) else None

    def pager(self, path: str, pairs: list[tuple[str, str | int]], count: int, per_page: int) -> str:
        return bullets(
            self.link(path, f"page {number}", *pairs, ("start", start))
            for number, start in enumerate(_starts(count, per_page), 1)
        )

    def frame(self, title: str, main: str, canonical: str = "") -> str:
        header = bullets(
            [
                self.link("/index.php", "Forum"),
                self.link("/memberlist.php", "Members"),
                self.link("/faq.php", "Questions", fragment="top"),
                link(href("/login.php", ("redirect", self.address.target), ("s", self.session)), "Log in"),
            ]
        )
        footer = bullets(
            [
                link("/", "Home"),
                link("/archive", "Text version"),
                link(f"http://www.{HOST}/rules.php?utm_source=footer", "Rules"),
                link("https://shop.test/?ref=forum", "Shop"),
                *advertisements(self.address, PRODUCT_URLS),
            ]
        )
        return document(title=title, main=main, header=header, footer=footer, canonical=canonical)


class Forum:
    """Every page of the forum as a pure function of its address."""

    host = HOST

    @cached_property
    def pages(self) -> frozenset[str]:
        """The identities a crawl is to find."""
        boards = {
            f"forum:board:{number}:{start}"
            for number in BOARDS
            for start in _starts(sum(topic.board == number for topic in TOPICS), TOPICS_PER_PAGE)
        }
        topics = {
            f"forum:topic:{topic.number}:{start}" for topic in TOPICS for start in _starts(topic.posts, POSTS_PER_PAGE)
        }
        return frozenset(
            {"forum:index", "forum:members", "forum:faq", "forum:rules", "forum:login", "forum:archive"}
            | boards
            | topics
            | {f"forum:member:{number}" for number in range(1, len(MEMBERS) + 1)}
            | {f"forum:search:{number}" for number in STORED_SEARCHES}
        )

    def answer(self, address: Address) -> Answer:
        """Answer a request to any host name of the forum."""
        if address.path == "/robots.txt":
            return Answer(200, body="User-agent: *\nDisallow: /admin.php\n", content_type="text/plain")
        if address.scheme != "http" or address.host != HOST:
            return redirect(f"http://{HOST}{address.target}")
        for pattern, view in ROUTES:
            if found := re.fullmatch(pattern, address.path):
                return view(_Visitor(address), *found.groups())
        return NOT_FOUND


def home(visitor: _Visitor) -> Answer:
    return redirect(href("/index.php", ("s", visitor.session)), 302)


def index(visitor: _Visitor) -> Answer:
    boards = bullets(visitor.link("/viewforum.php", name, ("f", number)) for number, name in BOARDS.items())
    latest = bullets(
        visitor.link("/viewtopic.php", topic.title, ("t", topic.number), ("view", "unread"), fragment="unread")
        for topic in TOPICS[-6:]
    )
    stored = bullets(
        visitor.link("/search.php", f"Search {number}", ("sid", number), ("sort", "date")) for number in STORED_SEARCHES
    )
    main = f"{paragraphs(prose.text('forum:index', prose.POST, 4))}\n{boards}\n{latest}\n{stored}"
    return Answer(200, "forum:index", visitor.frame("Forum", main))


def board(visitor: _Visitor) -> Answer:
    """A list of topics, in pages; every order shows the topics of that page."""
    asked = visitor.address.get("f")
    number = int(asked) if asked.isdigit() else 0
    topics = [topic for topic in TOPICS if topic.board == number]
    start = visitor.start(len(topics), TOPICS_PER_PAGE)
    if start is None:
        return NOT_FOUND
    shown = topics[start : start + TOPICS_PER_PAGE]
    if visitor.address.get("sk", "t") == "s":
        shown.sort(key=lambda topic: topic.title)
    if visitor.address.get("sd", "d") == "a":
        shown.reverse()
    lines = [
        visitor.link("/viewtopic.php", topic.title, ("f", number), ("t", topic.number))
        + f" with {topic.posts} posts, "
        + visitor.link("/viewtopic.php", "last post", ("p", topic.first_post + topic.posts - 1), fragment="last")
        for topic in shown
    ]
    orders = bullets(
        visitor.link("/viewforum.php", text, ("f", number), ("sk", key), ("sd", direction), ("start", start))
        for text, key, direction in (
            ("oldest", "t", "a"),
            ("newest", "t", "d"),
            ("A to Z", "s", "d"),
            ("Z to A", "s", "a"),
        )
    )
    pager = visitor.pager("/viewforum.php", [("f", number)], len(topics), TOPICS_PER_PAGE)
    title = f"{BOARDS[number]}{f', page {start // TOPICS_PER_PAGE + 1}' if start else ''}"
    main = f"{bullets(lines)}\n<nav>\n{orders}\n{pager}\n</nav>"
    return Answer(200, f"forum:board:{number}:{start}", visitor.frame(title, main))


def topic(visitor: _Visitor) -> Answer:
    """A page of posts, by topic and offset or by the number of one of its posts."""
    asked, post = visitor.address.get("t"), visitor.address.get("p")
    if post.isdigit():
        found = next((item for item in TOPICS if 0 <= int(post) - item.first_post < item.posts), None)
        start = (int(post) - found.first_post) // POSTS_PER_PAGE * POSTS_PER_PAGE if found else None
    else:
        found = next((item for item in TOPICS if str(item.number) == asked), None)
        start = visitor.start(found.posts, POSTS_PER_PAGE) if found else None
    if found is None or start is None:
        return NOT_FOUND
    return _thread(visitor, found, start, plain=visitor.address.get("view") == "print")


def _thread(visitor: _Visitor, shown: Topic, start: int, *, plain: bool) -> Answer:
    identity = f"forum:topic:{shown.number}:{start}"
    title = f"{shown.title}{f', page {start // POSTS_PER_PAGE + 1}' if start else ''}"
    posts = []
    for number in range(shown.first_post + start, shown.first_post + min(start + POSTS_PER_PAGE, shown.posts)):
        author = number * 7 % len(MEMBERS)
        text = " ".join(prose.sentences(f"forum:post:{number}", prose.POST, 2 + number % 3))
        by = f"<p>{MEMBERS[author]} wrote:</p>"
        if not plain:
            profile = visitor.link("/member.php", MEMBERS[author], ("u", author + 1))
            permalink = visitor.link("/viewtopic.php", "link", ("p", number), fragment=f"p{number}")
            by = f"<p>{profile} wrote:</p>\n<aside>{permalink if number % 3 == 0 else 'report'}</aside>"
        posts.append(f'<article id="p{number}">\n{by}\n{paragraphs([text])}\n</article>')
    body = "\n".join(posts)
    canonical = f"http://{HOST}" + href("/viewtopic.php", ("t", shown.number), *([("start", start)] if start else []))
    if plain:
        return Answer(200, identity, document(title=title, main=body, canonical=canonical))
    pairs: list[tuple[str, str | int]] = [("f", shown.board), ("t", shown.number)]
    tools = bullets(
        [
            visitor.link("/viewtopic.php", "Print", *pairs, ("start", start), ("view", "print")),
            visitor.link("/viewtopic.php", "Find wood", *pairs, ("start", start), ("hilit", "wood")),
            visitor.link("/posting.php", "Reply", ("mode", "reply"), ("t", shown.number)),
        ]
    )
    pager = visitor.pager("/viewtopic.php", pairs, shown.posts, POSTS_PER_PAGE)
    return Answer(200, identity, visitor.frame(title, f"{body}\n<nav>\n{tools}\n{pager}\n</nav>", canonical))


def archive(_: _Visitor) -> Answer:
    listed = bullets(link(f"/archive/t-{item.number}.html", item.title) for item in TOPICS)
    intro = "<p>All topics in one list, without pictures.</p>"
    return Answer(200, "forum:archive", document(title="Text version", main=f"{intro}\n{listed}"))


def archive_without_slash(_: _Visitor) -> Answer:
    return redirect("/archive/")


def archived_topic(visitor: _Visitor, number: str, start: str | None) -> Answer:
    """The same posts once more, under another path."""
    found = next((item for item in TOPICS if str(item.number) == number), None)
    offset = int(start or 0)
    if found is None or offset not in _starts(found.posts, POSTS_PER_PAGE):
        return NOT_FOUND
    answer = _thread(visitor, found, offset, plain=True)
    others = bullets(
        link(f"/archive/t-{number}{f'-{other}' if other else ''}.html", f"page {place}")
        for place, other in enumerate(_starts(found.posts, POSTS_PER_PAGE), 1)
    )
    return answer._replace(body=answer.body.replace("<footer>", f"<footer>\n{others}"))


def members(visitor: _Visitor) -> Answer:
    order = visitor.address.get("sd", "a")
    shown = sorted(enumerate(MEMBERS, 1), key=lambda member: member[1], reverse=order == "d")
    listed = bullets(visitor.link("/member.php", name, ("u", number)) for number, name in shown)
    orders = bullets(
        visitor.link("/memberlist.php", text, ("sd", sd)) for text, sd in (("A to Z", "a"), ("Z to A", "d"))
    )
    return Answer(200, "forum:members", visitor.frame("Members", f"{listed}\n{orders}"))


def member(visitor: _Visitor) -> Answer:
    asked = visitor.address.get("u")
    if not asked.isdigit() or not 1 <= int(asked) <= len(MEMBERS):
        return NOT_FOUND
    body = paragraphs(prose.text(f"forum:member:{asked}", prose.POST, 5))
    title = f"About {MEMBERS[int(asked) - 1]}"
    return Answer(200, f"forum:member:{int(asked)}", visitor.frame(title, body))


def search(visitor: _Visitor) -> Answer:
    asked = visitor.address.get("sid")
    if not asked.isdigit() or int(asked) not in STORED_SEARCHES:
        return NOT_FOUND
    hits = Random(f"search {asked}").sample(TOPICS, 5)
    hits.sort(key=lambda item: item.number, reverse=visitor.address.get("sort") == "date")
    listed = bullets(visitor.link("/viewtopic.php", item.title, ("t", item.number), ("hilit", "wood")) for item in hits)
    orders = bullets(
        visitor.link("/search.php", f"by {key}", ("sid", asked), ("sort", key)) for key in ("date", "topic")
    )
    return Answer(200, f"forum:search:{int(asked)}", visitor.frame(f"Stored search {asked}", f"{listed}\n{orders}"))


def login(visitor: _Visitor) -> Answer:
    """The log-in trap: the page links to itself with its own address in `redirect`."""
    again = link(
        href("/login.php", ("redirect", visitor.address.target), ("s", visitor.session)), "Forgot your password?"
    )
    form = login_form("/login.php")
    return Answer(200, "forum:login", visitor.frame("Log in", f"<p>Only members can reply.</p>\n{form}\n{again}"))


def posting(visitor: _Visitor) -> Answer:
    return redirect(href("/login.php", ("redirect", visitor.address.target), ("s", visitor.session)), 302)


def faq(visitor: _Visitor) -> Answer:
    body = paragraphs(prose.text("forum:faq", prose.ARTICLE, 6))
    return Answer(200, "forum:faq", visitor.frame("Questions and answers", body))


def rules(visitor: _Visitor) -> Answer:
    body = paragraphs(prose.text("forum:rules", prose.ARTICLE, 5))
    return Answer(200, "forum:rules", visitor.frame("Rules", body))


ROUTES: list[tuple[str, Callable[..., Answer]]] = [
    (r"/", home),
    (r"/index\.php", index),
    (r"/viewforum\.php", board),
    (r"/viewtopic\.php", topic),
    (r"/archive", archive_without_slash),
    (r"/archive/(?:index\.html)?", archive),
    (r"/archive/t-(\d+)(?:-(\d+))?\.html", archived_topic),
    (r"/memberlist\.php", members),
    (r"/member\.php", member),
    (r"/search\.php", search),
    (r"/login\.php", login),
    (r"/posting\.php", posting),
    (r"/faq\.php", faq),
    (r"/rules\.php", rules),
]
