"""What was seen of a few values, or at one place of the path, is not said of others."""

from __future__ import annotations

import re

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.pages.spelled import before_last
from scrapy_urinorm.visits.record import Visit, visit_from_row

HOST = "http://a.example"
BOTH = pytest.mark.parametrize("options", [Options(), Options().strict()], ids=["default", "strict"])


def page(path: str, text: str, canonical: str | None = None) -> Visit:
    row = {"url": HOST + path, "status": 200, "text_digest": text, "words": 100}
    return visit_from_row(row | ({"canonical": HOST + canonical} if canonical else {}))


def normalizer_of(visits: list[Visit], options: Options) -> Normalizer:
    return Normalizer(learn(visits, options).rules)


@BOTH
def test_the_first_page_of_a_list_says_nothing_of_the_second(options: Options) -> None:
    """Each list of one city had one page, so `start` was always 0; those of others have more."""
    visits = [page(f"/list?city=3&kind={n}{start}", f"list {n}") for n in range(40) for start in ("", "&start=0")]
    for n in range(40):
        visits += [page(f"/list?city=5&kind={n}&start={start}", f"other {n} {start}") for start in (0, 20, 40)]
    normalizer = normalizer_of(visits, options)
    first, zero, second = (
        normalizer.key(f"{HOST}/list?city=3&kind=1{start}") for start in ("", "&start=0", "&start=20")
    )
    assert first == zero
    assert second != first


@BOTH
@pytest.mark.parametrize("value", ["a.b", "a|b", "(a)", "a b", "a+b", "-"])
@pytest.mark.thorough
def test_a_value_is_that_text_and_no_pattern(value: str, options: Options) -> None:
    shown = value.replace(" ", "%20").replace("|", "%7C").replace("+", "%2B")
    visits = [page(f"/p{n}{of}", f"page {n}") for n in range(60) for of in ("", f"?of={shown}", "?of=1")]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/p7?of={shown}") == f"{HOST}/p7"
    assert normalizer.key(f"{HOST}/p7?of=axb") != f"{HOST}/p7"


@BOTH
@pytest.mark.parametrize(
    "values", [("1", "2", "3"), ("5f3a9c0e7b2d4a61", "0b1c2d3e4f5a6b7c")], ids=["three", "sessions"]
)
def test_more_of_them_do_and_so_does_what_is_another_each_time(values: tuple[str, ...], options: Options) -> None:
    visits = [page(f"/p{n}?of={of}", f"page {n}") for n in range(60) for of in values]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/p7?of={values[0][::-1]}9") == f"{HOST}/p7"


def library(authors: list[str], seen: int, kinds: int = 8) -> Normalizer:
    """What is learned of the lists of authors, where a topic narrowed those of the first few to what they were."""
    visits = []
    for n, author in enumerate(authors):
        for kind in range(kinds):
            path = f"/list?by={author}&kind={kind}"
            tails = ("", "&topic=stack", "&topic=queue") if n < seen else ("",)
            visits += [page(path + tail, f"{n} {kind}") for tail in tails]
    return Normalizer(learn(visits).rules)


AUTHORS = [f"{name},+{first}" for name in ("Rossi", "Novak", "Tanaka") for first in ("Ann", "Bo", "Cy", "Di")]
SESSIONS = [f"{n * 0x9E3779B97F4A7C15 % 2**64:016x}" for n in range(3, 15)]


@pytest.mark.parametrize("seen", [2, 3])
def test_what_few_pages_say_of_some_authors_is_not_said_of_others(seen: int) -> None:
    normalizer = library(AUTHORS, seen)
    for n, author in enumerate(AUTHORS):
        plain, topic = (normalizer.key(f"{HOST}/list?by={author}&kind=3{tail}") for tail in ("", "&topic=stack"))
        assert (plain == topic) == (n < seen)


