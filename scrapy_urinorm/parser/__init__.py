"""The URL Standard's parser: that of ada, and on a Python that it has no wheels for that of Servo.

Both read web URLs alike, but for hosts that only the newest Unicode knows, so that a key does not depend on the Python
that made it.
"""

from __future__ import annotations

try:
    from scrapy_urinorm.parser.ada import PACKAGES, href, is_plain, join, parse
except ImportError:
    from scrapy_urinorm.parser.servo import PACKAGES, href, is_plain, join, parse

__all__ = ["PACKAGES", "href", "is_plain", "join", "parse"]
