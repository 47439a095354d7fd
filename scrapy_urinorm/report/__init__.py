"""Visits and rules in, one self-contained HTML page out."""

from __future__ import annotations

from scrapy_urinorm.report.writing import write_report

__all__ = ["write_report"]
