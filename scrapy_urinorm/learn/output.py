"""What was learned as a rule file: active rules as rules, everything considered as evidence rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.importers.document import Document, toml_key, toml_value
from scrapy_urinorm.learn.evidence.candidate import ACTIVE, FACETS, Candidate, tables
from scrapy_urinorm.learn.evidence.risk import wilson_lower
from scrapy_urinorm.learn.pages.contexts import where_of
from scrapy_urinorm.visits.redaction import Redaction

if TYPE_CHECKING:
    from scrapy_urinorm.learn.learner import LearnResult

MAX_REJECTED = 60
"""Rejected candidates written down per site: those with the most evidence, a screen or two."""
MAX_OF_ONE = 10
"""Those of one rule on the same parameters that come before the rest of the site's; chosen. Lists in the order of
fourteen columns made 62 pairs of values, which left no room for why the session was refused."""
NO_GRAPH = "not recorded"
"""Said of rules that were judged by what pages show alone."""
MAX_CRAWLS = 20
"""Crawls named beside the counts that they gave: nobody learns from older ones again."""
_VALUE_OF_PAIR = re.compile(r"(?<==)[^&;#]+")


def evidence_row(candidate: Candidate, hide: Callable[[str], str] = str) -> dict[str, Any]:
    """Return a candidate as a row of `[[evidence]]`; `hide` is applied to the URLs of its examples."""
    e = candidate.evidence
    row: dict[str, Any] = {"status": candidate.status, "site": candidate.scope}
    if candidate.this_host:
        row["this_host"] = True
    if candidate.where:
        row["where"] = candidate.where
    if candidate.exceptions:
        row["except"] = [where_of((*candidate.context, atom)) for atom in candidate.exceptions]
    row |= {
        "rule": candidate.rule,
        "value": candidate.value,
        "source": candidate.family,
        "why": candidate.why,
        "support": candidate.shown,
        "against": e.against,
        "saved": candidate.saved or e.saved,
    }
    exact = (e.groups_for - e.near) / e.groups_for if e.groups_for else candidate.exact
    if exact is not None:
        row["exact"] = round(exact, 3)
    if not candidate.graph:
        row["graph"] = NO_GRAPH
    if candidate.crawls:
        row["crawls"] = list(candidate.crawls[-MAX_CRAWLS:])
    if not e.constant:
        row["risk"] = round(e.risk, 4)
        row["confidence"] = round(wilson_lower(e.agree, e.against), 3)
    for key in ("examples", "counterexamples"):
        pairs = getattr(candidate, key)
        if pairs:
            row[key] = [[hide(one), hide(other)] for one, other in pairs]
    return row


def to_toml(result: LearnResult) -> str:
    """Return the rule file of a result: loadable, with a head that says how it came about."""
    head = (
        f"Learned by `urinorm learn` from {result.visits} visits of {result.sites}"
        f" site{'' if result.sites == 1 else 's'}: {result.urls} URLs under the preset {result.options.preset},"
        f" {result.keys} requests under these rules.\n"
        "Only what stands in a [site] or [host] table is a rule; each has a row of evidence below, and so has what\n"
        "was considered and made no rule. Name this file in `include` to use it; edit a copy: learning writes anew."
    )
    redaction = Redaction()
    hide = (lambda url: anonymized(url, redaction)) if result.options.anonymize else str
    lines = [rules_toml(result.active, result.base, head).rstrip("\n"), *_copied(result.others)]
    lines += evidence_lines(evidence_row(one, hide) for one in (*result.active, *_kept_others(result.others)))
    return "\n".join(lines) + "\n"


def evidence_lines(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of a rule file that hold rows of `[[evidence]]`."""
    for row in rows:
        yield from ("", "[[evidence]]")
        for key, value in row.items():
            yield from _assignment(key, value)


def rules_toml(candidates: Iterable[Candidate], base: dict[str, Any] | None = None, head: str = "") -> str:
    """The rules that candidates are, on top of those of `base`, as the text of a rule file with `head` as a comment."""
    document = Document(head)
    for kind, scopes in tables(candidates, base).items():
        for name, table in scopes.items():
            document.tables[kind, name] = table
    return document.to_toml()


def facets_toml(candidates: Iterable[Candidate]) -> str:
    """The limits for filters that are proposed, as text to be copied; empty where none is."""
    return rules_toml(one for one in candidates if one.family == FACETS).strip("\n")


def _copied(candidates: Iterable[Candidate]) -> list[str]:
    text = facets_toml(candidates)
    said = "# Filters multiply here, and only you know whether lists under several at once are wanted. To copy:"
    return ["", said, *(f"# {line}".rstrip() for line in text.splitlines() if line)] if text else []


def told(candidates: list[Candidate]) -> list[Candidate]:
    """Return those that are no rules and yet stand in the file, in their order."""
    kept = set(_kept_others(candidates))
    return [one for one in candidates if one in kept or one.family == FACETS]


def _assignment(key: str, value: Any) -> list[str]:
    if key in ("examples", "counterexamples"):
        return [f"{key} = [", *(f"    {toml_value(pair)}," for pair in value), "]"]
    return [f"{toml_key(key)} = {toml_value(value)}"]


def _kept_others(candidates: list[Candidate]) -> list[Candidate]:
    """Return what is no rule and yet written down: proposals first, then what has most against it, so many per site.

    No rule on one parameter, of which there may be one for each pair of its values, leaves nothing of all others.
    """
    ranked = sorted(
        candidates,
        key=lambda c: (c.scope, c.status, -(c.evidence.saved + c.evidence.against), c.rule, str(c.value), str(c.where)),
    )
    known: dict[tuple[str, str, str, str], Candidate] = {}
    is_further: dict[tuple[str, str, str, str], bool] = {}
    alike: Counter[Hashable] = Counter()
    for candidate in ranked:
        key = candidate.scope, candidate.rule, str(candidate.value), str(candidate.where)
        if key not in known and candidate.status != ACTIVE:
            kind = candidate.scope, candidate.rule, candidate.names
            known[key], is_further[key] = candidate, alike[kind] >= MAX_OF_ONE
            alike[kind] += 1
    seen: Counter[str] = Counter()
    kept = set()
    for one in sorted(known, key=is_further.__getitem__):
        seen[one[0]] += 1
        if seen[one[0]] <= MAX_REJECTED:
            kept.add(one)
    return [candidate for key, candidate in known.items() if key in kept]


def anonymized(url: str, redaction: Redaction) -> str:
    """Return the URL with every query value and path segment hashed; names, hosts and the structure stay.

    Short numbers and words of up to two letters stay too: they are pages, orders and languages, and rules need them.
    """

    def hide(text: str) -> str:
        return text if len(text) <= 2 or (text.isdigit() and len(text) <= 3) else redaction.hashed(text)[:12]

    head, question, query = url.partition("?")
    query = query.partition("#")[0]
    scheme, slashes, rest = head.partition("://")
    host, *segments = rest.split("/")
    hidden = []
    for segment in segments:
        stem, dot, extension = segment.rpartition(".")
        hidden.append(hide(stem) + dot + extension if dot and len(extension) <= 5 else hide(segment))
    query = _VALUE_OF_PAIR.sub(lambda m: hide(m.group()), query)
    return f"{scheme}{slashes}{'/'.join([host, *hidden])}{question}{query}"
