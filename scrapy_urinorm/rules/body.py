"""Rules on the request body and headers; they apply only where a site asks for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from scrapy_urinorm.rules.declaration import LOSSY, Stage, rule
from scrapy_urinorm.rules.kinds import Flag, Names, NameTable
from scrapy_urinorm.url import decoded, join_items, query_items, sort_items


@rule(LOSSY, "a=1&__VIEWSTATE=x", "a=1", stage=Stage.BODY, kind=Names(guards=True), value=["__VIEWSTATE"])
def remove_body_params(body: bytes, *, names: NameTable, content_type: str = "") -> bytes:
    """Leave form fields or top-level JSON members out of the body: `__VIEWSTATE`, csrf tokens and the like.

    Bodies that are neither a form nor a JSON object are left alone.
    """
    return _edit(
        body,
        content_type,
        lambda items: [(n, v) for n, v in items if not names.removes(decoded(n), v)],
        lambda data: {
            k: v for k, v in data.items() if not names.removes(k, v if isinstance(v, str) else json.dumps(v), str)
        },
    )


@rule(LOSSY, "b=2&a=1", "a=1&b=2", stage=Stage.BODY, kind=Flag(), value=True)
def sort_body(body: bytes, *, on: bool, content_type: str = "") -> bytes:
    """Sort form fields by name and value, and the members of JSON objects by name."""
    if not on:
        return body
    return _edit(body, content_type, sort_items, lambda data: data, always=True)


@rule(LOSSY, "", "", stage=Stage.HEADERS, kind=Names(), value=["Accept-Language"], scope="site")
def include_headers(*, names: NameTable) -> tuple[str, ...]:
    """Make the named request headers part of the fingerprint: the site answers differently to them."""
    return tuple(entry.name for entry in names.names)


def _edit(
    body: bytes,
    content_type: str,
    form: Callable[[Any], Any],
    members: Callable[[dict[str, Any]], dict[str, Any]],
    always: bool = False,
) -> bytes:
    """The body with its fields edited; byte for byte the same where nothing changed, unless `always`."""
    if not body:
        return body
    if "json" in content_type or (not content_type and body[:1] == b"{"):
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            return body
        if not isinstance(data, dict):
            return body
        kept = members(data)
        if kept == data and not always:
            return body
        return json.dumps(kept, sort_keys=True, separators=(",", ":")).encode("utf-8", "surrogatepass")
    if content_type and "x-www-form-urlencoded" not in content_type:
        return body
    try:
        text = body.decode("ascii")
    except UnicodeDecodeError:
        return body
    items = query_items(text)
    kept = form(items)
    return body if kept == items and not always else join_items(kept).encode()
