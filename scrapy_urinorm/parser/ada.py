"""The URL Standard's parser, which is two: can_ada for plain hosts, ada_url for international and odd ones.

can_ada 3.0 carries ada 2, whose tables of international names are older than the URL Standard: it writes U+1E9E as
`ss`, another registrable name, and fails 863 of the 3,655 web-platform-tests for URLs and their hosts. ada_url 4.0
passes all that text can express, at some ten times the cost, so it is asked only where the two may differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import can_ada

PACKAGES: tuple[str, ...] = ("can-ada", "ada-url")
parse: Callable[[str], Any] = can_ada.parse

# A text whose host is ASCII letters, digits and marks that need no decoding; what comes after the host does not matter.
_has_plain_host = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://[A-Za-z0-9.\-_:@!$&'()*+,;=~\[\]]*(?:[/?#]|\Z)").match
# A reference without scheme and host: white space and backslashes, which parsers drop or turn, are not in its head.
_has_no_host = re.compile(r"/(?![/\\\x00-\x20])|[?#]|[^:/\\?#\x00-\x20]+(?:[/?#]|\Z)|\Z").match


def is_plain(text: str, host: str) -> bool:
    """Whether can_ada can be trusted with the host that it found in an absolute URL."""
    return "xn--" not in host and ((text.isascii() and "%" not in text) or _has_plain_host(text) is not None)


def href(text: str) -> str | None:
    """The text of an absolute URL as the newest URL Standard writes it; None where it refuses it."""
    from ada_url import normalize_url

    try:
        return normalize_url(text)
    except ValueError:
        return None


def join(reference: str, base: str) -> str | None:
    """A reference resolved against a base as the URL Standard does; None where it refuses one of them."""
    try:
        parsed = parse(base)
        joined = str(parsed + reference)
    except (ValueError, TypeError):
        pass
    else:
        plain = reference.isascii() and "%" not in reference
        if (plain or _has_no_host(reference) or _has_plain_host(reference)) and is_plain(base, joined):
            return joined
    from ada_url import join_url

    try:
        return join_url(base, reference)
    except ValueError:
        return None
