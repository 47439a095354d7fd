"""The narrowest conditions under which a finding saves as much: what was not seen is left alone.

What was seen of one script says nothing of another, be it there already or not: a site grows. Lists without a page
number say nothing of those with one, and the views that a switch (`action=history`) was seen to choose say nothing of
those that it was not.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from scrapy_urinorm.importers.facets import FIRST
from scrapy_urinorm.learn.evidence.risk import TRACKER_PRIOR, name_prior
from scrapy_urinorm.learn.pages.contexts import ENUM_VALUES, LITERAL_COUNT, Atom, Context, Contexts
from scrapy_urinorm.learn.pages.values import is_volatile
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.companions import Companions
    from scrapy_urinorm.learn.pages.view import View

TWICE = 2
"""Groups in which a view of a switch must have agreed, where there are as many: one may be an accident."""
NEARLY_ALL = 0.9
"""The share of a site's addresses that have a session, save the few that were linked before there was one; chosen."""
MAX_PATHS = 8
"""Paths that a rule names: what a person still reads. Chosen; what was seen at more is for all."""
MAX_FOLDERS = 32
"""Top folders that a rule on paths names: case matters in one of twelve. Chosen; of more the next is like them."""
PAGING = ("cursor", "first", "limit", "max", "offset", "p", "page", "paged", "per_page", "pg", "skip", "start")
"""Names by which programs ask for a slice of a list."""
_NUMBER = re.compile("[0-9]+")
_WORD = re.compile("[^0-9*]+")
MAX_WORDS = 4 * ENUM_VALUES
"""Words that a program puts in one place of its paths: as many as make conditions of their own."""
FEW_PAGES, FEW_VALUES, TIMES = 31, 3, 2
"""A rule that rests on fewer pages, all with a parameter that took so few values there and more than so many times as
many on the site, is for these values: a crawl of a library (Kerko) that had sunk into the lists of three authors
learned what topics say of all. As many pages as a rule has that says nothing of values; the others are chosen."""


def narrowed(
    context: Context,
    support: Sequence[int],
    contexts: Contexts,
    views: Sequence[View],
    edited: AbstractSet[str],
    companions: Companions,
) -> Context:
    """Return a context with all conditions that hold for the views that support it, by their numbers.

    Nothing is asked of the parameters that are `edited`; those that `companions` never saw beside them may not be
    there.
    """
    common = frozenset.intersection(*map(contexts.atoms, support))
    asked = {atom.name: atom for atom in context if atom.kind == "query"}
    path = next((atom for atom in context if atom.kind == "path"), None)
    path = next((atom for atom in common if atom.kind == "path" and atom.is_literal), path)
    if path is None and edited and not everywhere(edited, contexts, len(views)):
        path = _seen_at({views[number].path for number in support}, contexts)
    for atom in sorted(common, key=str):
        if atom.kind == "query" and atom.name not in edited and not isinstance(atom.value, str):
            asked.setdefault(atom.name, atom)
    if edited and not everywhere(edited, contexts, len(views)):
        never = companions.never_beside(support, edited) - asked.keys()
        asked |= {name: Atom("query", name, False) for name in never}
    for name in sorted(contexts.switches - edited):
        if name in asked and asked[name].value is not True:
            continue
        if values := _chosen(name, support, contexts, views):
            asked[name] = Atom("query", name, values)
    for name in sorted(name for name in asked if asked[name].value is True):
        if len(support) < FEW_PAGES and (values := _few(name, support, contexts, views)):
            asked[name] = Atom("query", name, values)
    rest = tuple(atom for atom in context if atom.kind not in ("query", "path"))
    return (*rest, *(() if path is None else (path,)), *asked.values())


def _seen_at(paths: AbstractSet[str], contexts: Contexts) -> Atom | None:
    globs = globs_of(paths, contexts.paths, numbers=True)
    lengths = len({glob.count("/") for glob in globs})
    # a person may fold the slash at the end, and then no path has one; `/x/*` would hold for `/x/`, too
    bare = {glob.removesuffix("/") for glob in globs if len(glob) > 1 and "*" not in glob}
    return Atom("path", "", tuple(sorted(bare.union(globs)))) if lengths <= MAX_PATHS else None


def in_folders(context: Context, pairs: Iterable[tuple[str, str]]) -> Context:
    """Return the context of a rule on paths for the top folders in which it makes two paths one, and for the top itself
    where it does so there, unless these are many: case matters in `/files/` though it does not in `/shop/`.
    """
    if any(atom.kind == "path" for atom in context):
        return context
    globs: set[str] = set()
    for pair in pairs:
        found = _around(*pair)
        if not found:
            return context
        globs |= found
    if not globs or len(globs) > MAX_FOLDERS:
        return context
    return (*context, Atom("path", "", tuple(sorted(globs))))


def _around(*pair: str) -> set[str]:
    """Return globs for what lies in the top folder of two paths, or for the top; none where these are two, save where
    one has a word in front and the same path below it.
    """
    shorter, longer = min(pair, key=len), max(pair, key=len)
    word, _, below = longer[1:].partition("/")
    if below and below == shorter[1:] and _WORD.fullmatch(word):
        return {f"/{word}{glob}" for glob in _around(shorter)}
    tops = {path.split("/")[1] for path in pair}
    if len({top.lower() for top in tops}) > 1 or any("*" in top for top in tops):
        return set()
    if all(path.rstrip("/").count("/") < 2 for path in pair):
        return {"/*", "/*/"}
    # a number is another one tomorrow
    return {f"/{_NUMBER.sub('*', top)}/*/**" for top in tops} - {"/*/*/**"}


