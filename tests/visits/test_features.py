"""What two pages must share to count as one text, and what must keep them apart."""

from __future__ import annotations

import encodings.aliases
import hashlib
import random
import tracemalloc
from array import array
from struct import unpack
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm.content.compare import BINS, EMPTY
from scrapy_urinorm.content.frame import TITLE_SLOT
from scrapy_urinorm.engine import native
from scrapy_urinorm.visits.features import PageFeatures, page_features
from scrapy_urinorm.visits.markup import LINE_CAP
from scrapy_urinorm.visits.texts import SIFT, minhash, plain_text

HTML = "text/html; charset=utf-8"


def features(html: str) -> PageFeatures:
    return page_features(html.encode(), HTML, None, "http://a.example/x/y")


def texts(page: PageFeatures) -> list[int]:
    assert page.lines is not None
    return list(unpack(f"<{len(page.lines) // 8}Q", page.lines))[1::2]


def slots(page: PageFeatures) -> list[int]:
    assert page.lines is not None
    return list(unpack(f"<{len(page.lines) // 8}Q", page.lines))[0::2]


SAME_TEXT = [
    pytest.param("<p>a b</p>", "<p>a\n  b </p>", id="white space is not text"),
    pytest.param("<p>a <b>b</b></p>", "<p>a b</p>", id="inline markup does not break a line"),
    pytest.param("<p>a</p><script>x=1</script>", "<p>a</p><script>x=2</script>", id="scripts are not seen"),
    pytest.param("<p>a</p><style>b{}</style>", "<p>a</p>", id="styles are not seen"),
    pytest.param("<p>a</p><template><p>t</template>", "<p>a</p>", id="templates are not seen"),
    pytest.param("<p>a</p><!-- 1 -->", "<p>a</p><!-- 2 -->", id="comments are not seen"),
    pytest.param("<p>a</p><input type=hidden value='a b token'>", "<p>a</p>", id="hidden fields are not seen"),
    pytest.param("<p>a</p><input value=dGhpcyBpcy4>", "<p>a</p><input value=deadbeef>", id="tokens in fields"),
    pytest.param("<p>a</p><input value='25 Nov 2026'>", "<p>a</p>", id="dates in fields"),
    pytest.param("<p>a</p><input value='http://a.example/ b'>", "<p>a</p>", id="addresses in fields"),
    pytest.param("<p>a</p><svg><title>t</title></svg>", "<p>a</p><svg><desc>d</desc></svg>", id="tips of drawings"),
    pytest.param("<p class=x1>a</p>", "<p class=x2>a</p>", id="attributes are not text"),
    pytest.param("<p>a&amp;b</p>", "<p>a&#38;b</p>", id="character references"),
]
OTHER_TEXT = [
    pytest.param("<p>a b</p>", "<p>ab</p>", id="a word boundary"),
    pytest.param("<p>a</p><p>b</p>", "<p>a b</p>", id="a block boundary"),
    pytest.param("<p>a<br>b</p>", "<p>a b</p>", id="a line break"),
    pytest.param("<img src=1.png><p>x</p>", "<img src=2.png><p>x</p>", id="another picture"),
    pytest.param("<iframe src=/v/1></iframe>", "<iframe src=/v/2></iframe>", id="another player"),
    pytest.param("<object data=/1.pdf></object>", "<object data=/2.pdf></object>", id="another object"),
    pytest.param("<frameset><frame src=/1>", "<frameset><frame src=/2>", id="another frame"),
    pytest.param("<input readonly value='A Bell'>", "<input readonly value='B Bell'>", id="a name in a field"),
    pytest.param("<input type=text value=Bell>", "<input type=text value=Ball>", id="a word in a field"),
    pytest.param("<svg><text>a</text></svg>", "<svg><text>b</text></svg>", id="a text in a drawing"),
    pytest.param("<math><mi>a</mi></math>", "<math><mi>b</mi></math>", id="a formula"),
    pytest.param(
        "<x-y><template shadowrootmode=open><p>a</template></x-y>",
        "<x-y><template shadowrootmode=open><p>b</template></x-y>",
        id="a part in a shadow",
    ),
    pytest.param("<p>" + "x<br>" * 600 + "a</p>", "<p>" + "x<br>" * 600 + "b</p>", id="beyond the cap"),
]


