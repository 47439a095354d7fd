"""``performance.md`` and its plot, written from the figures of one run."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from benchmarks.measured import number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from benchmarks.measure import Timing
    from benchmarks.measured import Figure

    Comparisons = Mapping[str, Mapping[str, Timing]]

_HEAD = """# Performance

Written by `make bench`; do not edit. What is compared runs in one process on the same URLs, in interleaved rounds; the
figures are medians of the rounds' CPU time, the spread half the distance of their quartiles. Trust the ratios, not the
microseconds: they hold on other machines, and on this one when it is busy. Figures on hosts that have rules come first:
that is what users run.

"""

_PLOT = """```{image} _static/performance.svg
:alt: CPU time of a call, by package
```

"""

_TAIL = """
## How to reproduce

```console
$ make bench
```

writes this page and its plot, in the time that is said above. The peers are the extra `bench`; one that is not
installed is named above and left out. A part of it, more rounds, your own URLs, without the C module:

```console
$ .venv/bench/bin/python -m benchmarks --only fingerprints texts --rounds 31
$ .venv/bench/bin/python -m benchmarks --only fingerprints --urls my-urls.txt
$ URINORM_PURE=1 .venv/bench/bin/python -m benchmarks --only tables hosts imports
```

With `--again` the rows of these parts are replaced in this page, and say when and where they were measured.

A table of rules holds for every host of the input (`benchmarks/under_rules.py` has them; half of the URLs are taken),
hosts are known unless "cold" is said, and the garbage collector runs as in a crawl; elsewhere it is off, and all rules
of the preset `recommended` and 1,000 site tables are loaded. "Its first URLs" is a fingerprinter that has not seen any
host or parameter before. The other packages are called as their documentation says, with all rules they bring;
functions that only parse and print are there because nobody can be faster than the parse.

## Where the time goes

- **Nothing is parsed that is known.** Host and scheme are looked up as they stand in the URL, and what rules say of a
  parameter's name is remembered; both memories are bounded. Other URLs are parsed by can_ada (the WHATWG parser of
  Node.js), once.
- **An optional module in C** (`engine/native.c`, `rules.c`, `spelling.c`; stable ABI of Python 3.11 and later) takes
  nearly every URL under nearly every rule: which `where` tables hold, the parameters that go, by name or by value,
  what is done to the path, values of parameters that become shorter ones, and patterns on the whole, which are tried
  only where a text that they need is there.
  Rules that it does not know (`rename_params`, values that become longer, `template`, `unwrap_params`, verdicts,
  other ways to split a query) and odd spellings are left to the loop in Python, which is the reference: the tests
  compare the two on the corpora, on any text under any rules, at every length. Installing from source compiles it
  where there are a compiler and the headers of Python; `URINORM_PURE=1` leaves it out, when building and when
  running.
- **One pass** gives a request its fingerprint, whether it is skipped, and which rules have changed its URL; the line
  that counts a duplicate asks nothing again.
- **Sites share what is equal**: tables with equal rules are one compiled plan, and different ones share what finds
  the names of a preset. A plan at rest takes
  1.8 kB with two rules, 8 kB with ten lines; 256 MB of them are kept, or one for each table where that is more.
- **Nothing is cached by URL**: a run over URLs that never repeat costs the same.
- A fingerprint is remembered for a request object, as Scrapy does; no temporary request is made, and no `meta`. Its
  SHA-1 is made in C where the processor has instructions for it (`digest.c`): less than the call of a library.
