"""Candidates on scheme, host and path."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.content import EXACT
from scrapy_urinorm.learn.evidence.beyond import Beyond
from scrapy_urinorm.learn.evidence.candidate import CONSTANT, REJECTED, TREES, Candidate
from scrapy_urinorm.learn.evidence.edits import segment_edits
from scrapy_urinorm.learn.evidence.extent import bear_numbers, from_smallest
from scrapy_urinorm.learn.evidence.judge import Evidence, Group, judged, on_pages, rank
from scrapy_urinorm.learn.evidence.risk import DEFAULT_PRIOR, name_prior
from scrapy_urinorm.learn.evidence.stayed import in_examples
from scrapy_urinorm.learn.families.aliases import host_aliases, whole_judge
from scrapy_urinorm.learn.families.dropped import dropped
from scrapy_urinorm.learn.families.idle import idle
from scrapy_urinorm.learn.families.shelves import tail_edits
from scrapy_urinorm.learn.families.tails import tails
from scrapy_urinorm.learn.pages.values import chooses_tree, is_volatile, names_tree, roots_tree
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.edits import Name, Row
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.families.stage import Stage
    from scrapy_urinorm.learn.pages.view import View

TWO_NUMBERS, BESIDE_TWO = 3, 2
"""What two numbers of a path take to be a constant view: so many times the values of one segment, as many as what may
name a page, and so many words beside them: months of an archive without an entry (`/2024/07`) have none. Chosen."""
MAX_SUBSTITUTES = 11
"""DustBuster's small buckets: a page with more substitutes shows a list, not spellings."""


def paths(stage: Stage) -> list[Candidate]:
    """Return the candidates that edit the path as a whole."""
    out = []
    for name, neighbours in sorted(stage.groups.items()):
        groups = [judged(n, stage.views) for n in neighbours]
        key, value, what = PATH_RULES[name[0]](name)
        prior = name_prior(decoded(name[1]), stage.declared) if name[0] == "path_param" else DEFAULT_PRIOR
        judge = stage.judge(prior, constant=False)
        tree = name[0] == "path_param" and chooses_tree(decoded(name[1]), ()) and not stage.said_one(groups)
        findings = [] if tree else stage.search(groups, judge, folders=True)
        if not findings:
            stage.reject(groups, judge, key, value, "path", what, TREES if tree else "")
        for finding in findings:
            why = f"{what} makes no difference to {on_pages(finding.evidence)}"
            out.append(stage.candidate(finding, key, value, "path", why))
    return out


def origins(stage: Stage) -> list[Candidate]:
    """Return the candidates on scheme and host; they hold for the whole site or not at all."""
    out = []
    for name, neighbours in sorted(stage.groups.items()):
        if name[0] == "host":
            out += host_aliases(stage, neighbours)
            continue
        rule, value = ("scheme", "https") if name[0] == "scheme" else ("www", "remove")
        what = "http and https show" if rule == "scheme" else "the host with and without `www.` shows"
        by_host: dict[str, list[Group]] = defaultdict(list)
        for group in neighbours:
            host = stage.views[group.members[0][1]].host
            by_host[host.removeprefix("www.") if rule == "www" else host].append(judged(group, stage.views))
        found = []
        for host, groups in sorted(by_host.items()):
            groups += stage.stayed.against(groups, in_examples(groups))
            judge = whole_judge(stage, groups)
            evidence = judge.weigh(groups)
            why = f"{what} the same on {on_pages(evidence)}"
            if judge.accepts(evidence):
                found.append(_whole(stage, rule, value, evidence, why, host))
        if not found:
            edit = "http or https" if rule == "scheme" else "`www.` before the host"
            every = list(chain(*by_host.values()))
            stage.reject(every, whole_judge(stage, every), rule, value, "origin", edit)
        hosts = {h.removeprefix("www.") if rule == "www" else h for h in stage.contexts.hosts}
        alone = {c.scope for c in found}
        if alone == hosts:
            out.append(max(found, key=lambda c: c.evidence.agree))
            out[-1].scope = stage.scope
        else:
            # the table of a host also holds for those below it, which must not say otherwise
            out += [c for c in found if {h for h in by_host if h.endswith("." + c.scope)} <= alone]
    return out