def test_a_shadow_is_a_part_of_the_page_and_a_template_in_it_is_none() -> None:
    """What a browser keeps for later stays unseen, be it in a shadow or around one that is not ended."""
    shown = "<x-y><TEMPLATE shadowrootmode=open><h1>a</h1><template><h2>t</h2></template><p>b</template></x-y>c"
    assert features(shown).words == 3
    assert features("</template>a<template shadowrootmode=open>b").words == 2


@pytest.mark.parametrize(("one", "other"), SAME_TEXT)
def test_same_lines(one: str, other: str) -> None:
    assert texts(features(one)) == texts(features(other))
    assert features(one).text_digest == features(other).text_digest


@pytest.mark.parametrize(("one", "other"), OTHER_TEXT)
def test_other_lines(one: str, other: str) -> None:
    assert texts(features(one)) != texts(features(other))


def test_a_slot_is_counted_from_the_nearest_named_element() -> None:
    plain = features("<body><div id=main><p>a</p><p>b</p></div></body>")
    moved = features("<body><div>banner</div><div id=main><p>a</p><p>b</p></div></body>")
    assert slots(plain) == slots(moved)[1:]
    assert len(set(slots(plain))) == 2


def test_an_id_with_digits_names_no_slot() -> None:
    assert slots(features("<ul><li id=c1>a</ul>")) == slots(features("<ul><li id=c2>a</ul>"))


def test_long_pages_are_capped_and_end_in_one_line_for_the_rest() -> None:
    page = features("<p>" + "x<br>" * 2000)
    assert len(texts(page)) == LINE_CAP
    assert slots(page)[-1] == 0
    assert page.line_words is not None
    assert len(page.line_words) == LINE_CAP


@pytest.mark.parametrize(
    ("head", "canonical"),
    [
        ('<link rel="canonical" href="/c?a=1&amp;b=2">', "http://a.example/c?a=1&b=2"),
        ('<link rel="CANONICAL nofollow" href="z">', "http://a.example/x/z"),
        ('<link rel="stylesheet" href="/c">', None),
        ('<link rel="canonical">', None),
        ('<link rel="canonical" href="http://[">', None),
    ],
)
def test_canonical(head: str, canonical: str | None) -> None:
    assert features(f"<html><head>{head}</head><body>x</body></html>").canonical == canonical


def test_encodings_of_one_text_are_one_text() -> None:
    text = "<p>prix élevé à Paris</p>"
    utf8 = page_features(text.encode(), HTML)
    for body, content_type, encoding in (
        (text.encode("latin-1"), "text/html; charset=iso-8859-1", None),
        (text.encode("latin-1"), "text/html", "latin-1"),
        (b"<meta charset=iso-8859-1>" + text.encode("latin-1"), "text/html", None),
        (b"\xff\xfe" + text.encode("utf-16-le"), "text/html", None),
    ):
        assert page_features(body, content_type, encoding).text_digest == utf8.text_digest


UNDECLARED = [
    pytest.param("имена", "cp1251", "", id="none declared"),
    pytest.param("имена", "koi8-r", "; charset=utf-8", id="another than the declared one"),
    pytest.param("имена", "cp1251", "; charset=x-nobody", id="one that there is not"),
]


@pytest.mark.parametrize("kind", ["text/html", "text/plain"])
@pytest.mark.parametrize(("name", "codec", "charset"), UNDECLARED)
def test_names_in_other_encodings_are_no_names_alike(name: str, codec: str, charset: str, kind: str) -> None:
    one, other = (page_features(f"<h1>{text}</h1>".encode(codec), kind + charset) for text in (name, name[::-1]))
    assert one.text_digest != other.text_digest


@pytest.mark.parametrize(
    ("text", "codec", "words"),
    [
        ("新闻网站文章", "gbk", 3),
        ("東京の話です。", "euc_jp", 3),
        ("東京の話です。", "shift_jis", 4),
        ("élève élu", "latin-1", 2),
        ("имена их всех", "cp1251", 3),
    ],
)
def test_words_in_an_encoding_that_is_not_declared(text: str, codec: str, words: int) -> None:
    assert page_features(f"<p>{text}</p>".encode(codec), "text/html").words == words


