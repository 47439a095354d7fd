"""Why two texts for one URL differ, found by comparing their parts; no knowledge of any peer."""
# ruff: noqa: E501  a row of a table is a line

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections import Counter
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from scrapy_urinorm.url import DEFAULT_PORTS, split

#: What the reasons say; the peer is the subject. A reason that is not here is no reason: the record is unexplained.
REASONS = {
    "not absolute": "guesses a scheme for an input that has none (`example.com:80`), or works on it as a part of a URL; ours leaves it alone",
    "another scheme": "edits URLs of other schemes than http, https, ftp, ws and wss; ours have no rules for them",
    "refused": "works on what a browser refuses (a port out of range, a zone in an address); ours leaves it alone",
    "result is no URL": "gives a text that a browser refuses or reads as relative",
    "resolved otherwise": "resolves the reference otherwise than RFC 3986 5.2 and the URL Standard",
    "told otherwise": "is told by an option to leave parts alone, or to add some",
    "left out on import": "its rule is left out by `urinorm import dud`, which says so: it never settles",
    "names read otherwise": "is given the names of parameters as they are spelled, ours are decoded",
    "scheme": "changes the scheme, or keeps its case",
    "userinfo dropped": "drops user name or password",
    "userinfo spelling": "spells user name or password otherwise (escapes, an empty password)",
    "host dropped": "finds no host where a browser does (`http:///a`), or loses one that it cannot read",
    "host case": "keeps upper case in the host",
    "host in Unicode": "shows the host in Unicode; ours is for the wire (Punycode)",
    "host by older IDNA": "maps the host by IDNA 2003 or 2008 (`ß` is `ss`); the URL Standard by UTS 46, nontransitional",
    "address spelling": "keeps the spelling of an IPv4 or IPv6 address, or shortens it otherwise than the URL Standard",
    "host escaped": "keeps or makes escapes in the host, where the URL Standard decodes them",
    "trailing dot": "drops dots that end a host name, or adds one; ours is the rule `remove_trailing_dot`, which takes one",
    "www": "drops `www.`; ours is the rule `www`",
    "default port kept": "keeps a default or empty port, or its leading zeros",
    "port dropped": "drops a port that is no default",
    "empty path kept": "keeps an empty path, or drops the root's slash: `http://a.example` for `http://a.example/`",
    "dot segments kept": "keeps `.` and `..` segments, or resolves them otherwise (RFC 3986 5.2.4)",
    "path cut short": "cuts the path at a quote or an angle bracket",
    "slashes merged": "merges or drops slashes; ours are the rules `duplicate_slashes` and `trailing_slash`",
    "backslash": "keeps or escapes a backslash, which browsers read as a slash",
    "white space": "keeps, trims or escapes white space or control characters that browsers drop",
    "sorted": "sorts the query; ours sorts in the key alone",
    "blank values": "writes `a` for `a=`, or `a=` for `a`",
    "parameters dropped": "drops parameters (all but a list, or what it takes for tracking), or empty fields between two `&`",
    "empty fields kept": "leaves an `&` with no parameter beside it",
    "query dropped": "drops the query, or an empty one",
    "fragment dropped": "drops the fragment, or an empty one",
    "fragment edited": "drops parameters from a fragment that looks like a query",
    "escaped fragment": "turns `#!` into the parameter `_escaped_fragment_`, which search engines have given up",
    "plus and space": "writes a space in the query as `+` or `%20`, or a plus as `%2B`, otherwise than it came",
    "stray percent": "writes a `%` that starts no escape as `%25`, or leaves it where ours writes `%25`; ours is the rule `stray_percent`",
    "unreserved escaped": "keeps escapes of unreserved characters (RFC 3986 6.2.2.2 says to decode)",
    "hex case": "keeps lower-case hex digits in escapes (RFC 3986 6.2.2.1)",
    "escapes more": "escapes characters that the URL Standard leaves as they are in this part",
    "escapes less": "leaves characters raw that the URL Standard escapes in this part",
    "decodes more": "decodes escapes of reserved characters, which RFC 3986 2.2 keeps",
    "non-ASCII shown": "shows non-ASCII characters in path, query or fragment (an IRI); ours is for the wire",
    "page's encoding": "encodes by the encoding of a page or as ISO-8859-1, or replaces octets that are not UTF-8",
    "Unicode composed": "composes Unicode characters; ours is the rule `unicode_nfc`",
    "another host": "gives the host another name",
}  # fmt: skip

