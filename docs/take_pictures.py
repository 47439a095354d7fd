"""The pictures of a report in the docs, in both themes: `.venv/newest/bin/python docs/take_pictures.py report.html`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parent / "images"
SIZE = {"width": 1100, "height": 862}


def take(report: Path) -> None:
    """Write the head of a report as `report-light.png` and `report-dark.png`."""
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for theme in ("light", "dark"):
            page = browser.new_page(color_scheme=theme, viewport=SIZE)
            page.goto(report.resolve().as_uri())
            page.wait_for_selector("html[data-ready]")
            page.screenshot(path=IMAGES / f"report-{theme}.png")
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]))