def test_a_letter_that_was_cut_makes_no_other_encoding_of_a_page() -> None:
    whole, cut = "<p>prix élevé à Paris</p>".encode(), "<h1>é".encode()[:-1]
    assert texts(page_features(whole + cut, HTML))[0] == texts(page_features(whole, HTML))[0]


LABELS = {"iso-8859-8-i": "iso8859-8", "x-cp1251": "cp1251", "windows-949": "cp949", "X-GBK": "gbk"}


@pytest.mark.parametrize("label", LABELS)
def test_labels_that_only_browsers_know(label: str) -> None:
    text = {"iso8859-8": "<p>שלום", "cp1251": "<p>имена", "cp949": "<p>이름", "gbk": "<p>囧"}[LABELS[label]]
    page = page_features(text.encode(LABELS[label]), f"text/html; charset={label}")
    assert page.text_digest == features(text).text_digest


WIDER = {"gb2312": "囧囧", "euc-kr": "뷁", "shift_jis": "①②", "euc-jp": "①②", "big5": "囧煊"}


@pytest.mark.parametrize("label", WIDER)
def test_letters_that_browsers_have_more_of_in_an_encoding(label: str) -> None:
    wider = {"gb2312": "gb18030", "euc-kr": "cp949", "shift_jis": "cp932", "euc-jp": "euc_jis_2004"}
    body = f"<p>{WIDER[label]}".encode(wider.get(label, "big5hkscs"))
    assert page_features(body, f"text/html; charset={label}").text_digest == features(f"<p>{WIDER[label]}").text_digest


def test_an_encoding_that_xml_declares() -> None:
    head = '<?xml version="1.0" encoding="Shift_JIS"?>'
    page = page_features(f"{head}<p>名前".encode("shift_jis"), "application/xhtml+xml")
    assert page.text_digest == features("<p>名前").text_digest


def test_what_is_not_text_has_only_a_body_digest() -> None:
    assert page_features(b"%PDF-1.7", "application/pdf") == PageFeatures("sha1:XL3MDI73EXYK6WVLXQZKVBA6E7FQEUBA")
    assert page_features(b"", "text/html").words is None


DEEP = {
    "blocks": "<div>" * 1100,
    "formatting that is never closed": "<font><b>" * 600,
    "a drawing": "<svg>" + "<g>" * 1100 + "<text>",
}


@pytest.mark.parametrize("tags", DEEP.values(), ids=DEEP)
def test_a_page_that_is_nested_too_deeply_to_be_read_has_no_text_but_its_links(tags: str) -> None:
    """Pages may differ there alone, so what comes before must not stand for them."""
    one, other = (
        page_features(
            f"<p>a frame of both</p>{tags}{text}<a href=/p>b</a>".encode(), "text/html", url="http://a.example/"
        )
        for text in ("one", "other")
    )
    assert one.body_digest != other.body_digest
    assert one._replace(body_digest="") == PageFeatures("", links=["http://a.example/p"])
    assert one[1:] == other[1:]


def test_plain_text_has_words_and_no_lines() -> None:
    page = page_features(b"one two\nthree", "text/plain")
    assert (page.words, page.lines) == (3, None)


@pytest.mark.parametrize(
    "name",
    sorted(
        {*encodings.aliases.aliases, *encodings.aliases.aliases.values(), "undefined", "idna", "punycode", "\u212a"}
    ),
)
def test_every_name_of_a_codec(name: str) -> None:
    """A header may name any; two raise on all."""
    assert page_features(b"<p>a\xff\xfe-b" * 200, f"text/html; charset={name}", None, "http://a.example/").words


@pytest.mark.parametrize("name", ["idna", "punycode", "undefined", "utf-7", "unicode_escape"])
def test_a_codec_reads_a_large_page(name: str) -> None:
    """Two took a time that grows with the square of the page."""
    assert page_features(b"<p>a\xff\xfe-b" * 20_000, f"text/html; charset={name}", None, "http://a.example/").words


@given(st.binary(max_size=300), st.sampled_from(["text/html", "text/plain", "", "image/png", "text/html; charset=x"]))
def test_total(body: bytes, content_type: str) -> None:
    page_features(body, content_type)


def similarity(one: bytes, other: bytes) -> float:
    a, b = unpack(f"<{BINS}I", one), unpack(f"<{BINS}I", other)
    filled = [(x, y) for x, y in zip(a, b, strict=True) if not x == y == EMPTY]
    return float(sum(x == y for x, y in filled) / len(filled))


