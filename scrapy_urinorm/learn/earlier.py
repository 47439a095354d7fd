"""What an earlier file of learned rules knows: its rules come back as candidates, with their evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.learn.evidence.candidate import ACTIVE, CONSTANT, REJECTED, SEPARATORS, SPLIT, Candidate, signature
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.pages.contexts import QUERY_PATH, Atom, Context
from scrapy_urinorm.rules.globs import name_glob
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.url import encoded


def candidates_of(rows: Iterable[Mapping[str, Any]]) -> list[Candidate]:
    """Return the candidates that the `[[evidence]]` rows of a rule file describe."""
    return [found for row in rows if (found := _candidate(row)) is not None]


def _candidate(row: Mapping[str, Any]) -> Candidate | None:
    if not isinstance(row.get("rule"), str) or "value" not in row or not isinstance(row.get("site"), str):
        return None
    support = int(row.get("support", 0))
    constant = row.get("source") == CONSTANT
    shown = Evidence(
        agree=0 if constant else support, values=support if constant else 0, against=int(row.get("against", 0)),
        saved=int(row.get("saved", 0)), risk=float(row.get("risk", 0.0 if constant else 1.0)), constant=constant,
    )  # fmt: skip
    candidate = Candidate(
        row["site"], row["rule"], row["value"], shown, str(row.get("source", "")), str(row.get("why", ""))
    )
    candidate.this_host = row.get("this_host") is True
    where = dict(row.get("where", {}))
    context = context_of(where)
    if context is None:
        candidate.conditions = where
    else:
        candidate.context = context
    for narrower in row.get("except", ()):
        atoms = context_of(dict(narrower)) or ()
        candidate.exceptions += tuple(atom for atom in atoms if atom not in candidate.context)
    candidate.names = names_of(candidate)
    candidate.status = str(row.get("status", ""))
    candidate.saved = shown.saved
    candidate.crawls = tuple(map(str, row.get("crawls", ())))
    candidate.exact = row["exact"] if isinstance(row.get("exact"), float) else None
    candidate.graph = "graph" not in row
    for key in ("examples", "counterexamples"):
        setattr(candidate, key, [(str(a), str(b)) for a, b in row.get(key, ())])
    return candidate


def context_of(where: Mapping[str, Any]) -> Context | None:
    """Return the conditions of a `where` table as atoms; None where it has others."""
    if not where.keys() <= {"path", "query"}:
        return None
    atoms = [Atom("path", where["path"])] if isinstance(where.get("path"), str) else []
    if "path" in where and not atoms:
        return None
    for name, value in where.get("query", {}).items():
        if value is True and name_glob(name) is not None:
            atoms.append(Atom(QUERY_PATH, name))
            continue
        several = value if isinstance(value, list) else [value]
        if not several or not all(isinstance(one, (str, bool)) for one in several):
            return None
        texts = tuple(encoded(one) if isinstance(one, str) else one for one in several)
        atoms.append(Atom("query", encoded(name), texts if isinstance(value, list) else texts[0]))
    return tuple(atoms)


def names_of(candidate: Candidate) -> frozenset[str]:
    """Return the parameters that a rule is about, as its value has them."""
    value = candidate.value
    if candidate.rule in ("remove_params", "lowercase_params"):
        names = [one.get("name", "*") if isinstance(one, dict) else one for one in value]
        return frozenset(encoded(name) for name in names if "*" not in name)
    if candidate.rule in ("default_params", "map_params", "rename_params", "rewrite_params", "unordered_values"):
        return frozenset(map(encoded, value))
    return frozenset()


def by_hand(ruleset: RuleSet) -> str:
    """What a file holds that a person has written, which would be lost where it is written anew; empty: nothing."""
    if len(ruleset.files) > 1:
        return "includes other files, which would be forgotten: write to another file, such as one that it includes"
    source = ruleset.to_dict()
    known = {(one.scope, one.this_host) for one in candidates_of(ruleset.evidence) if one.status == ACTIVE}
    written = [
        *(site for site in source.get("site", {}) if (site, False) not in known),
        *(
            host
            for host, table in source.get("host", {}).items()
            if table.keys() != {SPLIT} and (host, True) not in known
        ),
    ]
    if not source.get("rules") and not written:
        return ""
    said = ", ".join(written) or "rules"
    return f"holds rules without a row of evidence ({said}), which would be lost: write to another file"


def besides(source: Any, files: Iterable[str | Path]) -> Any:
    """A source of rules without what it includes of some files: what these know is learned again.

    Were it taken for the user's own, a rule that breaks a pair of these could not be taken back.
    """
    if isinstance(source, dict):
        return source
    ruleset, known = RuleSet.load(source), {Path(file).resolve() for file in files}

    def is_kept(file: str) -> bool:
        return Path(file).resolve() not in known

    if all(map(is_kept, ruleset.files)):
        return source
    own = RuleSet()
    own.preset = ruleset.preset
    own.everywhere = tuple(layer for layer in ruleset.everywhere if is_kept(layer.file))
    for kind in ("sites", "hosts"):
        kept = {name: [one for one in layers if is_kept(one.file)] for name, layers in getattr(ruleset, kind).items()}
        setattr(own, kind, {name: layers for name, layers in kept.items() if layers})
    own.examples = [one for one in ruleset.examples if is_kept(one.layer.file)]
    own.evidence = [row for row in ruleset.evidence if is_kept(row["file"])]
    return own.to_dict(pairs=True)


def beside_earlier(
    found: Iterable[Candidate], earlier: Iterable[Candidate]
) -> tuple[list[Candidate], list[Candidate], list[Candidate], list[Candidate]]:
    """Return what was found before anything else is learned, sessions and separators: what holds, with what earlier
    files say of it and of other hosts; what was rejected; what earlier files say that pages speak against; and the
    other rules of these files.
    """
    by_mark = {signature(one): one for one in earlier}
    active, rejected, gone = [], [], []
    for one in found:
        before = by_mark.pop(signature(one), None)
        if one.status == REJECTED:
            rejected.append(one)
            gone += [before] if before is not None else []
            continue
        if before is not None:
            before.add_up(one.evidence.agree, one.evidence.against, set(one.crawls))
            before.saved, before.examples = one.saved, one.examples or before.examples
            if one.family == SEPARATORS:
                # under a rule on sessions a page is fetched once: what was said of them tells more
                before.why = one.why
        active.append(before or one)
    # of separators nothing is looked for on a host without a query that has any, or after pages spoke against them
    refuted = {one.scope for one in rejected if one.family == SEPARATORS}
    for one in by_mark.values():
        if one.family == SEPARATORS:
            (gone if one.scope in refuted else active).append(one)
    return active, rejected, gone, [one for one in by_mark.values() if one.family != SEPARATORS]


class Earlier:
    """The rules of an earlier file of `learn`, and what else it says."""

    def __init__(self, path: Path) -> None:
        """Read a file. Raises `RuleFileError`, and `UrinormError` where a person has written rules into it."""
        ruleset = RuleSet.load(str(path))
        if said := by_hand(ruleset):
            raise UrinormError(f"{path}: {said}, or --force")
        candidates = candidates_of(ruleset.evidence)
        self.active = [candidate for candidate in candidates if candidate.status == ACTIVE]
        told = {candidate.scope for candidate in self.active if candidate.rule == SPLIT}
        for host, table in ruleset.to_dict().get("host", {}).items():
            if SPLIT in table and host not in told:
                # earlier versions wrote no row of evidence for it
                split = Candidate(host, SPLIT, table[SPLIT], Evidence(risk=0.0), SEPARATORS, "as it was")
                split.this_host = True
                self.active.append(split)
