"""Strings through the module in C and the loop, for a build with sanitizers.

`python -m tests.speed.sanitized COUNT SEED`: addresses of the corpora, spliced, cut, and strewn with what URLs are
written with; one set of rules after the other. Prints how many strings the module took; the first difference or report
ends it with an exit code.
"""

from __future__ import annotations

import marshal
import os
import random
import subprocess
import sys
from array import array
from typing import TYPE_CHECKING

from scrapy_urinorm.engine import native
from scrapy_urinorm.recipe import fingerprint_bytes
from tests.speed.test_native import CORPORA, NORMALIZERS, in_c, loop

if TYPE_CHECKING:
    from collections.abc import Iterator

    Row = tuple[str, str, str, bytes]

#: Strings that pass the pipe at a time: some 200 KB.
BLOCK = 1000
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


def reference(count: int, seed: int) -> None:
    """Write what the loop makes of each string to standard output, a list of `BLOCK` rows at a time."""
    normalizers = list(NORMALIZERS.values())
    rows = []
    for number, text in enumerate(strings(count, random.Random(seed)), 1):
        key, canonical = loop(normalizers[number % len(normalizers)], text)
        rows.append((text, key, canonical, fingerprint_bytes(key)))
        if not number % BLOCK or number == count:
            marshal.dump(rows, sys.stdout.buffer)
            rows.clear()


def rows_of_the_loop(count: int, seed: int) -> Iterator[Row]:
    """What the loop says, from a process without sanitizers: under them it takes ten times as long as the module."""
    environment = {name: value for name, value in os.environ.items() if name not in {"LD_PRELOAD", "PYTHONMALLOC"}}
    command = [sys.executable, "-m", "tests.speed.sanitized", "reference", str(count), str(seed)]
    with subprocess.Popen(command, env={**environment, "URINORM_PURE": "1"}, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for start in range(0, count, BLOCK):
            rows = marshal.load(process.stdout)
            assert len(rows) == min(BLOCK, count - start)
            yield from rows
    assert process.returncode == 0


def main(count: int, seed: int) -> None:
    assert native.module is not None
    natives = [in_c(normalizer) for normalizer in NORMALIZERS.values()]
    taken = 0
    for number, (text, key, canonical, fingerprint) in enumerate(rows_of_the_loop(count, seed), 1):
        fast = natives[number % len(natives)]
        fast_key, told = fast.key(text), fast.request(text, "GET", b"")
        assert fast_key in (None, key), (number, text)
        assert fast.canonical(text) in (None, canonical), (number, text)
        assert (told is None) is (fast_key is None), (number, text)
        assert told is None or told[0] == fingerprint, (number, text)
        octets, ends = text.encode("utf-8", "replace"), array("q", [0, 0])
        if octets.decode() == text:
            alone = fast.column(lambda _: "", octets, array("q", [0, len(octets)]), ends, True)
            assert alone == (fast_key or "").encode(), (number, text)
            assert ends[1] == len(alone), (number, text)
        taken += fast_key is not None
    print(f"{count} strings, {taken} taken, {native.module.__file__}")


if __name__ == "__main__":
    run = reference if sys.argv[1] == "reference" else main
    run(int(sys.argv[-2]), int(sys.argv[-1]))
