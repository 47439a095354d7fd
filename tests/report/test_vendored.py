"""What is in the package and was written by others is what they published: docs/security.md says how to update it."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import scrapy_urinorm.report

ASSETS = Path(scrapy_urinorm.report.__file__).parent / "assets"
#: Chart.js, dist/chart.umd.min.js and LICENSE.md of the release.
VERSION = "4.6.1"
DIGESTS = {
    "chart.umd.min.js": "87364cc2b2a76a6684929e7d6b80b18a897794db38400caff1fcf1791c6925d2",
    "chart.umd.min.js.LICENSE.md": "41a84aa2caba645f966a18d9c2056b73e6d3a81d80bc0046bc0011a2634d4cce",
}


def test_digests() -> None:
    # git may write other ends of lines where it is told to
    found = {name: hashlib.sha256((ASSETS / name).read_bytes().replace(b"\r\n", b"\n")).hexdigest() for name in DIGESTS}
    assert found == DIGESTS


def test_the_file_says_its_version() -> None:
    head = (ASSETS / "chart.umd.min.js").read_text("utf-8")[:300]
    assert re.findall(r"Chart\.js v([\d.]+)", head) == [VERSION]


def test_everything_of_others_is_listed() -> None:
    ours = {"report.js", "report.css", "report.html"}
    assert {path.name for path in ASSETS.iterdir() if path.suffix in {".js", ".css", ".md"}} - ours == DIGESTS.keys()
