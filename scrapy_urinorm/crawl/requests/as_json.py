"""Requests as JSON: what JSON does not know is an object with one name, of its kind. Nothing is pickled."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from scrapy.utils.request import request_from_dict

if TYPE_CHECKING:
    from scrapy import Request, Spider

_LONGEST_NUMBER = 4096  # bits; Python refuses to write numbers of 4,300 digits


def to_json(request: Request, spider: Spider) -> dict[str, Any]:
    """A request as a JSON object.

    Raises ValueError for a callback that is no method of the spider, TypeError and RecursionError for what JSON cannot
    say, such as objects of a project's own in `meta`.
    """
    return {name: _plain(value) for name, value in request.to_dict(spider=spider).items()}


def from_json(row: dict[str, Any], spider: Spider) -> Request:
    """The request of `to_json`; raises whatever a row raises that this spider cannot read."""
    return request_from_dict({name: _rich(value) for name, value in row.items()}, spider=spider)


def _plain(value: Any) -> Any:
    kind = type(value)
    if value is None or kind in (bool, float, str) or (kind is int and value.bit_length() <= _LONGEST_NUMBER):
        return value
    if kind is list:
        return [_plain(item) for item in value]
    if kind is bytes:
        return {"bytes": base64.b64encode(value).decode()}
    if kind in (tuple, set, frozenset):
        return {kind.__name__: [_plain(item) for item in value]}
    if kind is dict:
        return {"dict": [[_plain(name), _plain(item)] for name, item in value.items()]}
    raise TypeError(f"{kind} has no place in JSON")


_KINDS = {"tuple": tuple, "set": set, "frozenset": frozenset}


def _rich(value: Any) -> Any:
    if isinstance(value, list):
        return [_rich(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "bytes":
        return base64.b64decode(content)
    if kind == "dict":
        return {_rich(name): _rich(item) for name, item in content}
    return _KINDS[kind](_rich(item) for item in content)
