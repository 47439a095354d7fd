"""First crawls with live rules and nothing else, of recorded sites, in memory: requests, and pages reached.

    python -m benchmarks.live RECORDINGS [--site wordpress ...] [--learned] [--write]

RECORDINGS is as for `benchmarks.learn_partial`; the breadth first recording of a site is crawled in both orders.
*lost*: core pages that the same crawl meets without live rules and not with them. *reached*: the share of all pages
(page identities of the crawl testbed), and of core ones (articles, products, files, tickets; no forms, diffs, filtered
lists), that were met after as many requests as rules written by hand need for the whole site, or, where there are no
such rules, as the crawl with live rules has sent.
--learned: second crawls, with live rules and with the rules that `urinorm learn` makes of the recording; *learned* is
what these rules take alone.
--write puts the figures into docs/figures.json.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.output import evidence_row
from scrapy_urinorm.visits import read_visits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_urinorm.visits.record import Visit

#: The requests that rules written by hand need, measured by real crawls.
BY_HAND = {
    "wordpress": 512, "dokuwiki": 518, "roundup": 540, "autoindex": 2600, "spirit": 363, "trac": 1192,
    "gitweb": 2883, "oscar": 964,
}  # fmt: skip
FIGURES = Path(__file__).parent.parent / "docs" / "figures.json"


class Pages:
    """What the addresses of one recorded site show."""

    def __init__(self, folder: Path, site: str) -> None:
        name = f"{site}.breadth.jsonl.gz"
        self.visits = list(read_visits([folder / name]))
        self._said: dict[str, tuple[str, bool]] = {}
        with gzip.open(folder / "rows" / name, "rt") as file:
            for line in file:
                row = json.loads(line)
                if row.get("identity") is not None:
                    self._said[_bare(row["url"])] = str(row["identity"]), bool(row.get("core"))
        self._led_to = {_bare(visit.url): _bare(visit.final_url) for visit in self.visits if visit.final_url}

    def met(self, urls: Iterable[str], *, core: bool = False) -> set[str]:
        """Return the pages behind some addresses, all or core ones."""
        found = (self._said.get(url) or self._said.get(self._led_to.get(url, "")) for url in map(_bare, urls))
        return {one[0] for one in found if one is not None and (one[1] or not core)}

    def share(self, urls: Iterable[str], every: Iterable[str], *, core: bool = False) -> float:
        """Return how much of what is behind `every` address was met at some of them, from 0 to 1."""
        return round(len(self.met(urls, core=core)) / max(1, len(self.met(every, core=core))), 3)


def _bare(url: str) -> str:
    """Return what a server is asked for: of one page the fragments say where on it to look."""
    return url.partition("#")[0]


def crawled(folder: Path, site: str, *, learned: bool = False) -> dict[str, dict[str, Any]]:
    """Return what the crawls of a site did, by order."""
    pages = Pages(folder, site)
    options = Options(skip=False)
    rules = [learned_of(pages.visits)] if learned else []
    out = {}
    for order in ("breadth", "depth"):
        newest_first = order == "depth"
        plain = Simulator(pages.visits, options, live=False).crawl(newest_first=newest_first).fetched
        live = Simulator(pages.visits, options, rules).crawl(newest_first=newest_first)
        first = BY_HAND.get(site, len(live.fetched))
        out[order] = {
            "plain": len(plain),
            "live": len(live.fetched),
            "lost": len(pages.met(plain, core=True) - pages.met(live.fetched, core=True)),
            "canaries": live.canaries,
            "given_up": len(live.parked),
            "closed": len(live.closed),
            "reached": pages.share(live.fetched[:first], plain),
            "plain_reached": pages.share(plain[:first], plain),
            "reached_core": pages.share(live.fetched[:first], plain, core=True),
            "plain_reached_core": pages.share(plain[:first], plain, core=True),
        }
        if learned:
            alone = Simulator(pages.visits, options, rules, live=False).crawl(newest_first=newest_first)
            out[order]["learned"] = len(alone.fetched)
    return out


def learned_of(visits: Iterable[Visit]) -> dict[str, Any]:
    """Return what is learned of visits as a rule file says it."""
    found = learn(visits, Options(jobs=1))
    return {**found.rules, "evidence": [evidence_row(one) for one in found.active]}


def main() -> None:
    """Crawl the sites that are recorded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", type=Path)
    parser.add_argument("--site", action="append", help="also of recordings of your own")
    parser.add_argument("--learned", action="store_true", help="under learned rules, too")
    parser.add_argument("--write", action="store_true", help="write the figures into docs/figures.json")
    given = parser.parse_args()
    figures = json.loads(FIGURES.read_text("utf-8"))
    for site in given.site or BY_HAND:
        if not (given.recordings / f"{site}.breadth.jsonl.gz").exists():
            print(f"{site}: is not recorded")
            continue
        found = crawled(given.recordings, site, learned=given.learned)
        for order, row in found.items():
            print(site, order, ", ".join(f"{name} {value:,}" for name, value in row.items()), flush=True)
        figures.setdefault("learned_live" if given.learned else "live", {})[site] = found
        if given.write:
            FIGURES.write_text(json.dumps(figures, indent=2, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()
