# Long: a spelling and what undoes it stand side by side, since each must hold for the texts of the other.
"""URL text to parts and back, on the parser of the URL Standard; every function is total on `str`.

Two spellings of a part exist: the *safe* one, valid to show and to send, and the *key* one, which
equals `w3lib.url.canonicalize_url` 2.5 over `Request.url` wherever that is sound. Rules see the key spelling, so
two URLs that Scrapy's own fingerprint merges can never be told apart by a rule.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes, urljoin

from scrapy_urinorm import parser
from scrapy_urinorm.regex import Regex
from scrapy_urinorm.tuples import NamedTuple

_parse = parser.parse
_is_plain = parser.is_plain

#: The schemes whose URLs have an authority, a path and a query that rules may touch (URL Standard, special schemes).
DEFAULT_PORTS = {"http": "80", "https": "443", "ftp": "21", "ws": "80", "wss": "443"}

#: An item of a query in the key spelling: name and value, both percent-encoded, space as `+`.
Item = tuple[str, str]


class Url(NamedTuple):
    """The parts of an absolute URL with an authority, in the safe spelling.

    `userinfo` and `port` are empty where absent (a default port is absent); `query` and `fragment` are None
    where the URL has no `?` or `#`, and may be empty.
    """

    scheme: str
    userinfo: str
    host: str
    port: str
    path: str
    query: str | None
    fragment: str | None

    @property
    def origin(self) -> str:
        """Scheme, host and port, without the userinfo: safe to print."""
        return f"{self.scheme}://{self.host}{':' if self.port else ''}{self.port}"


_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_UNRESERVED_OCTETS = frozenset(_UNRESERVED.encode())
_HEX = "0123456789abcdefABCDEF"


_ESCAPES = {high + low: f"%{high}{low}".upper() for high in _HEX for low in _HEX}


def _escape_table(plain: str) -> dict[str, str]:
    """Map the two hex digits of an escape to its spelling: the character where `plain` has it, else upper case."""
    spelled = {f"%{ord(c):02X}": c for c in plain}
    return {digits: spelled.get(escape, escape) for digits, escape in _ESCAPES.items()}


# RFC 3986 6.2.2.2: unreserved octets are the only ones whose escape means the same in every part.
_SAFE_ESCAPES = _escape_table(_UNRESERVED)
# w3lib decodes these too in a path; the five that would change its structure, and everything else, stay escaped.
_PATH_PLAIN = _UNRESERVED + "!$&'()*+,=:@[]|"
_PATH_ESCAPES = _escape_table(_PATH_PLAIN)
_QUERY_ESCAPES = {**_SAFE_ESCAPES, "20": "+"}
_USERINFO_ESCAPES = _escape_table(_UNRESERVED + "!$&'()*+,")

_ASCII = [chr(n) for n in range(128)]
_PATH_RAW = {ord(c): f"%{ord(c):02X}" for c in _ASCII if c not in _PATH_PLAIN + "/;%"}
_QUERY_RAW = {ord(c): f"%{ord(c):02X}" for c in _ASCII if c not in _UNRESERVED + "+%"} | {32: "+"}
_CANONICAL_RAW = {ord(c): f"%{ord(c):02X}" for c in "[]|"}

_path_is_key = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,=:@\[\]|/]*").fullmatch
_field_is_key = re.compile(r"[A-Za-z0-9\-._~+]*").fullmatch
_STRAY = Regex("\0(?=[0-9A-Fa-f]{2})")
_APPENDIX_B = Regex(r"(?:([A-Za-z][A-Za-z0-9+.\-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_NON_ASCII = Regex(r"[^\x00-\x7f]+")


def _respell(text: str, table: dict[str, str], stray: str = "%") -> str:
    """Spell every escape as `table` says; a `%` that starts none becomes `stray`.

    A kept stray `%` becomes `%25` where decoding its neighbours would complete a new escape (`%%36%31` is not
    `%61`): otherwise a second pass would give another result.
    """
    if "%" not in text:
        return text
    head, *tail = text.split("%")
    out = [head]
    lone = False
    for part in tail:
        escape = table.get(part[:2])
        if escape is None:
            lone = True
            out.append("\0" + part)
        else:
            out.append(escape + part[2:])
    joined = "".join(out)
    if not lone:
        return joined
    if stray == "%":
        joined = _STRAY.sub("%25", joined)
    return joined.replace("\0", stray)


def _utf8_escapes(text: str) -> str:
    """Percent-encode what is not ASCII as UTF-8; a lone surrogate by its three octets, so that nothing raises."""
    if text.isascii():
        return text
    return _NON_ASCII.sub(lambda m: "%" + m.group().encode("utf-8", "surrogatepass").hex("%").upper(), text)


def split(text: str) -> Url | None:
    """Parse an absolute URL of a special scheme into its safe parts, or None where the URL Standard refuses it.

    SAFE normalizations happen here (RFC 3986 6.2.2 and 6.2.3, URL Standard): case of scheme and host, IDNA, IPv4 and
    IPv6 forms, default and empty port, dot segments, empty path, backslashes, tabs and newlines, escapes in upper
    case, unreserved octets decoded and nothing else.
    """
    try:
        url = _parse(text)
        host = url.hostname
    except (ValueError, TypeError):
        return _split_odd(text)
    scheme = url.protocol[:-1]
    if scheme not in DEFAULT_PORTS:
        return None
    if not _is_plain(text, host):
        return _split_odd(text)
    # a part is asked for only where the text may have it: each question has its price
    userinfo = ""
    if "@" in text and url.has_credentials():
        password = url.password
        userinfo = f"{url.username}:{password}" if password else url.username
    path = url.pathname
    query = url.search[1:] if "?" in text and url.has_search() else None
    fragment = url.hash[1:] if "#" in text and url.has_hash() else None
    # the URL Standard has escaped ^ in a path since 2024; can_ada 3.0 does not yet
    if "^" in path:
        path = path.replace("^", "%5E")
    # what the parser itself escapes is upper case, and never an unreserved octet
    if "%" in text:
        path = _respell(path, _SAFE_ESCAPES)
        userinfo = _respell(userinfo, _SAFE_ESCAPES)
        if query is not None:
            query = _respell(query, _SAFE_ESCAPES)
        if fragment is not None:
            fragment = _respell(fragment, _SAFE_ESCAPES)
    return Url(scheme, userinfo, host, url.port, path, query, fragment)


def _split_odd(text: str) -> Url | None:
    """The safe parts by the newer parser, asked for hosts that are not plain and for what the other refuses."""
    href = parser.href(text)
    parts = None if href is None else split_text(href)
    if parts is None or parts.scheme not in DEFAULT_PORTS:
        return None
    scheme, userinfo, host, port, path, query, fragment = parts
    return Url(
        scheme,
        _respell(userinfo, _SAFE_ESCAPES),
        host,
        port,
        _respell(path, _SAFE_ESCAPES),
        None if query is None else _respell(query, _SAFE_ESCAPES),
        None if fragment is None else _respell(fragment, _SAFE_ESCAPES),
    )


def split_text(text: str) -> Url | None:
    """The parts of an absolute URL with an authority as they are written (RFC 3986, appendix B), nothing normalized."""
    match = _APPENDIX_B.match(text)
    if match is None or match[1] is None or match[2] is None:
        return None
    scheme, authority, path, query, fragment = match.groups()
    userinfo, _, hostport = authority.rpartition("@")
    host, port = hostport, ""
    if (found := re.search(r":(\d*)\Z", hostport)) is not None:
        host, port = hostport[: found.start()], found[1]
    return Url(scheme, userinfo, host, port, path, query, fragment)


def join(url: Url) -> str:
    """The text of `url`; `split(join(u)) == u` for every `u` that `split` made."""
    scheme, userinfo, host, port, path, query, fragment = url
    text = f"{scheme}://{userinfo}{'@' if userinfo else ''}{host}{':' if port else ''}{port}{path}"
    if query is not None:
        text += "?" + query
    if fragment is not None:
        text += "#" + fragment
    return text


def path_key(path: str) -> str:
    """The key spelling of a path: w3lib's, made idempotent, see docs/concepts/texts.md."""
    if not path:
        return "/"
    if _path_is_key(path) and "/." not in path:
        return path
    path = _utf8_escapes(path).translate(_PATH_RAW)
    semicolon = path.find(";", path.rfind("/") + 1)
    if semicolon >= 0:
        head = path_key(path[:semicolon])
        # an empty parameter list is dropped, as urlparse and urlunparse together do
        return f"{head};{_respell(path[semicolon + 1 :], _PATH_ESCAPES)}" if path[semicolon + 1 :] else head
    path = _respell(path, _PATH_ESCAPES)
    return _resolve_dots(path) if "/." in path and path[0] == "/" else path


