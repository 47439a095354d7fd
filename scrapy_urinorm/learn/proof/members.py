"""Which pages have a key: mostly one, which needs no set of its own."""

from __future__ import annotations

from collections.abc import Iterable


class Members:
    """The numbers of the pages of each key. A set of one number takes 216 octets, and most keys have one page."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._of: dict[str, int | set[int]] = {}
        for page, key in enumerate(keys):
            self.add(key, page)

    def __len__(self) -> int:
        return len(self._of)

    def __contains__(self, key: str) -> bool:
        return key in self._of

    def of(self, key: str) -> Iterable[int]:
        """Return the pages of a key."""
        known = self._of.get(key, ())
        return (known,) if isinstance(known, int) else known

    def count(self, key: str) -> int:
        """Return how many pages have a key."""
        known = self._of.get(key, ())
        return 1 if isinstance(known, int) else len(known)

    def add(self, key: str, page: int) -> None:
        """Note that a page has a key."""
        known = self._of.setdefault(key, page)
        if isinstance(known, set):
            known.add(page)
        elif known != page:
            self._of[key] = {known, page}

    def remove(self, key: str, page: int) -> None:
        """Note that a page has a key no longer; a key without pages is gone."""
        known = self._of[key]
        if isinstance(known, int):
            del self._of[key]
            return
        known.discard(page)
        if not known:
            del self._of[key]
