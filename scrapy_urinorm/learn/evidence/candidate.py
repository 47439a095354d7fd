"""A candidate rule, and many of them as the tables of a rule file."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.importers.facets import LIMIT
from scrapy_urinorm.learn.pages.contexts import Atom, Context, where_of

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.judge import Evidence
    from scrapy_urinorm.learn.pages.contexts import Contexts

DECLARED = "declared"
"""The family of rules that a site states itself: they hold though this crawl may not need them."""
CONSTANT = "constant view"
"""The family of rules on one page under very many values."""
SEPARATORS, SPLIT = "separators", "semicolon_separators"
"""The family of the rules that say how queries are split, and the rule that says it."""
FACETS = "facets"
"""The family of limits for filters: proposals that a person takes or leaves."""
REWRITE = "rewrite"
"""The rule that families without one of their own write."""
SKIP, DEFER = "skip", "defer"
SILENT = (SKIP, DEFER, LIMIT)
"""Rules that say what is not requested, or last; they change no key."""
SIBLINGS = "siblings"
"""What is counted for live rules, and no rule: how often the others agreed where two addresses did."""
ACTIVE, PROPOSED, REJECTED, UNVERIFIED = "active", "proposed", "rejected", "unverified"
TREES = "a version or a language may be meant, and no redirects or canonical links say it of each"
TITLED = "their pages have titles of their own, as two lists have that are the same today"
TWO_NUMBERS = "two numbers are no spellings of one, as two months without an event are not"
LATEST = "each page was seen under one number of it, which may be that of its latest version"
"""Why a candidate `needs_word`."""


@dataclass(slots=True, eq=False)
class Candidate:
    """One rule with where it holds and why: `value` is in the grammar of a rule file.

    `scope` is the host or domain of the `site` table, `site` the registrable domain; `names` are the parameters
    (key spelling) that a URL must have to be touched, empty where it depends on the path; `host` is the one that it
    must have where that is not the scope; `conditions` stand for `context` where given; `examples` and
    `counterexamples` are pairs of URLs. `earlier` rules come from a file of before; `crawls` are those that its
    counts are from. `this_host` rules hold for the host `scope` and not below it. `exact` is the share of groups
    that agreed with equal pages, not near ones; `graph` says that the recorded links, too, were looked at.
    """

    scope: str
    rule: str
    value: Any
    evidence: Evidence
    family: str
    why: str
    context: Context = ()
    exceptions: tuple[Atom, ...] = ()
    names: frozenset[str] = frozenset()
    host: str = ""
    status: str = ACTIVE
    needs_word: bool = False
    """Whether equal pages are not enough for it, only the site's own word is."""
    proven: bool = False
    """Whether it is a line of a pack that was proven on real installations."""
    extent: dict[str, Any] | None = None
    """Its conditions for a crawl that does not test it by samples, where these are others: numbers that were seen."""
    saved: int = 0
    conditions: dict[str, Any] | None = None
    site: str = ""
    examples: list[tuple[str, str]] = field(default_factory=list)
    counterexamples: list[tuple[str, str]] = field(default_factory=list)
    earlier: bool = False
    crawls: tuple[str, ...] = ()
    this_host: bool = False
    exact: float | None = None
    graph: bool = False

    @property
    def shown(self) -> int:
        """What speaks for it, the `support` of its row: distinct pages, of a constant view distinct values."""
        return self.evidence.values if self.evidence.constant else self.evidence.agree

    def add_up(self, agree: int, against: int, crawls: set[str]) -> None:
        """Add what further visits show to the counts; those of a crawl that is in them already are not added again."""
        e, shown = self.evidence, self.shown
        again = not crawls or not crawls.isdisjoint(self.crawls)
        shown = max(shown, agree) if again else shown + agree
        if e.constant:
            e.values = shown
        else:
            e.agree = shown
        e.against = max(e.against, against) if again else e.against + against
        self.crawls = (*self.crawls, *sorted(crawls - set(self.crawls)))

    @property
    def where(self) -> dict[str, Any]:
        """The conditions in the grammar of a rule file; empty for a whole site."""
        return where_of(self.context) if self.conditions is None else self.conditions


def on_host(
    contexts: Contexts, host: str, whole: str, rule: str, value: Any, evidence: Evidence, family: str, why: str
) -> Candidate:
    """Return a candidate for one host: it is written for the `whole` site where that has no other."""
    candidate = Candidate(host if len(contexts.hosts) > 1 else whole, rule, value, evidence, family, why)
    # a table of the host would hold for those below it, too
    candidate.this_host = contexts.has_below(host)
    return candidate


