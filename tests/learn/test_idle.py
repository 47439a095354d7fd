"""Segments of a path that choose nothing, whatever the page is: one edit for all that may stand there."""

from __future__ import annotations

import pytest

from scrapy_urinorm.learn import learn
from scrapy_urinorm.visits.record import visit_from_row
from tests.learn.sites import Site
from tests.learn.test_learning import Learned

WORDS = (
    "open", "read", "write", "mmap", "fork", "exec", "wait", "pipe", "bind", "clock", "poll", "seek", "stat", "link",
    "kill", "nice", "mount", "sync", "chdir", "flock",
)  # fmt: skip


def runs(words: tuple[str, ...] = WORDS, *, differ: int = 0, each: int = 6, results: bool = True) -> Site:
    """The results of tests, and beside each the log of its run; in some runs each test has a log of its own."""
    site = Site("http://qa.example")
    for run in range(40):
        for n in range(each):
            test = words[(run * 5 + n * 3) % len(words)]
            site.add(f"/run/{run}/test/{test}/log", f"log {run} {test if run < differ else ''}")
            if results:
                site.add(f"/run/{run}/test/{test}/result", f"result {run} {test}")
    return site


def shelves(path: str = "/{shelf}/item-{n}.html") -> Site:
    """A shop whose goods stand on several shelves, each at an address there."""
    site = Site("http://shop.example")
    for n in range(60):
        for shelf in range(4):
            site.add(path.format(shelf=WORDS[(n * 5 + shelf) % 20], n=n * 17), f"item {n}")
    return site


@pytest.mark.thorough
def test_a_file_of_a_run_is_one_beside_each_of_its_tests() -> None:
    site = runs()
    learned = Learned(site)
    assert learned.equal("/run/77/test/open/log", "/run/77/test/new_one/log")
    assert not learned.equal("/run/77/test/open/log", "/run/78/test/open/log")
    assert not learned.equal("/run/77/test/open/result", "/run/77/test/read/result")
    assert not learned.equal("/run/77/test/open/notes", "/run/77/test/read/notes")
    assert learned.requests() == 40 + 240
    assert learned.lost() == []


def test_a_word_that_hardly_any_page_has_is_not_named() -> None:
    site = runs(results=False)
    for test in WORDS[:3]:
        site.add(f"/run/0/test/{test}/notes", "no notes yet")
    learned = Learned(site)
    assert learned.equal("/run/77/test/open/log", "/run/77/test/read/log")
    assert not learned.equal("/run/77/test/open/notes", "/run/77/test/read/notes")


def test_goods_are_one_on_all_shelves_and_nothing_else_is() -> None:
    learned = Learned(shelves())
    assert learned.equal("/open/item-5.html", "/new/item-5.html")
    assert not learned.equal("/open/about.html", "/new/about.html")
    assert not learned.equal("/open/item-5.html?size=2", "/new/item-5.html?size=2")
    assert learned.requests() == 60


def titles(mark: str, single: int = 0) -> Site:
    """Questions, each at the titles that it has had; of some it is a word alone."""
    site = Site("http://ask.example")
    for n in range(60):
        for change in range(4):
            words = WORDS[(n * 5 + change) % 20], WORDS[(n * 7 + change * 3) % 20], str(n)
            site.add(f"/question/{n}/{words[0] if n * 4 + change < single else mark.join(words)}", f"question {n}")
    return site


@pytest.mark.parametrize("mark", ["-", "_"])
@pytest.mark.parametrize("single", [0, 100])
def test_titles_say_nothing_of_a_word_of_the_program(mark: str, single: int) -> None:
    """`/question/7/history` is none of them; a crawl that was cut short has met no such page."""
    learned = Learned(titles(mark, single))
    assert learned.equal(f"/question/5/so{mark}what", f"/question/5/what{mark}else_is-new")
    assert not learned.equal("/question/5/history", f"/question/5/so{mark}what")
    assert not learned.equal("/question/5/history", "/question/5/answers")


REFUSED = {
    "one run tells its tests apart": (runs(differ=1, results=False), "changes the page in"),
    "few tests, and another one may have a log": (runs(WORDS[:14]), "too few to tell of others"),
    "numbers, as pages of a list have": (runs(tuple(map(str, range(20)))), "numbers, dates or versions"),
    "versions": (runs(tuple(f"v{n}.1" for n in range(20))), "a version or a language"),
    # these are told apart in other ways, whose rules leave no such row
    "two tests of a run": (runs(each=2), ""),
    "no word of the address says where": (shelves("/{shelf}/{n}"), ""),
}


@pytest.mark.parametrize(("site", "why"), REFUSED.values(), ids=REFUSED)
@pytest.mark.thorough
def test_what_may_choose_a_page_stays(site: Site, why: str) -> None:
    result = learn(site.visits())
    assert [one.value for one in result.active if one.family == "idle segment"] == []
    assert not why or any(why in one.why for one in result.others if one.family == "idle segment")


def test_redirects_alone_do_not_say_it() -> None:
    """Others like them may show a page themselves."""
    visits = []
    for n in range(60):
        target = f"http://shop.example/item/{n}"
        visits.append(visit_from_row({"url": target, "status": 200, "text_digest": f"item {n}", "words": 100}))
        for shelf in range(4):
            # so many shelves that no two have many goods in common
            of = f"{WORDS[n * 7 % 20]}-{WORDS[(n + shelf * 3) % 20]}"
            source = f"http://shop.example/{of}/item-{n}.html"
            hop = {"url": source, "status": 301, "final_url": target, "redirects": [[301, source]]}
            visits.append(visit_from_row(hop))
    result = learn(visits)
    assert [one for one in result.active if one.family == "idle segment"] == []
    assert any("only redirects say so" in one.why for one in result.others)
