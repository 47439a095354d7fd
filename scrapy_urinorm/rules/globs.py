"""Globs on names and on paths, matched in time linear in the text, whatever the glob.

What sites declare becomes globs, so a hostile robots.txt writes them too.
"""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Callable
from typing import Any

from scrapy_urinorm.regex import Regex
from scrapy_urinorm.url import path_key

_FOLD = {ord(c): c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def ascii_fold(text: str) -> str:
    """`text` with ASCII letters in lower case, all others as they are."""
    return text.lower() if text.isascii() else text.translate(_FOLD)


def _is(fold: Callable[[str], str], text: str, name: str) -> bool:
    return fold(name) == text


@functools.lru_cache(65536)
def glob_pattern(glob: str, case_sensitive: bool = False) -> Callable[[str], bool]:
    """A function that tells whether a name matches `glob`, in which `*` alone is special.

    Comparison ignores ASCII case unless `case_sensitive`.
    """
    fold = str if case_sensitive else ascii_fold
    first, *middle = fold(glob).split("*")
    if not middle:
        # no closure: rules of many sites have many names, and the garbage collector looks at each part of one
        return functools.partial(_is, fold, first)
    last = middle.pop()
    if not middle and not last:
        return lambda name: fold(name).startswith(first)
    shortest = len(first) + len(last)

    def match(name: str) -> bool:
        name = fold(name)
        if len(name) < shortest or not name.startswith(first) or not name.endswith(last):
            return False
        at, end = len(first), len(name) - len(last)
        for piece in middle:
            at = name.find(piece, at, end)
            if at < 0:
                return False
            at += len(piece)
        return True

    return match


# as zsh writes it; learned rules take nine digits for a number, and no path in the key spelling has a bare `<`
_RANGE = "<[0-9]{0,9}-[0-9]{0,9}>"
_ranges = Regex(f"({_RANGE})")
_special = Regex(rf"\*|{_RANGE}")
_angled = Regex("<[^<>]*>?")
_spelled_ranges = Regex("%3C([0-9]{0,9}-[0-9]{0,9})%3E")


def glob_key(glob: str) -> str:
    """A path glob in the spelling in which paths are compared."""
    spelled = path_key(glob)
    return _spelled_ranges.sub(r"<\1>", spelled) if "<" in glob else spelled


def without_ranges(glob: str, instead: Callable[[str, str], str] = lambda _low, _high: "*") -> str:
    """A path glob with something else in the place of each range of numbers, given the bounds as they are written."""
    return _ranges.sub(lambda found: instead(*found[0][1:-1].split("-")), glob)


def odd_range(glob: str) -> str:
    """What in a path glob looks like a range of numbers and holds none; empty where nothing does."""
    for found in _angled.finditer(glob):
        low, high = found[0][1:-1].split("-") if _ranges.fullmatch(found[0]) else ("1", "0")
        if low and high and int(low) > int(high):
            return found[0]
    return ""


RANGES = "a range is <7-12>, <7-> or <-12>, of at most nine digits; the character itself is %3C"
"""What to do about an odd one."""


class PathShape(enum.IntEnum):
    """What a path glob asks for, beside the text that every match begins with; the numbers are those of `rules.c`."""

    EXACT = 0
    """That text alone."""
    SUBTREE = 1
    """That text, or what begins with it and a slash."""
    GLOB = 2
    """More than that."""


def path_shape(glob: str) -> tuple[PathShape, str]:
    """The shape of a path glob, and the text that every match begins with."""
    head = _special.split(glob, 1)[0]
    if head == glob:
        return PathShape.EXACT, glob
    if glob == f"{head}**" and head.endswith("/"):
        return PathShape.SUBTREE, head[:-1]
    return PathShape.GLOB, head


_GAPS = Regex(r"/\*\*\Z|/\*\*/|\*\*")
#: Segments left out, as few as possible, each in one piece.
_SEGMENTS = "(?:[^/]*+/)*?"


@functools.lru_cache(65536)
def path_glob(glob: str) -> Callable[[str], Any]:
    """A function that tells whether a path matches `glob`: `*` within a segment, `**` across any.

    `/forum/**` also matches `/forum`, and `/**/x` matches `/x`. `<7-12>` is a number from 7 to 12, all its digits
    and zeros before it; either bound may be absent.
    """
    return re.compile(_path_pattern(glob), re.DOTALL).match


def name_glob(name: str) -> Callable[[str], Any] | None:
    """A function that tells which parameter names a condition is about; None where it is about one name alone.

    Programs have a path in their query, without `=` (`index.php?/shop/7`): a name with a slash and a wildcard is a glob
    on these, as those of paths are. Case is the caller's to fold.
    """
    return path_glob(name) if "/" in name and path_shape(name)[0] is not PathShape.EXACT else None


@functools.lru_cache(65536)
def path_globs(globs: tuple[str, ...]) -> Callable[[str], Any]:
    """A function that tells whether a path matches one of `globs`, in one look; as quick as one where they are alike.

    Alike are `/shop/**/cart` and `/shop/**/basket`: what begins in the same way and ends in a place that floats. Steps
    are at most those of one glob after the other.
    """
    if len(globs) == 1:
        return path_glob(globs[0])
    ends: dict[str, list[str]] = {}
    ways = []
    for glob in globs:
        start, gap, end = glob.partition("/**/")
        if gap and "**" not in start and "**" not in end:
            ends.setdefault(start, []).append(_fixed(end, "\\Z"))
        else:
            ways.append(_path_pattern(glob))
    ways += [f"{_fixed(start + '/', '')}(?>{_SEGMENTS}(?:{'|'.join(found)}))" for start, found in ends.items()]
    return re.compile("|".join(ways), re.DOTALL).match


def _path_pattern(glob: str) -> str:
    # Where a part of the glob first fits is where it may stay: what follows it can be found at least as well from
    # there. So each part is an atomic group, nothing is tried twice, and the steps are at most those of comparing the
    # whole glob at each character. A part that floats is tried once in each segment, as its stars end with it.
    regex = ""
    floats = aligned = False
    at = 0
    for gap in [*_GAPS.finditer(glob), None]:
        part = glob[at : gap.start()] if gap else glob[at:]
        kind = gap[0] if gap else ""
        if kind == "/**/":
            part += "/"
        end = "(?=/|\\Z)" if kind == "/**" else "" if kind else "\\Z"
        regex += _floating(part, end, aligned) if floats else _fixed(part, end)
        if gap:
            floats, aligned, at = True, kind == "/**/", gap.end()
        if kind == "/**":
            break
    return regex


def _fixed(part: str, end: str) -> str:
    first, *others = map(_literal, part.split("*"))
    if not others:
        return first + end
    *middle, last = others
    return first + "".join(f"(?>[^/]*?{text})" for text in middle if text) + f"(?>[^/]*?{last}{end})"


def _literal(text: str) -> str:
    """A pattern for what has no wildcard but ranges of numbers."""
    pieces = _ranges.split(text) if "<" in text else [text]
    return "".join(_number(*piece[1:-1].split("-")) if at % 2 else re.escape(piece) for at, piece in enumerate(pieces))


def _number(low: str, high: str) -> str:
    """A pattern for all digits of a number between two bounds; nothing in it is tried twice at one place."""
    sides = [(low.lstrip("0"), "9", "[1-9][0-9]{%d,}")] if low else []
    if high:
        sides.append((high.lstrip("0"), "0", "[0-9]{0,%d}"))
    held = ""
    for bound, end, others in sides:
        ways = [bound]
        for at, digit in enumerate(bound):
            if digit != end:
                beyond = f"[{int(digit) + 1}-9]" if end == "9" else f"[0-{int(digit) - 1}]"
                ways.append(f"{bound[:at]}{beyond}[0-9]{{{len(bound) - at - 1}}}")
        if end == "9" or bound:
            ways.append(others % (len(bound) if end == "9" else len(bound) - 1))
        held += f"(?=0*+(?:{'|'.join(ways)})(?![0-9]))"
    return f"(?<![0-9]){held}[0-9]++"


def _floating(part: str, end: str, aligned: bool) -> str:
    if not part:
        # what is left out may end anywhere, or at the end of a segment
        return f"(?>{_SEGMENTS}{end})" if aligned else end and f"(?>.*?{end})"
    return f"(?>{_SEGMENTS}{_fixed(part if aligned else '*' + part, end)})"


def prefix_glob(pattern: str, *, exact: bool = False) -> str:
    """A path glob for what begins with `pattern`, or matches it to the end where `exact`; `*` there is anything.

    Ours knows `*` within a segment, `**` across any, and `/**` at the end, which also matches the path before it: so
    "anything from here on" is written `/*/**`.
    """
    pattern = re.sub(r"\*+", "*", pattern)
    segments = (pattern if pattern.startswith("/") else "/" + pattern).split("/")[1:]
    out = ""
    for at, segment in enumerate(segments):
        last = at == len(segments) - 1
        if segment == "*" or (last and segment == "" and not exact):
            out += "/*/**"
            continue
        out += "/" + "".join("**" if piece.startswith("*") else _key(piece) for piece in re.split(r"(\*)", segment))
        if last and not exact and not out.endswith("**"):
            out += "**"
    return out


def _key(piece: str) -> str:
    """A piece of a segment in the spelling in which paths are compared."""
    return path_key("/" + piece)[1:] if piece else ""
