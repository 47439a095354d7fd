"""Compressed streams: every kind, whole, in several parts, cut off, damaged, and as bombs."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm import compression
from scrapy_urinorm.compression import MOST, Compressor, DamagedError, decompressed

if TYPE_CHECKING:
    from collections.abc import Callable

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "zst": compression.zstd().compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}
TEXT = b"".join(b"http://a.example/%d\n" % n for n in range(20_000))


def read(data: bytes, *, strict: bool = True) -> bytes:
    return b"".join(decompressed(io.BytesIO(data).read, strict=strict))


@pytest.mark.parametrize("kind", COMPRESS)
class TestEachKind:
    def test_is_known_by_how_it_begins(self, kind: str) -> None:
        assert compression.kind_of(COMPRESS[kind](b"x")) == kind

    def test_gives_what_was_put_in(self, kind: str) -> None:
        assert read(COMPRESS[kind](TEXT)) == TEXT

    def test_goes_on_after_its_end(self, kind: str) -> None:
        assert read(COMPRESS[kind](TEXT) + COMPRESS[kind](b"more")) == TEXT + b"more"

    def test_may_hold_nothing(self, kind: str) -> None:
        assert read(COMPRESS[kind](b"")) == b""

    def test_that_is_cut_off_is_said_or_ends_there(self, kind: str) -> None:
        data = COMPRESS[kind](TEXT)[:-20]
        with pytest.raises(DamagedError):
            read(data)
        assert TEXT.startswith(read(data, strict=False))

    def test_that_is_damaged_is_said_or_ends_there(self, kind: str) -> None:
        data = bytearray(COMPRESS[kind](TEXT))
        data[len(data) // 2 : len(data) // 2 + 40] = bytes(40)
        with pytest.raises(DamagedError):
            read(bytes(data))
        read(bytes(data), strict=False)

    def test_that_is_a_bomb_is_read_in_pieces(self, kind: str) -> None:
        data = COMPRESS[kind](bytes(32 << 20))
        tracemalloc.start()
        try:
            sizes = [len(piece) for piece in decompressed(io.BytesIO(data).read)]
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert sum(sizes) == 32 << 20
        assert max(sizes) <= MOST
        assert peak < 16 << 20


@pytest.mark.parametrize("data", [b"", b"plain\n", b"\x1f", b"B", TEXT])
def test_what_is_not_compressed_is_given_as_it_is(data: bytes) -> None:
    assert read(data) == data


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_every_piece_can_be_read_as_soon_as_it_is_written(kind: str) -> None:
    compressor = Compressor(kind)
    written = b""
    for n in range(20):
        written += compressor.flushed(b"line %d\n" % n)
        assert read(written, strict=False).endswith(b"line %d\n" % n)
    assert read(written + compressor.end()).count(b"\n") == 20


@given(st.lists(st.binary(max_size=300), max_size=8), st.sampled_from(["gz", "zst"]))
def test_round_trip(pieces: list[bytes], kind: str) -> None:
    compressor = Compressor(kind)
    assert read(b"".join(map(compressor.flushed, pieces)) + compressor.end()) == b"".join(pieces)


def test_only_two_kinds_are_written() -> None:
    with pytest.raises(ValueError, match="bz2"):
        Compressor("bz2")
