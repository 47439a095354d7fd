"""What a page hands to its scripts: of a page that they draw in the browser it may be all that tells it from the next.

Only texts count, of two words and more or of one that is no code: numbers, addresses, keys and sessions are often
another on each request.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from scrapy_urinorm.visits.texts import hash_of_all

DATA_CAP = 128 << 10
"""Octets of data that are read of a page, 4 ms, in Chinese 8 ms: what is longer is told by its beginning."""
LONGEST_QUOTING = 400
"""Octets of the longest text with quotes in it; a longer one is JSON, of which each text counts."""
META_CAP = 16 << 10
"""Octets of a page in which its descriptions are sought, chosen: they stand in its head."""
_TYPE = re.compile(rb"\btype\s*=\s*[\"']?application/(?:[\w.+-]*\+)?json\b", re.IGNORECASE)
_ASSIGNED = re.compile(
    rb"\s*+(?:(?:<!--|/\*.{1,40}?\*/|//[^\n]{1,40}\n)\s*+)?+"
    rb"(?:\(\s*+)?+(?:(?:window|self|globalThis)\s*(?:\.\s*\w+|\[\s*[\"']\w+[\"']\s*\])|(?:var|let|const)\s+[\w$]{1,100})"
    rb"\s*+(?:\.push\(|=\s*(?:[{\[]|JSON\.parse\(|\(function))"
    rb"|\s*+\{\s*+__sveltekit_\w{1,40}+\s*+="
)
"""`window.__INITIAL_STATE__ = {...}`, `self.__next_f.push([...])` and the like, as the frameworks write them, and
`var markers = [...]`, as people do, and the block of SvelteKit; other scripts are programs."""
Script = tuple[bytes, int, int]
"""The tag of a script, where its text begins and where it ends."""
_shared = re.compile(rb"window|self|globalThis").search
_TEXT = re.compile(rb'"((?:[^"\\]++|\\.)*+)(?:"|\\?\Z)', re.DOTALL)
"""A text, or all that follows where it does not end: so no octet is looked at twice."""
_WORDS = re.compile(rb"[A-Za-z\x80-\xff][^A-Za-z\x80-\xff\s]*+\s[^A-Za-z\x80-\xff]*+[A-Za-z\x80-\xff]")
_WORD = re.compile(rb'"([A-Z]?(?:[a-z]++|[\xc3-\xdf][\x80-\xbf]|\\{1,2}u0[0-9a-f]{3})++)\\?"(?!\s*+:)')
"""A value of one word, in small letters behind the first one: names in camel case, codes in capitals or with digits are
none, nor is the key of a value."""
_hexadecimal = re.compile(rb"[A-Fa-f]++").fullmatch
SHORTEST_WORD, LONGEST_WORD = 4, 60
"""Octets of a word, chosen: shorter ones are codes, longer ones tokens, or ten letters as JSON may write them."""
_UNSPACED = rb"(?:[\xe3-\xed][\x80-\xbf]{2}|\xe0[\xb8-\xbb][\x80-\xbf]|\\{1,2}u(?:[3-9a-c][0-9a-f]{3}|d[0-7]..|0e..))"
"""A letter of Chinese, Japanese, Korean or Thai, which are written without spaces between words."""
_unspaced = re.compile(_UNSPACED + rb"{2}").search
_long_unspaced = re.compile(_UNSPACED + rb"{8}").search
"""So many such letters make a text also where it has digits: a date with the name of its day is shorter; chosen."""
_ESCAPE = re.compile(rb"\\u[0-9a-f]{4}")
_ASKED = re.compile(rb"href=(\\*+[\"'][^\"'\s<>?]*+)\?((?:[^\"'\s<>#\\]|\\++(?![\"'\\]))*+)")
"""A link in markup that stands in a text, with what it asks for: a quote ends it, and no octet is looked at twice."""
_AND = re.compile(rb"(?:&|(?<!\\)\\++u0026)(?:amp;)?")
_thing = re.compile(
    rb"[^=]*+|(?!next|back|from|ref|ret|redir|goto)[^=]++="
    rb"(?:(?!1[5-9][0-9]{8}(?:[0-9]{3})?\Z)[0-9]{1,20}|[^=]*\.(?!(?:html?|php|aspx?|jsp)\Z)[a-z][a-z0-9]{1,4}"
    rb"|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
    re.IGNORECASE,
).fullmatch
"""What names a thing, as in offers.py: with a link to another picture or file a page is another. A word that the page's
own address has is a setting of the visit, which goes along in all links: those in Fava's headings have
`conversion=at_cost`."""
_digit = re.compile(rb"[0-9]").search
_DATE = re.compile(
    rb"(?:\d{1,2}\.? )?(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
    rb"\.?,? [A-Za-z]{0,9}\.?,? ?\d.{0,40}",
    re.DOTALL,
)
"""When the page was made: `Wed, 25 Nov 2026 22:13`."""
QUOTE = re.compile(rb"&(?:quot|#x22|[#]34);")
_META = re.compile(rb"<meta\b([^<]*+)", re.IGNORECASE)
_described = re.compile(rb"=\s*+[\"']?(?:description|og:title|og:description)[\"'\s]", re.IGNORECASE).search
_content = re.compile(rb"\bcontent\s*+=\s*+(?:\"([^\"]++)|'([^']++))", re.IGNORECASE).search


def hash_of_data(markup: bytes, found: list[Script], valued: list[bytes], *, bare: bool, url: str = "") -> int:
    """Return a 64-bit hash of the texts in the data of a page (UTF-8), whatever their order; 0 where it has none.

    `found` and `valued` are its `scripts` and `values`. A `bare` page has hardly a word: what its head says of it is
    data, too, and what its address asks for may be drawn. Of others what `url` asks for counts as little in the links
    of markup that stands in a text as in the page's own links.
    """
    texts: set[bytes] = set()
    asked = frozenset() if bare else _items(url)
    for block in _blocks(markup, found):
        told = _unasked(block, asked)
        texts.update(_texts(told), _single_words(told))
    for value in valued:
        told = _unasked(QUOTE.sub(b'"', value), asked)
        if value[:1] in (b"{", b"["):
            # single words are settings of a widget here
            texts.update(_texts(told))
        elif b"://" not in value and _is_told(value, unspaced=True):
            texts.add(told)
    if bare:
        texts.update(_descriptions(markup[:META_CAP]))
    return hash_of_all(texts) if texts else 0


def _items(url: str) -> frozenset[bytes]:
    """The items of the query of an address, percent-decoded."""
    query = url.partition("#")[0].partition("?")[2].encode("utf-8", "replace")
    return frozenset(map(_decoded, query.split(b"&"))) - {b""}


def _decoded(item: bytes) -> bytes:
    return unquote_to_bytes(item.replace(b"+", b" "))


def _unasked(block: bytes, asked: frozenset[bytes]) -> bytes:
    """Data without those items in links of markup that the address of the page has as well."""
    if not asked or b"href=" not in block:
        return block
    return _ASKED.sub(lambda link: _without(asked, link), block)


def _without(asked: frozenset[bytes], link: re.Match[bytes]) -> bytes:
    items = [item for item in _AND.split(link[2]) if item]
    left = [item for item in items if _thing(item) is not None or _decoded(item) not in asked]
    return b"href=" + link[1] + b"?" * bool(left) + b"&".join(left)


def _texts(block: bytes) -> list[bytes]:
    """The texts of JSON that are more than one word, and those in a text of it that is JSON again."""
    found = _TEXT.findall(block)
    if b'\\"' in block:
        found += _TEXT.findall(block.replace(b'\\"', b'"'))
    unspaced = not (block.isascii() and b"\\u" not in block) and _unspaced(block) is not None
    return [
        text
        for text in found
        if (unspaced or b" " in text)
        and not (b'\\"' in text and len(text) > LONGEST_QUOTING)
        and _is_told(text, unspaced=unspaced)
    ]


def _single_words(block: bytes) -> list[bytes]:
    words = set(_WORD.findall(block))
    return [one for one in words if SHORTEST_WORD <= len(one) <= LONGEST_WORD and _hexadecimal(one) is None]


def _is_told(text: bytes, *, unspaced: bool) -> bool:
    if b" " in text and _WORDS.search(text) is not None:
        return _DATE.fullmatch(text) is None
    if not unspaced or _unspaced(text) is None:
        return False
    plain = _ESCAPE.sub(b"", text) if b"\\u" in text else text
    return _digit(plain) is None or _long_unspaced(text) is not None


def _descriptions(head: bytes) -> list[bytes]:
    """What a page says of itself to search engines and to those who share it."""
    told = [_content(attributes) for attributes in _META.findall(head) if _described(attributes) is not None]
    return [said[1] or said[2] for said in told if said is not None]


def _blocks(markup: bytes, found: list[Script]) -> list[bytes]:
    """The data in the scripts of a page."""
    blocks: list[bytes] = []
    room = DATA_CAP
    for head, begin, end in found:
        if room > 0 and (_TYPE.search(head) is not None or _ASSIGNED.match(markup, begin, end) is not None):
            block = markup[begin : min(end, begin + room)]
            room -= len(block)
            # Angular writes its quotes so
            blocks.append(block.replace(b"&q;", b'"') if b"&q;" in block else block)
    return blocks


def scripts(markup: bytes) -> Iterator[Script]:
    """Yield the tags of scripts, each with where its text begins and ends."""
    at = markup.find(b"<script")
    while at >= 0:
        begin = markup.find(b">", at)
        end = markup.find(b"</script", begin)
        if begin < 0 or end < 0:
            break
        yield markup[at : min(begin, at + 1024)], begin + 1, end
        at = markup.find(b"<script", end)


def is_state(head: bytes, block: bytes) -> bool:
    """Whether a script is what a framework hands to its programs: they draw all that they show, and more than that."""
    assigned = _ASSIGNED.match(block)
    return _TYPE.search(head) is not None or (assigned is not None and _shared(assigned[0]) is not None)
