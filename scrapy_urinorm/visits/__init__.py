"""Visits: what a crawl remembers of its responses, written and read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_urinorm.visits.record import COLUMNS, Visit, visit_from_row

if TYPE_CHECKING:
    from scrapy_urinorm.visits.features import PageFeatures, page_features
    from scrapy_urinorm.visits.reader import FORMATS, VisitReader, VisitsError, read_visits
    from scrapy_urinorm.visits.redaction import Redaction
    from scrapy_urinorm.visits.writer import VisitWriter

__all__ = [
    "COLUMNS",
    "FORMATS",
    "PageFeatures",
    "Redaction",
    "Visit",
    "VisitReader",
    "VisitWriter",
    "VisitsError",
    "page_features",
    "read_visits",
    "visit_from_row",
]

_MODULES = {
    "FORMATS": "reader",
    "PageFeatures": "features",
    "Redaction": "redaction",
    "VisitReader": "reader",
    "VisitWriter": "writer",
    "VisitsError": "reader",
    "page_features": "features",
    "read_visits": "reader",
}


def __getattr__(name: str) -> Any:
    """Import what reads HTML or files when it is first asked for."""
    if name not in _MODULES:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
