"""The catalogue of normalizations, a module per URL part; source order is execution order within a stage."""

from __future__ import annotations

from scrapy_urinorm.rules import (
    scheme,
    userinfo,
    port,
    host,
    path,
    query_text,
    query_values,
    query,
    fragment,
    body,
    whole,
)
from scrapy_urinorm.rules.declaration import CATALOGUE, Act, Drops, Rule, Safety, Stage, Verdict, at, rules_at

__all__ = [
    "CATALOGUE",
    "Act",
    "Drops",
    "Rule",
    "Safety",
    "Stage",
    "Verdict",
    "at",
    "body",
    "fragment",
    "host",
    "path",
    "port",
    "query",
    "query_text",
    "query_values",
    "rules_at",
    "scheme",
    "userinfo",
    "whole",
]
