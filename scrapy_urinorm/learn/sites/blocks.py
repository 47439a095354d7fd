"""Pages that a server shows instead of all others once it has had enough: "unusual traffic", a captcha, maintenance.

They come with status 200, and what was only asked for after that point looks like a constant view. A log-in form does
not: it stands at addresses of its own, or between pages. Nor does what is beyond the end of a list, which leads on.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from scrapy_urinorm.visits.links import each_hash

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.page import Page

Form = tuple[int, str, tuple[str, ...]]
"""Depth, first segment where it is a common one, names of parameters."""

IN_A_ROW = 0.9
"""Of the pages between the first and the last block page so many are block pages."""
COMMON = 5
MIN_BEFORE = 3
"""Different pages that addresses of one form showed before, and addresses of that form that were blocked."""


LEADS_ON = 0.8
"""Of the addresses beyond the end of a list so many lead to the one with the next number in the path, or the one before
it: of a calendar eleven in twelve do. A page that stands in for all has links of its own, if any, and the same at each.
"""
_numbers = re.compile("([0-9]{1,9})")


def blocked_labels(
    pages: Sequence[Page], frequent: Iterable[int], ids: Mapping[bytes, Page] | None = None
) -> frozenset[int]:
    """Return the frequent classes that began to stand in for pages at some point of the crawl; `pages` in its order.

    `ids` are the hashes of their addresses, by which links name them.
    """
    places_of: dict[int, list[int]] = {label: [] for label in frequent}
    if not places_of:
        return frozenset()
    for n, page in enumerate(pages):
        if page.label in places_of:
            places_of[page.label].append(n)
    forms = _forms(pages)
    found = set()
    for label, places in places_of.items():
        span = sum(page.label >= 0 for page in pages[places[0] : places[-1] + 1])
        if len(places) < IN_A_ROW * span:
            continue
        before: dict[Form, set[int]] = defaultdict(set)
        for page, form in zip(pages[: places[0]], forms, strict=False):
            if page.label >= 0:
                before[form].add(page.label)
        blocked = Counter(forms[n] for n in places)
        if any(n >= MIN_BEFORE and len(before[form]) >= MIN_BEFORE for form, n in blocked.items() if form in before):
            if sum(_leads_on(pages[n], ids or {}) for n in places) < LEADS_ON * len(places):
                found.add(label)
    return frozenset(found)


def _leads_on(page: Page, ids: Mapping[bytes, Page]) -> bool:
    """Whether a page leads to the address that differs in one number of the path, by one."""
    path, _, query = page.key.partition("?")
    pieces = _numbers.split(path)
    for other in filter(None, map(ids.get, each_hash(page.links))):
        others, _, asked = other.key.partition("?")
        found = _numbers.split(others)
        if len(found) == len(pieces) and query == asked:
            odd = [at for at, piece in enumerate(pieces) if piece != found[at]]
            if len(odd) == 1 and odd[0] % 2 and abs(int(pieces[odd[0]]) - int(found[odd[0]])) == 1:
                return True
    return False


def _forms(pages: Sequence[Page]) -> list[Form]:
    split = []
    for page in pages:
        head, _, query = page.key.partition("?")
        segments = head.split("/")[3:]
        names = tuple(sorted({item.partition("=")[0] for item in query.split("&") if item}))
        split.append((len(segments), segments[0] if segments else "", names))
    firsts = Counter((depth, first) for depth, first, _ in split)
    return [(depth, first if firsts[depth, first] >= COMMON else "", names) for depth, first, names in split]
