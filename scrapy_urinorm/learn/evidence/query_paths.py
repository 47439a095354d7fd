"""Findings of programs that have the path of a page in their query (`index.php?/shop/7&v=a`), for the paths seen there.

The path of the address is the script's, and says nothing of where something was seen: what `v` does to articles says
nothing of goods, be they there already or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from scrapy_urinorm.learn.evidence.narrow import MAX_PATHS, everywhere, globs_of
from scrapy_urinorm.learn.evidence.search import Conclusion, part_of
from scrapy_urinorm.learn.pages.contexts import QUERY_PATH, Atom, Contexts
from scrapy_urinorm.rules.globs import path_glob

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.judge import Group, Judge
    from scrapy_urinorm.learn.pages.view import View


def on_query_paths(
    finding: Conclusion,
    groups: Sequence[Group],
    judge: Judge,
    atoms: Callable[[Group], frozenset[Atom]],
    views: Sequence[View],
    contexts: Contexts,
    edited: AbstractSet[str],
) -> Iterator[Conclusion]:
    """Yield a finding on parameters, a part for each form of the paths that the views which support it have in their
    queries; as it is where none has one, or these are too many for a person to read.

    A rule cannot say that there is none: what was seen without one is left out where others have the same script.
    """
    here = Counter(views[groups[n].page].query_path for n in finding.support)
    bare = here.pop("", 0)
    asked = any(atom.kind == QUERY_PATH for atom in finding.context)
    if asked or not here or not edited or everywhere(edited, contexts, len(views)):
        yield finding
        return
    globs = globs_of(here.keys(), contexts.query_paths, numbers=True)
    if len({glob.count("/") for glob in globs}) > MAX_PATHS:
        yield finding
        return
    inside = []
    for n, group in enumerate(groups):
        known = atoms(group)
        if known.issuperset(finding.context) and known.isdisjoint(finding.exceptions):
            inside.append((n, group, views[group.page]))
    parts = [((*finding.context, Atom(QUERY_PATH, glob)), path_glob(glob)) for glob in globs]
    scripts = {view.path for _, _, view in inside if view.query_path}
    held = [(context, [(n, group) for n, group, view in inside if match(view.query_path)]) for context, match in parts]
    if bare:
        others = [(n, group) for n, group, view in inside if view.path not in scripts]
        held.append((finding.context, others))
    for context, members in held:
        if (part := part_of(finding, context, members, judge)) is not None:
            yield part
