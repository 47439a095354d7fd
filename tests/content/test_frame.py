"""The frame of a site is found by how it behaves; what varies where nothing else does is noise, if it is less."""

from __future__ import annotations

import tracemalloc
from array import array
from hashlib import blake2b

import pytest

from scrapy_urinorm.content import Content, Frame
from scrapy_urinorm.content.frame import TITLE_SLOT
from scrapy_urinorm.visits.record import Visit

Lines = list[tuple[str, str]]
"""(slot, text)."""


def hashed(text: str) -> int:
    return (
        TITLE_SLOT
        if text == "title of the document"
        else int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little") | 1
    )


def visit(lines: Lines, url: str = "http://a.example/", crawl: str = "") -> Visit:
    packed = array("Q", [h for slot, text in lines for h in (hashed(slot), hashed(text))]).tobytes()
    words = bytes(len(text.split()) for _, text in lines)
    return Visit(url=url, status=200, lines=packed, line_words=words, words=sum(words), crawl=crawl)


def contents(
    pages: list[Lines],
    urls: list[str] | None = None,
    sessions: frozenset[str] = frozenset(),
    crawls: list[str] | None = None,
) -> list[Content]:
    frame = Frame()
    known = [one for one in (urls, crawls) if one]
    visits = [visit(lines, *of) for lines, *of in zip(pages, *known, strict=True)]
    for one in visits:
        frame.add(one.lines or b"", one.line_words)
    frame.find_noise(visits, sessions)
    return [frame.content(one) for one in visits]


ARTICLE = "a text of more than ten words that is the content of page"
FORM = "you are not logged in please enter your name and your password below to go on"


def trace(n: int) -> str:
    """What was looked at before: long, and other on each page."""
    return "recently viewed: " + " ".join(f"page-{n + i}" for i in range(12))


def wiki(pages: int) -> list[Lines]:
    """Articles and, for each, its log-in form, its list of versions and its links."""
    out: list[Lines] = []
    for n in range(pages):
        out.append([("menu", "home"), ("trace", trace(4 * n)), ("main", f"{ARTICLE} {n}")])
        out.append([("menu", "home"), ("trace", trace(4 * n + 1)), ("main", FORM)])
        out.append([("menu", "home"), ("trace", trace(4 * n + 2)), ("main", f"{ARTICLE} {n}")])
        out.append([("menu", "home"), ("trace", trace(4 * n + 3)), ("main", f"{ARTICLE} {n % 7} links")])
    return out


def test_noise_of_any_length_is_no_content() -> None:
    found = contents(wiki(20))
    assert len({content.label for content in found[1::4]}) == 1
    assert [content.label for content in found[0::4]] == [content.label for content in found[2::4]]
    assert len({content.label for content in found[0::4]}) == 20


def test_a_slot_that_alone_tells_pages_apart_is_content() -> None:
    """A dictionary whose pages have one long line each, and a frame: the line varies where nothing else does."""
    pages: list[Lines] = [[("menu", "home"), ("main", f"{ARTICLE} {n}"), ("foot", "imprint")] for n in range(60)]
    assert len({content.label for content in contents(pages)}) == 60


def test_an_article_and_its_translation_with_the_same_comments_are_two_pages() -> None:
    """A crawl under rules meets no duplicates: where all else is equal, the paragraph of the article always varies."""
    pages: list[Lines] = [[("head", f"day {n}"), ("main", "no events on this day")] for n in range(60)]
    for n in range(40):
        comments: Lines = [("comment", f"comment {i} of page {n} has a few words") for i in range(4)]
        for language in ("", "translated "):
            words = " ".join(f"{language}word{i * n}" for i in range(40))
            pages.append([("head", f"title {n}"), ("main", words), *comments])
    found = contents(pages)
    assert len({content.label for content in found[60:]}) == 80


def test_a_slot_that_tells_one_kind_of_page_apart_is_content() -> None:
    """Profiles that say the same but for one line: a single group of pages shows no noise."""
    same = "this user has not written anything yet nor told anything about the person that they are"
    pages: list[Lines] = [[("menu", "home"), ("head", f"{ARTICLE} {n}"), ("main", same)] for n in range(60)]
    assert len({content.label for content in contents(pages)}) == 60


@pytest.mark.parametrize(("other", "pages"), [("variant", 120), ("ref", 40)], ids=["what it asks for", "noise"])
def test_what_varies_with_one_parameter_alone_is_content(other: str, pages: int) -> None:
    """Variants of a product differ in one line; a line that is other each time also varies where `ref` does."""
    lines, urls = list[Lines](), list[str]()
    for n in range(40):
        for turn, name in enumerate(("", "variant", other)):
            urls.append(f"http://a.example/p/{n}" + (f"?{name}={turn}" if name else ""))
            main = f"{ARTICLE} {n} and more than that"
            lines.append([("menu", "home"), ("main", main), ("line", f"{ARTICLE} {n}.{turn}")])
    assert len({content.label for content in contents(lines, urls)}) == pages


