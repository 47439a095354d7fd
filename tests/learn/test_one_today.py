"""What shows one page today and may show two tomorrow: versions, languages, months, and what has a name of its own."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.content.frame import TITLE_SLOT
from scrapy_urinorm.learn import learn
from scrapy_urinorm.visits.links import url_hash
from scrapy_urinorm.visits.record import Visit
from tests.content.test_frame import visit
from tests.learn.test_few_values import BOTH, HOST, normalizer_of, page

if TYPE_CHECKING:
    from scrapy_urinorm.learn import Options


@BOTH
@pytest.mark.parametrize("others", [[""], ["&hb=HEAD"], ["&hb=2.2"]], ids=["default", "alias", "drop"])
def test_the_newest_release_is_what_another_will_be_tomorrow(others: list[str], options: Options) -> None:
    """Each file of a repository was the same at its last tag and at its head."""
    visits = [page(f"/raw?f=f{n}{hb}", f"file {n}") for n in range(60) for hb in (*others, "&hb=v2.3.1")]
    normalizer = normalizer_of(visits, options)
    assert len({normalizer.key(f"{HOST}/raw?f=f7{hb}") for hb in (*others, "&hb=v2.3.1")}) == 2


@BOTH
@pytest.mark.parametrize("name", ["lang", "uselang", "set_language", "hl", "ui"])
def test_what_is_not_translated_today_may_be_tomorrow(name: str, options: Options) -> None:
    """The newest sixty articles are in one language, whatever is asked for; some older ones are in two."""
    values = ("", f"?{name}=de", f"?{name}=fr", f"?{name}=pt-br")
    visits = [page(f"/news/{n}{asked}", f"article {n}") for n in range(60) for asked in values]
    normalizer = normalizer_of(visits, options)
    assert len({normalizer.key(f"{HOST}/news/99{asked}") for asked in values}) == len(values)


@BOTH
def test_nor_where_a_segment_of_the_path_has_the_parameter(options: Options) -> None:
    visits = [page(f"/news/{n}{asked}", f"article {n}") for n in range(60) for asked in ("", ";lang=de", ";lang=fr")]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/news/99;lang=de") != normalizer.key(f"{HOST}/news/99")


@BOTH
@pytest.mark.parametrize("asked", ["v=2.3", "lang=de"])
def test_they_are_one_where_the_site_says_so(asked: str, options: Options) -> None:
    visits = [page(f"/p{n}{q}", f"page {n}", f"/p{n}") for n in range(60) for q in ("", f"?{asked}")]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/p99?{asked}") == normalizer.key(f"{HOST}/p99")


@BOTH
@pytest.mark.parametrize(
    ("values", "why"),
    [(("11", "12"), "two numbers are no spellings of one"), (("de:a", "de:b", "fr:c"), "a language may be meant")],
)
def test_what_is_refused_for_that_says_so(values: tuple[str, ...], why: str, options: Options) -> None:
    name = "month" if "11" in values else "lang"
    visits = [page(f"/place/{n}?{name}={value}", f"place {n}") for n in range(60) for value in values]
    assert any(why in row.why for row in learn(visits, options).others)


@BOTH
def test_two_of_many_numbers_are_no_spellings_of_one(options: Options) -> None:
    """Of two months without an event each page shows one list."""
    visits = [page(f"/place/{n}?month={m}", f"place {n} in {m % 11}") for n in range(60) for m in range(1, 13)]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/place/7?month=12") != normalizer.key(f"{HOST}/place/7?month=1")


@BOTH
def test_a_name_is_another_where_it_stands_alone(options: Options) -> None:
    """`peg=5` is `rev=5`; with both it is the state of 5 of what was there at the other."""
    visits = [page(f"/log?{name}={n}", f"log {n}") for n in range(60) for name in ("rev", "peg")]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/log?peg=99") == normalizer.key(f"{HOST}/log?rev=99")
    assert normalizer.key(f"{HOST}/log?peg=99&rev=7") != normalizer.key(f"{HOST}/log?peg=7&rev=99")


def linked(path: str, text: str, *links: str) -> Visit:
    found = page(path, text)
    found.links = b"".join(url_hash(HOST + link) for link in links)
    found.links_count = len(links)
    return found


@BOTH
@pytest.mark.parametrize("relative", [True, False])
def test_relative_links_lead_from_one_of_two_addresses_alone(relative: bool, options: Options) -> None:
    """`/a/7` and `/a/7/` are served alike, and `./next` is at one of them; whichever is met first would be fetched."""
    visits = []
    for n in range(60):
        beside, below = (f"/a/next{n}", f"/a/{n}/next{n}") if relative else (f"/n/{n}", f"/n/{n}")
        visits += [linked(f"/a/{n}", f"page {n}", beside, "/"), linked(f"/a/{n}/", f"page {n}", below, "/")]
        visits.append(linked(below, f"next {n}", "/"))
        if relative:
            visits.append(Visit(url=HOST + beside, status=404))
    visits.append(linked("/", "home", *(f"/a/{n}{slash}" for n in range(60) for slash in ("", "/"))))
    normalizer = normalizer_of(visits, options)
    assert (normalizer.key(f"{HOST}/a/99") == normalizer.key(f"{HOST}/a/99/")) is not relative
    assert not any(normalizer.decide(f"{HOST}/a/99{slash}").skip for slash in ("", "/"))


@BOTH
@pytest.mark.parametrize("titled", [True, False])
def test_two_files_with_one_text_have_two_names(titled: bool, options: Options) -> None:
    """A repository shows files by their hash; what a page is called stands in its title alone."""
    visits = []
    for n in range(60):
        text = [("main", f"line {k} of file {n}, which says what it does") for k in range(6)]
        for name in (f"a{n}.txt", f"b/a{n}.txt"):
            lines = [("menu", "home"), ("foot", "all files"), *text]
            visits.append(visit(lines, f"{HOST}/blob?f={name}&h={n * 7919:x}"))
            if titled:
                lines_of = array("Q", [TITLE_SLOT]).tobytes() + url_hash(name)
                visits[-1].lines = lines_of + (visits[-1].lines or b"")
                visits[-1].line_words = b"\3" + (visits[-1].line_words or b"")
    normalizer = normalizer_of(visits, options)
    keys = {normalizer.key(f"{HOST}/blob?f={name}&h=77") for name in ("c.txt", "d/c.txt")}
    assert len(keys) == 1 + titled


@BOTH
@pytest.mark.parametrize(
    "values",
    [
        ("v2.3.1", "v2.3.0", "v2.2.9", "v2.2.8"),
        ("refs/tags/v1.0", "refs/tags/v1.1", "refs/tags/v2.0"),
        ("2.1", "2.2", "1.4"),
        ("HEAD", "master", "v2.3.1"),
        ("HEAD", "RELEASE_2_1"),
        ("HEAD", "66"),
        ("tip", "a1b2c3d4e5"),
        ("latest", "stable"),
        ("english", "german", "french"),
        ("en", "de", "no"),
        ("de-at", "de-ch", "en-gb"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("bare", [True, False])
def test_no_rule_of_any_family_makes_versions_or_languages_one(
    values: tuple[str, ...], bare: bool, options: Options
) -> None:
    asked = [f"&at={value}" for value in values] + [""] * bare
    visits = [page(f"/raw?f=f{n}{at}", f"file {n}") for n in range(60) for at in asked]
    normalizer = normalizer_of(visits, options)
    decisions = [normalizer.decide(f"{HOST}/raw?f=f99{at}") for at in asked]
    assert len({one.key for one in decisions}) == len(asked)
    assert not any(one.skip for one in decisions)


@BOTH
@pytest.mark.parametrize("others", [(), ("67",)], ids=["an alias", "a drop"])
def test_the_newest_revision_of_many_is_one_for_now(others: tuple[str, ...], options: Options) -> None:
    """Each file has changed in some revision, and none since 66."""
    same = ("HEAD", "66", *others)
    visits = [page(f"/raw?f=f{n}&at={at}", f"file {n}") for n in range(60) for at in same]
    visits += [page(f"/raw?f=f{n}&at={at}", f"file {n} at {at}") for n in range(60) for at in range(30)]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/raw?f=f99&at=HEAD") != normalizer.key(f"{HOST}/raw?f=f99&at=66")


@BOTH
@pytest.mark.parametrize("older", [True, False])
def test_what_every_version_calls_canonical_is_no_word_on_the_newest(older: bool, options: Options) -> None:
    """Manuals name `latest` in each version of a chapter; it is 2.1 today."""
    versions = [("latest", "new"), ("2.1", "new"), *([("1.0", "old")] if older else [])]
    visits = []
    for n in range(60):
        for version, text in versions:
            visits.append(page(f"/{version}/c{n}", f"chapter {n}, {text}"))
            visits[-1].canonical = f"{HOST}/latest/c{n}"
    normalizer = normalizer_of(visits, options)
    assert (normalizer.key(f"{HOST}/latest/c99") == normalizer.key(f"{HOST}/2.1/c99")) is not older


@BOTH
def test_no_version_of_many_is_skipped(options: Options) -> None:
    """Each page was seen with the version of its last change, and without one."""
    visits = [
        page(f"/raw?f=f{n}{at}", f"file {n}") for n in range(60) for at in ("", f"&hb=v2.{n}", f"&hb=v3.{n + 100}")
    ]
    normalizer = normalizer_of(visits, options)
    one = normalizer.decide(f"{HOST}/raw?f=f999&hb=v9.1")
    assert not one.skip
    assert one.key != normalizer.key(f"{HOST}/raw?f=f999")


@BOTH
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("hl", ("many words", "of a search", "are here")),
        ("ip", ("10.1.2.3", "10.1.2.4", "10.9.2.1")),
        ("rnd", ("0.48371", "0.19371", "0.73321")),
        ("zfrom", ("/docs7/v2", "/docs7/v3", "/docs8/v2")),
    ],
)
def test_what_only_looks_like_a_version_or_a_language_is_dropped(
    name: str, values: tuple[str, ...], options: Options
) -> None:
    visits = [page(f"/p{n}?{name}={value}", f"page {n}") for n in range(60) for value in values]
    normalizer = normalizer_of(visits, options)
    assert len({normalizer.key(f"{HOST}/p99?{name}={value}") for value in values}) == 1


@BOTH
def test_one_number_has_two_spellings(options: Options) -> None:
    visits = [page(f"/p{n}?month={m}", f"page {n} in {int(m)}") for n in range(60) for m in ("1", "01", "2", "02")]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/p99?month=01") == normalizer.key(f"{HOST}/p99?month=1")
    assert normalizer.key(f"{HOST}/p99?month=01") != normalizer.key(f"{HOST}/p99?month=2")


@BOTH
def test_two_numbers_are_two_where_no_other_was_seen(options: Options) -> None:
    visits = [page(f"/place/{n}?month={m}", f"place {n}") for n in range(60) for m in (11, 12)]
    normalizer = normalizer_of(visits, options)
    decisions = [normalizer.decide(f"{HOST}/place/99?month={m}") for m in (11, 12)]
    assert decisions[0].key != decisions[1].key
    assert not any(one.skip for one in decisions)


@BOTH
@pytest.mark.parametrize(
    ("name", "title"),
    [("token", "page {n}, {lot} visitors"), ("replytocom", "reply to {value}"), ("highlight", "{value} in page {n}")],
)
def test_a_title_that_counts_or_echoes_is_no_name(name: str, title: str, options: Options) -> None:
    """A parameter that cannot be the name of a page is dropped, whatever stands in the title."""
    visits = []
    for n in range(60):
        for k in range(3):
            value = f"{n * 31 + k * 7:x}word"
            visits.append(
                visit(titled(title.format(n=n, lot=n * 97 + k, value=value), n), f"{HOST}/p{n}?{name}={value}")
            )
            said = visits[-1]
            said.lines = array("Q", [TITLE_SLOT]).tobytes() + (said.lines or b"")[8:]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/p99?{name}=aword") == normalizer.key(f"{HOST}/p99?{name}=bword")


def titled(title: str, n: int) -> list[tuple[str, str]]:
    # so many words that it is no shell that a script fills
    text = [("main", f"line {k} of page {n}, which says what it is about") for k in range(25)]
    return [("title", title), ("menu", "home"), ("foot", "all pages"), *text]


@BOTH
def test_a_form_that_has_the_title_of_each_page_is_one(options: Options) -> None:
    """As many as it is opened from: its title is theirs."""
    visits = []
    for n in range(90):
        for path, text in ((f"/p{n}", f"page {n}"), (f"/answer?id={n}", "the form")):
            lines = [("title", f"page {n}"), ("menu", "home")]
            lines += [("main", f"line {k} of {text}, as it is") for k in range(40)]
            visits.append(visit(lines, HOST + path))
            visits[-1].lines = array("Q", [TITLE_SLOT]).tobytes() + (visits[-1].lines or b"")[8:]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/answer?id=777") == normalizer.key(f"{HOST}/answer?id=888")


@BOTH
def test_one_version_among_many_values_tells_nothing(options: Options) -> None:
    values = [f"word{n}" for n in range(59)] + ["v1.2"]
    visits = [page(f"/p{n}?of={values[n - k]}", f"page {n}") for n in range(60) for k in range(3)]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/p99?of=word1") == normalizer.key(f"{HOST}/p99?of=word2")


@BOTH
def test_the_first_page_of_a_list_has_two_numbers(options: Options) -> None:
    visits = [page(f"/list{n}?at={k}", f"list {n} from {max(k, 1)}") for n in range(60) for k in range(4)]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/list99?at=0") == normalizer.key(f"{HOST}/list99?at=1")
    assert normalizer.key(f"{HOST}/list99?at=2") != normalizer.key(f"{HOST}/list99?at=1")


@BOTH
def test_one_dead_link_is_chance(options: Options) -> None:
    visits = []
    for n in range(60):
        gone = ["/a/gone"] if n == 7 else []
        visits += [linked(f"/a/{n}", f"page {n}", f"/n/{n}", *gone), linked(f"/a/{n}/", f"page {n}", f"/n/{n}")]
        visits.append(linked(f"/n/{n}", f"next {n}", "/"))
    visits.append(Visit(url=f"{HOST}/a/gone", status=404))
    visits.append(linked("/", "home", *(f"/a/{n}{slash}" for n in range(60) for slash in ("", "/"))))
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/a/99") == normalizer.key(f"{HOST}/a/99/")


@BOTH
@pytest.mark.parametrize(("last", "is_one"), [(4, False), (1, True)])
def test_the_last_of_a_series_is_what_another_will_be_tomorrow(last: int, is_one: bool, options: Options) -> None:
    """A post shows its newest comments; the last page of these shows the same, until there are more of them."""
    visits = []
    for n in range(30):
        visits += [page(f"/post{n}/", f"post {n}, {last}")]
        visits += [page(f"/post{n}/comment-page-{part}/", f"post {n}, {part}") for part in range(1, 5)]
    normalizer = normalizer_of(visits, options)
    assert (normalizer.key(f"{HOST}/post99/comment-page-{last}/") == normalizer.key(f"{HOST}/post99/")) is is_one


@BOTH
@pytest.mark.parametrize("said", ["without votes", "without a choice"])
@pytest.mark.parametrize("others", [("", "&by=age"), ()], ids=["alias", "drop"])
def test_two_lists_that_are_the_same_today_have_titles_of_their_own(
    others: tuple[str, ...], said: str, options: Options
) -> None:
    """Questions without votes, and without a chosen answer: none has either yet. One title for both is no name."""
    visits = []
    for n in range(40):
        for at, asked in enumerate(("&by=votes", "&by=choice", *others)):
            title = f"questions {said if asked == '&by=choice' else 'without votes'}"
            visits.append(visit(titled(title, n + 500 * max(0, at - 1)), f"{HOST}/questions?start={n}0{asked}"))
            visits[-1].lines = array("Q", [TITLE_SLOT]).tobytes() + (visits[-1].lines or b"")[8:]
    visits += [visit(titled(f"tag {n}", 2000 + n), f"{HOST}/tag/{n}") for n in range(60)]
    for other in visits[-60:]:
        other.lines = array("Q", [TITLE_SLOT]).tobytes() + (other.lines or b"")[8:]
    normalizer = normalizer_of(visits, options)
    keys = {normalizer.key(f"{HOST}/questions?start=9990&by={by}") for by in ("votes", "choice")}
    assert len(keys) == 1 + (said != "without votes")


def test_the_evidence_says_why() -> None:
    pairs = (("votes", "without votes"), ("choice", "without a choice"))
    visits = []
    for n in range(40):
        for by, said in pairs:
            visits.append(visit(titled(f"questions {said}", n), f"{HOST}/questions?start={n}0&by={by}"))
            visits[-1].lines = array("Q", [TITLE_SLOT]).tobytes() + (visits[-1].lines or b"")[8:]
    (found,) = (one for one in learn(visits).others if one.value == ["by"])
    assert found.status == "proposed"
    assert "40 distinct pages, but their pages have titles of their own" in found.why


@BOTH
@pytest.mark.parametrize("asked", ["limit=all", "per_page=100"])
def test_what_a_list_shows_while_it_is_short_says_nothing_of_its_pages(asked: str, options: Options) -> None:
    """The histories of two files have twenty entries each, as many as a page, and those of all others have more."""
    visits = [
        page(f"/log/{name}?rev={n}{q}", f"{name} {n}") for name in "ab" for n in range(20) for q in ("", f"&{asked}")
    ]
    visits += [
        page(f"/log/{name}?rev={n}{q}", f"{name} {n} {q}")
        for name in "cdefgh"
        for n in range(20)
        for q in ("", f"&{asked}")
    ]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/log/a?rev=7&{asked}") != normalizer.key(f"{HOST}/log/a?rev=7")


@BOTH
def test_what_makes_no_difference_to_two_pages_and_does_to_others_is_dropped_there(options: Options) -> None:
    visits = [
        page(f"/log/{name}?rev={n}{q}", f"{name} {n}") for name in "ab" for n in range(40) for q in ("", "&look=a")
    ]
    visits += [
        page(f"/log/{name}?rev={n}{q}", f"{name} {n} {q}")
        for name in "cdefgh"
        for n in range(20)
        for q in ("", "&look=a")
    ]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/log/a?rev=7&look=a") == normalizer.key(f"{HOST}/log/a?rev=7")
