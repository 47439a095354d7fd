"""Pages of all that a parser has to straighten out, drawn by lot, and the two ways to read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.engine import native
from scrapy_urinorm.visits.links import stems

markup = pytest.importorskip("scrapy_urinorm.visits.markup", exc_type=ImportError)
lexbor = pytest.importorskip("selectolax.lexbor")

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

ADDRESSES = (
    "http://a.example/d/p?x=1",
    "https://b.example",
    "http://a.example/p#x",
    "data:x",
    "http://é.example/\ud800",
)
TAGS = """
    a b i span p div ul li table tr td th script style noscript template svg math meta base object canvas link br wbr
    img iframe video source embed input area hr xmp noembed noframes plaintext title textarea pre select option form h1
    main html head body frameset frame foreignObject desc mi annotation-xml caption colgroup col button nobr marquee
    image x-y dd dt font rp ruby
""".split()
TEXTS = (
    *(
        "a",
        "b c",
        " ",
        "\n",
        "&nbsp;",
        "&amp;",
        "&lt;p&gt;",
        "é\u3000x",
        "\0",
        "é",
        "\u0085",
        "\u200b",
        '"',
        "'",
        ">",
        "=",
    ),
    *("<!-- c -->", "<!--", "-->", "<?pi x?>", "<![CDATA[x<y]]>", "<!x>", "</", "<", ">", "=", "\ud7ff\U0001f600"),
    *("<script><!--<script></script>--></script>", "<script><!-- x //--></script>", "<style>a<b</style>"),
)
VALUES = (
    *(
        "/x",
        "x/y?z=1",
        "#f",
        "?q=1",
        "//h.example/p",
        "http://a.example/y",
        "mailto:x",
        "HTTPS://B.example/",
        "http:///",
    ),
    *(
        "http:x",
        "a\tb",
        "..\\x",
        " s ",
        "",
        "é",
        "&amp;lt;",
        "a&b",
        '"q"',
        "main",
        "m1",
        "x" * 9000,
        "javascript:void(0)",
    ),
    *("canonical", "x canonical", "CANONICAL", "\u3000canonical\u3000y", "canonicals", "generator", "GENERATOR"),
    *("javascript:void(0)", "é.html", "a:b", "1:2", "./y", "../z", ";p"),
)
NAMES = (
    *(
        "href",
        "id",
        "src",
        "data-src",
        "alt",
        "rel",
        "name",
        "content",
        "class",
        "xlink:href",
        "=x",
        'a"b',
        "HREF",
        "x",
    ),
)


def pages(count: int, chance: random.Random) -> Iterator[bytes]:
    """Pages of up to two hundred tags and texts, some with an octet that is no UTF-8."""
    for _ in range(count):
        tags = chance.choices(TAGS, k=chance.randint(1, 12)) if chance.random() < 0.8 else TAGS
        parts = []
        for _ in range(chance.choice([3, 10, 40, 200])):
            kind = chance.random()
            if kind < 0.35:
                parts.append(f"<{chance.choice(tags)}{_attributes(chance)}{chance.choice(['>', '>', '>', '/>', ' '])}")
            else:
                parts.append(f"</{chance.choice(tags)}>" if kind < 0.6 else chance.choice(TEXTS))
        page = "".join(parts).encode("utf-8", "surrogatepass")
        if chance.random() < 0.1:
            at = chance.randrange(len(page) + 1)
            page = page[:at] + bytes([chance.randrange(256)]) + page[at:]
        yield page


def _attributes(chance: random.Random) -> str:
    texts = []
    for value in chance.choices(VALUES, k=chance.choice([0, 0, 1, 1, 2, 3])):
        quoted = (f'"{value.replace(chr(34), "&quot;")}"', f"'{value.replace(chr(39), '')}'", "x")
        texts.append(f" {chance.choice(NAMES)}={chance.choice(quoted)}")
    return "".join(texts)


def taken(page: bytes, url: str) -> bool:
    """Whether the module in C takes a page; what it then says is what the walk says."""
    compiled = native.module or pytest.skip("needs the C module")
    root = lexbor.LexborHTMLParser(page).root
    if root is None:
        return False
    found = compiled.page(root.html or "", *stems(url))
    if found is not None:
        assert markup.compiled(found, url) == markup.walked(root, url), (page, url)
    return found is not None
