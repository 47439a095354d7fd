"""Which request speaks for a key, and what happens to the others when it fails (DESIGN section 2, second chance)."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy import Request

#: How many further variants of one key may be requested after failures.
MAX_CHANCES = 2


#: A variant to schedule now: the fingerprint of its key, the request, the number of its chance.
Chance = tuple[bytes, "Request", int]


class Claim:
    """The request of a key whose outcome is not known yet, or was bad.

    ``last`` is the URL text under way, ``tried`` are all texts that were requested, ``held`` filtered requests of other
    texts, as many as may still be needed. ``failed`` is set when the outcome was bad and no variant was at hand.
    ``followers`` are claims whose chain of redirects ended at this key: they share its fate.
    """

    __slots__ = ("chances", "failed", "followers", "held", "last", "tried")

    def __init__(self, url: str):
        self.last = url
        self.tried = [url]
        self.held: list[Request] = []
        self.followers: list[tuple[bytes, str]] = []
        self.chances = 0
        self.failed = False


class Claims:
    """Claims without a good outcome by fingerprint, at most ``limit``: the oldest counts as served when there are more.

    ``same`` tells what Scrapy alone takes for one URL: such a text is no other variant.
    """

    def __init__(self, limit: int, same: Callable[[str], str]):
        self._limit = limit
        self._same = same
        self._open: OrderedDict[bytes, Claim] = OrderedDict()

    def claim(self, fp: bytes, url: str) -> None:
        """A request of a new key was let through."""
        if len(self._open) >= self._limit:
            self._open.popitem(last=False)
        self._open[fp] = Claim(url)

    def repeated(self, fp: bytes, request: Request) -> int:
        """The number of the chance that a further request of a key gets; 0 where it is dropped.

        A dropped variant is kept in hand while it may be of use.
        """
        claim = self._open.get(fp)
        if claim is None or request.url in claim.tried or claim.chances + len(claim.held) >= MAX_CHANCES:
            return 0
        others = [*claim.tried, *(held.url for held in claim.held)]
        if self._same(request.url) in map(self._same, others):
            return 0
        if claim.failed:
            return self._pass(claim, request)
        claim.held.append(request)
        return 0

    @staticmethod
    def _pass(claim: Claim, request: Request) -> int:
        claim.failed = False
        claim.last = request.url
        claim.tried.append(request.url)
        claim.chances += 1
        return claim.chances

    def served(self, fp: bytes) -> None:
        """The page of a key was delivered."""
        claim = self._open.pop(fp, None)
        for follower, _ in claim.followers if claim is not None else ():
            self.served(follower)

    def failed(self, fp: bytes, url: str, hops: Iterable[str] = ()) -> list[Chance]:
        """The request of a key failed: the variants in hand to be scheduled now, its own and its followers'.

        ``hops`` are further texts that the chain went through: they were tried too.
        """
        claim = self._open.get(fp)
        if claim is None or claim.failed or claim.last != url:
            return []
        claim.failed = True
        claim.tried += [hop for hop in hops if hop not in claim.tried]
        followers, claim.followers = claim.followers, []
        chances = []
        while claim.held and claim.failed:
            held = claim.held.pop(0)
            if held.url not in claim.tried:
                chances.append((fp, held, self._pass(claim, held)))
        for follower, its_url in followers:
            chances += self.failed(follower, its_url)
        return chances

    def ended_at(self, target: bytes, fp: bytes, url: str) -> list[Chance]:
        """The chain of a claim ended at a key that was known already: the claim shares the fate of that key."""
        other = self._open.get(target)
        if other is None:
            self.served(fp)
        elif other.failed:
            return self.failed(fp, url)
        else:
            other.followers.append((fp, url))
        return []

    def all_ended(self) -> list[Chance]:
        """Nothing is under way any more: every claim without an outcome has failed; the variants to schedule now.

        Some ends are told to nobody: a redirect that is offsite, an answer that a middleware refuses.
        """
        chances: list[Chance] = []
        for fp, claim in list(self._open.items()):
            chances += self.failed(fp, claim.last)
        return chances

    def rows(self) -> Iterator[tuple[bytes, Claim]]:
        """The open claims, oldest first."""
        yield from self._open.items()

    def restore(self, rows: Iterable[tuple[bytes, Claim]]) -> None:
        """Take up claims of an earlier run."""
        self._open.update(rows)

    def __len__(self) -> int:
        return len(self._open)

    def __contains__(self, fp: bytes) -> bool:
        return fp in self._open
