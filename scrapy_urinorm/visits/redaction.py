"""What must not be written down: passwords, and the values of session and signature parameters.

Equality is evidence and the value a secret, so a value becomes a hash that is salted anew in each crawl. The hash of a
long value has its length and its kinds of characters, so that a rule with a `value` pattern does to it what it does to
the value itself, and one that is learned from it fits the site.
"""

from __future__ import annotations

import functools
import hashlib
import re
import secrets
import struct
from collections.abc import Iterable
from itertools import starmap
from string import ascii_lowercase, ascii_uppercase, digits
from typing import TYPE_CHECKING
from urllib.parse import unquote

from scrapy_urinorm.engine import native
from scrapy_urinorm.engine.texts import scrubbed

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

#: Names whose value admits somebody or identifies a visitor: decoded, lower case, only letters and digits.
SECRET_NAMES = frozenset(
    """
    phpsessid jsessionid aspnetsessionid cfid cftoken cfsid oscsid zenid xtcsid sessid sess s sid sesskey webadminsid
    viewstate sig hmac hashsig auth authkey xauth oauth jwt sso otp pin pwd pass appkey code codeverifier state nonce
    wpnonce csrf xsrf sectok formkey mypostkey logoutkey samlrequest samlresponse relaystate sigalg
    xamzcredential awsaccesskeyid googleaccessid ossaccesskeyid qsignature qak keypairid policy urlprefix hdnts hdnea
    gda verify ncohc oh md5 securelink activation activationkey resetkey resetcode invite invitation email mail ticket
    key apikey xapikey licensekey hash auid uid
    """.split()
)
#: What makes a name secret wherever it stands in it.
_STEMS = re.compile(
    r"token|secret|passw|passphrase|session|signature|apikey|privatekey|accesskey|authkey|credential|csrf|xsrf|oauth"
    r"|onetime|magiclink|sessid|(?:nonce|jwt|hmac)$"
).search
#: Names that may be content as well: their values are masked where they look drawn by lot.
_DOUBTFUL = frozenset(  # a list of names is read, not computed
    "sid s code state policy md5 verify oh pin ticket pass hash invite key uid auid sess".split()
)
#: Names of what is identified by its hash (repositories, content addresses): no secret, and other rules need it.
_ADDRESSES = frozenset(
    """
    h hb hp hpb id id2 c commit rev revision sha sha1 sha256 oid ref refs tree blob parent parents digest checksum
    etag from to old new head base v ver version image img file fid
    """.split()
)
_DRAWN_BY_LOT = re.compile(r"(?=.*\d)[0-9A-Za-z_%+.-]{16,}").fullmatch
#: Values that are secret by their shape, whatever their name: an id of a session as PHP and others make it (26 letters
#: of base 32, 32 hexadecimal digits), a web token (RFC 7519), 24 and more capitals, small letters and digits at random.
_SECRET_SHAPE = re.compile(
    r"[0-9a-f]{32}|[0-9A-F]{32}|(?=(?:\D*\d){4})(?=(?:[^a-v]*[a-v]){4})[0-9a-v]{26}|eyJ[\w-]+\.[\w-]+\.[\w-]*"
    r"|(?=(?:\D*\d){2})(?=(?:[^a-z]*[a-z]){3})(?=(?:[^A-Z]*[A-Z]){3})[0-9A-Za-z]{24,}"
).fullmatch
_LONGEST_NAME = 200
_MOST_ESCAPED = 5
"""How many times a name may be escaped: an address in an address in an address."""
_LONGEST_SHAPE = 512
"""Characters of a value that is looked at; a longer one is no id of a session."""

