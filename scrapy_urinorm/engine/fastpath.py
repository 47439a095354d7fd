"""The way of nearly every link: a known host, a usual spelling, and no rule but filters of names; no parser is needed.

Every function here gives what the long way gives, or None; a test compares the two on every URL it has. Where the
package was built with a C compiler, ``_speedups`` does the same in C (``URINORM_PURE=1`` in the environment leaves it
out); what is written here is the reference.
"""

from __future__ import annotations

import functools
import os
import re
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.engine.plan import DROPS_FRAGMENT, KEY_ONLY, LAYOUT, SORTS
from scrapy_urinorm.engine.program import CONCERNED, FREE, exemptions, is_signed, unsubscribes
from scrapy_urinorm.url import Item, join_items, path_key, query_items, sort_items, text_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_urinorm.engine.plan import Fast, Site, Sites
    from scrapy_urinorm.engine.program import Concerns

    FastPath = Callable[[str], str | None]


def _compiled() -> Any:
    """The module in C; None where it was not built, not wanted, or built before the last change of its layout."""
    if os.environ.get("URINORM_PURE", "") not in ("", "0"):
        return None
    try:
        from scrapy_urinorm import _speedups
    except ImportError:
        return None
    return _speedups if _speedups.LAYOUT == LAYOUT else None


speedups = _compiled()

_ESCAPE = "%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF])"  # upper case, and not of unreserved octets
_PATH = r"A-Za-z0-9\-._~!$&'()*+,=:@\[\]|/"
_QUERY = r"A-Za-z0-9\-._~!$&()*+,;=:@\[\]|/?"


def _text(chars: str) -> str:
    return f"[{chars}]*(?:{_ESCAPE}[{chars}]*)*"


# path, query and fragment: the first spelling needs no change but sorting, the second none that needs a parser, and the
# third is that of a canonical URL
_plain = re.compile(r"(/[A-Za-z0-9\-._~!$&'()*+,=:@/]*)(?:\?([A-Za-z0-9\-._~=&+]*))?(?:#[^\ud800-\udfff]*)?").fullmatch
_printable = re.compile(r"(/[!-\"$->@-\[\]-~]*)(?:\?([!-\"$-~]*))?(?:#[!-~]*)?").fullmatch
_canonical = re.compile(rf"(/{_text(_PATH)})(?:\?({_text(_QUERY)}))?(#{_text(_QUERY)})?").fullmatch
_needs_parser = re.compile(r"/\(|/\.{1,2}(?:/|\Z)").search
_origin = re.compile(r"https?://[A-Za-z0-9.\-]+(?::[0-9]+)?").fullmatch


def key_function(sites: Sites) -> FastPath:
    """A function from a URL to its key, or to None where it takes the long way."""
    if speedups is None:
        return functools.partial(fast_key, sites)
    return functools.partial(speedups.key, *_rules(sites))


def canonical_function(sites: Sites) -> FastPath:
    """A function from a URL to its canonical URL, or to None where it takes the long way."""
    if speedups is None:
        return functools.partial(fast_canonical, sites)
    return functools.partial(speedups.canonical, *_rules(sites))


def lines_function(sites: Sites) -> Callable[[Callable[[str], str], bytes, bool], bytes] | None:
    """A function from lines of UTF-8 to the lines of their canonical URLs or (True) keys, where there is a fast one.

    Its first argument does what it cannot do itself.
    """
    if speedups is None:
        return None
    return functools.partial(speedups.lines, *_rules(sites))


def _rules(sites: Sites) -> tuple[Any, ...]:
    """What the module in C is told of the rules."""
    return sites.known, functools.partial(new_site, sites), unsubscribes, "".join(exemptions().stems).encode()


def new_site(sites: Sites, origin: str) -> Site | None:
    """The site of an origin that was not known; None where its URLs need the parser."""
    return sites.learn(origin) if _origin(origin) else None


