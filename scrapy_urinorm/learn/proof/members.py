"""Which pages have a key, mostly one, and which ones a candidate may concern: most keys need no normalizer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.candidate import Candidate


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


def touched(candidate: Candidate, keys: Sequence[str], on_host: Mapping[str, AbstractSet[int]], site: str) -> list[int]:
    """Return the pages that a candidate may concern, given their keys and who is on which host of the site."""
    any_of = tuple(mark + name + "=" for name in candidate.names for mark in "?&")
    all_of = []
    for atom in candidate.context:
        if (
            atom.kind == "query"
            and atom.value is not False
            and not (isinstance(atom.value, tuple) and False in atom.value)
        ):
            value = atom.value if isinstance(atom.value, str) else ""
            all_of.append(f"{atom.name}={value}")
        elif atom.kind == "host":
            all_of.append(f"://{atom.name}")
        elif atom.kind == "path":
            all_of.append(max(atom.name.split("*"), key=len))
    # rules on another spelling of the name, and names that an earlier rule makes, are found by `settle`
    return [
        n
        for n in _within(candidate, len(keys), on_host, site)
        if (not any_of or any(mark in keys[n] for mark in any_of)) and all(text in keys[n] for text in all_of)
    ]


def _within(candidate: Candidate, pages: int, on_host: Mapping[str, AbstractSet[int]], site: str) -> Iterable[int]:
    """Return the pages on the hosts that a candidate is for: of many hosts most rules are for one."""
    scope = candidate.scope
    if candidate.host:
        return sorted(on_host.get(candidate.host, ()))
    if scope == site or scope not in on_host:
        return range(pages)
    hosts = [host for host in on_host if host == scope or host.endswith("." + scope)]
    return sorted(chain.from_iterable(on_host[host] for host in hosts))
