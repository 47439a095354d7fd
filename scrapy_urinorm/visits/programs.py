"""The programs behind the sites of a crawl, from its visits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from scrapy_urinorm.content import is_answer
from scrapy_urinorm.recognition import Found, Recognizer

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.platforms import Pack
    from scrapy_urinorm.visits.record import Visit

_MARKUP = ("text/html", "application/xhtml+xml", None)


def is_page(visit: Visit) -> bool:
    """Whether a visit is one of a page that a program has written: answered with a page, and markup."""
    return is_answer(visit.status) and visit.content_type in _MARKUP


def programs(visits: Iterable[Visit], packs: Sequence[Pack] | None = None) -> list[Found]:
    """Return what is recognized by the `marks` of visits; visits without any say where a program is not."""
    recognizer = Recognizer(packs)
    for visit in visits:
        if is_page(visit):
            recognizer.see(visit.final_url or visit.url, visit.marks)
    return recognizer.found()
