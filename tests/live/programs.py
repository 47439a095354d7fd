"""Sites of real web programs, made by lot: the second generator, written apart from `sites`.

A site is one to three programs side by side, each with habits of its own by lot. What a page is, is said by its
`identity`, which no test under test ever sees: the record, list or view that is shown, without what only dresses it.
"""

from __future__ import annotations

import html
import random
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.live.sites import Answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Query = dict[str, str]

_LOT = random.Random("words")
_WORDS = ["".join(_LOT.choice("bdfgklmnprstv") + _LOT.choice("aeiou") for _ in range(n % 3 + 2)) for n in range(900)]
NOT_FOUND = Answer(404, "not found")


@lru_cache(maxsize=50_000)
def text(seed: object, least: int = 25, most: int = 120) -> str:
    """Paragraphs of common and rare words, of any length."""
    lot = random.Random(f"text {seed}")
    left = lot.randrange(least, most)
    lines = []
    while left > 0:
        length = lot.randrange(5, 26)
        lines.append(" ".join(_WORDS[int(900 * lot.random() ** 2)] for _ in range(length)))
        left -= length
    return "".join(f"<p>{line}.</p>" for line in lines)


@lru_cache(maxsize=50_000)
def title(seed: object) -> str:
    """A few words."""
    lot = random.Random(f"title {seed}")
    return " ".join(lot.choice(_WORDS) for _ in range(lot.randrange(2, 6))).capitalize()


def to(path: str, query: Iterable[tuple[str, object]] = ()) -> str:
    """A link."""
    said = urlencode([(name, str(value)) for name, value in query])
    return f"{path}?{said}" if said else path


@dataclass(frozen=True)
class Page(Answer):
    """An answer in the clothes of its site: a head, boxes at the side, and links between the words."""

    head: str = ""
    aside: str = ""

    def html(self) -> str:
        links = "".join(f'<li><a href="{html.escape(link)}">{_named(link)}</a></li>' for link in self.links)
        return (
            f"<!DOCTYPE html><html><head><title>{self.head}</title></head><body><header>{self.head}</header>"
            f"<article>{self.text}</article><aside>{self.aside}</aside><ul>{links}</ul></body></html>"
        )


def _named(link: str) -> str:
    """The words of a link: the title of the record that it leads to, whatever else its address says."""
    path, _, query = link.partition(";")[0].partition("?")
    number = re.search(r"\d+", f"{path} {query.partition('&tk=')[0]}") if not query.startswith("tk=") else None
    number = number or re.search(r"\d+", path)
    return title(f"{path.split('/')[1]} {number.group() if number else path}")


def shown(identity: str, body: str, links: Iterable[str] = ()) -> Answer:
    return Answer(200, body, tuple(links), identity=identity)


class Program:
    """A program in its folder; `has` are its habits, some of `habits`."""

    folder = ""
    habits: Sequence[str] = ()

    def __init__(self, seed: object, lot: random.Random) -> None:
        self.seed = f"{seed} {self.folder}"
        self.has = set(lot.sample(list(self.habits), lot.randrange(1, len(self.habits) + 1)))
        self.count = lot.randrange(60, 180)
        self.turning = lot.uniform(0.33, 0.85)

    @property
    def turn(self) -> int:
        """From here on the later records are other ones than the first."""
        return int(self.count * self.turning)

    def lot(self, *what: object) -> random.Random:
        return random.Random(f"{self.seed} {what}")

    def front(self) -> list[str]:
        """Where the home page leads."""
        return [f"/{self.folder}/"]

    def answer(self, path: list[str], query: Query) -> Answer:
        """Answer what is below the folder."""
        raise NotImplementedError


