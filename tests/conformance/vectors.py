"""The suites of test vectors of standards and peers, judged; the table of the documentation is made of it.

`python -m tests.conformance.vectors` writes the part of docs/comparison.md between its two marks, `--all` prints every
difference. The suites are an optional folder beside the repository: without it nothing can be judged.
Verdicts are those of `peers_report`, and *no rule* where the vector asks for what has no counterpart here.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from scrapy_urinorm import Normalizer
from scrapy_urinorm.importers import dud
from scrapy_urinorm.url import split
from tests.conformance.peers_reasons import REASONS, reasons, unusable
from tests.conformance.peers_report import COUNTERPARTS, OPTION_REASONS
from tests.conformance.vectors_rules import ALONE, NO_RULE, PRESET_OF, RULES, RULES_OF_OPTIONS

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT.parent / "shared" / "vectors"
PAGE = ROOT / "docs" / "comparison.md"
MARKS = ("<!-- vectors: made by python -m tests.conformance.vectors -->", "<!-- end of vectors -->")

STANDARDS = (
    "rfc", "wikipedia", "whatwg-spec", "wpt-urltestdata", "wpt-toascii", "wpt-idnatestv2", "wpt-percent-encoding",
)  # fmt: skip
#: Judged by the tests of `No-Vary-Search` in tests/core: it is a header that is read, not a URL.
ELSEWHERE = ("no-vary-search",)
SAFE = Normalizer(preset="safe")


class Judged(NamedTuple):
    """A vector: what it asks, our text, the verdict, and the reasons for it."""

    record: dict[str, Any]
    ours: str
    verdict: str
    why: frozenset[str]


def suites() -> list[str]:
    """The names of the suites that are there."""
    return sorted(path.stem for path in VECTORS.glob("*.jsonl"))


def records(suite: str) -> list[dict[str, Any]]:
    """The vectors of a suite; those of a part of a URL are put into one."""
    return [placed(json.loads(line)) for line in (VECTORS / f"{suite}.jsonl").read_text("utf-8").splitlines()]


def placed(record: dict[str, Any]) -> dict[str, Any]:
    frame = {
        "path": "http://a.example{}",
        "query": "http://a.example/?{}",
        "host": "http://{}/",
        "scheme": "{}://a.example/",
        "fragment": "http://a.example/#{}",
        "string": "http://a.example/?a={}",
    }.get(record.get("component") or "")
    if frame is None:
        return record
    if record["component"] == "query" and record["input"].startswith("?"):
        frame = "http://a.example/{}"
    texts = {name: frame.format(record[name]) for name in ("input", "expected") if record[name] is not None}
    return {**record, **texts}


# --- the same by our rules --------------------------------------------------------------------------------------------

_DUD = {
    "QueryRemovalProcessor": "queryRemoval",
    "QueryRemovalExceptProcessor": "queryRemovalExcept",
    "SubpathRemovalProcessor": "subpathRemoval",
    "NormalizerProcessor": "normalizer",
}


def _dud_rules(options: dict[str, Any]) -> list[dict[str, Any]]:
    rows = options.get("rules", [options])
    return [
        {
            "processor": _DUD[row["processor"]],
            "args": row["args"],
            "order": order,
            "urlPattern": {"include": row.get("include", []), "exclude": row.get("exclude", [])},
        }
        for order, row in enumerate(rows)
    ]


@cache
def _normalizer(rules: str, preset: str) -> Normalizer:
    return Normalizer(json.loads(rules), preset=preset)


def counterpart(record: dict[str, Any]) -> tuple[Normalizer, list[str]]:
    """The normalizer that does what a vector asks, and what the import of its rules leaves out."""
    suite, operation, options = record["suite"], record["operations"][0], record.get("options") or {}
    if suite == "duplicate-url-discarder":
        imported = dud.converted({"rules.json": json.dumps(_dud_rules(options))})
        return _normalizer(json.dumps(imported.document.to_dict()), "safe"), list(map(str, imported.left))
    made = COUNTERPARTS.get((suite, operation))
    if made is not None:
        document = made(options)
        return _normalizer(json.dumps(document), document.pop("preset", "safe")), []
    rules: dict[str, Any] = {}
    preset = "safe"
    for name in record["neutral"]:
        preset = PRESET_OF.get(name, preset)
        of_options = RULES_OF_OPTIONS.get(name)
        for rule, value in {**RULES.get(name, {}), **(of_options(options) if of_options else {})}.items():
            old = rules.get(rule)
            rules[rule] = [*old, *(one for one in value if one not in old)] if isinstance(old, list) else value
    return _normalizer(json.dumps({"rules": rules}), preset), []


# --- verdicts ---------------------------------------------------------------------------------------------------------


def judge(record: dict[str, Any]) -> Judged:
    """The verdict on a vector."""
    if record.get("kind") == "equivalent":
        return _judge_pair(record)
    n, left = counterpart(record)
    given, base, theirs = record["input"], record.get("base"), record["expected"]
    as_key = record["suite"] == "w3lib" and record["operations"][0] == "canonicalize_url"
    ours = n.key(given) if as_key else n.normalize(given, base)
    if theirs is None:
        # equal where ours leaves the text alone, as the URL Standard says
        refused = split(given) is None and (base is None or split(ours) is None)
        return Judged(record, ours, *(("equal", frozenset()) if refused else ("refused", frozenset({"taken by ours"}))))
    if ours in (theirs, *(record.get("alternatives") or ())):
        return Judged(record, ours, "equal", frozenset())
    same = SAFE.key(ours) == SAFE.key(theirs)
    told = _told(record, ours, left if not same else [])
    if told is not None:
        return Judged(record, ours, "same page" if same else told[0], frozenset({told[1]}))
    found = reasons(given, ours, theirs)
    if not same:
        found = _of_different(record, ours, found)
    return Judged(record, ours, "same page" if same else "different", frozenset(found or _of_options(record)))


def _of_options(record: dict[str, Any]) -> set[str]:
    known = [(record["suite"], name) for name in record.get("options") or {}]
    return {OPTION_REASONS[one] for one in known if one in OPTION_REASONS}


def _told(record: dict[str, Any], ours: str, left: list[str]) -> tuple[str, str] | None:
    """A verdict and its reason that what the vector asks gives, whatever the texts are."""
    names = record["neutral"]
    if "told otherwise" in _of_options(record):
        return "different", "told otherwise"
    if left:
        return "different", "left out on import"
    if any(name.startswith("query_encoding(") for name in names):
        return "no rule", "page's encoding"
    if _SURROGATE.search(record["input"]):
        return "different", "lone surrogate"
    if SAFE.key(ours) != SAFE.key(record["expected"]):
        if "decode_repeatedly" in names and _decoded(ours) == _decoded(record["expected"]):
            return "different", "decode_repeatedly"
        without = [name for name in names if name in ALONE]
        if without:
            return "no rule", without[0]
    return None


def _of_different(record: dict[str, Any], ours: str, of_texts: set[str]) -> set[str]:
    """The reasons of two texts with two keys."""
    base = record.get("base")
    if base:
        return {unusable(base) or "refused"} if unusable(ours) else {"resolved otherwise"}
    if "host dropped" in of_texts:
        return of_texts
    of_keys = reasons(record["input"], SAFE.key(ours), SAFE.key(record["expected"]))
    lacking = {name for name in record["neutral"] if name in NO_RULE}
    return of_keys or of_texts or _of_options(record) or lacking


_SURROGATE = re.compile("[\ud800-\udfff]")


def _decoded(text: str) -> str:
    while (decoded := unquote(text)) != text:
        text = decoded
    return text


def _judge_pair(record: dict[str, Any]) -> Judged:
    one, other = record["input"], record["other"]
    n = _of_pairs(record)
    ours = n.key(one) == n.key(other)
    if ours is record["expected"]:
        return Judged(record, str(ours), "equal", frozenset())
    why = _of_pair(one, other, record["expected"])
    return Judged(record, str(ours), "different", frozenset({why} if why else ()))


def _of_pairs(record: dict[str, Any]) -> Normalizer:
    """What a side takes for equal, as rules of ours."""
    if record["operations"][0] == "compute_normalization_string":
        # of a link site: it folds scheme, www, slashes, campaign tags, mobile hosts and extensions
        rules = {"remove_subdomains": ["m", "mobile"], "remove_extensions": ["aspx", "full"]}
        return _normalizer(json.dumps({"rules": rules}), "loose")
    if "NFC" in record.get("note", ""):
        return _normalizer('{"rules": {"unicode_nfc": true}}', "safe")
    return counterpart(record)[0] if record["neutral"] else SAFE


def _of_pair(one: str, other: str, expected: bool) -> str | None:
    """Why two texts have, or have not, one key, against what a peer says."""
    if one == other:
        return "a text is not itself"
    if expected:
        if "another scheme" in (unusable(one), unusable(other)):
            return "another scheme"
        return None
    if SAFE.normalize(one) == SAFE.normalize(other):
        return "spellings the URL Standard makes one"
    return "merged by Scrapy's own fingerprint"


PAIR_REASONS = {
    "a text is not itself": "takes a malformed text for equal to nothing, not even to itself",
    "another scheme": REASONS["another scheme"],
    "spellings the URL Standard makes one": "keeps spellings apart that every browser writes as one URL",
    "merged by Scrapy's own fingerprint": "keeps apart what Scrapy's fingerprint merges (fragment, order, empty query)",
}


def explained(reason: str) -> str | None:
    """What a reason says; None where it is none."""
    return PAIR_REASONS.get(reason) or REASONS.get(reason) or NO_RULE.get(reason) or _MORE.get(reason)


_MORE = {
    "lone surrogate": "writes a lone surrogate as U+FFFD; ours keeps the octets, so that two of them stay two URLs",
    "taken by ours": "refuses the input, ours takes it as browsers do",
}


@cache
def judged(suite: str) -> tuple[Judged, ...]:
    """Every verdict on a suite."""
    return () if suite in ELSEWHERE else tuple(map(judge, records(suite)))


# --- text -------------------------------------------------------------------------------------------------------------


def tables() -> str:
    """The two tables of the documentation."""
    lines = [
        "| suite | vectors | no rule for it | equal | same page | different | refused there, taken here |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    why: dict[str, Counter[str]] = defaultdict(Counter)
    where: dict[str, dict[str, None]] = defaultdict(dict)
    for suite in [name for name in suites() if name not in ELSEWHERE]:
        counts: Counter[str] = Counter()
        for one in judged(suite):
            counts[one.verdict] += 1
            for reason in one.why:
                why[reason][one.verdict] += 1
                where[reason][suite] = None
        cells = [sum(counts.values()), *(counts[v] for v in ("no rule", "equal", "same page", "different", "refused"))]
        lines.append(f"| {suite} | {' | '.join(map(str, cells))} |")
    lines += [
        "",
        "| no rule | same page | different | where | what the other side does |",
        "| ---: | ---: | ---: | --- | --- |",
    ]
    for reason, counts in sorted(why.items(), key=lambda item: (-item[1].total(), item[0])):
        numbers = f"{counts['no rule']} | {counts['same page']} | {counts['different'] + counts['refused']}"
        lines.append(f"| {numbers} | {', '.join(where[reason])} | {explained(reason)} |")
    return "\n".join(lines)


def main() -> int:
    """Write the tables into the page, and name what has no reason."""
    if not VECTORS.is_dir():
        sys.exit(f"needs {VECTORS}: the suites of standards and peers")
    unexplained = 0
    for suite in suites():
        for one in judged(suite):
            lacks = one.verdict not in ("equal",) and not (one.why and all(map(explained, one.why)))
            unexplained += lacks
            if lacks or ("--all" in sys.argv and one.verdict not in ("equal", "same page")):
                record = one.record
                print(suite, one.verdict, sorted(one.why), record["operations"], ascii(record["input"])[:150], end=" ")
                print(record.get("base") or record.get("other") or "", "| ours", ascii(one.ours)[:120], end=" ")
                print("| theirs", ascii(record["expected"])[:120], record.get("options") or "")
    head, _, rest = PAGE.read_text("utf-8").partition(MARKS[0])
    tail = rest.partition(MARKS[1])[2]
    PAGE.write_text(f"{head}{MARKS[0]}\n{tables()}\n{MARKS[1]}{tail}", "utf-8")
    return unexplained != 0


if __name__ == "__main__":
    raise SystemExit(main())
