"""What a site itself declares of its addresses, in the words of a robots.txt, a header or a link, read in one place.

Declarations are a stranger's text: every function here takes time linear in it, and a text that is longer than any
honest one says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote_plus, urljoin

from scrapy_urinorm.rules.globs import prefix_glob
from scrapy_urinorm.url import decoded, text_key

#: Yandex, whose directive it is, reads no longer line.
MAX_CLEAN_PARAM = 500
#: Servers refuse heads above 8 KiB as a rule (Apache, nginx); the parser takes 2 us a byte.
MAX_HEADER = 8192
_CLEAN_PARAM = re.compile(r"\s*clean-param\s*:([^#\n]*)", re.IGNORECASE)


class CleanParam(NamedTuple):
    """Names, spelled exactly and decoded, of parameters that mean nothing where a path matches `path`, a glob.

    `path` is empty for a whole host.
    """

    names: tuple[str, ...]
    path: str


def clean_param(value: str) -> CleanParam:
    """The meaning of `p0[&p1&...] [path]`, the value of a `Clean-param` line; raises ValueError where it has none.

    `&` separates names, and nothing else does; `path` is a prefix in which `*` is anything (Yandex's extension
    of robots.txt).
    """
    if len(value) > MAX_CLEAN_PARAM:
        raise ValueError(f"longer than {MAX_CLEAN_PARAM} characters")
    fields = value.split()
    if not 1 <= len(fields) <= 2:
        raise ValueError("is not `names [path]`")
    given = [name for name in fields[0].split("&") if name]
    prefix = fields[1] if len(fields) > 1 else ""
    if not given:
        raise ValueError("names no parameter")
    if any("*" in name or "=" in name for name in given):
        raise ValueError("a name is not the name of one parameter")
    if prefix and prefix[0] not in "/*":
        raise ValueError(f"{prefix!r} is not a path")
    names = tuple(dict.fromkeys(decoded(text_key(name)) for name in given))
    return CleanParam(names, prefix_glob(prefix) if prefix.strip("/*") else "")


def clean_param_values(robots: str) -> Iterator[tuple[int, str]]:
    """The `Clean-param` lines of a robots.txt: the number of each and its value, whatever that is."""
    for number, line in enumerate(robots.splitlines(), 1):
        found = _CLEAN_PARAM.match(line.removeprefix("\ufeff"))
        if found:
            yield number, found[1].strip()


class Variance(NamedTuple):
    """Which parameters a resource varies on: all but `ignored`, or only `kept` where `ignored` is None."""

    ignored: frozenset[str] | None = frozenset()
    kept: frozenset[str] = frozenset()
    key_order: bool = True

    def __bool__(self) -> bool:
        """Whether anything at all was said."""
        return self != DEFAULT_VARIANCE

    def rule(self) -> tuple[str, Any] | None:
        """The rule and its value that say the same in a rule file, None where nothing is ignored.

        The key sorts its query as Scrapy's does, so `key_order` is not asked; a name that rule files have no word
        for is not ignored.
        """
        if self.ignored is not None:
            names = sorted(name for name in self.ignored if name and "*" not in name)
            return ("remove_params", [exactly(name) for name in names]) if names else None
        if any(not name or "*" in name for name in self.kept):
            return None
        return ("keep_params", sorted(self.kept)) if self.kept else ("remove_query", True)


def exactly(name: str) -> dict[str, Any]:
    """An entry of `remove_params` for a name as a site spells it."""
    return {"name": name, "case_sensitive": True}


DEFAULT_VARIANCE = Variance()


def no_vary_search(header: str) -> Variance:
    """The meaning of a `No-Vary-Search` header; of several, joined with commas.

    It is a dictionary of RFC 9651 (draft-ietf-httpbis-no-vary-search). One that cannot be parsed, or in which a known
    key has a value of another type, means what no header means. Names come decoded and in their own case.
    """
    if len(header) > MAX_HEADER:
        return DEFAULT_VARIANCE
    import http_sf

    try:
        said: Any = http_sf.parse(header.encode("latin-1"), tltype="dictionary")
    except (ValueError, RecursionError):
        return DEFAULT_VARIANCE
    values = {key: member[0] for key, member in said.items()}
    order, params, excepted = (values.get(key) for key in ("key-order", "params", "except"))
    names, kept = _texts(params), _texts(excepted)
    if not isinstance(order, (bool, type(None))) or (names is None and not isinstance(params, (bool, type(None)))):
        return DEFAULT_VARIANCE
    if "except" in values and (kept is None or params is not True):
        return DEFAULT_VARIANCE
    ignored = None if params is True else names or frozenset()
    return Variance(ignored, kept or frozenset(), not order)


def _texts(value: object) -> frozenset[str] | None:
    """The names in an inner list of strings, None where it is something else."""
    if not isinstance(value, list) or not all(type(item) is str for item, _ in value):
        return None
    return frozenset(unquote_plus(item) for item, _ in value)


# no `<` within: each of many would be looked at to the end of the text
_LINK = re.compile(r"<([^<>]*)>([^<]*)")


def canonical_link(headers: Iterable[str], url: str) -> str | None:
    """The target of `Link: <...>; rel="canonical"` (RFC 8288, RFC 6596) in the headers of a response from `url`."""
    for header in headers:
        for target, parameters in _LINK.findall(header[:MAX_HEADER]):
            if is_canonical(parameters.replace('"', " ").replace("=", " ").replace(";", " ")):
                try:
                    return urljoin(url, str(target).strip())
                except ValueError:
                    return None
    return None


def is_canonical(relation: str | None) -> bool:
    """Whether a link's relation types say `canonical`."""
    return "canonical" in (relation or "").lower().split()
