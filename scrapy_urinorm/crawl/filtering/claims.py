"""Which request speaks for a key, and what happens to the others when it fails.

Most claims are settled by the first answer, so an open one costs a slot in a dict and nothing else. What no request is
in hand for goes to a crowd of 20 bytes a key when there are many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from scrapy_urinorm.crawl.filtering.crowd import Crowd, Entry, text_digest

if TYPE_CHECKING:
    from scrapy import Request

#: How many further variants of one key may be requested after failures.
MAX_CHANCES = 2


#: A variant to schedule now: the fingerprint of its key, the request, the number of its chance.
Chance = tuple[bytes, "Request", int]


class Claim:
    """The request of a key of which more is known than its URL text.

    `last` is the URL text under way, or its digest where the text was given up; `tried` are the texts or digests
    that were requested, `held` filtered requests of other texts, as many as may still be needed. `failed` is set
    when the outcome was bad and no variant was at hand. `followers` are claims whose chain of redirects ended at this
    key: they share its fate.
    """

    __slots__ = ("chances", "failed", "followers", "held", "last", "tried")

    def __init__(self, last: str | bytes):
        self.last = last
        self.tried = [last]
        self.held: list[Request] = []
        self.followers: list[tuple[bytes, str]] = []
        self.chances = 0
        self.failed = False


class Claims:
    """The claims without a good outcome, by fingerprint.

    `limit` bounds the claims that are kept with their URL text, and the requests in hand. Beyond it claims are kept
    in short, and a variant for which no hand is free passes at once (`hurried` counts these): none is forgotten.
    `same` tells what Scrapy alone takes for one URL: such a text is no other variant.
    """

    def __init__(self, limit: int, same: Callable[[str], str]):
        self._limit = limit
        self._same = same
        # a text alone: under way, with nothing in hand
        self._open: dict[bytes, str | Claim] = {}
        self._under_way = Crowd()
        self._failed = Crowd()
        self._in_hand = 0
        self.hurried = 0
        # fingerprints of what a kill must not lose, and of plain texts that were written for that
        self._changed: set[bytes] | None = None
        self._written: set[bytes] = set()
        self._mixed = False

    def claim(self, fp: bytes, url: str) -> None:
        """A request of a new key was let through."""
        if len(self._open) < self._limit:
            self._open[fp] = url
        else:
            self._under_way.put(fp, Entry(self._digest(url), 0))

    def speaks(self, fp: bytes, url: str) -> bool:
        """Whether the request of this URL text is the one whose outcome decides about the key."""
        claim = self._open.get(fp)
        if claim is None:
            entry = self._under_way.get(fp)
            return entry is not None and entry.digest == self._digest(url)
        return claim == url if isinstance(claim, str) else not claim.failed and self._is_last(claim, url)

    def repeated(self, fp: bytes, request: Request) -> int:
        """The number of the chance that a further request of a key gets; 0 where it is dropped.

        A dropped variant is kept in hand while it may be of use.
        """
        url = request.url
        claim = self._open.get(fp)
        if claim is None:
            return self._repeated_in_crowd(fp, request)
        if isinstance(claim, str):
            if url == claim or self._same(url) == self._same(claim):
                return 0
            claim = self._open[fp] = Claim(claim)
        elif (
            claim.chances + len(claim.held) >= MAX_CHANCES
            or self._was_tried(claim, url)
            or self._same(url) in (self._same(held.url) for held in claim.held)
        ):
            return 0
        return self._taken(fp, claim, request)

    def _repeated_in_crowd(self, fp: bytes, request: Request) -> int:
        crowd = self._failed
        entry = crowd.get(fp)
        if entry is None:
            crowd = self._under_way
            entry = crowd.get(fp)
        if entry is None or entry.chances >= MAX_CHANCES or self._digest(request.url) in (entry.digest, *entry.tried):
            return 0
        crowd.pop(fp)
        claim = self._open[fp] = _unfolded(entry)
        claim.failed = crowd is self._failed
        return self._taken(fp, claim, request)

    def _taken(self, fp: bytes, claim: Claim, request: Request) -> int:
        """Let a variant pass, or hold it: the number of its chance, or 0."""
        self._touch(fp)
        if not claim.failed and self._in_hand < self._limit:
            claim.held.append(request)
            self._in_hand += 1
            return 0
        self.hurried += not claim.failed
        chance = self._pass(claim, request)
        self._shelve(fp, claim)
        return chance

    @staticmethod
    def _pass(claim: Claim, request: Request) -> int:
        claim.failed = False
        claim.last = request.url
        claim.tried.append(request.url)
        claim.chances += 1
        return claim.chances

    def served(self, fp: bytes) -> None:
        """The page of a key was delivered."""
        todo = [fp]
        while todo:
            fp = todo.pop()
            claim = self._open.pop(fp, None)
            if isinstance(claim, str):
                if fp in self._written:
                    self._written.remove(fp)
                    self._touch(fp)
                continue
            if claim is not None:
                self._in_hand -= len(claim.held) + len(claim.followers)
                todo += [follower for follower, _ in claim.followers]
            elif self._under_way.pop(fp) is None and self._failed.pop(fp) is None:
                continue
            self._touch(fp)

    def failed(self, fp: bytes, url: str, hops: Iterable[str] = ()) -> list[Chance]:
        """The request of a key failed: the variants in hand to be scheduled now, its own and its followers'.

        `hops` are further texts that the chain went through: they were tried too.
        """
        return self._all_failed([(fp, url, hops)])

    def _all_failed(self, todo: list[tuple[bytes, str | None, Iterable[str]]]) -> list[Chance]:
        """What `failed` does, for many keys and their followers; without a text, whatever request is under way."""
        chances: list[Chance] = []
        while todo:
            fp, url, hops = todo.pop()
            claim = self._taken_up(fp, url)
            if claim is None:
                continue
            self._touch(fp)
            claim.failed = True
            claim.tried += [hop for hop in hops if hop not in claim.tried]
            todo += [(follower, its_url, ()) for follower, its_url in reversed(claim.followers)]
            self._in_hand -= len(claim.followers)
            claim.followers = []
            while claim.held and claim.failed:
                held = claim.held.pop(0)
                self._in_hand -= 1
                if not self._was_tried(claim, held.url):
                    chances.append((fp, held, self._pass(claim, held)))
            self._shelve(fp, claim)
        return chances

    def _taken_up(self, fp: bytes, url: str | None) -> Claim | None:
        """The claim that a request of this URL text has open, to be changed and shelved again."""
        claim = self._open.get(fp)
        if claim is None:
            entry = self._under_way.get(fp)
            if entry is None or (url is not None and entry.digest != self._digest(url)):
                return None
            self._under_way.pop(fp)
            claim = self._open[fp] = _unfolded(entry, url)
        elif isinstance(claim, str):
            if url not in (claim, None):
                return None
            claim = self._open[fp] = Claim(claim)
        elif claim.failed or (url is not None and not self._is_last(claim, url)):
            return None
        return claim

    def _shelve(self, fp: bytes, claim: Claim) -> None:
        """Keep a claim in short where that tells enough, or where there is no room."""
        if claim.held or claim.followers:
            return
        enough = claim.failed and (claim.chances >= MAX_CHANCES or len(claim.tried) <= 1)
        if enough or len(self._open) > self._limit:
            last = self._digest(claim.last)
            # those that matter while another one may be tried
            tried = dict.fromkeys(map(self._digest, claim.tried)) if claim.chances < MAX_CHANCES else {}
            tried.pop(last, None)
            entry = Entry(last, claim.chances, tuple(tried))
            (self._failed if claim.failed else self._under_way).put(fp, entry)
            del self._open[fp]

    def again(self, fp: bytes, url: str) -> int:
        """The number of the chance that the request under way gets itself, since it was not sent; 0 for none."""
        claim = self._taken_up(fp, url)
        if claim is None:
            return 0
        self._touch(fp)
        if claim.chances < MAX_CHANCES:
            claim.chances += 1
            chance = claim.chances
        else:
            chance = 0
        self._shelve(fp, claim)
        return chance

    def ended_at(self, target: bytes, fp: bytes, url: str) -> list[Chance]:
        """The chain of a claim ended at a key that was known already: the claim shares the fate of that key."""
        other = self._open.get(target)
        if other is None:
            entry = self._under_way.get(target)
            if entry is None and self._failed.get(target) is None:
                self.served(fp)
                return []
            if entry is None or self._in_hand >= self._limit:
                return self.failed(fp, url)
            self._under_way.pop(target)
            other = _unfolded(entry)
        elif isinstance(other, str):
            other = Claim(other)
        if other.failed or self._in_hand >= self._limit:
            return self.failed(fp, url)
        self._open[target] = other
        other.followers.append((fp, url))
        self._in_hand += 1
        self._touch(target)
        self._touch(fp)
        return []

    def all_ended(self) -> list[Chance]:
        """Nothing is under way any more: every claim without an outcome has failed; the variants to schedule now.

        Some ends are told to nobody: a redirect that is offsite, an answer that a middleware refuses.
        """
        self._mixed |= len(self._under_way) > 0
        self._failed.take_all(self._under_way)
        return self._all_failed([(fp, None, ()) for fp in reversed(self._open)])

    def _touch(self, fp: bytes) -> None:
        """What is known of a key has changed in a way that a kill must not lose: `LastingClaims.changes` gives it."""
        if self._changed is not None:
            self._changed.add(fp)

    def _was_tried(self, claim: Claim, url: str) -> bool:
        if url in claim.tried:
            return True
        # a link that is broken stands on many pages: it must not take the chance of another spelling
        same = self._same(url)
        return text_digest(same) in claim.tried or same in (self._same(one) for one in claim.tried if type(one) is str)

    def _is_last(self, claim: Claim, url: str) -> bool:
        return claim.last == url if isinstance(claim.last, str) else claim.last == self._digest(url)

    def _digest(self, text: str | bytes) -> bytes:
        """The digest of a URL text, or what is one already."""
        return text if isinstance(text, bytes) else text_digest(self._same(text))

    def __len__(self) -> int:
        return len(self._open) + len(self._under_way) + len(self._failed)

    def __contains__(self, fp: bytes) -> bool:
        return fp in self._open or self._under_way.get(fp) is not None or self._failed.get(fp) is not None


def _unfolded(entry: Entry, last: str | None = None) -> Claim:
    """The claim that was kept in short, its last text being known or not."""
    claim = Claim(entry.digest if last is None else last)
    claim.tried += entry.tried
    claim.chances = entry.chances
    return claim
