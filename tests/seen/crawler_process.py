"""A crawl reduced to what matters to a seen store; run as a process so that it can be killed.

usage: python crawler_process.py SPEC FOLDER PREFIX FIRST LAST

Walks the pages FIRST to LAST, asks the store about each, writes `new N` when the store says so, and `old N` otherwise.
One unbuffered write per line: what the reader gets, the store had answered.
"""

from __future__ import annotations

import os
import sys
from hashlib import sha1
from pathlib import Path

from scrapy_urinorm.seen import make_store


def fingerprint(page: int) -> bytes:
    return sha1(b"page %d" % page, usedforsecurity=False).digest()


def main() -> None:
    spec, folder, prefix, first, last = sys.argv[1:]
    store = make_store(spec, directory=Path(folder), prefix=prefix, on_lost="wait")
    store.open()
    os.write(1, b"open %d\n" % len(store))
    for page in range(int(first), int(last)):
        os.write(1, b"%s %d\n" % (b"new" if store.add(fingerprint(page)) else b"old", page))
    store.close()
    os.write(1, b"done\n")


if __name__ == "__main__":
    main()
