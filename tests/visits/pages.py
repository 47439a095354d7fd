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
    model-viewer x_y-z image x-y dd dt font rp ruby audio path use g area amp-img
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
    *(
        "background: url(/x.png)",
        "url(a) url('&quot;b') (url(c",
        "curl(",
        "display: none",
        "data:,x",
        "/x.png 1x, y 2x",
        "true",
    ),
    *(
        "/a/7.glb",
        "/a/7.musicXML",
        "/_next/image?url=%2Fa.jpg&w=9",
        "/_next/image?url=<b>",
        "a&lt;/_next/image?url=b",
        "a today",
        " booked  b&amp;b",
        "row-1 ODD",
        " a\t0",
        "/_next/image?url=",
        "1",
        "x: absolute",
        "/a/7.MP4?x&y=.z",
        "/7/manifest#x",
        "7/Info.json?",
        "a/.png",
        "/.png",
        "b.tif",
        "/a.jpg/x",
        "x.gif glb",
    ),
    *("info.json", "/xKml.Kml", "a.kml", "/ImageProperties.xml", "data:x.png", "?a.mp4", "é.mp4", "/a.mp4&amp;x"),
    *("7", "-1,234.5 %", "1" * 21, "0 0 24 24", "0,0,100,100", "100%", "40px", "number", "RANGE", "icon", "M1 2L3"),
    *("canonical", "x canonical", "CANONICAL", "\u3000canonical\u3000y", "canonicals", "generator", "GENERATOR"),
    *("javascript:void(0)", "é.html", "a:b", "1:2", "./y", "../z", ";p", "text", "TEXT", "hidden"),
    *(
        "Word",
        "WORD",
        "decade",
        "two words",
        "25 Nov 2026",
        "a b://c d e f",
        "&lt;b more words",
        "straße",
        "é è",
        "k\u212a",
    ),
)
NAMES = (
    *("style", "title", "srcset", "poster", "data-original", "data-lazy-src", "data-lazy", "data-srcset", "data-bg"),
    *(
        "data-background",
        "data-video-id",
        "data-videoid",
        "data-youtube-id",
        "data-id",
        "width",
        "viewBox",
        "aria-hidden",
    ),
    *("d", "points", "y", "transform"),
    *(
        "data-manifest",
        "data-lat",
        "class",
        "bgcolor",
        "data-lazy-src",
        "data-public-id",
        "videoid",
        "data-embed",
        "data-x",
        "data-url",
        "data-href",
        "data-full_image",
        "data-x.y",
        "image",
    ),
    *(
        "href",
        "id",
        "src",
        "data-src",
        "alt",
        "data",
        "type",
        "value",
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


NESTED = """
    a b i span em p p p div div section article h1 h2 ul li li dl dt dd table tr td th tbody thead tfoot caption
    colgroup col form button select option optgroup pre textarea title script style iframe
    noscript object svg path g template br img input hr wbr area link meta base nav main details summary dialog search
    hgroup x-y model-viewer canvas label center fieldset math video audio source path use rect area amp-img td
""".split()
EMPTY = frozenset("br img input hr wbr area link meta base col source".split())
SAID = (
    *(
        "a",
        "b c",
        " ",
        "\n",
        "\r\n",
        "&nbsp;",
        "&amp;",
        "&lt;",
        "&eacute;",
        "&copy",
        "&x;",
        "AT&T",
        "a & b",
        "&#65;",
        "&#x20AC;",
    ),
    *(
        "&#150;",
        "&#0;",
        "é\u3000x",
        "\u00a0",
        ">",
        '"',
        "<!-- c -->",
        "<!--[if x]><!-->",
        "<!--<![endif]-->",
        "<!-- a --!> b -->",
        "<?x y?>",
    ),
)
STARTS = ("<!doctype html>", "<!DOCTYPE html PUBLIC 'x'>", "<?xml version='1.0'?>", "", "\n", "<!-- c -->")


def nested(count: int, chance: random.Random) -> Iterator[bytes]:
    """Pages as most are written: elements in each other, few of which are closed elsewhere or not at all."""
    for _ in range(count):
        straight = chance.choice([0.0, 0.02, 0.1])
        parts = chance.choices(STARTS, k=chance.randint(0, 2))
        if chance.random() < 0.7:
            parts += [
                "<html lang=en>",
                chance.choice(["", "\n", "<!-- c -->"]),
                "<head>",
                "<meta charset='utf-8'/>",
                "<title>a &amp; b</title>",
            ]
            parts += [chance.choice(["</head>", "</head>\n", ""]), chance.choice(["<body>", "<body class=x>", ""])]
        tags, said = (chance.choices(some, k=chance.randint(2, 9)) for some in (NESTED, SAID))
        _nest(parts, chance, tags, said, straight, chance.choice([3, 6]))
        parts += chance.choice([["</body></html>"], ["</body>", "\n", "</html>\n"], [], ["</html>", "<!-- c -->"]])
        yield "".join(parts).encode()


def _nest(
    parts: list[str], chance: random.Random, tags: list[str], said: list[str], straight: float, room: int
) -> None:
    for _ in range(chance.choice([0, 1, 1, 2, 3])):
        if chance.random() < 0.4 or not room:
            parts.append(chance.choice(said))
            continue
        tag = chance.choice(tags)
        parts.append(f"<{tag}{_attributes(chance) if chance.random() < 0.2 else ''}{'/' * (chance.random() < 0.1)}>")
        if tag in EMPTY:
            continue
        _nest(parts, chance, tags, said, straight, room - 1)
        if chance.random() >= straight and not (
            tag in ("p", "li", "dt", "dd", "tr", "td", "option") and chance.random() < 0.3
        ):
            parts.append(f"</{tag}>")


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
