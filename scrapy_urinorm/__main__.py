"""`python -m scrapy_urinorm`: the program where no script is installed."""

from __future__ import annotations

import sys

from scrapy_urinorm.cli import main

sys.exit(main())
