"""Crawl once, learn, crawl again: requests and pages lost on real applications, beside rules written by hand.

    python benchmarks/learn_testbed.py TESTBED [--site wordpress ...] [--work DIR] [--strict]
    python benchmarks/learn_testbed.py TESTBED --held-out

TESTBED is a copy of the crawl testbed (crawl.py, sites/, lib/) whose sites are up. The first crawl runs with the
add-on and URINORM_VISITS, the second with nothing but the learned file.

With --held-out the visits of the first crawls, which must be in --work already, are split in halves by page, rules
learned from one half, and scored on the other; pages are told apart by the testbed and not by the learner's labels.
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
from typing import Any

from w3lib.url import canonicalize_url

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.learners import LEARNERS  # noqa: E402  the checkout, not what is installed
from scrapy_urinorm.learn import Options  # noqa: E402
from scrapy_urinorm.learn.baselines import BASELINES  # noqa: E402
from scrapy_urinorm.learn.evaluation import Scores, evaluate, macro  # noqa: E402
from scrapy_urinorm.visits import read_visits  # noqa: E402

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
#: Requests and the factor to reach: rules written by hand by somebody who knows the application.
HAND = {
    "wordpress": (512, 1.05),
    "dokuwiki": (518, 1.1),
    "spirit": (363, 1.05),
    "autoindex": (2600, 1.05),
    "roundup": (540, 1.02),
}


def crawl(testbed: Path, site: str, label: str, settings: dict[str, Any], work: Path) -> list[dict[str, Any]]:
    """Crawl a site and return its rows."""
    given = {"ADDONS": {"scrapy_urinorm.Addon": 600}, "_pythonpath": [str(ROOT)], **settings}
    path = work / f"{site}.{label}.json"
    path.write_text(json.dumps(given))
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


def held_out(sites: list[str], work: Path) -> None:
    """Print the scores of rules on pages that they were not learned from."""
    found: dict[str, dict[str, dict[str, Scores]]] = {name: {} for name in SETTINGS}
    for site in sites:
        known = {row["url"]: row["identity"] for row in rows_of(work / f"{site}.first.jsonl.gz") if "identity" in row}
        visits = list(read_visits([work / f"{site}.visits.jsonl.gz"]))
        for name, options in SETTINGS.items():
            (found[name][site],) = evaluate(
                visits, options, seeds=range(1, 11), identities=known, baselines=W3LIB, rivals=RIVALS
            ).values()
    print(
        f"{'rules':20} {'cut':>7} {'recall':>7} {'lost':>8} {'precision':>9} {'mean cut':>8} {'soft URLs':>9}"
        " requests mixed"
    )
    for rival in found["default"][sites[0]]:
        table(rival, [found["default"][site][rival] for site in sites])
    for name in SETTINGS:
        table("learned, " + name, [found[name][site]["learned"] for site in sites])
    chosen = []
    for site in sites:
        others = {name: [scores[o]["learned"] for o in sites if o != site] for name, scores in found.items()}
        best = choice(others)
        chosen.append(found[best][site]["learned"])
        table(f"{site}: {best}", chosen[-1:])
    table("leave site out", chosen)


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


def table(name: str, scores: list[Scores]) -> None:
    """Print one row."""
    one = added(scores)
    print(
        f"{name:20} {one.cut:7.2%} {one.recall:7.2%} {one.loss:8.3%} {one.precision:9.2%} {macro(scores)['cut']:8.2%}"
        f" {one.soft_urls:9} {one.soft_keys:8} {one.soft_mixed:5}",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("testbed", type=Path)
    parser.add_argument("--site", action="append", choices=sorted(HAND))
    parser.add_argument("--work", type=Path, default=Path("/tmp/learn-testbed"))
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--held-out", action="store_true")
    given = parser.parse_args()
    if given.held_out:
        held_out(given.site or list(HAND), given.work)
        return 0
    given.work.mkdir(parents=True, exist_ok=True)
    failed = False
    print(
        f"{'site':10} {'first':>6} {'hand':>6} {'learned':>7} {'factor':>7} {'pages':>6} {'lost':>5} {'core':>5} rules"
    )
    for site in given.site or HAND:
        visits, rules = given.work / f"{site}.visits.jsonl.gz", given.work / f"{site}.toml"
        visits.unlink(missing_ok=True)
        first = crawl(given.testbed, site, "first", {"URINORM_VISITS": str(visits)}, given.work)
        command = [sys.executable, "-m", "scrapy_urinorm.cli", "learn", str(visits), "-o", str(rules), "--json"]
        learned = json.loads(
            subprocess.run(
                [*command, *(["--strict"] if given.strict else [])], cwd=ROOT, check=True, capture_output=True
            ).stdout
        )
        second = crawl(given.testbed, site, "second", {"URINORM_RULES": str(rules)}, given.work)
        hand, limit = HAND[site]
        lost = identities(first) - identities(second)
        core = identities(first, core=True) - identities(second, core=True)
        factor = len(second) / hand
        failed |= factor > limit or bool(core)
        print(
            f"{site:10} {len(first):6} {hand:6} {len(second):7} {factor:7.3f} {len(identities(first)):6} {len(lost):5}"
            f" {len(core):5} {learned['rules']}",
            flush=True,
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
