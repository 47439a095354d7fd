"""What was not seen is left alone: values of switches, paged lists, and links that nobody followed."""

from __future__ import annotations

import random
from datetime import date, timedelta
from itertools import product
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.evidence.candidate import united
from scrapy_urinorm.learn.families.shapes import Shape
from scrapy_urinorm.learn.pages.page import MANY_PATHS, Page, doubt_canonicals
from scrapy_urinorm.visits.record import Visit, visit_from_row
from tests.learn.sites import tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HOST = "http://a.example"


def page(path: str, text: str, links: list[str] | None = None, depth: int = 1) -> Visit:
    row = {"url": HOST + path, "status": 200, "text_digest": text, "words": 100, "depth": depth}
    if links is not None:
        row["links"] = [HOST + link for link in links]
    return visit_from_row(row)


def browser(actions: tuple[str, ...]) -> list[Visit]:
    """A repository browser in which `h` makes no difference to some views; each view is at many paths."""
    visits = []
    for action in actions:
        for n in range(15):
            given = ("", "&h=one", "&h=two")
            visits += [page(f"/?a={action}&f=file{n}{h}", f"{action} {n}") for h in given]
    return visits


def test_a_switch_says_where_a_rule_was_seen() -> None:
    normalizer = Normalizer(learn(browser(("blob", "blame"))).rules)
    for action in ("blob", "blame"):
        assert normalizer.key(f"{HOST}/?a={action}&f=new&h=one") == normalizer.key(f"{HOST}/?a={action}&f=new")
    assert normalizer.key(f"{HOST}/?a=history&f=new&h=one") != normalizer.key(f"{HOST}/?a=history&f=new")


def shop(folders: tuple[str, ...], name: str, value: str = "{}") -> list[Visit]:
    """Items that are the same whatever a parameter says, and a page at which it has not been met."""
    visits = [
        page("/", "home"),
        page("/branches", "all branches"),
        page("/about/", "about"),
        page("/list?p=2", "list 2"),
    ]
    for folder in folders:
        for n in range(30):
            given = ("", *(f"?{name}=" + value.format(n * 7 + k) for k in range(2)))
            visits += [page(f"/{folder}/{n}{one}", f"{folder} {n}") for one in given]
    return visits


@pytest.mark.parametrize(
    ("folders", "paths", "others"),
    [
        (("item",), ["/item/99"], ["/branches", "/about/", "/x/99", "/item/99/more", "/"]),
        (("item", "of/item"), ["/item/99", "/of/item/99"], ["/branches", "/about/", "/x/99", "/of/x/9", "/of/item/9/"]),
        # a new section may choose by it
        (("item", "news"), ["/item/99", "/news/99"], ["/branches", "/", "/x/99", "/x/99/more"]),
        # of more than a person reads the next is like them
        (tuple("abcdefghi"), ["/a/99", "/i/99", "/x/99"], ["/branches", "/", "/x/99/more"]),
        (("2021/04", "2021/05"), ["/2021/04/99", "/2022/11/99"], ["/branches", "/x/99", "/"]),
    ],
)
def test_a_parameter_is_dropped_where_it_was_seen(
    folders: tuple[str, ...], paths: list[str], others: list[str]
) -> None:
    """`ref` counts visits of items, and chooses one of the branches."""
    normalizer = Normalizer(learn(shop(folders, "ref")).rules)
    for path in paths:
        assert normalizer.key(f"{HOST}{path}?ref=new") == normalizer.key(HOST + path), path
    for path in others:
        assert normalizer.key(f"{HOST}{path}?ref=new") != normalizer.key(HOST + path), path


def admin(*unseen: str) -> list[Visit]:
    """Forms and lists of writers and places, which are the same in each order, and what else was requested."""
    visits = [page(f"/about/{n}", f"about {n}") for n in range(20)]
    for kind in ("writer", "place"):
        for order in ("asc", "desc"):
            visits += [page(f"/admin/{kind}/edit/{n}?sort={order}", f"{kind} {n}") for n in range(20)]
            visits += [page(f"/admin/{kind}/list?of={n}&sort={order}", f"{kind}s {n}") for n in range(4)]
    return visits + [page(path, path) for path in unseen]


@pytest.mark.parametrize("options", [Options(), Options().strict()], ids=["default", "strict"])
@pytest.mark.parametrize(
    "unseen",
    [
        ["/admin/letter/list"],
        [f"/admin/letter/list?of={n}&sort=asc" for n in range(6)],
        # more tables than a rule names paths
        [f"/admin/{a}{b}/list?of=1&sort=asc" for a in "abcde" for b in "tuvwx"],
    ],
    ids=["a list", "one order of it", "many"],
)
def test_what_two_tables_say_is_not_said_of_a_third(unseen: list[str], options: Options) -> None:
    """SQLAdmin: the lists of letters were sorted, and those of writers and places were too short to be."""
    key = Normalizer(learn(admin(*unseen), options).rules).key
    for path in ("/admin/writer/list?of=9", "/admin/place/list?of=9", "/admin/writer/edit/99", "/admin/place/edit/99"):
        joint = "&" if "?" in path else "?"
        assert key(f"{HOST}{path}{joint}sort=asc") == key(f"{HOST}{path}{joint}sort=desc"), path
    other = unseen[0].partition("?")[0]
    assert key(f"{HOST}{other}?of=1&sort=asc") != key(f"{HOST}{other}?of=1&sort=desc")


@pytest.mark.parametrize(
    ("unseen", "said"),
    [
        ([], False),
        (["/admin/letter/edit/1/more"], False),
        ([f"/admin/{a}{b}/list" for a in "abcdefgh" for b in "stuvwxyz"], True),
    ],
    ids=["nothing else", "another length", "too many for a program"],
)
def test_what_two_tables_say_is_said_of_a_new_one_where_many_were_met(unseen: list[str], said: bool) -> None:
    key = Normalizer(learn(admin(*unseen)).rules).key
    assert (key(f"{HOST}/admin/new/list?of=1&sort=asc") == key(f"{HOST}/admin/new/list?of=1&sort=desc")) is said


@pytest.mark.parametrize(
    ("shape", "values"),
    [
        ("/{}.php?id={}{}", ("", "&v=a", "&v=b")),
        ("/{}/{}{}", ("", "?v=a", "?v=b")),
        ("/{}/{}{}", ("?v=a", "?v=b")),
        ("/{}/{}{}", ("", "?v=a")),
        ("/{}/{}{}", tuple(f"?v={a}{b}" for a in "abcdef" for b in "xyz")),
    ],
    ids=["a script", "a section", "two values that are one", "a default", "on every address"],
)
def test_a_new_section_or_script_may_choose_by_what_made_no_difference(shape: str, values: tuple[str, ...]) -> None:
    """Whether `v` counts visits of the news and the shop, the only sections so far, or what is new chooses by it."""
    visits = [page("/", "home")]
    for kind in ("news", "shop"):
        visits.append(page(f"/{kind}s.php", f"{kind} all"))
        visits += [page(shape.format(kind, n, v), f"{kind} {n}") for n in range(60) for v in values]
    key = Normalizer(learn(visits, Options(jobs=1, preset="safe")).rules).key
    for kind, are_one in (("news", True), ("shop", True), ("poll", False)):
        one, other = (key(HOST + shape.format(kind, 99, v)) for v in values[:2])
        assert (one == other) is are_one, kind


