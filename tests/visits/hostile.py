"""Pages as a hostile site makes them: a kind each of what is hard to read."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def _repeated(piece: bytes, size: int) -> bytes:
    return piece * (size // len(piece) + 1)


def _numbered(piece: str, size: int) -> bytes:
    count = size // (len(piece) + 4) + 1
    return "".join(piece.replace("#", str(n)) for n in range(count)).encode()


KINDS: dict[str, Callable[[int], bytes]] = {
    "nested blocks": lambda size: _repeated(b"<div>", size),
    "nested formatting": lambda size: _repeated(b"<a><b>", size),
    "nested tables": lambda size: _repeated(b"<table>", size),
    "attributes": lambda size: b"<p " + _numbered("a#=1 ", size) + b">",
    "one attribute again and again": lambda size: b"<p " + _repeated(b"a=1 ", size) + b">",
    "many links": lambda size: _numbered("<a href=/#>x</a>", size),
    "a long link": lambda size: b"<a href='/" + b"a" * size + b"'>x</a>",
    "a long query": lambda size: b"<a href='/?" + _repeated(b"a=", size) + b"'>x</a>",
    "a long canonical link": lambda size: b"<link rel=canonical href='/" + b"a" * size + b"'>",
    "a canonical link of equals signs": lambda size: b"<link rel=canonical href='/?" + _repeated(b"a=", size) + b"'>",
    "a canonical link of secrets": lambda size: b"<link rel=canonical href='/?" + _repeated(b"s=s&", size) + b"'>",
    "lines": lambda size: _repeated(b"x<br>", size),
    "pictures": lambda size: _numbered("<img src=# alt=x>", size),
    "pictures behind texts": lambda size: _numbered("<b style='x:url(#'>x", size),
    "a style of addresses": lambda size: b"<p style='" + _repeated(b"url(", size),
    "a style without an end": lambda size: b"<style>" + _repeated(b"url(((", size) + b"</style>",
    "drawings": lambda size: _numbered("<svg><path d=# />", size),
    "cells": lambda size: b"<table><tr>" + _numbered("<td class=a# title=#>", size),
    "players": lambda size: b"<video>" + _repeated(b"<source>", size),
    "players in players": lambda size: _repeated(b"<video><source>", size),
    "a long word": lambda size: b"<p>" + b"w" * size,
    "words": lambda size: _numbered("w# ", size),
    "own tags": lambda size: _numbered("<x#></x#>", size),
    "long tags": lambda size: _repeated(b"<" + b"x" * 4000 + b">", size),
    "unclosed tags": lambda size: b"<" * size,
    "references": lambda size: _repeated(b"&amp", size),
    "a long generator": lambda size: b"<meta name=generator content='" + b"x" * size + b"'>",
    "no text at all": lambda size: random.Random(size).randbytes(size),
}


def hostile_page(kind: str, size: int) -> bytes:
    """A page of a kind, of exactly so many octets where that is possible."""
    return KINDS[kind](size)[:size]
