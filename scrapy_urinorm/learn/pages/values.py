"""Values that will not be there tomorrow, and segments that name a version or a language: neither is a spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

_VOLATILE = re.compile(
    r"""
    (?<![^\W_]) (?:
        [0-9a-f]{16,}                                  # a digest, a session
      | (?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,15}   # an abbreviated commit
      | [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}
      | (?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01]) (?: [T\x20_]\d\d (?::?\d\d){1,2} \S* )?
      | (?:0?[1-9]|[12]\d|3[01])[./-](?:0?[1-9]|1[0-2])[./-](?:19|20)\d\d
      | (?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:T?\d{4,6}Z?)?
      | 1\d{9}(?:\d{3}|\d{6})?                         # seconds, milliseconds or microseconds since 1970
    ) (?![^\W_])
    """,
    re.VERBOSE | re.IGNORECASE,
)
is_number = re.compile("[0-9]{1,1000}").fullmatch
MOST_DIGITS = 9
"""As many as a range in a glob has."""
is_ranged = re.compile(f"[0-9]{{1,{MOST_DIGITS}}}").fullmatch
_TOKEN = re.compile(r"[A-Za-z0-9+/_~-]{20,}={0,2}")
_SESSION = re.compile(r"[0-9]*(?:[a-z]+[0-9]+){3,}[a-z]*", re.IGNORECASE)
LONGEST_RELEASE = 100
"""Characters of a value that may be a version: no tag is longer, and its beginning is sought in each place."""
FEW_VALUES = 20
"""Values among which one version tells what a parameter asks for, or a branch where all others are revisions: as many
as a switch has; of more, half of them are versions."""
_VERSION = re.compile(r"v?\d+(?:[._-]\d+)*(?:[._-]?(?:alpha|beta|rc|dev|x|snapshot)[._-]?\d*)?", re.IGNORECASE)
_RELEASE = re.compile(
    r"(?:(?:[^/]*/)*(?:refs|tags)/(?:[^/]*/)*|[^/]*:)?"
    r"(?:v\d{1,4}|v?(?!0\.\d{3})\d{1,4}(?:\.\d{1,4}){1,2})(?:\.x|[._-]?(?:alpha|beta|rc|dev|snapshot)[._-]?\d*)?",
    re.IGNORECASE,
)
_MOVING = frozenset(("latest", "stable", "current", "master", "main", "dev", "devel", "development", "next", "nightly"))
_BRANCHES = frozenset(("head", "main", "master", "trunk", "tip", "stable", "dev", "devel", "develop", "development"))
"""Revisions that move on: two of them beside a tag, and a parameter asks for one; or one, where all its other values
are few, and tags, hashes and numbers."""
_NEWEST = _MOVING | _BRANCHES | {"default", "newest"}
"""Names of what is newest, which is no longer what a tag, a version or a hash names after the next change."""
_HASH = re.compile("[0-9a-f]{7,64}", re.IGNORECASE)
_TAG = re.compile(r"[A-Za-z][A-Za-z-]{0,40}(?:[._-]\d{1,4}){1,6}")
"""A tag as repositories have them that know no dots in names: `RELEASE_2_1`."""
_IN_FULL = frozenset(
    "english eng german deutsch deu ger french francais français fra fre spanish espanol español esp spa italian"
    " italiano ita portuguese portugues português por russian rus chinese chi zho japanese jpn korean kor dutch"
    " nederlands nld polish polski pol".split()
)
"""Languages in words and three letters as folders name them; chosen: those of the most pages of the web."""
_ASKS_LANGUAGE = re.compile(
    r"(?:(?:set|use|user|new|ui|site|page|wp|content)?[-_]?lang(?:uage|ue)?s?(?:[-_]?(?:id|code))?|l10n|idioma|sprache)",
    re.IGNORECASE,
)
_LANGUAGES = frozenset(
    "ar bg ca cs da de el en es et eu fa fi fr gl he hi hr hu id it ja ko lt lv nb nl pl pt ro ru sk sl sr sv th tr uk"
    " vi zh".split()
)
"""Languages of parameters whose names do not say so; chosen: those of which most pages of the web are."""
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_](?:[a-z]{2}|[a-z]{4}))?", re.IGNORECASE)


#: Characters of a value whose answer is remembered: a longer one hardly comes again.
_REMEMBERED = 1024


def is_volatile(text: str) -> bool:
    """Whether a value (decoded) holds a digest, a date, a time, a session or a token, which tomorrow is another."""
    return _is_volatile(text) if len(text) <= _REMEMBERED else _is_volatile.__wrapped__(text)


@lru_cache(1 << 14)
def _is_volatile(text: str) -> bool:
    return _VOLATILE.search(text) is not None or any(map(_is_token, _TOKEN.findall(text)))


def _is_token(text: str) -> bool:
    """Whether a long word is drawn by chance: letters of both cases and digits change places all the time, or digits
    stand in three places of it and nothing parts it into words.
    """
    kinds = [c.isdigit() + 2 * c.isupper() for c in text if c.isalnum()]
    changes = sum(a != b for a, b in pairwise(kinds))
    return any(k == 1 for k in kinds) and (3 * changes >= len(kinds) or _SESSION.fullmatch(text) is not None)


def names_tree(segment: str) -> bool:
    """Whether a segment may name a version or a language: what stands below it is then another page each time."""
    low = segment.lower()
    return low in _MOVING or low in _IN_FULL or any(form.fullmatch(low) for form in (_VERSION, _LANGUAGE))


def chooses_tree(name: str, values: Iterable[str]) -> bool:
    """Whether a parameter with these values (decoded) asks for a version or a language.

    What is not translated today may be tomorrow, and the newest version is an old one then.
    """
    if name == "L" or _ASKS_LANGUAGE.fullmatch(name):
        # `L=1` is a language of TYPO3
        return True
    different = set(values) - {""}
    releases = sum(map(names_release, different))
    if releases and (len(different) <= FEW_VALUES or 2 * releases >= len(different)):
        return True
    if len(different) > 1 and all(value.lower() in _MOVING for value in different):
        return True
    branches = {value for value in different if value.lower() in _BRANCHES}
    if len(branches) > 1 and any(map(_TAG.fullmatch, different)):
        return True
    if branches and branches != different and len(different) <= FEW_VALUES and _are_revisions(different - branches):
        return True
    languages = {code for value in different if (code := _language(value))}
    return len(languages) > 1 and 2 * len(languages) >= len(different)


def _language(value: str) -> str:
    """Return the language that a value names, empty where it names none."""
    low = value.lower()
    if low in _IN_FULL:
        return low
    code = low[:2]
    return code if code in _LANGUAGES and _LANGUAGE.fullmatch(low) else ""


def names_release(text: str) -> bool:
    """Whether a value (decoded) is a version (`v2.3`, `refs/tags/2.3.1`), the newest of which is old tomorrow."""
    return len(text) <= LONGEST_RELEASE and _RELEASE.fullmatch(text) is not None


def are_newest_and_older(values: Iterable[str]) -> bool:
    """Whether one of these values (decoded) names what is newest and another one a version, a tag or a hash, or a
    number beside a branch: after the next change they are two.
    """
    low = {value.lower() for value in values}
    named = low & _NEWEST
    others = low - named
    if named & _BRANCHES and any(map(is_number, others)):
        return True
    return bool(named) and any(_TAG.fullmatch(one) or _is_hash(one) or names_release(one) for one in others)


def _are_revisions(values: Iterable[str]) -> bool:
    return all(_TAG.fullmatch(one) or _is_hash(one) or is_number(one) or names_release(one) for one in values)


def _is_hash(text: str) -> bool:
    return _HASH.fullmatch(text) is not None and any(map(str.isdecimal, text)) and not text.isdecimal()


def are_numbers(values: Iterable[str]) -> bool:
    """Whether values (decoded) are several numbers, 0 and 1 apart: no spellings of one, as two months are not."""
    numbers = [int(value) if is_number(value) else -1 for value in values]
    return len(set(numbers)) > 1 and -1 not in numbers and max(numbers) > 1


def roots_tree(at: int, segment: str) -> bool:
    """Whether a segment (decoded) at a place of a path may be the root of such a tree; a bare number may be an id, save
    as the first.
    """
    return names_tree(segment) and (at == 0 or not segment.isdecimal())