def everywhere(names: AbstractSet[str], contexts: Contexts, addresses: int) -> bool:
    """Whether parameters are what the site puts into all of its addresses, or trackers by their names.

    Words of a program (`view=short`) are no session, wherever they stand, nor is what pages list, as schools: a new
    section may choose by them.
    """
    if all(name_prior(decoded(name)) >= TRACKER_PRIOR for name in names):
        return True
    held = (name for name in names - contexts.switches if contexts.having[name] >= NEARLY_ALL * addresses)
    return any(not contexts.are_listed(name) for name in held)


def whole_lists(
    context: Context, support: Sequence[int], contexts: Contexts, views: Sequence[View], edited: AbstractSet[str]
) -> Context:
    """Return the context of a rule on the order of lists, without slices: another order has others.

    What the names of slices were seen to do is in the context already; here are those that were never seen there, and
    the paths of the lists: what one segment more leads to, or another number, may be a slice.
    """
    seen = {name for number in support for name in contexts.names_at(views[number].path)}
    asked = {atom.name for atom in context if atom.kind == "query"}
    # by whatever name this site asks for a slice elsewhere
    paging = contexts.slices.union(PAGING)
    without = [Atom("query", name, False) for name in sorted(paging - seen - asked - edited)]
    for name in sorted(seen.intersection(paging) - asked - edited):
        values = {value for number in support for value in views[number].values_of(name)}
        # of lists of one page the first one alone was seen, and what a second one holds is by the order
        if values and values <= FIRST:
            without.append(Atom("query", name, (False, *sorted(values))))
    if any(atom.kind == "path" and atom.is_literal for atom in context):
        return (*context, *without)
    rest = (atom for atom in context if atom.kind != "path")
    globs = globs_of({views[number].path for number in support}, contexts.paths)
    return (*rest, Atom("path", "", globs), *without)


def globs_of(paths: AbstractSet[str], known: Mapping[str, int], numbers: bool = False) -> tuple[str, ...]:
    """Return a glob for the paths of each length: a segment that all of them share, else `*`.

    With `numbers`, a segment that bears one is `*`, too: elsewhere it is another. One of a few words is named, as `*`
    would take in others, of now and of tomorrow: lists of writers say nothing of those of letters. `known` counts the
    site's addresses.
    """
    lengths: dict[int, list[list[str]]] = defaultdict(list)
    for path in paths:
        segments = path.split("/")
        lengths[len(segments)].append(segments)

    def shown(segment: str, others: list[str]) -> str:
        alike = len({segment, *others}) == 1 and "*" not in segment
        return segment if alike and not (numbers and any(map(str.isdigit, segment))) else "*"

    shared: set[str] = set()
    for same in lengths.values():
        *folders, last = (shown(first, others) for first, *others in zip(*same, strict=True))
        # what was seen of files says nothing of folders, whose last segment is empty
        named = last == "*" and all("." in segments[-1] for segments in same)
        glob = [*folders, "*.*" if named else last]
        words = [at for at, segment in enumerate(glob) if segment in ("*", "*.*") and _are_words(at, glob, same, known)]
        close = {"/".join(s if at in words else glob[at] for at, s in enumerate(segments)) for segments in same}
        shared |= close if len(close) <= MAX_PATHS else {"/".join(glob)}
    return tuple(sorted(shared))


def _are_words(at: int, glob: Sequence[str], same: Sequence[Sequence[str]], known: Mapping[str, int]) -> bool:
    """Whether a `*` in a glob for some paths stands for a few words of a program, and not for names of pages."""
    words = {segments[at] for segments in same}
    if len(words) > MAX_PATHS or not all(map(_WORD.fullmatch, words)):
        return False
    counts: Counter[str] = Counter()
    for path, n in known.items():
        segments = path.split("/")
        if len(segments) == len(glob) and all(map(_may_be, glob, segments)):
            counts[segments[at]] += n
            if len(counts) > MAX_WORDS:
                return False
    # of names of pages the next is like them
    return all(counts[word] >= LITERAL_COUNT for word in words)


def _may_be(shown: str, segment: str) -> bool:
    # a folder is another kind of page than what is in it
    return shown == segment or (shown == "*" and segment != "") or (shown == "*.*" and "." in segment)


def _chosen(name: str, support: Sequence[int], contexts: Contexts, views: Sequence[View]) -> tuple[str | bool, ...]:
    """Return the values of a switch that agreed, False for its absence; none where some views do not know it."""
    seen: Counter[str | bool] = Counter()
    for number in support:
        view = views[number]
        values = view.values_of(name)
        if len(values) > 1 or (not values and name not in contexts.names_at(view.path)):
            return ()
        seen[values[0] if values else False] += 1
    least = min(TWICE, len(support))
    return tuple(sorted((value for value, n in seen.items() if n >= least), key=str))


def _few(name: str, support: Sequence[int], contexts: Contexts, views: Sequence[View]) -> tuple[str, ...]:
    """Return the values of a parameter, where they are few here and many on the site, and will be the same tomorrow."""
    values = {value for number in support for value in views[number].values_of(name)}
    if len(values) > FEW_VALUES or contexts.taken[name] <= TIMES * len(values):
        return ()
    texts = [decoded(value) for value in values]
    return () if any("*" in text or is_volatile(text) for text in texts) else tuple(sorted(values))


def fixed_values(names: AbstractSet[str], views: Iterable[View]) -> tuple[Atom, ...]:
    """Return the conditions on those of some parameters that had one value in all views which have them."""
    seen: dict[str, set[str]] = defaultdict(set)
    for view in views:
        for name, value in view.items:
            if name in names:
                seen[name].add(value)
    return tuple(Atom("query", name, tuple(seen[name])) for name in sorted(seen) if len(seen[name]) == 1)