def _resolve_dots(path: str) -> str:
    """Resolve dot segments (RFC 3986 5.2.4) in a path that starts with `/`."""
    out: list[str] = []
    segments = path[1:].split("/")
    for segment in segments:
        if segment == "..":
            del out[-1:]
        elif segment != ".":
            out.append(segment)
    if segments[-1] in (".", ".."):
        out.append("")
    return "/" + "/".join(out)


def safe_path(path_in_key: str) -> str:
    """A path that a rule has changed, back in a spelling that is valid to send."""
    return path_in_key.translate(_CANONICAL_RAW)


def text_key(text: str) -> str:
    """The key spelling of a query name or value: escapes normalized, `%20` and space as `+`, `%2B` kept."""
    if _field_is_key(text):
        return text
    return _respell(_utf8_escapes(text).translate(_QUERY_RAW), _QUERY_ESCAPES, "%25")


_query_extra = re.compile(r"[^A-Za-z0-9\-._~+%&=]").findall
_escapes = re.compile("%..").findall
_has_stray = re.compile("%(?![0-9A-Fa-f]{2})").search
_QUERY_CHANGES = {"%" + digits: text for digits, text in _QUERY_ESCAPES.items() if text != "%" + digits}


def query_text_key(query: str) -> str:
    """A query in the key spelling but for its `=`: those after the first of a field are still to be escaped."""
    extra = _query_extra(query)
    if extra:
        if not query.isascii():
            query = _utf8_escapes(query)
        # few characters occur, each often: a replacement apiece beats a table looked up for every character
        for char in set(extra):
            if char in _QUERY_REPLACED:
                query = query.replace(char, _QUERY_REPLACED[char])
    if "%" in query:
        if _has_stray(query):
            return _respell(query, _QUERY_ESCAPES, "%25")
        # every % starts an escape here, so no replacement can find or make another one
        for escape in set(_escapes(query)):
            if escape in _QUERY_CHANGES:
                query = query.replace(escape, _QUERY_CHANGES[escape])
    return query


