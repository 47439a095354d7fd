"""Many visits made of few: every copy has sites and contents of its own, so that nothing is counted twice.

    python tests/report/replicated.py visits.jsonl.gz 10000000 > many.jsonl

is how the figures of docs/howto/report.md were measured.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from scrapy_urinorm.visits import read_visits

if TYPE_CHECKING:
    from collections.abc import Iterator

START = datetime(2026, 1, 1, tzinfo=UTC)
COPY, TIME = "@COPY@", "@TIME@"


def replicated(paths: list[str], count: int) -> Iterator[str]:
    """Yield `count` lines of JSON, twenty to the second."""
    rows = [_template(json.loads(visit.to_json())) for visit in read_visits(paths)]
    made = 0
    copy = 0
    time = ""
    while made < count:
        copy += 1
        for row in rows:
            if made == count:
                return
            if made % 20 == 0:
                time = (START + timedelta(seconds=made // 20)).isoformat().replace("+00:00", "Z")
            yield row.replace(COPY, f"c{copy}").replace(TIME, time)
            made += 1


def _template(row: dict[str, object]) -> str:
    """A row as JSON with marks for what differs in each copy; `shop.test` becomes `shop.c1.test`."""
    row["time"] = TIME
    for name, value in row.items():
        if name in ("url", "final_url", "key", "referer", "canonical"):
            scheme, slashes, rest = str(value).partition("://")
            host, slash, path = rest.partition("/")
            label, dot, domain = host.rpartition(".")
            row[name] = f"{scheme}{slashes}{label}{dot}{COPY}.{domain}{slash}{path}"
        elif name in ("text_digest", "main_digest", "body_digest"):
            row[name] = f"{COPY}{value}"
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    for line in replicated(sys.argv[1:-1], int(sys.argv[-1])):
        sys.stdout.write(line + "\n")
