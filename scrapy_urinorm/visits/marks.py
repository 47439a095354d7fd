"""What recognizes the program behind a page: its generator, names of headers and cookies, and few telling texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Texts that only one program writes into its pages, by the name of their mark: lower case, searched in the first
#: `SEARCHED` octets, where a page names its style sheets and scripts.
MARKERS: dict[str, bytes] = {
    "wp-content": b"/wp-content/",
    "doku.php": b"/lib/exe/css.php",
    "mediawiki": b"/load.php?",
    "drupal": b"/sites/default/files/",
    "typo3": b"/typo3temp/",
    "joomla": b"/media/jui/",
    "shopify": b"//cdn.shopify.com/",
    "magento": b"/static/version",
}
SEARCHED = 32 << 10
MOST = 40
"""Marks of a page: what a site can make a visit grow by."""
LONGEST = 100

#: Headers that every server may send (RFC 9110, RFC 9111, and what is common to all): they tell nothing.
_USUAL = frozenset(
    """
    accept-ranges age allow alt-svc cache-control connection content-disposition content-encoding content-language
    content-length content-location content-security-policy content-type date etag expires keep-alive last-modified
    link location permissions-policy pragma referrer-policy retry-after server set-cookie strict-transport-security
    transfer-encoding upgrade vary via x-content-type-options x-frame-options x-xss-protection
    """.split()  # noqa: SIM905  a list of names is read, not computed
)
_drawn_by_lot = re.compile(r"(?=[0-9a-z]*\d)[0-9a-z]{12,}", re.IGNORECASE)


def marks(generator: str | None, headers: Iterable[str], cookies: Iterable[str], body: bytes) -> tuple[str, ...]:
    """Return the marks of a response, `kind:name`, sorted, each once.

    A part of a name that looks drawn by lot (`wordpress_logged_in_d41d8cd98f00b204...`) becomes `*`.
    """
    found = {f"header:{name.lower()}" for name in headers if name.lower() not in _USUAL}
    found |= {f"cookie:{name}" for name in cookies if name}
    found = {_drawn_by_lot.sub("*", mark)[:LONGEST] for mark in found}
    head = body[:SEARCHED].lower()
    found |= {f"marker:{name}" for name, text in MARKERS.items() if text in head}
    kept = sorted(found)[:MOST]
    generator = " ".join(generator.split())[:LONGEST] if generator else ""
    return (f"generator:{generator}", *kept) if generator else tuple(kept)
