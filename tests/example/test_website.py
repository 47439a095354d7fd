"""The example website is what the demo rests on: its pages are known, distinct, reachable, and served as said."""

from __future__ import annotations

import ssl
import urllib.error
import urllib.request
from collections import defaultdict
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin

import pytest
from parsel import Selector

from example_project.website import PortInUseError, Website
from example_project.website.page import Address
from tests.example.conftest import main_lines

if TYPE_CHECKING:
    from tests.example.conftest import Walk

SESSION = "0123456789abcdef0123456789abcdef"


@pytest.mark.slow
class TestGroundTruth:
    def test_every_page_can_be_reached(self, website: Website, walk: Walk) -> None:
        assert website.pages - walk.lines.keys() == set()

    def test_no_link_is_dead_but_the_one_robots_txt_forbids(self, walk: Walk) -> None:
        assert walk.dead == {"https://shop.test/basket/"}

    def test_all_urls_of_a_page_show_the_same_lines(self, walk: Walk) -> None:
        assert {page: texts for page, texts in walk.lines.items() if len(texts) > 1} == {}

    def test_two_pages_never_show_the_same_lines(self, website: Website, walk: Walk) -> None:
        pages = defaultdict(list)
        for page in website.pages:
            pages[next(iter(walk.lines[page]))].append(page)
        assert [same for same in pages.values() if len(same) > 1] == []

    def test_most_pages_have_several_urls(self, website: Website, walk: Walk) -> None:
        assert sum(len(walk.urls[page]) for page in website.pages) > 5 * len(website.pages)

    def test_an_answer_is_a_function_of_the_url(self, walk: Walk) -> None:
        other = Website()
        with other:
            for page, urls in walk.urls.items():
                url = min(urls)
                answer = other.answer(url)
                assert (answer.page, main_lines(Selector(answer.body))) == (page, next(iter(walk.lines[page])))

    @pytest.mark.parametrize("host", ["shop.test", "forum.test"])
    def test_each_site_has_a_share(self, website: Website, host: str) -> None:
        assert sum(page.startswith(host.partition(".")[0]) for page in website.pages) > 100


SAME = {
    "session in the query": ("https://shop.test/events/", f"https://shop.test/events/?PHPSESSID={SESSION}"),
    "session in the path": ("https://shop.test/help/", "https://shop.test/help/;jsessionid=AB12CD34EF56"),
    "session of the forum": ("http://forum.test/faq.php", f"http://forum.test/faq.php?s={SESSION}"),
    "campaign": ("https://shop.test/p/7", "https://shop.test/p/7?utm_source=letter&utm_medium=email"),
    "click id": ("https://shop.test/p/7", "https://shop.test/p/7?gclid=Cj0KCQ"),
    "where one came from": ("https://shop.test/p/7", "https://shop.test/p/7?from=mugs-1"),
    "words after a number": ("https://shop.test/p/7", "https://shop.test/p/7-offer-of-the-week"),
    "print view": ("https://shop.test/p/7", "https://shop.test/p/7?print=1"),
    "sort order": ("https://shop.test/c/mugs/", "https://shop.test/c/mugs/?sort=price"),
    "sort order of a later page": ("https://shop.test/c/mugs/?page=2", "https://shop.test/c/mugs/?page=2&sort=rating"),
    "layout": ("https://shop.test/c/mugs/", "https://shop.test/c/mugs/?view=grid"),
    "default value": ("https://shop.test/c/mugs/", "https://shop.test/c/mugs/?page=1"),
    "order of parameters": (
        "https://shop.test/c/mugs/?color=red&size=small",
        "https://shop.test/c/mugs/?size=small&color=red",
    ),
    "index file": ("https://shop.test/", "https://shop.test/index.html"),
    "duplicate slash": ("https://shop.test/help/shipping.html", "https://shop.test/help//shipping.html"),
    "spelling of an escape": ("https://shop.test/c/caf%C3%A9/", "https://shop.test/c/caf%c3%a9/"),
    "spelling of a space": ("https://shop.test/search?q=blue+chair", "https://shop.test/search?q=blue%20chair"),
    "log-in page": ("https://shop.test/login", "https://shop.test/login?next=%2Flogin%3Fnext%3D%252F"),
    "board of a topic": ("http://forum.test/viewtopic.php?t=7", "http://forum.test/viewtopic.php?f=1&t=7"),
    "first offset": ("http://forum.test/viewtopic.php?t=7", "http://forum.test/viewtopic.php?t=7&start=0"),
    "highlighted word": ("http://forum.test/viewtopic.php?t=7", "http://forum.test/viewtopic.php?t=7&hilit=wood"),
    "a post of the topic": ("http://forum.test/viewtopic.php?t=1", "http://forum.test/viewtopic.php?p=1"),
    "text version": ("http://forum.test/viewtopic.php?t=7", "http://forum.test/archive/t-7.html"),
}
DIFFERENT = {
    "page of a list": ("https://shop.test/c/mugs/", "https://shop.test/c/mugs/?page=2"),
    "filter": ("https://shop.test/c/mugs/?color=red", "https://shop.test/c/mugs/?color=blue"),
    "product": ("https://shop.test/p/7", "https://shop.test/p/8"),
    "query": ("https://shop.test/search?q=mug", "https://shop.test/search?q=lamp"),
    "month": ("https://shop.test/events/month?year=2026&month=1", "https://shop.test/events/month?year=2026&month=2"),
    "offset": ("http://forum.test/viewforum.php?f=1", "http://forum.test/viewforum.php?f=1&start=10"),
    "stored search in sid": ("http://forum.test/search.php?sid=101", "http://forum.test/search.php?sid=102"),
}
REDIRECTS = {
    "http": ("http://shop.test/help/returns.html", "https://shop.test/help/returns.html"),
    "www": ("https://www.shop.test/help/about.html?a=b", "https://shop.test/help/about.html?a=b"),
    "www of the forum": ("http://www.forum.test/rules.php", "http://forum.test/rules.php"),
    "https of the forum": ("https://forum.test/rules.php", "http://forum.test/rules.php"),
    "missing slash": ("https://shop.test/c/mugs?ref=menu", "/c/mugs/?ref=menu"),
    "log-in needed": ("https://shop.test/wishlist/add?id=7", "/login?next=%2Fwishlist%2Fadd%3Fid%3D7"),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_is_the_same_page(website: Website, one: str, other: str) -> None:
    assert website.answer(one).page == website.answer(other).page is not None


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_is_another_page(website: Website, one: str, other: str) -> None:
    pages = {website.answer(one).page, website.answer(other).page}
    assert len(pages & website.pages) == 2


@pytest.mark.parametrize(("url", "location"), REDIRECTS.values(), ids=REDIRECTS)
def test_redirects(website: Website, url: str, location: str) -> None:
    answer = website.answer(url)
    assert (answer.status // 100, answer.location, answer.page) == (3, location, None)


def test_forum_gives_a_session_by_redirect(website: Website) -> None:
    answer = website.answer("http://forum.test/")
    assert answer.location
    assert Address.of(urljoin("http://forum.test/", answer.location)).path == "/index.php"
    assert website.answer(urljoin("http://forum.test/", answer.location)).page == "forum:index"


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.test/c/cars/",
        "https://shop.test/c/mugs/?page=99",
        "https://shop.test/p/0",
        "https://shop.test/p/9999",
        "https://shop.test/events/month?year=x&month=1",
        "https://shop.test/events/month?year=2026&month=13",
        "http://forum.test/viewtopic.php",
        "http://forum.test/viewtopic.php?t=7&start=5",
        "http://forum.test/viewtopic.php?p=999999",
        "http://forum.test/archive/t-7-5.html",
        "http://forum.test/member.php?u=0",
        "http://forum.test/search.php?sid=" + SESSION,
        "http://forum.test:x/",
    ],
)
def test_what_does_not_exist_is_404(website: Website, url: str) -> None:
    assert website.answer(url).status == 404