def fast_key(sites: Sites, url: str) -> str | None:
    """The key of a URL that no rule changes but filters of names; None where that is not certain."""
    at = url.find("/", 8)
    origin = url[:at] if at > 0 else url
    site = sites.known.get(origin) or new_site(sites, origin)
    if site is None or site.fast is None:
        return None
    concerns, guard, _ = site.fast
    match = _plain(url, at) if at > 0 else _root
    if match is not None:
        path, query = match.groups()
        spell = _plain_query
    else:
        match = _printable(url, at)
        if match is None:
            return None
        path, query = match.groups()
        path = path_key(path)
        spell = _any_query
    if "/." in path or "/(" in path:
        if _needs_parser(path):
            return None
    if ";" in path or (guard is not None and guard(path)):
        return None
    if not query:
        return site.origin + path
    text = spell(query, concerns)
    if text is None:
        text = _filtered_query(site, path, query)
        if text is None:
            return None
    return site.origin + path + text


_root = _plain("/")


def _plain_query(query: str, concerns: Concerns) -> str | None:
    """``?`` and a query of unreserved characters in Scrapy's order; None where a rule concerns it."""
    # NUL sorts a name before every longer one, as comparing pairs does
    fields = query.replace("=", "\0").split("&")
    for field in fields:
        name, equals, value = field.partition("\0")
        if not equals or "\0" in value:
            return _any_query(query, concerns)
        if concerns[name]:
            return None
    if len(fields) == 1:
        return "?" + query
    fields.sort()
    return "?" + "&".join(fields).replace("\0", "=")


def _any_query(query: str, concerns: Concerns) -> str | None:
    """``?`` and any query in the key spelling, sorted; None where a rule concerns it."""
    items = query_items(query)
    if not items:
        return ""
    for name, _ in items:
        if concerns[name]:
            return None
    return "?" + join_items(sort_items(items))


def _filtered_query(site: Site, path: str, query: str) -> str | None:
    """``?`` and the items that filters leave; None where the query needs more than filters, or is exempt from them."""
    program = site.plan.base
    if not program.filters_only:
        return None
    items = kept = query_items(query)
    if is_signed(items):
        return None
    for _, run in program.item_steps:
        kept = run(kept, path)
    if len(kept) != len(items) and unsubscribes(f"{path}?{query}"):
        return None
    return "?" + join_items(sort_items(kept)) if kept else ""


def fast_canonical(sites: Sites, url: str) -> str | None:
    """The canonical URL of one in canonical spelling that only filters of names change; None where that is not sure."""
    at = url.find("/", 8)
    match = _canonical(url, at) if at > 0 else None
    if match is None:
        return None
    origin = url[:at]
    site = sites.known.get(origin) or new_site(sites, origin)
    if site is None or site.fast is None:
        return None
    _, guard, flags = site.fast
    path, query, fragment = match.groups()
    if flags & KEY_ONLY or "/(" in path or ("%28" in path and "/%28" in path) or ("/." in path and _needs_parser(path)):
        return None
    if guard is not None and guard(path_key(path)):
        return None
    text = site.origin + path
    if query:
        left = _canonical_query(site.fast, path, query)
        if left is None:
            return None
        text += left
    elif query is not None and not flags & SORTS:
        text += "?"
    if fragment is not None and not flags & DROPS_FRAGMENT:
        text += fragment
    return text


def _canonical_query(fast: Fast, path: str, query: str) -> str | None:
    """``?`` and what filters of names leave of a query, its fields as they are; None where a rule needs more."""
    concerns, _, flags = fast
    known: list[tuple[Item, str]] = []
    dropped = False
    for field in query.split("&"):
        if field:
            name, _, value = field.partition("=")
            name = text_key(name)
            said = concerns[name]
            if said == CONCERNED:
                return None
            if said == FREE:
                known.append(((name, text_key(value)), field))
            else:
                dropped = True
    if dropped and unsubscribes(f"{path}?{query}"):
        return None
    if not dropped and not flags & SORTS:
        return "?" + query
    if flags & SORTS and len(known) > 1:
        fields: dict[Item, list[str]] = {}
        for item, field in known:
            fields.setdefault(item, []).append(field)
        ordered = sort_items([item for item, _ in known])
        for same in fields.values():
            same.reverse()
        left = "&".join([fields[item].pop() for item in ordered])
    else:
        left = "&".join([field for _, field in known])
    return "?" + left if left else ""
