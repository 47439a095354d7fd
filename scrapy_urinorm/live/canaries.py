"""The samples of what rules keep back: which requests are fetched all the same, in their turn and before the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from scrapy_urinorm.live.parked import LASTING, TESTED, Count, Waiting
from scrapy_urinorm.live.patterns import Patterns
from scrapy_urinorm.live.trial import canary_share


class Canaries:
    """The counts of the rules of one site, by their names."""

    def __init__(self) -> None:
        self.of: dict[str, Count] = {}
        self._shapes = Patterns()

    def _places(self, url: str) -> list[str]:
        path, _, query = self._shapes.of(url).partition("?")
        return [path, *(f"{path}?{item}" for item in query.split("&") if item)]

    def share(self, movers: Sequence[str], *, proven: bool) -> float:
        """Count a request that rules keep back; return the share of such requests that is fetched all the same."""
        counts = [self.of.setdefault(name, Count()) for name in movers]
        for count in counts:
            count.parked += 1
        fewer = proven or all(count.canaries >= TESTED for count in counts)
        return min(canary_share(count.parked, fewer=fewer) for count in counts)

    def fetched(self, movers: Iterable[str], url: str) -> None:
        """One of them is fetched: it is a canary of each rule that would have kept it back."""
        places = self._places(url)
        for name in movers:
            count = self.of.setdefault(name, Count())
            count.fetched(url, places, count.parked)

    def agreed(self, movers: Iterable[str], url: str) -> None:
        """A page was fetched before rules that would have kept it back, and speaks for them where it is.

        Only there: it is no sample of what they have kept back since.
        """
        places = self._places(url)
        for name in movers:
            self.of.setdefault(name, Count()).met.update(places)

    def waits(self, one: Waiting, *, proven: bool) -> None:
        """One of them waits."""
        places = self._places(one.url)
        for name in one.movers:
            self.of.setdefault(name, Count()).waits(one, places, proven=proven)

    def ruled(self, known: Iterable[str]) -> None:
        """There are new rules: what waits is counted anew, what was tested under a rule that stays is tested."""
        kept = {*known, ""}
        self.of = {
            name: Count(**{field: getattr(count, field) for field in LASTING})
            for name, count in self.of.items()
            if name in kept
        }

    def untested(self, key: Callable[[str], str]) -> list[bytes]:
        """Return classes of which a request is to be fetched before their rules may give up the rest.

        One is there as many times as requests of it are to go, should so many wait. `key` is what all addresses of a
        class have in common: a page of a list is the same in each order that a rule drops.
        """
        chosen: dict[bytes, int] = {}

        def shared(url: str) -> list[str]:
            return self._places(key(url))

        for count in self.of.values():
            count.waiting = [one for one in count.waiting if one.key not in chosen]
            for (class_key, url, movers), number in count.wanted(self._places, shared).items():
                if chosen.get(class_key, 0) < number:
                    chosen[class_key] = number
                    for held in [self.of.setdefault(name, Count()) for name in movers]:
                        held.fetched(url, self._places(url), held.arrival(class_key))
            count.waiting = [one for one in count.waiting if one.key not in chosen]
        return [class_key for class_key, number in chosen.items() for _ in range(number)]

    def dump(self) -> dict[str, Any]:
        """Return what a later run needs, as JSON can hold it: what waits is asked again there."""
        return {name: [count.parked, count.canaries] for name, count in self.of.items()}

    def load(self, rows: dict[str, Any]) -> None:
        """Take up what a run before has dumped."""
        self.of = {name: Count(*counts) for name, counts in rows.items()}
