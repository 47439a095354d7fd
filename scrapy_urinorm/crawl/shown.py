"""Requests as a log shows them: without user and password."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from scrapy import Request


def printable(url: str) -> str:
    """A URL for a log: without the userinfo."""
    return url if "@" not in urlsplit(url).netloc else url.replace(urlsplit(url).netloc.rpartition("@")[0] + "@", "", 1)


def shown(request: Request) -> str:
    """A request as Scrapy shows it, without the userinfo."""
    try:
        return f"<{request.method} {printable(request.url)}>"
    except ValueError:
        return f"<{request.method} ...>"
