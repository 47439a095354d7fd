"""Packs on recorded sites: what is recognized, and crawls under the site's own pack and under all packs at once.

    python -m benchmarks.platforms RECORDINGS [--site wordpress ...] [--write]

RECORDINGS is as for `benchmarks.live`. The recorded links are crawled in both orders. *lost*: core pages that the crawl
without rules meets and the one under packs does not; *all* are all lines of all packs, in both orders of the packs.
--write puts the figures into docs/figures.json.
"""

from __future__ import annotations

import argparse
import json
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.live import BY_HAND, FIGURES, Pages
from scrapy_urinorm import Normalizer
from scrapy_urinorm.rulesets import platforms
from scrapy_urinorm.visits.links import HASH, url_hash
from scrapy_urinorm.visits.programs import is_page, programs

if TYPE_CHECKING:
    from scrapy_urinorm.visits import Visit

#: The packs of the sites; the forum and the shop run programs that there is none for, and have forms to log in.
OWN = {one: one for one in ("wordpress", "dokuwiki", "trac", "gitweb", "roundup", "autoindex")} | {
    "spirit": "logins",
    "oscar": "logins",
}


class Recorded:
    """One site as it was recorded: its visits, by their addresses and by the hashes that links name them by."""

    def __init__(self, visits: list[Visit]) -> None:
        self.by_url: dict[str, Visit] = {}
        for visit in visits:
            known = self.by_url.get(visit.url)
            if known is None or known.status in range(300, 400):
                self.by_url[visit.url] = visit
        self.first = self.by_url[visits[0].url]
        for visit in visits:
            # where on the page to look is not asked of a server
            self.by_url.setdefault((visit.final_url or visit.url).partition("#")[0], visit)
        self.by_hash = {url_hash(url): visit for url, visit in self.by_url.items()}

    def crawled(self, n: Normalizer, *, newest_first: bool) -> list[str]:
        """Return the addresses that a crawl under rules fetches."""
        queue, last = deque([self.first]), deque["Visit"]()
        asked, seen, fetched = {self.first.url}, {n.key(self.first.url)}, list[str]()
        while queue or last:
            visit = (queue.pop() if newest_first else queue.popleft()) if queue else last.popleft()
            fetched.append(visit.url)
            links = visit.links or b""
            found = [self.by_hash.get(links[at : at + HASH]) for at in range(0, len(links), HASH)]
            if visit.final_url and visit.final_url != visit.url:
                found.append(self.by_url.get(visit.final_url.partition("#")[0]))
            for one in found:
                if one is None or one.url in asked:
                    continue
                asked.add(one.url)
                decision = n.decide(one.url)
                if decision.skip or decision.key in seen:
                    continue
                seen.add(decision.key)
                (last if decision.defer else queue).append(one)
        return fetched


def measured(folder: Path, site: str) -> dict[str, Any]:
    """Return the figures of a site."""
    pages = Pages(folder, site)
    visits = [visit for visit in pages.visits if not visit.url.endswith("/robots.txt")]
    host = visits[0].url.split("/")[2]
    found = programs(visits)
    out: dict[str, Any] = {
        "recognized": [[one.platform, one.path, one.pages] for one in found],
        "pages": sum(map(is_page, visits)),
    }
    said: dict[str, Any] = {"platform": OWN.get(site)}
    for name, packs in (("all", platforms.names()), ("backwards", platforms.names()[::-1])):
        said[name] = [{"name": pack, "all": True} for pack in packs]
    recorded, bare = Recorded(visits), Normalizer(preset="safe")
    for order in ("breadth", "depth"):
        newest_first = order == "depth"
        plain = recorded.crawled(bare, newest_first=newest_first)
        row: dict[str, Any] = {"plain": len(plain)}
        for name, value in said.items():
            if value is None:
                continue
            fetched = recorded.crawled(Normalizer({"host": {host: {"platform": value}}}), newest_first=newest_first)
            row[name] = len(fetched)
            row[f"{name}_lost"] = len(pages.met(plain, core=True) - pages.met(fetched, core=True))
        out[order] = row
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", type=Path)
    parser.add_argument("--site", nargs="*", default=list(BY_HAND))
    parser.add_argument("--write", action="store_true", help="put the figures into docs/figures.json")
    wanted = parser.parse_args()
    for site in wanted.site:
        row = measured(wanted.recordings, site)
        print(json.dumps({"site": site} | row), flush=True)
        if wanted.write:
            figures = json.loads(FIGURES.read_text("utf-8"))
            figures.setdefault("platforms", {}).setdefault("testbed", {})[site] = row
            FIGURES.write_text(json.dumps(figures, indent=2, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()
