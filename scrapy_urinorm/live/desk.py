"""The desk of a crawl: which requests wait, as their page is fetched already or brings nothing. It never drops one.

It answers from memory and learns from the messages of the `student`. Fingerprints and what counts as seen are not its
business: a request that comes here is one that the duplicate filter has let through.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.live.answers import Answers
from scrapy_urinorm.live.brought import Turn
from scrapy_urinorm.live.ids import Ids
from scrapy_urinorm.live.known import Known
from scrapy_urinorm.live.learned import LearnedSites
from scrapy_urinorm.live.parked import TESTED, Waiting
from scrapy_urinorm.live.patterns import Patterns
from scrapy_urinorm.live.questions import (
    CANARY,
    CLOSED,
    LATER,
    PARK,
    PASSED,
    SAMPLE,
    Claimant,
    Question,
    Ruling,
    SiteDesk,
    SiteNames,
    by_lot,
    chance,
    filters_of,
    live_rule,
    pattern_key,
    speaks_of_action,
)
from scrapy_urinorm.live.yields import CLOSE, Yields
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.rulesets.ruleset import RuleSet


class Desk:
    """The desk of one crawl. `rules` and `preset` are those of its user, `close` is `URINORM_LIVE_CLOSE`.

    What is to be released or asked again is returned to whoever holds the requests.
    """

    def __init__(
        self, rules: Sequence[Any], preset: str, *, close: int = CLOSE, learned: Iterable[dict[str, Any]] = ()
    ) -> None:
        self._learned = LearnedSites(learned)
        self._rules = RuleSet.load(*rules, preset=preset)
        self.preset = preset
        self.sites: dict[str, SiteDesk] = {}
        self.patterns = Patterns()
        self.yields = Yields(close, lambda origin: filters_of(self.sites.get(self.site_name(origin)), origin))
        self.answers, self.ids = Answers(self.yields), Ids()
        self.claims: dict[int, Claimant] = {}
        self._next_claim, self.generations = 1, 0
        self._known = Known(self._rules)
        self.known = self._known.messages
        self.site_name = SiteNames(self._begins).of
        # the list of suffixes takes 130 ms to load: with the crawl's rules, not between two requests
        self.site_name("http://www.site.example/")
        # what the crawl's own rules drop is no place where a live one is to be tested
        self._own = Normalizer(self._rules, check_examples=False).key

    def _begins(self, name: str) -> None:
        """A site is met: learned files may know rules of it, and what is not worth a request."""
        message, skipped = self._learned.take(name)
        for line in self._known.learned(name, skipped):
            # the earlier crawl knew no better: as many as of any rule
            self.yields.warned(line, proven=True, enough=TESTED)
        if message is not None and name not in self.sites:
            self.ready(self._ruled(message))

    def pattern(self, url: str, kind: int) -> str:
        """Return the pattern of an address: a line of a pack that warns of it, or its shape."""
        return self._known.line(self.site_name(url), url, kind) or self.patterns.of(url)

    def decide(self, url: str, kind: int, *, late: bool = False) -> Ruling:
        """Return what is to become of a request that may wait; `kind` is what its callback and the like make of it.

        One that was put behind the others comes here again when it is its turn, `late`.
        """
        site = self.sites.get(self.site_name(url))
        if site is not None and site.on:
            held = self._held(site, url, kind)
            if held is not None:
                return held
        pattern = self.pattern(url, kind)
        combined = site is not None and site.defers(url)
        found, name, turn = place = self.yields.place(pattern, combined=combined)
        if turn is Turn.CLOSED:
            key = pattern_key(name)
            own = self.yields[pattern] or found
            if found.sampled(chance(url)) or self.ids.wants(pattern, url, own, late=late):
                return Ruling(SAMPLE, key, 0, by_lot(place.priority, url))
            # by lot as well, should it be let go: the first ones are like those that closed it
            return Ruling(CLOSED, key, 0, by_lot(0, url))
        if late:
            self.yields.sent(found)
            return PASSED
        if turn is Turn.LATER or combined:
            return Ruling(LATER, pattern_key(pattern), 0, by_lot(self.yields.put_off(pattern, place), url))
        if site is not None and site.doubts(url, kind):
            return Ruling(LATER, pattern_key(self.yields.doubt(pattern)), 0, 0)
        return PASSED

    def _held(self, site: SiteDesk, url: str, kind: int) -> Ruling | None:
        key, held = site.class_of(url, kind)
        if not held:
            return None
        movers, proven = site.movers(url)
        share = site.canaries.share(movers, proven=proven)
        tests = self._may_test(url, kind)
        if tests and chance(url) < share:
            site.canaries.fetched(movers, self._own(url))
            return Ruling(CANARY, key, site.generation, 0, movers)
        if tests:
            site.canaries.waits(Waiting(key, self._own(url), movers), proven=proven)
        return Ruling(PARK, key, site.generation, 0, movers)

    def _may_test(self, url: str, kind: int) -> bool:
        """Whether a request may be sent to test a rule: of those that do something only what the crawl does anyway."""
        if not speaks_of_action(url):
            return True
        found = self.yields[self.pattern(url, kind)]
        return found is not None and found.is_usual

    def comes_later(self, url: str, kind: int) -> bool:
        """Whether a request comes behind the others, or is kept back, by what its pattern has brought or what it is."""
        if (site := self.sites.get(self.site_name(url))) is not None and site.defers(url):
            return True
        return self.yields.place(self.pattern(url, kind)).turn is not Turn.OPEN

    def still_held(self, url: str, kind: int, going: set[bytes]) -> bytes | None:
        """Return the class that a request waits for under the rules of today, None where of its class it is `going`."""
        site = self.sites.get(self.site_name(url))
        if site is None or not site.on or site.sure is None:
            return None
        key, held = site.class_of(url, kind)
        if not held and key not in going:
            going.add(key)
            return None
        # what an older rule has kept back is to be tested for the new one, too
        movers, proven = site.movers(url)
        if self._may_test(url, kind):
            site.canaries.waits(Waiting(key, self._own(url), movers), proven=proven)
        return key

    def claim(self, url: str, kind: int) -> int:
        """A request is handed out: it speaks for its class until it is served or has failed. Return its number."""
        number = self._next_claim
        self._next_claim += 1
        self.ids.tried(url)
        name = self.site_name(url)
        self.claims[number] = Claimant(number, name, url, kind)
        site = self.sites.get(name)
        if site is not None and site.on:
            for question in site.questions:
                question.claims.setdefault(question.number(url, kind), number)
        return number

    def served(self, number: int, final: str) -> tuple[list[bytes], list[tuple[str, str, int]]]:
        """A claim was answered, at the address `final`, and its callback ran.

        Return the classes of which one that waits is to go, and what is to be kept as served: site, address and kind.
        A redirect elsewhere serves where it led to, not what was asked for.
        """
        claim = self.claims.pop(number, None)
        if claim is None:
            return [], []
        name = self.site_name(final)
        self._known.served(name, final, claim.kind)
        site = self.sites.get(name)
        if site is not None and site.on:
            for question in site.questions:
                question.served.add(question.number(final, claim.kind))
        return self._given_back(claim), [(name, final, claim.kind)]

    def failed(self, number: int, back: str | None = None) -> list[bytes]:
        """A claim came to nothing; return the classes of which one that waits is to go in its stead.

        `back` is where a redirect led, should that be known already: a page of its pattern that brings no news.
        """
        claim = self.claims.pop(number, None)
        if claim is None:
            return []
        if back is not None:
            self.answers.led_back(claim.site, self.pattern(claim.url, claim.kind), back)
        return self._given_back(claim)

    def _given_back(self, claim: Claimant) -> list[bytes]:
        """End a claim; return the class that nobody speaks for now."""
        freed = list[bytes]()
        site = self.sites.get(claim.site)
        for question in site.questions if site is not None and site.on else ():
            asked = question.number(claim.url, claim.kind)
            if question.claims.get(asked) == claim.number:
                del question.claims[asked]
                if site is not None and question is site.sure and asked not in question.served:
                    freed.append(asked.to_bytes(8, "little"))
        return freed

    def take(self, message: dict[str, Any]) -> tuple[list[bytes], str | None]:
        """Take a message of the student.

        Return the patterns whose requests are to be served later, and the site that has new rules: it answers no
        question until it was `keyed` with all that was served.
        """
        what = message["do"]
        if what == "news":
            return [pattern_key(name) for name in self.answers.heard(message)], None
        if what == "doubt":
            site = self.sites.get(message["site"])
            if site is not None and site.message.get("version") == message["version"]:
                self._off(site)
        if what == "platform":
            with suppress(UrinormError):
                for line, proven in self._known.take(message):
                    self.yields.warned(line, proven=proven)
        if what == "judged" and (site := self.sites.get(message["site"])) is not None:
            site.take_stopgaps(message.get("stopgaps", ()))
        if what == "rules":
            return [], self._ruled(message)
        return [], None

    @staticmethod
    def _off(site: SiteDesk) -> None:
        site.on = False
        for question in site.questions:
            question.claims.clear()

    def _ruled(self, message: dict[str, Any]) -> str:
        name: str = message["site"]
        site = self.sites.setdefault(name, SiteDesk())
        site.on = False
        # a fleet has the same numbers
        self.generations = message.get("generation") or self.generations + 1
        site.generation, site.message = self.generations, message
        site.rules, site.sure, site.likely, site.later = [], None, None, None
        # with the user's own rules they may make no rule file: then there are none
        with suppress(UrinormError):
            if message["rules"]:
                site.sure = Question([message["source"]], self._rules, self.preset)
                site.rules = [live_rule(one) for one in message["rules"]]
        with suppress(UrinormError):
            if message["likely"]:
                site.likely = Question([message["likely"]], self._rules, self.preset)
        with suppress(UrinormError):
            if message.get("later"):
                site.take_later(message["later"])
        site.canaries.ruled(rule.id for rule in site.rules)
        return name

    def keyed(self, name: str, served: Iterable[tuple[str, int]]) -> None:
        """Note some of what was served on a site with new rules."""
        site = self.sites[name]
        for url, kind in served:
            self._known.served(name, url, kind)
            site.keyed(url, kind, self._own(url))

    def ready(self, name: str) -> None:
        """All that was served is keyed: the site answers again, for what is under way, too."""
        site = self.sites[name]
        site.ready()
        for claim in self.claims.values():
            for question in site.questions if claim.site == name else ():
                question.claims.setdefault(question.number(claim.url, claim.kind), claim.number)

    def due(self) -> list[tuple[bytes, int | None]]:
        """Return, once, the classes of what was put off for long enough, and how many are to go, None for all."""
        return [(pattern_key(name), most) for name, most in self.yields.due()]

    def untested(self) -> list[bytes]:
        """Return classes of which one request is to be fetched before their rule may give up the rest."""
        return [key for site in self.sites.values() if site.on for key in site.untested()]

    def restore(self, state: dict[str, Any]) -> list[str]:
        """Take up the state of the run before; return the sites that are to be `keyed`, their parked asked again."""
        self.yields.load(state["yields"])
        self.ids.load(state["ids"])
        for message in state["known"]:
            self._known.take(message)
        self.generations = state["generations"]
        for name, known in state["sites"].items():
            self._ruled(known["message"])
            self.sites[name].canaries.load(known["counts"])
        return list(state["sites"])
