"""Shapes that are another spelling of a second: `/index.php?title={x}` shows what `/wiki/{x}` shows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.content import DIFFERENT, EXACT
from scrapy_urinorm.learn.evidence.candidate import Candidate, on_host
from scrapy_urinorm.learn.evidence.judge import Group, Judge, unless_titled
from scrapy_urinorm.learn.evidence.risk import DEFAULT_PRIOR, ID_PRIOR, default_prior, name_prior
from scrapy_urinorm.learn.evidence.stayed import by_itself, leading_on, shows_a_page
from scrapy_urinorm.learn.families.names import is_in_a_series
from scrapy_urinorm.learn.families.versions import one_each
from scrapy_urinorm.learn.pages.values import is_number, is_volatile
from scrapy_urinorm.learn.pages.view import says_one
from scrapy_urinorm.url import decoded, encoded, join_items, path_key, sort_items

if TYPE_CHECKING:
    from scrapy_urinorm.learn.families.shapes import Shape, Shapes

MAX_PLACES = 32
"""Open places of a template; a hostile address has a hundred thousand. Chosen: no program's addresses have ten."""
MIN_PAIRS = 3
MAX_TEMPLATES = 500
CLASS_SIZES = range(2, 21)
"""Agreeing pairs of a template, templates of a site that are tried, and the addresses of a page that are compared."""


def templates(shapes: Shapes, indifferent: frozenset[int] = frozenset()) -> list[Candidate]:
    """Return the candidates that write one shape as another; pages of `indifferent` labels speak for none."""
    pairs, latest = _pairs(shapes)
    keys = {view.key: n for n, view in enumerate(shapes.views)}
    out = []
    for (source, target, binding), count in pairs.most_common(MAX_TEMPLATES):
        named = {(target, name) for name, _ in _numbers_left_out(source, target)}
        if count >= MIN_PAIRS and source.host == target.host and latest.isdisjoint(named):
            candidate = _template(shapes, source, target, binding, keys, shapes.soft | indifferent)
            if candidate is not None:
                out.append(candidate)
    return out


_Pairs = Counter[tuple["Shape", "Shape", tuple[int, ...]]]


def _pairs(shapes: Shapes) -> tuple[_Pairs, set[tuple[Shape, str]]]:
    """Return how many pages have an address of two shapes, by these and what of the one is what of the other; and the
    parameters without which the second may be the latest version of a page, by it.
    """
    by_label: dict[int, list[int]] = defaultdict(list)
    for n, view in enumerate(shapes.views):
        label = view.page.label
        if label >= 0 and label not in shapes.soft:
            by_label[label].append(n)
    pairs: _Pairs = Counter()
    numbers: dict[tuple[Shape, str], list[set[str]]] = defaultdict(list)
    for members in by_label.values():
        if len(members) not in CLASS_SIZES:
            continue
        taken: dict[tuple[Shape, str], set[str]] = defaultdict(set)
        last = max(members, key=lambda n: _standing(shapes, n))
        for n in members:
            if shapes.shape[n] != shapes.shape[last]:
                binding = _binding(shapes, n, last)
                if binding is not None:
                    pairs[shapes.shape[n], shapes.shape[last], binding] += 1
                    for name, value in _numbers_left_out(shapes.shape[n], shapes.shape[last]):
                        taken[shapes.shape[last], name].add(value)
        for place, values in taken.items():
            numbers[place].append(values)
    return pairs, {place for place, shown in numbers.items() if one_each(shown)}


def _numbers_left_out(source: Shape, target: Shape) -> list[tuple[str, str]]:
    """Return the parameters that may name a page which a shape has, and a second one on the same path has not, with
    their numbers.
    """
    names = {name for name, _ in target.query} if source.path == target.path else {name for name, _ in source.query}
    left_out = ((name, value) for name, value in source.query if name not in names and value and is_number(value))
    return [(name, value) for name, value in left_out if name_prior(decoded(name)) <= ID_PRIOR]


def _standing(shapes: Shapes, n: int) -> tuple[Any, ...]:
    """Return what orders the spellings of a page, the best one last: one that leads to another one is none to keep."""
    shape, view = shapes.shape[n], shapes.views[n]
    return (not view.only_leads_on, shape.order(len(shapes.of[shape])), view.key)


def _binding(shapes: Shapes, n: int, target: int) -> tuple[int, ...] | None:
    """For each open place of the target the place of the source with the same text; all must be used."""
    mine, wanted = shapes.variables(n), shapes.variables(target)
    if not wanted or len(mine) != len(wanted) or len(mine) > MAX_PLACES:
        return None
    binding: list[int] = []
    for text in wanted:
        found = [i for i, own in enumerate(mine) if own == text and text and i not in binding]
        if not found:
            return None
        binding.append(found[0])
    return tuple(binding)


