"""Where on a site something holds: conditions on host, path and parameters, from general to specific."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.importers.facets import may_turn_pages
from scrapy_urinorm.learn.pages.values import is_volatile
from scrapy_urinorm.url import decoded
from scrapy_urinorm.visits.links import named_together, url_hash

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.view import View

ENUM_VALUES = 12
"""A switch of an application has few values; four times as many still make conditions of their own."""
ENUM_COUNT = 10
"""Below this many addresses nothing that a condition selects is evidence."""
OPEN_SHARE = 0.02
"""Of a parameter with more values only those that so many of its addresses have: the action of a front controller."""
LITERAL_SHARE = 0.02
LITERAL_COUNT = 5
"""A segment is structure where it stands at so many addresses, and at this share of its likes."""
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]{0,30}")
FILES = "/**/*.*"
"""What has an extension, in any folder."""
BELOW = "/*/**"
"""What lies below a folder, and not the folder's own address without a slash."""
QUERY_PATH = "query path"
"""The kind of a condition on the path that a program has in its query (`index.php?/shop/7`)."""
NAMES_PER_PATH = 12
"""Parameters whose absence may be a condition: more than any form of the recorded sites has."""


@dataclass(frozen=True, slots=True)
class Above:
    """A number that the values of a parameter are above."""

    number: int


class Atom(NamedTuple):
    """One condition: `host`, `path` (a glob, or several globs as its value), `query` (a name with a value, True =
    present, False = absent, one of several of these, or a number above another) or `QUERY_PATH` (a glob).
    """

    kind: str
    name: str
    value: str | bool | tuple[str | bool, ...] | Above = True

    @property
    def is_literal(self) -> bool:
        """Whether the condition names one path or one value of a parameter."""
        return (self.kind == "path" and "*" not in self.name and self.value is True) or (
            self.kind == "query" and isinstance(self.value, str)
        )


Context = tuple[Atom, ...]


class Contexts:
    """The conditions that hold for each URL of a site."""

    def __init__(self, views: Sequence[View]) -> None:
        self._views = views
        self.pages_of = Counter(view.host for view in views)
        self.hosts = sorted(self.pages_of)
        self.paths = Counter(view.path for view in views)
        """The paths of the site, and how many addresses each has."""
        self.query_paths = Counter(path for view in views if (path := view.query_path))
        """The same of paths in queries."""
        self._segments: dict[tuple[str, int, int], Counter[str]] = defaultdict(Counter)
        self._totals: Counter[tuple[str, int, int]] = Counter()
        self._names_at: dict[str, Counter[str]] = defaultdict(Counter)
        self._alone_at: dict[str, Counter[str]] = defaultdict(Counter)
        self._commonest_at: dict[str, tuple[str, ...]] = {}
        self.having: Counter[str] = Counter()
        values: dict[str, Counter[str]] = defaultdict(Counter)
        for view in views:
            for where, path in _paths(view):
                segments = path.split("/")
                for at, segment in enumerate(segments):
                    place = (where, len(segments), at)
                    self._segments[place][segment] += 1
                    self._totals[place] += 1
            self.having.update({name for name, _ in view.items})
            for name, value in view.parameters:
                self._names_at[view.path][name] += 1
                values[name][value] += 1
            if len(view.items) == 1 and not view.items[0][1]:
                self._alone_at[view.path][view.items[0][0]] += 1
        self.enums: dict[str, frozenset[str]] = {}
        for name, counts in values.items():
            lasting = ((v, decoded(v)) for v, _ in _commonest(counts))
            frequent = frozenset(v for v, text in lasting if "*" not in text and not is_volatile(text))
            if frequent:
                self.enums[name] = frequent
        self.taken = Counter({name: len(counts) for name, counts in values.items()})
        """How many values a parameter takes."""
        self.switches = frozenset(name for name, counts in values.items() if _is_switch(counts))
        self._templates: dict[tuple[str, str], str] = {}
        self._listed: dict[str, bool] = {}
        self._atoms: dict[int, frozenset[Atom]] = {}

    @cached_property
    def slices(self) -> frozenset[str]:
        """The parameters of the site that may say which slice of a list is asked for."""
        # few sites have rules on the order of lists
        return frozenset(name for name in self.having if may_turn_pages(decoded(name)))

    def has_below(self, host: str) -> bool:
        """Whether the site has hosts below one."""
        return any(other.endswith("." + host) for other in self.hosts)

    def are_listed(self, name: str) -> bool:
        """Whether pages that link to several values of a parameter do so to most of them: these are the schools of a
        county, and no sessions, of which a page has its own in all links, or tokens, of which each link has another.
        """
        if (known := self._listed.get(name)) is None:
            known = self._listed[name] = self._are_listed(name)
        return known

    def _are_listed(self, name: str) -> bool:
        pages = [(page, value) for view in self._views for value in view.values_of(name) for page in view.pages]
        values = {url_hash(page.url): value for page, value in pages if not is_volatile(decoded(value))}
        if 2 * len(values) <= len(pages):
            return False
        found = named_together(values, (page.links for view in self._views for page in view.pages))
        return 2 * len(found) > self.taken[name]

    def template(self, view: View) -> str:
        """Return the path with `*` for each segment that is not part of the site's structure; extensions stay."""
        return "/" + self._template(view.host, view.path[1:])

    def place(self, view: View) -> str:
        """Return the same, with that of the path which the query may have."""
        below = [self._template(where, path) for where, path in _paths(view)[1:]]
        return "?".join([self.template(view), *below])

    def _template(self, where: str, path: str) -> str:
        found = self._templates.get((where, path))
        if found is None:
            segments = path.split("/")
            shown = []
            for at, segment in enumerate(segments):
                place = (where, len(segments), at)
                n = self._segments[place][segment]
                least = max(LITERAL_COUNT, LITERAL_SHARE * self._totals[place])
                if not segment or (n >= least and not is_volatile(decoded(segment))):
                    shown.append(segment)
                else:
                    stem, dot, extension = segment.rpartition(".")
                    keeps = dot and stem and len(extension) <= 5 and extension.isalnum() and not extension.isdigit()
                    shown.append("*." + extension if keeps else "*")
            found = self._templates[where, path] = "/".join(shown)
        return found

    def names_at(self, path: str) -> tuple[str, ...]:
        """Return the commonest parameters at a path, without names of pages (`/wiki.pl?FrontPage`)."""
        found = self._commonest_at.get(path)
        if found is None:
            counts = self._names_at[path]
            pages = {name for name, n in self._alone_at[path].items() if n == counts[name]}
            # not more than a form has parameters: they may be switches (`?print`)
            known = counts if len(pages) <= NAMES_PER_PATH else counts.keys() - pages
            ranked = sorted((-counts[name], name) for name in known)
            found = self._commonest_at[path] = tuple(name for _, name in ranked[:NAMES_PER_PATH])
        return found

    def atoms(self, number: int) -> frozenset[Atom]:
        """Return the conditions that hold for a view, by its number."""
        found = self._atoms.get(number)
        if found is None:
            found = self._atoms[number] = frozenset(self._of(self._views[number]))
        return found

    def _of(self, view: View) -> list[Atom]:
        atoms = []
        if len(self.hosts) > 1:
            atoms.append(Atom("host", view.host))
        path = view.path
        lasting = not is_volatile(decoded(path))
        if lasting and self.paths[path] >= LITERAL_COUNT and "*" not in path:
            atoms.append(Atom("path", path))
        template = self.template(view)
        if template != path:
            atoms.append(Atom("path", template))
        first = path[1:].partition("/")
        if lasting and first[1] and first[0] and "*" not in first[0]:
            # `/x/**` would hold for `/x` itself, of which the pages below say nothing
            atoms.append(Atom("path", f"/{first[0]}{BELOW}"))
        if "." in path.rpartition("/")[2]:
            # folders are pages of another kind: `?b` of a file is the file, and of a folder another list
            atoms.append(Atom("path", FILES))
        for where, below in _paths(view)[1:]:
            if not is_volatile(below):
                atoms.append(Atom(QUERY_PATH, self._template(where, below)))
                # as of paths, whether or not they begin with a slash
                head, slash, _ = below[1:].partition("/")
                if slash and head:
                    atoms.append(Atom(QUERY_PATH, below[:1] + head + BELOW))
        present = set()
        for name, value in view.parameters:
            present.add(name)
            atoms.append(Atom("query", name))
            if value in self.enums.get(name, ()):
                atoms.append(Atom("query", name, value))
        atoms += [Atom("query", name, False) for name in self.names_at(path) if name not in present]
        return atoms


