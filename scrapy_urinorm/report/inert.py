"""Texts that came from the web, made harmless to look at."""

from __future__ import annotations

import re
from typing import Any

from scrapy_urinorm.engine.texts import scrubbed

# C0 and C1 controls, bidirectional and invisible format characters, line separators, lone surrogates, tags: a URL that
# holds them could move the cursor, turn text round or hide a part of itself
_ACTIVE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
# characters: a few lines of a cell
MAX_TEXT = 400
_MULTILINE = frozenset(("toml",))


def inert(value: Any, key: str = "") -> Any:
    """Return JSON data with every text of it visible, without userinfo, and cut where it is long.

    What a browser or a person's eye would act on is spelled as in a Python string. Rule files keep their lines.
    """
    if isinstance(value, str):
        if key in _MULTILINE:
            return "\n".join(map(visible, value.split("\n")))
        return shortened(visible(scrubbed(value)))
    if isinstance(value, dict):
        return {inert(name): inert(item, name) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [inert(item) for item in value]
    return value


def shortened(text: str) -> str:
    """The text, or its beginning and end where it is long."""
    if len(text) <= MAX_TEXT:
        return text
    return f"{text[: MAX_TEXT - 60]} \u2026 {len(text):,} characters \u2026 {text[-30:]}"


def visible(text: str) -> str:
    """The text with what nobody sees, or what a terminal or browser acts on, spelled as in a Python string."""
    return _ACTIVE.sub(lambda m: m.group().encode("unicode_escape", "surrogatepass").decode(), text)
