"""A website that means harm: `python -m tests.crawl.hostile_site SEED`; it writes its port, and ends with its input.

Page N links to 2N+1 and 2N+2, so that every number is reached, to itself under other names (cycles), and is otherwise
what `tests.visits.hostile` makes of it, up to 4 MB; some of it compressed, some a bomb.
"""

from __future__ import annotations

import gzip
import random
import sys

from tests.serving import Answer, Serving
from tests.visits.hostile import KINDS, hostile_page

#: Of most pages, of one in twenty, and what a compressed page of a few kilobytes unpacks to.
USUAL, LARGE, BOMB = 100_000, 3_900_000, 64 << 20
SESSION = "0123456789abcdef0123456789abcdef"


def answer(target: str) -> Answer:
    number = int("0" + "".join(filter(str.isdigit, target.partition("?")[0][:20])))
    chance = random.Random(number)
    links = f"<a href='/{2 * number + 1}'>l</a><a href='/{2 * number + 2}'>r</a>"
    cycle = f"<a href='/{number}/{'a/' * (number % 7)}?PHPSESSID={SESSION}&n={'x' * (number % 3000)}'>c</a>"
    kind = chance.choice([*KINDS, "bomb", "moved", "header"])
    headers = {}
    status = 200
    body = f"<title>{number}</title>{links}{cycle}".encode()
    if kind == "bomb":
        headers["Content-Encoding"] = "gzip"
        body = gzip.compress(body + b"<div>" * (BOMB // 5), 9) if number % 5 == 0 else gzip.compress(body * 3000)
    elif kind == "moved" and "?" not in target:
        status = 302
        headers["Location"] = f"/{number}?" + "a=" * chance.randrange(8000)
    elif kind == "header":
        headers["Link"] = f"<http://a.example/?{'s=s&' * 4000}>; rel=canonical"
        headers["No-Vary-Search"] = "params=(" + '"a" ' * 6000 + ")"
    elif kind in KINDS:
        body += hostile_page(kind, LARGE if chance.random() < 0.05 else chance.randrange(USUAL))
    return status, headers, body


if __name__ == "__main__":
    with Serving(answer) as server:
        print(server.server_port, flush=True)
        sys.stdin.read()
