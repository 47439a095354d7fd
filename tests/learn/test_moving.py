"""What is one page today and another tomorrow: the newest season of a series, the day, the issue."""

from __future__ import annotations

import pytest

from scrapy_urinorm.learn.pages.moving import is_alone, moves

YEARS = ["2021", "2022", "2023"]


@pytest.mark.parametrize(
    ("value", "others", "name"),
    [
        ("2023", YEARS, "s"),
        ("2023", ["2022"], "s"),
        ("2023-24", ["2022-23", "2021-22"], "s"),
        ("2023/24", ["2022/23", "2021/22"], "s"),
        ("ws23", ["ss23", "ws22", "ss22"], "s"),
        ("2026-07", ["2026-06", "2026-05"], "s"),
        ("round-4", ["round-3", "round-2", "round-1"], "s"),
        ("4", ["1", "2", "3"], "no"),
        ("48", ["46", "47", "49"], "s"),
        ("48", ["46", "47", "49", "50"], "week"),
        ("1", ["2", "3"], "dow"),
        ("412", ["398"], "season_id"),
        ("quarter-final", ["semi-final", "final"], "round"),
        ("michaelmas", ["hilary"], "term"),
        ("xiv", ["xiii", "xii"], "edition"),
        ("47", ["48", "49", "50", "51", "52"], "w"),
        ("kw47", ["kw45", "kw46", "kw48", "kw49", "kw50"], "w"),
        ("12", [str(n) for n in range(1, 31)], "d"),
        ("3", ["0", "1", "2", "4", "5", "6"], "d"),
        ("1207", ["1190", "1100"], "s"),
        ("tue", ["mon", "wed"], "d"),
        ("Tuesday", ["Monday"], "d"),
        ("apr", [], "month"),
        ("winter", ["spring"], "s"),
        ("1", ["2", "3"], "month"),
        ("2026", ["2027", "2028", "2029", "2025"], "s"),
        ("2027", [], "s"),
        ("original", [], ""),
    ],
)
def test_what_is_newest_or_todays_moves(value: str, others: list[str], name: str) -> None:
    assert moves(value, others, name, 2026)


@pytest.mark.parametrize(
    ("value", "others", "name"),
    [
        ("", YEARS, "season"),
        ("current", YEARS, "season"),
        ("0", ["1", "2", "3"], "day"),
        ("1", ["2", "3"], "page"),
        ("4", ["2", "6", "8"], "portions"),
        ("2", ["1", "3"], "level"),
        ("3", ["1", "2", "4", "5"], "level"),
        ("1", ["2", "3", "4", "5", "6", "7", "8"], "p"),
        ("50", ["10", "20"], "per_page"),
        ("24", ["12", "48", "96"], "show"),
        ("mp4", ["mp3"], "format"),
        ("name", ["date", "size"], "sort"),
        ("fr", ["en", "de"], "s"),
        ("apr", [], "s"),
        ("today", ["mon", "tue"], "d"),
        ("2019", [], "s"),
        ("x" * 30 + "9" * 30, ["8" * 60], "s"),
    ],
)
def test_what_stays_does_not(value: str, others: list[str], name: str) -> None:
    assert not moves(value, others, name, 2026)


def test_a_value_is_alone_among_others_of_another_form() -> None:
    assert is_alone("2023", ["about", "2023", "1-2"])
    assert not is_alone("2023", ["2022"])
    assert is_alone("apr", ["all"])
    assert not is_alone("apr", ["jan"])
    assert is_alone("original", ["amended"])
