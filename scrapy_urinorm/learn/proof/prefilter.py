"""Which pages a candidate may concern, by plain search: most keys need no normalizer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.candidate import Candidate


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
