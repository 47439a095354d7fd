"""Unicode's composed form of a text (NFC), at a cost that is linear in it."""

from __future__ import annotations

import unicodedata

# characters, chosen: what is quadratic is still quick on so few
_SHORT = 1000


def composed_text(text: str) -> str:
    """Text in NFC; unchanged where more than 30 combining marks follow one another.

    Composing is quadratic in their number, and no language needs that many (UAX 15, Stream-Safe Text Format).
    """
    if len(text) > _SHORT:
        marks = 0
        for character in text:
            marks = marks + 1 if unicodedata.combining(character) else 0
            if marks > 30:
                return text
    return unicodedata.normalize("NFC", text)
