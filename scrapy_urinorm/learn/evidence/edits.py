"""The edits that candidate rules make: for each URL, what would be left of it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from scrapy_urinorm.learn.evidence.risk import TRACKER_PRIOR, name_prior
from scrapy_urinorm.learn.pages.values import is_volatile
from scrapy_urinorm.learn.pages.view import View, hash_of
from scrapy_urinorm.rules.path import ASPNET_SESSION
from scrapy_urinorm.url import decoded, encoded, sort_items

Name = tuple[str, ...]
"""The name of an edit: family, then its arguments."""
Row = tuple[Name, int, int]
"""(name, hash of the edited URL, hash of what was taken away)."""

INDEX_NAMES = ("index.html", "index.htm", "index.php", "index.shtml", "index.jsp", "index.asp", "index.aspx",
               "index.cgi", "default.asp", "default.aspx", "default.htm", "default.html", "home.html",
               "welcome.html", "Main_Page")  # fmt: skip
EXTENSIONS = ("html", "htm", "php", "asp", "aspx", "jsp", "shtml", "cfm", "do")
BETWEEN = (":", "/", ",", "|", ".")
MAX_ITEMS = 24
"""URLs with more parameters than this are left alone: they are searches."""
MAX_BUNDLE = 8
"""Parameters that are dropped together; a form that is sent has more."""
FEWEST_SUMS, MAX_SUMS = 30, 10_000
"""Sets of values of which each has a checksum of its own, from which a parameter is one, and those that are looked at,
1 MB; three checksums in four are a token to look at, as letters and digits may fall together. Chosen."""
MOMENT = re.compile(r"^([0-9]{4}-[0-9]{2}-[0-9]{2})[T ].*$", re.DOTALL)
"""A date with a time of day (RFC 3339 5.6)."""
_SESSION_PARAM = re.compile(r";([A-Za-z_][\w.-]*)=[^/;]*")
_ASPNET = re.compile(ASPNET_SESSION + "(?=/|$)")


def text_value(*texts: str) -> int:
    """Return the hash of what an edit took away."""
    return hash_of["v" + "\0".join(texts)]


def drop_edits(view: View, bundles: dict[str, list[Name]]) -> Iterator[Row]:
    """Drop each parameter, and each bundle of parameters that come together."""
    if not view.items or len(view.items) > MAX_ITEMS:
        return
    gone: dict[Name, int] = {}
    values: dict[Name, list[str]] = {}
    for (name, value), hashed in zip(view.items, view.item_hashes, strict=True):
        edit: Name = ("drop", name)
        gone[edit] = gone.get(edit, 0) ^ hashed
        values.setdefault(edit, []).append(value)
        for bundle in bundles.get(name, ()):
            gone[bundle] = gone.get(bundle, 0) ^ hashed
            values.setdefault(bundle, []).append(name + "=" + value)
    for edit, hashed in gone.items():
        if len(edit) > 2 and len(values[edit]) < 2:
            continue
        # `a=1&a=1` has no other value than `a=1`
        yield edit, view.hash ^ hashed, text_value(*dict.fromkeys(values[edit]))


def repeat_edits(view: View) -> Iterator[Row]:
    """Drop what repeats another parameter with its value: a filter that each of its links adds once more."""
    counts = Counter(view.items)
    if len(counts) < len(view.items):
        edited = view.with_items(counts)
        for name in sorted({name for (name, _), n in counts.items() if n > 1}):
            yield ("repeat", name), edited, len(view.items) - len(counts)


def bundles(views: Sequence[View]) -> dict[str, list[Name]]:
    """Return for each parameter the bundles that it is dropped with, where it nearly always has the same company.

    One that has the same value in all addresses is in none: nothing is seen of it there. A tracker may be. Where one is
    a checksum of the others, each of these is dropped with it, too: of `id=7&back=3&cHash=9f86d081` what leads back.
    """
    counts: Counter[str] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    fixed = _fixed(views)
    for view in views:
        names = sorted({name for name, _ in view.items} - fixed)
        counts.update(names)
        if 2 <= len(names) <= 10:
            together.update((a, b) for i, a in enumerate(names) for b in names[i + 1 :])
    parent = {name: name for name in counts}

    def root(name: str) -> str:
        while parent[name] != name:
            name = parent[name]
        return name

    for (a, b), n in together.items():
        always = n >= 0.9 * max(counts[a], counts[b])
        if n >= 3 and (always or (_prefix(a) and _prefix(a) == _prefix(b))):
            parent[root(a)] = root(b)
    members: defaultdict[str, list[str]] = defaultdict(list)
    for name in counts:
        members[root(name)].append(name)
    checksums = _checksums(views, members.values())
    found: dict[str, list[Name]] = defaultdict(list)
    for names in members.values():
        if 2 <= len(names) <= MAX_BUNDLE:
            sums = checksums.intersection(names)
            single = [{name, *sums} for name in names if sums and name not in sums]
            for chosen in (names, *(one for one in single if len(one) < len(names))):
                for name in chosen:
                    found[name].append(("drop", *sorted(chosen)))
    return found


def _checksums(views: Iterable[View], bundles: Iterable[Collection[str]]) -> set[str]:
    """Return the parameters that have a value of their own for each set of values of the others of their bundle, and
    one that means nothing.
    """
    bundle_of = {name: frozenset(names) for names in bundles if 2 < len(names) <= MAX_BUNDLE for name in names}
    values: dict[str, dict[int, str]] = {name: {} for name in bundle_of}
    words = Counter[str]()
    for view in views:
        items = dict(view.items)
        for names in {bundle_of[name] for name in items.keys() & values.keys()}:
            if names <= items.keys():
                hashes = {name: hash((name, items[name])) for name in names}
                for name in names & values.keys():
                    known, others = values[name], hash(frozenset(hashes[one] for one in names if one != name))
                    if others not in known and len(known) < MAX_SUMS:
                        known[others] = items[name]
                        words[name] += not is_volatile(decoded(items[name]))
                    if known.get(others, items[name]) != items[name] or words[name] > max(FEWEST_SUMS, len(known) // 4):
                        del values[name]
    return {
        name
        for name, known in values.items()
        if FEWEST_SUMS <= len(known) == len({*known.values()}) and 4 * words[name] <= len(known)
    }


def _fixed(views: Sequence[View]) -> set[str]:
    values: dict[str, str | None] = {}
    for view in views:
        for name, value in view.items:
            if values.setdefault(name, value) != value:
                values[name] = None
    return {name for name, value in values.items() if value is not None and name_prior(decoded(name)) < TRACKER_PRIOR}


def _prefix(name: str) -> str:
    head, mark, _ = name.partition("_")
    return head if mark and len(head) > 1 else ""


def rename_edits(view: View) -> Iterator[Row]:
    """Replace the name of the only parameter by nothing: names that carry the same values meet."""
    if 1 <= len(view.items) <= 3:
        for at, (name, value) in enumerate(view.items):
            if len(value) > 0 and [n for n, _ in view.items].count(name) == 1:
                hashed = view.hash ^ view.item_hashes[at] ^ hash_of[f"n*={value}"]
                yield ("rename",), hashed, text_value(name)


def value_edits(names: dict[str, set[str]]) -> Callable[[View], Iterator[Row]]:
    """Return the edits of values for the parameters given with their kinds of edit."""

    def edits(view: View) -> Iterator[Row]:
        for at, (name, value) in enumerate(view.items):
            for kind in names.get(name, ()):
                after = edited_value(kind, value)
                if after != value:
                    items = [*view.items]
                    items[at] = (name, after)
                    yield ("value", name, kind), view.with_items(sort_items(items)), text_value(value)

    return edits


def edited_value(kind: str, value: str) -> str:
    """Return a value (key spelling) after one edit; every edit leaves its own result alone."""
    text = decoded(value)
    if kind == "day":
        return encoded(MOMENT.sub(r"\1", text))
    if kind == "lower":
        return encoded(text.lower())
    if kind.startswith("sorted"):
        separator = kind[6:]
        return encoded(separator.join(sorted(text.split(separator))))
    separator = kind[6:]
    # keeps the separator: `a:b` -> `a:` -> `a:`, where dropping it would go on to the empty value
    return encoded(text[: text.rfind(separator) + 1])


def value_kinds(values: Iterable[str]) -> set[str]:
    """Return the kinds of edit that make some of these values equal to others."""
    texts = {decoded(value) for value in values}
    kinds = set()
    if len({t.lower() for t in texts}) < len(texts):
        kinds.add("lower")
    if sum(MOMENT.fullmatch(t) is not None for t in texts) >= 3:
        kinds.add("day")
    for separator in BETWEEN:
        having = [t for t in texts if separator in t]
        if len(having) >= 3 and 2 * len(having) >= len(texts):
            kinds.add("prefix" + separator)
        if separator in ",|" and len({separator.join(sorted(t.split(separator))) for t in having}) < len(having):
            kinds.add("sorted" + separator)
    return kinds


def path_edits(view: View) -> Iterator[Row]:
    """The edits of a path as a whole: slash, index, extension, case, doubled slashes, path sessions."""
    path = view.path
    head, _, last = path.rpartition("/")
    if len(path) > 1 and path.endswith("/") and not path.endswith("//"):
        yield ("slash",), view.with_path(path[:-1]), 1
    if last in INDEX_NAMES:
        yield ("index", last), view.with_path(head + "/"), 1
    stem, dot, extension = last.rpartition(".")
    if dot and stem and extension in EXTENSIONS and last not in INDEX_NAMES:
        yield ("extension", extension), view.with_path(f"{head}/{stem}"), 1
    if "//" in path:
        yield ("slashes",), view.with_path(re.sub("//+", "/", path)), 1
    if ";" in path:
        for name in set(_SESSION_PARAM.findall(path)):
            rest = re.sub(rf";{re.escape(name)}=[^/;]*", "", path)
            yield ("path_param", name), view.with_path(rest), text_value(path)
    if "(" in path and _ASPNET.search(path):
        yield ("aspnet",), view.with_path(_ASPNET.sub("", path) or "/"), text_value(path)
    if path != path.lower() and "%" not in path:
        yield ("case",), view.with_path(path.lower()), text_value(path)


def origin_edits(view: View) -> Iterator[Row]:
    """The edits of scheme and host."""
    if view.scheme == "http":
        yield ("scheme", "https"), view.with_origin("https", view.host, view.port), 1
    if view.host.startswith("www.") and view.host.count(".") >= 2:
        yield ("www",), view.with_origin(view.scheme, view.host[4:], view.port), 1
    yield ("host",), view.with_origin(view.scheme, "*", view.port), text_value(view.host)


def segment_edits(literals: frozenset[str]) -> Callable[[View], Iterator[Row]]:
    """Drop a segment out of a closed set, with and without the slash before it at the end; mask each segment at its
    place, and two numbers together.
    """

    def edits(view: View) -> Iterator[Row]:
        segments = view.segments
        count = len(segments)
        if count > 12:
            return
        for at, segment in enumerate(segments):
            if not segment:
                continue
            before, after = segments[:at], segments[at + 1 :]
            if segment in literals and count > 1:
                yield ("segment", segment), view.with_path("/" + "/".join([*before, *after])), 1
                if not after and segment not in INDEX_NAMES and not segment.isdecimal():
                    yield ("leaf", segment), view.with_path("/" + "/".join([*before, ""])), 1
            masked = "/" + "/".join([*before, "*", *after])
            yield ("mask", str(at), str(count)), view.with_path(masked), text_value(segment)
        numbers = [at for at, segment in enumerate(segments) if segment.isdecimal()]
        if len(numbers) == 2:
            masked = "/" + "/".join("*" if at in numbers else segment for at, segment in enumerate(segments))
            value = text_value(*(segments[at] for at in numbers))
            yield ("masks", *map(str, numbers), str(count)), view.with_path(masked), value

    return edits


def closed_segments(views: Sequence[View]) -> frozenset[str]:
    """Return the segments that occur often enough, before or after many others, to be part of a site's structure."""
    counts: Counter[str] = Counter()
    for view in views:
        counts.update(set(view.segments))
    counts.pop("", None)
    floor = max(3, len(views) // 500)
    frequent = [(n, segment) for segment, n in counts.items() if n >= floor]
    return frozenset(segment for _, segment in sorted(frequent, reverse=True)[:200])