@pytest.mark.parametrize("listed", [True, False], ids=["listed, as schools are", "one in all links, as a session"])
def test_what_pages_list_is_no_session_though_each_address_has_it(listed: bool) -> None:
    schools = [101 + n for n in range(12)]
    visits = [page("/", "front", [f"/in.php?school={school}" for school in schools[: None if listed else 1]], depth=0)]
    for n, school in enumerate(schools):
        following = [] if listed else [f"/in.php?school={number}" for number in schools[n + 1 : n + 2]]
        grades = [f"/grade.php?grade={grade}&school={school}" for grade in range(20)]
        visits.append(page(f"/in.php?school={school}", "curriculum", grades))
        visits += [page(one, f"grade {grade}", following, depth=2) for grade, one in enumerate(grades)]
    key = Normalizer(learn(visits).rules).key
    assert key(f"{HOST}/grade.php?grade=7&school=5") == key(f"{HOST}/grade.php?grade=7&school=6")
    assert (key(f"{HOST}/menu.php?school=5") == key(f"{HOST}/menu.php?school=6")) is not listed


@pytest.mark.parametrize(
    ("sections", "new"),
    [(("news", "shop"), False), (tuple(f"{a}{b}" for a in "abcdef" for b in "uvwxyz"), True)],
    ids=["two", "many"],
)
def test_a_word_in_front_says_nothing_of_a_new_section(sections: tuple[str, ...], new: bool) -> None:
    """`/print/news/7` is `/news/7`, and the print view of a gallery holds all of its pictures."""
    visits = [page("/", "home")]
    for kind in sections:
        visits += [page(f"{word}/{kind}/{n}", f"{kind} {n}") for n in range(20) for word in ("", "/print")]
    key = Normalizer(learn(visits, Options(jobs=1, preset="safe")).rules).key
    for kind, are_one in ((sections[0], True), (sections[-1], True), ("gallery", new)):
        assert (key(f"{HOST}/print/{kind}/99") == key(f"{HOST}/{kind}/99")) is are_one, kind


def test_the_names_of_pages_are_no_words_of_a_program() -> None:
    """Each of the few topics that have a second address says what is so of the others."""
    visits = [
        page(f"/topic/{n}/about-{'abcdefgh'[n % 8]}{given}", f"topic {n}")
        for n in range(16)
        for given in ("", "?page=1")
    ]
    visits += [page(f"/topic/{n}/about-{'klmn'[n % 4]}", f"topic {n}") for n in range(16, 24)]
    key = Normalizer(learn(visits).rules).key
    assert key(f"{HOST}/topic/99/about-z?page=1") == key(f"{HOST}/topic/99/about-z")


@pytest.mark.parametrize("met", [False, True], ids=["new", "met"])
def test_the_order_of_lists_in_two_sections_says_nothing_of_a_third(met: bool) -> None:
    visits = [page("/news/list/1", "news")] if met else []
    for kind in ("shop", "blog"):
        for n in range(20):
            for v in ("top", "down", "age"):
                row = {"url": f"{HOST}/{kind}/list/{n}?sort={v}", "status": 200, "words": 100}
                visits.append(visit_from_row(row | {"main_digest": f"{kind} {n}", "text_digest": f"{kind} {n} {v}"}))
    key = Normalizer(learn(visits).rules).key
    assert key(f"{HOST}/shop/list/99?sort=top") == key(f"{HOST}/shop/list/99?sort=age")
    assert key(f"{HOST}/news/list/99?sort=top") != key(f"{HOST}/news/list/99?sort=age")


SPELLINGS = {
    "case": ("{f}/p{n}", "{f}/P{n}"),
    "slash": ("{f}/p{n}", "{f}/p{n}/"),
    "index": ("{f}/p{n}/", "{f}/p{n}/index.html"),
    "extension": ("{f}/p{n}", "{f}/p{n}.html"),
    "doubled slash": ("{f}/p{n}", "{f}//p{n}"),
    "path parameter": ("{f}/p{n}", "{f}/p{n};v=2"),
    "segment": ("{f}/p{n}", "{f}/print/p{n}"),
}


FOLDERS: dict[str, tuple[tuple[str, ...], list[str], list[str]]] = {
    "a folder": (("/shop",), ["/shop", "/shop/more"], ["/files", "/x/shop", ""]),
    "two": (("/shop", "/news"), ["/shop", "/news"], ["/files"]),
    # a number is another one tomorrow, and of many folders the next is like them
    "numbers": (("/2021", "/2022"), ["/2021", "/2023"], []),
    "several": (tuple(f"/{c}x" for c in "abcdefghi"), ["/ax", "/ix"], ["/zx"]),
    "many": (tuple(f"/{a}{b}" for a in "abc" for b in "abcdefghijk"), ["/aa", "/zz"], []),
}


# many folders are many pages: each spelling has one folder and two, of which `make test` tries the others for two
@pytest.mark.parametrize(
    ("spelling", "folders", "here", "elsewhere"),
    [
        pytest.param(
            shapes, *given, id=f"{spelling}-{name}",
            marks=[pytest.mark.slow] * (name in ("several", "many") and spelling not in ("case", "slash")),
        )
        for spelling, shapes in SPELLINGS.items()
        for name, given in FOLDERS.items()
    ],
)  # fmt: skip
def test_a_spelling_of_the_path_is_one_in_the_folders_where_it_was_seen(
    spelling: tuple[str, str], folders: tuple[str, ...], here: list[str], elsewhere: list[str]
) -> None:
    """Names of files differ in their case though those of a shop do not."""
    visits = [page("/", "home"), *(page(f"/files/f{n}.txt", f"file {n}") for n in range(30))]
    for folder in folders:
        for n in range(30):
            visits += [page(one.format(f=folder, n=n), f"{folder} {n}") for one in spelling]
    normalizer = Normalizer(learn(visits, Options(jobs=1, preset="safe")).rules)
    for folder, same in (*((one, True) for one in here), *((one, False) for one in elsewhere)):
        one, other = (normalizer.key(HOST + shape.format(f=folder, n=99)) for shape in spelling)
        assert (one == other) is same, folder


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: shop(("item",), "utm_other"), "utm_other"),
        (lambda: [one for one in shop(("item",), "tk") if "tk=" in one.url], "tk"),
        (lambda: [one for n in range(9) for one in shop((f"a{'/b' * n}",), "ref")], "ref"),
    ],
    ids=["a tracker by its name", "in nearly all addresses", "at more paths than a person reads"],
)
def test_what_the_site_puts_into_all_its_addresses_is_dropped_everywhere(
    make: Callable[[], list[Visit]], name: str
) -> None:
    normalizer = Normalizer(learn(make(), Options(preset="safe", jobs=1)).rules)
    for path in ("/branches", "/item/99/more", "/"):
        assert normalizer.key(f"{HOST}{path}?{name}=new") == normalizer.key(HOST + path), path


def manual(name: str, pages: int, values: tuple[str, ...]) -> list[Visit]:
    """Pages that say the same in two versions, and many that have none."""
    visits = [page(f"/about/{n}", f"about {n}") for n in range(60)]
    for n in range(pages):
        visits += [page(f"/manual/{n}{one}", f"page {n}") for one in ("", *(f"?{name}={value}" for value in values))]
    return visits