def _template(
    shapes: Shapes,
    source: Shape,
    target: Shape,
    binding: tuple[int, ...],
    keys: dict[str, int],
    soft: frozenset[int],
) -> Candidate | None:
    groups, alone = list[Group](), list[int]()
    for n in shapes.of[source]:
        key = _built(shapes, n, target, binding)
        other = keys.get(key) if key is not None else None
        if other is None:
            alone.append(n)
        elif other != n:
            groups.append(Group.of_pair(shapes.views, n, other))
    if source.path == target.path and _chooses(source, target):
        groups = [unless_titled(shapes.views, group) for group in groups]
    groups += _led_elsewhere(shapes, alone, groups, keys)
    if leading_on(shapes.views, groups):
        groups += [by_itself(shapes.views, n) for n in alone if shows_a_page(shapes.views[n])]
    other_tree = source.trees() != target.trees() or source.variant(shapes.asking) != target.variant(shapes.asking)
    if (other_tree or source.has_another_number(target)) and not _said_one(shapes, groups, lasting=other_tree):
        return None
    judge = Judge(shapes.options, soft, _prior(source, target), constant=False)
    evidence = judge.weigh(groups)
    least = max(1.0, shapes.options.min_gain * shapes.contexts.pages_of[source.host] / 1000)
    if not judge.accepts(evidence) or evidence.saved < least:
        return None
    left_out = set(source.path.split("/")) - set(target.path.split("/"))
    in_series = any(is_in_a_series(one, shapes.views) for one in left_out)
    if in_series and not _said_one(shapes, groups, lasting=False):
        return None
    value = {"from": shapes.text(source, None), "to": shapes.text(target, binding)}
    # braces of the address itself, and what will not be there tomorrow
    if any(text.count("{") != len(binding) or is_volatile(text) for text in value.values()):
        return None
    why = f"{value['from']} showed what {value['to']} shows on {evidence.agree} distinct pages"
    candidate = on_host(shapes.contexts, source.host, shapes.scope, "template", [value], evidence, "template", why)
    views = shapes.views
    candidate.examples = [(views[a].page.url, views[b].page.url) for a, b in evidence.examples]
    candidate.counterexamples = [(views[a].page.url, views[b].page.url) for a, b in evidence.counterexamples]
    return candidate


def _prior(source: Shape, target: Shape) -> float:
    """Return the prior of a template: where it takes values of parameters away, that of such a default."""
    if source.path != target.path:
        return DEFAULT_PRIOR
    dropped = set(source.query) - set(target.query)
    return min([DEFAULT_PRIOR, *(default_prior(decoded(n), decoded(v)) for n, v in dropped if v is not None)])


def _chooses(source: Shape, target: Shape) -> bool:
    """Whether a parameter has one word of the program in a shape, and another one in the other."""
    words = dict(target.query)
    return any(value is not None and words.get(name, value) not in (value, None) for name, value in source.query)


def _led_elsewhere(shapes: Shapes, alone: list[int], groups: list[Group], keys: dict[str, int]) -> list[Group]:
    """Return a disagreement for each address without a counterpart that redirects otherwise than the equal ones do.

    `/add-tag/{x}` may lead to `/?tag={x}` from one page, and to `/cloud?tag={x}` from another.
    """
    views, shape = shapes.views, shapes.shape
    led = {n: keys[final] for n in alone if (final := views[n].page.final) is not None and final in keys}
    if not led:
        return []
    usual = set()
    for group in groups:
        if group.outcome == EXACT:
            n, other = group.examples[0]
            usual |= {shape[other], shape[keys.get(views[n].page.final or "", other)]}
    return [
        Group(end, DIFFERENT, views[end].page.label, 1, 0, frozenset(), ((n, end),))
        for n, end in led.items()
        if end != n and shape[end] not in usual
    ]


def _said_one(shapes: Shapes, groups: Sequence[Group], *, lasting: bool) -> bool:
    """Whether all pairs are equal, and the site says of each that it is one page."""
    return all(
        group.outcome == EXACT
        and all(says_one(shapes.views[a], shapes.views[b], lasting=lasting) for a, b in group.examples)
        for group in groups
    )


def _built(shapes: Shapes, n: int, target: Shape, binding: tuple[int, ...]) -> str | None:
    mine = shapes.variables(n)
    if any(not text or "/" in text for text in mine):
        return None
    values = [head + mine[i] + tail for i, (head, tail) in zip(binding, shapes.affixes(target), strict=True)]
    segments = []
    for shown in target.path.split("/"):
        if shown == "*" or shown.startswith("*."):
            segments.append(encoded(values.pop(0)).replace("+", "%20"))
        else:
            segments.append(shown)
    items = [(name, encoded(values.pop(0)) if value is None else value) for name, value in target.query]
    view = shapes.views[n]
    port = f":{view.port}" if view.port else ""
    query = "?" + join_items(sort_items(items)) if items else ""
    return f"{view.scheme}://{view.host}{port}{path_key('/'.join(segments))}{query}"
