"""Octets of a page to its text: in the encoding that it declares, and never so that its letters become all alike."""

from __future__ import annotations

import codecs
import re

_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_XML = re.compile(rb"""\s{0,9}<\?xml\s[^>]{0,200}?\bencoding\s{0,9}=\s{0,9}["']([\w.:-]+)""")
#: Codecs of Python that are no encodings of pages: they raise, or take a time that grows with the square.
_NO_ENCODINGS = frozenset({"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})
_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_LABELS = {
    label: codec
    for codec, labels in {
        "big5": "cn-big5 x-x-big5",
        "cp874": "dos-874 iso885911 windows-874",
        "cp932": "windows-31j x-sjis",
        "cp949": "csksc56011987 iso-ir-149 ks_c_5601-1989 ksc_5601 windows-949",
        "cp1250": "x-cp1250",
        "cp1251": "win-1251 x-cp1251",
        "cp1252": "x-cp1252",
        "cp1253": "x-cp1253",
        "cp1254": "iso88599 x-cp1254",
        "cp1255": "x-cp1255",
        "cp1256": "x-cp1256",
        "cp1257": "x-cp1257",
        "cp1258": "x-cp1258",
        "euc_jp": "cseucpkdfmtjapanese x-euc-jp",
        "euc_kr": "cseuckr",
        "gb18030": "csgb2312 gb_2312 gb_2312-80 x-gbk",
        "iso8859-2": "iso88592",
        "iso8859-3": "iso88593",
        "iso8859-4": "iso88594",
        "iso8859-5": "iso88595",
        "iso8859-6": "csiso88596e csiso88596i iso-8859-6-e iso-8859-6-i iso88596",
        "iso8859-7": "iso88597 sun_eu_greek",
        "iso8859-8": "csiso88598e csiso88598i iso-8859-8-e iso-8859-8-i iso88598 logical visual",
        "iso8859-10": "iso885910",
        "iso8859-13": "iso885913",
        "iso8859-14": "iso885914",
        "iso8859-15": "csisolatin9 iso885915",
        "koi8-r": "koi koi8",
        "koi8-u": "koi8-ru",
        "latin-1": "iso88591 x-user-defined",
        "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
        "mac-roman": "csmacintosh mac x-mac-roman",
    }.items()
    for label in labels.split()
}
"""Labels that browsers know (WHATWG Encoding Standard, 4.2) and Python has no codec for; `win-1251` Scrapy knows."""
_WIDER = {
    "big5": "big5hkscs",
    "euc_jp": "euc_jis_2004",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-11": "cp874",
    "shift_jis": "cp932",
    "tis-620": "cp874",
}
"""What browsers take an encoding for: it has more letters, and some other signs. It is asked where Python's own codec
has failed, so that the digest of what that one reads is the same in visits of any version."""
_UNREAD = "\ufffd"
_PAIRED = 1.5
"""High octets a letter from which they are pairs (chosen): an accent that takes the next letter for its half has one,
text of East Asia nearly two."""


def codec_of(body: bytes, content_type: str, encoding: str | None) -> str:
    """Return the codec of a page without a byte order mark: the one given, the one that it declares, or UTF-8."""
    encoding = encoding or _declared(body, content_type) or "utf-8"
    try:
        found = codecs.lookup(_LABELS.get(encoding.lower(), encoding))
    except (LookupError, ValueError):
        return "utf-8"
    is_text = getattr(found, "_is_text_encoding", True) and found.name not in _NO_ENCODINGS
    return found.name if is_text else "utf-8"


def _declared(body: bytes, content_type: str) -> str | None:
    begin = body[:1024]
    found = _CHARSET.search(content_type.encode("latin-1", "replace")) or _CHARSET.search(begin) or _XML.match(begin)
    return found[1].decode() if found else None


def text_in(body: bytes, content_type: str, encoding: str | None) -> str:
    """Return the text of a page; its byte order mark comes before what it declares."""
    for mark, codec in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    codec = codec_of(body, content_type, encoding)
    try:
        return body.decode(codec)
    except UnicodeError:
        return _with_faults(body, _WIDER.get(codec, codec))


def other_than_utf8(body: bytes) -> str | None:
    """Return the text of what was taken for UTF-8 and is something else; None where it is, but for some faults."""
    try:
        body.decode()
    except UnicodeDecodeError:
        text = _with_faults(body, "utf-8")
        return None if _UNREAD in text else text
    return None


def _with_faults(body: bytes, codec: str) -> str:
    """The text of what is not all in this encoding.

    A page that was cut in a letter has a fault or two. Of one in another encoding most letters are faults, and names
    that differ would look the same: it is read as Latin-1, in which each octet is a letter of its own, or as GB 18030,
    whose letters are two of nearly any octets, where two make a letter as in all encodings of East Asia: its words are
    counted by those, and the wrong letter tells a name from another as well as the right one.
    """
    text = body.decode(codec, "replace")
    if 2 * text.count(_UNREAD) <= _wide(text):
        return text
    single = body.decode("latin-1")
    try:
        double = body.decode("gb18030")
    except UnicodeDecodeError:
        return single
    return double if _wide(single) >= _PAIRED * _wide(double) else single


def _wide(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))
