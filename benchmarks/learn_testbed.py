"""Real applications crawled by Scrapy alone, with the add-on, with rules written by hand and with learned ones.

    python -m benchmarks.learn_testbed TESTBED [--site wordpress ...] [--work DIR] [--settings FILE.json] [--strict]
    python -m benchmarks.learn_testbed TESTBED --held-out

TESTBED is a copy of the crawl testbed (crawl.py, sites/, lib/) whose sites are up. Rules are learned from what the
crawl with the add-on alone has recorded (URINORM_VISITS); those by hand are in tests/testbed. Requests and pages lost
of each crawl are written to docs/figures.json, from which docs/generate_reference.py makes the tables of the
documentation, site by site. --settings are more settings of Scrapy.

With --held-out the visits of the first crawls, which must be in --work already, are split in halves by page, rules
learned from one half, and scored on the other; pages are told apart by the testbed and not by the learner's labels. The
scores of all sites together go into docs/figures.json, too.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import statistics
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from w3lib.url import canonicalize_url

from benchmarks.inputs import ROOT
from benchmarks.learners import LEARNERS
from scrapy_urinorm.learn import Options
from scrapy_urinorm.learn.baselines import BASELINES
from scrapy_urinorm.learn.evaluation import Scores, evaluate, macro
from scrapy_urinorm.visits import read_visits

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LOSS = 0.0005
#: What can be chosen, from careful to bold.
SETTINGS = {
    "strict": Options().strict(),
    "risk 0.02": Options(risk=0.02),
    "default": Options(),
    "risk 0.1": Options(risk=0.1),
    "10 % wrong": Options(risk=0.1, wrong_merges=0.1),
    "risk 0.2, 5 values": Options(risk=0.2, min_values=5),
}
RIVALS = {**BASELINES, **LEARNERS}
W3LIB = {"w3lib": lambda url: (canonicalize_url(url), False)}
FIGURES = Path(__file__).parent.parent / "docs" / "figures.json"
SITES = ("wordpress", "dokuwiki", "spirit", "autoindex", "roundup")
WAYS = ("alone", "addon", "rules", "learned")


def crawl(testbed: Path, site: str, label: str, settings: dict[str, Any], work: Path) -> list[dict[str, Any]]:
    """Crawl a site and return its rows, one for each request."""
    path = work / f"{site}.{label}.json"
    path.write_text(json.dumps({"_pythonpath": [str(ROOT)], **settings}))
    command = [sys.executable, "crawl.py", site, "--settings", str(path), "--label", label, "--out", str(work)]
    subprocess.run(command, cwd=testbed, check=True, stdout=subprocess.DEVNULL)
    return rows_of(work / f"{site}.{label}.jsonl.gz")


def identities(rows: list[dict[str, Any]], core: bool = False) -> set[str]:
    """Return the pages that a crawl has seen."""
    return {row["identity"] for row in rows if row["status"] == 200 and (row.get("core") or not core)}


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a crawl."""
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]


def held_out(sites: Sequence[str], work: Path) -> None:
    """Print the scores of rules on pages that they were not learned from."""
    found: dict[str, dict[str, dict[str, Scores]]] = {name: {} for name in SETTINGS}
    for site in sites:
        known = {row["url"]: row["identity"] for row in rows_of(work / f"{site}.addon.jsonl.gz") if "identity" in row}
        visits = list(read_visits([work / f"{site}.visits.jsonl.gz"]))
        for name, options in SETTINGS.items():
            (found[name][site],) = evaluate(
                visits, options, seeds=range(1, 11), identities=known, baselines=W3LIB, rivals=RIVALS
            ).values()
    print(
        f"{'rules':20} {'cut':>7} {'recall':>7} {'lost':>8} {'precision':>9} {'mean cut':>8} {'soft URLs':>9}"
        " requests mixed"
    )
    written: dict[str, Any] = {}
    for rival in found["default"][sites[0]]:
        written[rival] = table(rival, [found["default"][site][rival] for site in sites])
    for name in SETTINGS:
        written["learned, " + name] = table("learned, " + name, [found[name][site]["learned"] for site in sites])
    chosen = []
    for site in sites:
        others = {name: [scores[o]["learned"] for o in sites if o != site] for name, scores in found.items()}
        best = choice(others)
        chosen.append(found[best][site]["learned"])
        table(f"{site}: {best}", chosen[-1:])
    table("leave site out", chosen)
    if tuple(sites) == SITES:
        write("held_out", written)