def _whole(stage: Stage, rule: str, value: Any, evidence: Evidence, why: str, scope: str) -> Candidate:
    candidate = Candidate(scope, rule, value, evidence, "origin", why)
    stage.illustrate(candidate, evidence)
    return candidate


def edited_segments(stage: Stage) -> Callable[[View], Iterator[Row]]:
    """Return the edits of single segments, and of all before the last."""
    edits = segment_edits(stage.closed)
    return lambda view: chain(edits(view), tail_edits(view))


def segments(stage: Stage) -> list[Candidate]:
    """Return the candidates on path segments: dropped, equated, folded where they never matter, or all but the last."""
    out = dropped(stage, "segment", "remove_segments") + dropped(stage, "leaf", "directory_index") + tails(stage)
    for name, neighbours in stage.new_groups("mask"):
        out += _folds(stage, (int(name[1]),), neighbours)
        out += _substitutions(stage, int(name[1]), neighbours)
        out += idle(stage, int(name[1]), neighbours)
    for name, neighbours in stage.new_groups("masks"):
        out += _folds(stage, (int(name[1]), int(name[2])), neighbours)
    return out


def _folds(stage: Stage, places: tuple[int, ...], neighbours: Iterable[Neighbours]) -> list[Candidate]:
    """Constant views along the path: a segment, or two numbers, took many values, and the page was always one."""
    out: list[Candidate] = []
    judge, beyond = stage.judge(DEFAULT_PRIOR), Beyond(stage.views, places)
    many, words, any_one = (TWO_NUMBERS, BESIDE_TWO, "[0-9]+") if len(places) > 1 else (1, 1, "[^/?]+")
    for group in neighbours:
        if group.values < many * stage.options.min_values or group.labels != 1:
            continue
        view = stage.views[group.members[0][1]]
        segments = view.segments
        fixed = [s for i, s in enumerate(segments) if i not in places and s and not s.isdigit()]
        if len(fixed) < words or view.items or group.known * 10 < group.size * 9:
            continue
        found = judged(group, stage.views)
        if found.outcome != EXACT:
            continue
        # what is kept in place of all values is never looked at, and should not be gone tomorrow
        values = sorted(
            ([stage.views[p].segments[at] for at in places] for _, p in group.members),
            key=lambda taken: [(is_volatile(decoded(s)), len(s), s) for s in taken],
        )
        roots = [any(roots_tree(at, decoded(s)) for at, s in zip(places, taken, strict=True)) for taken in values]
        if 2 * sum(roots) > len(values):
            # that so many versions have one page says nothing of the next
            continue
        pattern = "^/" + "/".join(any_one if i in places else re.escape(s) for i, s in enumerate(segments)) + "$"
        taken = dict(zip(places, values[0], strict=True))
        kept = "/" + "/".join(taken.get(i, s) for i, s in enumerate(segments))
        evidence = judge.weigh([found])
        evidence.constant = True
        shown = "/" + "/".join("*" if i in places else s for i, s in enumerate(segments))
        why = f"{group.values} addresses of the form {shown} showed one page"
        value = [{"pattern": pattern, "replace": kept.replace("\\", r"\\")}]
        candidate = stage.on_host(view.host, "rewrite", value, evidence, CONSTANT, why)
        candidate.conditions = from_smallest(shown, places, values)
        # the form behind a page has the number of that page, and one of its own
        if all(stage.may_be_others([(p, stage.views[p].segments[at]) for _, p in group.members]) for at in places):
            candidate.status, candidate.why = REJECTED, why + ", but others may have been found that were not requested"
        elif bear_numbers(values) and rank((page for _, page in group.members), stage.views):
            candidate.status, candidate.why = REJECTED, why + ", but with its lines in many orders, as charts have"
        elif doubt := beyond.doubt(view):
            candidate.status, candidate.why = REJECTED, f"{why}, but {doubt}"
        (out if candidate.status != REJECTED else stage.rejected).append(candidate)
    return out


