"""Whether a page brings news: lines that no page had so far, or links that led to such a page.

A list in another order, a facet, the next empty month: other texts than those before, of lines that are all known.
A page of a few words, a person of a register, or of none that a list has not shown, a row of a table at an address of
its own, is told from such by who names it: a page that brought news, and not one of its own kind. What its own kind
names is one of a chain (`Kin`), or the next empty month. A picture of its own tells a page from months, whoever names
it: the scans of a newspaper stand behind years and issues that say nothing (`Ancestors`).
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.content import is_answer
from scrapy_urinorm.content.frame import DATA_SLOT, TITLE_SLOT
from scrapy_urinorm.content.titles import SHELL_WORDS
from scrapy_urinorm.live.ancestors import Ancestors
from scrapy_urinorm.live.dated import Dated
from scrapy_urinorm.live.items import Items
from scrapy_urinorm.live.kin import LONG, Kin
from scrapy_urinorm.live.kinds import form_of, is_of_one
from scrapy_urinorm.live.lines import Lines
from scrapy_urinorm.live.patterns import is_view_of_item
from scrapy_urinorm.visits.links import each_hash, url_hash

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

NEWS_WORDS = 10
"""Words in lines that no page had: a heading that says its own date, or a counter, has fewer."""
LINKERS = 400_000
"""Links that wait for their page, to be credited to who named them first; some 40 MB."""
CLOCK = 4
"""Forms of views (addresses with a query) in which a place on the page has a few new words, and it is a clock, a
counter, or the time that the server took: a person's name is new on the pages of persons alone."""
PLACES = 100_000
"""Places that are watched for that; some 20 MB."""
PATTERNS = 20_000
"""Patterns of which it is remembered where their redirects lead; as many as are counted."""
# a pattern by itself, of pages without news, and of those that were fetched
_FORMS = 4
# before the pattern of a page without news, in the table of who named what; no pattern begins so
_BLANK = "\n"
# before these of a page that was fetched, whose callback may still ask for others
_SERVED, _SERVED_BLANK = "\r", "\r\n"
_MASK = (1 << 64) - 1


class News(NamedTuple):
    """What a page has that none before had: `few` are words, fewer than news, that are its own all the same, `kin`
    such of a page that only its own kind names, and `drawn` where a picture is among them; `older` is a page of known
    lines that may be another as it was before. `above` are the patterns of pages without news that led to the page
    without news that named it.
    """

    news: bool
    few: bool = False
    kin: bool = False
    drawn: bool = False
    older: bool = False
    above: tuple[str, ...] = ()


