"""What must not be written down: passwords, and the values of session and signature parameters.

Equality is evidence and the value a secret, so a value becomes a hash that is salted anew in each crawl. The hash of a
long value has its length and its kinds of characters, so that a rule with a `value` pattern does to it what it does to
the value itself, and one that is learned from it fits the site.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from string import ascii_lowercase, ascii_uppercase, digits

from scrapy_urinorm.rules.path import ASPNET_SESSION

#: Names whose value admits somebody or identifies a visitor, lower case. `sid`, `s` and their like may be content,
#: so their values are only hashed where they look drawn by lot; hashing loses nothing that is needed here.
SECRET_NAMES = frozenset(
    """
    phpsessid jsessionid aspsessionid asp.net_sessionid cfid cftoken cfsid oscsid zenid xtcsid sessionid session_id
    sessid sess_id sess sid s session sessionkey session_key usersession webadminsid viewstate __viewstate
    sig signature hmac hash_sig token access_token refresh_token id_token auth auth_token authtoken auth_key authkey
    api_key apikey apitoken api_token appkey app_key client_secret secret secretkey secret_key password passwd passw
    pwd pass passphrase otp pin jwt sso ssotoken ticket code_verifier code state nonce _wpnonce csrf csrf_token
    csrftoken csrfmiddlewaretoken authenticity_token _token xsrf xsrf_token sectok edittoken formkey form_key
    my_post_key logoutkey oauth_token oauth_signature oauth_verifier oauth_nonce samlrequest samlresponse
    relaystate sigalg x-amz-signature x-amz-credential x-amz-security-token awsaccesskeyid x-goog-signature
    x-goog-credential googleaccessid x-oss-signature x-oss-security-token ossaccesskeyid q-signature q-ak
    x-tos-signature x-obs-signature temp_url_sig key-pair-id policy x-signature urlprefix edge-cache-token hdnts
    hdnea __token__ __gda__ __cld_token__ verify _nc_ohc oh md5 secure_link activation reset_key resetkey invite
    invitation email mail
    """.split()  # noqa: SIM905  a list of names is read, not computed
)
_DOUBTFUL = frozenset(
    "sid s code state policy md5 verify oh pin ticket pass hash invite".split()  # noqa: SIM905
)
_EQUALS = r"(?:=|%(?:25)*3D)"
_VALUE = r"(?:(?!%(?:25)*(?:26|3B|23))[^&;#/?\s])+"
_PARAMETER = re.compile(rf"([A-Za-z_][\w.-]*)({_EQUALS})({_VALUE})", re.IGNORECASE)
# the last letter of an escaped `?` or `;` before a name in an escaped address: `%3Ftoken%3D`
_ESCAPE_BEFORE = re.compile(r"%(?:25)*3$")
_ASP_SESSION = re.compile(ASPNET_SESSION + "(?=[/?#]|$)")
_USERINFO = re.compile(r"(?<=://)[^/?#\s]*@")
_ESCAPED_USERINFO = re.compile(
    r"((?::|%(?:25)*3A)(?://|(?:%(?:25)*2F){2}))(?:(?!%(?:25)*(?:2F|3F|23))[^/?#&\s])*%(?:25)*40", re.IGNORECASE
)
_REMEMBERED = 4096
MIN_SHAPED, MAX_SHAPED = 16, 512
"""Letters and digits of a value whose mask has its shape: sixteen digits still tell 10^16 values apart."""
_SHAPED = re.compile(r"[0-9A-Za-z_.~*+-]+")
_LOWER_HEX, _UPPER_HEX = re.compile(r"[0-9a-f_.~*+-]+"), re.compile(r"[0-9A-F_.~*+-]+")
_ASP_VALUE = re.compile(r"([AFS])\(([^()/]+)\)")
_DRAWN_BY_LOT = re.compile(r"(?=.*\d)[0-9A-Za-z_%+.-]{16,}")


def without_userinfo(url: str) -> str:
    """Return an address without user name and password."""
    return _USERINFO.sub("", url)


class Redaction:
    """A function of URL text; one instance is one salt, so equal values stay equal within a crawl."""

    def __init__(self, salt: bytes | None = None) -> None:
        self._salt = secrets.token_bytes(16) if salt is None else salt
        # a page is the referer of all that it links to
        self._known: dict[str, str] = {}

    def __call__(self, url: str) -> str:
        """Return the URL without userinfo and with every secret value replaced by its mask."""
        known = self._known.get(url)
        if known is not None:
            return known
        before = url
        if "@" in url:
            url = _USERINFO.sub("", url)
        if "40" in url and "%" in url:
            url = _ESCAPED_USERINFO.sub(r"\1", url)
        if "=" in url or "%3" in url or "%2" in url:
            url = _PARAMETER.sub(self._replace, url)
        if "/(" in url:
            url = _ASP_SESSION.sub(self._asp_session, url)
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[before] = url
        return url

    def _replace(self, match: re.Match[str]) -> str:
        name, equals, value = match.groups()
        plain = name.lower()
        if plain[0] in "fb" and _ESCAPE_BEFORE.search(match.string, max(0, match.start() - 12), match.start()):
            plain = plain[1:]
        if plain not in SECRET_NAMES or (plain in _DOUBTFUL and not _DRAWN_BY_LOT.fullmatch(value)):
            # a value may be an address with parameters of its own
            return name + equals + (_PARAMETER.sub(self._replace, value) if "%" in value or "=" in value else value)
        return f"{name}{equals}{self.masked(value)}"

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
        drawn = iter(hashlib.shake_128(key).digest(2 * len(value)))
        # two octets a character: the remainder favours none
        return "".join(alphabet[(next(drawn) << 8 | next(drawn)) % len(alphabet)] if c.isalnum() else c for c in value)

    def hashed(self, value: str) -> str:
        """Return the salted hash of a value, 16 hexadecimal digits."""
        return hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8, key=self._salt).hexdigest()


_VALUE_OF_PAIR = re.compile(r"(?<==)[^&;#]+")


def anonymized(url: str, redaction: Redaction) -> str:
    """Return the URL with every query value and path segment hashed; names, hosts and the structure stay.

    Short numbers and words of up to two letters stay too: they are pages, orders and languages, and rules need them.
    """

    def hide(text: str) -> str:
        return text if len(text) <= 2 or (text.isdigit() and len(text) <= 3) else redaction.hashed(text)[:12]

    head, question, query = url.partition("?")
    query, hash_mark, _fragment = query.partition("#")
    scheme, slashes, rest = head.partition("://")
    host, *segments = rest.split("/")
    hidden = []
    for segment in segments:
        stem, dot, extension = segment.rpartition(".")
        hidden.append(hide(stem) + dot + extension if dot and len(extension) <= 5 else hide(segment))
    query = _VALUE_OF_PAIR.sub(lambda m: hide(m.group()), query)
    return f"{scheme}{slashes}{'/'.join([host, *hidden])}{question}{query}{hash_mark and ''}"
