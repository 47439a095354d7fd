"""Segments that choose nothing, whatever the page is: `/run/7/test/open/log` and `/run/7/test/close/log` are one log.

Other segments of the address say where that holds: a rule names the words that were seen there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.content import NEAR
from scrapy_urinorm.learn.evidence.candidate import TREES, Candidate
from scrapy_urinorm.learn.evidence.judge import NARROWED, Evidence, Group, judged, on_pages
from scrapy_urinorm.learn.evidence.risk import ID_PRIOR
from scrapy_urinorm.learn.evidence.stayed import leading_on
from scrapy_urinorm.learn.families.names import NUMBER, any_number
from scrapy_urinorm.learn.pages.spelled import ANY_VALUE, usual_mark
from scrapy_urinorm.learn.pages.values import is_volatile, roots_tree
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.families.stage import Stage

FAMILY = "idle segment"
MAX_OUTLINES = 8
"""Words that a rule names in one place: what a person still reads, as for names in pieces."""
_ANY = "[^/?]+"


class _One(NamedTuple):
    """Addresses that differ in the segment at the place: what they show, and the rest of the path in outline."""

    group: Group
    segments: tuple[str, ...]
    values: frozenset[str]
    outline: tuple[str, ...]


def idle(stage: Stage, at: int, neighbours: Iterable[Neighbours]) -> list[Candidate]:
    """Return the candidates that fold a segment at a place, of paths of one length."""
    by_host: dict[str, list[_One]] = defaultdict(list)
    for one in neighbours:
        view = stage.views[one.members[0][1]]
        if not view.items:
            by_host[view.host].append(_one(stage, at, one))
    return [found for host, ones in sorted(by_host.items()) for found in _on_host(stage, at, host, ones)]


def _one(stage: Stage, at: int, neighbours: Neighbours) -> _One:
    paths = [stage.views[n].segments for _, n in neighbours.members]
    outline = tuple("" if n == at else NUMBER.sub("0", segment) for n, segment in enumerate(paths[0]))
    values = frozenset(path[at] for path in paths)
    return _One(judged(neighbours, stage.views), tuple(paths[0]), values, outline)


def _on_host(stage: Stage, at: int, host: str, ones: Sequence[_One]) -> list[Candidate]:
    shown = "/" + "/".join("*" if n == at else "..." for n in range(len(ones[0].segments)))
    what = f"the segment at the star of {shown}"
    kept, evidence = _best(stage, at, ones)
    spoken = _spoken(at, kept)
    doubt = _doubt(stage, at, spoken) if kept else ""
    value = _folded(at, spoken) if kept and not doubt else None
    if value is None:
        groups = [one.group for one in kept or ones]
        judge = stage.judge(ID_PRIOR, constant=False)
        edit = [{"pattern": shown, "replace": ""}]
        doubt = doubt or ("nothing else in the address tells of which pages it holds" if kept else "")
        stage.missed(groups, judge, "rewrite", edit, FAMILY, what, doubt)
        return []
    why = f"{what} makes no difference to {on_pages(evidence)}"
    return [stage.on_host(host, "rewrite", [value], evidence, FAMILY, why)]


def _best(stage: Stage, at: int, ones: Sequence[_One]) -> tuple[list[_One], Evidence]:
    """Return the addresses of which the segment is idle: all, or those with certain words in one other place."""
    whole = stage.judge(ID_PRIOR, constant=False)
    found = whole.weigh(one.group for one in ones)
    if not found.against and whole.accepts(found):
        return list(ones), found
    judge = stage.judge(ID_PRIOR * NARROWED, constant=False)
    best: tuple[list[_One], Evidence] = [], found
    for place in range(len(ones[0].segments) if found.against else 0):
        parts: dict[str, list[_One]] = defaultdict(list)
        for one in ones:
            parts[one.outline[place]].append(one)
        if place == at or len(parts) < 2:
            continue
        good = [part for part in parts.values() if _holds(judge.weigh(one.group for one in part), judge.accepts)]
        kept = list(chain(*good[: MAX_OUTLINES + 1]))
        if len(good) <= MAX_OUTLINES and kept:
            evidence = judge.weigh(one.group for one in kept)
            if evidence.saved > (best[1].saved if best[0] else 0):
                best = kept, evidence
    return best


def _spoken(at: int, ones: Sequence[_One]) -> list[_One]:
    """Return the addresses that speak for it, without those of a word that hardly any page has in its place."""
    found = [one for one in ones if one.group.outcome >= NEAR]
    for place in range(len(ones[0].segments) if ones else 0):
        labels: dict[str, set[int]] = defaultdict(set)
        for one in found:
            labels[one.outline[place]].add(one.group.label)
        if place != at and len(labels) <= MAX_OUTLINES:
            found = [one for one in found if len(labels[one.outline[place]]) >= ANY_VALUE]
    return found


def _holds(evidence: Evidence, accepts: Any) -> bool:
    return not evidence.against and bool(accepts(evidence))


def _doubt(stage: Stage, at: int, spoken: Sequence[_One]) -> str:
    """Return what stands against taking any segment for one of those that were seen; empty if nothing."""
    seen = [decoded(one) for one in frozenset[str]().union(*(one.values for one in spoken))]
    if len(seen) < stage.options.min_values or max(map(len, (one.values for one in spoken)), default=0) < ANY_VALUE:
        return "its values are too few to tell of others"
    if 2 * sum(roots_tree(at, one) for one in seen) > len(seen):
        return TREES
    if 2 * sum(one.isdecimal() or is_volatile(one) for one in seen) > len(seen):
        # a later page of a list, or the next version of a file, is another one
        return "most of its values are numbers, dates or versions"
    if leading_on(stage.views, [one.group for one in spoken]):
        # others like them may show a page themselves
        return "only redirects say so"
    return ""


def _folded(at: int, ones: Sequence[_One]) -> dict[str, str] | None:
    """Return the edit, None where no word that was seen stands in another place."""
    patterns, named = [], False
    for place in range(len(ones[0].segments)):
        outlines = {one.outline[place] for one in ones}
        words = place != at and len(outlines) <= MAX_OUTLINES and not any("%" in outline for outline in outlines)
        named |= words and all(any(map(str.isalpha, outline)) for outline in outlines)
        patterns.append(f"(?:{'|'.join(sorted(map(any_number, outlines)))})" if words else _ANY)
    if not named:
        return None
    counts = Counter(chain(*(one.values for one in ones)))
    # titles say nothing of a word of the program, as in `/question/7/history`
    mark = usual_mark(counts)
    titles = (one for one in counts if mark in one)
    kept = min(titles, key=lambda one: (is_volatile(decoded(one)), -counts[one], len(one), one))
    before, after = ("".join("/" + one for one in part) for part in (patterns[:at], patterns[at + 1 :]))
    folded = f"[^/?{mark}]*{mark}{_ANY}" if mark else _ANY
    return {"pattern": f"^({before})/{folded}(?={after}$)", "replace": r"\1/" + kept.replace("\\", r"\\")}
