"""The hashes of lines that the module in C makes side by side: each is that of hashlib, whichever way it is made."""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_urinorm.engine import native
from scrapy_urinorm.visits.texts import plain_text
from tests.effort import share

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Texts one by one, vectors of AVX2, vectors of AVX-512.
WAYS = 0, 1, 2
LENGTHS = (0, 1, 8, 100, 127, 128, 129, 255, 256, 257, 1000, 5000)
#: Lines that wait for their hash, lanes, lines that a page keeps: one less and one more of each.
COUNTS = [
    *range(6),
    *(7, 8, 9, 512),
    *(
        pytest.param(count, marks=pytest.mark.slow)
        for count in (6, 10, 11, 254, 255, 256, 257, 509, 510, 511, 513, 514, 766, 1100)
    ),
]


@pytest.fixture(scope="module", params=WAYS, ids=["one by one", "by AVX2", "by AVX-512"])
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    compiled = native.module or pytest.skip("needs the C module")
    try:
        if compiled.hash_by(request.param) != request.param:
            pytest.skip("needs another processor")
        yield
    finally:
        compiled.hash_by(max(WAYS))


def line(length: int, chance: random.Random) -> str:
    return "".join(chance.choices("abcdefgh", k=length))


def check(texts: list[str], seen: bytes) -> None:
    compiled = native.module
    found = compiled.text(texts, seen)
    assert found[0] == b"".join(hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)
    assert found == plain_text(texts, seen)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    "before", [pytest.param(n, marks=[pytest.mark.thorough] * (n not in (0, 3, 8))) for n in range(9)]
)
@pytest.mark.parametrize("seen", [b"\0", b"\1"], ids=["not seen", "seen"])
def test_lines_of_every_length_in_every_lane(before: int, seen: bytes) -> None:
    chance = random.Random(before)
    lengths = (*[5] * before, *range(301), *range(300, -1, -1))
    check([line(length, chance) for length in lengths], seen * len(lengths))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("count", COUNTS)
def test_any_number_of_lines(count: int) -> None:
    chance = random.Random(count)
    for lengths in ((3, 3, 3), (1, 120, 130), (20, 20, 4000), (4000, 20, 20)):
        texts = [line(lengths[n * 3 // count], chance) for n in range(count)]
        check(texts, b"\1" * count)
        check(texts, bytes(n % 3 > 0 for n in range(count)))


# three ways, and up to 1,200 lines in each example
@pytest.mark.usefixtures("way")
@settings(max_examples=share(4))
@given(st.lists(st.tuples(st.sampled_from(LENGTHS), st.booleans()), max_size=30), st.integers(1, 40), st.integers(0))
def test_long_and_short_lines(lines: list[tuple[int, bool]], times: int, seed: int) -> None:
    chance = random.Random(seed)
    check([line(length, chance) for length, _ in lines * times], bytes(seen for _, seen in lines * times))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("count", COUNTS)
def test_pages_of_any_number_of_lines(count: int) -> None:
    """Those with a picture have lines that nobody reads between those that are read."""
    # skips where there is no parser to compare with, as the tests of texts above it need none
    from tests.visits import pages

    chance = random.Random(count)
    for picture in ("", "<img src=/{}>", "<img src=/{} alt='c d'>"):
        texts = [line(chance.choice(LENGTHS[1:]), chance) for _ in range(count)]
        page = "".join(f"<p>{text} b{picture.format(text)}</p>" for text in texts)
        assert pages.taken(page.encode(), "http://a.example/d/p")


def test_a_way_that_there_is_not_is_the_best_below() -> None:
    compiled = native.module or pytest.skip("needs the C module")
    best = compiled.hash_by(1 << 40)
    assert best in WAYS
    assert [compiled.hash_by(most) for most in (-1, 0, 1, 2)] == [0, 0, min(1, best), best]
    with pytest.raises(TypeError):
        compiled.hash_by("1")
    with pytest.raises(OverflowError):
        compiled.hash_by(1 << 80)
    compiled.hash_by(best)
