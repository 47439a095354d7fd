"""Shapes of URLs: one that is another spelling of a second (`template`), one whose pages are all found elsewhere.

`?p=123` beside the slug of the same page cannot be rewritten, as nothing in it says the slug. But when every page
of that shape was also seen under other shapes, it need not be fetched (reference 7.6).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.content import EXACT, compare
from scrapy_urinorm.learn.candidate import SKIP, Candidate
from scrapy_urinorm.learn.risk import DEFAULT_PRIOR, risk
from scrapy_urinorm.learn.search import Evidence, Group, Judge
from scrapy_urinorm.learn.values import is_volatile, roots_tree
from scrapy_urinorm.learn.view import says_one
from scrapy_urinorm.url import decoded, decoded_segment, encoded, join_items, path_key, sort_items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_urinorm.learn.contexts import Contexts
    from scrapy_urinorm.learn.options import Options
    from scrapy_urinorm.learn.view import View

MIN_PAIRS = 3
MAX_TEMPLATES = 500
CLASS_SIZES = range(2, 21)
MIN_COVERED = 15
"""Pages that a shape must show; twice as many where no crawl of recorded links can tell what would be missed."""
MAIN_COVER = 0.8
"""The share of them that one or two other shapes must show: else they are there by chance."""
COVERED_RISK = 0.01
MAX_UNCOVERED = 20
"""One page in so many may be found nowhere else where a crawl of the recorded links judges; else one in `RARELY`."""
RARELY = 500  # chosen: a skipped page is lost, and content alone does not say that others lead to what it links
MAX_UNKNOWN = 0.2
"""The share of a shape's pages whose content may be unknown; chosen."""
MAX_NAMES = 20
"""Names of parameters by which shapes are told apart, those of most pages."""


class Shape(NamedTuple):
    """The form of a URL: host, path with `*`, and each parameter with a value of a closed set or `*`."""

    host: str
    path: str
    query: tuple[tuple[str, str | None], ...]

    def order(self, count: int) -> tuple[Any, ...]:
        """Sort key from the least to the most canonical: more parameters, more wildcards, fewer URLs first."""
        wild = self.path.count("*") + sum(value is None for _, value in self.query)
        return -len(self.query), -wild, -self.path.count("/"), count, self.host, self.path, str(self.query)

    def literals(self) -> frozenset[str]:
        """The segments that are the same in all addresses of the shape."""
        return frozenset(segment for segment in self.path.split("/") if segment and "*" not in segment)

    def trees(self) -> frozenset[str]:
        """Those of them that may be the roots of versions or languages."""
        folders = self.path[1:].split("/")[:-1]
        return frozenset(s for at, s in enumerate(folders) if "*" not in s and roots_tree(at, decoded_segment(s)))

    def outline(self) -> tuple[str, str, tuple[str, ...]]:
        """The shape without numbers and values: a permalink is of one outline, whatever its year and month."""
        folded = ("*" if "*" in segment or segment.isdigit() else segment for segment in self.path.split("/"))
        return self.host, "/".join(folded), tuple(name for name, _ in self.query)


