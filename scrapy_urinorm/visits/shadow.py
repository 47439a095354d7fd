"""The parts of a page that stand in a shadow: a browser shows them, and to a parser they are templates."""

from __future__ import annotations

import re

_TEMPLATE = re.compile(rb"<(/?)template\b([^<>]*+)>", re.IGNORECASE)
_MODE = b"shadowrootmode"


def opened(markup: bytes) -> bytes:
    """Return a page with such parts as elements that may stand anywhere, and end whatever is open in them.

    Of those that a parser knows, `marquee` alone is neither a template nor shown in another way than its text.
    """
    if _MODE not in markup:
        return markup
    parts: list[bytes] = []
    shadows: list[bool] = []
    at = 0
    for tag in _TEMPLATE.finditer(markup):
        if tag[1]:
            shadow = bool(shadows) and shadows.pop()
        else:
            shadow = _MODE in tag[2]
            shadows.append(shadow)
        if shadow:
            parts += (markup[at : tag.start()], b"</marquee>" if tag[1] else b"<marquee>")
            at = tag.end()
    return b"".join((*parts, markup[at:]))