_ESCAPES = r"%(?:25)*"
# what ends a parameter, and what parts its name from its value: plain, or escaped any number of times
_ends = re.compile(rf"[&;#/?\s]|{_ESCAPES}(?:26|3B|23)", re.IGNORECASE).finditer
_equals = re.compile(rf"=|{_ESCAPES}3D", re.IGNORECASE)
_ends_before_name = re.compile(r"[?&;#/\s:,(]").split
# behind what ends another, which a search finds quicker than a name; each character is looked at twice at the most
_pairs_behind = re.compile(r"[&;#/?\s=]([^&;#/?\s=]++)=([^&;#/?\s]++)").findall
_names_behind = re.compile(r"[&;#/?\s=]([^&;#/?\s=]++)=").findall
_other_than_letters = re.compile(r"[^0-9a-z]")
#: More than the rule `aspnet_session` takes: a short one may be a secret, too.
_ASP_SESSION = re.compile(
    r"/\((?:(?:[AFSX]\([\w.~-]*\))+|(?=[^/]{0,500}\([\w.~-]{24,}\))(?:[AFSXafsx]\([\w.~-]*\))+)\)(?=[/?#]|$)"
)
_REMEMBERED = 4 << 20
"""Characters of URLs whose redaction is remembered: a page is the referer of all that it links to."""
_LONGEST_REMEMBERED = 2_048
_AT_A_LOOK = 256
"""URLs that are looked at together, chosen: the links of a page."""
MIN_SHAPED, MAX_SHAPED = 16, 512
"""Letters and digits of a value whose mask has its shape: sixteen digits still tell 10^16 values apart."""
# a value that is long, or has an equals sign: others are secrets by their name alone
_may_be_secret = re.compile(rf"=(?:[^&;#/?\s=]{{{MIN_SHAPED}}}|[^&;#/?\s=]*=)").search
_SHAPED = re.compile(r"[0-9A-Za-z_.~*+-]+")
_LOWER_HEX, _UPPER_HEX = re.compile(r"[0-9a-f_.~*+-]+"), re.compile(r"[0-9A-F_.~*+-]+")
_ASP_VALUE = re.compile(r"([AFSafs])\(([^()/]+)\)")


_NO, _SECRET, _DRAWN, _ADDRESS = range(4)


def is_secret(name: str, value: str) -> bool:
    """Whether the value of a parameter must not be written down; both as they stand in a URL."""
    kind = _kind(name[-_LONGEST_NAME:])
    if kind == _SECRET:
        return True
    if kind == _ADDRESS or not MIN_SHAPED <= len(value) <= _LONGEST_SHAPE:
        return False
    return (_DRAWN_BY_LOT if kind == _DRAWN else _SECRET_SHAPE)(value) is not None


def is_address(name: str) -> bool:
    """Whether a parameter of this name has the hash of what it asks for, as repositories have it."""
    return _kind(name[-_LONGEST_NAME:]) == _ADDRESS


@functools.lru_cache(8192)
def _kind(text: str) -> int:
    """Return what the name means that stands at the end of a text, before an equals sign."""
    for _ in range(_MOST_ESCAPED):
        if "%" not in text or (decoded := unquote(text, errors="replace")) == text:
            break
        text = decoded
    name = _other_than_letters.sub("", _ends_before_name(text)[-1].lower())
    if name in _DOUBTFUL:
        return _DRAWN
    if name in SECRET_NAMES or _STEMS(name):
        return _SECRET
    return _DRAWN if name.endswith("sid") else _ADDRESS if name in _ADDRESSES else _NO


