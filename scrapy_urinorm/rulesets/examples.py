"""Pairs of URLs in a rule file that must be one page, or two, each with the line that it stands on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from scrapy_urinorm.errors import Problem
from scrapy_urinorm.rulesets.sources import TextLines

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.scopes import Layer


class Example:
    """A row of `examples` (equal keys) or `distinct` (different keys), with where it is written."""

    __slots__ = ("equal", "layer", "pair", "where")

    def __init__(self, pair: tuple[str, str], equal: bool, layer: Layer, where: int = 0):
        self.pair = pair
        self.equal = equal
        self.layer = layer
        #: The number of the `where` table that it stands in, counted from 1; 0: in none.
        self.where = where

    @property
    def key(self) -> str:
        """The key that it is written under."""
        return "examples" if self.equal else "distinct"

    @property
    def urls(self) -> tuple[str, str]:
        """The pair with the host of its table, where it is written without one."""
        label = self.layer.label
        host = label.partition('"')[2].rstrip('"') if '"' in label else "example.com"
        first, second = (url if "://" in url else f"http://{host}{url}" for url in self.pair)
        return first, second

    @property
    def line(self) -> int | None:
        """The line of the pair, else that of its table, else None."""
        table = f"{self.layer.label}.where[{self.where}]" if self.where else self.layer.label
        lines = self.layer.lines
        found = lines.holding((table, self.key), self.pair) if isinstance(lines, TextLines) else None
        return found or lines.get((table, "")) or self.layer.line


def failing(examples: Iterable[Example], key: Callable[[str], str]) -> Iterator[Problem]:
    """The rows that do not hold under the keys of some rules."""
    for example in examples:
        layer = example.layer
        first, second = map(key, example.urls)
        if (first == second) is not example.equal:
            said = f"{example.pair[0]!r} and {example.pair[1]!r}"
            verdict = f"do not get one key: {first} and {second}" if example.equal else f"both get {first}"
            hint = "`urinorm explain` shows why"
            yield Problem(layer.file, layer.label, example.key, example.line, f"{said} {verdict}", hint)
