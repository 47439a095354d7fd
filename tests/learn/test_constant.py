"""Constant views: one page under very many values, not many pages under two each."""

from __future__ import annotations

import pytest

from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.normalizer import Normalizer
from tests.learn.sites import Site

HOST = "http://git.example.net"


def keys(pages: int, names: int) -> set[str]:
    """The keys of files that are asked for by hash, each under so many names, under what these addresses taught."""
    site = Site(HOST)
    for n in range(120):
        site.add(f"/log?n={n}", f"log {n}")
    files = [
        site.add(f"/blob?f=name{page * names + n}&h={page}", f"blob {page}")
        for page in range(pages)
        for n in range(names)
    ]
    normalizer = Normalizer([learn(site.visits(), Options(jobs=1)).rules])
    return {normalizer.key(url) for url in files}


@pytest.mark.parametrize(("pages", "names"), [(8, 2), (7, 3), (4, 5), (1, 40)])
def test_files_that_each_have_a_few_names_keep_them(pages: int, names: int) -> None:
    assert len(keys(pages, names)) == pages * names


@pytest.mark.parametrize(("pages", "names"), [(1, 46), (3, 50)])
def test_one_page_under_very_many_names_is_one(pages: int, names: int) -> None:
    assert len(keys(pages, names)) == pages
