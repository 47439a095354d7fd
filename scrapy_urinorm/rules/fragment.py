"""Rules on the fragment."""

from __future__ import annotations

import re

from scrapy_urinorm.regex import Regex
from scrapy_urinorm.rules.declaration import LOSSY, Stage, half, rule
from scrapy_urinorm.rules.kinds import Choice, NameTable
from scrapy_urinorm.url import decoded, text_key


@rule(
    LOSSY,
    "http://a.example/#section",
    "http://a.example/",
    stage=Stage.FRAGMENT,
    kind=Choice(("remove", "keep", "route")),
    value="remove",
    splits=True,
    act={"gone": "remove"},
)
def fragment(fragment: str | None, *, mode: str) -> str | None:
    """Remove the fragment, keep it, or keep it only where it routes (`#!...`, `#/...`).

    A server never sees it (RFC 3986 3.5); pages that a browser renders may depend on it. A text fragment
    (`:~:text=`, WICG Scroll To Text Fragment) is dropped in every mode, and so is an empty fragment. In a fragment
    that is kept, `remove_params` applies to parameters (`#a=1&b=2`) and to a route's query (`#!/path?a=1`).
    """
    if not fragment or mode == "remove":
        return None
    text = fragment.partition(":~:")[0]
    if mode == "route" and text[:1] not in ("!", "/"):
        return None
    return text or None


@half("remove_params", stage=Stage.FRAGMENT, under="fragment")
def fragment_params(fragment: str | None, *, names: NameTable) -> str | None:
    """The part of `remove_params` that concerns a fragment which is kept."""
    match = _WITH_PARAMS.fullmatch(fragment) if fragment else None
    if match is None:
        return fragment
    head, query, params = match.groups()
    fields = (query or params).split("&")
    kept = [field for field in fields if not _removed(field, names)]
    if len(kept) == len(fields):
        return fragment
    if head is None or not kept:
        return head or "&".join(kept) or None
    return f"{head}?{'&'.join(kept)}"


# a route or an anchor with a query, or nothing but parameters; what is left of either has the same shape or none
_WITH_PARAMS = Regex(r"([!/][^?]*|[^!/?=][^?=]*|)\?(.+)|([^!/?=&][^?=&]*=[^&]*(?:&[^!/?=&][^?=&]*=[^&]*)*)", re.DOTALL)


def _removed(field: str, names: NameTable) -> bool:
    name, _, value = field.partition("=")
    return bool(name) and names.removes(decoded(text_key(name)), text_key(value))
