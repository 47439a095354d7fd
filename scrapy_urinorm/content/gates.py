"""Gates: forms of a few words that a site redirects to where it does not show what was asked for.

A page of a few words beside data for its scripts may be any page: a script may draw it from what it asks for by itself,
and then all pages of its kind look alike. That a form to log in is none of these the site says itself: it redirects
many addresses there, for the time being. Believed is no more than that: the form is at one path, which is not the start
of the site, its addresses bear nothing but the way back, and its data are those that pages with texts of their own
bear, too, so that they say nothing of any page. A parameter that is called after what is to be shown (`doc`) is no way
back, though it may name the path that led there: the page may be a reader, which a script fills.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar
from urllib.parse import parse_qsl, urlsplit

from scrapy_urinorm.statuses import is_answer, is_redirect

if TYPE_CHECKING:
    from scrapy_urinorm.content.compare import Content

LEAST = 31
"""Addresses that lead to a gate, and texts beside the data that are the site's: as many pages as `learn` asks of a rule
that says nothing of content (docs/concepts/learning-skips.md); fewer may be products that were taken off."""
FORM_LINES = 2
"""Lines of a form: a name and a password; "one moment please" is one. The form of Boorunaut has four."""
PERMANENT = (301, 308)
"""Statuses by which an address has moved for ever (RFC 9110, 15.4); who has logged in is let through."""
SHOWN = (
    "article asset audio book content doc docs document epub file iiif image img issue item manifest map media model"
    " object path pdf photo picture play player record resource scan source src video view viewer volume"
)
"""Names of parameters that say what is to be shown, alone or before `id`, `url` and the like: of viewers (`file` of
PDF.js, `manifest` of those of IIIF, `src`, `doc`), and others that mean a medium or a piece of a collection, chosen.
Where a form to log in calls the way back so, its copies are fetched."""
_shown = re.compile(rf"(?:{'|'.join(SHOWN.split())})(?:s|ids?|href|name|path|ref|uri|url)?").fullmatch
_START = ("", "/")


class Led(Protocol):
    """A record of a response that may have been reached by way of redirects."""

    url: str
    final_url: str | None
    redirects: tuple[tuple[int, str], ...]
    status: int | None
    lines: bytes | None


_V = TypeVar("_V", bound=Led)


def gates(visits: Sequence[_V], content: Callable[[_V], Content]) -> frozenset[tuple[bytes, int]]:
    """Return the forms of the gates with their data, as `content` knows them."""
    paths = _led_to(visits)
    if not paths:
        return frozenset()
    said: dict[int, set[bytes]] = defaultdict(set)
    at: dict[tuple[bytes, int], set[str | None]] = defaultdict(set)
    for visit in visits:
        if not visit.lines or not is_answer(visit.status):
            continue
        shown = content(visit)
        if not shown.data:
            continue
        if shown.label is not None and len(said[shown.data]) < LEAST:
            said[shown.data].add(shown.label)
        elif shown.form is not None and len(at[shown.form, shown.data]) < LEAST:
            at[shown.form, shown.data].add(_gate_of(visit))
    return frozenset(form for form, of in at.items() if len(of) == 1 and of <= paths and len(said[form[1]]) >= LEAST)


def _led_to(visits: Sequence[Led]) -> set[str | None]:
    """Return the places to which many addresses of other places redirect."""
    led: dict[str, set[str]] = defaultdict(set)
    for visit in visits:
        if visit.final_url is None or not (is_answer(visit.status) or is_redirect(visit.status)):
            continue
        gate = None if _is_moved(visit) else _gate_of(visit)
        if gate is not None and gate != _place(visit.url) and len(led[gate]) < LEAST:
            led[gate].add(visit.url)
    return {gate for gate, urls in led.items() if len(urls) >= LEAST}


def _is_moved(visit: Led) -> bool:
    """Whether an address has moved for ever to another path; a slash at the end is none of it."""
    ends = [*(urlsplit(url).path.rstrip("/") for _, url in visit.redirects[1:]), urlsplit(visit.final_url or "").path]
    hops = zip(visit.redirects, ends, strict=False)
    return any(status in PERMANENT and urlsplit(url).path.rstrip("/") != to.rstrip("/") for (status, url), to in hops)


def _gate_of(visit: Led) -> str | None:
    """Return the place that an address leads to, if the address there says no more than the way back."""
    parts = urlsplit(visit.final_url or visit.url)
    if parts.path in _START:
        return None
    query = parse_qsl(parts.query, keep_blank_values=True)
    if any(_shown("".join(filter(str.isalpha, name.lower()))) for name, _ in query):
        return None
    back = [value for _, value in query]
    if not all(value.startswith(("/", "http://", "https://")) for value in back):
        return None
    if back and visit.final_url is not None and urlsplit(visit.url).path not in [urlsplit(one).path for one in back]:
        return None
    return _place(parts.geturl())


def _place(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.netloc}{parts.path}"
