"""How long a server took for a page, and numbers that say something."""

from __future__ import annotations

import pytest

from scrapy_urinorm.visits.features import page_features
from scrapy_urinorm.visits.made_in import AROUND, MOST, TAIL, without_times


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Powered By <a href='/'>Geeklog</a><br>Created this page in {} seconds", ("0.08", "0.1")),
        ("Processed in {} second(s), {} queries .", ("0.013163 18", "0.021 20")),
        ("Page created in {} seconds with {} queries.", ("0.045 9", "1.045 11")),
        ("[ Generated in {} seconds, {} queries executed ]", ("0.012 9", "0.014 8")),
        ("Time: {}s | Queries: {} | Peak Memory Usage: 2 MiB", ("0.123 10", "0.087 12")),
        ("Parse Time: {} - Number of Queries: {}", ("0.234 120", "0.251 118")),
        ("{} queries in {} seconds.", ("42 0,512", "44 0,498")),
        ("This page took <b>{}</b> seconds and 4 git commands to generate.", ("0.123", "0.0871")),
        ("Page generated in {} s ({} SQL queries in 0.012 s)", ("0.123 15", "0.119 16")),
        ("Page generated in {} ms - Queries: {}", ("123 10", "97 12")),
        ("Page Generation: {} Seconds", ("0.34", "0.33")),
        ("[ Script Execution time: {} ]", ("0.0123", "0.0124")),
        ("Page générée en {} secondes", ("0.12", "0,31")),
    ],
)
def test_a_page_is_the_same_on_the_next_visit(one: str, other: tuple[str, str]) -> None:
    pages = [
        page_features(f"<h1>a page</h1><p>{one.format(*numbers.split())}</p>".encode(), "text/html; charset=utf-8")
        for numbers in other
    ]
    assert pages[0].text_digest == pages[1].text_digest
    assert pages[0].lines == pages[1].lines
    assert pages[0].body_digest != pages[1].body_digest


@pytest.mark.parametrize(
    "text",
    [
        "Finished in 58.31 seconds",
        "Job took 12.44 seconds",
        "test_key passed, executed in 0.45 seconds",
        "Best lap: 1:23.456",
        "version 1.25 s",
        "3.50 s exposure",
        "Downloads: 12",
        "12 replies",
        "12 views of Rome",
        "A room with 2 views",
        "Greatest Hits 12",
        "Hits: 12 of 40",
        "<b>Hits: 12</b>",
        "<b>Views: 12</b>",
        "viewed 12 times",
        "I have read 12 times",
        "The page says 1.25",
        "Page 12.34",
        "released 2026.11.30 in 0.1.25 seconds",
    ],
)
def test_what_a_page_says_stays(text: str) -> None:
    body = f"<p>{text}</p>".encode()
    assert without_times(body) == body


def test_how_long_a_run_took_stands_above_the_foot_of_a_page() -> None:
    """What is found far above the end is what a page is about: of a profiler, say."""
    said = b"<p>Page created in 0.45 seconds</p>"
    assert without_times(said + b" " * (TAIL - 20)) != said + b" " * (TAIL - 20)
    assert without_times(said + b" " * TAIL) == said + b" " * TAIL


def test_the_words_stand_near_the_number() -> None:
    body = b"<p>This page " + b"x" * AROUND + b" 0.45 seconds</p>"
    assert without_times(body) == body


@pytest.mark.parametrize(
    "body",
    [
        b"page in 1.25 s " * 100_000,
        b"1.25 s " * 200_000,
        b"<" * 1_000_000 + b"page in 1.25 s",
    ],
    ids=lambda body: body[:12].decode(),
)
def test_a_page_full_of_beginnings_takes_no_longer(body: bytes) -> None:
    assert len(without_times(body)) >= len(body) - 4 * MOST