@pytest.mark.parametrize(
    ("start", "link"),
    [
        pytest.param("https://shop.test/events/month?year=2026&month=1", "Earlier", id="calendar back"),
        pytest.param("https://shop.test/events/month?year=2026&month=12", "Later", id="calendar ahead"),
        pytest.param("https://shop.test/login", "Use a safer connection", id="log-in of the shop"),
        pytest.param("http://forum.test/login.php", "Forgot your password?", id="log-in of the forum"),
    ],
)
def test_trap_never_ends(website: Website, start: str, link: str) -> None:
    url, seen = start, set[str]()
    for _ in range(20):
        assert url not in seen
        seen.add(url)
        body = website.answer(url).body
        url = urljoin(url, Selector(body).xpath("//main//a[.=$text]/@href", text=link).get(""))


class _Unfollowed(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def fetch(website: Website, url: str, method: str = "GET") -> tuple[int, dict[str, str], str]:
    """One request as any client sends it, through the proxy."""
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({"http": website.proxy, "https": website.proxy}),
        urllib.request.HTTPSHandler(context=ssl._create_unverified_context()),
        _Unfollowed,
    )
    try:
        with opener.open(urllib.request.Request(url, method=method), timeout=280) as response:
            return response.status, dict(response.headers), response.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read().decode()


class TestServing:
    @pytest.mark.parametrize(
        "url",
        [
            "http://forum.test/faq.php",
            "https://shop.test/p/7?print=1",
            "https://shop.test/c/caf%C3%A9/",
            "http://shop.test/",
            "https://www.shop.test/",
            "http://forum.test/viewtopic.php",
            "http://forum.test/robots.txt",
            "http://elsewhere.test/",
        ],
    )
    def test_sends_and_logs_what_answer_says(self, website: Website, url: str) -> None:
        answer = website.answer(url)
        status, headers, body = fetch(website, url)
        assert (status, headers.get("Location"), body) == (answer.status, answer.location, answer.body)
        assert headers.get("X-Page-Id") == (quote(answer.page) if answer.page else None)
        assert website.log[-1][:3] == (url, answer.status, answer.page)

    def test_head_has_no_body(self, website: Website) -> None:
        assert fetch(website, "http://forum.test/faq.php", method="HEAD")[2] == ""

    def test_a_taken_port_is_said(self, website: Website) -> None:
        with pytest.raises(PortInUseError, match=f"port {website.port} .* is in use .* --port"):
            Website(website.port)

    def test_a_number_that_is_no_port_is_said(self) -> None:
        with pytest.raises(ValueError, match="99999 is no port"):
            Website(99999)

    def test_a_closed_website_frees_its_port(self) -> None:
        with Website() as first:
            fetch(first, "http://forum.test/faq.php")
        with Website(first.port) as second:
            assert fetch(second, "http://forum.test/faq.php")[0] == 200
