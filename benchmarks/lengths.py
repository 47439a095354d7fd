"""``python -m benchmarks.lengths``: time against length for everything that strangers write; into docs/security.md.

For each entry the slowest of several texts that are hard for it, from 1 kB to 4 MB. What grows with the square of the
length shows in the last column: the time per octet at the end to that in the middle.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.visits.hostile import KINDS, hostile_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SIZES = (1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22)
PAGE = Path(__file__).parents[1] / "docs" / "security.md"
MARKS = "<!-- lengths -->", "<!-- end of lengths -->"
#: Seconds: a text that takes longer at one length is not tried at the next.
PATIENCE = 20.0
#: Texts that are tried where all of them would take minutes.
SLOWEST = 4


def repeated(piece: str, head: str = "", tail: str = "") -> Callable[[int], str]:
    """A text of some length, of one piece again and again."""
    return lambda size: head + piece * ((size - len(head) - len(tail)) // len(piece)) + tail


URLS: list[Callable[[int], str]] = [
    repeated(piece, "http://a.example/")
    for piece in ("a", "a/", "../", "a/../", "//", "%41", "%25", "%", "é", ";a=b", "(S(a)", "index.html/", " ", "\t")
] + [
    repeated(piece, "http://a.example/?")
    for piece in ("a", "a=", "a=1&", "&", ";", "utm_a=1&", "%61=1&", "=", "a[]=", "a=http://b.example/?", "+", "#", "?")
]
URLS += [repeated("a.", "http://"), repeated("a", "http://"), repeated("a@", "http://"), repeated(":", "http://")]
URLS += [repeated("xn--a.", "http://"), repeated("é.", "http://"), repeated("1.", "http://"), repeated("a", "a:")]

ROBOTS = [
    repeated(piece)
    for piece in (
        "Clean-param: a /*b*c*d*e\n",
        "Clean-param: a&b&c&d\n",
        "Clean-param:",
        "\n",
        "a",
        "Clean-param: a /x\r",
    )
] + [repeated("*a", "Clean-param: x /"), repeated("a&", "Clean-param: "), repeated(" ", "Clean-param: ")]
HEADERS = [
    repeated(piece, head)
    for head, piece in (
        ("params=(", '"a" '), ("params=(", "("), ("", "a,"), ("", "a;"), ('params="', "\\\\"), ("params=:", "A"),
    )
]  # fmt: skip
LINKS = [
    repeated(piece)
    for piece in ("<", "<a>", "<a>;rel=canonical,", "<a>;" + "rel=" * 9, "<" + "a" * 99 + ">", ";", "<>;rel=x", " ")
]
NAMES = [repeated(piece) for piece in ("a", "ab", "-", "a.", "jpg", "/a", "1")]
PATHS = [repeated(piece, "/") for piece in ("a", "a/", "ab/", "*", "x/b")]


class Entry(NamedTuple):
    """A way in: what is called with each text, made of a length by `texts`."""

    name: str
    call: Callable[[Any], Any]
    texts: Sequence[Callable[[int], Any]]
    clock: Callable[[], float] = time.process_time


def entries(folder: Path) -> Iterable[Entry]:
    """All ways in; `folder` is for files."""
    from scrapy_urinorm import Normalizer
    from scrapy_urinorm.declared import canonical_link, no_vary_search
    from scrapy_urinorm.importers.robots import clean_params
    from scrapy_urinorm.rules.globs import path_glob
    from scrapy_urinorm.rules.patterns import compile_pattern
    from scrapy_urinorm.visits import Redaction, read_visits
    from scrapy_urinorm.visits.isolation import Parser
    from scrapy_urinorm.visits.page import Crawl

    loose = Normalizer(preset="loose")
    site = Normalizer(
        {
            "rules": {
                "remove_params": [{"name": "s", "value": "(?:\\w(?:-?|\\.?))+!"}, "*x*y*z"],
                "unwrap_params": [{"name": "*", "to": ["*"]}],
                "collapse_nested": ["a"],
                "rewrite": [{"pattern": "^(.*?,){8}P$", "replace": "/"}],
                "path_params": ["jsessionid"],
                "fragment": "route",
            }
        },
        "loose",
    )
    patterns = [compile_pattern(text) for text in (r"(?:\w(?:-?|\.?))+!", "(a|a)*b", "(?:jpg|jpg)*!", "^(.*?,){8}P$")]
    globs = [path_glob(glob) for glob in ("/**a**b**c**d", "/*a*a*a*a*a*a*b", "/**/a/**/b", "/**")]

    def visits_file(text: bytes) -> None:
        path = folder / "v.jsonl"
        path.write_bytes(text)
        for _ in read_visits([path]):
            pass

    yield Entry("URL, key", loose.key, URLS)
    yield Entry("URL, canonical", loose.normalize, URLS)
    yield Entry("URL under rules with patterns and wrappers", site.key, URLS)
    yield Entry("URL, redacted (visits, `Location`, canonical links)", Redaction(b"salt"), URLS)
    yield Entry("robots.txt, `Clean-param`", clean_params, ROBOTS)
    yield Entry("header `No-Vary-Search`", no_vary_search, HEADERS)
    yield Entry("header `Link`", lambda text: canonical_link([text], "http://a.example/"), LINKS)
    # as a crawl reads it: in a process of its own, with a second of CPU
    parser = Parser()
    crawl = Crawl("c", b"salt")
    said = {"url": "http://a.example/", "status": 200, "time": 0, "type": "text/html", "read": True}
    yield Entry(
        "page, with a second at the most",
        lambda body: parser.line(crawl, "00" * 16, said, body),
        [lambda size, kind=kind: hostile_page(kind, size) for kind in KINDS],  # type: ignore[misc]  # a default in a lambda has no type
        lambda: time.process_time() + parser.spent,
    )
    parser.close()
    yield Entry("patterns of rules", lambda text: [one.match(text) for one in patterns], NAMES)
    yield Entry("globs of rules", lambda text: [match(text) for match in globs], PATHS)
    yield Entry("file of visits, one line", visits_file, [
        lambda size, make=make: json.dumps({"url": make(size)}).encode() + b"\n" for make in URLS[::3]  # type: ignore[misc]  # a default in a lambda has no type
    ] + [lambda size: b"[" * size, lambda size: b'{"a":' * (size // 5), lambda size: b"\n" * size])  # fmt: skip


def measured(entry: Entry, sizes: Sequence[int]) -> list[float | None]:
    """Milliseconds of the slowest text at each length; None where one was slower than anybody would wait.

    At a length that takes long only the texts are tried that were the slowest at the one before.
    """
    out: list[float | None] = []
    texts = list(entry.texts)
    for size in sizes:
        took = {at: _took(entry, make(size)) for at, make in enumerate(texts)}
        worst = sorted(took, key=lambda at: -took[at])
        out.append(took[worst[0]] * 1000)
        if took[worst[0]] > PATIENCE:
            break
        if sum(took.values()) > 1:
            texts = [texts[at] for at in worst[:SLOWEST]]
    return out + [None] * (len(sizes) - len(out))


def _took(entry: Entry, text: Any) -> float:
    """Seconds of the processor, the better of two where that is soon known."""
    took = []
    while len(took) < 2 and sum(took) < 0.5:
        began = entry.clock()
        # what is refused is refused by an exception that the caller knows
        with contextlib.suppress(ValueError):
            entry.call(text)
        took.append(entry.clock() - began)
    return min(took)


def growth(sizes: Sequence[int], times: Sequence[float | None]) -> float | None:
    """Time per octet at the greatest length to that at the one 64 times smaller."""
    if times[-1] is None or times[-4] is None:
        return None
    return (times[-1] / sizes[-1]) / max(times[-4] / sizes[-4], 1e-9)


def table(rows: dict[str, list[float | None]]) -> str:
    """The figures in Markdown."""
    heads = [f"{size >> 10} kB" if size < 1 << 20 else f"{size >> 20} MB" for size in SIZES]
    lines = ["| entry | " + " | ".join(heads) + " | growth |", "| --- |" + " ---: |" * (len(SIZES) + 1)]
    for name, times in rows.items():
        shown = ["-" if one is None else f"{one:.2f}" if one < 10 else f"{one:,.0f}" for one in times]
        grown = growth(SIZES, times)
        lines.append(f"| {name} | {' | '.join(shown)} | {'-' if grown is None else f'{grown:.1f}'} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lengths", description=__doc__)
    parser.add_argument("--only", default="", help="entries whose name has this text; nothing is written")
    parser.add_argument("--write", action="store_true", help="write the table into docs/security.md")
    options = parser.parse_args()
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for entry in entries(Path(folder)):
            if options.only not in entry.name:
                continue
            rows[entry.name] = measured(entry, SIZES)
            print(entry.name, *("-" if one is None else f"{one:.2f}" for one in rows[entry.name]), file=sys.stderr)
    print(table(rows))
    if options.write and not options.only:
        text = PAGE.read_text("utf-8")
        head, tail = text.split(MARKS[0])[0], text.split(MARKS[1])[1]
        PAGE.write_text(f"{head}{MARKS[0]}\n{table(rows)}\n{MARKS[1]}{tail}", "utf-8")


if __name__ == "__main__":
    main()