class Wiki(Program):
    """Revisions, differences, talk pages that are missing, an editor that nobody may use, redirects between titles."""

    folder = "wiki"
    habits = ("history", "talk", "printable", "edit", "alias", "pretty", "note")

    def revisions(self, n: int) -> list[int]:
        return [n * 10 + k for k in range(1 + self.lot("revisions", n).randrange(5))]

    def link(self, n: int, where: object) -> str:
        if "pretty" in self.has and self.lot("pretty", n, where).random() < 0.5:
            return f"/wiki/T{n}"
        return to("/wiki/index.php", [("title", f"T{n}")])

    def answer(self, path: list[str], query: Query) -> Answer:
        name = query.get("title", path[0] if path[0] not in ("", "index.php") else "T0")
        if name == "Login":
            return shown("wiki login", "<h1>Log in</h1><p>You must log in to change pages of this wiki.</p>")
        talk, _, name = name.rpartition(":")
        if not name[1:].isdigit() or name[0] not in "TA" or int(name[1:]) >= self.count:
            return shown("wiki missing", "<h1>No such page</h1><p>There is no page of this name in this wiki yet.</p>")
        n = int(name[1:])
        if name[0] == "A":
            return Answer(302, location=self.link(n, "alias")) if "alias" in self.has else NOT_FOUND
        if talk:
            if self.lot("talk", n).random() < 0.7:
                return shown("wiki missing", "<h1>No such page</h1><p>There is no page of this name here yet.</p>")
            return shown(f"wiki talk {n}", text(f"{self.seed} talk {n}"), [self.link(n, "talk")])
        return self._page(n, query)

    def _page(self, n: int, query: Query) -> Answer:
        revisions = self.revisions(n)
        action, old, diff = query.get("action"), query.get("oldid"), query.get("diff")
        if action == "edit":
            back = to("/wiki/index.php", [("title", "Login"), ("returnto", f"T{n}")])
            return shown("wiki login", "<h1>Log in</h1><p>You must log in to change pages of this wiki.</p>", [back])
        this = [("title", f"T{n}")]
        if action == "history":
            lines = "".join(f"<li>{title((self.seed, one))} {one}</li>" for one in revisions)
            links = [to("/wiki/index.php", [*this, ("oldid", one)]) for one in revisions]
            links += [to("/wiki/index.php", [*this, ("diff", b), ("oldid", a)]) for a, b in pairwise(revisions)]
            return shown(f"wiki history {n}", f"<h1>History of T{n}</h1>{lines}", links)
        revision = int(old) if old and old.isdigit() else revisions[-1]
        if revision not in revisions:
            return NOT_FOUND
        if diff:
            identity = f"wiki diff {n} {revision} {diff}"
            return shown(identity, text(f"{self.seed} {identity}", 10, 30), [self.link(n, diff)])
        links = [self.link((n * 3 + k) % self.count, (n, sorted(query))) for k in range(1, 5)]
        if "history" in self.has:
            links.append(to("/wiki/index.php", [*this, ("action", "history")]))
        if "edit" in self.has:
            links.append(to("/wiki/index.php", [*this, ("action", "edit")]))
        if "talk" in self.has:
            links.append(to("/wiki/index.php", [("title", f"Talk:T{n}")]))
        if "printable" in self.has:
            links.append(to("/wiki/index.php", [*this, ("printable", "yes")]))
        if "alias" in self.has:
            links.append(to("/wiki/index.php", [("title", f"A{(n + 7) % self.count}")]))
        body = f"<h1>T{n}</h1>{text((self.seed, n, 'base'))}{text((self.seed, n, revision), 10, 40)}"
        if old and "note" in self.has:
            body = f"<p>This is revision {revision} of this page.</p>{body}"
        return shown(f"wiki page {n} {revision}", body, links)


