"""Sessions in the links of a known program: what the lines of its pack make one page is one from the start."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.content import Content, are_apart
from scrapy_urinorm.errors import RuleFileError
from scrapy_urinorm.learn.earlier import names_of
from scrapy_urinorm.learn.evidence.candidate import ACTIVE, REJECTED, Candidate, signature, tables
from scrapy_urinorm.learn.evidence.own_pairs import OwnPairs, reject
from scrapy_urinorm.learn.evidence.pack_lines import AGREEING, PROVEN_PRIOR, pack_candidates
from scrapy_urinorm.learn.evidence.risk import BELIEVED, risk, standing
from scrapy_urinorm.learn.sites.separators import pages_of
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.visits.links import url_hash

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.page import Page
    from scrapy_urinorm.recognition import Recognizer
    from scrapy_urinorm.visits.record import Visit

MOST_OF_A_PAGE = 3
"""Pairs of one page that count, as for other rules: a front page has as many addresses as there were sessions."""
MOST_OTHERWISE = 300_000
"""Addresses that are tried under other sessions: a second; chosen."""
LIKELIER = 2
"""How many times as many pages must be alike as are not: where a "session" names pages hardly two are alike, and of
true ones a few are refused or have expired; chosen."""


class SaidSessions:
    """The lines on sessions of the programs that a site runs, held against its visits.

    A session in the links says who comes. What a page shows to another one is that page, though counters have moved
    since, and articles were written: so it is enough that pages are alike, and they are one from the start.
    """

    def __init__(
        self, recognizer: Recognizer | None, rules: Sequence[Any], preset: str, earlier: Iterable[Candidate] = ()
    ) -> None:
        self._lines = pack_candidates(recognizer.found(), of_sessions=True) if recognizer is not None else []
        self._rules, self._preset, self._earlier = rules, preset, frozenset(map(signature, earlier))

    def judge(
        self,
        visits: Sequence[tuple[Visit, Content]],
        content_of: Callable[[Visit, Content], Content],
        struck: Container[str] = frozenset(),
    ) -> list[Candidate]:
        """Return the lines that act on these visits: active ones, and rejected ones of which pages are not alike.

        Those are left out that are `struck`, or of which too few pages are there under two sessions to tell, unless an
        earlier crawl has: under a rule a page is fetched once.
        """
        lines = (line for line in self._lines if signature(line) not in struck)
        return [line for line in lines if self._weigh(line, visits, content_of)]

    def _weigh(
        self, line: Candidate, visits: Sequence[tuple[Visit, Content]], content_of: Callable[[Visit, Content], Content]
    ) -> bool:
        plain = Normalizer(list(self._rules) or None, self._preset, check_examples=False).key
        try:
            keyed = Normalizer([tables([line]), *self._rules], self._preset, check_examples=False).key
        except RuleFileError:
            return False
        groups: defaultdict[str, dict[str, tuple[Visit, Content]]] = defaultdict(dict)
        for visit, content in visits:
            key, known = keyed(visit.url), plain(visit.url)
            if key != known:
                groups[key].setdefault(known, (visit, content))
        for visit, content in visits if groups else ():
            if (key := plain(visit.url)) in groups:
                groups[key].setdefault(key, (visit, content))
        shown = line.evidence
        apart: list[tuple[str, str]] = []
        for group in (one for one in groups.values() if len(one) > 1):
            shown.saved += len(group) - 1
            for first, page in _pairs(pages_of(group, content_of)):
                (apart if are_apart(page, first) else line.examples).append((first.url, page.url))
        shown.agree, shown.against = len(line.examples), len(apart)
        line.examples, line.counterexamples, line.saved = line.examples[:3], apart[:3], shown.saved
        shown.groups = shown.groups_for = shown.agree
        shown.risk = risk(shown.agree, 0, PROVEN_PRIOR)
        line.why += f"; {shown.agree} addresses show to another session what is alike, {shown.against} do not"
        if shown.against >= AGREEING and shown.agree < LIKELIER * shown.against:
            line.status = REJECTED
            return True
        enough = shown.agree >= AGREEING if line.proven else standing(shown.agree, 0) >= BELIEVED
        if not enough and signature(line) not in self._earlier:
            return False
        if broken := OwnPairs(self._rules, self._preset, line.scope).broken([line]):
            reject(line, broken)
        return True


def _pairs(pages: list[Page]) -> Iterator[tuple[Page, Page]]:
    """Yield the first page of a group with some of the others."""
    for page in pages[1 : 1 + MOST_OF_A_PAGE]:
        yield pages[0], page


class BorneSessions:
    """The sessions in the addresses of pages: a page that was fetched under one is linked under others, too.

    Links are known by their hashes alone; all of a page bear one session, so what they lead to is known by trying.
    """

    def __init__(self, lines: Iterable[Candidate]) -> None:
        names = {name for line in lines if line.status == ACTIVE for name in names_of(line)}
        self._value = re.compile(f"(?<=[?&;])({'|'.join(map(re.escape, sorted(names)))})=([^&;#]+)") if names else None
        self._sessions: Counter[str] = Counter()
        self._pages: list[tuple[str, str, Page]] = []

    def see(self, url: str, page: Page) -> None:
        """Note under which session a page was fetched."""
        found = self._value.search(url) if self._value is not None else None
        if found is not None:
            self._sessions[found[2]] += 1
            self._pages.append((url, found[2], page))

    def complete(self, ids: dict[bytes, Page]) -> None:
        """Add the hashes of the addresses that these pages have under the sessions of most pages."""
        most = MOST_OTHERWISE // max(1, len(self._pages))
        for session, _ in self._sessions.most_common(most):
            for url, own, page in self._pages:
                if own != session:
                    ids.setdefault(url_hash(url.replace(own, session)), page)
