"""Says, once, where what a spider gives its requests keeps live rules from taking any for another."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.given import FOLLOWING
from scrapy_urinorm.crawl.live_rules.waiting import given, is_personal, kind_of, may_wait

if TYPE_CHECKING:
    from scrapy import Request

LOOKED_AT = 300
"""So many requests of a crawl's first ones are looked at: about as many as were met when a first rule is believed."""
MOST = 0.5
"""The share of them from which a crawl is told. Live rules then have less than half of it to work on."""
_SEE = "see 'What it never does' in the documentation of live rules"


class Hindrance:
    """What keeps the first requests of a crawl from waiting, or from being taken for each other."""

    def __init__(self) -> None:
        self._looked_at, self._barred = 0, 0
        self._kinds = set[int]()
        self._reasons, self._values = Counter[str](), dict[str, set[int]]()

    def may_wait(self, request: Request) -> bool:
        """Return what `waiting.may_wait` does, and look at the request."""
        may = may_wait(request)
        if self._looked_at < LOOKED_AT:
            self._look(request, may=may)
        return may

    def _look(self, request: Request, *, may: bool) -> None:
        values = given(request)
        reasons = [f"an object in {name}, which others may share" for name, value in values.items() if value is None]
        if _is_made_personal(request):
            reasons.append("cookies or credentials of their own")
        if not may and not reasons:
            # it is no plain request of a page
            return
        self._looked_at += 1
        if reasons:
            self._barred += 1
            self._reasons.update(reasons)
        else:
            self._kinds.add(kind_of(request))
            for name, value in values.items():
                self._values.setdefault(name, set()).add(hash(value))
        if self._looked_at == LOOKED_AT and self._barred + len(self._kinds) > MOST * LOOKED_AT:
            own.logger.warning("Live rules keep next to nothing back: %s", self._said())

    def _said(self) -> str:
        first = f"of the first {LOOKED_AT} requests"
        if self._barred > len(self._kinds):
            reason, count = self._reasons.most_common(1)[0]
            return f"{count} {first} have {reason}; {_SEE}"
        name = max(self._values, key=lambda name: len(self._values[name]), default="their callbacks")
        return f"{len(self._kinds)} {first} are never taken for each other, as they differ in {name}; {_SEE}"


def _is_made_personal(request: Request) -> bool:
    """Whether a spider, or its middleware, has given a request cookies or credentials.

    A redirect and a retry have the header that Scrapy gave the request before, and a start request never waits.
    """
    if request.method != "GET" or request.dont_filter or any(name in (request._meta or {}) for name in FOLLOWING):
        return False
    return is_personal(request)