def choice(others: dict[str, list[Scores]]) -> str:
    """The most careful setting within one standard error of the best (Breiman et al. 1984) on the other sites."""
    allowed = [name for name, scores in others.items() if added(scores).loss <= MAX_LOSS] or ["strict"]
    best = max(allowed, key=lambda name: macro(others[name])["cut"])
    cuts = [one.cut for one in others[best]]
    error = statistics.stdev(cuts) / math.sqrt(len(cuts)) if len(cuts) > 1 else 0.0
    return next(name for name in allowed if macro(others[name])["cut"] >= statistics.mean(cuts) - error)


def added(scores: list[Scores]) -> Scores:
    """Return the sum of some scores."""
    total = Scores()
    for one in scores:
        total.add(one)
    return total


def table(name: str, scores: list[Scores]) -> dict[str, float]:
    """Print one row, and return it."""
    one = added(scores)
    print(
        f"{name:20} {one.cut:7.2%} {one.recall:7.2%} {one.loss:8.3%} {one.precision:9.2%} {macro(scores)['cut']:8.2%}"
        f" {one.soft_urls:9} {one.soft_keys:8} {one.soft_mixed:5}",
        flush=True,
    )
    shares = {"cut": one.cut, "recall": one.recall, "loss": one.loss, "precision": one.precision}
    shares["mean_cut"] = macro(scores)["cut"]
    soft = {"soft_urls": one.soft_urls, "soft_keys": one.soft_keys, "soft_mixed": one.soft_mixed}
    return {name: round(share, 5) for name, share in shares.items()} | soft


def write(part: str, found: dict[str, Any]) -> None:
    """Put figures into docs/figures.json."""
    known = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    known[part] = known.get(part, {}) | found
    FIGURES.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n")


def measured(site: str, given: argparse.Namespace) -> dict[str, Any]:
    """Crawl a site in all ways; return what each took, whether it ended, and what it lost beside Scrapy alone."""
    work: Path = given.work
    visits, learned = work / f"{site}.visits.jsonl.gz", work / f"{site}.toml"
    visits.unlink(missing_ok=True)
    learned.unlink(missing_ok=True)
    more = json.loads(given.settings.read_text()) if given.settings else {}
    ours = {"ADDONS": {"scrapy_urinorm.Addon": 600}, **more}
    settings: dict[str, dict[str, Any]] = {
        "alone": more,
        "addon": {**ours, "URINORM_VISITS": str(visits), "URINORM_VISITS_CPU": 0},
        "rules": {**ours, "URINORM_RULES": str(ROOT / "tests" / "testbed" / f"{site}.toml")},
        "learned": {**ours, "URINORM_RULES": str(learned)},
    }
    found: dict[str, Any] = {}
    alone: set[str] = set()
    for way in WAYS:
        if way == "learned":
            command = [sys.executable, "-m", "scrapy_urinorm", "learn", str(visits), "-o", str(learned)]
            subprocess.run(
                [*command, *(["--strict"] if given.strict else [])], cwd=ROOT, check=True, capture_output=True
            )
        rows = crawl(given.testbed, site, way, settings[way], work)
        summary = json.loads((work / f"{site}.{way}.summary.json").read_text())
        alone = alone or identities(rows)
        found[way] = {
            "requests": len(rows),
            "ended": summary["finish_reason"] == "finished",
            "lost": len(alone - identities(rows)),
        }
        print(f"{site:10} {way:8}", *found[way].values(), flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("testbed", type=Path)
    parser.add_argument("--site", action="append", choices=SITES)
    parser.add_argument("--work", type=Path, default=Path("/tmp/learn-testbed"))
    parser.add_argument("--settings", type=Path)
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--held-out", action="store_true")
    given = parser.parse_args()
    sites = given.site or SITES
    if given.held_out:
        held_out(sites, given.work)
        return 0
    given.work.mkdir(parents=True, exist_ok=True)
    failed = False
    for site in sites:
        row = measured(site, given)
        write("testbed", {site: row})
        failed |= bool(row["rules"]["lost"])
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
