"""Leave one application out: settings of the learner chosen on the others, and what they do on the one left out.

    python -m benchmarks.learn_settings RECORDINGS [--part 25 --part 100] [--site wordpress ...] [--write]

RECORDINGS are those of benchmarks/learn_partial.py, and so is the way of judging: the whole recorded graph is crawled
under the rules in both orders at 1, 4 and 16 requests at a time. Of the settings that lose no core page on any other
application, the one with the fewest requests there is chosen. --write puts the figures into docs/figures.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.learn_partial import FIGURES, PARTS, SITES, judge, part_of, recorded
from benchmarks.learn_testbed import SETTINGS
from scrapy_urinorm.learn import learn
from scrapy_urinorm.learn.links.graph import BREADTH, DEPTH
from scrapy_urinorm.visits import read_visits


def main() -> int:
    """Print what each setting does on each application, and what those do that were chosen on the others."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", type=Path)
    parser.add_argument("--site", action="append", choices=SITES)
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--write", action="store_true", help="write the figures into docs/figures.json")
    given = parser.parse_args()
    sites = [site for site in given.site or SITES if (given.recordings / f"{site}.breadth.jsonl.gz").exists()]
    share: dict[str, dict[str, float]] = {name: {} for name in SETTINGS}
    core: dict[str, dict[str, int]] = {name: {} for name in SETTINGS}
    for site in sites:
        recording = recorded(given.recordings, site)
        paths = [given.recordings / f"{site}.{order}.jsonl.gz" for order in (BREADTH, DEPTH)]
        cases = [(path, part) for path in paths if path.exists() for part in given.part or ("25", "100")]
        for name, options in SETTINGS.items():
            found = [
                # read anew, as learning uses visits up
                judge(recording, learn(part_of(list(read_visits([path])), part), replace(options, jobs=1)).rules)
                for path, part in cases
            ]
            share[name][site] = sum(one.requests for one in found) / sum(one.plain for one in found)
            core[name][site] = sum(one.core for one in found)
            print(
                f"{site:10} {name:20} {share[name][site]:7.1%} of the requests, {core[name][site]:4} core", flush=True
            )
    rows = {}
    for site in sites:
        others = [other for other in sites if other != site]
        safe = [name for name in SETTINGS if not any(core[name][other] for other in others)] or ["strict"]
        best = min(safe, key=lambda name: sum(share[name][other] for other in others))
        rows[site] = {"chosen": best, "share": round(share[best][site], 4), "core": core[best][site]}
        print(
            f"{site:10} chosen on the others: {best:20} {share[best][site]:7.1%}, {core[best][site]:4} core pages lost"
        )
    if given.write:
        figures = json.loads(FIGURES.read_text("utf-8"))
        figures["leave_one_out"] = rows
        FIGURES.write_text(json.dumps(figures, indent=2, sort_keys=True) + "\n", "utf-8")
    return any(row["core"] for row in rows.values())


if __name__ == "__main__":
    sys.exit(main())