@pytest.mark.parametrize(
    ("name", "pages", "values", "equal"),
    [
        ("version", 9, ("2",), False),
        ("version", 14, ("2",), True),
        ("version", 9, ("1", "2"), False),
        ("lang", 9, ("de",), False),
        ("pp", 9, ("20",), False),
        ("shown", 9, ("2",), True),
        ("page", 9, ("1",), True),
    ],
)
def test_what_may_name_a_page_is_believed_later(name: str, pages: int, values: tuple[str, ...], equal: bool) -> None:
    """What was not translated yet is there in one language, and a short thread is one page of any size."""
    normalizer = Normalizer(learn(manual(name, pages, values)).rules)
    for value in values:
        assert (normalizer.key(f"{HOST}/manual/99?{name}={value}") == normalizer.key(f"{HOST}/manual/99")) is equal


def test_a_list_without_a_page_number_says_nothing_of_those_with_one() -> None:
    visits = []
    for n in range(30):
        visits += [page(f"/list?cat=c{n}{order}", f"list {n}") for order in ("", "&order=up", "&order=down")]
        visits += [page(f"/list?cat=c{n}&page={p}", f"list {n} {p}") for p in (2, 3)]
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key(f"{HOST}/list?cat=new&order=up") == normalizer.key(f"{HOST}/list?cat=new")
    assert normalizer.key(f"{HOST}/list?cat=new&order=up&page=2") != normalizer.key(f"{HOST}/list?cat=new&page=2")


def test_what_names_a_page_in_the_query_is_no_condition() -> None:
    """`/wiki?Page7`: tomorrow there are others, and where each view sorted them all, time grew with their square."""
    visits = []
    for n in range(40):
        visits.append(page(f"/wiki?Page{n}", f"page {n}"))
        visits += [page(f"/wiki?action=history&id=Page{n}{o}", f"history {n}") for o in ("", "&o=1", "&o=2")]
    (where,) = learn(visits).rules["site"]["a.example"]["where"]
    dropped = [{"name": "o", "value": "1|2"}]
    assert where == {"path": "/wiki", "query": {"action": "history", "id": True}, "remove_params": dropped}


@pytest.mark.parametrize(
    ("private", "is_rule"), [(False, True), (True, False)], ids=["the same links", "links of its own"]
)
def test_pages_that_lead_to_what_nobody_followed_are_not_merged(private: bool, is_rule: bool) -> None:
    """Each variant shows one text; where each leads to pages of its own, a crawl cut short does not know them."""
    visits = [page("/", "front", [f"/x{n}?v={v}" for n in range(30) for v in range(3)], depth=0)]
    for n in range(30):
        for v in range(3):
            links = [f"/behind/{n}/{v if private else 0}/{k}" for k in range(3)]
            visits.append(page(f"/x{n}?v={v}", f"page {n}", links))
    normalizer = Normalizer(learn(visits).rules)
    assert (normalizer.key(f"{HOST}/x99?v=1") == normalizer.key(f"{HOST}/x99?v=2")) is is_rule


def calendar(first: int, last: int, days: range, linked: bool = True, *, seen: str = "") -> list[Visit]:
    """A timeline with an event on each day from `first` to `last`, and one empty page for all others; `seen` is the day
    of the crawl.
    """
    begin = date(2024, 1, 1)
    visits = [page("/", "front", ["/timeline?from=2024-01-01"] if linked else None, depth=0)]
    for n in days:
        day, before, after = ((begin + timedelta(days=n + k)).isoformat() for k in (0, -1, 1))
        links = [f"/timeline?from={before}", f"/timeline?from={after}"] if linked else None
        visits.append(page(f"/timeline?from={day}", f"events {n}" if first <= n <= last else "nothing", links))
        visits[-1].time = f"{seen}T12:00:00Z" if seen else None
    return visits


@pytest.mark.parametrize(
    ("last", "seen", "skipped"),
    [
        pytest.param(60, "2024-10-30", True, id="the past"),
        pytest.param(60, "2024-08-15", False, id="a month ago, of which a list may tell"),
        pytest.param(60, "2024-04-01", False, id="the future"),
        pytest.param(60, "", False, id="of no day"),
        pytest.param(105, "2024-10-30", False, id="an archive that is filled may have come so far"),
    ],
)
def test_what_has_not_taken_place_is_skipped_and_what_may_take_place_put_off(
    last: int, seen: str, skipped: bool
) -> None:
    decide = Normalizer(learn(calendar(0, last, range(-80, 330), seen=seen)).rules).decide
    past = decide(f"{HOST}/timeline?from=2024-07-20")
    assert (past.skip, past.defer) == (skipped, not skipped)
    for day in (date(2024, 1, 1) + timedelta(days=last + 20), date(2024, 11, 10)):
        assert not decide(f"{HOST}/timeline?from={day}").skip
        assert decide(f"{HOST}/timeline?from={day}").defer, "it may be filled, or announced, tomorrow"


def steps(*back: int) -> list[Visit]:
    """A timeline of which each page leads to the one thirty days before, those with events so many days `back`; the
    crawl was cut short.
    """
    urls = {n: f"/timeline?from={date(2024, 1, 1) + timedelta(days=n)}" for n in range(-80, 60)}
    visits = [page("/", "front", [urls[n] for n in range(60)], depth=0)]
    visits += [page(urls[n], f"events {n}", [urls[n - step] for step in back]) for n in range(60)]
    return visits + [page(urls[n], "nothing", [urls[n - 30]]) for n in range(-50, 0)]


@pytest.mark.parametrize(("back", "skips"), [((30,), True), (range(1, 31), False)], ids=["a step", "a list of days"])
def test_a_timeline_that_goes_back_by_the_month_ends(back: Iterable[int], skips: bool) -> None:
    found = Normalizer(learn(steps(*back)).rules).decide(f"{HOST}/timeline?from=2019-05-05")
    assert (found.skip, found.defer) == (skips, not skips)


def test_a_timeline_that_is_asked_for_in_two_ways_is_skipped_in_both() -> None:
    """No conditions hold for both and nothing else; of a third way it is not known where it ends."""
    ways = ("authors=&daysback=30", "precision=second")
    first, last = date(2024, 1, 1), date(2024, 4, 9)
    visits = [page("/", "front", [f"/timeline?from={first}&{way}" for way in ways], depth=0)]
    for n, way in product(range(-80, 100), ways):
        before, day, after = (first + timedelta(n + step) for step in (-1, 0, 1))
        links = [f"/timeline?from={other}&{way}" for other in (before, after)]
        visits.append(page(f"/timeline?from={day}&{way}", f"{way} {day}" if first <= day <= last else "nothing", links))
    decide = Normalizer(learn(visits).rules).decide
    for way in ways:
        assert decide(f"{HOST}/timeline?from=2023-05-05&{way}").skip
        assert not decide(f"{HOST}/timeline?from=2024-02-02&{way}").skip
    for way in ("authors=jane&daysback=30", "precision=second&daysback=30"):
        assert not decide(f"{HOST}/timeline?from=2023-05-05&{way}").skip


def test_a_timeline_without_end_is_skipped_beyond_its_events() -> None:
    normalizer = Normalizer(learn(calendar(0, 60, range(-80, 150))).rules)

    def skips(day: str) -> bool:
        return normalizer.decide(f"{HOST}/timeline?from={day}").skip

    assert skips("2023-11-01")
    assert skips("2019-01-01"), "farther than was seen"
    assert not skips("2024-01-15")
    # an event of next month may be known tomorrow
    later = normalizer.decide(f"{HOST}/timeline?from=2024-05-01")
    assert later.defer
    assert not later.skip
    assert not skips("2024-03-01"), "the last event"
    assert not skips("2024-12-01"), "later than was seen: there may be news"


