"""The pages of one site: visits gathered by canonical URL, with their labels."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.content import (
    NOTHING,
    Content,
    Frame,
    Titles,
    frequent_labels,
    is_answer,
    is_redirect,
    plain_content,
    soft_labels,
)
from scrapy_urinorm.learn.links.linked import tell_ways
from scrapy_urinorm.learn.links.linked_options import LinkedOptions
from scrapy_urinorm.learn.pages.page import TEMPORARY, Page, contest_canonicals, describe, doubt_canonicals
from scrapy_urinorm.learn.sites.blocks import blocked_labels
from scrapy_urinorm.learn.sites.given import OwnGiven
from scrapy_urinorm.learn.sites.other_crawls import OtherCrawls
from scrapy_urinorm.learn.sites.own_text import OwnTexts
from scrapy_urinorm.learn.sites.said_sessions import BorneSessions, SaidSessions
from scrapy_urinorm.learn.sites.separators import Separators, base_of
from scrapy_urinorm.learn.sites.sessions import session_names
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.recognition import Recognizer
from scrapy_urinorm.url import resolve
from scrapy_urinorm.visits.links import each_hash, url_hash
from scrapy_urinorm.visits.programs import is_page

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.candidate import Candidate
    from scrapy_urinorm.visits.record import Visit

GONE, DENIED = frozenset((404, 410)), frozenset((401, 403))
"""What says that there is nothing, and nothing for this visitor; 429 and 5xx say when, and others what was asked."""
HOPS = 8
"""Redirects followed from one visit to the next: fewer than clients follow, more than sites use."""


class Site:
    """The visits of one registrable domain, gathered before anything is learned."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rows: list[tuple[Visit, Content]] = []
        self.frame: Frame | None = None
        self.clean_params: dict[str, set[str]] = defaultdict(set)
        self.no_vary_search: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._separators = Separators()
        self.separators: list[Candidate] = []
        """How queries are split, by host, once built."""
        self.said_sessions: list[Candidate] = []
        """What a known program says of sessions in its links, once built."""
        self.pages: list[Page] = []
        self.by_key: dict[str, Page] = {}
        self.soft: frozenset[int] = frozenset()
        self.sessions: frozenset[str] = frozenset()
        """The parameters with a session in nearly every address, once built."""
        self._borne = BorneSessions(())
        self.base: dict[str, Any] = {}
        self.knows_referers = self.tells_ways = False
        self.sampled_from = self.blocked = 0
        self.blocked_like = ""
        self._others = OtherCrawls()
        self.changed: set[str] = set()
        """The keys of pages of which a later visit has shown something else."""
        self.shown: dict[str, set[int]] = {}
        """The labels of what each of these pages has shown."""
        self.given = OwnGiven(())
        self._drawn: dict[str, Page] = {}
        self.drawn = 0
        self.drawn_like = ""
        self.ids: dict[bytes, Page] = {}
        self._ruled: list[tuple[Page, bytes]] = []
        self._keyed: dict[bytes, Page] = {}
        self.crawls: set[str] = set()
        self.whole: AbstractSet[str] = frozenset()
        """The crawls that came to their end by themselves, and of which all visits were read."""
        self._bears_none = False
        self.recognizer: Recognizer | None = None
        self.titles = Titles()
        self.own_texts = OwnTexts()
        self.labels: dict[bytes, int] = {}
        """The number of each content label, once built: later visits are numbered on."""

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each page by its key, once built."""
        return {page.key: n for n, page in enumerate(self.pages)}

    @property
    def has_ended(self) -> bool:
        """Whether all crawls of it came to their end by themselves, and all of it was read."""
        return bool(self.crawls) and self.crawls <= self.whole and not (self._bears_none or self.sampled_from)

    @property
    def is_whole(self) -> bool:
        """Whether nothing that its pages would ask for was left: crawls have ended, and each page says from where it
        was asked for, which a site may forbid (`Referrer-Policy`).
        """
        return self.has_ended and all(page.referers or page.sources for page in self.pages if page.depth)

    def ground(self, rules: Sequence[Any]) -> list[Any]:
        """Return the rules that hold before anything is learned: those that are there already, and the base."""
        return [*rules, self.base] if self.base else list(rules)

    def add(self, visit: Visit, host: str) -> None:
        """Add one visit; its lines, if any, are kept until the frame of the site is known."""
        if visit.crawl:
            self.crawls.add(visit.crawl)
        else:
            self._bears_none = True
        if visit.marks or self.recognizer is not None:
            self.recognizer = self.recognizer or Recognizer()
            if is_page(visit):
                self.recognizer.see(visit.final_url or visit.url, visit.marks)
        if visit.clean_param:
            self.clean_params[host].update(visit.clean_param)
        query = visit.url.partition("#")[0].partition("?")[2]
        if query:
            path = visit.url.partition("?")[0].partition("://")[2].partition("/")[2]
            self.no_vary_search[host, "/" + path][visit.no_vary_search or ""] += 1
        self._separators.see(host, query)
        if visit.lines:
            if self.frame is None:
                self.frame = Frame()
            if is_answer(visit.status):
                self.frame.add(visit.lines, visit.line_words)
            self.rows.append((visit, NOTHING))
        else:
            self.rows.append((visit, plain_content(visit)))

    def build(
        self,
        preset: str,
        rules: Any = (),
        struck: Container[str] = frozenset(),
        *,
        split: bool = True,
        sessions: Iterable[Candidate] | None = None,
    ) -> None:
        """Gather the visits into pages under the preset and the rules that are there already, queries split where that
        is how a host's read, unless not to `split`, or `struck`. Where `sessions` are given, the rules of crawls
        before, those of a known program are taken out of links.
        """
        visits = [visit for visit, _ in self.rows]
        self.sessions = session_names(visits)
        if self.frame is not None:
            self.frame.linked = LinkedOptions(visits)
            self.frame.find_noise(visits, self.sessions)
            pages = (visit for visit in visits if is_answer(visit.status))
            self.frame.find_telling((visit.url, visit.lines, visit.crawl) for visit in pages if visit.lines)
            self.frame.linked = None
            self.frame.find_gates(visits)
        self.separators = self._separators.judge(self.rows, self._content, rules, preset, struck) if split else []
        if sessions is not None:
            said = SaidSessions(self.recognizer, rules, preset, sessions)
            self.said_sessions = said.judge(self.rows, self._content, struck)
        self.base = base_of((*self.separators, *self.said_sessions))
        self._borne = BorneSessions(self.said_sessions)
        normalizer = Normalizer(self.ground(rules) or None, preset, check_examples=False)
        if self.frame is not None:
            self.own_texts.find([visit for visit, _ in self.rows], self.frame, normalizer.key)
        labels = self.labels
        answered = 0
        self.tells_ways = tell_ways(visit for visit, _ in self.rows)
        ruled = any(visit.link_keys for visit, _ in self.rows)
        self.given = OwnGiven(visits)
        self.rows.reverse()
        while self.rows:
            # lines are most of a visit: each goes as it is read, unless the caller keeps it
            visit, content = self.rows.pop()
            content = NOTHING if (own := self.given.is_own(visit)) else self._content(visit, content)
            number = -1 if content.label is None else labels.setdefault(content.label, len(labels))
            described = self._pages_of(visit, normalizer)
            if ruled and visit.key:
                # with its redirects that have no line of their own the key is that of the end
                self._keyed.setdefault(url_hash(visit.key), described[-1])
            if (visit.status in GONE or visit.status in DENIED) and not own:
                described[0].refused, described[0].denied = answered + 1, visit.status in DENIED
            answered += number >= 0
            for page in described:
                self._show(page, number, content, visit.crawl)
        for page in self._others.tell_apart():
            self.titles.add(page)
        self._borne.complete(self.ids)
        self._follow_redirects()
        self._follow_rules()
        self.pages = list(self.by_key.values())
        # a block page that does not stand out is one by the place where it begins, under whatever title
        self._forget(blocked_labels(self.pages, frequent_labels([page.label for page in self.pages]), self.ids))
        for page in (one for one in self.pages if self.titles.forget_shell(one)):
            self._drawn[page.key] = page
        for page in (one for one in self._drawn.values() if one.label < 0):
            self.drawn += 1
            self.drawn_like = self.drawn_like or page.url
        self.soft = soft_labels([page.label for page in self.pages])
        self.own_texts.doubt(self.pages)
        doubt_canonicals(self.pages)
        contest_canonicals(self.pages)

    def _show(self, page: Page, number: int, content: Content, crawl: str | None) -> None:
        """Note what a visit has shown; `number` is that of its label."""
        if page.label < 0 <= number:
            page.show(number, content)
            self.titles.add(page)
        elif number >= 0:
            if number != page.label:
                self.changed.add(page.key)
                self.shown.setdefault(page.key, {page.label}).add(number)
            self._others.add(page, number, content, crawl)
        elif content.drawn:
            # data that are another on each visit say nothing
            page.data = content.data if page.key not in self._drawn or page.data == content.data else 0
            self._drawn[page.key] = page

    def _content(self, visit: Visit, known: Content) -> Content:
        return self.frame.content(visit) if visit.lines and self.frame is not None else known

    def _forget(self, blocked: frozenset[int]) -> None:
        """Take for unknown what a block page stood in for."""
        for page in self.pages:
            if page.label in blocked:
                page.label, page.sketches, page.data = -1, (), 0
                self.blocked += 1
                self.blocked_like = self.blocked_like or page.url

    def _pages_of(self, visit: Visit, normalizer: Normalizer) -> Sequence[Page]:
        key = normalizer.key(visit.url)
        page = self._page(key, visit.url)
        describe(page, visit)
        if visit.canonical:
            # importers hand on what stands in the page
            page.canonical = normalizer.key(resolve(visit.canonical, visit.final_url or visit.url))
        hop = is_redirect(visit.status)
        if visit.referer and (hop or not visit.redirects):
            self.knows_referers = True
            page.refer(normalizer.key(visit.referer))
        self._link(page, visit, visit.id or visit.url)
        final = None if visit.final_url is None else normalizer.key(visit.final_url)
        if final is None or final == key:
            return (page,)
        page.final, page.passing = final, any(status in TEMPORARY for status, _ in visit.redirects)
        if hop:
            if final in self.by_key:
                self.by_key[final].lead(key)
            return (page,)
        target = self._page(final, visit.final_url or visit.url)
        target.lead(key)
        target.canonical = page.canonical
        target.day = page.day
        page.canonical = None
        self._link(target, visit, visit.final_url or visit.url)
        return (page, target)

    def _link(self, page: Page, visit: Visit, known: bytes | str) -> None:
        if self.tells_ways:
            self.ids.setdefault(url_hash(known) if isinstance(known, str) else known, page)
            self._borne.see(known if isinstance(known, str) else visit.url, page)
            if page.links is None:
                page.links = visit.links
                if visit.link_keys and visit.links and len(visit.link_keys) == len(visit.links):
                    self._ruled.append((page, visit.link_keys))

    def _page(self, key: str, url: str) -> Page:
        page = self.by_key.get(key)
        if page is None:
            page = self.by_key[key] = Page(key, url)
        return page

    def _follow_rules(self) -> None:
        """Have links that lead nowhere lead to what the crawl has fetched in their place, under the rules it had."""
        while self._ruled:
            page, keys = self._ruled.pop()
            pairs = zip(each_hash(page.links), each_hash(keys), strict=True)
            page.links = b"".join(key if link not in self.ids and key in self._keyed else link for link, key in pairs)
        for key, page in self._keyed.items():
            self.ids.setdefault(key, page)
        self._keyed.clear()

    def _follow_redirects(self) -> None:
        """Give a page that was only seen to redirect the content of the end of its chain."""
        for page in self.by_key.values():
            end, hops = page, 0
            while end.label < 0 and end.final is not None and hops < HOPS:
                target = self.by_key.get(end.final)
                if target is None:
                    break
                end, hops = target, hops + 1
            if end is not page and end.label >= 0:
                page.label, page.weak, page.sketches, page.words = end.label, end.weak, end.sketches, end.words
                page.title = end.title