class Shapes:
    """The views of a site by shape, and what stands in the open places of each."""

    def __init__(
        self, views: Sequence[View], contexts: Contexts, soft: frozenset[int], options: Options, scope: str
    ) -> None:
        self.views = views
        self.soft = soft
        self.options = options
        self.scope = scope
        self.contexts = contexts
        self.shape: list[Shape] = []
        self.slots: list[list[str]] = []
        self.of: dict[Shape, list[int]] = defaultdict(list)
        for n, view in enumerate(views):
            shape, slots = self._read(view)
            self.shape.append(shape)
            self.slots.append(slots)
            self.of[shape].append(n)
        self._names: dict[str, Counter[str]] | None = None
        self._affixes: dict[Shape, list[tuple[str, str]]] = {}

    def _read(self, view: View) -> tuple[Shape, list[str]]:
        template = self.contexts.template(view)
        slots = []
        for shown, segment in zip(template.split("/"), view.path.split("/"), strict=True):
            if shown != segment:
                slots.append(decoded_segment(segment))
        query = []
        enums = self.contexts.enums
        for name, value in view.items:
            closed = value in enums.get(name, ())
            query.append((name, value if closed else None))
            if not closed:
                slots.append(decoded(value))
        return Shape(view.host, template, tuple(query)), slots

    def affixes(self, shape: Shape) -> list[tuple[str, str]]:
        """Return what all values in each open place of a shape begin and end with, up to a boundary."""
        found = self._affixes.get(shape)
        if found is None:
            columns = zip(*(self.slots[n] for n in self.of[shape][:300]), strict=True)
            found = self._affixes[shape] = [_affix(list(column)) for column in columns]
        return found

    def variables(self, n: int) -> list[str]:
        """Return what varies in the open places of a view."""
        shape = self.shape[n]
        out = []
        for slot, (head, tail) in zip(self.slots[n], self.affixes(shape), strict=True):
            out.append(slot[len(head) : len(slot) - len(tail)] if len(slot) > len(head) + len(tail) else "")
        return out

    # ------------------------------------------------------------------ templates

    def templates(self) -> list[Candidate]:
        """Return the candidates that write one shape as another."""
        by_label: dict[int, list[int]] = defaultdict(list)
        for n, view in enumerate(self.views):
            label = view.page.label
            if label >= 0 and label not in self.soft:
                by_label[label].append(n)
        pairs: Counter[tuple[Shape, Shape, tuple[int, ...]]] = Counter()
        for members in by_label.values():
            if len(members) not in CLASS_SIZES:
                continue
            last = max(members, key=lambda n: (self.shape[n].order(len(self.of[self.shape[n]])), self.views[n].key))
            for n in members:
                if self.shape[n] != self.shape[last]:
                    binding = self._binding(n, last)
                    if binding is not None:
                        pairs[self.shape[n], self.shape[last], binding] += 1
        keys = {view.key: n for n, view in enumerate(self.views)}
        out = []
        for (source, target, binding), count in pairs.most_common(MAX_TEMPLATES):
            if count >= MIN_PAIRS:
                candidate = self._template(source, target, binding, keys)
                if candidate is not None:
                    out.append(candidate)
        return out

    def _binding(self, n: int, target: int) -> tuple[int, ...] | None:
        """For each open place of the target the place of the source with the same text; all must be used."""
        mine, wanted = self.variables(n), self.variables(target)
        if not wanted or len(mine) != len(wanted):
            return None
        binding: list[int] = []
        for text in wanted:
            found = [i for i, own in enumerate(mine) if own == text and text and i not in binding]
            if not found:
                return None
            binding.append(found[0])
        return tuple(binding)

    def _template(
        self, source: Shape, target: Shape, binding: tuple[int, ...], keys: dict[str, int]
    ) -> Candidate | None:
        groups = []
        for n in self.of[source]:
            key = self._built(n, target, binding)
            other = keys.get(key) if key is not None else None
            if other is not None and other != n:
                outcome = compare(self.views[n].page, self.views[other].page)
                groups.append(Group.of_pair(outcome, n, other, self.views[other].page.label))
        if source.trees() and target.trees() and source.trees() != target.trees() and not self._said_one(groups):
            return None
        judge = Judge(self.options, self.soft, DEFAULT_PRIOR, constant=False)
        evidence = judge.weigh(groups)
        least = max(1.0, self.options.min_gain * self.contexts.pages_of[source.host] / 1000)
        if not judge.accepts(evidence) or evidence.saved < least:
            return None
        value = {"from": self._text(source, None), "to": self._text(target, binding)}
        # braces of the address itself, and what will not be there tomorrow
        if any(text.count("{") != len(binding) or is_volatile(text) for text in value.values()):
            return None
        why = f"{value['from']} showed what {value['to']} shows on {evidence.agree} distinct pages"
        if source.host != target.host:
            return None
        candidate = Candidate(self._scope(source), "template", [value], evidence, "template", why)
        candidate.this_host = self.contexts.has_below(source.host)
        views = self.views
        candidate.examples = [(views[a].page.url, views[b].page.url) for a, b in evidence.examples]
        candidate.counterexamples = [(views[a].page.url, views[b].page.url) for a, b in evidence.counterexamples]
        return candidate

    def _said_one(self, groups: Sequence[Group]) -> bool:
        """Whether all pairs are equal, and the site says of each that it is one page."""
        return all(
            group.outcome == EXACT and all(says_one(self.views[a], self.views[b]) for a, b in group.examples)
            for group in groups
        )

    def _scope(self, shape: Shape) -> str:
        return shape.host if len(self.contexts.hosts) > 1 else self.scope

    def _built(self, n: int, target: Shape, binding: tuple[int, ...]) -> str | None:
        mine = self.variables(n)
        if any(not text or "/" in text for text in mine):
            return None
        values = [head + mine[i] + tail for i, (head, tail) in zip(binding, self.affixes(target), strict=True)]
        segments = []
        for shown in target.path.split("/"):
            if shown == "*" or shown.startswith("*."):
                segments.append(encoded(values.pop(0)).replace("+", "%20"))
            else:
                segments.append(shown)
        items = [(name, encoded(values.pop(0)) if value is None else value) for name, value in target.query]
        view = self.views[n]
        port = f":{view.port}" if view.port else ""
        query = "?" + join_items(sort_items(items)) if items else ""
        return f"{view.scheme}://{view.host}{port}{path_key('/'.join(segments))}{query}"

    def _text(self, shape: Shape, binding: tuple[int, ...] | None) -> str:
        """A shape in the grammar of `template`, its open places named by their number in the source."""
        names = [f"{{x{i + 1}}}" for i in (binding if binding is not None else range(len(self.affixes(shape))))]
        filled = [head + name + tail for name, (head, tail) in zip(names, self.affixes(shape), strict=True)]
        segments = [filled.pop(0) if s == "*" or s.startswith("*.") else s for s in shape.path.split("/")]
        items = [f"{decoded(n)}={filled.pop(0) if v is None else decoded(v)}" for n, v in shape.query]
        return "/".join(segments) + ("?" + "&".join(items) if items else "")

    # ------------------------------------------------------------------ shapes that need not be fetched

    def covered(self, proved: bool = True) -> list[tuple[Candidate, list[int]]]:
        """Return the shapes whose pages are found under other shapes, with their views.

        Whether its pages can be reached without it decides later between `skip` and `defer`; `proved` says that a crawl
        of recorded links will tell.
        """
        homes: dict[int, Counter[Shape]] = defaultdict(Counter)
        for n, view in enumerate(self.views):
            if view.page.label >= 0 and view.page.label not in self.soft:
                homes[view.page.label][self.shape[n]] += 1
        out = []
        least = MIN_COVERED if proved and self.options.wrong_merges else 2 * MIN_COVERED
        rare = MAX_UNCOVERED if proved else RARELY
        for shape in sorted(self.of, key=lambda s: s.order(len(self.of[s]))):
            members = self.of[shape]
            labels = {self.views[n].page.label for n in members}
            known = labels - {-1} - self.soft
            unknown = sum(self.views[n].page.label < 0 for n in members)
            if len(known) < least or unknown > MAX_UNKNOWN * len(members) or not _has_open(shape):
                continue
            trees = shape.trees()
            # what another version or language also has is not found elsewhere
            uncovered = [
                label
                for label in known
                if not any(other != shape and trees <= other.literals() for other in homes[label])
            ]
            if len(uncovered) * rare > len(known) or not self._has_main_cover(shape, known, homes):
                continue
            evidence = Evidence(agree=len(known) - len(uncovered), against=len(uncovered), saved=len(members))
            evidence.groups, evidence.groups_against = len(known), len(uncovered)
            evidence.risk = risk(evidence.agree, evidence.against, DEFAULT_PRIOR)
            if uncovered and not proved and evidence.risk > min(COVERED_RISK, self.options.risk):
                continue
            if not self.options.wrong_merges and uncovered:
                continue
            out.append((self._skip(shape, evidence, members, known), members))
            for label in known:
                del homes[label][shape]
        return out

    def also_covered(self, numbers: set[int]) -> bool:
        """Whether the pages of these views, too, are all found under other addresses than these."""
        labels = {self.views[n].page.label for n in numbers}
        elsewhere = {view.page.label for n, view in enumerate(self.views) if n not in numbers}
        return -1 not in labels and labels <= elsewhere | self.soft

    def only_in(self, numbers: set[int]) -> set[int]:
        """Return the content classes that only these views show."""
        labels = {self.views[n].page.label for n in numbers}
        return labels - {view.page.label for n, view in enumerate(self.views) if n not in numbers}

    def _has_main_cover(self, shape: Shape, known: set[int], homes: dict[int, Counter[Shape]]) -> bool:
        """Whether two other shapes show most of the pages."""
        covers = {label: {other.outline() for other in homes[label] if other != shape} for label in known}
        counts = Counter(outline for outlines in covers.values() for outline in outlines)
        main = {outline for outline, _ in counts.most_common(2)}
        return sum(not main.isdisjoint(outlines) for outlines in covers.values()) >= MAIN_COVER * len(known)

    def _skip(self, shape: Shape, evidence: Evidence, members: list[int], known: set[int]) -> Candidate:
        mine = set(members)
        others: dict[int, int] = {}
        for n, view in enumerate(self.views):
            if view.page.label in known and n not in mine:
                others.setdefault(view.page.label, n)
        pairs = [(n, others[label]) for n in members if (label := self.views[n].page.label) in others]
        shown = self._text(shape, None)
        why = f"{evidence.agree} of {evidence.groups} pages of the form {shown} were also found under other addresses"
        candidate = Candidate(self._scope(shape), SKIP, True, evidence, "redundant shape", why)
        candidate.this_host = self.contexts.has_below(shape.host)
        candidate.conditions = self.where(shape)
        candidate.examples = [(self.views[a].page.url, self.views[b].page.url) for a, b in pairs[:3]]
        return candidate

    def where(self, shape: Shape) -> dict[str, Any]:
        """Return the conditions that a shape and nothing else seen at its path meets."""
        query: dict[str, Any] = {}
        for name, value in shape.query:
            if value is not None:
                query[decoded(name)] = decoded(value)
            else:
                texts = {decoded(v) for n in self.of[shape] for k, v in self.views[n].items if k == name}
                query[decoded(name)] = {"matches": "[0-9]+"} if all(re.fullmatch("[0-9]+", t) for t in texts) else True
        if "*" not in shape.path:
            names = {name for name, _ in shape.query}
            query |= {decoded(n): False for n in self._names_at(shape.path) if n not in names}
        return {"path": shape.path, **({"query": query} if query else {})}

    def _names_at(self, path: str) -> list[str]:
        """The commonest parameters at a path, those that a rule has since taken away included."""
        if self._names is None:
            self._names = defaultdict(Counter)
            for view in self.views:
                for page in view.pages:
                    head, _, query = page.key.partition("?")
                    names = {item.partition("=")[0] for item in query.split("&") if item}
                    self._names["/" + head.partition("://")[2].partition("/")[2]].update(names)
        ranked = sorted(self._names[path].items(), key=lambda item: (-item[1], item[0]))
        return [name for name, _ in ranked[:MAX_NAMES]]


def _has_open(shape: Shape) -> bool:
    return "*" in shape.path or any(value is None for _, value in shape.query)


def _common_start(values: Sequence[str]) -> str:
    low, high = min(values), max(values)
    same = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))
    return low[:same]


def _affix(values: list[str]) -> tuple[str, str]:
    if len(values) < 2:
        return "", ""
    head = _common_start(values)
    head = head[: len(head) - len(re.search(r"[^\W_]*$", head)[0])]  # type: ignore[index]
    tail = _common_start([value[len(head) :][::-1] for value in values])[::-1]
    tail = tail[len(re.match(r"[^\W_]*", tail)[0]) :]  # type: ignore[index]
    return head, tail