@pytest.mark.parametrize(
    ("first", "last", "days"),
    [(0, 60, range(-20, 80)), (0, 400, range(-60, 460)), (0, 1, range(-80, 80))],
    ids=["a month is a gap", "shorter than half of what there is", "nothing but one page"],
)
def test_a_gap_is_not_the_end(first: int, last: int, days: range) -> None:
    rules = learn(calendar(first, last, days)).rules
    assert not any(where.get("skip") for where in rules.get("site", {}).get("a.example", {}).get("where", []))


def test_without_links_what_lies_beyond_is_only_put_off() -> None:
    normalizer = Normalizer(learn(calendar(0, 60, range(-80, 150), linked=False)).rules)
    decision = normalizer.decide(f"{HOST}/timeline?from=2023-11-01")
    assert decision.defer
    assert not decision.skip


def test_a_list_may_grow_by_as_much_again() -> None:
    visits = [page("/", "front", ["/list?start=0"], depth=0)]
    for n in range(120):
        text = f"list {n}" if n < 40 else "nothing"
        visits += [page(f"/list?start={n}", text, [f"/list?start={n + 1}"]), page(f"/item/{n}", f"item {n}", [])]
    normalizer = Normalizer(learn(visits).rules)
    verdicts = {n: normalizer.decide(f"{HOST}/list?start={n}").skip for n in (39, 60, 78, 79, 100, 5000)}
    assert verdicts == {39: False, 60: False, 78: False, 79: True, 100: True, 5000: True}


@pytest.mark.parametrize(("listed", "skips"), [(200, False), (80, True)], ids=["in part", "to its end"])
def test_an_archive_that_lists_its_days_has_others_where_the_crawl_has_not_been(listed: int, skips: bool) -> None:
    days = [f"/archive?date={date(2024, 9, 30) - timedelta(days=n)}" for n in range(listed)]
    visits = [page("/", "front", days, depth=0)]
    visits += [page(day, f"news {n}" if n < 40 else "no edition", ["/"]) for n, day in enumerate(days[:80])]
    found = Normalizer(learn(visits).rules).decide(f"{HOST}/archive?date=2024-03-20")
    assert (found.skip, found.defer) == (skips, not skips)


@pytest.mark.parametrize("form", ["/shop/{}", "/shop.php?item={}"], ids=["a path", "a number"])
@pytest.mark.parametrize(("ends", "folds"), [(True, True), (False, False)], ids=["to its end", "in part"])
def test_what_is_sold_out_says_nothing_of_what_was_not_requested(form: str, ends: bool, folds: bool) -> None:
    """Posts of a magazine link to products that are gone, and come first; those of today are behind a list."""
    posts = [f"/blog/{n}" for n in range(200)]
    visits = [page("/", "home", [*posts, *([] if ends else ["/list"])], depth=0)]
    for n, post in enumerate(posts if ends else posts[:70]):
        gone = [form.format(1000 + n)] if n < 70 else []
        visits.append(page(post, f"post {n}", [*gone, "/"]))
        visits += [page(one, "sold out", ["/"]) for one in gone]
    normalizer = Normalizer(learn(visits).rules)
    one, other = (normalizer.key(HOST + form.format(n)) for n in (1500, 1600))
    assert (one == other) is folds


@pytest.mark.parametrize("form", ["/jobs/t{}/{}", "/jobs?town=t{}&trade={}"], ids=["a path", "parameters"])
def test_that_two_values_have_nothing_does_not_make_them_one(form: str) -> None:
    """A town without an offer says so, whichever trade is asked for; one trade in twenty has some there."""
    trades = ["baker", "smith", "tailor", "nurse", "driver", "cook", "clerk", "mason"]
    chosen = random.Random(5)
    wanted = [form.format(town, trade) for town in range(60) for trade in trades]
    visits = [page("/", "front", wanted, depth=0)]
    for town in range(60):
        for trade in chosen.sample(trades, 4):
            offers = f"{trade} {town}" if chosen.random() < 0.05 else f"none in {town}"
            visits.append(page(form.format(town, trade), offers, ["/"]))
    normalizer = Normalizer(learn(visits).rules)
    assert len({normalizer.key(HOST + form.format(99, trade)) for trade in trades}) == len(trades)


def test_spellings_of_one_value_are_found_beside_pages_that_have_nothing() -> None:
    """Three orders are one; of a list with a single row all orders are."""
    orders = {"rating": "down", "newest": "down", "latest": "down", "price": "up", "name": "az"}
    visits = []
    for n in range(60):
        for order, rows in orders.items():
            text = f"list {n}" if n % 3 == 0 else f"list {n} {rows}"
            visits.append(page(f"/list?c={n}&sort={order}", text))
    normalizer = Normalizer(learn(visits).rules)
    keys = [normalizer.key(f"{HOST}/list?c=99&sort={order}") for order in orders]
    assert len(set(keys)) == 3
    assert len(set(keys[:3])) == 1


@pytest.mark.parametrize(("leads", "folds"), [("/", False), ("/over", True)], ids=["the front page", "another page"])
@pytest.mark.parametrize("form", ["/event/{}", "/event?id={}"], ids=["a path", "a number"])
def test_events_that_are_over_lead_to_the_front_page_and_the_next_do_not(form: str, leads: str, folds: bool) -> None:
    posts = [f"/news/{n}" for n in range(200)]
    visits = [page("/", "home", posts, depth=0), page("/over", "over", [])]
    for n, post in enumerate(posts):
        visits.append(page(post, f"news {n}", [form.format(n)]))
        over = HOST + form.format(n)
        visits.append(
            visit_from_row({"url": over, "status": 302, "final_url": HOST + leads, "redirects": [[302, over]]})
        )
    normalizer = Normalizer(learn(visits).rules)
    one, other = (normalizer.key(HOST + form.format(n)) for n in (1500, 1600))
    assert (one == other) is folds


@pytest.mark.parametrize(
    ("topic", "form", "linked"),
    [
        ("/topic/{}", "/topic/{}/reply", True),
        ("/topic/{}", "/reply?topic={}", True),
        ("/show?topic={}", "/reply?topic={}", False),
    ],
    ids=["a path", "a number", "linked under another session"],
)
def test_a_form_to_reply_to_what_is_there_is_one_though_not_all_topics_were_requested(
    topic: str, form: str, linked: bool
) -> None:
    topics = [topic.format(n) for n in range(200)]
    visits = [page("/", "home", topics, depth=0)]
    for n, one in enumerate(topics[:70]):
        leads = [form.format(n) if linked else f"{form.format(n)}&key={n}", "/"]
        visits += [page(one, f"topic {n}", leads), page(form.format(n), "please log in", ["/"])]
    normalizer = Normalizer(learn(visits).rules)
    assert len({normalizer.key(HOST + form.format(n)) for n in (1500, 1600)}) == 1


