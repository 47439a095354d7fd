"""Pages that were asked for with something that no other request was given: they say nothing of addresses.

A spider that fills an item over several requests hands it on: a seller at `/seller/3?p=17` is one page for all of his
products, and the item of each is finished where that page is answered. A rule on `p` would cut off all items but one.
What several addresses were asked for with, as a category or the text of a link, is nobody's own. Of a spider that
makes items of errors each error counts as asked for with something of its own (`crawl/recording/taken_errors.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

from scrapy_urinorm.content import is_error, is_redirect
from scrapy_urinorm.visits.record import GIVEN_OWN, Visit


class OwnGiven:
    """Which visits of a site were asked for with something of their own; `count` is how many, `like` one of them. It is
    `errors` that are counted apart: of those a crawl says so, too, whose spider makes items of errors.
    """

    def __init__(self, visits: Iterable[Visit]) -> None:
        self.count, self.like, self.errors = 0, "", 0
        self._shared: set[str] = set()
        first: dict[str, str] = {}
        for visit in visits:
            given = visit.given
            # what a redirect leads to is asked for with the same, and may redirect again
            if given is not None and not is_redirect(visit.status) and first.setdefault(given, visit.url) != visit.url:
                self._shared.add(given)

    def is_own(self, visit: Visit) -> bool:
        """Whether nothing else was asked for with what goes with a visit."""
        if visit.given is None or (visit.given in self._shared and visit.given != GIVEN_OWN):
            return False
        if is_error(visit.status):
            self.errors += 1
        else:
            self.count += 1
            self.like = self.like or visit.url
        return True