@pytest.mark.parametrize(
    ("authors", "seen", "kinds"),
    [
        pytest.param(AUTHORS, 4, 7, id="what is said of more is"),
        pytest.param(AUTHORS, 2, 16, id="or by more pages"),
        pytest.param(AUTHORS[:4], 2, 8, id="or of half of them"),
        pytest.param(SESSIONS, 2, 8, id="and of sessions"),
    ],
)
def test_what_is_said_of_others(authors: list[str], seen: int, kinds: int) -> None:
    normalizer = library(authors, seen, kinds)
    assert len({normalizer.key(f"{HOST}/list?by={authors[-1]}&kind=3{tail}") for tail in ("", "&topic=stack")}) == 1


def topics(post: int) -> list[Visit]:
    """Topics, whose posts have addresses that show the topic and name it as theirs."""
    visits = []
    for n in range(100, 140):
        path = f"/topic/{n}/title-{n}"
        visits += [page(path + tail, f"topic {n}", path) for tail in ("", f"/{post}")]
    return visits


@BOTH
def test_a_number_is_dropped_where_it_was_seen_to_be_nothing(options: Options) -> None:
    """The fourth post of a topic is on the page of the topic, and topic 4 is another than topic 5."""
    normalizer = normalizer_of(topics(4), options)
    one, other = (normalizer.key(f"{HOST}/topic/{n}/about-introductions") for n in (4, 5))
    assert one != other
    assert normalizer.key(f"{HOST}/topic/75/title/4") == normalizer.key(f"{HOST}/topic/75/title")
    assert "/4" in normalizer.key(f"{HOST}/topic/75/title/4/edit")


@BOTH
def test_a_number_is_not_dropped_in_a_folder_that_none_was_seen_of(options: Options) -> None:
    visits = []
    for n in range(40):
        path = f"/{n + 100}/title-{n}"
        visits += [page(path + tail, f"topic {n}", path) for tail in ("", "/4")]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/user/bob/4") != normalizer.key(f"{HOST}/user/bob")


@BOTH
def test_a_version_is_dropped_where_it_was_seen_to_be_nothing(options: Options) -> None:
    visits = []
    for n in range(40):
        visits += [page(f"/docs{tree}/page-{n}", f"page {n}", f"/docs/page-{n}") for tree in ("", "/v2")]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/docs/v2/page-7") == normalizer.key(f"{HOST}/docs/page-7")
    assert normalizer.key(f"{HOST}/docs/changes/v2") != normalizer.key(f"{HOST}/docs/changes")


@pytest.mark.parametrize(("first", "lower"), [(5000, 17), (1990, 1950)], ids=["ids", "years"])
def test_numbers_below_those_seen_are_known_of_years_alone(first: int, lower: int) -> None:
    """Two hundred objects are sold, and what was sold before them may have a page; years go back for ever."""
    count = 200 if first == 5000 else 40
    visits = [page(f"/sold?id={first + n}", "nothing here") for n in range(count)]
    visits += [page(f"/sold?id={first + count + n}", f"object {n}") for n in range(12)]
    normalizer = normalizer_of(visits, Options())
    assert normalizer.decide(f"{HOST}/sold?id={first + 3}").defer
    assert normalizer.decide(f"{HOST}/sold?id={lower}").defer is (first == 1990)


@BOTH
@pytest.mark.parametrize(
    ("shapes", "gone", "kept"),
    [
        (["/docs/{}/index"], "/docs/other/index", "/docs/index/settings"),
        (["/print/{}", "/print/{}/more"], "/print/page-99/b/c", "/shop/print/mugs/big"),
        (["/print/{}", "/{}/print/more"], "/page-99/print/b", None),
    ],
    ids=["at the end", "at the beginning", "anywhere"],
)
def test_a_word_is_dropped_where_it_was_seen_to_be_nothing(
    shapes: list[str], gone: str, kept: str | None, options: Options
) -> None:
    word = "index" if "index" in gone else "print"
    visits = []
    for n in range(40):
        for kind, shape in enumerate(shapes):
            path = shape.format(f"page-{n}")
            visits += [page(path, f"page {n} {kind}"), page(path.replace(f"/{word}", ""), f"page {n} {kind}")]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(HOST + gone) == HOST + gone.replace(f"/{word}", "")
    if kept is not None:
        assert normalizer.key(HOST + kept) == HOST + kept