@pytest.mark.parametrize(
    ("time", "is_one"),
    [
        (lambda n, turn: f"{9 + 4 * turn:02}:{n:02}", True),
        (lambda n, turn: f"{(n + 8 * turn) % 24:02}:00", True),
        (lambda n, turn: f"{9 + 4 * turn:02}:30", False),
    ],
    ids=["of changes", "of changes, to the hour", "of showings"],
)
def test_of_a_moment_the_day_may_be_all_that_counts(time: Callable[[int, int], str], *, is_one: bool) -> None:
    """Of when something was changed; a house that plays once a day may play twice, and others do, at the same times."""
    visits = []
    for n in range(1, 25):
        visits += [page(f"/log?at=2024-01-{n:02}T{time(n, turn)}:00Z", f"day {n}") for turn in range(3)]
    normalizer = Normalizer(learn(visits).rules)
    one, same, other = (normalizer.key(f"{HOST}/log?at=2024-03-{at}:00:00Z") for at in ("01T01", "01T02", "02T01"))
    assert (one == same) is is_one
    assert one != other


def tags(other: str) -> list[Visit]:
    """Links `/add-tag/X` that lead to a list of the tag, or, where one comes from the cloud, to one of its own."""
    visits = []
    for n in range(24):
        led = f"/?tags=t{n}" if n % 2 else f"{other}t{n}"
        visits.append(page(led, f"{led} of its own"))
        row = {"url": f"{HOST}/add-tag/t{n}", "status": 302, "final_url": HOST + led}
        visits.append(visit_from_row(row))
    return visits


@pytest.mark.parametrize(
    ("other", "is_rule"), [("/?tags=", True), ("/cloud?tags=", False)], ids=["to one list", "by where one came from"]
)
def test_addresses_that_lead_elsewhere_are_no_other_spelling(other: str, is_rule: bool) -> None:
    normalizer = Normalizer(learn(tags(other)).rules)
    for n in range(24, 40):
        keys = {normalizer.key(f"{HOST}{path}t{n}") for path in ("/?tags=", "/cloud?tags=", "/add-tag/")}
        assert len(keys) == (2 if is_rule else 3)


def test_versions_of_a_tree_are_no_template_and_cover_nothing() -> None:
    visits = []
    for version in ("37", "38", "39"):
        for n in range(60):
            visits += [page(f"/{version}/docs/{kind}/page{n}.html", f"{kind} {n}") for kind in ("api", "guide")]
    visits += [page(f"/{version}/docs/api/only{version}.html", f"only {version}") for version in ("37", "38", "39")]
    assert "site" not in learn(visits).rules


TREES = [
    ("http://de.a.example/p{n}", "http://a.example/p{n}", "a host of a language"),
    ("http://v1.a.example/p{n}", "http://v2.a.example/p{n}", "a host of a version"),
]


def in_both(one: str, other: str, *, says: bool) -> list[Visit]:
    """Thirty pages at two addresses each; the canonical links of both name the second."""
    visits = []
    for n in range(30):
        first = other.format(n=n)
        for url in (first, one.format(n=n)):
            row = {"url": url, "status": 200, "text_digest": f"page {n}", "words": 100}
            visits.append(visit_from_row({**row, "canonical": first} if says else row))
    return visits


@pytest.mark.parametrize("says", [False, True], ids=["nothing says so", "canonical links say so"])
@pytest.mark.parametrize(("one", "other"), [row[:2] for row in TREES], ids=[row[2] for row in TREES])
def test_what_may_be_another_tree_is_one_by_the_sites_word(one: str, other: str, says: bool) -> None:
    """Pages that nobody has translated are equal in all languages, and the next one is not."""
    learned = learn(in_both(one, other, says=says))
    assert ("host" in learned.rules or "site" in learned.rules) == says
    if not says:
        assert any("a version or a language may be meant" in candidate.why for candidate in learned.others)


def redirected(source: str, target: str, text: str, status: int) -> list[Visit]:
    """A page, and an address that redirects there."""
    return [
        visit_from_row({"url": target, "status": 200, "text_digest": text, "words": 100}),
        visit_from_row({"url": source, "status": status, "final_url": target, "redirects": [[status, source]]}),
    ]


@pytest.mark.parametrize(("status", "lasts"), [(301, True), (308, True), (302, False), (303, False), (307, False)])
@pytest.mark.parametrize(("one", "other"), [row[:2] for row in TREES], ids=[row[2] for row in TREES])
def test_what_redirects_for_the_time_being_is_no_word_on_trees(one: str, other: str, status: int, lasts: bool) -> None:
    """What is not translated yet redirects to the original (django CMS), and `latest` to the newest version."""
    visits = [v for n in range(30) for v in redirected(one.format(n=n), other.format(n=n), f"page {n}", status)]
    learned = learn(visits)
    assert ("host" in learned.rules or "site" in learned.rules) == lasts


@pytest.mark.parametrize(("paths", "counts"), [(MANY_PATHS - 1, True), (MANY_PATHS, False), (400, False)])
def test_a_canonical_link_that_many_paths_share_is_no_word(paths: int, counts: bool) -> None:
    """A template names the front page everywhere: pages with the same 500 words around their own are not one for it."""
    pages = [Page(f"{HOST}/p{n}", "", canonical=f"{HOST}/") for n in range(paths)]
    # a form to answer each comment, at one path
    comments = [Page(f"{HOST}/article?replytocom={n}", "", canonical=f"{HOST}/article") for n in range(400)]
    doubt_canonicals([*pages, *comments])
    assert all((page.canonical is not None) == counts for page in pages)
    assert all(page.canonical for page in comments)


@pytest.mark.parametrize("folders", [0, 6], ids=["of folders nothing is known", "folders have another view"])
def test_what_was_seen_of_files_says_nothing_of_folders(folders: int) -> None:
    """`?b` of a file server is another view of a folder, with other links; `/*/*` is `/music/`, too."""
    visits = []
    for n in range(60):
        path = f"/{('music', 'texts', 'minutes')[n % 3]}/item{n}.{('txt', 'html', 'md')[n % 3 - n % 2]}"
        visits += [page(path, f"file {n}"), page(path + "?b", f"file {n}")]
    for n in range(folders):
        visits += [page(f"/folder{n}/", f"list {n}"), page(f"/folder{n}/?b", f"list {n}, plain")]
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key(f"{HOST}/texts/new.txt?b") == normalizer.key(f"{HOST}/texts/new.txt")
    for folder in ("/texts/", "/folder1/", "/new/", "/"):
        assert normalizer.key(f"{HOST}{folder}?b") != normalizer.key(HOST + folder)


def test_languages_that_differ_in_paths_of_one_length_are_two_in_all() -> None:
    """Pages of four folders that nobody has translated yet say nothing of the blog, nor of the next folder."""
    visits = []
    for n in range(30):
        visits += redirected(f"{HOST}/de/folder{n % 4}/p{n}/", f"{HOST}/en/folder{n % 4}/p{n}/", f"page {n}", 301)
        for language in ("de", "en"):
            blog = {"url": f"{HOST}/{language}/blog/2024/post{n}/", "status": 200, "words": 100}
            visits.append(visit_from_row({**blog, "text_digest": f"post {n}, {language}"}))
    normalizer = Normalizer(learn(visits).rules)
    new = "/{}/blog/2025/", "/{}/unix/new/"
    assert all(normalizer.key(HOST + p.format("de")) != normalizer.key(HOST + p.format("en")) for p in new)


