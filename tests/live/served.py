"""A site made by lot, behind a server on loopback that counts what it serves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.serving import Answer, Serving

if TYPE_CHECKING:
    from tests.live.sites import Answering


class Served(Serving):
    """A context manager; ``broken`` are targets that fail the first time."""

    def __init__(self, site: Answering, broken: frozenset[str] = frozenset()) -> None:
        super().__init__(self._answered)
        self.site = site
        self.broken = set(broken)
        self.start = f"http://{site.host}:{self.server_port}/"

    def identities(self, urls: list[str]) -> set[str]:
        """The pages behind some addresses."""
        found = (self.site.answer(url[len(self.start) - 1 :]).identity for url in urls)
        return {identity for identity in found if identity is not None}

    def _answered(self, target: str) -> Answer:
        answer = self.site.answer(target)
        moved = {"Location": answer.location} if answer.location else {}
        if target in self.broken:
            self.broken.discard(target)
            return 500, moved, "broken"
        return answer.status, moved, answer.html()