@pytest.mark.parametrize(
    ("edited", "pages"),
    [
        pytest.param(1, 81, id="one page was edited: its variants are pages, and so are all others"),
        pytest.param(10, 90, id="some were"),
        pytest.param(40, 40, id="what is another each time is noise"),
    ],
)
def test_what_was_edited_between_two_crawls_is_no_noise(edited: int, pages: int) -> None:
    lines, urls = list[Lines](), list[str]()
    for turn in range(2):
        for n in range(40):
            main = f"{ARTICLE} {n} and more than that"
            for colour in ("red", "blue"):
                said = f"{ARTICLE} {colour} {n}" + f" edited {turn}" * (n < edited and colour == "red")
                lines.append([("menu", "home"), ("main", main), ("line", said)])
                urls.append(f"http://a.example/p/{n}?colour={colour}")
    assert len({content.label for content in contents(lines, urls)}) == pages


@pytest.mark.parametrize(("again", "edited"), [(3, 2), (9, 9), (14, 14)], ids=["three", "nine", "a fifth of all"])
def test_the_first_pages_of_a_second_crawl_say_nothing_of_noise(again: int, edited: int) -> None:
    """They are the newest articles, which are edited most."""
    lines, urls = list[Lines](), list[str]()
    for turn, pages in enumerate((60, again)):
        for n in range(pages):
            for part in range(3 - 2 * turn):
                said = f"{ARTICLE} {n}, part {part}" + " edited" * (turn and n < edited)
                lines.append([("menu", "home"), ("main", f"{ARTICLE} {n} and more than that"), ("part", said)])
                urls.append(f"http://a.example/p/{n}?part={part}")
    assert len({content.label for content in contents(lines, urls)}) == 180 + edited


@pytest.mark.parametrize(
    ("said", "pages"),
    [
        pytest.param("{n}{query} {crawl}", 160, id="the weather of a day, another one the day after"),
        pytest.param("{n} {crawl}", 40, id="when the page was made, whatever its address asks for"),
    ],
)
def test_what_one_crawl_varies_is_no_noise_by_another(said: str, pages: int) -> None:
    lines, urls, crawls = list[Lines](), list[str](), list[str]()
    for crawl in ("first", "second"):
        for n in range(40):
            for query in ("", "?day=2"):
                line = ("line", f"{ARTICLE} {said.format(n=n, query=query, crawl=crawl)}")
                lines.append([("menu", "home"), ("main", f"{ARTICLE} {n} and more than that"), line])
                urls.append(f"http://a.example/town/{n}{query}")
                crawls.append(crawl)
    assert len({content.label for content in contents(lines, urls, crawls=crawls)}) == pages


def visited(title: str = "article {}") -> tuple[list[Lines], list[str]]:
    """Articles of a paragraph, and stubs of two words, that two visitors have read, with what each has read before."""
    lines, urls = list[Lines](), list[str]()
    for n in range(30):
        for visitor in "ab":
            read = ("trace", f"read by {visitor}: " + " ".join(f"page-{n + i}-{visitor}" for i in range(9)))
            menu: Lines = [("menu", "home and more than that"), ("head", title.format(n)), read]
            lines += [
                [*menu, ("main", f"{ARTICLE} {n} and more of it than the visitor has ever read")],
                [*menu, ("main", "a stub")],
            ]
            urls += [f"http://a.example/{kind}/{n}?sid={visitor}" for kind in ("article", "stub")]
    return lines, urls


@pytest.mark.parametrize(
    ("sessions", "articles", "stubs"),
    [
        pytest.param(frozenset({"sid"}), 30, 30, id="the visitor's, and no page's own, however short the page is"),
        pytest.param(frozenset[str](), 60, 60, id="what the parameter asks for, where it is no session"),
    ],
)
def test_what_varies_with_the_session_alone(sessions: frozenset[str], articles: int, stubs: int) -> None:
    found = contents(*visited(), sessions)
    assert len({content.label for content in found[0::2]}) == articles
    assert len({content.label for content in found[1::2]}) == stubs


