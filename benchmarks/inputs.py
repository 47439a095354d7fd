"""The URLs that are measured: real ones where a folder beside the checkout has them, else the bundled sample."""

from __future__ import annotations

import random
from pathlib import Path

from scrapy import Request

ROOT = Path(__file__).resolve().parents[1]
REAL = ROOT.parent / "shared" / "data" / "urls"
BUNDLED = ROOT / "benchmarks" / "corpus" / "urls.txt"


def read_urls(file: Path | None, limit: int) -> tuple[list[str], str]:
    """At most ``limit`` URLs in random order (always the same), and what they are."""
    if file is not None:
        files, name = [file], str(file)
    elif REAL.is_dir():
        files, name = sorted(REAL.glob("*.txt")), "shared/data/urls"
    else:
        files, name = [BUNDLED], str(BUNDLED.relative_to(ROOT))
    lines = [line for f in files for line in f.read_text("utf-8", "surrogateescape").splitlines() if line]
    random.Random(1).shuffle(lines)
    return lines[:limit], name


def request_urls(urls: list[str]) -> list[str]:
    """URLs as Scrapy requests carry them: what a fingerprinter is asked about."""
    out = []
    for url in urls:
        try:
            out.append(Request(url).url)
        except ValueError:
            continue
    return out


def with_query(urls: list[str]) -> list[str]:
    """The URLs that have a query."""
    return [url for url in urls if "?" in url]


def site_tables(count: int) -> dict[str, dict[str, object]]:
    """``count`` site tables of a few kinds, as a file for many sites has them."""
    return {
        f"site{n}.example.com": {"remove_params": ["sid", f"p{n % 50}"], "trailing_slash": "remove"}
        for n in range(count)
    }
