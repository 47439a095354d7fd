"""Rules on the path. They see the key spelling and run in the order of this file."""

from __future__ import annotations

import re
from collections.abc import Callable

from scrapy_urinorm.regex import Regex
from scrapy_urinorm.rules.composing import composed_text
from scrapy_urinorm.rules.declaration import LOSSY, USUALLY_SAFE, PathAction, Stage, half, rule
from scrapy_urinorm.rules.kinds import Choice, Flag, Names, NameTable, Segment, Segments
from scrapy_urinorm.url import Item, decoded, decoded_segment, path_key


@half("stray_percent", stage=Stage.PATH, needs=("%",))
def stray_percent_path(path: str, *, mode: str) -> str:
    """The part of `stray_percent` that concerns the path."""
    return with_stray_percent(path) if mode == "encode" else path


def with_stray_percent(text: str) -> str:
    """Text in which a `%` that starts no escape is `%25`."""
    return _STRAY_PERCENT.sub("%25", text) if "%" in text else text


_STRAY_PERCENT = Regex("%(?![0-9A-Fa-f]{2})")


@rule(
    USUALLY_SAFE,
    "http://a.example/e%CC%81",
    "http://a.example/%C3%A9",
    stage=Stage.PATH,
    kind=Flag(),
    value=True,
    act={"needs": ("%",)},
)
def unicode_nfc(path: str, *, on: bool) -> str:
    """Compose Unicode characters (NFC, RFC 3987 5.3.2.2) in the path and in parameter names and values.

    Off by default: servers keep the spellings apart, and so does Scrapy.
    """
    if not on or "%" not in path:
        return path
    return "/".join([_nfc(s) for s in path.split("/")])


def _nfc(segment: str) -> str:
    text = decoded_segment(segment)
    composed = composed_text(text)
    if composed == text or any("\udc80" <= c <= "\udcff" for c in text):
        return segment
    # only the runs of escapes above ASCII are rewritten, so that %2F and its like survive
    return _NON_ASCII_ESCAPES.sub(_nfc_run, segment)


_NON_ASCII_ESCAPES = Regex(r"[A-Za-z]?(?:%[89A-F][0-9A-F])+")


def _nfc_run(match: re.Match[str]) -> str:
    # a few characters compose to ASCII: the Kelvin sign is a letter, but no delimiter may arise
    composed = composed_text(decoded_segment(match.group()))
    return "".join(c if c.isascii() and c.isalnum() else "".join(f"%{o:02X}" for o in c.encode()) for c in composed)


@rule(
    LOSSY,
    "http://a.example/p;jsessionid=1A530637289A03B07199A44E8D531427?x=1",
    "http://a.example/p?x=1",
    stage=Stage.PATH,
    kind=Names(guards=True),
    value=["jsessionid"],
    probes=("/x;{}=1/y",),
    act={"needs": (";", "%3B")},
)
def path_params(path: str, *, names: NameTable) -> str:
    """Remove path parameters (`;name=value`, RFC 3986 3.3) by name from every segment.

    Where an entry says what the value looks like, it also goes after a `%3B`, and from the end of a value in the
    query (`?a=1;jsessionid=...`): links that were escaped once too often, or joined in the wrong order.
    """
    if ";" not in path and "%3B" not in path:
        return path
    segments = []
    for segment in path.split("/"):
        kept, *params = _PARAMETER.split(segment)
        for mark, param in zip(params[::2], params[1::2], strict=True):
            name, _, value = param.partition("=")
            if not _goes(names, mark, decoded_segment(name), value, decoded_segment):
                kept += mark + param
        segments.append(kept)
    # `..;jsessionid=1` has become `..`, as servlet containers read it
    return path_key("/".join(segments))


@half("path_params", stage=Stage.ITEMS, each=True, needs=("%3B",))
def path_params_in_values(items: list[Item], *, names: NameTable) -> list[Item]:
    """The part of `path_params` that concerns the query."""
    return [(name, _without_params(value, names)) if "%3B" in value else (name, value) for name, value in items]


def _without_params(text: str, names: NameTable) -> str:
    kept, *params = text.split("%3B")
    for param in params:
        name, _, value = param.partition("%3D")
        if not _goes(names, "%3B", decoded(name), value, decoded):
            kept += "%3B" + param
    return kept


def _goes(names: NameTable, mark: str, name: str, value: str, decode: Callable[[str], str]) -> bool:
    """Whether a parameter goes; after an escaped mark only where its value has a shape that is asked for."""
    if mark != ";" and not any(entry.value for entry in names[name]):
        return False
    return names.removes(name, value, decode)


_PARAMETER = Regex("(;|%3B)")


# (S(...)) and its relatives A (anonymous id), F (forms ticket), X (cookie support), as ASP.NET 2.0 and later write it:
# one of the values is as long as a session's (SessionIDManager: 24), since `/(S(n))/` may be about mathematics
ASPNET_SESSION = r"/\((?:X\(\d\)|(?=[^/]{0,500}\([\w.~-]{20,}\))(?:[AFSXafsx]\([\w.~-]*\))+)\)"
_ASPNET = Regex(ASPNET_SESSION + "(?=/|$)", re.ASCII)
# ASP.NET 1.x: the session id alone, 120 bits in the letters and digits of SessionIDManager
_ASPNET_1 = Regex(r"/\([a-z0-5]{24}\)(?=/)", re.IGNORECASE | re.ASCII)
_ASPX = Regex(r"\.aspx(?!\w)", re.IGNORECASE | re.ASCII)


