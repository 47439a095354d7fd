"""Strings through the module in C and the loop, for a build with sanitizers.

`python -m tests.speed.sanitized COUNT SEED`: addresses of the corpora, spliced, cut, and strewn with what URLs are
written with; one set of rules after the other. Prints how many strings the module took; the first difference or report
ends it with an exit code.
"""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING

from scrapy_urinorm.engine import native
from scrapy_urinorm.recipe import fingerprint_bytes
from tests.speed.test_native import CORPORA, NORMALIZERS, check, in_c

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECES = [
    *("%", "%4", "%%36%31", "%e9", "%2e%2E", "%00", "&", "=", "&&", "/", "//", "/.", "/..", ";", "#", "?", "+"),
    *(" ", "\t", "\\", "@", ":", ":80", "[::1]", "é", "ß", "☃", "\U0001f600", "\ud800", "\0", "\x7f", "(S(x))"),
    *("/docs/x", "index.html", "utm_source=a", "id=7", "page=1", "q=a b", "sid=" + "0" * 32, "unsubscribe", "a=1&a=0"),
    *("x" * 300, "%41" * 50),
]


def strings(count: int, chance: random.Random) -> Iterator[str]:
    """Strings, most of them addresses or nearly so."""
    lines = [line for path in CORPORA for line in path.read_text("utf-8", "surrogateescape").splitlines()]
    pick, upto = chance.choice, chance.random
    for _ in range(count):
        text = pick(lines)
        kind = upto()
        if kind < 0.4:
            at = int(upto() * len(text))
            text = text[:at] + pick(PIECES) + text[at:]
        elif kind < 0.6:
            other = pick(lines)
            text = text[: int(upto() * len(text))] + other[int(upto() * len(other)) :]
        elif kind < 0.8:
            text += pick("?&/#") + "".join(pick(PIECES) for _ in range(int(upto() * 6)))
        elif kind < 0.9:
            at = int(upto() * len(text))
            text = text[:at] + chr(int(upto() * 0x250)) + text[at + 1 :]
        elif kind < 0.95:
            text = "http://" + "".join(pick(PIECES) for _ in range(int(upto() * 12)))
        yield text


def main(count: int, seed: int) -> None:
    assert native.module is not None
    normalizers = list(NORMALIZERS.values())
    taken = 0
    for number, text in enumerate(strings(count, random.Random(seed))):
        normalizer = normalizers[number % len(normalizers)]
        taken += check(normalizer, text)[0]
        if not number % 50:
            told = in_c(normalizer).request(text, "GET", b"")
            if told is not None:
                assert told[0] == fingerprint_bytes(normalizer._key(text), "GET", b"")
    print(f"{count} strings, {taken} taken, {native.module.__file__}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
