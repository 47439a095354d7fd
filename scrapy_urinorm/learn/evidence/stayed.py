"""What redirects say of addresses that do not redirect: `/x/` was moved to `/news/x/`, and `/y/` is where it was.

A rule that is right for what was moved makes `/y/` one with a `/news/y/` that nobody has seen yet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from scrapy_urinorm.content import DIFFERENT, EXACT
from scrapy_urinorm.learn.evidence.judge import Group

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.contexts import Contexts
    from scrapy_urinorm.learn.pages.view import View

    Form = tuple[str, str, str, tuple[str, ...]]

MOST = 16
"""Disagreements beyond as many as there are agreements: more would not refuse a rule more surely."""


class Stayed:
    """The views of a site that show a page themselves, by the form of their address."""

    def __init__(self, views: Sequence[View], contexts: Contexts) -> None:
        self._views = views
        self._contexts = contexts
        self._own: dict[Form, list[int]] = defaultdict(list)
        for n, view in enumerate(views):
            if shows_a_page(view):
                self._own[self._form(view)].append(n)

    def _form(self, view: View) -> Form:
        return view.scheme, view.host, self._contexts.template(view), tuple(name for name, _ in view.items)

    def against(
        self, groups: Sequence[Group], compared: AbstractSet[int], part: Callable[[View], object] = lambda _: None
    ) -> list[Group]:
        """Return disagreements, each of an address that shows a page itself, has no counterpart among those `compared`,
        and is of the form of those that redirect, where redirects are most of what speaks for an edit.

        Of that form are those of the same scheme, host and shape in which `part` is the same. There are some more than
        agreements at the most.
        """
        leading = [self._views[n] for n in leading_on(self._views, groups)]
        found: list[Group] = []
        for form, same in sorted({(self._form(view), part(view)) for view in leading}, key=str):
            for n in self._own.get(form, ()):
                if n not in compared and part(self._views[n]) == same:
                    found.append(by_itself(self._views, n))
                    if len(found) >= len(groups) + MOST:
                        return found
        return found


def shows_a_page(view: View) -> bool:
    """Whether an address was seen to show a page that is known, without leading elsewhere."""
    return view.page.label >= 0 and not view.only_leads_on


def leading_on(views: Sequence[View], groups: Iterable[Group]) -> list[int]:
    """Return the views that redirect to what they are taken for, if these are most of all that agree."""
    agreeing = [group for group in groups if group.outcome == EXACT]
    pairs = (group.examples[0] for group in agreeing if group.examples)
    found = [next((n for n in pair if views[n].only_leads_on), None) for pair in pairs]
    leading = [n for n in found if n is not None]
    return leading if 2 * len(leading) > len(agreeing) else []


def in_examples(groups: Iterable[Group]) -> set[int]:
    """Return the views that groups of pairs compare."""
    return {page for group in groups for pair in group.examples for page in pair}


def by_itself(views: Sequence[View], n: int) -> Group:
    """Return the disagreement of a view that is not to be compared with anything."""
    return Group(n, DIFFERENT, views[n].page.label, 1, 0, frozenset(), ((n, n),))
