"""Parameters that wrap an address of elsewhere, with the sites that they may speak for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scrapy_urinorm.rules.globs import glob_pattern
from scrapy_urinorm.rules.kinds.base import Kind, Report, is_host, nearest
from scrapy_urinorm.tuples import NamedTuple

_KEYS = ("name", "to", "paths")


class Wrapper(NamedTuple):
    """A parameter, and the domains that its value may lead to beside the wrapper's own; None where none were named.

    `paths`: whether it may also be a path of the wrapper's own host.
    """

    name: str
    match: Callable[[str], Any]
    to: tuple[str, ...] | None = None
    paths: bool = False

    def leads_to(self, host: str) -> bool:
        """Whether a host is one of the domains named, or below one."""
        return any(one in ("*", host) or host.endswith("." + one) for one in self.to or ())


class Wrappers(Kind):
    """A list of names or globs, or of `{ name, to, paths }` with the domains that the wrapped address may be of, and
    whether it may be a path alone.
    """

    def check(self, value: Any, report: Report) -> tuple[Wrapper, ...] | None:
        if isinstance(value, str) or not isinstance(value, (list, tuple)):
            report(f"{value!r} is not a list", f"write [{value!r}]" if isinstance(value, str) else "write [...]")
            return None
        return tuple(found for entry in value if (found := self._entry(entry, report)))

    @staticmethod
    def _entry(entry: Any, report: Report) -> Wrapper | None:
        if isinstance(entry, str) and entry:
            return Wrapper(entry, glob_pattern(entry))
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or not entry["name"]:
            report(f"{entry!r} is not a name", 'write "url", or { name = "url", to = ["b.example"] }')
            return None
        for unknown in sorted(entry.keys() - set(_KEYS), key=str):
            report(f"unknown key {unknown!r} in {entry!r}", nearest(unknown, _KEYS))
        to = entry.get("to")
        if to is not None and not (isinstance(to, list) and all(one == "*" or is_host(one) for one in to)):
            report(f"`to` of {entry['name']!r} is not a list of domains", 'write to = ["b.example"], or ["*"] for any')
            return None
        paths = entry.get("paths", False)
        if not isinstance(paths, bool):
            report(f"`paths` of {entry['name']!r} is neither true nor false", "write paths = true")
            return None
        domains = None if to is None else tuple(str(one).lower().removeprefix("*.") for one in to)
        return Wrapper(entry["name"], glob_pattern(entry["name"]), domains, paths)

    def merge(self, wide: tuple[Wrapper, ...], narrow: tuple[Wrapper, ...]) -> tuple[Wrapper, ...]:
        return (*wide, *narrow)

    def samples(self, value: Any) -> list[tuple[str, list[str]]]:
        return [(entry.name, []) for entry in value]

    def schema(self) -> dict[str, Any]:
        text = {"type": "string", "minLength": 1}
        entry = {
            "type": "object",
            "properties": {"name": text, "to": {"type": "array", "items": text}, "paths": {"type": "boolean"}},
            "required": ["name"],
            "additionalProperties": False,
        }
        return {"type": "array", "items": {"anyOf": [text, entry]}}

    def describe(self) -> str:
        return "list of names or globs, or { name, to, paths }"