class Redaction:
    """A function of URL text; one instance is one salt, so equal values stay equal within a crawl.

    It takes a time that is linear in the text.
    """

    def __init__(self, salt: bytes | None = None) -> None:
        self._salt = secrets.token_bytes(16) if salt is None else salt
        self._known: dict[str, str] = {}
        self._room = _REMEMBERED

    def __call__(self, url: str) -> str:
        """Return the URL without userinfo and with every secret value replaced by its mask."""
        known = self._known.get(url)
        if known is not None:
            return known
        before, url = url, scrubbed(url)
        if "=" in url or "%3" in url or "%2" in url:
            url = self._parameters(url)
        if "/(" in url:
            url = _ASP_SESSION.sub(self._asp_session, url)
        if len(before) <= _LONGEST_REMEMBERED:
            self._room -= len(before)
            if self._room < 0:
                self._known.clear()
                self._room = _REMEMBERED
            self._known[before] = url
        return url

    def all(self, urls: list[str]) -> list[str]:
        """Return what each of some URLs becomes; where nothing in them is a secret, as nearly always, in one look."""
        if len(urls) > _AT_A_LOOK:
            # where one of them has a secret, few are looked at one by one
            return [url for at in range(0, len(urls), _AT_A_LOOK) for url in self.all(urls[at : at + _AT_A_LOOK])]
        block = "\n".join(urls)
        if "@" in block or "%" in block or "/(" in block:
            odd = ["@" in url or "%" in url or "/(" in url for url in urls]
            rest = iter(self._plain([url for url, is_odd in zip(urls, odd, strict=True) if not is_odd]))
            return [self(url) if is_odd else next(rest) for url, is_odd in zip(urls, odd, strict=True)]
        return self._plain(urls, block)

    def _plain(self, urls: list[str], block: str | None = None) -> list[str]:
        """What `all` returns for URLs that bear neither userinfo nor escapes nor a session in the path."""
        block = "\n".join(urls) if block is None else block
        names = names_in(block)
        if names is not None and _SECRET not in map(_kind, {name[-_LONGEST_NAME:] for name in names}):
            return urls
        return list(map(self, urls)) if any(starmap(_is_suspicious, set(_pairs(block)))) else urls

    def _parameters(self, url: str) -> str:
        """The URL with the values of secret parameters masked.

        What stands between two ends may have several equals signs, as an address in a value has; the value after each
        goes on to the end. Of `next=token=x=y` it is `x=y` that is masked.
        """
        if len(url) <= _LONGEST_REMEMBERED and "%" not in url and not any(starmap(_is_suspicious, _pairs(url))):
            return url
        first = _equals.search(url)
        if first is None:
            return url
        # nothing before the first name can be one
        begin = max(0, first.start() - _LONGEST_NAME)
        out: list[str] = []
        written = 0
        for end in _ends(url, begin):
            at = _secret_value(url, begin, end.start())
            if at >= 0:
                out += url[written:at], self.masked(url[at : end.start()])
                written = end.start()
            begin = end.end()
        at = _secret_value(url, begin, len(url))
        if at >= 0:
            out += url[written:at], self.masked(url[at:])
            written = len(url)
        return "".join([*out, url[written:]]) if out else url

    def _asp_session(self, match: re.Match[str]) -> str:
        return _ASP_VALUE.sub(lambda value: f"{value[1]}({self.masked(value[2])})", match.group())

    def masked(self, value: str) -> str:
        """Return a salted hash of a value that looks like it: as long, of the same alphabet, the same punctuation.

        Where a value is too short for that to tell it from others, or escaped, its hash is 16 hexadecimal digits.
        """
        if not (_SHAPED.fullmatch(value) and MIN_SHAPED <= sum(map(str.isalnum, value)) <= MAX_SHAPED):
            return self.hashed(value)
        hexadecimal = _LOWER_HEX.fullmatch(value) or _UPPER_HEX.fullmatch(value)
        alphabet = "".join(
            letters[:6] if hexadecimal and letters is not digits else letters
            for letters in (digits, ascii_lowercase, ascii_uppercase)
            if not set(letters).isdisjoint(value)
        )
        key = hashlib.blake2b(value.encode(), key=self._salt).digest()
        # two octets a character: the remainder favours none
        drawn = struct.unpack(f">{len(value)}H", hashlib.shake_128(key).digest(2 * len(value)))
        size = len(alphabet)
        if value.isalnum():
            return "".join([alphabet[number % size] for number in drawn])
        following = iter(drawn)
        return "".join([alphabet[next(following) % size] if c.isalnum() else c for c in value])

    def hashed(self, value: str) -> str:
        """Return the salted hash of a value, 16 hexadecimal digits."""
        return hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8, key=self._salt).hexdigest()


def _pairs(text: str) -> list[tuple[str, str]]:
    """Names and values of some URLs, a line each."""
    return _pairs_behind("\n" + text)


def names_in(text: str) -> Iterable[str] | None:
    """What stands before an equals sign in some URLs, a line each; None where a value may be a secret by itself."""
    return plain_names(text) if native.module is None else native.module.names(text, MIN_SHAPED - 1)


def plain_names(text: str) -> Iterable[str] | None:
    """The same in Python: what the module in C must equal, where it takes a text."""
    return None if _may_be_secret(text) else set(_names_behind("\n" + text))


def _is_suspicious(name: str, value: str) -> bool:
    return "=" in value or is_secret(name, value)


def _secret_value(url: str, begin: int, end: int) -> int:
    """Where the secret value of a part of a URL begins; -1 where it has none."""
    for equals in _equals.finditer(url, begin, end):
        at = equals.end()
        # a longer value has no shape
        if at < end and is_secret(
            url[max(begin, equals.start() - _LONGEST_NAME) : equals.start()],
            url[at : min(end, at + _LONGEST_SHAPE + 1)],
        ):
            return at
        begin = at
    return -1


def redacted(visit: Visit, redact: Redaction) -> Visit:
    """Remove the secrets from a visit that others have recorded, in place; our own has none, and bears its crawl."""
    if visit.crawl is None:
        visit.url = redact(visit.url)
        for name in ("final_url", "canonical", "referer", "key"):
            if (url := getattr(visit, name)) is not None:
                setattr(visit, name, redact(url))
        if visit.redirects:
            visit.redirects = tuple((status, redact(url)) for status, url in visit.redirects)
    return visit
