"""What the patterns of a site still bring: those that bring nothing come after the others, and are closed in the end.

Neither loses anything by itself: what comes later is fetched when nothing else waits, and what a closed pattern keeps
back stays in the file of requests, is sampled until the end, and goes on when a sample brings something new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from typing import Any

from scrapy_urinorm.live.brought import KNOWN_CLOSE, TURNS, Brought, Rank, Turn, Yield, yield_of
from scrapy_urinorm.live.filtered import Filtered, is_whole
from scrapy_urinorm.live.groups import AGAIN, ShapeParts, group_of, is_group, subgroups
from scrapy_urinorm.live.patience import TESTS, Doubts, Patience, doubted
from scrapy_urinorm.live.patterns import is_item, is_plain

LOW = 20
"""Pages in a row without news that make a pattern low: one that has news on a tenth of its pages gets there once in
eight times, and loses nothing but its turn."""
CLOSE = 200
"""Pages in a row without news, fetched when nothing else was waiting, that close a pattern; `URINORM_LIVE_CLOSE`."""
ONE_PAGE = 31
"""Redirects in a row to one and the same page that close a pattern instead, be they in their turn or later, or pages in
a row that name as canonical what has shown their text, unless that is one and the same, as of a site that is down: so
many pairs as a rule is believed for, and the site itself says that they are one."""
MOST_ALIKE = 1_000
"""So many where a pattern of pages had news time and again, and then shows one and the same page: a polite crawl sees
as many while a site is down for an hour. What truly ends so, as sold products do, costs so many requests once."""
REOPEN = 0.2
"""The share of news among a low pattern's latest pages from which it is served in its turn again."""
SHAPES = 16
"""Shapes of a group that were fetched, without news for `CLOSE` pages in a row, that close it: filters times orders
times categories. With fewer, scripts that happen to share a parameter's name might be closed for what others do. Of
the pages `AGAIN` are the group's own, the others may be those of groups with fewer names."""
_TRIES = 3
"""Pages of a shape, or of each of its parts, that must have brought nothing before a closed group keeps any of it back,
be its shapes as many as they may; as for a proven line of a platform."""
BEFORE = 100
"""Requests that were put off and are served in their turn when their pattern brings something again, the oldest: they
are as good as those that come now, and a database whose exports have no end never came to them. Not all of them, as
they may be years of a calendar."""
_KEEP = 0.95
"""How much of the share each further page leaves: it looks back some twenty pages."""
_FEW = 0.5
"""What a few words count beside news, which is only an order."""
_MOST = 20_000
"""Patterns that are counted: as many places as `patterns` tells apart."""
_NEW = Yield()


