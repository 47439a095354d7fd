"""The links that the rules of a crawl change: requests for these are dropped as duplicates, unheard of."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from scrapy_urinorm.normalizer import Normalizer

MOST_OCTETS = 1 << 20
"""Rules as JSON that a process that parses pages is told, some 12,000 tables: it holds 31 MB of them and loads them for
a fifth of a second (measured), whenever it takes the place of another one."""


def are_few(rules: Sequence[Any]) -> bool:
    """Whether rules are so few that each process that parses pages may have them."""
    return len(json.dumps(rules, default=str)) <= MOST_OCTETS


def lines_of(urls: list[str]) -> bytes:
    """Return URLs as octets, a line each. Raises `UnicodeEncodeError` where one is no text."""
    return ("\n".join(urls) + "\n").encode() if urls else b""


class Ruled:
    """Under the rules of a user: which addresses are known by another one.

    A page names its links by hashes of what they are without rules. Where each page has a session's own addresses, all
    but the first one that leads to a page would lead nowhere, and rules that are right would seem to cut pages off.
    """

    def __init__(self, rules: Sequence[Any], preset: str) -> None:
        self._normalizer = Normalizer(list(rules) or None, preset)

    def changed(self, urls: list[str], bare: bytes | None = None) -> dict[str, str]:
        """Return those of some URLs whose key is another one than it would be without rules, each with its key.

        `bare` are the lines of what they would be, where these are known.
        """
        try:
            block = lines_of(urls)
        except UnicodeEncodeError:
            # what is no text has no parameters: rules leave it as it is
            return self.changed([url for url in urls if _is_text(url)])
        if block.count(b"\n") > len(urls):
            # no link of a page has a break, and one would give each that follows the key of another
            return self.changed([url for url in urls if "\n" not in url])
        if bare is None:
            bare = self._normalizer.lines(block, keys=True, lossy=False)
        ruled = self._normalizer.lines(block, keys=True)
        if bare == ruled:
            return {}
        keys, before = ruled.decode().split("\n"), bare.decode().split("\n")
        return {url: key for url, was, key in zip([*urls, ""], before, keys, strict=True) if was != key}


def _is_text(url: str) -> bool:
    try:
        url.encode()
    except UnicodeEncodeError:
        return False
    return True
