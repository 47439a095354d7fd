"""Pages through the module in C and the walk, for a build with sanitizers.

`python -m tests.speed.sanitized_pages COUNT SEED`. Each is also given to the module cut and spliced, as no parser
writes it: whatever it then says, it ends nothing.
"""

from __future__ import annotations

import random
import sys

from selectolax.lexbor import LexborHTMLParser

from scrapy_urinorm.engine import native
from scrapy_urinorm.visits.links import stems
from scrapy_urinorm.visits.marks import plain_texts_in, texts_in
from tests.visits import pages


def main(count: int, seed: int) -> None:
    assert native.module is not None
    chance = random.Random(seed)
    taken, before = 0, ""
    for page in pages.pages(count, chance):
        url = chance.choice(pages.ADDRESSES)
        native.module.hash_by(chance.randrange(3))
        taken += pages.taken(page, url)
        pages.taken(b"<p>a b<img src=/x alt=c>d" * chance.choice([1, 100, 300]), url)
        root = LexborHTMLParser(page).root
        html = root.html or "" if root is not None else ""
        for made in (page, *pages.nested(3, chance)):
            native.module.written(made)
            native.module.written(made[: chance.randrange(len(made) + 1)])
        for start in ("", before[chance.randrange(len(before) + 1) :]):
            native.module.page(start + html[: chance.randrange(len(html) + 1)], *stems(url))
            native.module.names(start + html[: chance.randrange(len(html) + 1)], 15)
        before = html
        sought = tuple(page[at : at + 9].lower() for at in range(0, len(page) - 9, 50))[:256]
        assert texts_in(page, sought) == plain_texts_in(page, sought)
    print(f"{count} pages, {taken} taken, {native.module.__file__}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
