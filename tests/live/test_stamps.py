"""Lists that can be had as XML, whose root says when it was sent and what it was asked for, in a first crawl."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING

import pytest

from benchmarks.simulator import Simulated, Simulator
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.visits.page import Crawl, visit_of
from tests.live.sites import identities_of, prose

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

ORIGIN = "http://a.example"
BEGUN = datetime(2026, 11, 30, 11, tzinfo=UTC)
LISTS = 150


def listed(stamp: str, apart: range) -> tuple[list[Visit], dict[str, str]]:
    """Lists with and without `page=1`, which is the list itself, and not of those that are `apart`, as XML."""
    crawl, visits, identities = Crawl("20260101T000000Z-00000000", b"salt" * 4), [], {}
    targets = ["/", *(f"/list/{n}" for n in range(LISTS))]
    targets += [f"/list/{n}?{query}" for query in ("page=1", "output=xml", "page=1&output=xml") for n in range(LISTS)]
    for count, target in enumerate(targets):
        sent, url = BEGUN + timedelta(seconds=3 * count), ORIGIN + target
        path, _, query = target.partition("?")
        number = int(path.rpartition("/")[2] or 0)
        identity = path + ("#xml" if "xml" in query else "")
        if number in apart and query == "page=1&output=xml":
            identity += "#other"
        links = [f"/list/{n}" for n in range(LISTS)] if path == "/" else [f"{path}?{q}" for q in QUERIES if not query]
        said = {
            "url": url,
            "status": 200,
            "time": 0,
            "depth": 1,
            "read": True,
            "date": format_datetime(sent, usegmt=True),
        }
        if "xml" in query:
            root = stamp.format(uri=escape(url), sent=sent.isoformat())
            body, kind = f"<?xml version='1.0'?>\n<list{root}><item>{prose(identity)}</item></list>", "text/xml"
        else:
            shown = "".join(f'<a href="{escape(link)}">{link[1:3]}</a>' for link in links)
            body, kind = f"<html><body><main>{prose(identity)}</main>{shown}</body></html>", "text/html"
        visits.append(visit_of(crawl, {**said, "type": f"{kind}; charset=utf-8"}, body.encode()))
        identities[url] = identity
    return visits, identities


QUERIES = ("page=1", "output=xml", "page=1&output=xml")
STAMP = ' uri="{uri}" accessDate="{sent}"'


def crawled(visits: list[Visit], *, newest_first: bool) -> Simulated:
    return Simulator(visits, Options(skip=False)).crawl(newest_first=newest_first)


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_document_that_says_when_it_was_sent_is_no_other_one_for_that(newest_first: bool) -> None:
    found = [crawled(listed(stamp, range(0))[0], newest_first=newest_first) for stamp in ("", STAMP)]
    assert len({len(one.fetched) for one in found}) == 1
    assert len(found[1].fetched) < 4 * LISTS - 50
    assert not any(message["do"] == "doubt" for _, message in found[1].log)


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("apart", [range(100, LISTS), range(0, LISTS, 10), range(LISTS)])
def test_what_differs_besides_speaks_against_a_rule(apart: range, newest_first: bool) -> None:
    visits, identities = listed(STAMP, apart)
    found = crawled(visits, newest_first=newest_first)
    assert identities_of(found.fetched, identities) == set(identities.values())
