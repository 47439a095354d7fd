"""What the records of the peers' tests say about us: verdicts with their reasons, and the laws.

A record is one call of a peer's function: an input, options, and the text that came out. Ours is the canonical URL (for
w3lib's `canonicalize_url` the key) under the `safe` preset, with the rules switched on that do what the peer's function
is for. Verdicts: *equal* text; *same page*, another text with the same key; *different*; *refused* by the peer.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy import Request
from w3lib.url import canonicalize_url

from scrapy_urinorm import Normalizer
from scrapy_urinorm.importers import dud
from tests.conformance.peers_reasons import REASONS, reasons, unusable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scrapy_urinorm.importers.document import Imported

PRESETS = {name: Normalizer(preset=name) for name in ("safe", "recommended", "loose")}
SAFE = PRESETS["safe"]
VERDICTS = ("equal", "same page", "different", "refused")


class Record(NamedTuple):
    """One call; ``output`` is None where the peer raised ``error``, or gave no text."""

    suite: str
    operation: str
    input: str
    options: dict[str, Any]
    output: str | None
    error: str | None = None


# --- the same operation by our rules ----------------------------------------------------------------------------------


def _names(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _canonicalize_url(options: dict[str, Any]) -> dict[str, Any]:
    rules: dict[str, Any] = {}
    if options.get("keep_fragments", options.get("2")):
        rules["fragment"] = "keep"
    if not options.get("keep_blank_values", options.get("1", True)):
        rules["remove_empty_params"] = ["*"]
    if options.get("query_separator") == ";":
        rules["semicolon_separators"] = True
    return {"rules": rules}


def _url_query_cleaner(options: dict[str, Any]) -> dict[str, Any]:
    named = [
        {"name": name, "case_sensitive": True} for name in _names(options.get("parameterlist", options.get("1", ())))
    ]
    rules: dict[str, Any] = {"dedupe_params": "first"} if options.get("unique", True) else {}
    if options.get("remove"):
        rules["remove_params"] = named
    elif named:
        rules["keep_params"] = named
    else:
        rules["remove_query"] = True
    return {"rules": rules}


def _url_normalize(options: dict[str, Any]) -> dict[str, Any]:
    rules: dict[str, Any] = {"unicode_nfc": True, "remove_trailing_dot": True, "stray_percent": "encode"}
    allowed = options.get("param_allowlist")
    if options.get("filter_params") and isinstance(allowed, list):
        rules["keep_params"] = allowed
    return {"rules": rules}


def _courlan(_: dict[str, Any]) -> dict[str, Any]:
    return {"preset": "recommended", "rules": {"duplicate_slashes": "remove"}}


def _imported(options: dict[str, Any]) -> Imported:
    return dud.converted({"rules.json": json.dumps(options["rules"])})


DISCARDER = (
    "process_url",
    "QueryRemovalProcessor",
    "QueryRemovalExceptProcessor",
    "SubpathRemovalProcessor",
    "NormalizerProcessor",
)
#: The rules of ours that do what a function is for, from its options; without a row, the `safe` preset alone.
COUNTERPARTS: dict[tuple[str, str], Callable[[dict[str, Any]], dict[str, Any]]] = {
    ("w3lib", "canonicalize_url"): _canonicalize_url,
    ("w3lib", "url_query_cleaner"): _url_query_cleaner,
    ("url-normalize", "url_normalize"): _url_normalize,
    ("courlan", "normalize_url"): _courlan,
    ("courlan", "clean_url"): _courlan,
    ("furl", "Path.normalize"): lambda _: {"rules": {"duplicate_slashes": "remove"}},
    **{("duplicate-url-discarder", name): lambda options: _imported(options).document.to_dict() for name in DISCARDER},
}


#: What an option says that no look at the texts can tell, by package and option.
OPTION_REASONS = {
    ("w3lib", "encoding"): "page's encoding",
    ("w3lib", "path_encoding"): "page's encoding",
    ("w3lib", "query_separator"): "told otherwise",
    ("furl", "args"): "told otherwise",
    ("hyperlink", "path"): "told otherwise",
    ("yarl", "encoded"): "told otherwise",
    ("url-normalize", "param_allowlist"): "names read otherwise",
}
#: These work on a path and a query alone: an input without a scheme is put below an address, and so is the output.
ON_PARTS = {("w3lib", "url_query_cleaner")}


@cache
def _normalizer(rules: str, preset: str) -> Normalizer:
    return Normalizer(json.loads(rules), preset=preset)


def counterpart(record: Record) -> Normalizer:
    """Return the normalizer with the rules that do what the recorded call did."""
    rules_of = COUNTERPARTS.get((record.suite, record.operation))
    made = rules_of(record.options) if rules_of is not None else {}
    preset = made.pop("preset", "safe")
    return _normalizer(json.dumps(made), preset)


def ours(record: Record) -> str:
    """Our text for the input of a record."""
    n = counterpart(record)
    if record.operation == "canonicalize_url":
        return n.key(record.input)
    return n.normalize(record.input, record.options.get("base"))


# --- verdicts ---------------------------------------------------------------------------------------------------------


@dataclass
class Report:
    """Counts per suite and operation, the records of each reason, and what no reason explains."""

    counts: dict[tuple[str, str], dict[str, int]] = field(
        default_factory=lambda: defaultdict(lambda: dict.fromkeys(VERDICTS, 0))
    )
    reasons: dict[str, dict[str, list[Record]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    unexplained: list[Record] = field(default_factory=list)

    def add(self, record: Record) -> None:
        verdict, why = judge(record)
        self.counts[record.suite, record.operation][verdict] += 1
        for reason in why:
            self.reasons[reason][verdict].append(record)
        if not why and verdict in ("same page", "different"):
            self.unexplained.append(record)


def placed(record: Record) -> Record:
    """The record with absolute URLs, where its function works on parts alone."""
    if (record.suite, record.operation) not in ON_PARTS or ":" in record.input.partition("?")[0]:
        return record
    root = "http://a.example/"
    output = record.output if record.output is None else root + record.output.lstrip("/")
    return record._replace(input=root + record.input.lstrip("/"), output=output)


def judge(record: Record) -> tuple[str, set[str]]:
    """The verdict on a record, and the reasons for it: of the texts, or where the keys differ, of the keys."""
    record = placed(record)
    if record.output is None:
        return "refused", set()
    mine, theirs = ours(record), record.output
    if mine == theirs:
        return "equal", set()
    keys = SAFE.key(mine), SAFE.key(theirs)
    if keys[0] == keys[1]:
        return "same page", _why(record, mine, theirs)
    if "rules" in record.options and _imported(record.options).left:
        return "different", {"left out on import"}
    of_texts = _why(record, mine, theirs)
    if "host dropped" in of_texts:
        return "different", of_texts
    return "different", _why(record, *keys) or of_texts


def _why(record: Record, mine: str, theirs: str) -> set[str]:
    told = {OPTION_REASONS[record.suite, name] for name in record.options if (record.suite, name) in OPTION_REASONS}
    if "told otherwise" in told:
        return {"told otherwise"}
    base = record.options.get("base")
    if base and unusable(mine):
        return {unusable(base) or "refused"}
    found = reasons(record.input, mine, theirs)
    if base and SAFE.key(mine) != SAFE.key(theirs):
        return {"resolved otherwise"}
    return found or told


def judged(records: Iterable[Record]) -> Report:
    """Judge all records."""
    report = Report()
    for record in records:
        report.add(record)
    return report


# --- laws -------------------------------------------------------------------------------------------------------------


def broken_laws(records: Iterable[Record]) -> list[str]:
    """Every input and output that breaks a law, a line each: total, idempotent, nothing split that Scrapy merges."""
    texts = dict.fromkeys(text for r in records for text in (r.input, r.output) if text is not None)
    broken = []
    scrapy: dict[str, tuple[str, str]] = {}
    for text in texts:
        for name, n in PRESETS.items():
            errors = n.counts["error"]
            canonical, key = n.normalize(text), n.key(text)
            if n.counts["error"] != errors:
                broken.append(f"{name}: a rule raised on {text!a}")
            if n.normalize(canonical) != canonical or n.key(canonical) != key:
                broken.append(f"{name}: not idempotent on {text!a}")
        try:
            seen = Request(text).url
            of_scrapy = canonicalize_url(seen)
        except ValueError:
            continue  # not absolute, say: no request has such a URL, or Scrapy's own fingerprint raises
        other, key = scrapy.setdefault(of_scrapy, (text, SAFE.key(seen)))
        if key != SAFE.key(seen):
            broken.append(f"safe: Scrapy merges {other!a} and {text!a}, the keys differ")
    return broken


# --- text -------------------------------------------------------------------------------------------------------------


def table(report: Report) -> str:
    """The counts as a Markdown table, a row for an operation."""
    lines = [
        "| package | function | calls | equal text | same page | different | refused by it |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    totals = dict.fromkeys(VERDICTS, 0)
    for (suite, operation), counts in report.counts.items():
        cells = [sum(counts.values()), *counts.values()]
        lines.append(f"| {suite} | `{operation}` | {' | '.join(map(str, cells))} |")
        totals = {verdict: totals[verdict] + counts[verdict] for verdict in VERDICTS}
    cells = [sum(totals.values()), *totals.values()]
    return "\n".join([*lines, f"| all | | {' | '.join(map(str, cells))} |"])


def table_of_reasons(report: Report) -> str:
    """The differences as a Markdown table, a row for a reason, those of most calls first.

    A call with two reasons counts in both.
    """
    lines = ["| same page | different | where | what the package does |", "| ---: | ---: | --- | --- |"]

    def size(item: tuple[str, dict[str, list[Record]]]) -> int:
        return -sum(map(len, item[1].values()))

    for reason, of_verdict in sorted(report.reasons.items(), key=size):
        same, different = of_verdict.get("same page", []), of_verdict.get("different", [])
        suites = ", ".join(dict.fromkeys(record.suite for record in (*same, *different)))
        lines.append(f"| {len(same)} | {len(different)} | {suites} | {REASONS.get(reason, reason)} |")
    return "\n".join(lines)