class Shop(Program):
    """Variants, lists with facets and orders that are cut at ten rows, views that are the default of one type only."""

    folder = "shop"
    habits = ("color", "sizes", "sort", "pages", "views", "tracking", "facets", "branch")
    KINDS = ("chairs", "lamps", "rugs")
    COLORS = ("red", "blue", "green")

    def front(self) -> list[str]:
        return [f"/shop/{kind}" for kind in self.KINDS]

    def answer(self, path: list[str], query: Query) -> Answer:
        if path[0] in self.KINDS and len(path) == 1:
            return self._list(path[0], query)
        if path[0] == "item" and len(path) == 2 and path[1].isdigit() and int(path[1]) < self.count:
            return self._item(int(path[1]), query)
        if path[0] == "branches" and "branch" in self.has:
            # where `ref` is a branch of the shop; elsewhere it says where a visitor came from
            ref = query.get("ref", "all")
            links = [to("/shop/branches", [("ref", f"b{n}")]) for n in range(8)]
            return shown(f"shop branch {ref}", f"<h1>Branch {ref}</h1>{text((self.seed, 'branch', ref))}", links)
        return NOT_FOUND

    def item(self, n: int, where: str) -> str:
        query = [("ref", self.lot("from", n, where).choice(["home", "list", "mail"]))] if "tracking" in self.has else []
        return to(f"/shop/item/{n}", query)

    def _item(self, n: int, query: Query) -> Answer:
        identity = f"shop item {n}"
        body = f"<h1>{title((self.seed, n))}</h1>{text((self.seed, n))}"
        color = query.get("color", self.COLORS[0])
        if color != self.COLORS[0] and color in self.COLORS:
            # first ones come in one description, later ones have one for each colour
            if n >= self.turn:
                identity += f" {color}"
                body += text((self.seed, n, color), 15, 40)
        elif color not in self.COLORS:
            return NOT_FOUND
        size = query.get("size", "m")
        if size == "xl":
            # meaningful for one value of four
            identity += " xl"
            body += f"<p>Made to order in {title((self.seed, n, 'xl'))}</p>{text((self.seed, n, 'xl'), 10, 20)}"
        links = [self.item((n + k * 5) % self.count, f"item {n} {sorted(query.items())}") for k in (1, 2)]
        links.append(f"/shop/{self.KINDS[n % 3]}")
        if "color" in self.has:
            links += [to(f"/shop/item/{n}", [("color", one)]) for one in self.COLORS]
        if "sizes" in self.has and n % 2:
            links += [
                to(f"/shop/item/{n}", [("size", one)]) for one in ("s", "m", "l", "xl")[: 4 if self._large(n) else 3]
            ]
        if "branch" in self.has and n == 3:
            links.append("/shop/branches")
        return shown(identity, body, links)

    def _large(self, n: int) -> bool:
        """Whether an item is to be had in the one size that matters; no lot gives the habit `late`, a test does."""
        return "late" not in self.has or (n >= self.turn and n % 8 == 1)

    def _list(self, kind: str, query: Query) -> Answer:
        at = self.KINDS.index(kind)
        items = [n for n in range(self.count) if n % 3 == at]
        if (maker := query.get("maker")) is not None:
            items = [n for n in items if f"m{n % 4}" == maker]
        if (price := query.get("price")) is not None:
            items = [n for n in items if (self.price(n) > 500) == (price == "high")]
        if (sort := query.get("sort", "name")) in ("price", "-price"):
            items.sort(key=self.price, reverse=sort == "-price")
        page = int(query["page"]) if query.get("page", "1").isdigit() and "page" in query else 1
        rows = 8
        part = items[(page - 1) * rows : page * rows]
        view = query.get("view", "grid" if kind == "chairs" else "rows")
        if not part:
            return shown("shop empty", "<h1>Nothing found</h1><p>No product of our shop is like that. Try less.</p>")
        lines = "".join(f"<p>{title((self.seed, n))}, {self.price(n)} EUR</p>" for n in part)
        if view == "rows":
            lines += "".join(text((self.seed, n), 12, 20) for n in part)
        where = f"{kind} {sorted(query.items())}"
        links = [self.item(n, where) for n in part]
        state = [(name, query[name]) for name in ("maker", "price", "sort", "view", "page") if name in query]

        def other(name: str, value: object) -> str:
            kept = [one for one in state if one[0] not in (name, "page")]
            return to(f"/shop/{kind}", [*kept, (name, value)])

        if "pages" in self.has and len(items) > page * rows:
            links.append(other("page", page + 1))
        if "sort" in self.has:
            links += [other("sort", one) for one in ("name", "price", "-price")]
        if "views" in self.has:
            links += [other("view", one) for one in ("grid", "rows")]
        if "facets" in self.has and len(state) < 3:
            links += [other("maker", f"m{n}") for n in range(4)] + [other("price", one) for one in ("low", "high")]
        return shown(f"shop list {view} {sorted(part)}", f"<h1>{kind}</h1>{lines}", links)

    def price(self, n: int) -> int:
        return self.lot("price", n).randrange(10, 1000)