"""


def write(
    folder: Path,
    machine: Sequence[str],
    source: str,
    comparisons: Comparisons,
    figures: Mapping[str, Sequence[Figure]],
) -> list[Path]:
    """Write the page and, where something was compared, the plot; returns their paths. `figures` are by part."""
    when = dt.datetime.now(dt.UTC).date().isoformat()
    lines = [_HEAD, f"Input: {source}. Machine ({when}):\n\n", *(f"- {line}\n" for line in machine), "\n"]
    for title, parts in _sections(figures).items():
        lines += [f"## {title}\n\n", *_goals([one for part in parts for one in figures[part]]), "\n"]
    page, plot = folder / "performance.md", folder / "_static" / "performance.svg"
    written = [page]
    if comparisons:
        lines += [_PLOT, "## Side by side\n\n"]
        for title, timings in comparisons.items():
            lines += [f"### {title}\n\n", *_table(timings), "\n"]
        plot.parent.mkdir(exist_ok=True)
        plot.write_text(_svg(comparisons), encoding="utf-8")
        written.append(plot)
    page.write_text("".join(lines).rstrip() + "\n" + _TAIL, encoding="utf-8")
    return written


def write_again(folder: Path, machine: str, figures: Mapping[str, Sequence[Figure]]) -> Path:
    """Put figures that were measured again into the page of an earlier run; each says when and on which machine.

    Raises `LookupError` where the page has no such row.
    """
    page = folder / "performance.md"
    rows = page.read_text("utf-8").splitlines(keepends=True)
    begins = {row.partition(" | ")[0]: place for place, row in enumerate(rows) if row.startswith("| ")}
    for one in (one for part in figures.values() for one in part):
        note = f"{one.note}; " if one.note else ""
        fresh = replace(one, note=f"{note}measured again on {dt.datetime.now(dt.UTC):%Y-%m-%d}: {machine}")
        rows[begins[f"| {one.what}"]] = _goals([fresh])[-1]
    page.write_text("".join(rows), encoding="utf-8")
    return page


#: The parts of a run that have a section of their own, in the order of the page; the others are in the last one.
_SECTIONS = {
    "On hosts that have rules": ["rules", "crawl"],
    "Beside other packages": ["fingerprints", "texts", "instructions"],
    "Lists of URLs": ["lists", "command"],
}


def _sections(figures: Mapping[str, Sequence[Figure]]) -> dict[str, list[str]]:
    named = {part for parts in _SECTIONS.values() for part in parts}
    sections = {**_SECTIONS, "Tables, hosts, memory": [part for part in figures if part not in named]}
    found = {title: [part for part in parts if figures.get(part)] for title, parts in sections.items()}
    return {title: parts for title, parts in found.items() if parts}


def _goals(figures: Sequence[Figure]) -> list[str]:
    rows = ["| what | measured | goal | |\n", "| --- | ---: | ---: | --- |\n"]
    for one in figures:
        goal = ""
        if one.reach is not None:
            goal = ("at least " if one.least else "at most ") + number(one.reach, one.unit)
        verdict = {True: "reached", False: "**not reached**", None: ""}[one.reached]
        note = f"{verdict}; {one.note}" if verdict and one.note else verdict or one.note
        rows.append(f"| {one.what} | {number(one.value, one.unit)} | {goal} | {note} |\n")
    return rows


def _table(timings: Mapping[str, Timing]) -> list[str]:
    ours = next(timing for name, timing in timings.items() if _is_ours(name))
    rows = ["| | us | spread | times ours |\n", "| --- | ---: | ---: | ---: |\n"]
    for name, timing in sorted(timings.items(), key=lambda row: row[1].median):
        shown = f"**{name}**" if _is_ours(name) else name
        rows.append(f"| {shown} | {timing.median:.2f} | {timing.spread:.0%} | {timing.median / ours.median:.2f} |\n")
    return rows


def _is_ours(name: str) -> bool:
    return name.startswith("urinorm")


_WIDTH, _ROW, _LEFT, _GAP = 760, 20, 210, 34
_STYLE = (
    "text{font:12px sans-serif;fill:#777}.title{font-weight:bold}.name{text-anchor:end}"
    ".ours{fill:#2a9d5c}.peer{fill:#8aa1b8}"
)


def _svg(comparisons: Comparisons) -> str:
    """Bars on a logarithmic scale, a group for each comparison of all URLs; readable on light and dark pages."""
    groups = {title: timings for title, timings in comparisons.items() if title.endswith("all URLs")} or comparisons
    values = [timing.median for timings in groups.values() for timing in timings.values()]
    low, high = min(values) / 2, max(values) * 1.1
    body, y = [], 10
    for title, timings in groups.items():
        body.append(f'<text x="0" y="{y + 14}" class="title">{escape(title)}: us a call (logarithmic)</text>')
        y += _GAP - 8
        for name, timing in sorted(timings.items(), key=lambda row: row[1].median):
            kind = "ours" if _is_ours(name) else "peer"
            width = (_WIDTH - _LEFT - 80) * math.log(timing.median / low) / math.log(high / low)
            body.append(f'<text x="{_LEFT - 8}" y="{y + 14}" class="name">{escape(name)}</text>')
            body.append(f'<rect x="{_LEFT}" y="{y + 3}" width="{width:.1f}" height="{_ROW - 6}" class="{kind}"/>')
            body.append(f'<text x="{_LEFT + width + 6:.1f}" y="{y + 14}">{timing.median:.2f}</text>')
            y += _ROW
        y += _GAP - 16
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" role="img" '
        f'aria-label="CPU time of a call, by package"><style>{_STYLE}</style>{"".join(body)}</svg>\n'
    )
