"""What a recorded site answered to each address."""

from __future__ import annotations

import json
from copy import copy
from typing import TYPE_CHECKING

from scrapy_urinorm.visits.links import url_hash
from scrapy_urinorm.visits.record import visit_from_row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_urinorm.visits.record import Visit


class Answers:
    """The visits of one recording by what was asked for, then those of redirects by what they led to."""

    def __init__(self, visits: Iterable[Visit]) -> None:
        self.by_id: dict[bytes, Visit] = {}
        self.by_url: dict[str, Visit] = {}
        self.first: Visit | None = None
        self._rows: dict[int, Visit] = {}
        led_to: list[Visit] = []
        for visit in visits:
            if visit.clean_param or visit.url.endswith("/robots.txt"):
                continue
            known = self.by_url.get(visit.url)
            if known is None or is_hop(known):
                # a hop that was followed is recorded twice
                self.by_url[visit.url] = visit
                if visit.id is not None:
                    self.by_id[visit.id] = visit
            if visit.final_url and not is_hop(visit):
                led_to.append(visit)
            if self.first is None or self.first.url == visit.url:
                self.first = self.by_url[visit.url]
        for visit in led_to:
            assert visit.final_url is not None
            self.by_url.setdefault(visit.final_url, visit)
            self.by_id.setdefault(url_hash(visit.final_url), visit)

    def again(self, visit: Visit) -> Visit:
        """Return a visit as a crawl would read it again, which may be changed."""
        row = self._rows.get(id(visit))
        if row is None:
            row = self._rows[id(visit)] = visit_from_row(json.loads(visit.to_json()))
        return copy(row)


def is_hop(visit: Visit) -> bool:
    return visit.status is not None and 300 <= visit.status < 400
