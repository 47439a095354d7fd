"""Learning: visits in, rules with their evidence out."""

from __future__ import annotations

from scrapy_urinorm.learn.files import learn_file, validate_file
from scrapy_urinorm.learn.learner import LearnResult, learn
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.learn.output import to_toml
from scrapy_urinorm.learn.spark import learn_on_spark

__all__ = ["LearnResult", "Options", "learn", "learn_file", "learn_on_spark", "to_toml", "validate_file"]
