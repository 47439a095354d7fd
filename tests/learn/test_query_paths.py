"""Programs that have the path of a page in their query: what is learned beside it is for paths like those seen."""

from __future__ import annotations

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.earlier import context_of
from scrapy_urinorm.learn.pages.contexts import QUERY_PATH, Atom, where_of
from scrapy_urinorm.learn.pages.page import Page
from scrapy_urinorm.learn.pages.view import view_of
from tests.learn.sites import Site

HOST = "http://program.example"
FORMS = ["/{}", "/i.php?/{}", "/i.php?%2F{}", "/i.php?{}"]


def address(form: str, path: str, view: str = "") -> str:
    url = HOST + form.format(path)
    return url + f"{'&' if '?' in url else '?'}v={view}" if view else url


def program(form: str, same: tuple[str, ...], *, chosen: tuple[str, ...] = (), alone: tuple[str, ...] = ()) -> Site:
    """Sections in which `v` makes no difference, those in which it chooses, and those without it."""
    site = Site(HOST)
    site.add("/", "home")
    for section in (*same, *chosen, *alone):
        for n in range(30):
            path = f"{section}/{n}"
            site.add(address(form, path), f"{section} {n}")
            for view in "ab" if section not in alone else "":
                site.add(address(form, path, view), f"{section} {n} {view}" if section in chosen else f"{section} {n}")
    return site


def learned(site: Site) -> Normalizer:
    return Normalizer([learn(site.visits(), Options(jobs=1)).rules])


def is_dropped(normalizer: Normalizer, form: str, path: str) -> bool:
    return normalizer.key(address(form, path, "a")) == normalizer.key(address(form, path))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("others", [{"chosen": ("shop",)}, {"alone": ("shop",)}, {}])
def test_a_parameter_is_dropped_in_the_sections_where_it_was_seen(
    form: str, others: dict[str, tuple[str, ...]]
) -> None:
    normalizer = learned(site := program(form, ("blog", "wiki"), **others))
    assert is_dropped(normalizer, form, "blog/99")
    assert is_dropped(normalizer, form, "wiki/99")
    # not where it chooses, where it was never seen, nor in what was not seen at all
    for path in ("shop/99", "shop/7", "film/99", "blog"):
        assert not is_dropped(normalizer, form, path)
    assert len({normalizer.key(url) for url in site.pages}) == len({identity for identity, _ in site.pages.values()})


@pytest.mark.parametrize("form", FORMS)
def test_what_is_in_all_addresses_is_dropped_everywhere(form: str) -> None:
    site = Site(HOST)
    for section in ("blog", "wiki", "shop"):
        for n in range(30):
            for k in range(2):
                session = f"{(n * 7 + k) * 7919 + len(section) * 104729:032x}"
                site.add(
                    address(form, f"{section}/{n}") + ("&" if "?" in form else "?") + f"sid={session}", f"{section} {n}"
                )
    normalizer = learned(site)
    assert len({normalizer.key(url) for url in site.pages}) == 90
    new = address(form, "film/7") + ("&" if "?" in form else "?") + "sid="
    assert normalizer.key(new + "9" * 32) == normalizer.key(new + "8" * 32)


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("%2Fshop%2F7=&v=a", "/shop/7"),
        ("threads%2Ftitle.5=&v=a", "threads/title.5"),
        ("v=%2Fshop%2F7", ""),
        ("%2Fshop%2F7=1", ""),
        ("shop=", ""),
        # which of two it is nobody knows, and of a star no glob can be made
        ("%2Fa%2F7=&%2Fb%2F7=", ""),
        ("%2Fa%2F%2A=", ""),
    ],
)
def test_the_path_in_a_query(query: str, path: str) -> None:
    url = f"{HOST}/i.php?{query}"
    view = view_of(url, [Page(url, url)])
    assert view is not None
    assert view.query_path == path


def test_a_rule_for_paths_in_queries_is_read_again() -> None:
    context = (Atom("path", "/i.php"), Atom("query", "page", False), Atom(QUERY_PATH, "/shop/*/**"))
    where = where_of(context)
    assert where == {"path": "/i.php", "query": {"page": False, "/shop/*/**": True}}
    assert context_of(where) == context
