"""The catalogue of normalizations, a module per URL part; source order is execution order."""

from __future__ import annotations

from scrapy_urinorm.rules import (
    scheme,
    userinfo,
    port,
    host,
    path,
    query,
    fragment,
    body,
    whole,
)
from scrapy_urinorm.rules.declaration import CATALOGUE, Rule, Safety

__all__ = [
    "CATALOGUE",
    "Rule",
    "Safety",
    "body",
    "fragment",
    "host",
    "path",
    "port",
    "query",
    "scheme",
    "userinfo",
    "whole",
]