def _paths(view: View) -> list[tuple[str, str]]:
    """Return the path of an address without its first slash, and that in its query, each with whose it is."""
    below = view.query_path
    return [(view.host, view.path[1:]), *([(f"{view.host}{view.path}?", below)] if below else [])]


def _is_switch(counts: Counter[str]) -> bool:
    """Whether the values of a parameter are the words of a program: few, and each again and again."""
    few = len(counts) <= 4 * ENUM_VALUES and counts.total() >= max(ENUM_COUNT, 2 * len(counts))
    return few and all(_WORD.fullmatch(decoded(value)) for value in counts)


def _commonest(counts: Counter[str]) -> list[tuple[str, int]]:
    """The values that may be conditions: all frequent ones of a closed set, the commonest of an open one."""
    least = ENUM_COUNT if len(counts) <= 4 * ENUM_VALUES else max(ENUM_COUNT, OPEN_SHARE * counts.total())
    return [(value, n) for value, n in counts.most_common(4 * ENUM_VALUES) if n >= least]


def where_of(context: Context) -> dict[str, Any]:
    """Return the `where` conditions of a context in the grammar of a rule file (its host is said elsewhere)."""
    where: dict[str, Any] = {}
    query: dict[str, Any] = {}
    for atom in sorted(context, key=lambda a: (a.kind, a.name, str(a.value))):
        if atom.kind == "path":
            globs = atom.value if isinstance(atom.value, tuple) else (atom.name,)
            where["path"] = list(globs) if len(globs) > 1 else globs[0]
        elif atom.kind == "query":
            name = decoded(atom.name)
            if isinstance(atom.value, str):
                query[name] = decoded(atom.value)
            elif isinstance(atom.value, tuple):
                texts = [decoded(value) if isinstance(value, str) else value for value in atom.value]
                query[name] = texts if len(texts) > 1 else texts[0]
            elif isinstance(atom.value, Above):
                query[name] = {"above": atom.value.number}
            else:
                query.setdefault(name, atom.value)
        elif atom.kind == QUERY_PATH:
            query[atom.name] = True
    if query:
        where["query"] = query
    return where


def host_of_context(context: Context) -> str | None:
    """Return the host that a context names."""
    return next((atom.name for atom in context if atom.kind == "host"), None)
