"""Pages that a server shows instead of all others once it has had enough: "unusual traffic", a captcha, maintenance.

They come with status 200, and what was only asked for after that point looks like a constant view. A log-in form does
not: it stands at addresses of its own, or between pages.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_urinorm.learn.pages.page import Page

Form = tuple[int, str, tuple[str, ...]]
"""Depth, first segment where it is a common one, names of parameters."""

IN_A_ROW = 0.9
"""Of the pages between the first and the last block page so many are block pages."""
COMMON = 5
MIN_BEFORE = 3
"""Different pages that addresses of one form showed before, and addresses of that form that were blocked."""


def blocked_labels(pages: Sequence[Page], frequent: Iterable[int]) -> frozenset[int]:
    """Return the frequent classes that began to stand in for pages at some point of the crawl; `pages` in its order."""
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
            found.add(label)
    return frozenset(found)


def _forms(pages: Sequence[Page]) -> list[Form]:
    split = []
    for page in pages:
        head, _, query = page.key.partition("?")
        segments = head.split("/")[3:]
        names = tuple(sorted({item.partition("=")[0] for item in query.split("&") if item}))
        split.append((len(segments), segments[0] if segments else "", names))
    firsts = Counter((depth, first) for depth, first, _ in split)
    return [(depth, first if firsts[depth, first] >= COMMON else "", names) for depth, first, names in split]
