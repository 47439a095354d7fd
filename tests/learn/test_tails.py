"""Pages that their last segment alone decides: one at the top and below each folder that was seen, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.visits.record import visit_from_row
from tests.learn.sites import Site
from tests.learn.test_idle import WORDS
from tests.learn.test_learning import Learned
from tests.learn.test_numbered import OPTIONS, Shown, crawled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_urinorm.visits.record import Visit

HOST = "http://shop.example"
FOLDERS = (
    "cameras", "desktops", "desktops/mac", "desktops/mini", "phones", "phones/smart", "software", "tablets", "audio",
    "audio/players", "audio/players/small", "acme", "yoyodyne",
)  # fmt: skip
GOODS = [f"{one}-{other}" for one in WORDS for other in ("tea", "hat", "box")]
"""Names that say nothing of what they are names of."""
FEW = GOODS[:24]


def shop(
    names: Sequence[str] = GOODS,
    *,
    folders: Sequence[str] = FOLDERS,
    top: str = "/{}",
    met: bool = True,
    named: bool = False,
    shown: Callable[[str, str], str] = lambda folder, name: name,
    each: int = 3,
) -> Site:
    """A shop with each of its goods at the top, `met` or not, and below three folders, which have pages of their own.

    `named`: all addresses of one name that at the top as canonical. `shown` says what is shown below a folder.
    """
    site = Site(HOST)
    for folder in folders:
        site.add("/" + folder, f"list {folder}")
    for n, name in enumerate(names):
        at_top = top.format(name)
        if met:
            site.add(at_top, shown("", name), canonical=at_top if named else None)
        for one in range(each):
            folder = folders[(n * 5 + one * 3) % len(folders)]
            site.add(top.format(f"{folder}/{name}"), shown(folder, name), canonical=at_top if named else None)
    return site


def rules(site: Site) -> list[str]:
    return [str(one.value) for one in learn(site.visits()).active if one.family == "last segment"]


ONE = {
    "goods": (shop(), ("/desktops/mac/new-thing", "/new-thing")),
    "whose address at the top was named and never met": (shop(met=False, named=True), ("/tablets/new", "/acme/new")),
    "by name and number": (shop([f"{one}-p-{n}" for n, one in enumerate(FEW)]), ("/acme/new-p-777", "/new-p-777")),
    "as files": (shop([f"{one}.html" for one in GOODS]), ("/acme/new.html", "/new.html")),
    "as folders": (shop(top="/{}/"), ("/acme/new/", "/new/")),
    "in a language": (shop(top="/de/{}"), ("/de/acme/new", "/de/new")),
}


@pytest.mark.parametrize(("site", "pair"), ONE.values(), ids=ONE)
def test_a_page_is_one_at_the_top_and_below_each_folder_seen(site: Site, pair: tuple[str, str]) -> None:
    learned = Learned(site)
    assert [one.family for one in learned.result.active] == ["last segment"]
    assert learned.equal(*pair)
    assert learned.lost() == []
    assert learned.requests() == len({identity for identity, _ in site.pages.values()})


STAY = {
    "what was not seen where lists are": (shop(), "/phones/new", "/new"),
    "below a folder that was not seen": (shop(), "/books/new", "/new"),
    "a list below a list": (shop(), "/desktops/mac", "/mac"),
    "two lists of one name": (shop(folders=(*FOLDERS, "phones/mac")), "/desktops/mac", "/phones/mac"),
    "two lists of a name that one was seen to have": (shop(), "/audio/mac", "/acme/mac"),
    "a folder": (shop(), "/acme", "/"),
    "what has a query": (shop(), "/acme/new?size=2", "/new?size=2"),
    "names without the number": (shop([f"{one}-p-{n}" for n, one in enumerate(FEW)]), "/acme/new", "/new"),
    "names with another one": (shop([f"{one}-p-{n}" for n, one in enumerate(FEW)]), "/acme/new-c-5", "/new-c-5"),
    "names that are no files": (shop([f"{one}.html" for one in GOODS]), "/acme/new", "/new"),
    "files, where none was seen": (shop(), "/acme/new.html", "/new.html"),
    "another language": (shop(top="/de/{}"), "/de/acme/new", "/en/acme/new"),
    "no language": (shop(top="/de/{}"), "/de/acme/new", "/new"),
}


@pytest.mark.parametrize(("site", "one", "other"), STAY.values(), ids=STAY)
def test_nothing_else_is(site: Site, one: str, other: str) -> None:
    learned = Learned(site)
    assert [one.family for one in learned.result.active] == ["last segment"]
    assert not learned.equal(one, other)


def test_a_folder_with_a_page_of_its_own_is_not_named() -> None:
    """Its prices are others; of twelve folders the eleven others have those of the top."""
    site = shop(shown=lambda folder, name: f"{name} for less" if (folder, name) == ("acme", GOODS[5]) else name)
    site.add(f"/acme/{GOODS[5]}", f"{GOODS[5]} for less")
    assert ["tablets" in rule for rule in rules(site)] == [True]
    assert ["acme" in rule for rule in rules(site)] == [False]
    assert Learned(site).lost() == []


def below(*roots: str, differ: int = 10**6, top: bool = True) -> Site:
    """Pages at the top and below some roots; from one on they are others below each."""
    return shop(
        folders=roots,
        met=top,
        each=len(roots),
        shown=lambda root, name: name if GOODS.index(name) < differ else f"{name} {root}",
    )


REFUSED = {
    "translations": (below("en", "de", "fr", "es"), ""),
    "some of which are not translated yet": (below("en", "de", "fr", "es", differ=50), ""),
    "languages below a folder": (below("guide/en", "guide/de", "guide/fr", "guide/es"), ""),
    "versions": (below("v1", "v2", "v3", "v4"), ""),
    "versions of an interface": (below("api/v1", "api/v2", "api/v3", "api/v4"), ""),
    "years": (below("2021", "2022", "2023", "2024"), ""),
    "users": (below("alice", "bob", "carol", "dave", differ=40), "changes the page in"),
    "users, and nothing at the top": (below("alice", "bob", "carol", "dave", differ=40, top=False), "changes the page"),
    "folders alike without a page at the top": (shop(met=False), ""),
    "two folders": (shop(folders=("shop", "store"), each=2), ""),
    "few pages": (shop(FEW), "their names are mere words, of which more are needed"),
    "pages of folders": (shop(["index.html", "index.php", "home.html"] * 20), ""),
    "months": (shop([f"{n:02}" for n in range(1, 60)]), ""),
    "days": (shop([f"2026-11-{n:02}" for n in range(1, 31)] + [f"2026-10-{n:02}" for n in range(1, 31)]), ""),
    "one empty page at all names": (shop(shown=lambda *_: "nothing here yet"), ""),
    "a form to log in at most, and few pages": (
        shop(shown=lambda _, name: name if name in FEW else "please log in"),
        "their names are mere words",
    ),
    "two folders with pages of their own": (
        shop(shown=lambda folder, name: f"{name} {folder}" if folder in ("acme", "tablets") else name),
        "",
    ),
    "half of the pages are others": (
        shop(shown=lambda folder, name: f"{name} {folder}" if GOODS.index(name) % 2 else name),
        "changes the page in",
    ),
}


@pytest.mark.parametrize(("site", "why"), REFUSED.values(), ids=REFUSED)
@pytest.mark.thorough
def test_what_folders_may_choose_stays(site: Site, why: str) -> None:
    result = learn(site.visits())
    assert [one.value for one in result.active if one.family == "last segment"] == []
    assert not why or any(why in one.why for one in result.others if one.family == "last segment")


def test_a_canonical_address_of_its_own_speaks_against_it() -> None:
    """Pages that differ in some words, each of which names itself."""
    site = Site(HOST)
    for n, name in enumerate(GOODS):
        for at, folder in enumerate(("", *(f"/{FOLDERS[(n * 5 + one * 3) % len(FOLDERS)]}" for one in range(3)))):
            site.add(f"{folder}/{name}", name, at, f"{folder}/{name}")
    assert rules(site) == []


def test_redirects_alone_do_not_say_it() -> None:
    """Others like them may show a page themselves."""
    visits: list[Visit] = []
    for url, (identity, _) in shop().pages.items():
        name = url.rpartition("/")[2]
        target = f"{HOST}/{name}"
        if name in GOODS and url != target:
            row = {"url": url, "status": 301, "final_url": target, "redirects": [[301, url]]}
        else:
            row = {"url": url, "status": 200, "text_digest": identity, "words": 100}
        visits.append(visit_from_row(row))
    result = learn(visits)
    assert [one for one in result.active if one.family == "last segment"] == []
    assert any("only redirects say so" in one.why for one in result.others)


def test_what_is_seen_of_others_alone_is_no_exact_word() -> None:
    """Near pages, and no word of the site."""
    site = Site(HOST)
    for n, name in enumerate(GOODS):
        for at, folder in enumerate(("", *(f"/{FOLDERS[(n * 5 + one * 3) % len(FOLDERS)]}" for one in range(3)))):
            site.add(f"{folder}/{name}", name, at)
    assert [one.family for one in learn(site.visits(), Options().strict()).active] == []


def walk(own: int) -> Callable[[str], Shown]:
    """The shop as it is crawled; below a folder each page leads to the next one there, and to the folder.

    Below the first `own` folders it leads to a note, too, which nothing else does.
    """
    paths = (url.removeprefix(HOST)[1:].rpartition("/") for url in shop().pages)
    below: dict[str, list[str]] = {folder: [] for folder in FOLDERS}
    for folder, _, name in paths:
        if name in GOODS and folder:
            below[folder].append(name)

    def answer(path: str) -> Shown:
        folder, _, name = path[1:].rpartition("/")
        if path[1:] in below:
            return Shown(path, [f"{path}/{one}" for one in below[path[1:]]])
        if name in GOODS:
            note = [f"/note?of={folder}&on={name}"] if folder in FOLDERS[:own] else []
            return Shown(name, [f"/{folder}"] * bool(folder) + note)
        return Shown(path, [f"/{one}" for one in (*FOLDERS, *GOODS)] if path == "/" else [])

    return answer


@pytest.mark.parametrize("deep", [False, True])
def test_pages_that_differ_in_their_links_alone_are_one(deep: bool) -> None:
    visits, shown = crawled(walk(0), 1000, deep=deep)
    found = learn(visits, OPTIONS).rules
    again, met = crawled(walk(0), 1000, found, deep=deep)
    assert (len(again), met) == (1 + len(FOLDERS) + len(GOODS), shown)


@pytest.mark.parametrize("deep", [False, True])
def test_what_is_behind_one_of_them_alone_is_not_lost(deep: bool) -> None:
    visits, shown = crawled(walk(len(FOLDERS)), 1000, deep=deep)
    result = learn(visits, OPTIONS)
    assert crawled(walk(len(FOLDERS)), 1000, result.rules, deep=deep)[1] == shown
    assert any("no longer meets" in one.why for one in result.others if one.family == "last segment")
