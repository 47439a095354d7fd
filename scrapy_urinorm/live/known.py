"""What packs say of the addresses of recognized programs: traps, and pages that were fetched already.

What learned files skip is a trap as well.

Such addresses have a pattern of their own, the line of the pack, so that a whole line comes later and is closed by what
it brings, however many shapes its addresses have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.live.questions import Question
from scrapy_urinorm.normalizer import Normalizer

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.ruleset import RuleSet


_Line = tuple[str, dict[str, Any], dict[str, Any], bool]


class _Site:
    def __init__(self, traps: Sequence[_Line], folds: Sequence[_Line], rules: RuleSet) -> None:
        self.traps = [(name, _alone(source)) for name, source, *_ in traps]
        self.any_trap = Normalizer([source for _, source, *_ in traps], "safe", check_examples=False) if traps else None
        self.folds = [(name, _alone(source), _alone(splits)) for name, source, splits, _ in folds]
        self.pages = Question([source for _, source, *_ in folds], rules, "safe") if folds else None


class Known:
    """The lines of packs by site; `rules` are those of the crawl's user."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._sites: dict[str, _Site] = {}
        self._learned: dict[str, list[_Line]] = {}
        self.messages: dict[str, dict[str, Any]] = {}
        """What was taken, by site: what a later run takes again."""

    def take(self, message: dict[str, Any]) -> list[tuple[str, bool]]:
        """Take what was recognized on a site; return the names of the lines, each with whether it was proven."""
        traps, folds = [*self._learned.get(message["site"], ()), *message["traps"]], message["folds"]
        self.messages[message["site"]] = message
        old, new = self._sites.get(message["site"]), _Site(traps, folds, self._rules)
        if old is not None and old.pages is not None and new.pages is not None:
            new.pages.served = old.pages.served
        self._sites[message["site"]] = new
        return [(name, proven) for name, *_, proven in (*traps, *folds)]

    def learned(self, name: str, sources: Sequence[dict[str, Any]]) -> list[str]:
        """Take what learned files skip on a site; return the names of these lines."""
        if not sources:
            return []
        self._learned[name] = [(f"{name} learned/skip-{n}", one, {}, True) for n, one in enumerate(sources, 1)]
        self.take(self.messages.get(name) or {"site": name, "traps": [], "folds": []})
        return [line for line, *_ in self._learned[name]]

    def line(self, name: str, url: str, kind: int) -> str | None:
        """Return the line of a pack that an address on the site of this name falls under; None where there is none."""
        site = self._sites.get(name)
        if site is None:
            return None
        if site.any_trap is not None and any(site.any_trap.verdict(url)):
            for line, trap in site.traps:
                if any(trap.verdict(url)):
                    return line
        if site.pages is not None and site.pages.number(url, kind) in site.pages.served:
            for line, fold, plain in site.folds:
                if fold.key(url) != plain.key(url):
                    return line
        return None

    def served(self, name: str, url: str, kind: int) -> None:
        """Note a page that was served on a site."""
        site = self._sites.get(name)
        if site is not None and site.pages is not None:
            site.pages.served.add(site.pages.number(url, kind))


def _alone(source: dict[str, Any]) -> Normalizer:
    return Normalizer([source], "safe", check_examples=False)