def is_writable(candidate: Candidate) -> bool:
    """Whether a rule file can hold the candidate: octets that are no UTF-8 have no form in TOML."""
    try:
        exceptions = [where_of((atom,)) for atom in candidate.exceptions]
        json.dumps([candidate.value, candidate.where, exceptions], ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def priority(candidate: Candidate) -> tuple[Any, ...]:
    """General rules before special ones, then what saves most."""
    return (len(candidate.context), -candidate.evidence.saved, candidate.rule, str(candidate.value))


def signature(candidate: Candidate) -> str:
    """What a candidate does and where, to know it again."""
    return repr(
        (candidate.scope, candidate.this_host, candidate.rule, candidate.value, candidate.where, candidate.exceptions)
    )


_LISTS = ("remove_params", "except_params", "keep_params", "lowercase_params", "remove_empty_params", "path_params",
          "directory_index", "remove_extensions", "remove_segments", REWRITE, "template", "collapse_nested",
          "host_aliases", "unwrap_params")  # fmt: skip


def tables(candidates: Iterable[Candidate], base: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the candidates as one rule source: a table per site, a `where` table per context."""
    hosts, sites = (_copied((base or {}).get(kind, {})) for kind in ("host", "site"))
    wheres: dict[tuple[int, str], dict[str, Any]] = {}
    candidates = _with_added_defaults(list(candidates))
    for candidate in candidates:
        site = (hosts if candidate.this_host else sites).setdefault(candidate.scope, {})
        where = candidate.where
        _put(_where_table(site, wheres, where) if where else site, candidate.rule, candidate.value)
        for atom in candidate.exceptions:
            narrower = where_of((*candidate.context, atom))
            _put(_where_table(site, wheres, narrower), "except_params", candidate.value)
    source: dict[str, Any] = {}
    if hosts:
        source["host"] = hosts
    if sites:
        source["site"] = sites
    return source


def _copied(scopes: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return tables to which rules can be added, and further `where` tables."""
    copied = {scope: dict(table) for scope, table in scopes.items()}
    for table in copied.values():
        if "where" in table:
            table["where"] = [*table["where"]]
    return copied


def forms(candidate: Candidate) -> list[Candidate]:
    """Return a candidate as it may stand in a table: a default value is a map where there are several of a name."""
    return [candidate, _as_map(candidate)] if candidate.rule == "default_params" else [candidate]


def _as_map(candidate: Candidate) -> Candidate:
    texts = {name: value if isinstance(value, list) else [value] for name, value in candidate.value.items()}
    return replace(candidate, rule="map_params", value={name: [[False, *values]] for name, values in texts.items()})


def _with_added_defaults(candidates: list[Candidate]) -> list[Candidate]:
    """Write default values of a name that stands in several tables as maps to absence.

    In a rule file the default value of a narrower scope replaces that of a wider one; those of maps add up.
    """
    places: dict[tuple[str, bool, str], set[str]] = defaultdict(set)
    for candidate in candidates:
        if candidate.rule == "default_params":
            for name in candidate.value:
                places[candidate.scope, candidate.this_host, name].add(repr(candidate.where))
    out = []
    for candidate in candidates:
        if candidate.rule == "default_params" and any(
            len(places[candidate.scope, candidate.this_host, name]) > 1 for name in candidate.value
        ):
            candidate = _as_map(candidate)
        out.append(candidate)
    return out


def united(groups: list[list[Any]]) -> list[list[Any]]:
    """Return groups of aliases, those that share a value as one: absence first, else what an earlier group keeps."""
    out: list[list[Any]] = []
    for group in groups:
        touching = [known for known in out if any(value in known for value in group)]
        values = list(dict.fromkeys(value for known in (*touching, group) for value in known))
        if False in values:
            values = [False, *(value for value in values if value is not False)]
        out = [known for known in out if known not in touching]
        out.append(values)
    return out


def _where_table(
    site: dict[str, Any], wheres: dict[tuple[int, str], dict[str, Any]], where: dict[str, Any]
) -> dict[str, Any]:
    key = id(site), repr(where)
    table = wheres.get(key)
    if table is None:
        table = wheres[key] = dict(where)
        site.setdefault("where", []).append(table)
    return table


def _put(table: dict[str, Any], rule: str, value: Any) -> None:
    old = table.get(rule)
    if old is None:
        table[rule] = list(value) if isinstance(value, list) else dict(value) if isinstance(value, dict) else value
    elif rule in _LISTS:
        old += [entry for entry in value if entry not in old]
    elif isinstance(old, dict):
        for name, entry in value.items():
            if name not in old:
                old[name] = entry
            elif rule == "default_params":
                known = old[name] if isinstance(old[name], list) else [old[name]]
                old[name] = known + [v for v in (entry if isinstance(entry, list) else [entry]) if v not in known]
            elif rule == "map_params":
                old[name] = united([*old[name], *entry])
    else:
        table[rule] = value
