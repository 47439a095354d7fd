"""Requests as a log shows them: without user and password."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_urinorm.engine.texts import scrubbed, without_userinfo

if TYPE_CHECKING:
    from scrapy import Request


def shown(request: Request) -> str:
    """A request as Scrapy shows it, without the userinfo of its URL and of those that its parameters carry."""
    return f"<{request.method} {scrubbed(without_userinfo(request.url))}>"