class Yields:
    """The patterns of a crawl; `close` = 0 turns closing off. `filters` says of an origin, or script, which parameters
    of its site are filters of lists.
    """

    def __init__(self, close: int = CLOSE, filters: Callable[[str], AbstractSet[str]] = lambda _: frozenset()) -> None:
        self.close = close
        self.of: dict[str, Yield] = {}
        self._parts = ShapeParts()
        self._led_to: dict[str, str] = {}
        self._patience = Patience()
        self._filtered = Filtered(filters, self.of)
        self.doubts = Doubts()
        self._due: list[tuple[str, int | None]] = []

    def __getitem__(self, pattern: str) -> Yield | None:
        return self.of.get(pattern)

    def place(self, pattern: str, *, combined: bool = False) -> Rank:
        """Return by what the requests of a pattern are served: by what it has brought itself, or its group.

        Filters and orders of a shop are hundreds of patterns of a dozen addresses each, and none would ever be low.
        Those with more than one filter of a few values, `combined`, are closed with all others of that kind, too: a
        shop of six filters has sixty groups of names, one of ten a thousand, each with pages of its own to fetch first.
        """
        own = self.of.get(pattern) or _NEW
        place = self._placed(own, pattern, group_of(pattern))
        if place.turn is Turn.CLOSED:
            return place
        for name in self._filtered.wider(pattern, combined=combined, alone=own.known or own.is_alone):
            found = self.of.get(name)
            if found is not None and found.turn is Turn.CLOSED and self._is_tried(own, pattern, found, name):
                return Rank(found, name, Turn.CLOSED)
        return place

    def _placed(self, own: Yield, pattern: str, name: str) -> Rank:
        group = self.of.get(name) if name else None
        if group is None or own.known or own.is_alone or group.turn <= own.turn:
            return Rank(own, pattern, own.turn)
        if group.turn is Turn.CLOSED and not self._is_tried(own, pattern, group, name):
            return Rank(group, name, Turn.LATER)
        return Rank(group, name, group.turn)

    def put_off(self, pattern: str, place: Rank) -> int:
        """A request comes later: return its priority.

        Where groups bring the same, mostly nothing any more, their shapes have their turns one after the other, and new
        ones first, which show what they are: else the hundreds of filters of one list are fetched to their end before
        the next category's is seen once.
        """
        level = place.priority
        if place.name == pattern:
            return level
        own = self.of.get(pattern)
        if own is None:
            if len(self.of) >= _MOST:
                return level
            own = self.of[pattern] = Yield()
        own.asked = min(own.asked + 1, TURNS)
        return level + TURNS - own.asked

    def doubt(self, pattern: str) -> str:
        """A request is likely a duplicate and comes after all else; return under which name it waits.

        Of pages some go before, as that may have no end.
        """
        if is_plain(pattern):
            self.doubts.waits(pattern)
        return doubted(pattern)

    def _is_tried(self, own: Yield, pattern: str, group: Yield, name: str) -> bool:
        """Whether a shape of a closed group brings nothing, and it, or its parts, had their share of the pages.

        The share is the smaller the more shapes there are, and the more pages in a row brought nothing; of a shape that
        once had news it is as that of such a part.
        """
        share = self.close / max(group.shapes, 1) * self.close / max(self._blanks(group, name), 1)
        times = max(_TRIES, share)
        if own.news:
            return own.turn is not Turn.OPEN and own.blank >= max(times, AGAIN)
        return own.pages >= times or self._parts.are_tried(name, pattern, times)

    def _blanks(self, group: Yield, name: str) -> int:
        """How many pages in a row of a group brought nothing, and of those with fewer names."""
        fewer = (self.of.get(one) for one in subgroups(name))
        return group.blank + sum(min(one.blank, self.close) for one in fewer if one and one.turn is not Turn.OPEN)

    def learned(
        self, pattern: str, news: bool, *, same: bool = False, few: bool = False, kin: bool = False, shows: str = "",
        said: bool = False,
    ) -> list[str]:  # fmt: skip
        """Count a page of a pattern; return of which patterns and groups the closing ended, whose requests come later.

        `same`: a redirect that led to the page that the one before led to. `few`: a page without news that is one
        of its own all the same; it never closes its pattern, and without a query has it come later for a while only.
        `kin`: one of a chain, which closes nothing, and comes later for good. `shows` stands for what was shown; of
        what it names as canonical that was `said`, too.
        """
        late = self._patience.page()
        # one that was closed meanwhile stays so: what it keeps back waits elsewhere; of one that was opened meanwhile
        # what it had put off waits still
        if late is not None and self.of[late].turn is not Turn.CLOSED:
            self.of[late].turn = Turn.OPEN
            self._due.append((late, None))
        if (late := self.doubts.page()) is not None:
            self._due.append((doubted(late), TESTS))
        page = Brought(news, same=same, few=few, kin=kin, shows=shows, said=said)
        first = (self.of.get(pattern) or _NEW).pages == 0
        for name in self._filtered.groups(pattern, news=news or few):
            self._parts.count(name, pattern, news=news or few)
        reopened = []
        for name in self._judges(pattern, news=news or few):
            if is_whole(name) and len(self.of) < _MOST:
                self.of.setdefault(name, Yield(turn=Turn.LATER))
            new = self._filtered.is_new(pattern) if is_whole(name) else first
            if self._counted(name, page._replace(same=False, said=False, kin=kin and not is_whole(name)), shape=new):
                reopened.append(name)
        if self._counted(pattern, page):
            reopened.append(pattern)
        return reopened

    def led_back(self, pattern: str, target: str) -> None:
        """A redirect of a pattern led to an address that was known: it brought nothing."""
        same = self._led_to.get(pattern) == target
        if pattern in self._led_to or len(self._led_to) < _MOST:
            self._led_to[pattern] = target
        self.learned(pattern, news=False, same=same, shows=target)

    def credited(self, pattern: str) -> list[str]:
        """A page of the pattern has led to something new; return as `learned`."""
        for name in self._filtered.groups(pattern, news=True):
            self._parts.count(name, pattern, news=True)
        judges = self._judges(pattern, news=True)
        return [name for name in (*judges, pattern) if self._credit(name, self.of.get(name))]

    def led_on(self, patterns: Iterable[str]) -> list[str]:
        """Pages of patterns without news have led to such that led to something new; return as `learned`."""
        return [name for name in patterns if (own := self.of.get(name)) and own.blank and self._credit(name, own)]

    def _credit(self, name: str, found: Yield | None) -> bool:
        """Do what `credit` does, and note whether the pages of a pattern are served in their turn again."""
        was = found.turn if found is not None else Turn.OPEN
        reopened = self.credit(found)
        if found is not None and was is Turn.LATER and found.turn is Turn.OPEN and is_plain(name):
            self._due.append((name, BEFORE))
        return reopened

    def judged(self, patterns: Iterable[str]) -> set[str]:
        """Return patterns with the groups that they are judged with, those that are counted."""
        return {name for one in patterns for name in (*self._judges(one, news=False), one) if name in self.of}

    def _judges(self, pattern: str, *, news: bool) -> list[str]:
        """Return the groups that a pattern is judged with, none where it is judged alone."""
        found = self.of.get(pattern) or _NEW
        return [] if found.known or found.is_alone else self._filtered.groups(pattern, news=news)

    def _counted(self, name: str, page: Brought, *, shape: bool = False) -> bool:
        if name not in self.of and len(self.of) >= _MOST:
            return False
        found = self.of.setdefault(name, Yield())
        found.pages += 1
        found.shapes += shape
        found.share = found.share * _KEEP + (1 - _KEEP) * (1 if page.news else _FEW * page.few)
        found.same = found.same + 1 if page.same else 0
        found.said = found.said + 1 if page.said else 0
        own = is_plain(name) and found.share >= REOPEN
        if (page.few and self._patience.is_over(name)) or ((page.few or page.kin) and found.turn is not Turn.OPEN):
            was, goes = found.turn, page.few and own and not self._patience.waits(name)
            found.turn, found.retried = Turn.OPEN if goes else Turn.LATER, False
            # a chain of which most pages say nothing is none
            found.blank = 0 if page.few else max(0, found.blank - LOW)
            return was is Turn.CLOSED
        if not page.news:
            found.blanks(page.shows)
            if found.turn is Turn.OPEN and found.blank >= LOW:
                found.turn, found.blank = Turn.OPEN if own and not self._patience.waits(name) else Turn.LATER, 0
            elif self._is_enough(found, name):
                found.turn = Turn.CLOSED
            return False
        return self._credit(name, found)

    def _is_enough(self, found: Yield, name: str) -> bool:
        if not self.close or found.turn is not Turn.LATER:
            return False
        if is_group(name):
            tried = found.shapes >= SHAPES and found.blank >= min(self.close, AGAIN)
            return tried and (found.blank >= self.close or self._blanks(found, name) >= self.close)
        # articles that all show one page of a sudden: the site may be down; where it redirects, it says so itself
        is_down = found.is_alone and found.alike >= LOW and is_item(name)
        enough = MOST_ALIKE if is_down else self.close
        if max(found.same, 0 if found.alike >= LOW else found.said) >= min(self.close, ONE_PAGE):
            return True
        return (found.alike if is_down else found.blank) >= enough

    def sent(self, found: Yield) -> None:
        """A request that came later is sent: of what is known to lead nowhere a few are enough."""
        if (found.known or found.retried) and found.turn is Turn.LATER:
            found.tries += 1
            if self.close and found.tries >= found.enough:
                found.turn = Turn.CLOSED

    def warned(self, pattern: str, *, proven: bool, enough: int = KNOWN_CLOSE) -> None:
        """A recognized platform is known to answer such addresses with nothing new: they come later from now on."""
        found = self.of.setdefault(pattern, Yield())
        found.known, found.enough = found.known or proven, max(found.enough, enough)
        if found.turn is Turn.OPEN and not found.news:
            found.turn = Turn.LATER

    def credit(self, found: Yield | None) -> bool:
        """A page of the pattern has brought something, itself or by what it led to; return as `learned`."""
        if found is None:
            return False
        found.news += 1
        found.blank, found.tries, found.retried = 0, 0, False
        found.share = max(found.share, found.share * _KEEP + (1 - _KEEP))
        was = found.turn
        if was is Turn.CLOSED:
            found.turn = Turn.LATER
            found.late_news += 1
        elif was is Turn.LATER and found.share >= REOPEN:
            found.turn = Turn.OPEN
        return was is Turn.CLOSED

    def due(self) -> list[tuple[str, int | None]]:
        """Return, once, the patterns of which requests that were put off are to go, and how many, None for all."""
        found, self._due = self._due, []
        return found

    def closed(self) -> dict[str, Yield]:
        """Return the patterns that keep requests back."""
        return {name: one for name, one in self.of.items() if one.turn is Turn.CLOSED}

    def load(self, rows: dict[str, list[Any]]) -> None:
        """Take up what a run before has dumped; where closing was turned off since, what it closed comes later."""
        last = Turn.CLOSED if self.close else Turn.LATER
        for name, row in rows.items():
            if self.doubts.load(name, row):
                continue
            found = self.of[name] = yield_of(row)
            # one that is open may have been put off before, and is not told: then nothing of it waits
            waits = found.turn is Turn.LATER or (found.turn is Turn.OPEN and found.pages > LOW)
            found.turn = min(found.turn, last)
            if waits and is_plain(name) and found.share >= REOPEN:
                self._patience.waits(name)
