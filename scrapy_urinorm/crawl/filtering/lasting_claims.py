"""Claims from one run of a job to the next, and across kills: what is written of them and taken up again."""

from __future__ import annotations

from collections.abc import Iterator

from scrapy_urinorm.crawl.filtering.claims import Claim, Claims
from scrapy_urinorm.crawl.filtering.crowd import Crowd, Entry


class LastingClaims(Claims):
    """Claims that tell what a kill must not lose, and that know requests which an earlier run has left."""

    # ------------------------------------------------------------------ requests that an earlier run has left

    def expect(self, fp: bytes, url: str) -> None:
        """A request of an earlier run waits in the queue.

        Its text is told from the others, for its like may be found before it is served: in hand, or let through at
        once, that would take the place of another variant.
        """
        if fp not in self:
            self._under_way.put(fp, Entry(self._digest(url), 0))

    def goes_on(self, fp: bytes, url: str) -> None:
        """A request of an earlier run is served: it speaks for its key again, unless more is known of that."""
        if fp not in self:
            self.claim(fp, url)

    def unexpect(self, fp: bytes, url: str) -> None:
        """The request that was expected speaks for no key, or for others."""
        entry = self._under_way.get(fp)
        if entry is not None and entry.digest == self._digest(url):
            self._under_way.pop(fp)

    def keep(self, fp: bytes) -> None:
        """The request that speaks for a key goes on in another one, of another key or none: a kill must not lose it."""
        if fp in self:
            self._touch(fp)

    # ------------------------------------------------------------------ what a kill must not lose

    def watch(self) -> None:
        """Remember from now on which keys have changed, for `changes`."""
        self._changed = set()

    def changes(self) -> Iterator[tuple[bytes, Claim | tuple[str, Entry] | None]]:
        """What has become since the last time of keys of which more is known than the request that is under way.

        A claim, or the name of a crowd and its entry; None where there is nothing any more.
        """
        changed, self._changed = self._changed or (), set()
        for fp in changed:
            claim = self._open.get(fp)
            if isinstance(claim, str):
                self._written.add(fp)
                claim = Claim(claim)
            yield fp, claim or self._in_short(fp)

    def _in_short(self, fp: bytes) -> tuple[str, Entry] | None:
        found = ((name, crowd.get(fp)) for name, crowd in self.crowds().items())
        return next(((name, entry) for name, entry in found if entry is not None), None)

    def mixed(self) -> Crowd | None:
        """The crowd of failed keys, once, where all under way have joined it."""
        mixed, self._mixed = self._mixed, False
        return self._failed if mixed else None

    # ------------------------------------------------------------------ from one run of a job to the next

    def rows(self) -> Iterator[tuple[bytes, Claim]]:
        """The claims that are kept with a text, oldest first."""
        for fp, claim in self._open.items():
            yield fp, Claim(claim) if isinstance(claim, str) else claim

    def crowds(self) -> dict[str, Crowd]:
        """The claims that are kept in short, by what is known of their outcome."""
        return {"under way": self._under_way, "failed": self._failed}

    def restore(self, fp: bytes, claim: Claim) -> None:
        """Take up a claim of an earlier run."""
        self._forget(fp)
        more = claim.held or claim.followers or claim.chances or claim.failed
        self._open[fp] = claim.last if isinstance(claim.last, str) and not more else claim
        self._in_hand += len(claim.held) + len(claim.followers)

    def put(self, fp: bytes, crowd: str, entry: Entry) -> None:
        """Take up what an earlier run knew of a key in short; whole crowds are loaded into ours."""
        self._forget(fp)
        self.crowds()[crowd].put(fp, entry)

    def _forget(self, fp: bytes) -> None:
        claim = self._open.pop(fp, None)
        if isinstance(claim, Claim):
            self._in_hand -= len(claim.held) + len(claim.followers)
        for crowd in self.crowds().values():
            crowd.pop(fp)