@rule(
    LOSSY,
    "http://a.example/(S(lit3py55t21z5v55vlm25s55))/p.aspx",
    "http://a.example/p.aspx",
    stage=Stage.PATH,
    kind=Flag(),
    value=True,
    act={"needs": ("/(",)},
)
def aspnet_session(path: str, *, remove: bool) -> str:
    """Remove the segment of an ASP.NET cookieless session: `/(S(...))/`, `/(X(1)S(...))/` and the like.

    The bare form of ASP.NET 1.x, `/(24 letters and digits)/`, goes only before an `.aspx` page.
    """
    if not remove or "(" not in path:
        return path
    path = _ASPNET.sub("", path) or "/"
    last = 0
    for page in _ASPX.finditer(path):
        last = page.start()
    return _ASPNET_1.sub("", path[:last]) + path[last:] if last else path


@rule(
    LOSSY,
    "http://a.example/print/p/7",
    "http://a.example/p/7",
    stage=Stage.PATH,
    kind=Segments(),
    value=["print"],
    probes=("/x/{}/y",),
)
def remove_segments(path: str, *, segments: tuple[Segment, ...]) -> str:
    """Remove path segments by position, name or pattern; a session id or a view that shows the same content.

    A position wants a name, a pattern or `of`, the number of segments that the path must have: alone it would eat
    the path from that end, one segment at each pass. `{ name = "sid", next = "[0-9a-f]{16,}" }` removes `sid` and
    the segment after it, where that matches in full.
    """
    parts = path[1:].split("/")
    kept = []
    at = 0
    while at < len(parts):
        gone = _segments_gone(parts, at, segments)
        if not gone:
            kept.append(parts[at])
        at += gone or 1
    return path if len(kept) == len(parts) else "/" + "/".join(kept)


def _segments_gone(parts: list[str], at: int, segments: tuple[Segment, ...]) -> int:
    """How many of `parts` go, from the one at `at` on."""
    if not parts[at]:
        return 0
    count = len(parts)
    text = decoded_segment(parts[at])
    following = decoded_segment(parts[at + 1]) if at + 1 < count else None
    gone = 0
    for s in segments:
        if (
            (s.index is None or s.index in (at, at - count))
            and (s.of is None or s.of == count)
            and (s.match is None or s.match(text))
        ):
            if s.next is None:
                gone = gone or 1
            elif following is not None and s.next.match(following):
                return 2
    return gone


@rule(
    LOSSY,
    "http://a.example/b//c///d",
    "http://a.example/b/c/d",
    stage=Stage.PATH,
    kind=Choice(("keep", "remove"), inert="keep"),
    value="remove",
    act={"needs": ("//",)},
)
def duplicate_slashes(path: str, *, mode: str) -> str:
    """Merge runs of slashes; an address inside the path (`/http://x`) keeps its two."""
    if mode == "keep" or "//" not in path:
        return path
    return _SLASHES.sub("/", path)


_SLASHES = Regex(r"(?<!/http:)(?<!/https:)//+")


@rule(LOSSY, "http://a.example/About.HTML", "http://a.example/about.html", stage=Stage.PATH, kind=Flag(), value=True)
def lowercase_path(path: str, *, on: bool) -> str:
    """Lower-case the letters of the path, for servers that ignore case (IIS); escapes stay as they are."""
    if not on:
        return path
    return _ESCAPE_OR_TEXT.sub(lambda m: m.group() if m.group()[0] == "%" else m.group().lower(), path)


_ESCAPE_OR_TEXT = Regex("%(?:[0-9A-F]{2})?|[^%]+")


def _file_names(names: NameTable) -> tuple[PathAction, tuple[str, ...]] | None:
    plain = tuple(entry.name.lower() for entry in names.names if entry.name.isascii() and "*" not in entry.name)
    return (PathAction.LAST_SEGMENT, plain) if len(plain) == len(names.names) else None


@rule(
    LOSSY,
    "http://a.example/b/index.html",
    "http://a.example/b/",
    stage=Stage.PATH,
    kind=Names(),
    value=["index.html"],
    probes=("/x/{}", "/x/{}/{}"),
    act={"native": _file_names},
)
def directory_index(path: str, *, names: NameTable) -> str:
    """Remove a directory index file name from the end of the path."""
    head, _, last = path.rpartition("/")
    return head + "/" if last and names[decoded_segment(last)] else path


@rule(
    LOSSY,
    "http://a.example/b/page.html",
    "http://a.example/b/page",
    stage=Stage.PATH,
    kind=Names(),
    value=["html", "php"],
    probes=("/x/y.{}",),
)
def remove_extensions(path: str, *, names: NameTable) -> str:
    """Remove a file extension from the last segment."""
    head, slash, last = path.rpartition("/")
    pieces = last.split(".")
    # what is left must be a name: neither empty nor a dot segment
    first = next((place for place, piece in enumerate(pieces) if piece), len(pieces))
    while len(pieces) - 1 > first and names[decoded_segment(pieces[-1])]:
        pieces.pop()
    return head + slash + ".".join(pieces)


@rule(
    USUALLY_SAFE,
    "http://a.example/b/",
    "http://a.example/b",
    stage=Stage.PATH,
    kind=Choice(("keep", "remove", "add"), inert="keep"),
    value="remove",
    act={"native": lambda mode: (PathAction.TRIM_SLASH if mode == "remove" else PathAction.ADD_SLASH, ())},
)
def trailing_slash(path: str, *, mode: str) -> str:
    """Remove the slash at the end of the path, or add it where the last segment has no dot; the root stays.

    `remove` takes one slash: several are for `duplicate_slashes`. Evidence is a redirect (RFC 3986 6.2.4).
    """
    if mode == "remove":
        return path[:-1] if len(path) > 1 and path.endswith("/") and not path.endswith("//") else path
    if mode == "add" and not path.endswith("/") and "." not in path.rpartition("/")[2]:
        return path + "/"
    return path
