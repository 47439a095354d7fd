"""A student that takes sites over from those of other workers, and gives them up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_urinorm.live.student import Message, Student
from scrapy_urinorm.live.watched import FIRST_STUDY, Watched, octets_of
from scrapy_urinorm.live.work import no_rules
from scrapy_urinorm.suffixes import site_at

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit


class FleetStudent(Student):
    """A `Student` whose sites come and go."""

    def forget(self, name: str) -> None:
        """Another worker learns a site, or will tell what is known of it."""
        site = self._sites.pop(name, None)
        if site is not None:
            self._waiting -= sum(map(octets_of, site.waiting.values()))

    def recall(self, visit: Visit) -> list[Message]:
        """Take a visit that another worker has learned from: what it says of rules is known, or will be asked."""
        site = self._site(site_at(visit.url))
        if site is None:
            return []
        self._came(site, visit)
        self.store.add(site.name, visit)
        self.restore({}, [(site.name, visit)])
        # `again` is told whether there are rules
        site.unsaid = False
        return list(self._recognized(site, visit))

    def again(self, name: str, *, had: bool) -> list[Message]:
        """Study a site that was taken over; where it `had` rules, say what holds instead, whatever that is."""
        site = self._sites.setdefault(name, Watched(name))
        if not had:
            return self.study(name) if site.pages >= FIRST_STUDY else []
        if not site.pages:
            return [no_rules(name, site.pages)]
        site.doubted = True
        said = self.study(name)
        return said if any(one["do"] == "rules" for one in said) else [*said, no_rules(name, site.pages)]
