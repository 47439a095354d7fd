"""What the status of a response says of its content (RFC 9110, section 15)."""

from __future__ import annotations

PARTLY = (202, 204, 205, 206)
"""Answers that are not the page, or not all of it: accepted, nothing, and a part (RFC 9110, 15.3)."""


def is_answer(status: int | None) -> bool:
    """Whether a response of that status shows a page: Scrapy hands on all of 2xx, and 203 is a proxy's word."""
    return status is None or (200 <= status < 300 and status not in PARTLY)


def is_redirect(status: int | None) -> bool:
    """Whether a response of that status leads elsewhere (RFC 9110, 15.4)."""
    return status is not None and 300 <= status < 400


def is_error(status: int | None) -> bool:
    """Whether a response of that status is an error, of the client or of the server (RFC 9110, 15.5 and 15.6)."""
    return status is not None and status >= 400