@pytest.mark.parametrize("says", [False, True], ids=["nothing says so", "canonical links say so"])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/de/p{n}", "/p{n}"),
        ("/de/docs/p{n}", "/docs/p{n}"),
        ("/v1/p{n}", "/p{n}"),
        ("/docs/v2.1/p{n}", "/docs/p{n}"),
        ("/p{n}/de", "/p{n}"),
        ("/p{n}/pt-br/", "/p{n}/"),
        ("/deutsch/p{n}", "/p{n}"),
        ("/en/p{n}", "/english/p{n}"),
        ("/node/de/{n}", "/node/{n}"),
    ],
)
def test_a_tree_and_the_same_pages_without_it_are_one_by_the_sites_word(one: str, other: str, says: bool) -> None:
    learned = learn(in_both(HOST + one, HOST + other, says=says))
    normalizer = Normalizer(learned.rules)
    addresses = [HOST + one.format(n=777), HOST + other.format(n=777)]
    assert len(set(map(normalizer.key, addresses))) == (1 if says else 2)
    decisions = [normalizer.decide(url) for url in addresses]
    assert says or not any(decision.skip or decision.defer for decision in decisions)


@pytest.mark.parametrize(
    ("pages", "says", "one"),
    [(8, False, False), (14, False, True), (8, True, True)],
    ids=["eight pages", "fourteen pages", "eight, and the site says so"],
)
@pytest.mark.parametrize("other", ["https://a.example", "http://www.a.example", "http://mirror.a.example"])
def test_whole_hosts_are_one_by_more_pages_or_the_sites_word(other: str, pages: int, says: bool, one: bool) -> None:
    """No narrower rule is left where the tenth page differs."""
    visits = in_both(f"{other}/p{{n}}", "http://a.example/p{n}", says=says)[: 2 * pages]
    visits += [page(f"/more{n}", f"more {n}") for n in range(9)]
    normalizer = Normalizer(learn(visits).rules)
    assert (normalizer.key(f"{other}/p77") == normalizer.key("http://a.example/p77")) == one


def test_another_form_of_address_is_found_in_a_tree() -> None:
    """All of a site is below `/de/`, and a number leads to each page."""
    normalizer = Normalizer(learn(in_both(f"{HOST}/de/p{{n}}", f"{HOST}/?p={{n}}", says=False)).rules)
    assert normalizer.decide(f"{HOST}/?p=777").skip
    assert not normalizer.decide(f"{HOST}/de/p777").skip


@pytest.mark.parametrize(
    ("home", "other", "stands"),
    [
        ("/*/index.html", "/*/", False),
        ("/*/print", "/*", False),
        ("/*/", "/*/index.html", True),
        ("/*/*", "/*", True),
        ("/*/", "/*", False),
        ("/*", "/*/", False),
        ("/de/*", "/*", False),
        ("/*", "/de/*", False),
        ("/de/*", "/node/*", True),
    ],
)
def test_where_the_pages_of_a_form_are_found(home: str, other: str, stands: bool) -> None:
    """A page is not skipped for a view of it, nor for its translation, nor for what has other relative links."""
    assert Shape("a.example", home, ()).may_stand_for(Shape("a.example", other, ())) is stands


def test_what_shows_a_page_is_kept_though_another_of_its_addresses_redirects() -> None:
    """`/s7` leads to `/s7?lang=fr`, which is its default: it is no other form of `/s7?version=id` for that, nor is that
    one of it, on ten pages, as it is no default.
    """
    visits = []
    for n in range(30):
        hop = {"status": 301, "final_url": f"{HOST}/s{n}?lang=fr", "redirects": [[301, f"{HOST}/s{n}"]]}
        visits += [visit_from_row({"url": f"{HOST}/s{n}", **hop}), page(f"/s{n}?lang=fr", f"list {n}")]
        visits += [page(f"/s{n}?version=id", f"list {n}"), page(f"/s{n}?version=x", f"x {n}")] if n < 10 else []
    (where,) = learn(visits).rules["site"]["a.example"].values()
    assert where == [{"path": "/*", "query": {"version": False}, "default_params": {"lang": "fr"}}]


def test_two_forms_that_stand_for_each_other_are_not_skipped_together() -> None:
    """The conditions of one, `/*`, hold for the other as well; nothing was fetched any more."""
    normalizer = Normalizer(learn(in_both(f"{HOST}/p{{n}}.de", f"{HOST}/p{{n}}", says=False)).rules)
    for n in range(40):
        assert not normalizer.decide(f"{HOST}/p{n}.de").skip
        assert not normalizer.decide(f"{HOST}/p{n}").skip


def test_a_parameter_of_the_path_is_judged_by_its_name() -> None:
    """Seven pages are enough for any other."""
    for name, is_rule in (("ref", True), ("page", False)):
        visits = [page(f"/p{n};{name}={k}", f"page {n}") for n in range(9) for k in (1, 2)]
        assert ("site" in learn(visits).rules) == is_rule


def test_versions_of_one_page_are_no_constant_view() -> None:
    visits = [page(f"/{n}/docs/", "one page") for n in range(20)]
    visits += [page(f"/{n}/docs/more.html", f"more {n}") for n in range(20)]
    assert "site" not in learn(visits).rules


def test_aliases_of_nested_scopes_add_up_by_value() -> None:
    rules = {
        "site": {
            "a.example": {
                "map_params": {"h": [["HEAD", "master"], ["x", "y"]]},
                "where": [{"query": {"a": True}, "map_params": {"h": [["one", "two"], ["y", "z"]]}}],
            }
        }
    }
    normalizer = Normalizer(rules)
    for given, kept in (("master", "HEAD"), ("two", "one"), ("z", "y"), ("y", "y"), ("x", "x")):
        assert normalizer.key(f"{HOST}/?a=1&h={given}") == f"{HOST}/?a=1&h={kept}", given
    assert normalizer.key(f"{HOST}/?h=y") == f"{HOST}/?h=x"


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([["a", "b"], ["b", "c"]], [["a", "b", "c"]]),
        ([["a", "b"], ["c", "d"]], [["a", "b"], ["c", "d"]]),
        ([["a", "b"], ["c", "d"], ["b", "d"]], [["a", "b", "c", "d"]]),
        ([["a", "b"], [False, "a"]], [[False, "a", "b"]]),
        ([["a", "b"], ["a", "b"]], [["a", "b"]]),
    ],
)
def test_chains_of_aliases_are_one_group(groups: list[list[object]], expected: list[list[object]]) -> None:
    assert united(groups) == expected


def test_default_values_of_several_parts_add_up() -> None:
    visits = []
    for n in range(30):
        visits += [page(f"/list?cat=c{n}{s}", f"list {n}") for s in ("", "&sort=name")]
        visits += [page(f"/search?cat=c{n}{s}", f"search {n}") for s in ("", "&sort=rank", "&sort=name")]
        visits.append(page(f"/list?cat=c{n}&sort=rank", f"list {n} by rank"))
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key(f"{HOST}/list?cat=new&sort=name") == normalizer.key(f"{HOST}/list?cat=new")
    assert normalizer.key(f"{HOST}/search?cat=new&sort=name") == normalizer.key(f"{HOST}/search?cat=new")
    assert normalizer.key(f"{HOST}/search?cat=new&sort=rank") == normalizer.key(f"{HOST}/search?cat=new")
    assert normalizer.key(f"{HOST}/list?cat=new&sort=rank") != normalizer.key(f"{HOST}/list?cat=new")


