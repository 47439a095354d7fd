"""Crawls the example website four times and prints what each crawl cost: `make demo`, or `python demo.py --help`."""

from __future__ import annotations

import sys

try:
    from website.demo import main

    import scrapy_urinorm  # noqa: F401  whether it is installed
except ModuleNotFoundError as error:
    sys.exit(
        f"demo.py: this Python ({sys.executable}) has no package {error.name!r}. "
        "Run `make demo` in the repository, or `pip install scrapy-urinorm` here."
    )

if __name__ == "__main__":
    sys.exit(main())
