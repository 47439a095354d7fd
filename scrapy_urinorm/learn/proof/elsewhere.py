"""Whether that of which a page is a constant view stands elsewhere: a form to reply to a topic beside the topic itself.

A crawl that was cut short may have met the addresses of what is no longer sold, which show one page, and none of what
is. Nothing else of the site bears their numbers; those of a topic stand on the page that links to the form.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.view import View
    from scrapy_urinorm.learn.proof.proof import Proof

SAMPLE, FEWEST, SHARE = 64, 10, 0.8
"""Views that are looked at, how many of them must be known to be linked, and the share of these that stands elsewhere:
of fifteen topics three may have moved. Chosen."""
NAMED_SHARE = 0.4
"""The same where it is not known what links to them: of a random part of a crawl half of the topics may be missing;
chosen."""
MANY = 1_000
"""Views of one page that need not stand elsewhere; chosen: more than a shop has sold out and links to."""
MOST_LINKS = 1_000
"""Links of a page that are looked at; chosen: more than a topic has."""
_values = re.compile("[/?&=;]").split
_items = re.compile("[?&]").split


def leads_home(view: View) -> bool:
    """Whether an address leads to the front page for the time being, as that of an event does which is over."""
    final = view.page.final
    return view.only_leads_on and view.page.passing and final is not None and final.rstrip("/").count("/") == 2


def stand_elsewhere(proof: Proof | None, members: Sequence[tuple[View, str]]) -> bool:
    """Whether most of some views of one page, each with the part of its address that varies (`topic=7`, or a segment),
    were met at pages of which this is a part, too, or beside links to such pages, that show something else.

    Where it is not known where they were met, as of addresses with a session, the same parameter of such pages counts.
    Nothing is asked of a crawl that came to its end, or whose links were not recorded. A crawl that says it has ended
    requested all that it would, however many links its spider is made to leave.
    """
    if proof is None or proof.is_finished or proof.is_whole or len(members) >= MANY:
        return True
    linked = [(parent, view, part) for view, part in members if (parent := _parent(proof, view)) >= 0]
    sample = linked[:: len(linked) // SAMPLE + 1]
    found = [_stands(proof, parent, view.page.label, part) for parent, view, part in sample]
    if len(found) >= FEWEST:
        return sum(found) >= SHARE * len(found)
    named = _named(proof, members)
    return len(named) >= FEWEST and sum(named) >= NAMED_SHARE * len(named)


def _parent(proof: Proof, view: View) -> int:
    """Return the page at which a view was first met, by its number; -1 where that is not known."""
    parents = (proof.parents.get(proof.numbers.get(page.key, -1), -1) for page in view.pages)
    return next((parent for parent in parents if 0 <= parent < len(proof.pages)), -1)


def _stands(proof: Proof, parent: int, label: int, part: str) -> bool:
    value = part.rpartition("=")[2]
    for node in (parent, *proof.graph.links[parent][:MOST_LINKS]):
        if node < len(proof.pages):
            page = proof.pages[node]
            if page.label not in (-1, label) and value in page.key and value in _values(page.key):
                return True
    return False


def _named(proof: Proof, members: Sequence[tuple[View, str]]) -> list[bool]:
    """Say of each view whether a page that shows something else has its parameter with the same value."""
    parts = {part for _, part in members if "=" in part}
    labels = {view.page.label for view, _ in members} | {-1}
    known = {part for page in proof.pages if page.label not in labels for part in _items(page.key)[1:] if part in parts}
    return [part in known for _, part in members if part in parts]