def lists_in_orders(*, sorts: bool = True) -> list[Visit]:
    """Lists with the same rows (`main_digest`); their text is another in each order, where that `sorts`."""
    visits = []
    for n in range(30):
        for v in ("", "&sort=up", "&sort=down"):
            row = {"url": f"{HOST}/list?cat=c{n}{v}", "status": 200, "main_digest": f"rows {n}", "words": 100}
            visits.append(visit_from_row(row | {"text_digest": f"list {n}{v if sorts else ''}"}))
    return visits


@pytest.mark.parametrize("sorts", [True, False], ids=["another order", "the same order"])
def test_a_rule_on_the_order_of_lists_is_not_for_slices_though_none_was_seen(sorts: bool) -> None:
    normalizer = Normalizer(learn(lists_in_orders(sorts=sorts)).rules)
    assert normalizer.key(f"{HOST}/list?cat=new&sort=up") == normalizer.key(f"{HOST}/list?cat=new")
    of_slices = normalizer.key(f"{HOST}/list?cat=new&page=2&sort=up"), normalizer.key(f"{HOST}/list?cat=new&page=2")
    assert (of_slices[0] != of_slices[1]) is sorts


@pytest.mark.parametrize("name", ["page_items", "pageno", "page[number]", "posts-offset", "after_page", "cursor"])
def test_a_rule_on_the_order_of_lists_is_not_for_slices_by_the_names_of_this_site(name: str) -> None:
    """Flask-AppBuilder's is `page_ObjectView`: short lists were seen in each order, and longer ones have a page 2."""
    visits = [page(f"/log?{name}={n}", f"log {n}") for n in range(1, 6)]
    visits += lists_in_orders()
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key(f"{HOST}/list?cat=new&sort=up") == normalizer.key(f"{HOST}/list?cat=new")
    of_slices = {normalizer.key(f"{HOST}/list?cat=new&{name}=2{order}") for order in ("", "&sort=up", "&sort=down")}
    assert len(of_slices) == 3


def test_what_the_rule_itself_makes_one_is_not_hidden_by_it() -> None:
    """Each order of a list leads to feeds of its own, which the rule makes one, too; the crawl was cut short."""
    orders = ("", "&o=up", "&o=down", "&o=age")
    visits = [page("/", "front", [f"/list?c={n}{o}" for n in range(30) for o in orders], depth=0)]
    for n in range(30):
        for o in orders:
            feeds = [f"/list?c={n}{o}&format={f}" for f in ("rss", "csv", "tab")]
            visits.append(page(f"/list?c={n}{o}", f"list {n}", feeds))
            visits += [page(url, f"feed {n}", [], depth=2) for url in feeds[: n % 3 == 0]]
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key(f"{HOST}/list?c=new&o=up") == normalizer.key(f"{HOST}/list?c=new")


def blog(short: int, alone: int, unread: int) -> list[Visit]:
    """Stories by their names, some of them by their number, too; `alone` by their number only."""
    names = [f"/{chr(97 + n % 26)}{chr(97 + n // 26)}-story/" for n in range(120)]
    numbers = [f"/?p={100 + n}" for n in range(short)] + [f"/?p={900 + n}" for n in range(alone)]
    news = [*numbers, *(f"/older/{n}" for n in range(unread))]
    visits = [page("/", "front", ["/all", "/news"], depth=0), page("/all", "all", names), page("/news", "news", news)]
    visits += [page(url, f"story {n}", []) for n, url in enumerate(names)]
    return visits + [page(url, f"story {n}" if n < short else f"alone {n}", []) for n, url in enumerate(numbers)]


@pytest.mark.parametrize(
    ("short", "alone", "unread", "skips"),
    [(25, 0, 0, True), (25, 1, 0, False), (100, 1, 0, False), (25, 0, 60, False), (100, 0, 60, True)],
    ids=["all are elsewhere", "one is not", "one of many is not", "few of a part", "many of a part"],
)
def test_a_shape_is_put_off_and_not_skipped_where_it_may_have_a_page_of_its_own(
    short: int, alone: int, unread: int, skips: bool
) -> None:
    decision = Normalizer(learn(blog(short, alone, unread)).rules).decide(f"{HOST}/?p=900")
    assert (decision.skip, decision.defer) == (skips, not skips)


@pytest.mark.parametrize("unread", [0, 60], ids=["to its end", "in part"])
def test_short_links_stand_beside_pages_that_were_not_requested(unread: int) -> None:
    """`/weblog/2V/` leads to a story, and so may not `/weblog/about/`."""
    names = [f"/{chr(97 + n % 26)}{chr(97 + n // 26)}-story.html" for n in range(120)]
    short = [f"/weblog/{chr(97 + n % 26)}{n}/" for n in range(100)]
    front = ["/all", "/short", *(f"/older/{n}" for n in range(unread))]
    visits = [page("/", "front", front, depth=0), page("/all", "all", names), page("/short", "short", short)]
    visits += [page(url, f"story {n}", []) for urls in (names, short) for n, url in enumerate(urls)]
    decision = Normalizer(learn(visits).rules).decide(f"{HOST}/weblog/about/")
    assert (decision.skip, decision.defer) == (not unread, bool(unread))


@pytest.mark.parametrize(("host", "skips"), [("www", True), ("south", False)], ids=["of the same host", "of another"])
def test_what_another_host_shows_is_put_off_and_not_skipped(host: str, skips: bool) -> None:
    """The shops of two cities have the same goods, and one day one of them has some of its own."""
    names = [f"http://www.a.example/{chr(97 + n % 26)}{chr(97 + n // 26)}-chair/" for n in range(120)]
    numbers = [f"http://{host}.a.example/?item={100 + n}" for n in range(100)]
    rows = [{"url": "http://www.a.example/", "text_digest": "front", "depth": 0, "links": [*names, *numbers]}]
    rows += [
        {"url": url, "text_digest": f"chair {n}", "depth": 1, "links": []}
        for urls in (names, numbers)
        for n, url in enumerate(urls)
    ]
    visits = [visit_from_row({"status": 200, "words": 100} | row) for row in rows]
    decision = Normalizer(learn(visits).rules).decide(f"http://{host}.a.example/?item=900")
    assert (decision.skip, decision.defer) == (skips, not skips)


@pytest.mark.parametrize(
    ("period", "folds"), [(8, False), (1, True)], ids=["the others change now and then", "the others always differ"]
)
def test_a_file_that_did_not_change_in_the_versions_that_were_seen_may_yet(period: int, folds: bool) -> None:
    """Fifty versions of a folder of files, of which one has not changed so far."""
    visits = []
    for version in range(50):
        files = [f"file {n} {(version + n) // period}" for n in range(9)]
        visits += [page(f"/src/file{n}.c?id=v{version}x", text) for n, text in enumerate(files)]
        visits.append(page(f"/src/still.c?id=v{version}x", "still the same"))
    normalizer = Normalizer(learn(visits).rules)
    one, other = (normalizer.key(f"{HOST}/src/still.c?id={version}") for version in ("v2x", "v77x"))
    assert (one == other) is folds