def test_minhash_estimates_the_resemblance() -> None:
    words = [f"w{i}" for i in range(3000)]
    assert similarity(minhash(words), minhash(words)) == 1
    assert similarity(minhash(words), minhash([f"v{i}" for i in range(3000)])) < 0.1
    assert similarity(minhash(words), minhash(words[:1500])) == pytest.approx(0.5, abs=0.25)


def test_minhash_of_a_text_does_not_depend_on_the_process() -> None:
    """Visits of several runs are compared, so the hash of a tuple must stay what it is."""
    assert minhash(["a", "b", "c", "d", "e", "f", "g"]).hex() == PINNED
    assert minhash([]) == b"\xff" * 128


@given(
    st.integers(0, 2**32),
    # few words make few different shingles, of which some bins have none: then all are looked at after all
    st.sampled_from([2, 5, 5_000]),
    st.sampled_from([0, 3, SIFT - 1, SIFT, SIFT + 3, SIFT + 4, 3 * SIFT, 5_000]),
)
def test_minhash_sifting_changes_nothing(seed: int, different: int, length: int) -> None:
    """Of a long text only the lowest hashes are sorted; the minima are those of all."""
    lot = random.Random(seed)
    words = [f"w{lot.randrange(different)}" for _ in range(length)]
    sifted = minhash(words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scrapy_urinorm.visits.texts.SIFT", length + 1)
        assert minhash(words) == sifted


@given(st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), min_size=4, max_size=600))
def test_a_text_repeated_has_the_minima_of_its_shingles_or_lower_ones(words: list[str]) -> None:
    once, twice = unpack("<32I", minhash(words)), unpack("<32I", minhash(words + words))
    assert all(b <= a for a, b in zip(once, twice, strict=True))


WORDS = {
    "東京": 1,
    "東京の話です": 3,
    "新闻网_新闻": 3,
    "iPhone手机价格": 2,
    "価格、二人。": 2,
    "2026年11月26日": 3,
    "ﾃﾞｰﾀ": 2,
    "𠮷野家": 2,
    "ประเทศไทย": 3,
    "ภาษาไทย ภาษาลาว": 4,
    "ភាសាខ្មែរ": 3,
    "한국어 위키백과": 2,
    "prix élevé": 2,
    "…": 1,
}


@pytest.mark.parametrize("text", WORDS)
def test_words_are_counted_where_no_spaces_are(text: str) -> None:
    assert plain_text([text], b"\1").words == WORDS[text]
    assert plain_text([text], b"\1").counts == bytes([WORDS[text]])


def test_a_letter_more_leaves_a_text_without_spaces_what_it_was() -> None:
    lot = random.Random(7)
    clauses = ["".join(chr(lot.randrange(0x4E00, 0x9FA5)) for _ in range(12)) for _ in range(100)]
    text, more, other = "，".join(clauses), "，".join([f"又{clauses[0]}", *clauses[1:]]), "，".join(clauses[50:])
    sketches = [plain_text([one], b"\1").minhash for one in (text, more, other)]
    assert similarity(sketches[0], sketches[1]) > 0.9
    assert similarity(sketches[0], sketches[2]) == pytest.approx(0.5, abs=0.25)


SCRIPTS = "a話あﾃ한ทລབမក，1é"
SPACES = "".join(map(chr, filter(lambda n: chr(n).isspace(), range(0x3001))))
TEXTS = {
    "empty": [""],
    "one word": ["a"],
    "three words": ["a b c"],
    "four words": ["a b", "c d"],
    "spaces only": [" \n\t"],
    "as it is": ["a b c d e"],
    "other spaces of the same length": ["a\nb\u00a0c"],
    "all spaces": [SPACES, f"a{SPACES}b", "".join(f"x{space}" for space in SPACES)],
    "no spaces, though their octets begin like some": [
        "\u0084\u00a1\u1681\u200b\u2027\u202a\u2030\u2060\u3001\u3040\u180e\ufeff"
    ],
    "all scripts": ["straße 東京 \U0001f600 \U0010ffff", "\0 \0"],
    "more than 255 words": ["a " * 300],
    "joined words": [*WORDS, "話" * 300, f"a{'話' * 3}b c", "\u3000東\u3000", "東\u00a0京"],
    "each script beside the next": ["".join(one + other for one in SCRIPTS for other in SCRIPTS)],
    "letters at the ends of the scripts": [
        f"a{chr(n) * 9}"
        for end in (0xE00, 0x10A0, 0x1780, 0x1800, 0x3040, 0x3100, 0x3400, 0xA000, 0xF900, 0xFB00, 0xFF65, 0xFFA0)
        for n in (end - 1, end)
    ],
    "beyond the first plane": [f"a{chr(n) * 9}" for n in (0x1FFFF, 0x20000, 0x3FFFF, 0x40000)],
    **{f"{n} octets": ["x" * n] for n in (127, 128, 129, 256, 257, 1000)},
    "lone surrogates": ["a \ud800 b c d", "e"],
}