_QUERY_REPLACED = {chr(code): text for code, text in _QUERY_RAW.items() if chr(code) not in "&="}


def query_items(query: str) -> list[Item]:
    """Split a query at `&` into (name, value) pairs in the key spelling; empty fields are dropped."""
    items = []
    for field in query_text_key(query).split("&"):
        if field:
            name, _, value = field.partition("=")
            items.append((name, value.replace("=", "%3D") if "=" in value else value))
    return items


def items_of(url: str) -> list[Item]:
    """The items of the query of a URL; none where it is none."""
    parts = split(url)
    return query_items(parts.query) if parts is not None and parts.query else []


def sort_items(items: list[Item]) -> list[Item]:
    """Order items by the decoded octets of name and value, as Scrapy does."""
    if len(items) < 2:
        return items
    names = [name for name, _ in items]
    joined = "".join(names)
    if "%" in joined or "+" in joined:
        return sorted(items, key=_octets)
    if len(set(names)) == len(names):
        # text of unreserved characters sorts as its octets do, and no two values are ever compared
        return sorted(items)
    for _, value in items:
        if "%" in value or "+" in value:
            return sorted(items, key=_octets)
    return sorted(items)


def _octets(item: Item) -> tuple[bytes, bytes]:
    return unquote_to_bytes(item[0].replace("+", " ")), unquote_to_bytes(item[1].replace("+", " "))


def decoded(text: str) -> str:
    """What a name, value or path segment in the key spelling says; octets that are not UTF-8 become surrogates."""
    if "%" not in text and "+" not in text:
        return text
    return unquote_to_bytes(text.replace("+", " ")).decode("utf-8", "surrogateescape")


def encoded(text: str) -> str:
    """The key spelling of a decoded name or value; inverse of `decoded`."""
    if _field_is_key(text) and "+" not in text:
        return text
    try:
        octets = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        octets = text.encode("utf-8", "surrogatepass")
    return "".join(chr(o) if o in _UNRESERVED_OCTETS else "+" if o == 32 else f"%{o:02X}" for o in octets)


def decoded_segment(text: str) -> str:
    """What a path segment in the key spelling says (a `+` is a plus sign there)."""
    if "%" not in text:
        return text
    return unquote_to_bytes(text).decode("utf-8", "surrogateescape")


def join_items(items: list[Item]) -> str:
    """Items as query text, always `name=value`."""
    return "&".join([f"{name}={value}" for name, value in items])


def userinfo_key(userinfo: str) -> str:
    """The key spelling of a userinfo: Scrapy decodes it and quotes again."""
    user, colon, password = userinfo.partition(":")
    spell = [_respell(p.translate(_USERINFO_RAW), _USERINFO_ESCAPES, "%25") for p in (user, password)]
    return spell[0] + colon + spell[1]


_USERINFO_RAW = {ord(c): f"%{ord(c):02X}" for c in _ASCII if c not in _UNRESERVED + "!$&'()*+,%"}


def other_canonical(text: str) -> str:
    """The canonical text of a URL that `split` does not take: as the URL Standard writes it, else unchanged."""
    href = parser.href(text)
    return text if href is None else href


def other_key(text: str) -> str:
    """The key of a URL that `split` does not take (RFC 3986, appendix B), by the same path and query rules."""
    text = _utf8_escapes(other_canonical(text))
    match = _APPENDIX_B.match(text)
    scheme, authority, path, query, _ = match.groups() if match else (None, None, text, None, None)
    out = ""
    if scheme:
        out = scheme.lower() + ":"
    if authority is not None:
        userinfo, at, host = authority.rpartition("@")
        out += f"//{userinfo}{at}{host.lower().removesuffix(':')}"
    # a web URL without a host has a root too, as w3lib writes it: `http://` is `http:///`
    if path or authority or (authority is not None and scheme and scheme.lower() in DEFAULT_PORTS):
        out += path_key(path)
    if query:
        items = join_items(sort_items(query_items(query)))
        out += f"?{items}" if items else ""
    return out


def resolve(reference: str, base: str) -> str:
    """A reference resolved as the URL Standard does where it can be, else as RFC 3986 does."""
    joined = parser.join(reference, base)
    if joined is not None:
        return joined
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference
