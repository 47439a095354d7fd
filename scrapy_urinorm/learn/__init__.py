"""Learning: visits in, rules with their evidence out."""

from __future__ import annotations

from scrapy_urinorm.learn.files import learn_file, validate_file
from scrapy_urinorm.learn.learner import LearnResult, learn
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.learn.output import to_toml

__all__ = ["LearnResult", "Options", "learn", "learn_file", "to_toml", "validate_file"]