def _substitutions(stage: Stage, at: int, neighbours: Iterable[Neighbours]) -> list[Candidate]:
    """Two segments of a closed set that mean the same at one place."""
    pairs: dict[tuple[str, str], list[Group]] = defaultdict(list)
    for group in neighbours:
        known: dict[str, int] = {}
        for _, page in group.members:
            segment = stage.views[page].segments[at]
            if segment in stage.closed:
                known.setdefault(segment, page)
        if 2 <= len(known) <= MAX_SUBSTITUTES:
            for one, other in combinations(sorted(known), 2):
                pairs[one, other].append(stage.pair(known[one], known[other]))
    counts = Counter(s for view in stage.views for s in view.segments[at : at + 1])
    out = []
    for pair, equal in sorted(pairs.items()):
        stayed = stage.stayed.against(equal, in_examples(equal), lambda view: tuple(view.segments[at : at + 1]))
        groups = [*equal, *stayed]
        judge = stage.judge(DEFAULT_PRIOR, constant=False, spelled=True)
        keep, replaced = sorted(pair, key=lambda s: (-counts[s], len(s), s))
        if any(is_volatile(decoded(s)) for s in pair):
            continue
        tree = any(names_tree(decoded(s)) for s in pair) and not (stage.said_one(groups) and _one_tree(stage, at, pair))
        if tree or (stayed and not judge.accepts(judge.weigh(groups))):
            edit = {"pattern": f"/{replaced}/", "replace": f"/{keep}/"}
            what = f"`{replaced}` for `{keep}` in the path"
            stage.reject(groups, judge, "rewrite", [edit], "segment", what, TREES if tree else "")
            continue
        for finding in stage.search(groups, judge, folders=True, extent=True):
            after = _below(stage, at, (groups[n].examples[0] for n in finding.support))
            pattern = f"^((?:/[^/?]+){{{at}}})/{re.escape(replaced)}{after}"
            value = [{"pattern": pattern, "replace": rf"\1/{keep}"}]
            why = f"`{replaced}` in the path showed what `{keep}` shows on {on_pages(finding.evidence)}"
            out.append(stage.candidate(finding, "rewrite", value, "segment", why))
    return out


def _one_tree(stage: Stage, at: int, pair: tuple[str, str]) -> bool:
    """Whether two segments mean the same in paths of any length: languages that differ in one place are two in all."""
    groups = []
    for name, neighbours in stage.groups.items():
        if name[:2] == ("mask", str(at)):
            for group in neighbours:
                known = {stage.views[page].segments[at]: page for _, page in group.members}
                if known.keys() >= set(pair):
                    groups.append(stage.pair(known[pair[0]], known[pair[1]]))
    return stage.said_one(groups)


def _below(stage: Stage, at: int, pairs: Iterable[tuple[int, int]]) -> str:
    """Return what follows a segment, in as many further ones as there are where two of them meant the same.

    What lies in two folders may be the same, and their own pages are lists of different things.
    """
    paths = (stage.views[page].path for pair in pairs for page in pair)
    depths = {sum(map(bool, path[1:].split("/")[at + 1 :])) for path in paths}
    return f"(?=(?:/[^/?]+){{{min(depths)},{max(depths)}}}/?(?:[?]|$))"


PATH_RULES: dict[str, Callable[[Name], tuple[str, Any, str]]] = {
    "slash": lambda _: ("trailing_slash", "remove", "the slash at the end of the path"),
    "index": lambda n: ("directory_index", [n[1]], f"`{n[1]}` at the end of the path"),
    "extension": lambda n: ("remove_extensions", [n[1]], f"the extension `.{n[1]}`"),
    "slashes": lambda _: ("duplicate_slashes", "remove", "a doubled slash"),
    "path_param": lambda n: ("path_params", [n[1]], f"the path parameter `{n[1]}`"),
    "aspnet": lambda _: ("aspnet_session", True, "the session in the path"),
    "case": lambda _: ("lowercase_path", True, "the case of the path"),
}
