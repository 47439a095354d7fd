"""The sites of the redirect and second-chance tests, as tables: what a site answers, and what a crawl must reach."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.crawl.site import (
    HANG,
    MISSING,
    RESET,
    Reply,
    Route,
    by_cookie,
    by_method,
    in_turn,
    moved,
    page,
    refresh,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Case:
    """A small site with the rules a user would write for it.

    `entry` are the links of the home page, in order. `pages` must all be scraped, however the crawl is set up.
    `most` bounds the requests for all but the home page when the entry URLs are found as links.
    """

    name: str
    rules: Mapping[str, Any]
    entry: tuple[str, ...]
    routes: Mapping[str, Route]
    pages: frozenset[str]
    most: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    peer_rules: tuple[dict[str, Any], ...] = ()
    default_ports: bool = False
    stay: bool = False  # the spider has `allowed_domains`
    impatient: str = ""  # the spider soon gives up on URLs with this text


def redirects() -> list[Case]:
    """Redirects to a URL that the rules make equal to where they came from."""
    return [
        case(
            "slash added",
            {"trailing_slash": "remove"},
            ["/dir"],
            {"/dir": moved("/dir/"), "/dir/": page("dir", "child"), "/dir/child": page("child")},
            "dir child",
            peer=[NORMALIZER],
        ),
        case(
            "slash removed",
            {"trailing_slash": "add"},
            ["/dir/"],
            {"/dir/": moved("/dir", 308), "/dir": page("dir", "/child/"), "/child/": page("child")},
            "dir child",
            peer=[NORMALIZER],
        ),
        case(
            "slash added, both spellings linked",
            {"trailing_slash": "remove"},
            ["/dir", "/dir/", "/dir"],
            {"/dir": moved("/dir/"), "/dir/": page("dir", "child"), "/dir/child": page("child")},
            "dir child",
            most=3,
            peer=[NORMALIZER],
        ),
        case(
            "index file added",
            {"directory_index": ["index.html"]},
            ["/docs/"],
            {"/docs/": moved("/docs/index.html", 302), "/docs/index.html": page("docs", "a"), "/docs/a": page("a")},
            "docs a",
        ),
        case(
            "index file removed",
            {"directory_index": ["index.html"]},
            ["/docs/index.html"],
            {"/docs/index.html": moved("/docs/"), "/docs/": page("docs", "index.html", "a"), "/docs/a": page("a")},
            "docs a",
        ),
        case(
            "session id added",
            {"remove_params": ["sid"]},
            ["/item?id=1", "/item?id=2"],
            {
                "/item?id=1": moved("/item?id=1&sid=a", 302),
                "/item?id=1&sid=a": page("item-1", "/item?id=2&sid=a"),
                "/item?id=2": moved("/item?id=2&sid=b", 302),
                "/item?id=2&sid=a": page("item-2"),
                "/item?id=2&sid=b": page("item-2"),
            },
            "item-1 item-2",
            most=4,
            peer=[query_removal("sid")],
        ),
        case(
            "session id taken away",
            {"remove_params": ["sid"]},
            ["/item?id=1&sid=a"],
            {"/item?id=1&sid=a": moved("/item?id=1", 307), "/item?id=1": page("item")},
            "item",
            peer=[query_removal("sid")],
        ),
        case(
            "session id in the path",
            {"path_params": ["jsessionid"]},
            ["/cart"],
            {"/cart": moved("/cart;jsessionid=1F", 302), "/cart;jsessionid=1F": page("cart")},
            "cart",
        ),
        case(
            "tracking parameter added",
            {},
            ["/news"],
            {
                "/news": moved("/news?utm_source=site"),
                "/news?utm_source=site": page("news", "/more"),
                "/more": page("more"),
            },
            "news more",
            peer=[query_removal("utm_source")],
        ),
        case(
            "default value added",
            {"default_params": {"page": "1"}},
            ["/list"],
            {
                "/list": moved("/list?page=1", 302),
                "/list?page=1": page("list-1", "/list?page=2"),
                "/list?page=2": page("list-2"),
            },
            "list-1 list-2",
        ),
        case(
            "doubled slash removed",
            {"duplicate_slashes": "remove"},
            ["/a//b"],
            {"/a//b": moved("/a/b"), "/a/b": page("b")},
            "b",
        ),
        case(
            "www added",
            {"www": "remove"},
            ["/p"],
            {"/p": moved("http://www.{host}/p"), "www./p": page("p", "/q"), "www./q": page("q")},
            "p q",
            peer=[NORMALIZER],
        ),
        case(
            "www removed",
            {"www": "remove"},
            ["http://www.{host}/p"],
            {"www./p": moved("http://{host}/p"), "/p": page("p", "/q"), "/q": page("q")},
            "p q",
            peer=[NORMALIZER],
        ),
        case(
            "another name of the host",
            {"host_aliases": {"old.{name}": "{name}"}},
            ["http://old.{host}/p"],
            {"old./p": moved("http://{host}/p"), "/p": page("p")},
            "p",
        ),
        case(
            "http to https",
            {"scheme": "https"},
            ["/p"],
            {"/p": moved("https://{host}/p"), "https:/p": page("p", "http://{host}/q"), "https:/q": page("q"),
             "/q": moved("https://{host}/q")},
            "p q",
            default_ports=True,
        ),
        case(
            "http to https to www to slash",
            {"scheme": "https", "www": "remove", "trailing_slash": "remove"},
            ["/p"],
            {
                "/p": moved("https://{host}/p"),
                "https:/p": moved("https://www.{host}/p"),
                "https:www./p": moved("https://www.{host}/p/"),
                "https:www./p/": page("p"),
            },
            "p",
            default_ports=True,
            peer=[NORMALIZER],
        ),
        case(
            "cookie set by a redirect to itself",
            {},
            ["/account"],
            {"/account": by_cookie("seen", page("account", "/more"), moved("/account", 302, cookie="seen=1")),
             "/more": page("more")},
            "account more",
            most=3,
        ),
        case(
            "cookie set by a redirect to a fragment of itself",
            {},
            ["/account"],
            {"/account": by_cookie("seen", page("account"), moved("/account#top", 302, cookie="seen=1"))},
            "account",
            most=2,
        ),
        case(
            "there and back again",
            {},
            ["/a"],
            {"/a": by_cookie("ok", page("a"), moved("/consent", 302)), "/consent": moved("/a", 302, cookie="ok=1")},
            "a",
            most=3,
        ),
        case(
            "there and back to another spelling",
            {"trailing_slash": "remove", "remove_params": ["back"]},
            ["/a"],
            {
                "/a": moved("/consent?back=/a/", 302),
                "/consent?back=/a/": moved("/a/", 302, cookie="ok=1"),
                "/a/": by_cookie("ok", page("a"), moved("/consent", 302)),
            },
            "a",
            most=3,
            peer=[NORMALIZER, query_removal("back")],
        ),
        case(
            "form posted to its own address",
            {},
            ["/login"],
            {"/login": by_method(GET=by_cookie("user", page("welcome", "/inside"), page("form", post="/login")),
                                 POST=moved("/login", 302, cookie="user=ann")),
             "/inside": page("inside")},
            "form welcome inside",
            most=4,
        ),
        case(
            "form posted to an address not seen before",
            {"trailing_slash": "remove"},
            ["/form"],
            {"/form": page("form", post="/result"), "/result": by_method(POST=moved("/result/", 303)),
             "/result/": page("result")},
            "form result",
            most=3,
            peer=[NORMALIZER],
        ),
        case(
            "meta refresh to a session",
            {"remove_params": ["sid"]},
            ["/old"],
            {"/old": refresh("/old?sid=1"), "/old?sid=1": page("old", "/new?sid=1"), "/new?sid=1": page("new")},
            "old new",
            peer=[query_removal("sid")],
        ),
        case(
            "meta refresh after a redirect",
            {"remove_params": ["sid"], "trailing_slash": "remove"},
            ["/old"],
            {"/old": moved("/old/"), "/old/": refresh("/old/?sid=1"), "/old/?sid=1": page("old")},
            "old",
            peer=[NORMALIZER, query_removal("sid")],
        ),
        case(
            "retry, then a redirect",
            {"trailing_slash": "remove"},
            ["/busy"],
            {"/busy": in_turn(page("busy", status=503), moved("/busy/")), "/busy/": page("busy-at-last")},
            "busy-at-last",
            most=3,
            settings={"HTTPCACHE_IGNORE_HTTP_CODES": [503]},
            peer=[NORMALIZER],
        ),
        case(
            "a redirect, then retry",
            {"trailing_slash": "remove"},
            ["/busy"],
            {"/busy": moved("/busy/"), "/busy/": in_turn(page("busy", status=503), page("busy-at-last"))},
            "busy-at-last",
            most=3,
            settings={"HTTPCACHE_IGNORE_HTTP_CODES": [503]},
            peer=[NORMALIZER],
        ),
        case(
            "two variants that redirect to the same spelling",
            {"remove_params": ["sid"]},
            ["/p?sid=1", "/p?sid=2"],
            {"/p?sid=1": moved("/p"), "/p?sid=2": moved("/p"), "/p": page("p")},
            "p",
            most=3,
            peer=[query_removal("sid")],
        ),
        case(
            "three redirects to itself",
            {"remove_params": ["step"]},
            ["/p"],
            {
                "/p": moved("/p?step=1", 302),
                "/p?step=1": moved("/p?step=2", 302),
                "/p?step=2": moved("/p?step=3", 302),
                "/p?step=3": page("p"),
            },
            "p",
            peer=[query_removal("step")],
        ),
        case(
            "http to https to www to the start page to a session, each hop a fold",
            {"scheme": "https", "www": "remove", "trailing_slash": "remove", "remove_params": ["sid", "v"]},
            ["/p"],
            {
                "/p": moved("https://{host}/p"),
                "https:/p": moved("https://www.{host}/p"),
                "https:www./p": moved("https://www.{host}/p/"),
                "https:www./p/": moved("https://www.{host}/p/?sid=1", 302),
                "https:www./p/?sid=1": moved("https://www.{host}/p/?sid=1&v=2", 302),
                "https:www./p/?sid=1&v=2": page("p", "/q"),
                "https:www./q": page("q"),
            },
            "p q",
            default_ports=True,
            peer=[NORMALIZER, query_removal("sid", "v")],
        ),
        case(
            "nineteen redirects to itself",
            {"remove_params": ["step"]},
            ["/p"],
            {
                "/p": moved("/p?step=1", 302),
                **{f"/p?step={n}": moved(f"/p?step={n + 1}", 302) for n in range(1, 19)},
                "/p?step=19": page("p"),
            },
            "p",
            peer=[query_removal("step")],
        ),
        case(
            "two cookies set by redirects to itself",
            {},
            ["/account"],
            {
                "/account": by_cookie(
                    "second",
                    page("account"),
                    by_cookie(
                        "first", moved("/account", 302, cookie="second=1"), moved("/account", 302, cookie="first=1")
                    ),
                )
            },
            "account",
            most=3,
        ),
        case(
            "endless session ids",
            {"remove_params": ["sid"]},
            ["/loop", "/other"],
            {"/loop": moved("/loop?sid=1", 302), "/other": page("other"),
             **{f"/loop?sid={n}": moved(f"/loop?sid={n + 1}", 302) for n in range(100)}},
            "other",
            most=22,  # as Scrapy: REDIRECT_MAX_TIMES is 20
            peer=[query_removal("sid")],
        ),
        case(
            "endless redirect to the very same address",
            {},
            ["/loop", "/other"],
            {"/loop": moved("/loop", 302), "/other": page("other")},
            "other",
            most=5,
        ),
        case(
            "endless ping-pong",
            {"trailing_slash": "remove"},
            ["/ping", "/other"],
            {"/ping": moved("/pong", 302), "/pong": moved("/ping/", 302), "/ping/": moved("/pong/", 302),
             "/pong/": moved("/ping", 302), "/other": page("other")},
            "other",
            most=25,
            peer=[NORMALIZER],
        ),
        case(
            "endless meta refresh",
            {"remove_params": ["t"]},
            ["/clock", "/other"],
            {"/clock": refresh("/clock?t=1"), "/other": page("other"),
             **{f"/clock?t={n}": refresh(f"/clock?t={n + 1}") for n in range(100)}},
            "other",
            most=22,
            peer=[query_removal("t")],
        ),
    ]  # fmt: skip


def failing_variants() -> list[Case]:
    """Sites where the variant met first fails, and a later one serves the page."""
    sid = {"remove_params": ["sid"]}
    first, second, third = "/p?sid=1", "/p?sid=2", "/p"
    login = {"/login": page("log-in")}
    # After a reset, a timeout or a break-off, HTTP clients themselves ask again where a kept connection turns out dead.
    failures: list[tuple[str, Mapping[str, Route], dict[str, Any], int]] = [
        ("404", {first: MISSING}, {}, 2),
        ("410", {first: page("gone", status=410)}, {}, 2),
        ("403", {first: page("forbidden", status=403)}, {}, 2),
        ("204, no content", {first: Reply(204)}, {}, 2),
        ("202 until it is made", {first: page("soon", status=202)}, {}, 2),
        ("206, a part that nobody asked for", {first: page("part", status=206)}, {}, 2),
        ("500 until the retries are used up", {first: page("error", status=500)}, {}, 3),
        ("timeout", {first: HANG}, {"RETRY_ENABLED": False}, 3),
        ("connection reset", {first: RESET}, {}, 5),
        ("too large", {first: Reply(200, "x" * 50_000)}, {"DOWNLOAD_MAXSIZE": 10_000}, 3),
        ("too large when unpacked", {first: packed(50_000)}, {"DOWNLOAD_MAXSIZE": 10_000}, 3),
        ("robots.txt", {"/robots.txt": robots("/*?sid=1"), first: page("forbidden")}, {"ROBOTSTXT_OBEY": True}, 1),
        ("302 to a log-in page", {first: moved("/login?next=p", 302), "/login?next=p": page("log-in")}, {}, 3),
        ("303 to a log-in page", {first: moved("/login", 303), **login}, {}, 3),
        ("307 to a log-in page", {first: moved("/login", 307), **login}, {}, 3),
        ("308 to a log-in page", {first: moved("/login", 308), **login}, {}, 3),
        ("301 to the start page", {first: moved("/")}, {}, 3),
        ("meta refresh to a log-in page", {first: refresh("/login"), **login}, {}, 3),
        ("301 to another page that serves", {first: moved("/b"), "/b": page("b")}, {}, 3),
        ("301 to a page that sends on to another", {first: moved("/b"), "/b": moved("/login", 302), **login}, {}, 4),
        ("302 to itself, then 301 elsewhere", {first: moved("/p?sid=7", 302), "/p?sid=7": moved("/b"), "/b": page("b")},
         {}, 4),
        ("301 to a page that is missing", {first: moved("/gone")}, {}, 3),
        ("301 to another spelling that is missing", {first: moved("/p?sid=0")}, {}, 3),
        ("an endless redirect", {f"/p?sid={n}": moved(f"/p?sid={n + 10}") for n in range(1, 200, 10)}, {}, 22),
        ("too many redirects", {first: moved("/hop/1"), **{f"/hop/{n}": moved(f"/hop/{n + 1}") for n in range(9)}},
         {"REDIRECT_MAX_TIMES": 3}, 6),
    ]  # fmt: skip
    cases = [
        case(
            reason,
            sid,
            [first, third],
            {third: page("p", "/q"), "/q": page("q"), **routes},
            "p q",
            most=most + 1,
            settings=settings,
            peer=[query_removal("sid")],
            impatient=first if reason == "timeout" else "",
        )
        for reason, routes, settings, most in failures
    ]
    return [
        *cases,
        case(
            "302 to a log-in page that was seen before",
            sid,
            ["/login", "/members"],
            {**login, "/members": page("members", first, third), first: moved("/login", 302), third: page("p")},
            "log-in members p",
            most=5,
            peer=[query_removal("sid")],
        ),
        case(
            "301 to a page that was seen before",
            sid,
            ["/b", "/next"],
            {"/b": page("b"), "/next": page("next", first, third), first: moved("/b"), third: page("p")},
            "b next p",
            most=5,
            peer=[query_removal("sid")],
        ),
        case(
            "every variant is moved to one page for good",
            sid,
            [f"/p?sid={n}" for n in range(30)],
            {f"/p?sid={n}": moved("/other") for n in range(30)} | {"/other": page("other")},
            "other",
            most=4,
            peer=[query_removal("sid")],
        ),
        case(
            "301 to a missing page that others are sent to as well",
            sid,
            ["/other?sid=1", "/next"],
            {
                "/other?sid=1": moved("/gone"),
                "/next": page("next", first, third),
                first: moved("/gone"),
                third: page("p"),
            },
            "next p",
            most=5,
            peer=[query_removal("sid")],
        ),
        case(
            "302 to a log-in page of another domain",
            sid,
            [first, third],
            {first: moved("http://login.example.net/?next=p", 302), third: page("p", "/q"), "/q": page("q")},
            "p q",
            most=3,
            peer=[query_removal("sid")],
            stay=True,
        ),
        case(
            "302 that is not followed",
            sid,
            [first, third],
            {first: moved("/login", 302), third: page("p", "/q"), "/q": page("q")},
            "p q",
            most=3,
            settings={"REDIRECT_ENABLED": False},
            peer=[query_removal("sid")],
        ),
        case(
            "301 to itself that is not followed",
            sid,
            [first, third],
            {first: moved(third), third: page("p", "/q"), "/q": page("q")},
            "p q",
            most=3,
            settings={"REDIRECT_ENABLED": False},
            peer=[query_removal("sid")],
        ),
        case(
            "404, the other variant found two pages later",
            sid,
            [first, "/next"],
            {first: MISSING, "/next": page("next", "/last"), "/last": page("last", third), third: page("p")},
            "next last p",
            most=4,
            peer=[query_removal("sid")],
        ),
        case(
            "404 twice, the third variant serves",
            sid,
            [first, second, third],
            {first: MISSING, second: page("gone", status=410), third: page("p")},
            "p",
            most=3,
            peer=[query_removal("sid")],
        ),
        case(
            "404 twice, the third variant is found later",
            sid,
            [first, second, "/next"],
            {
                first: MISSING,
                second: MISSING,
                "/next": page("next", "/last"),
                "/last": page("last", third),
                third: page("p"),
            },
            "next last p",
            most=5,
            peer=[query_removal("sid")],
        ),
        case(
            "404 and a log-in page, the third variant serves",
            sid,
            [first, second, third],
            {first: MISSING, second: moved("/login", 302), **login, third: page("p")},
            "p log-in",
            most=4,
            peer=[query_removal("sid")],
        ),
        case(
            "both variants redirect to themselves, the first to nothing",
            {"remove_params": ["sid"], "trailing_slash": "remove"},
            [first, second],
            {first: moved("/p/?sid=1"), second: moved("/p/?sid=2"), "/p/?sid=2": page("p")},
            "p",
            most=4,
            peer=[query_removal("sid"), NORMALIZER],
        ),
        case(
            "the address with the slash is missing",
            {"trailing_slash": "remove"},
            ["/a/", "/a"],
            {"/a": page("a")},
            "a",
            most=2,
            peer=[NORMALIZER],
        ),
        case(
            "the address without www is down",
            {"www": "remove"},
            ["http://{host}/a", "http://www.{host}/a"],
            {"/a": RESET, "www./a": page("a")},
            "a",
            most=5,
            peer=[NORMALIZER],
        ),
        case(
            "the old name of the host is off limits",
            {"host_aliases": {"old.{name}": "{name}"}},
            ["http://old.{host}/a", "http://{host}/a"],
            {"/a": page("a"), "old./robots.txt": robots("/")},
            "a",
            most=1,
            settings={"ROBOTSTXT_OBEY": True},
        ),
        case(
            "the index file is missing",
            {"directory_index": ["index.html"]},
            ["/d/index.html", "/d/"],
            {"/d/": page("d")},
            "d",
            most=2,
        ),
        case(
            "404 and linked again and again, 404, then served",
            sid,
            ["/p?sid=1", "/more"],
            {
                "/more": page("more", "/p?sid=1", "/p?sid=2", "/p?sid=1", "/most"),
                "/most": page("most", "/p?sid=1", "/p"),
                "/p": page("p"),
            },
            "more most p",
            most=5,
            peer=[query_removal("sid")],
        ),
        case(
            "404, then a redirect to itself for ever, then served",
            sid,
            ["/p?sid=1", "/p?sid=2", "/p"],
            {"/p?sid=2": moved("/p?sid=2", 302), "/p": page("p")},
            "p",
            most=7,
            peer=[query_removal("sid")],
        ),
        case(
            "nobody serves it",
            sid,
            ["/other", *(f"/p?sid={n}" for n in range(30))],
            {"/other": page("other")},
            "other",
            most=4,
            peer=[query_removal("sid")],
        ),
        case(
            "every variant wants a log-in",
            sid,
            [f"/p?sid={n}" for n in range(30)],
            {f"/p?sid={n}": moved("/login", 302) for n in range(30)} | login,
            "log-in",
            most=4,
            peer=[query_removal("sid")],
        ),
    ]


NORMALIZER = {"processor": "normalizer"}


def query_removal(*names: str) -> dict[str, Any]:
    """The rule of duplicate-url-discarder for `remove_params`."""
    return {"processor": "queryRemoval", "args": list(names)}


def robots(*disallowed: str) -> Reply:
    """A robots.txt file."""
    body = "User-agent: *\n" + "".join(f"Disallow: {path}\n" for path in disallowed)
    return Reply(200, body, (("Content-Type", "text/plain"),))


def packed(size: int) -> Reply:
    """A response that is small on the wire."""
    return Reply(200, gzip.compress(b"x" * size), (("Content-Encoding", "gzip"), ("Content-Type", "text/html")))


def case(
    name: str,
    rules: Mapping[str, Any],
    entry: list[str],
    routes: Mapping[str, Route],
    pages: str,
    *,
    most: int | None = None,
    settings: Mapping[str, Any] | None = None,
    peer: list[dict[str, Any]] | None = None,
    default_ports: bool = False,
    stay: bool = False,
    impatient: str = "",
) -> Case:
    """A case; by default every route may be asked once."""
    bound = len(routes) if most is None else most
    given = (name, rules, tuple(entry), routes, frozenset(pages.split()), bound, settings or {}, tuple(peer or ()))
    return Case(*given, default_ports, stay, impatient)