_HOST_AND_PORT = re.compile(r"\s*[\w.\-]+:\d+(?:[\s/?#]|$)")
_SCHEME = re.compile(r"[\x00-\x20]*([A-Za-z][A-Za-z0-9+.\-]*):")
_PARTS = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
_AUTHORITY = re.compile(r"(.*@)?(\[[^\]]*\]|[^:]*)(:.*)?", re.DOTALL)
_TOKEN = re.compile(rb"%([0-9A-Fa-f]{2})|(.)", re.DOTALL)
_UNRESERVED = re.compile(rb"[A-Za-z0-9\-._~]+").fullmatch


class Parts(NamedTuple):
    """A text by RFC 3986 appendix B; nothing is changed."""

    scheme: str
    userinfo: str
    host: str
    port: str
    path: str
    query: str
    fragment: str


def parts(text: str) -> Parts:
    found = _PARTS.fullmatch(text)
    assert found is not None, "the pattern matches every text"
    scheme, authority, path, query, fragment = (group or "" for group in found.groups())
    of_authority = _AUTHORITY.fullmatch(authority)
    userinfo, host, port = (g or "" for g in of_authority.groups()) if of_authority else ("", authority, "")
    return Parts(scheme, userinfo, host, port, path, query, fragment)


def unusable(text: str) -> str | None:
    """Why the URL Standard gives a text no parts, or None where it does."""
    if split(text) is not None:
        return None
    scheme = _SCHEME.match(text)
    if scheme is None or _HOST_AND_PORT.match(text):
        return "not absolute"
    return "refused" if scheme[1].lower() in DEFAULT_PORTS else "another scheme"


def reasons(given: str, ours: str, theirs: str) -> set[str]:
    """Every reason for which ``theirs`` is not ``ours``, both made of ``given``; empty where none is known."""
    if (odd := unusable(ours)) is not None:
        return {odd}
    a, b = parts(ours), parts(theirs)
    if unusable(theirs) is not None and not (b.scheme and b.host):
        return {"result is no URL"}
    if "_escaped_fragment_" in theirs and "_escaped_fragment_" not in ours:
        return {"escaped fragment"}
    came = parts(given)
    found: set[str] = set()
    if a.scheme != b.scheme:
        found.add("scheme")
    if a.userinfo != b.userinfo:
        found.add("userinfo spelling" if b.userinfo else "userinfo dropped")
    if a.host != b.host:
        found.add(_of_host(a.host, b.host))
    if a.port != b.port:
        found.add("default port kept" if b.port else "port dropped")
    if a.path != b.path:
        found |= _of_path(came.path, a.path, b.path)
    if a.query != b.query:
        found |= _of_query(came.query, a.query, b.query)
    if a.fragment != b.fragment:
        found |= _of_fragment(came.fragment, a.fragment, b.fragment)
    return found


def _of_host(ours: str, theirs: str) -> str:
    plain = theirs.lower()
    if not theirs:
        return "host dropped"
    if plain == ours:
        return "host case"
    if "%" in theirs:
        return "host escaped"
    if plain.rstrip(".") == ours.rstrip("."):
        return "trailing dot"
    if ours.startswith("[") or theirs.startswith("[") or _is_address(ours):
        return "address spelling"
    if ours.removeprefix("www.") == plain.removeprefix("www."):
        return "www"
    if not theirs.isascii():
        return "host in Unicode"
    return "host by older IDNA" if "xn--" in ours + theirs else "another host"


def _is_address(host: str) -> bool:
    try:
        ipaddress.IPv4Address(host)
    except ValueError:
        return False
    return True


def _of_path(given: str, ours: str, theirs: str) -> set[str]:
    if ours in ("", "/") and theirs in ("", "/"):
        return {"empty path kept"}
    if re.sub("/+", "/", ours).strip("/") == re.sub("/+", "/", theirs).strip("/"):
        return {"slashes merged"}
    if "\\" in theirs or theirs.upper().count("%5C") > ours.count("%5C"):
        return {"backslash"}
    if theirs and ours.startswith(theirs):
        return {"path cut short"}
    if _resolved(theirs) == _resolved(ours) and len(ours.split("/")) != len(theirs.split("/")):
        return {"dot segments kept"}
    return _escapes(given, ours, theirs)