class Forum(Program):
    """Threads in modes and pages of several sizes, `page` beside `start`, links to single posts that redirect."""

    folder = "forum"
    habits = ("modes", "sizes", "start", "posts", "highlight", "reply", "last", "users")

    def posts(self, n: int) -> int:
        return 2 + self.lot("posts", n).randrange(8) + (self.lot("long", n).random() < 0.3) * 25

    def answer(self, path: list[str], query: Query) -> Answer:
        if path[0] == "thread.php" and query.get("t", "").isdigit() and int(query["t"]) < self.count:
            return self._thread(int(query["t"]), query)
        if path[0] == "post" and len(path) == 2 and path[1].isdigit():
            n, post = divmod(int(path[1]), 100)
            if n < self.count and post < self.posts(n):
                return Answer(302, location=to("/forum/thread.php", [("t", n), ("page", post // 10 + 1)]))
            return NOT_FOUND
        if path[0] == "reply.php":
            return shown("forum login", "<h1>Please log in</h1><p>Only members write here. Become a member today!</p>")
        if path[0] == "user" and len(path) == 2 and path[1].isdigit() and int(path[1]) < 12:
            return shown(f"forum user {path[1]}", f"<h1>Member</h1>{text((self.seed, 'user', path[1]), 12, 40)}")
        if path[0] in ("", "index.php"):
            return self._index(query)
        return NOT_FOUND

    def _index(self, query: Query) -> Answer:
        page = int(query["page"]) if query.get("page", "").isdigit() else 1
        threads = list(range(self.count))[(page - 1) * 15 : page * 15]
        if not threads:
            return shown("forum none", "<h1>Forum</h1><p>There are no threads here, be the first one to write.</p>")
        links = [to("/forum/thread.php", [("t", n)]) for n in threads]
        if "last" in self.has:
            links += [to("/forum/thread.php", [("t", n), ("goto", "last")]) for n in threads]
        if page * 15 < self.count:
            links.append(to("/forum/", [("page", page + 1)]))
        lines = "".join(f"<p>{title((self.seed, n))} ({self.posts(n)})</p>" for n in threads)
        return shown(f"forum index {page}", f"<h1>Forum</h1>{lines}", links)

    def _thread(self, n: int, query: Query) -> Answer:
        every, size = self.posts(n), 20 if query.get("pp") == "20" else 10
        page = int(query["page"]) if query.get("page", "").isdigit() else 1
        first = int(query["start"]) if query.get("start", "").isdigit() else (page - 1) * size
        if query.get("goto") == "last":
            first = (every - 1) // size * size
        posts = list(range(every))[first : first + size]
        if not posts:
            return shown("forum none", "<h1>Forum</h1><p>There is nothing here, be the first one to write.</p>")
        mode = query.get("mode", "flat")
        if mode == "newest":
            posts.reverse()
        if mode == "tree":
            # the first post, and the others by their titles
            body = text((self.seed, n, posts[0]), 12, 60) + "".join(f"<p>{title((n, one))}</p>" for one in posts[1:])
        else:
            body = "".join(f"<h2>{title((n, one))}</h2>{text((self.seed, n, one), 12, 60)}" for one in posts)
        links = self._views(n, query, first, size, posts)
        shape = "tree" if mode == "tree" and len(posts) > 1 else "flat"
        return shown(f"forum thread {n} {shape} {sorted(posts)}", f"<h1>{title((self.seed, n))}</h1>{body}", links)

    def _views(self, n: int, query: Query, first: int, size: int, posts: list[int]) -> list[str]:
        """What a page of a thread links to: the next one by two names, and itself in other clothes."""
        base = [("t", n)]
        links = []
        if first + size < self.posts(n):
            links.append(to("/forum/thread.php", [*base, ("page", first // size + 2), *_some(query, "pp", "mode")]))
            if "start" in self.has:
                links.append(to("/forum/thread.php", [*base, ("start", first + size)]))
        if "modes" in self.has:
            links += [to("/forum/thread.php", [*base, ("mode", one)]) for one in ("flat", "newest", "tree")]
        if "sizes" in self.has:
            links += [to("/forum/thread.php", [*base, ("pp", one)]) for one in (10, 20)]
        if "posts" in self.has:
            links += [f"/forum/post/{n * 100 + one}" for one in posts[:3]]
        if "highlight" in self.has:
            word = self.lot("word", n, sorted(query)).choice(_WORDS[:4])
            links.append(to("/forum/thread.php", [("t", (n + 1) % self.count), ("highlight", word)]))
        if "reply" in self.has:
            links.append(to("/forum/reply.php", [("t", n), ("p", posts[0])]))
        if "users" in self.has:
            links.append(f"/forum/user/{n % 12}")
        return links


def _some(query: Query, *names: str) -> list[tuple[str, object]]:
    return [(name, query[name]) for name in names if name in query]


class Manual(Program):
    """Translations that fall back to the first language, versions that differ here and there, a slug beside an id."""

    folder = "manual"
    habits = ("lang", "version", "scattered", "slug", "print")

    def answer(self, path: list[str], query: Query) -> Answer:
        number = path[0].partition("-")[0] or "0"
        if not number.isdigit() or int(number) >= self.count:
            return NOT_FOUND
        n = int(number)
        if "slug" in self.has and path[0] == number and n % 3 == 0 and n:
            return Answer(301, location=to(self.path(n), query.items()))
        lang, version = query.get("lang", "en"), query.get("version", "2")
        scattered = "scattered" in self.has
        translated = self.lot("translated", n, lang).random() < 0.3 if scattered else n >= self.turn
        other = lang if lang in ("de", "fr") and translated else "en"
        old = "1" if version == "1" and self.lot("changed", n).random() < 0.4 else "2"
        body = f"<h1>{title((self.seed, n, other))}</h1>{text((self.seed, n, other, old))}"
        kept = _some(query, "lang", "version")
        links = [to(self.path(m), kept) for m in (n + 1, n * 2 + 1) if m < self.count]
        if "lang" in self.has:
            links += [to(self.path(n), [("lang", one), *_some(query, "version")]) for one in ("en", "de", "fr")]
        if "version" in self.has:
            links += [to(self.path(n), [*_some(query, "lang"), ("version", one)]) for one in (1, 2)]
        if "print" in self.has:
            links.append(to(self.path(n), [*kept, ("print", "")]))
        if "slug" in self.has:
            links.append(f"/manual/{(n + 3) % self.count}")
        return shown(f"manual {n} {other} {old}", body, links)

    def path(self, n: int) -> str:
        return (
            f"/manual/{n}-{title((self.seed, n)).lower().replace(' ', '-')}" if "slug" in self.has else f"/manual/{n}"
        )


class Blog(Program):
    """Comments in pages that few articles have, replies, a mobile view in a folder, months without anything, tags."""

    folder = "blog"
    habits = ("comments", "reply", "mobile", "months", "tags", "short", "utm", "feed")

    def answer(self, path: list[str], query: Query) -> Answer:
        if path[0] == "m" and "mobile" in self.has:
            return self.answer(path[1:] or [""], query)
        if path[0] == "":
            return self._index(query)
        if path[0] == "tag" and len(path) == 2:
            members = [n for n in range(self.count) if f"t{n % 7}" == path[1] or f"t{n % 5}" == path[1]]
            return self._members(f"blog tag {members}", members, path[1]) if members else NOT_FOUND
        if len(path) == 2 and path[0].isdigit() and path[1].isdigit() and "months" in self.has:
            return self._month(int(path[0]), int(path[1]))
        if path[0].isdigit() and int(path[0]) < self.count:
            return self._article(int(path[0]), path[1:], query)
        return NOT_FOUND

    def _members(self, identity: str, members: list[int], where: str) -> Answer:
        links = [self.link(n, where) for n in members]
        return shown(identity, "".join(f"<h2>{title((self.seed, n))}</h2>" for n in members) + text(identity), links)

    def _index(self, query: Query) -> Answer:
        if (short := query.get("p", "")).isdigit() and int(short) < self.count:
            return Answer(301, location=f"/blog/{short}")
        page = int(query["paged"]) if query.get("paged", "").isdigit() else 1
        members = list(range(self.count))[(page - 1) * 7 : page * 7]
        if not members:
            return NOT_FOUND
        found = self._members(f"blog index {page}", members, f"index {page}")
        links = list(found.links)
        if page * 7 < self.count:
            links.append(to("/blog/", [("paged", page + 1)]))
        if "months" in self.has:
            links.append("/blog/2024/5")
        return shown(f"blog index {page}", found.text, links)

    def _month(self, year: int, month: int) -> Answer:
        if not (1 <= month <= 12 and 2018 <= year <= 2026):
            return NOT_FOUND
        following = year + month // 12, month % 12 + 1
        before = year - (month == 1), (month - 2) % 12 + 1
        links = [f"/blog/{y}/{m}" for y, m in (following, before)]
        members = [n for n in range(self.count) if year == 2024 and n % 12 + 1 == month]
        if not members:
            return shown("blog no month", "<h1>Archive</h1><p>Nothing was written then, see other months.</p>", links)
        found = self._members(f"blog month {members}", members, f"{year} {month}")
        return shown(f"blog month {members}", found.text, [*found.links, *links])

    def link(self, n: int, where: str) -> str:
        lot = self.lot("link", n, where)
        if "short" in self.has and lot.random() < 0.2:
            return to("/blog/", [("p", n)])
        if "utm" in self.has and lot.random() < 0.4:
            return to(f"/blog/{n}", [("utm_source", lot.choice("ab")), ("cid", lot.randrange(5))])
        return f"/blog/{n}"

    def _article(self, n: int, rest: list[str], query: Query) -> Answer:
        comments = self.lot("comments", n).randrange(6) + 14 * (n >= self.turn and n % 2)
        page = int(query["cpage"]) if query.get("cpage", "").isdigit() else 1
        told = list(range(comments))[(page - 1) * 6 : page * 6]
        body = f"<h1>{title((self.seed, n))}</h1>{text((self.seed, n))}"
        body += "".join(text((self.seed, n, one), 8, 20) for one in told)
        links = [self.link((n + 1) % self.count, f"after {n} {sorted(query.items())}")]
        if rest == ["feed"]:
            return (
                shown(f"blog feed {n}", "<p>Comments</p>" + text((self.seed, n, "feed"), 5, 9)) if told else NOT_FOUND
            )
        if "feed" in self.has:
            links.append(f"/blog/{n}/feed")
        if "comments" in self.has:
            links += [to(f"/blog/{n}", [("cpage", one)]) for one in range(1, max(1, (comments + 5) // 6) + 1)]
        if "reply" in self.has:
            links += [to(f"/blog/{n}", [("replyto", n * 100 + one)]) for one in told]
        if "mobile" in self.has:
            links.append(f"/blog/m/{n}")
        if "tags" in self.has:
            links += [f"/blog/tag/t{n % 7}", f"/blog/tag/t{n % 5}"]
        if page > 1 and not told:
            page = 1
        # what is behind the comments of an article is another page than its first comments
        return shown(f"blog article {n} {told}", body, links)


class Register(Program):
    """A parameter that is idle in one folder and all in another, tabs of which one shows something, walls with 200."""

    folder = "register"
    habits = ("id", "tabs", "from", "wall", "hidden", "case")

    def front(self) -> list[str]:
        return ["/register/news/0", "/register/record?id=0"]

    def answer(self, path: list[str], query: Query) -> Answer:
        if path[0] == "record":
            number = query.get("id", "")
            if not number.isdigit() or int(number) >= self.count:
                return shown("register none", "<p>We are sorry. What you are looking for is not in our register.</p>")
            n = int(number)
            links = [to("/register/record", [("id", m)]) for m in (n + 1, n * 2 + 1) if m <= self.count]
            if "wall" in self.has:
                links.append(to("/register/member", [("id", n)]))
            links.append(to(f"/register/news/{n}", [("id", self.lot("id", n).randrange(90))]))
            return shown(f"register record {n}", text((self.seed, "record", n)), links)
        if path[0] == "member":
            # most are for members, a few for all
            if query.get("id", "").isdigit() and int(query["id"]) % 9 == 4:
                return shown(f"register member {query['id']}", text((self.seed, "member", query["id"])))
            return shown("register wall", "<h1>For members</h1><p>This is for members of the society, please join.</p>")
        if path[0] == "trips" and "from" in self.has:
            return shown(f"register trips {query.get('from', '')}", text((self.seed, "trips", query.get("from", ""))))
        if path[0].lower() == "news" and len(path) == 2 and path[1].isdigit() and int(path[1]) < self.count:
            if path[0] != "news" and "case" not in self.has:
                return NOT_FOUND
            return self._news(int(path[1]), query)
        if path[0] == "cellar" and len(path) == 2 and path[1].isdigit():
            return shown(f"register cellar {path[1]}", text((self.seed, "cellar", path[1])))
        return NOT_FOUND

    def _news(self, n: int, query: Query) -> Answer:
        identity, body = f"register news {n}", f"<h1>News</h1>{text((self.seed, 'news', n))}"
        if query.get("tab") == "specs" and n % 2:
            identity, body = f"{identity} specs", text((self.seed, "specs", n))
        here = f"/register/news/{n}"
        after = (n + 1) % self.count
        links = [to(f"/register/news/{after}", [("id", self.lot("id", n, sorted(query)).randrange(90))])]
        if "id" in self.has:
            links += [to(here, [("id", self.lot("more", n, k).randrange(90))]) for k in range(2)]
        if "tabs" in self.has:
            links += [to(here, [("tab", one)]) for one in ("all", "photos", "press", "specs")]
        if "from" in self.has:
            links += [to(here, [("from", one)]) for one in ("top", "side")]
            links += [to("/register/trips", [("from", f"port{n % 12}")])] * (n % 4 == 0)
        if "hidden" in self.has:
            links += [to(here, [("layout", one)]) for one in ("narrow", "wide")]
            if query.get("layout") == "wide" and n % 5 == 0:
                # the same words, and the only way to somewhere else
                links.append(f"/register/cellar/{n}")
        if "case" in self.has:
            links.append(f"/register/News/{after}")
        return shown(identity, body, links)


PROGRAMS: tuple[type[Program], ...] = (Wiki, Shop, Forum, Manual, Blog, Register)


class Place:
    """A site: programs in folders, a home page, and what the house puts around every page."""

    DRESS: ClassVar = ("session", "path session", "boxes", "advertisements", "counter", "header")
    host = "site.example.com"

    def __init__(self, seed: int, programs: Sequence[type[Program]] = (), dress: Iterable[str] | None = None) -> None:
        lot = random.Random(f"place {seed}")
        self.seed = seed
        chosen = programs or lot.sample(PROGRAMS, lot.choice((1, 1, 1, 1, 2, 3)))
        worn = lot.sample(self.DRESS, lot.choice((0, 0, 1, 1, 2, 3)))
        self.dress = set(worn if dress is None else dress)
        self.programs = {program.folder: program(seed, lot) for program in chosen}

    @property
    def start(self) -> str:
        return f"http://{self.host}/"

    def answer(self, target: str) -> Answer:
        """Answer a path with its query."""
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        path = parts.path.partition(";")[0].strip("/").split("/")
        if path == [""]:
            fronts = [link for program in self.programs.values() for link in program.front()]
            found = shown("home", f"<h1>Welcome</h1>{text(self.seed)}", fronts)
        elif path[0] in self.programs:
            found = self.programs[path[0]].answer(path[1:] or [""], query)
        else:
            found = NOT_FOUND
        return self._dressed(target, found)

    def size(self, limit: int) -> int:
        """Return how many addresses there are, at most a few more than `limit`."""
        met, queue = {"/"}, ["/"]
        while queue and len(met) <= limit:
            found = self.answer(queue.pop())
            for link in (*found.links, found.location):
                if link and link not in met:
                    met.add(link)
                    queue.append(link)
        return len(met)

    def _dressed(self, target: str, found: Answer) -> Answer:
        """What is around a page: other boxes, advertisements and counters at each of its addresses."""
        lot = random.Random(f"{self.seed} {target}")
        session = f"{lot.randrange(2) * 7919 + 40503:x}k9"
        links = [*found.links, "/", *(program.front()[0] for program in self.programs.values())]
        aside = ""
        if "advertisements" in self.dress:
            aside += "".join(f"<p>{title(('ad', lot.randrange(40)))}</p>" for _ in range(2))
        if "boxes" in self.dress and len(found.links) > 2:
            aside += "".join(f"<p>{title(('box', lot.randrange(500)))}</p>" for _ in range(lot.randrange(4)))
            links.append(lot.choice(found.links))
        if "counter" in self.dress:
            aside += f"<p>Seen {lot.randrange(10**5)} times</p>"
        if "session" in self.dress:
            links = [f"{one}{'&' if '?' in one else '?'}tk={session}" for one in links]
        if "path session" in self.dress:
            links = [_with_path(one, f";k={session}") for one in links]
        if found.status != 200:
            location = found.location
            return Answer(found.status, found.text, location=location, identity=found.identity)
        head = f"Site {self.seed}" if "header" in self.dress else ""
        return Page(200, found.text, tuple(links), identity=found.identity, head=head, aside=aside)


def _with_path(link: str, added: str) -> str:
    path, question, query = link.partition("?")
    return f"{path}{added}{question}{query}"


def place(seed: int, most: int) -> Place:
    """Return a site of at most so many addresses: of a part of one a crawl meets what its links do not show."""
    site = Place(seed)
    while site.size(most) > most:
        for program in site.programs.values():
            program.count = max(6, program.count * 7 // 8)
            if program.count <= 6:
                program.has.discard(program.lot("less", len(program.has)).choice(sorted(program.has) or [""]))
    return site
