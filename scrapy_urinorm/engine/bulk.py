"""Canonical URLs and keys of many lines at once: one pattern runs over the whole text, and most lines need no more.

Everything here gives what :class:`~scrapy_urinorm.normalizer.Normalizer` gives line by line; a line that is not in a
usual spelling, or that more than filters of parameters concern, goes there.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from scrapy_urinorm.engine.fastpath import lines_function
from scrapy_urinorm.engine.program import DROPPED, SESSION_RULES, is_signed, unsubscribes
from scrapy_urinorm.url import (
    _SAFE_ESCAPES,
    Item,
    _octets,
    _respell,
    _utf8_escapes,
    join_items,
    path_key,
    query_items,
    safe_path,
    sort_items,
    split,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_urinorm.engine.plan import Plan, Site
    from scrapy_urinorm.normalizer import Normalizer

_MAX_HOSTS = 50_000
_MAX_NAMES = 50_000

# escapes that stand in a canonical URL: upper case, and not of unreserved octets
_ESCAPE = "%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF])"
_PATH = r"A-Za-z0-9\-._~!$&'()*+,;=:@/"
_QUERY = r"A-Za-z0-9\-._~!$()*+,;:@/?[\]=&"
_KEY_QUERY = r"A-Za-z0-9\-._~+=&"
# (line, origin, path, query, other) of each line, an unusual one whole in `other`. Runs of plain characters with
# escapes between them: linear, and what Python's matcher is fastest at
_split_lines = re.compile(
    rf"^(?:((https?://[a-z0-9.\-]+(?::[0-9]+)?)(/[{_PATH}]*(?:{_ESCAPE}[{_PATH}]*)*)"
    rf"(?:\?([{_QUERY}]+(?:{_ESCAPE}[{_QUERY}]*)*))?(?:#[{_PATH}?]*)?)|(.*))$",
    re.MULTILINE,
).findall
_is_key_query = re.compile(rf"[{_KEY_QUERY}]*(?:(?!%20){_ESCAPE}[{_KEY_QUERY}]*)*").fullmatch
_origin = re.compile(r"https?://[^/?#\\@%\x00-\x20\x7f]+(?=/)", re.IGNORECASE).match
_odd = re.compile(r"[\x00-\x20\x7f\ud800-\udfff]").search


class Signed(Exception):  # noqa: N818  a verdict on the way, not an error
    """A parameter signs the URL: no rule applies to it."""


class BulkNormalizer:
    """Normalizes texts of many lines by the rules of a normalizer."""

    def __init__(self, normalizer: Normalizer):
        self.normalizer = normalizer
        self._compiled = lines_function(normalizer.sites)
        self._hosts: dict[str, _Host | None] = {}
        self._queries: dict[int, _Queries] = {}

    def lines(self, block: bytes, *, keys: bool = False) -> bytes:
        """The canonical URLs, or keys, of lines of UTF-8 octets, each of which has an end; an empty one stays empty.

        By the module in C where the package was built with it.
        """
        if self._compiled is not None:
            many = self.keys if keys else self.canonical
            # what the module in C leaves over is mostly of a spelling that is known here
            return self._compiled(lambda line: many(line)[0], block, keys)
        text = block.decode().replace("\r\n", "\n")
        done = (self.keys if keys else self.canonical)(text.removesuffix("\n"))
        return ("\n".join(done) + "\n").encode("utf-8", "surrogatepass")

    def canonical(self, text: str) -> list[str]:
        """The canonical URL of each line of a text; its last line has no end."""
        out: list[str] = []
        append, known, normalize = out.append, self._hosts.get, self.normalizer.normalize
        again: list[int] = []
        for line, origin, path, query, other in _split_lines(text):
            host = known(origin) or self._learned(origin)
            if host is None or "/." in path or (host.guarded and host.concerns(path)):
                usual = None if line else _respelled(other)
                if usual is None:
                    append(normalize(line or other) if line or other else "")
                else:
                    again.append(len(out))
                    append(usual)
                continue
            try:
                new_path = path if ";" not in path and "/(" not in path else host.without_session(path, query)
                new_query = host.queries.canonical(path, query) if query else query
            except Signed:
                append(line if host.same else normalize(line))
                continue
            except Exception:  # noqa: BLE001  a rule's own fault; the normalizer counts it
                append(normalize(line))
                continue
            if host.cuts_fragment and "#" in line and new_query is not None:
                line = line[: line.index("#")]
            if new_path is path and new_query is query:
                append(line if host.same else host.origin + line[len(origin) :])
            elif new_path is None or new_query is None:
                append(normalize(line))
            else:
                tail = line[len(origin) + len(path) + (1 + len(query) if query else 0) :]
                append(f"{host.origin}{new_path}{'?' if new_query else ''}{new_query}{tail}")
        if again:
            for at, done in zip(again, self.canonical("\n".join([out[at] for at in again])), strict=True):
                out[at] = done
        return out

    def keys(self, text: str) -> list[str]:
        """The key of each line of a text; its last line has no end."""
        out: list[str] = []
        append, known, key = out.append, self._hosts.get, self.normalizer.key
        again: list[int] = []
        for line, origin, path, query, other in _split_lines(text):
            host = known(origin) or self._learned(origin)
            if host is None or "/." in path or (host.guarded and host.concerns(path)):
                usual = None if line else _respelled(other)
                if usual is None:
                    append(key(line or other) if line or other else "")
                else:
                    again.append(len(out))
                    append(usual)
                continue
            try:
                new_path = path if ";" not in path and "/(" not in path else host.without_session(path, query)
                new_query = host.queries.key(path, query) if query else query
            except Exception:  # noqa: BLE001  signed, or a rule's own fault, which the normalizer counts
                append(key(line))
                continue
            if new_path is None or new_query is None:
                append(key(line))
                continue
            if "%" in new_path or ";" in new_path:
                new_path = path_key(new_path)
            append(f"{host.origin}{new_path}?{new_query}" if new_query else host.origin + new_path)
        if again:
            for at, done in zip(again, self.keys("\n".join([out[at] for at in again])), strict=True):
                out[at] = done
        return out

    def _learned(self, origin: str) -> _Host | None:
        """What is known of an origin; None where its lines take the long way."""
        if not origin or origin in self._hosts:
            return None
        if len(self._hosts) >= _MAX_HOSTS:
            self._hosts.clear()
        sites = self.normalizer.sites
        site = sites.known.get(origin) or sites.learn(origin)
        host = None
        if site is not None:
            base = site.plan.base
            if base.trivial_items and not base.display_steps and base.fragment in (None, "remove"):
                queries = self._queries.get(id(site.plan))
                if queries is None:
                    queries = self._queries[id(site.plan)] = _Queries(site.plan)
                host = _Host(site, origin, queries)
        self._hosts[origin] = host
        return host


class _Host:
    """What is known of an origin as it stands in URLs: its canonical form, and the rules of its paths and queries."""

    __slots__ = ("cuts_fragment", "guarded", "origin", "queries", "runs", "same", "sessions", "wheres")

    def __init__(self, site: Site, origin: str, queries: _Queries):
        self.origin = site.origin
        self.same = site.origin == origin
        self.queries = queries
        self.cuts_fragment = site.plan.base.fragment == "remove"
        steps = site.plan.base.path_steps
        # these two act on `;` and `/(` alone
        self.sessions = [step.run for step in steps if step.name in SESSION_RULES]
        self.runs = [step.run for step in steps if step.name not in SESSION_RULES]
        self.wheres = site.plan.wheres
        self.guarded = bool(self.runs or self.wheres)

    def concerns(self, path: str) -> bool:
        """Whether a rule on paths or a `where` table may concern a path."""
        if ";" in path or "/(" in path:
            return True
        if "%" in path:
            path = path_key(path)
        return any(run(path) != path for run in self.runs) or any(where.on_path(path) for where in self.wheres)

    def without_session(self, path: str, query: str) -> str | None:
        """A path without session ids, the same object where it has none; None for the long way."""
        before = after = path_key(path)
        for run in self.sessions:
            after = run(after)
        if after == before:
            return path
        if not self.queries.filters_only or unsubscribes(f"{before}?{query}"):
            return None
        for run in self.sessions:
            if run(after) != after:
                return None
        return safe_path(after)


class _Queries:
    """The rules of queries of one plan, with what was found out about names."""

    def __init__(self, plan: Plan):
        self.plan = plan  # kept, so that its id stays its own
        base = plan.base
        self.concerns = base.concerns
        self.steps = base.item_steps
        self.filters_only = base.filters_only
        self.sorts = base.sort_canonical
        #: Plainly spelled names of which no rule speaks.
        self.clean: set[str] = set()
        #: Names that are dropped whatever their value.
        self.dropped: set[str] = set()

    def canonical(self, path: str, query: str) -> str | None:
        """The query that a canonical URL has; the same object where nothing changes, None for the long way.

        Raises Signed where the URL is exempt from all rules.
        """
        if "&" not in query:
            name = query.partition("=")[0]
            return query if name in self.clean or self.is_clean(name) else self.filtered(path, query, [query], [name])
        fields = query.split("&")
        names = [field.partition("=")[0] for field in fields]
        if self.clean.issuperset(names) or self.are_clean(names):
            return self.ordered(query, fields, names) if self.sorts else query
        return self.filtered(path, query, fields, names)

    def key(self, path: str, query: str) -> str | None:
        """The query that a key has; empty where nothing is left, None for the long way; raises Signed."""
        fields = query.split("&")
        names = [field.partition("=")[0] for field in fields]
        if not self.clean.issuperset(names) and not self.are_clean(names):
            left = self.filtered(path, query, fields, names)
            if not left:
                return left
            query, fields = left, left.split("&")
            names = [field.partition("=")[0] for field in fields]
        if query.count("=") == len(fields) and _is_key_query(query) and all("=" in field for field in fields):
            return query if len(fields) == 1 else self.ordered(query, fields, names)
        return join_items(sort_items(query_items(query)))

    def filtered(self, path: str, query: str, fields: list[str], names: list[str]) -> str | None:
        """The query without what filters drop, sorted where a rule says so."""
        if not self.filters_only:
            return None
        clean, dropped = self.clean, self.dropped
        if all(name in clean or name in dropped or self.is_dropped(name) for name in names):
            left = [field for field, name in zip(fields, names, strict=True) if name not in dropped]
            changed = len(left) < len(fields)
        else:
            items = kept = query_items(query)
            if is_signed(items):
                raise Signed
            for _, run in self.steps:
                kept = run(kept, path)
            changed = len(kept) < len(items)
            if not changed and not self.sorts:
                return query
            staying = set(kept)
            fields = [field for field in fields if field]
            left = [field for item, field in zip(items, fields, strict=True) if item in staying]
        if changed and unsubscribes(f"{path}?{query}"):
            return None
        text = "&".join(left)
        if text == query:
            text = query
        if not self.sorts or not left:
            return text
        return self.ordered(text, left, [field.partition("=")[0] for field in left])

    def ordered(self, query: str, fields: list[str], names: list[str]) -> str:
        """Fields in the order of the key, each as it was; `query` itself where they are."""
        ordered = sorted(names)
        if len(set(names)) == len(names) and self.clean.issuperset(names):
            # different plain names: they alone tell the order
            if ordered == names:
                return query
            by_name = dict(zip(names, fields, strict=True))
            return "&".join([by_name[name] for name in ordered])
        fields = [field for field in fields if field]
        rows = sorted(zip(query_items(query), fields, strict=True), key=_octets_of_row)
        text = "&".join([field for _, field in rows])
        return query if text == query else text

    def is_clean(self, name: str) -> bool:
        """Whether no rule speaks of a name; remembered where it is plainly spelled."""
        if not name or self.concerns[name]:
            return False
        if "%" not in name and "+" not in name:
            if len(self.clean) >= _MAX_NAMES:
                self.clean.clear()
            self.clean.add(name)
        return True

    def are_clean(self, names: Iterable[str]) -> bool:
        """Whether no rule speaks of any of the names."""
        clean = self.clean
        return all(name in clean or self.is_clean(name) for name in names)

    def is_dropped(self, name: str) -> bool:
        """Whether a parameter goes whatever its value, and does not sign the URL; remembered."""
        if not name or self.is_clean(name):
            return name in self.clean
        if self.concerns[name] != DROPPED:
            return False
        if len(self.dropped) >= _MAX_NAMES:
            self.dropped.clear()
        self.dropped.add(name)
        return True


def _octets_of_row(row: tuple[Item, str]) -> tuple[bytes, bytes]:
    return _octets(row[0])


def _respelled(line: str) -> str | None:
    """A line in the spelling of letters and escapes that parsing would give it; None where that is no news."""
    found = _origin(line)
    if found is None or _odd(line):
        return None
    origin = _parsed_origin(found.group())
    usual = origin + _respell(_utf8_escapes(line[found.end() :]), _SAFE_ESCAPES) if origin else line
    return usual if usual != line else None


@functools.lru_cache(8192)
def _parsed_origin(origin: str) -> str:
    """An origin as parsing gives it; empty where that refuses it, or finds more in it."""
    parts = split(origin + "/")
    return parts.origin if parts is not None and not parts.userinfo and parts.path == "/" else ""
