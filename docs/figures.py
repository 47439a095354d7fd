"""The figures of the documentation, from docs/figures.json, which learn_testbed.py and live.py of benchmarks/ write.

Between `<!-- figures: NAME -->` and `<!-- end of figures -->` stands in a page what `BLOCKS[NAME]` makes.
"""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

DOCS = Path(__file__).resolve().parent
PAGES = ("../README.md", "index.md", "why.md", "accuracy.md", "howto/live.md")
PICTURE = DOCS / "_static" / "requests.svg"
NAMES = {
    "wordpress": "WordPress", "dokuwiki": "DokuWiki", "spirit": "Spirit (forum)",
    "autoindex": "Apache directory listings", "roundup": "Roundup (tracker)",
}  # fmt: skip
IN_A_SENTENCE = {"spirit": "a Spirit forum", "autoindex": "file listings", "roundup": "Roundup"}
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
    names = NAMES | {"trac": "Trac", "gitweb": "gitweb", "oscar": "Oscar (shop)"}
    lines = [
        "| application | order | Scrapy | live rules alone | core pages lost | reached after N: live, Scrapy |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for site, name in names.items():
        for order, crawl in found.get(site, {}).items():
            cells = [name, f"{order} first", f"{crawl['plain']:,}", f"{crawl['live']:,}", str(crawl["lost"])]
            cells.append(f"{crawl['reached']:.0%}, {crawl['plain_reached']:.0%}")
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


BLOCKS: dict[str, Callable[[], str]] = {
    "sentence": _sentence,
    "picture": _picture_line,
    "requests": lambda: _table("alone", "addon", "rules", lost=""),
    "lost": lambda: _table("alone", "addon", "rules", lost="rules"),
    "live": _live,
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
