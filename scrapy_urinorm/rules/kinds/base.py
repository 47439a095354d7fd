"""The base of the kinds, and those of one word, a flag, ports and hosts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from scrapy_urinorm.rules.globs import ascii_fold
from scrapy_urinorm.rules.patterns import Pattern, PatternError, compile_pattern

Report = Callable[[str, str], None]


class Kind:
    """Base of the kinds: a scalar that replaces the one of a wider scope."""

    def check(self, value: Any, report: Report) -> Any:
        """The compiled form of `value`, or None after reporting (message, hint)."""
        raise NotImplementedError

    def merge(self, wide: Any, narrow: Any) -> Any:
        """The value of a scope chain: `narrow` comes from the narrower scope."""
        return narrow

    def bind(self, value: Any) -> Any:
        """What the rule's function is given of a checked value."""
        return value

    def is_inert(self, value: Any) -> bool:
        """Whether a checked value says what holds without the rule."""
        return False

    def speaks(self, bound: Any) -> Callable[[str], Any] | None:
        """A test whether a bound value speaks of a decoded name; None where it speaks of every one."""
        return None

    def certain(self, bound: Any, name: str) -> bool | None:
        """Whether a bound value speaks of an item, by its decoded name alone; None where the item's value counts."""
        return True

    def adds(self, value: Any) -> list[tuple[str, str]]:
        """The (name, value) pairs that a checked value adds to URLs which lack the name."""
        return []

    def samples(self, value: Any) -> list[tuple[str, list[str]]]:
        """The names or globs that a checked value speaks of, each with values worth trying (`urinorm check`)."""
        return []

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the value, for editors."""
        raise NotImplementedError

    def describe(self) -> str:
        """The value grammar in a few words, for the docs."""
        raise NotImplementedError


class ByName(Kind):
    """Base of the maps from a parameter's name to what is done to its values; a narrower scope replaces by name."""

    def merge(self, wide: Any, narrow: Any) -> Any:
        return tuple({**dict(wide), **dict(narrow)}.items())

    def bind(self, value: Any) -> dict[str, Any]:
        return {ascii_fold(name): said for name, said in value}

    def speaks(self, bound: dict[str, Any]) -> Callable[[str], Any]:
        return lambda name: ascii_fold(name) in bound

    def certain(self, bound: Any, name: str) -> bool | None:
        return None


class Choice(Kind):
    """One of a few words; `inert` is the one that says what holds without the rule."""

    def __init__(self, options: tuple[str, ...], *, inert: str | None = None):
        self.options = options
        self.inert = inert

    def is_inert(self, value: Any) -> bool:
        return bool(value == self.inert)

    def check(self, value: Any, report: Report) -> str | None:
        if isinstance(value, str) and value in self.options:
            return value
        report(f"{value!r} is none of {', '.join(self.options)}", nearest(value, self.options))
        return None

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.options)}

    def describe(self) -> str:
        return " | ".join(self.options)


class Flag(Kind):
    """true or false."""

    def check(self, value: Any, report: Report) -> bool | None:
        if isinstance(value, bool):
            return value
        report(f"{value!r} is neither true nor false", "write it without quotes")
        return None

    def is_inert(self, value: Any) -> bool:
        return value is False

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}

    def describe(self) -> str:
        return "true | false"


class Ports(Kind):
    """A list of ports."""

    def check(self, value: Any, report: Report) -> frozenset[int] | None:
        if isinstance(value, list) and all(type(n) is int and 0 < n < 65536 for n in value):
            return frozenset(value)
        report(f"{value!r} is not a list of ports", "write [8080]")
        return None

    def merge(self, wide: Any, narrow: Any) -> Any:
        return wide | narrow

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 65535}}

    def describe(self) -> str:
        return "list of ports"


class Hosts(Kind):
    """A map from a host to the host that it is another name of; in a site table a list of hosts will do.

    `*.suffix` stands for every host below; where the target is `*.other`, what the star stood for is kept.

    The maps of all tables of a rule set are one, and the function is given that.
    """

    def check(self, value: Any, report: Report) -> tuple[tuple[str, str | None], ...] | None:
        pairs = value
        if isinstance(value, list):
            pairs = {h: None for h in value if isinstance(h, str)}
            for host in value:
                if not isinstance(host, str):
                    report(f"{host!r} is not a host name", "write it as text")
        if not isinstance(pairs, dict):
            report(f"{value!r} is neither a list of hosts nor a table", 'write ["www2.example.com"]')
            return None
        out = []
        for alias, target in pairs.items():
            bad = [h for h in (alias, target) if h is not None and not is_host(h)]
            for host in bad:
                report(f"{host!r} is not a host name", "write it without scheme, port and path")
            if not bad and target is not None and "*" in target and not (_is_below(alias) and _is_below(target)):
                # it would be a name of its own, and all that the alias stands for one host
                report(
                    f"the * of {target!r} stands for nothing",
                    "write a host, or `*.` before both hosts and nowhere else",
                )
                bad = [target]
            if not bad:
                out.append((alias.lower(), target.lower() if target is not None else None))
        return tuple(out)

    def merge(self, wide: Any, narrow: Any) -> Any:
        return tuple({**dict(wide), **dict(narrow)}.items())

    def is_inert(self, value: Any) -> bool:
        return not value

    def schema(self) -> dict[str, Any]:
        text = {"type": "string"}
        return {"anyOf": [{"type": "array", "items": text}, {"type": "object", "additionalProperties": text}]}

    def describe(self) -> str:
        return "list of hosts, or { alias = host }"


def _is_below(host: str) -> bool:
    return host.startswith("*.") and "*" not in host[1:]


def is_host(host: Any) -> bool:
    """Whether a value is the name or address of a host, or a glob of one."""
    return isinstance(host, str) and bool(host) and not re.search(r"[/?#@\s\\]|:(?![0-9A-Fa-f:.]*\])", host)


def checked_pattern(text: Any, report: Report, *, full: bool = True, flags: int = 0) -> Pattern | None:
    """A compiled pattern, or None after reporting why it is none; `full`: it is to match a whole text."""
    try:
        return compile_pattern(text, full=full, flags=flags)
    except PatternError as error:
        report(str(error), error.hint)
        return None


def nearest(word: Any, words: Any) -> str:
    """`did you mean ...?` for a word that is almost one of `words`, else an empty string."""
    import difflib

    close = difflib.get_close_matches(str(word), [str(w) for w in words], 1, 0.6)
    return f"did you mean {close[0]!r}?" if close else ""
