"""The rule that ends a crawl trap, as text to be copied."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from scrapy_urinorm.errors import RuleFileError
from scrapy_urinorm.importers.document import Document
from scrapy_urinorm.importers.facets import is_id, limit_of, turns_pages
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.url import decoded, items_of, split

YEARS_BACK, YEARS_AHEAD = 20, 2
"""How far a calendar is followed; who wants more writes it."""


def rule_of(
    kind: str, host: str, examples: Sequence[str], *, detail: str = "", pattern: str = "", names: Sequence[str] = ()
) -> str:
    """The lines of a rule file that end a trap of this kind on a host; empty where only a person can tell.

    `pattern` is the path pattern of the trap, `detail` the parameter of a nested one, `names` those of facets; in the
    key spelling.
    """
    table = _table(kind, examples, detail, glob_of(pattern), names)
    if not table:
        return ""
    document = Document()
    if "path" in table:
        document.table("host", host)["where"] = [table]
    else:
        document.table("host", host).update(table)
    try:
        RuleSet.load(document.to_dict())
    except RuleFileError:
        # a host that is none, a name that no rule file can hold
        return ""
    return document.to_toml()


def _table(kind: str, examples: Sequence[str], name: str, path: str, names: Sequence[str]) -> dict[str, Any]:
    if kind == "nested" and name:
        return {"collapse_nested": [decoded(name)]}
    if kind == "repeated" and (glob := _repetition(examples)):
        return {"path": glob, "skip": True}
    if kind == "one page" and path:
        # the one page is still to be fetched; of many paths none is more it than the others
        return {"path": path, "skip": True} if "*" in path else {"path": path, "keep_params": []}
    if kind == "calendar" and path:
        return _calendar(examples, path)
    if kind == "facets" and path:
        shown = [one for one in map(decoded, dict.fromkeys(names)) if not turns_pages(one)]
        # how many values they have is not known here
        filters, items = [one for one in shown if not is_id(one)], [one for one in shown if is_id(one)]
        return limit_of(path, filters, items=items) if len(filters) > 1 else {}
    return {}


def glob_of(pattern: str) -> str:
    """A path glob for a path pattern, in which `{n}` is a number."""
    return re.sub(r"\*{3,}", "**", pattern.replace("{n}", "*"))


def _calendar(examples: Sequence[str], path: str) -> dict[str, Any]:
    year = datetime.now(UTC).year
    for name, value in (item for url in examples for item in items_of(url)):
        text = decoded(value)
        if not re.match(r"\d{4}(\D|$|\d{2}$|\d{4}$)", text):
            continue
        # a year alone is a number; of a date with a day conditions know the order, of `2024-05` none
        if re.fullmatch(r"\d{4}", text):
            low, high = year - YEARS_BACK, year + YEARS_AHEAD
            return {"path": path, "query": {decoded(name): {"above": high}}, "skip": True} if int(text) >= low else {
                "path": path, "query": {decoded(name): {"below": low}}, "skip": True}  # fmt: skip
        if re.match(r"\d{4}-\d{2}-\d{2}", text):
            return {"path": path, "query": {decoded(name): {"above": f"{year + YEARS_AHEAD}-12-31"}}, "skip": True}
        years = f"(?!{'|'.join(str(year + n) for n in range(-YEARS_BACK, YEARS_AHEAD + 1))})"
        return {"path": path, "query": {decoded(name): {"matches": years + r"\d{4}.*"}}, "skip": True}
    # which number of a path is the year is not known here: what cannot be told apart comes last
    return {"path": path, "defer": True}


def _repetition(examples: Sequence[str]) -> str:
    """A glob for what the path of an example repeats."""
    paths = (parts.path for url in examples if (parts := split(url)) is not None)
    return next(filter(None, map(repetition, paths)), "")


def repetition(path: str) -> str:
    """A glob for paths in which a segment of this one stands three times, or a run of two and more twice at once.

    Empty where there is no such.
    """
    segments = [one for one in path.split("/") if one]
    for one, count in Counter(segments).items():
        # a number may come back by chance: /2020/3/3/3
        if count >= 3 and not one.isdigit():
            return "/**" + f"/{one}/**" * 3
    for width in (2, 3):
        for at in range(len(segments) - 2 * width + 1):
            run = segments[at : at + width]
            if run == segments[at + width : at + 2 * width]:
                return f"/**/{'/'.join(run + run)}/**"
    return ""
