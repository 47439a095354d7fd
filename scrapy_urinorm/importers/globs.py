"""Path patterns of others, in which `*` crosses segments, as globs of ours."""

from __future__ import annotations

import re

from scrapy_urinorm.url import path_key


def prefix_glob(pattern: str, *, exact: bool = False) -> str:
    """A glob for the paths that begin with `pattern`, or that match it to the end where `exact`; `*` is anything.

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
