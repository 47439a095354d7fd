"""A rule that raises is told once, with its traceback, and its URL is treated as if there were no rules."""

from __future__ import annotations

import logging

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.engine import steps
from scrapy_urinorm.rules import CATALOGUE


@pytest.mark.parametrize("by", ["C where it is built", "the loop"])
def test_the_first_fault_of_a_rule_is_in_the_log(
    by: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(path: str, *, on: bool) -> str:
        raise LookupError(f"mine {path} {on}")

    (act,) = CATALOGUE["lowercase_path"].acts
    monkeypatch.setitem(
        CATALOGUE, "lowercase_path", CATALOGUE["lowercase_path"]._replace(acts=[act._replace(function=broken)])
    )
    # another test may have asked for this very rule
    monkeypatch.setattr(steps, "_steps_of_word", steps._steps_of)
    normalizer = Normalizer({"rules": {"lowercase_path": True}})
    if by == "the loop":
        normalizer.native = None
    with caplog.at_level(logging.ERROR):
        assert normalizer.key("http://user:secret@a.example/B?b&a") == "http://user:secret@a.example/B?a=&b="
        assert normalizer.normalize("http://a.example/C") == "http://a.example/C"
        assert normalizer.edit("http://a.example/D") == "http://a.example/D"
    assert normalizer.counts["error"] == 3
    (record,) = caplog.records
    assert record.name == "scrapy_urinorm"
    assert "'http://a.example/B?b&a'" in record.getMessage()
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], LookupError)
    assert record.exc_info[2] is not None
