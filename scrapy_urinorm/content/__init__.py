"""What "the same content" means, once: for learning, live rules, validation and reports."""

from __future__ import annotations

from scrapy_urinorm.content.compare import (
    DIFFERENT,
    EXACT,
    FAR_SHARE,
    MIN_WORDS,
    NEAR,
    NEAR_SHARE,
    NOTHING,
    UNKNOWN,
    Content,
    are_apart,
    are_one,
    compare,
    frequent_labels,
    plain_content,
    resemblance,
    soft_labels,
)
from scrapy_urinorm.content.differences import difference
from scrapy_urinorm.content.frame import FRAME_SHARE, Frame
from scrapy_urinorm.content.titles import Titles
from scrapy_urinorm.statuses import PARTLY, is_answer, is_error, is_redirect

__all__ = [
    "DIFFERENT",
    "EXACT",
    "FAR_SHARE",
    "FRAME_SHARE",
    "MIN_WORDS",
    "NEAR",
    "NEAR_SHARE",
    "NOTHING",
    "PARTLY",
    "UNKNOWN",
    "Content",
    "Frame",
    "Titles",
    "are_apart",
    "are_one",
    "compare",
    "difference",
    "frequent_labels",
    "is_answer",
    "is_error",
    "is_redirect",
    "plain_content",
    "resemblance",
    "soft_labels",
]