@BOTH
def test_what_precedes_a_separator_is_said_of_values_like_those_seen(options: Options) -> None:
    """A photo of a gallery is in three albums; a person of its staff is in one place."""
    albums = [(n, album) for n in range(40) for album in (n % 7, 7 + n % 5, 12 + n % 3)]
    visits = [page(f"/index.php?show=photo/{n}/album-{album}", f"photo {n}") for n, album in albums]
    normalizer = normalizer_of(visits, options)

    def key(show: str) -> str:
        return normalizer.key(f"{HOST}/index.php?show={show}")

    assert key("photo/777/album-3") == key("photo/777/album-99")
    assert key("photo/777/album-3") != key("photo/778/album-3")
    for one, other in (
        ("person/7", "person/8"),
        ("person/7/album-3", "person/7/album-4"),
        ("photo/7/comments", "photo/7/map"),
        ("photo/7/album-3/2", "photo/7/album-3/4"),
        ("photo", "person"),
    ):
        assert key(one) != key(other)


@pytest.mark.parametrize(
    ("values", "pattern"),
    [
        (["a:x", "b:y", "c:z"], "^([^:]*:)[^:]*$"),
        (["a:x", "b:y", "b:z"], "^((?:a|b):)[^:]*$"),
        (["wiki:a:x", "wiki:b", "wiki:c:z"], "^(wiki:(?:[^:]*:){0,1})[^:]*$"),
        (["x", "a:y", "b:c:z"], "^((?:[^:]*:){0,2})[^:]*$"),
        (["a:p1", "a:p2", "a:p03"], "^(a:)p[0-9]+$"),
        (["a:p1", "a:p2", "a:q3"], "^(a:)[^:]*$"),
        (["a:1", "a:01", "a:"], "^(a:)(?:01|1)$"),
        (["a.b:x", "a.b:x"], r"^(a\.b:)x$"),
        (["a:\udcff", "a:x"], "^(a:)[^:]*$"),
        (["a:5f3a9c0e7b2d4a61", "a:0b1c2d3e4f5a6b7c"], "^(a:)[^:]*$"),
    ],
)
def test_the_pattern_of_what_precedes_the_last_separator(values: list[str], pattern: str) -> None:
    assert before_last(":", values) == pattern
    for value in values:
        assert re.sub(pattern, r"\1", value) == value.rpartition(":")[0] + ":" * (":" in value) or value.endswith(":")


def test_values_that_a_program_numbers_say_nothing_of_others() -> None:
    """`from` is the list one comes from, and, on pages that nobody has met, the version that is compared."""
    visits = [page(f"/item/{n}{one}", f"item {n}") for n in range(60) for one in ("", "?from=list1", "?from=list2")]
    visits += [page(f"/item/{n}?from=list{n}", f"item {n}") for n in range(60)]
    visits.append(page("/item/0?from=", "item 0"))
    normalizer = normalizer_of(visits, Options())
    assert normalizer.key(f"{HOST}/item/7?from=list99") == f"{HOST}/item/7"
    first, second = (normalizer.key(f"{HOST}/item/7?from={version}&to=5") for version in (2, 3))
    assert first != second


@pytest.mark.parametrize("also", ["home", "3"])
def test_where_they_are_not_all_alike_it_is_for_any(also: str) -> None:
    given = ("", "?from=list1", "?from=list2", "?from=list3", f"?from={also}")
    visits = [page(f"/item/{n}{one}", f"item {n}") for n in range(60) for one in given]
    assert normalizer_of(visits, Options()).key(f"{HOST}/item/7?from=price") == f"{HOST}/item/7"
