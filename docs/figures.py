"""The figures of the documentation, from docs/figures.json.

learn_testbed.py, learn_partial.py, live.py and platforms.py of benchmarks/ write it, and the tests of further
installations. `public` is put in by hand: recorded pages of others' sites, and what scores them, are not part of this
repository.

Between `<!-- figures: NAME -->` and `<!-- end of figures -->` stands in a page what `BLOCKS[NAME]` makes.
"""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from figure_names import HELD_OUT, IN_A_SENTENCE, MORE_NAMES, NAMES, PROGRAMS, PUBLIC, UNSEEN

if TYPE_CHECKING:
    from collections.abc import Callable

DOCS = Path(__file__).resolve().parent
PAGES = (
    "../README.md", "index.md", "why.md", "accuracy.md", "accuracy/applications.md", "accuracy/learned.md",
    "accuracy/live.md", "howto/live.md", "howto/platforms.md",
)  # fmt: skip
PICTURE = DOCS / "_static" / "requests.svg"
_BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end of figures -->)", re.DOTALL)
# in pixels: where bars begin, the longest one, and a line for each application
_LEFT, _WIDEST, _LINE = 130, 470, 45

_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 HEIGHT" role="img" aria-labelledby="t" \
font-family="system-ui, sans-serif" font-size="14">
<title id="t">Requests for the same pages of five applications: Scrapy alone, and with scrapy-urinorm and the rules of \
the site</title>
<style>text{fill:#57606a}.a{fill:#9aa4af}.b{fill:#2da44e}@media(prefers-color-scheme:dark)\
{text{fill:#adbac7}.a{fill:#6b7681}.b{fill:#46b662}}</style>
<rect class="a" x="130" y="8" width="12" height="12" rx="2"/><text x="148" y="19">Scrapy alone</text>
<rect class="b" x="260" y="8" width="12" height="12" rx="2"/>\
<text x="278" y="19">with scrapy-urinorm and rules: requests, no page lost</text>"""

Crawl = dict[str, Any]


def testbed() -> dict[str, dict[str, Crawl]]:
    """The crawls of each application, in the order of the tables."""
    found = json.loads((DOCS / "figures.json").read_text("utf-8"))["testbed"]
    return {site: found[site] for site in NAMES}


def said(crawl: Crawl) -> str:
    """The requests of a crawl, or that it has no end."""
    return f"{crawl['requests']:,}" if crawl["ended"] else "no end"


def _table(*ways: str, lost: str) -> str:
    head = {
        "alone": "Scrapy alone", "addon": "add-on, no rules", "rules": "add-on and rules", "learned": "learned rules",
    }  # fmt: skip
    lines = [
        f"| application | {' | '.join(head[way] for way in ways)}{' | pages lost' if lost else ''} |",
        f"| --- |{' ---: |' * (len(ways) + bool(lost))}",
    ]
    for site, crawls in testbed().items():
        cells = [said(crawls[way]) for way in ways]
        if lost:
            cells.append(str(crawls[lost]["lost"]))
        lines.append(f"| {NAMES[site]} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _sentence() -> str:
    parts = []
    for site, crawls in testbed().items():
        name = IN_A_SENTENCE.get(site, NAMES[site])
        parts.append(f"{name} {said(crawls['rules'])} requests instead of {said(crawls['alone'])}")
    text = ", ".join([parts[0], *(part.replace(" requests", "") for part in parts[1:-1])])
    text = f"For the same pages of five real applications: {text}, and {parts[-1].replace(' requests', '')}."
    return textwrap.fill(text, 120) + "\n"


def _picture_line() -> str:
    parts = [
        f"{IN_A_SENTENCE.get(site, NAMES[site])} {said(crawls['alone'])} and {said(crawls['rules'])}"
        for site, crawls in testbed().items()
    ]
    return f"![Requests by Scrapy alone and with scrapy-urinorm: {', '.join(parts)}](_static/requests.svg)\n"


def _live() -> str:
    found = json.loads((DOCS / "figures.json").read_text("utf-8"))["live"]
    lines = [
        "| application | order | Scrapy | live rules alone | core lost | after N: live, Scrapy | of core pages |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for site, name in MORE_NAMES.items():
        for order, crawl in found.get(site, {}).items():
            cells = [name, f"{order} first", f"{crawl['plain']:,}", f"{crawl['live']:,}", str(crawl["lost"])]
            cells.append(f"{crawl['reached']:.0%}, {crawl['plain_reached']:.0%}")
            cells.append(f"{crawl['reached_core']:.0%}, {crawl['plain_reached_core']:.0%}")
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _learned_live() -> str:
    found = json.loads((DOCS / "figures.json").read_text("utf-8"))
    rows = []
    for site, name in MORE_NAMES.items():
        for order, crawl in found["learned_live"].get(site, {}).items():
            first = found["live"][site][order]["live"]
            cells = [f"{one:,}" for one in (crawl["plain"], first, crawl["learned"], crawl["live"])]
            rows.append([f"{name}, {order} first", *cells, str(crawl["lost"])])
    return _with_names("Scrapy | live rules alone | learned rules alone | both | core lost by both", rows)


def _share(value: float, digits: int = 1) -> str:
    return f"{value:.{digits}%}".replace("%", " %") if 0 < value < 1 else f"{100 * value:.0f} %" if value else "0"


def _held_out() -> str:
    found = json.loads((DOCS / "figures.json").read_text("utf-8"))["held_out"]
    rows = []
    for scored, name in HELD_OUT.items():
        one = found[scored]
        cells = [name, _share(one["cut"]), _share(one["recall"]), _share(one["loss"], 3 if one["loss"] < 0.01 else 1)]
        cells += [_share(one["precision"]) if one["cut"] else "-", _share(one["mean_cut"])]
        rows.append(cells)
    return _with_names("crawl cut | redundant saved | pages lost | merged pairs right | cut, mean of sites", rows)


def _with_names(columns: str, rows: list[list[str]]) -> str:
    """Return a table of figures, a column of names before those that are named."""
    lines = [f"| | {columns} |", "| --- |" + " ---: |" * len(columns.split(" | "))]
    lines += [f"| {' | '.join(cells)} |" for cells in rows]
    return "\n".join(lines) + "\n"


def _public() -> str:
    found = json.loads((DOCS / "figures.json").read_text("utf-8"))["public"]
    rows = []
    for scored, name in PUBLIC.items():
        one = found[scored]
        cells = [name, _share(one["cut_1_2"]), _share(one["cut_3_5"]), str(one["lost"])]
        cells += [_share(one["saved"]), _share(one["unmet"], 3)] if "saved" in one else ["", ""]
        rows.append(cells)
    return _with_names(
        "cut, splits 1 and 2 | cut, splits 3 to 5 | pages lost | requests of the crawl saved | counted as unmet", rows
    )


def _partial() -> str:
    found = json.loads((DOCS / "figures.json").read_text("utf-8"))["partial"]
    sites = [site for site in MORE_NAMES if site in found]
    ways = [
        (f"{text}, {order} first", order, part)
        for part, text in (("25", "from the first quarter"), ("random", "from a random quarter"), ("100", "from all"))
        for order in ("breadth", "depth")
        if any(part in found[site].get(order, {}) for site in sites)
    ]
    lines = [
        f"| application | recorded | {' | '.join(title for title, _, _ in ways)} |",
        f"| --- |{' ---: |' * (len(ways) + 1)}",
    ]
    for site in sites:
        crawls = [found[site].get(order, {}).get(part) for _, order, part in ways]
        plain = max(crawl["plain"] for crawl in crawls if crawl)
        cells = [f"{crawl['requests']:,}" if crawl else "" for crawl in crawls]
        lines.append(f"| {MORE_NAMES[site]} | {plain:,} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _unseen() -> str:
    figures = json.loads((DOCS / "figures.json").read_text("utf-8"))
    columns = (
        "recorded | live, breadth first | depth first | both recordings | learned: a quarter | from all | core lost"
    )
    lines = [f"| application | {columns} |", "| --- |" + " ---: |" * len(columns.split(" | "))]
    for site, name in UNSEEN.items():
        live, learned = figures["live"][site], figures["partial"][site]["breadth"]
        crawls = [live["breadth"], live["depth"], learned["25"], learned["100"]]
        # live rules are tried on the breadth first recording, learned ones on both together
        first = [live["breadth"]["plain"], live["breadth"]["live"], live["depth"]["live"]]
        second = [learned["100"]["plain"], learned["25"]["requests"], learned["100"]["requests"]]
        cells = [name, *(f"{one:,}" for one in (*first, *second))]
        lines.append(f"| {' | '.join(cells)} | {max(crawl['lost'] for crawl in crawls)} |")
    return "\n".join(lines) + "\n"


def _of_platforms(kind: str) -> dict[str, Any]:
    found = json.loads((DOCS / "figures.json").read_text("utf-8"))["platforms"].get(kind, {})
    return {name: found[name] for name in PROGRAMS if name in found}


def _ended(requests: int, ended: bool) -> str:
    return f"{requests:,}" if ended else f"{requests:,}, not ended"


def _platforms() -> str:
    lines = [
        '| program | Scrapy alone | `platform = "..."` alone | live rules alone | articles, files, tickets lost |',
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    alive = _of_platforms("live")
    for name, site in _of_platforms("testbed").items():
        if name in alive:
            live, row = alive[name], site["breadth"]
            cells = [PROGRAMS[name], _ended(live["alone"], live["alone_ended"]), f"{row['platform']:,}"]
            cells += [_ended(live["live"], live["ended"]), str(max(row["platform_lost"], live["lost"]))]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _all_at_once() -> str:
    lines = [
        "| site | Scrapy alone | all packs, breadth first | depth first | lost |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, site in _of_platforms("testbed").items():
        orders = [site[order] for order in ("breadth", "depth")]
        lost = max(row[f"{said}_lost"] for row in orders for said in ("all", "backwards"))
        cells = [PROGRAMS[name], f"{orders[0]['plain']:,}", *(f"{row['all']:,}" for row in orders), str(lost)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _installations() -> str:
    lines = ["| program | Scrapy alone | all lines | contents | lost |", "| --- | ---: | ---: | ---: | ---: |"]
    for name, row in _of_platforms("installations").items():
        if row["recognized"]:
            cells = [_ended(row["alone"], row["ended"]), _ended(row["pack"], row["pack_ended"])]
            cells += [f"{row['contents']:,}", str(row["lost"])]
            lines.append(f"| {PROGRAMS[name]} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _recognized() -> str:
    lines = ["| site | as | by so many pages |", "| --- | --- | ---: |"]
    for name, row in (_of_platforms("testbed") | _of_platforms("installations")).items():
        said = ", ".join(f"`{platform}` in `{path}`" for platform, path, _ in row["recognized"]) or "nothing"
        pages = ", ".join(f"{number:,}" for *_, number in row["recognized"]) or "none"
        of = f" of {row['pages']:,}" if "pages" in row else ""
        lines.append(f"| {PROGRAMS[name]} | {said} | {pages}{of} |")
    return "\n".join(lines) + "\n"


BLOCKS: dict[str, Callable[[], str]] = {
    "platforms": _platforms,
    "all_at_once": _all_at_once,
    "installations": _installations,
    "recognized": _recognized,
    "sentence": _sentence,
    "picture": _picture_line,
    "requests": lambda: _table("alone", "addon", "rules", lost=""),
    "lost": lambda: _table("alone", "addon", "rules", lost="rules"),
    "live": _live,
    "learned_live": _learned_live,
    "held_out": _held_out,
    "partial": _partial,
    "public": _public,
    "unseen": _unseen,
    "learned": lambda: _table("alone", "rules", "learned", lost="learned"),
}


def picture() -> str:
    """The bars of `requests.svg`: what has no end is the longest."""
    rows = testbed()
    longest = max(crawls["alone"]["requests"] for crawls in rows.values())
    lines = [_HEAD.replace("HEIGHT", str(37 + _LINE * len(rows)))]
    for n, (site, crawls) in enumerate(rows.items()):
        top = 36 + _LINE * n
        lines.append(f'<text x="120" y="{top + 21}" text-anchor="end">{NAMES[site].partition(" (")[0]}</text>')
        for kind, way, y in (("a", "alone", top), ("b", "rules", top + 17)):
            width = round(_WIDEST * crawls[way]["requests"] / longest)
            lines.append(
                f'<rect class="{kind}" x="{_LEFT}" y="{y}" width="{width}" height="14" rx="2"/>'
                f'<text x="{_LEFT + width + 6}" y="{y + 12}">{said(crawls[way])}</text>'
            )
    return "\n".join([*lines, "</svg>"]) + "\n"


def pages() -> dict[Path, str]:
    """The pages that hold figures, and the picture, as they should be."""
    out = {PICTURE: picture()}
    for name in PAGES:
        path = (DOCS / name).resolve()
        text = path.read_text("utf-8")
        out[path] = _BLOCK.sub(lambda found: f"{found[1]}\n{BLOCKS[found[2]]()}\n{found[3]}", text)
    return out
