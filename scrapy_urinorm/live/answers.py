"""What the answers of a site say of its patterns: nothing while it is down, showing errors or one and the same page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.content import is_error
from scrapy_urinorm.live.brought import Turn
from scrapy_urinorm.live.patience import MOST
from scrapy_urinorm.live.questions import pattern_key
from scrapy_urinorm.live.yields import MOST_ALIKE, ONE_PAGE, Yields
from scrapy_urinorm.recipe import hash_of

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

SITES = 1_000
"""Sites that are watched, as many as are studied."""
_EVIDENCE = 2
"""Patterns with news that show one and the same page: of one alone it may be how its list ends."""
_PATTERNS = 100
"""Patterns of a run of equal pages that are remembered, to be opened again; a site has fewer that bring news."""
BROKEN = 200
"""Errors of the server in a row, and pages of other patterns meanwhile, from which a pattern that has shown nothing
else is judged by them: as many as close one; chosen. A part of a site that is down longer is named in the end."""
_FINISHED = 10_000
"""Pages of a pattern that finish items and are not read yet: the process that learns may be so late; chosen."""
# statuses of HTTP (RFC 9110, section 15)
_BUSY, _GONE = "429", (404, 410)


def shown(visit: Visit) -> str:
    """Return what a page has shown: the status of an error, or some letters that stand for its text.

    Empty where the text is not known, and of what is gone: the site itself says so of each address.
    """
    if is_error(visit.status):
        return str(visit.status) if visit.status not in _GONE else ""
    digest = visit.text_digest or visit.body_digest
    return f"={digest[:12]}" if digest else ""


@dataclass
class _Run:
    """Equal pages in a row: what they show, the patterns with news before that showed it, and how many passed."""

    shows: str = ""
    patterns: list[str] = field(default_factory=list)
    passed: int = 0


class Answers:
    """What was answered in one crawl, counted by its patterns; unless a site is down, which says nothing of them."""

    def __init__(self, yields: Yields) -> None:
        self._yields = yields
        self._of: dict[str, _Run] = {}
        self._again: list[str] = []
        self._finished: dict[tuple[str, bool], int] = {}
        self._served: Counter[str] = Counter()
        self._broken: dict[str, tuple[int, int]] = {}

    def heard(self, message: Mapping[str, Any]) -> list[str]:
        """Count a page of which the student says what it has brought; return as `Yields.learned`."""
        pattern, news, shows = message["pattern"], message["news"], message.get("shows", "")
        few, kin, credit = message.get("few", False), message.get("kin", False), message.get("credit")
        same, said = message["same"], message.get("said", False)
        for chained in (True, False):
            if number := self._finished.pop((pattern, chained), 0):
                if number > 1:
                    self._finished[pattern, chained] = number - 1
                news, same, said = news or chained, False, False
                few = not news
                break
        known = (found := self._yields.of.get(pattern)) is not None and found.news > 0
        site = message.get("site", "")
        if self._is_down(site, pattern, shows, known=known, news=news or few):
            return self._reopened(self._of[site].patterns, shows) if site in self._of else []
        reopened = self._yields.learned(pattern, news, same=same, few=few, kin=kin, shows=shows, said=said)
        reopened += self._yields.credited(credit) if credit else []
        return reopened + self._yields.led_on(message.get("above", ()))

    def finished(self, pattern: str, *, chained: bool) -> None:
        """A callback has made items of a page, or goes on with one, and asks for no more like it.

        Whatever the page shows, that there is nothing in stock, it is one of its own: as of one of a few words, of
        which those with news name no end, nothing is closed for it. Where an item came with the request (`chained`)
        the page is news, and has its turn: many a crawl is stopped after so many items. It was heard of already, or
        will be.
        """
        number = self._finished.get((pattern, chained), 0)
        if number < _FINISHED and (number or len(self._finished) < MOST):
            self._finished[pattern, chained] = number + 1

    def led_back(self, site: str, pattern: str, target: str) -> None:
        """Count a redirect to an address that was known, if the site is not down: all may lead to a test for robots."""
        # remembered of each pattern, and an address may be as long as a header
        target = f">{hash_of(target).hex()}"
        known = (found := self._yields.of.get(pattern)) is not None and found.news > 0
        if self._is_down(site, pattern, target, known=known, news=False):
            self._again += self._reopened(self._of[site].patterns, target)
        else:
            self._yields.led_back(pattern, target)

    def reopened(self) -> list[bytes]:
        """Return, once, the classes of what was closed for redirects to one page, whose requests come later."""
        again, self._again = self._again, []
        return [pattern_key(name) for name in again]

    def _is_down(self, site: str, pattern: str, shows: str, *, known: bool, news: bool) -> bool:
        """Whether an answer says nothing of the page that was asked for, so that its pattern is not to be judged by it.

        `shows` is as of `shown`, or where a redirect led to; `known` says whether the pattern had news before, `news`
        whether this page has. A server that is busy or broken says nothing of any page; one that refuses (401, 403)
        says something of what it has always refused, and so does one that has always been broken there and nowhere
        else. Of a page that is served instead of all others two patterns with news are evidence: one alone may have
        come to its end.
        """
        if shows.isdigit():
            return known or shows == _BUSY or (shows.startswith("5") and not self._is_broken(site, pattern))
        self._broken.pop(pattern, None)
        if site in self._served or len(self._served) < SITES:
            self._served[site] += 1
        run = self._of.get(site)
        if run is None:
            if len(self._of) >= SITES:
                return False
            run = self._of[site] = _Run()
        if news or shows != run.shows:
            run.shows, run.patterns = "" if news else shows, []
        if news or not shows:
            return False
        if known and pattern not in run.patterns and len(run.patterns) < _PATTERNS:
            run.patterns.append(pattern)
        down = len(run.patterns) >= _EVIDENCE and run.passed < MOST_ALIKE
        run.passed += down
        return down

    def _is_broken(self, site: str, pattern: str) -> bool:
        """Whether a pattern has shown errors of the server and nothing else, so often, and the site as many pages at
        other addresses meanwhile: a search that is refused to visitors of this kind, with a number drawn by lot in each
        link.
        """
        if pattern not in self._broken and len(self._broken) >= MOST:
            return False
        errors, served = self._broken.get(pattern, (0, self._served[site]))
        self._broken[pattern] = errors + 1, served
        return errors >= BROKEN and self._served[site] - served >= errors

    def _reopened(self, patterns: Iterable[str], shows: str) -> list[str]:
        """Have what was closed while the site was down come later again."""
        found = [(name, self._yields.of[name]) for name in self._yields.judged(patterns)]
        closed = {name: one for name, one in found if one.turn is Turn.CLOSED and one.shows == shows}
        for one in closed.values():
            one.turn, one.blank = Turn.LATER, 0
        return list(closed)

    def retried(self) -> list[bytes]:
        """Return, once, the classes of closed patterns of which a few requests go before the end.

        They are those that showed one and the same page, or errors, when they were closed: the site may have been down.
        """
        alike = min(self._yields.close, ONE_PAGE) // 2
        closed = {name: one for name, one in self._yields.closed().items() if one.kept and one.alike >= alike}
        again = {name: one for name, one in closed.items() if not (one.known or one.retried)}
        for one in again.values():
            one.turn, one.tries, one.retried = Turn.LATER, 0, True
        return [pattern_key(name) for name in again]