def counted(slot: str, names: str, varies: str) -> tuple[list[Lines], list[str]]:
    """Articles under parameters, with some of which a line of the frame is another, and stubs where it always is."""
    lines, urls = list[Lines](), list[str]()
    for n in range(30):
        for name in ("", *names):
            said = (
                f"{n * len(names) + ord(name)} visitors online" if name and name in varies else f"{n} visitors online"
            )
            main: Lines = [("main", f"{ARTICLE} {n} and line {line} of it") for line in range(3)]
            lines.append([("menu", "home"), *main, (slot, said)])
            urls.append(f"http://a.example/{n}" + f"?{name}=1" * bool(name))
    for n in range(30):
        lines.append([("menu", "home"), ("main", "a stub"), (slot, f"{n + 9000} visitors online")])
        urls.append(f"http://a.example/login?next={n}")
    return lines, urls


@pytest.mark.parametrize(
    ("slot", "varies", "stubs"),
    [
        pytest.param("foot", "abcdef", 1, id="a counter varies with all that tells addresses apart"),
        pytest.param("foot", "abcd", 30, id="four things may be what it names"),
        pytest.param("title of the document", "abcdef", 30, id="the title may be all that tells a page"),
    ],
)
def test_a_line_of_the_frame_is_noise_where_it_varies_with_everything(slot: str, varies: str, stubs: int) -> None:
    lines, urls = counted(slot, "abcdef", varies)
    found = contents(lines, urls)
    assert len({content.label for content in found[-30:]}) == stubs
    assert len({content.label for content in found[:-30]}) == 30


@pytest.mark.parametrize("order", [1, -1], ids=["as it was", "another order"])
def test_content_has_no_order(order: int) -> None:
    lines: Lines = [("li", f"{ARTICLE} {n}") for n in range(5)]
    other: Lines = [("menu", "home"), ("aside", "a word")]
    pages = [[("menu", "home"), *lines], *[[*other, ("li", f"{ARTICLE} of {n}")] for n in range(30)]]
    pages.append([("menu", "home"), *lines[::order]])
    found = contents(pages)
    assert found[0].label == found[-1].label


@pytest.mark.slow
def test_the_memory_for_long_addresses_grows_with_pages_not_with_their_lines() -> None:
    """24 pages with 500 lines and 200 parameters each: 4 MB without the parameters, 6 with them."""
    frame = Frame()
    much = [("list", f"{ARTICLE} {n}") for n in range(300)]
    pages = [[*much, *((f"slot{slot}", f"{ARTICLE} {n}") for slot in range(200))] for n in range(24)]
    address = "http://a.example/?" + "".join(f"&p%d-{k}=1" for k in range(200))
    visits = [visit(lines, address.replace("%d", str(n))) for n, lines in enumerate(pages)]
    for one in visits:
        frame.add(one.lines or b"", one.line_words)
    tracemalloc.start()
    frame.find_noise(visits)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 15_000_000


def test_articles_that_were_fetched_again_and_again_are_no_menus() -> None:
    """Sixty articles under sixty addresses each are thousands of visits, but sixty pages."""
    menu: Lines = [("menu", "home articles contact and some words more than that")]
    articles: list[Lines] = [
        [*menu, ("title", f"article {n}"), ("text", f"what article {n} alone has to say in so many words and more")]
        for n in range(60)
    ]
    found = contents([articles[n % 60] for n in range(3_600)])
    assert len({one.label for one in found}) == 60
    # the title is the frame's, the text is not
    assert found[0].words == 13


@pytest.mark.parametrize(("sections", "words"), [(24, 14), (25, 24)], ids=["few", "more than a fiftieth of the pages"])
def test_menus_of_sections_are_the_frame_of_a_site_with_many_pages(sections: int, words: int) -> None:
    pages: list[Lines] = [
        [
            ("menu", f"menu of section {n % sections} with many links to its pages"),
            ("text", f"text {n} has words of its own that make it no title at all"),
        ]
        for n in range(1_200)
    ]
    assert contents(pages)[0].words == words


@pytest.mark.parametrize(
    ("own", "is_content"), [("a society for sailors who had grown old and had no home left", True), ("sailors", False)]
)
@pytest.mark.parametrize("societies", [40, 400])
def test_a_sentence_where_most_pages_say_that_there_is_nothing_is_content(
    own: str, societies: int, *, is_content: bool
) -> None:
    """The slot is the frame's, since its lines are short in the mean."""
    pages: list[Lines] = []
    for n in range(societies):
        about = ("main", f"{ARTICLE} {n}")
        pages.append([("menu", "home"), about, ("more", "no further entries")])
        pages.append([("menu", "home"), about, ("more", f"{n} {own}" if n % 12 == 5 else "no further entries")])
    labels = [content.label for content in contents(pages)]
    differ = {n for n in range(societies) if labels[2 * n] != labels[2 * n + 1]}
    assert differ == ({n for n in range(societies) if n % 12 == 5} if is_content else set())