@pytest.mark.parametrize(
    ("shapes", "one", "slice_"),
    [
        (["/list/c{n}/page/1/?sort={v}"], "/list/new/page/1/?sort={v}", "/list/new/page/2/?sort={v}"),
        (["/list/c{n}/?sort={v}"], "/list/new/?sort={v}", "/list/new/page/2/?sort={v}"),
        (["/list/sort:{v}/c{n}/page:1/"], "/list/sort:{v}/new/page:1/", "/list/sort:{v}/new/page:2/"),
        (
            ["/list/sort:{v}/c{n}/page:1/", "/list/sort:{v}/c{n}/by:me/page:1/"],
            "/list/sort:{v}/new/by:me/page:1/",
            "/list/sort:{v}/new/by:me/page:2/",
        ),
        (["/author/{v}/{n}"], "/author/{v}/99", "/author/{v}/99/2"),
    ],
    ids=["a folder", "a folder that none was seen of", "a word", "words below each other", "a number below"],
)
def test_a_rule_on_the_order_of_lists_is_not_for_slices_that_the_path_names(
    shapes: list[str], one: str, slice_: str
) -> None:
    visits = []
    for n in range(40):
        for shape in shapes:
            for v in ("top", "down", "age"):
                row = {"url": HOST + shape.format(n=n, v=v), "status": 200, "words": 100}
                visits.append(visit_from_row(row | {"main_digest": f"{shape} {n}", "text_digest": f"{shape} {n} {v}"}))
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key(HOST + one.format(v="top")) == normalizer.key(HOST + one.format(v="age"))
    assert len({normalizer.key(HOST + slice_.format(v=v)) for v in ("top", "down", "age")}) == 3


@pytest.mark.parametrize("more", [False, True], ids=["lists of one page", "and lists of two"])
def test_of_lists_of_one_page_the_order_says_nothing_of_a_second(more: bool) -> None:
    visits = []
    for n in range(40):
        for page_of in ("", "&page=1", *(["&page=2"] if more and n % 2 else [])):
            for sort in ("", "?sort=a", "?sort=b", "?sort=c"):
                url = f"{HOST}/shop/c{n}{sort or '?x=1'}{page_of}"
                text = f"{n} {page_of == '&page=2'}"
                row = {"url": url, "status": 200, "words": 100, "main_digest": text, "text_digest": text + sort}
                visits.append(visit_from_row(row))
    key = Normalizer(learn(visits).rules).key
    assert key(f"{HOST}/shop/new?sort=a&page=1") == key(f"{HOST}/shop/new?sort=b&page=1")
    assert (key(f"{HOST}/shop/new?sort=a&page=2") == key(f"{HOST}/shop/new?sort=b&page=2")) is more


@pytest.mark.parametrize("options", [Options(), Options().strict()], ids=["default", "strict"])
@pytest.mark.parametrize("seed", range(1, 4))
def test_lists_that_a_filter_narrows_to_a_row_say_nothing_of_whole_ones(seed: int, options: Options) -> None:
    """A quarter of a crawl has hardly two orders of a whole list, and hundreds of lists of one row."""
    site = tables(seed)
    visits = random.Random(seed).sample(site.visits(), len(site.pages) // 4)
    normalizer = Normalizer(learn(visits, options).rules)
    found: dict[str, str] = {}
    for url, (page_of, _) in site.pages.items():
        found.setdefault(normalizer.key(url), page_of)
    assert {page_of for page_of, _ in site.pages.values()} <= set(found.values())
    origin = "http://data.example.org/books"
    assert normalizer.key(f"{origin}?author=9999&_sort=year") == normalizer.key(f"{origin}?author=9999")


def test_where_a_few_lists_were_seen_under_filters_alone_a_rule_of_all_pages_stays_whole() -> None:
    visits = [page(f"/article/{n}{v}", f"article {n}") for n in range(120) for v in ("", "?ref=a", "?ref=b")]
    visits += [page(f"/list?cat={n}{v}", f"list {n}") for n in range(6) for v in ("", "&ref=a", "&ref=b")]
    visits.append(page("/list", "all"))
    (where,) = learn(visits).rules["site"]["a.example"]["where"]
    assert where == {"path": ["/article/*", "/list"], "remove_params": [{"name": "ref", "value": "a|b"}]}


@pytest.mark.parametrize("known", [True, False], ids=["a page links to it", "nothing does"])
def test_an_address_without_the_filter_need_only_be_linked_to_be_left_alone(known: bool) -> None:
    """Each list has a filter of its own name; the crawl was cut short before it fetched the whole list."""
    lists = [f"/list?{name}={n}" for name in ("shelf", "author") for n in range(15)]
    orders = ("", "&sort=up", "&sort=down")
    visits = [page("/", "front", [*(["/list?sort=up"] if known else []), *(a + o for a in lists for o in orders)], 0)]
    visits += [page(a + o, a, ["/"]) for a in lists for o in orders]
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key(f"{HOST}/list?shelf=new&sort=up") == normalizer.key(f"{HOST}/list?shelf=new")
    assert (normalizer.key(f"{HOST}/list?sort=up") != normalizer.key(f"{HOST}/list")) is known


@pytest.mark.parametrize("leads_on", [False, True])
def test_a_shape_that_leads_to_what_nobody_fetched_does_not_come_last(leads_on: bool) -> None:
    """The stories of `blog`, cut short, of which those by number lead each to files of its own."""
    visits = blog(25, 0, 60)
    for n, visit in enumerate(visits):
        if leads_on and "/?p=" in visit.url:
            visits[n] = page(visit.url.removeprefix(HOST), f"story {n - 123}", [f"/file/{n}/{k}" for k in range(3)])
    decision = Normalizer(learn(visits).rules).decide(f"{HOST}/?p=900")
    assert (decision.skip, decision.defer) == (False, not leads_on)


@pytest.mark.parametrize("leads_on", ["neither", "/short?n=", "/go?to=", "both"])
def test_of_forms_that_are_found_elsewhere_only_those_are_skipped_that_lead_nowhere_alone(leads_on: str) -> None:
    """Each article is also at two short addresses: that one of them must be fetched says nothing of the other."""
    forms = ("/short?n=", "/go?to=")
    front = [link for n in range(40) for link in (f"/article/name-{n:02}x", *(f"{form}{n}" for form in forms))]
    visits = [page("/", "front", front, depth=0)]
    for n in range(40):
        visits.append(page(f"/article/name-{n:02}x", f"article {n}", ["/"]))
        for form in forms:
            more = [f"/more{form[:3]}/{n}"] if leads_on in (form, "both") else []
            visits += [page(f"{form}{n}", f"article {n}", ["/", *more]), *(page(m, f"more {m}", ["/"]) for m in more)]
    normalizer = Normalizer(learn(visits).rules)
    skipped = {form for form in forms if normalizer.decide(f"{HOST}{form}7").skip}
    assert skipped == {form for form in forms if leads_on not in (form, "both")}


@pytest.mark.parametrize("form", ["/shop?c={}", "/c/{}"], ids=["a query", "a path"])
@pytest.mark.parametrize("asks", [True, False])
def test_shells_whose_callbacks_ask_for_data_of_their_own_are_not_one(form: str, asks: bool) -> None:
    """What a callback asks for is no link: of the shells one is like the next, links and all."""
    visits = [page("/", "front", [form.format(n) for n in range(70)], depth=0)]
    for n in range(70):
        visits.append(page(form.format(n), "shell", ["/"]))
        visits.append(page(f"/api?category={n}", f"data {n}"))
        visits[-1].referer = HOST + (form.format(n) if asks else "/")
    normalizer = Normalizer(learn(visits).rules)
    assert (normalizer.key(HOST + form.format(500)) != normalizer.key(HOST + form.format(600))) is asks