class Novelty:
    """What the pages of a crawl have brought so far."""

    def __init__(self) -> None:
        self._known = Lines().known
        self._texts: set[str] = set()
        self._linkers: dict[bytes, str] = {}
        self._names: dict[str, str] = {}
        self._clocks: dict[int, set[int]] = {}
        self._led_to: dict[str, str | None] = {}
        self._dated = Dated()
        self._kin = Kin()
        self._above = Ancestors()
        self._items = Items()

    def brought(self, visit: Visit, pattern: str, noise: Collection[int] = ()) -> tuple[News, str | None]:
        """Return what a page of a pattern has brought, and of news the pattern of the page that first named it; of a
        picture, too, where that page has none.
        """
        news = self.news(visit, pattern, noise)
        named_by = self._named_by_blank(visit)
        linker = self.linker(visit) if news.news or (named_by and news.few and news.drawn) else None
        if named_by and not news.news:
            self._above.named(pattern, named_by)
        if named_by and linker is not None:
            news = news._replace(above=self._above.of(named_by, pattern))
        if news.few and news.drawn and not named_by:
            self._kin.begins(visit.url, pattern)
        is_step = not news.few and self._is_kind(visit, pattern)
        made = is_step and self._is_made(visit)
        lists = is_step and self._kin.lists_others(self._known_links(visit), pattern)
        # an album without a word leads to its pictures, as a list of news does
        named = self.linked(visit, pattern, news=news.news or news.drawn)
        # one that names the next itself, in a spelling that the spider cleans, is as one of the site's own chains
        made = made and (lists or not named)
        if news.news and self._dated.goes_on(visit.url, pattern, linker):
            return News(False, few=True), linker
        if news.news:
            self._kin.brought(pattern)
            if linker is not None and linker != pattern:
                self._kin.brought(linker)
        elif news.kin:
            news = news._replace(kin=self._kin.goes_on(visit.url, pattern, drawn=news.drawn, made=made))
        elif news.older:
            news = news._replace(kin=True)
        elif made and not visit.redirects:
            news = news._replace(kin=self._kin.goes_on(visit.url, pattern, lists=lists, made=True))
        elif is_step and (named == 1 or lists) and visit.lines is not None and not visit.redirects:
            # an entry that was removed, as a hundred before it, still leads to the next one; a page of a list of which
            # all rows were named elsewhere leads to one of which they were not
            news = news._replace(kin=self._kin.goes_on(visit.url, pattern, silent=True, lists=lists))
        return news, linker

    def news(self, visit: Visit, pattern: str = "", noise: Collection[int] = ()) -> News:
        """Return whether a page of a pattern has something that none before had, and note what it has.

        What stands in the slots of `noise` is the visitor's, not the page's: what was viewed last is new on each page.
        """
        if not is_answer(visit.status):
            return News(False)
        if visit.lines is None:
            # a file, or a page that was not read
            digest = visit.text_digest or visit.body_digest
            if digest is None or digest in self._texts:
                return News(digest is None, few=self._items.is_one(visit, pattern))
            if len(self._texts) < LINKERS:
                self._texts.add(digest)
            return News(True)
        new, pictures, sentences = self._said(visit, noise)
        drawn = self._kin.is_drawn(pictures, pattern)
        # of texts as of lines: what is taken for known comes later, or is closed, as if it said nothing
        known = visit.text_digest is None or self._known(hash(visit.text_digest) & _MASK)
        # what is new then is data of scripts, or a picture or a player by its address
        repeated = known and not new
        if sum(new.values()) >= NEWS_WORDS:
            return News(True)
        if repeated or (visit.redirects and known):
            return News(False)
        if self._is_own(new, visit, pattern, drawn=drawn):
            return News(False, few=True, drawn=drawn)
        if not new:
            return News(False, older=self._kin.is_older(sentences, pattern))
        # departments that share a template are many forms of views, with new words in one place: a picture is no clock
        own = drawn or self._is_no_clock(new)
        repeats = self._kin.repeats(sentences, pattern)
        # who asked for a page is not known where that is no GET: it may be any page, or the one before of a series
        chain = self._is_kind(visit, pattern) or (bool(visit.depth) and self._named(visit) is None)
        kin = own and chain and (drawn or not repeats)
        return News(False, kin=kin, drawn=drawn)

    def _said(self, visit: Visit, noise: Collection[int]) -> tuple[dict[int, int], set[int], dict[int, int]]:
        """Return the words that are new on a page, by their place, the places of new pictures, and known sentences with
        their words.
        """
        words = visit.line_words or b""
        lines = array("Q", visit.lines or b"")
        new: dict[int, int] = {}
        pictures: set[int] = set()
        sentences: dict[int, int] = {}
        seen = set()
        for n, line in enumerate(lines[1::2]):
            slot = lines[2 * n]
            if slot in noise:
                continue
            count = words[n] if n < len(words) else 1
            if line not in seen and not self._known(line):
                new[slot] = new.get(slot, 0) + count
                if not count and slot != DATA_SLOT:
                    pictures.add(slot)
            elif count >= LONG:
                sentences[line] = count
            seen.add(line)
        return new, pictures, sentences

    def _is_own(self, new: Collection[int], visit: Visit, pattern: str, *, drawn: bool) -> bool:
        """Whether a page without news is one all the same: no view with a clock, nor what its own kind leads to.

        A product that is drawn by a script in the browser has nothing but its title.

        Pages with news are as many as the site has, and so is what they name: waiting for it always ends.
        """
        if "?" in pattern and not is_view_of_item(pattern):
            self._note_places(new, pattern)
        first = self._named(visit)
        if first is None or first.removeprefix(_BLANK) == pattern:
            return False
        if first.startswith(_BLANK):
            return drawn and self._kin.is_leaf(visit.url, pattern)
        # the title of a shell names its page, as does its data; that of a list may say in which order it is
        if (TITLE_SLOT in new or DATA_SLOT in new) and (visit.words or 0) <= SHELL_WORDS:
            return True
        return drawn or self._is_no_clock(new) if new else is_of_one(visit.url, pattern)

    def _note_places(self, new: Collection[int], pattern: str) -> None:
        """Note where a view has new words, by its form: persons of whom each has one of its own at first (`id=I7`), and
        the sections of a register (`cat=birds`), are one form.
        """
        form = hash(form_of(pattern))
        for slot in new:
            if slot in self._clocks or len(self._clocks) < PLACES:
                forms = self._clocks.setdefault(slot, set())
                if len(forms) < CLOCK:
                    forms.add(form)

    def _is_no_clock(self, new: Collection[int]) -> bool:
        """Whether something new stands where no clock does."""
        return any(len(self._clocks.get(slot, ())) < CLOCK for slot in new)

    def _is_kind(self, visit: Visit, pattern: str) -> bool:
        """Whether a page of its kind was the first to name a page."""
        first = self._named(visit)
        return first is not None and first.removeprefix(_BLANK) == pattern

    def _is_made(self, visit: Visit) -> bool:
        """Whether no page names one that its kind's callback has asked for: the day after, the next number. What makes
        addresses by itself knows where they end, and one that is not sent is all that follows.
        """
        return visit.id is not None and visit.id not in self._linkers and len(self._linkers) < LINKERS

    def _named_by_blank(self, visit: Visit) -> str:
        """Return the pattern of the page without news that first named a page, empty where one with news did."""
        first = self._named(visit) or ""
        return first.removeprefix(_BLANK) if first.startswith(_BLANK) else ""

    def again(self, visit: Visit, pattern: str) -> bool:
        """Return whether a redirect of a pattern led to the very page that the last one led to."""
        digest = visit.text_digest if is_answer(visit.status) else None
        before = self._led_to.get(pattern)
        if before is not None or len(self._led_to) < PATTERNS:
            self._led_to[pattern] = digest
        return digest is not None and digest == before

    def linked(self, visit: Visit, pattern: str, *, news: bool) -> int:
        """Note the links of a page of a pattern: what they lead to is its merit, if nobody named them before; return
        how many these are.
        """
        if news:
            self._items.listed(visit, pattern)
        for served in (visit.id, url_hash(visit.final_url) if visit.final_url else None):
            if served is not None and (served in self._linkers or len(self._linkers) < LINKERS):
                # a later link to it is nobody's merit
                self._linkers[served] = self._name(_SERVED if news else _SERVED_BLANK, pattern)
        pattern = self._name("" if news else _BLANK, pattern)
        before = len(self._linkers)
        for link in each_hash(visit.links):
            if len(self._linkers) >= LINKERS:
                break
            self._linkers.setdefault(link, pattern)
        return len(self._linkers) - before

    def _name(self, kind: str, pattern: str) -> str:
        """Return how a pattern stands in the table of who named what, the same text for all its pages.

        Those that come when many are known have none: nothing is counted of them.
        """
        name = kind + pattern
        if name not in self._names and len(self._names) >= _FORMS * PATTERNS:
            return kind
        return self._names.setdefault(name, name)

    def _known_links(self, visit: Visit) -> Iterator[bytes]:
        """The links of a page to what others have named."""
        return (link for link in each_hash(visit.links) if link in self._linkers)

    def _named(self, visit: Visit) -> str | None:
        """Return who first named a page, as the table has it: who links to it, else whose callback asked for it."""
        first = self._linkers.get(visit.id) if visit.id is not None else None
        if first is None and visit.referer:
            # of a sitemap, data, or what a script makes of a page there are no links
            asked = self._linkers.get(url_hash(visit.referer), "")
            first = asked.removeprefix(_SERVED) if asked.startswith(_SERVED) else None
        return first

    def linker(self, visit: Visit) -> str | None:
        """Return the pattern of the page that first named this one."""
        first = self._named(visit)
        return None if first is None or first.startswith(_SERVED) else first.removeprefix(_BLANK) or None