def compare(texts: list[str], seen: bytes) -> None:
    compiled = native.module or pytest.skip("needs the C module")
    assert compiled.text(texts, seen) in (None, plain_text(texts, seen))


@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
def test_text_in_c_is_that_in_python(texts: list[str]) -> None:
    compare(texts, b"\1" * len(texts))
    compare(texts, b"\0" * len(texts))


@pytest.mark.parametrize("space", ["", " ", "  ", "\n" * 9, "\u3000", "é"], ids=repr)
@pytest.mark.parametrize("last", range(20))
def test_words_of_any_length_at_the_end_of_a_line(last: int, space: str) -> None:
    """The last octets of a line are read as if there were spaces behind them."""
    texts = [f"{'a' * first} {'b' * last}{space}" for first in range(20)]
    compare(texts + texts, b"\1" * 20 + b"\0" * 20)


@given(
    st.lists(st.tuples(st.text(st.sampled_from("ab" + SPACES + SCRIPTS) | st.characters()), st.booleans()), max_size=40)
)
def test_any_text_in_c_is_that_in_python(texts: list[tuple[str, bool]]) -> None:
    compare([text for text, _ in texts], bytes(seen for _, seen in texts))


def test_text_in_c_is_taken() -> None:
    compiled = native.module or pytest.skip("needs the C module")
    hashes = b"".join(hashlib.blake2b(line.encode(), digest_size=8).digest() for line in ("a b", "é"))
    digest = hashlib.blake2b("a b\né".encode(), digest_size=16).digest()
    assert compiled.text(["a  b", "é"], b"\1\1")[:4] == (hashes, b"\2\1", 3, digest)
    assert compiled.text(["a b c d e f g"], b"\1")[4].hex() == PINNED
    assert compiled.text(["\ud800"], b"\1") is None


@pytest.mark.parametrize(
    ("given", "error"),
    [((), TypeError), (("a", b"\1"), TypeError), ((["a"], b""), ValueError), (([1], b"\1"), TypeError)],
    ids=repr,
)
def test_wrong_arguments_of_the_c_module_are_errors(given: tuple[Any, ...], error: type[Exception]) -> None:
    compiled = native.module or pytest.skip("needs the C module")
    with pytest.raises(error):
        compiled.text(*given)


PINNED = (
    "ecd7fd57ffffffffffffffff692e0720ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
    "ffffffffffffffffffffffffffffffff135f2202940df6f9ffffffffffffffff"
)


@pytest.mark.slow
@pytest.mark.parametrize("separator", [" ", "-"], ids=["words", "long words"])
def test_what_is_remembered_of_texts_is_bounded(separator: str) -> None:
    """A crawl of a million pages has more words and more text than memory should hold."""

    def read(first: int, last: int) -> None:
        for n in range(first, last):
            features(f"<p>{separator.join(f'w{n}x{k}' for k in range(2000))}</p>")

    read(0, 2)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        read(2, 600)
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    # the limit of words holds 14 MB; all 1,200,000 would take 100, their 600 texts another 15
    assert grown < 16_000_000


def test_the_title_is_the_title_where_a_doctype_has_entities() -> None:
    """gitweb's is XHTML with `[<!ENTITY nbsp "&#xA0;">]`, of which a parser of HTML takes the end for text."""
    page = "<!DOCTYPE html{}><html><head><title>a</title></head><body><p>b</p></body></html>"
    said = page_features(page.format(' [<!ENTITY nbsp "&#xA0;">]').encode(), "application/xhtml+xml").lines
    assert said is not None
    assert TITLE_SLOT in array("Q", said)[0::2]