def _resolved(path: str) -> list[str]:
    out: list[str] = []
    for segment in re.sub("(?i)%2e", ".", path).split("/"):
        if segment == "..":
            del out[-1:]
        elif segment not in (".", ""):
            out.append(segment)
    return out


def _of_query(given: str, ours: str, theirs: str) -> set[str]:
    if not theirs[1:] or not ours[1:]:
        return {"query dropped"}
    a, b = ours[1:].split("&"), theirs[1:].split("&")
    found = set()
    if Counter(a) == Counter(b):
        return {"sorted"}
    if Counter(filter(None, a)) == Counter(filter(None, b)):
        return {"empty fields kept"}
    if len(b) > len(a) and "%26" in ours:
        return {"decodes more"}
    blank_a, blank_b = ([field.removesuffix("=") for field in fields] for fields in (a, b))
    if blank_a != a or blank_b != b:
        if Counter(blank_a) == Counter(blank_b):
            return {"blank values"} | ({"sorted"} if blank_a != blank_b else set())
        if (a != blank_a) != (b != blank_b):
            found.add("blank values")
        a, b = blank_a, blank_b
    if len(a) > len(b):
        found.add("parameters dropped")
        kept = Counter(map(_loose, b))
        a = [field for field in a if kept[_loose(field)]]
    if a != b and Counter(map(_loose, a)) == Counter(map(_loose, b)):
        if list(map(_loose, a)) != list(map(_loose, b)):
            found.add("sorted")
        a, b = sorted(a, key=_loose), sorted(b, key=_loose)
    return found | (_escapes(given, "&".join(a), "&".join(b)) if a != b else set())


def _of_fragment(given: str, ours: str, theirs: str) -> set[str]:
    if not theirs[1:] or not ours[1:]:
        return {"fragment dropped"}
    return _escapes(given, ours, theirs) or {"fragment edited"}


def _loose(field: str) -> bytes:
    return unquote_to_bytes(field.replace("+", " "))


def _escapes(given: str, ours: str, theirs: str) -> set[str]:
    """Compare two spellings of the same octets."""
    a, b = _tokens(ours), _tokens(theirs)
    if [octet for octet, _ in a] != [octet for octet, _ in b]:
        return _not_the_same_octets(ours, theirs)
    found = set()
    raw_in = given.encode("utf-8", "surrogatepass")
    for (octet, mine), (_, other) in zip(a, b, strict=True):
        if mine == other:
            continue
        if octet >= b"\x80":
            found.add("hex case" if mine.lower() == other.lower() else "non-ASCII shown")
        elif octet == b"%":
            found.add("stray percent")
        elif len(mine) == len(other) == 3:
            found.add("hex case")
        elif len(mine) > len(other):
            escaped = mine.lower() in raw_in.lower()
            found.add("decodes more" if escaped and octet not in raw_in else "escapes less")
        else:
            found.add("unreserved escaped" if _UNRESERVED(octet) else "escapes more")
    return found


def _tokens(text: str) -> list[tuple[bytes, bytes]]:
    """Octets, each with its spelling."""
    encoded = text.encode("utf-8", "surrogatepass")
    return [
        (bytes.fromhex(m[1].decode()) if m[1] else m[0], m[0])
        for m in _TOKEN.finditer(encoded)
    ]  # fmt: skip


def _not_the_same_octets(ours: str, theirs: str) -> set[str]:
    a, b = unquote_to_bytes(ours), unquote_to_bytes(theirs)
    if _loose(ours) == _loose(theirs):
        return {"plus and space"}
    if unquote_to_bytes(theirs.replace("%25", "%")) == unquote_to_bytes(ours.replace("%25", "%")):
        return {"stray percent"}
    squeezed = [re.sub(rb"[\x00-\x20]+", b"", one) for one in (a, b)]
    if squeezed[0] == squeezed[1]:
        return {"white space"}
    try:
        composed = [unicodedata.normalize("NFC", one.decode()) for one in (a, b)]
    except UnicodeDecodeError:
        return {"page's encoding"}
    if composed[0] == composed[1]:
        return {"Unicode composed"}
    return {"page's encoding"} if "\ufffd" in composed[0] + composed[1] else set()
