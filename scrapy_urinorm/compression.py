"""Compressed streams: known by their first octets, read as far as they are whole, written so that nothing is lost."""

from __future__ import annotations

import bz2
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

MAGIC = {b"\x1f\x8b": "gz", b"\x28\xb5\x2f\xfd": "zst", b"BZh": "bz2", b"\xfd7zXZ\0": "xz"}
"""How the kinds begin (RFC 1952, RFC 8878, and the formats' own descriptions)."""
SUFFIXES = {".gz": "gz", ".zst": "zst", ".bz2": "bz2", ".xz": "xz"}
WRITTEN = ("zst", "gz")
"""What files of a crawl are written as: others give nothing out until they are whole."""
CHUNK = 1 << 18
MOST = 1 << 20
"""Octets that are decompressed at a time: a bomb costs this much memory, whatever it says it holds."""


class DamagedError(ValueError):
    """What was compressed ends too early, or is not what it says."""


class CutOffError(DamagedError):
    """What was compressed is sound as far as it goes, and ends too early: its writer was stopped."""


def zstd() -> Any:
    """Return the module for Zstandard: Python's own from 3.14 on, else its backport."""
    if sys.version_info >= (3, 14):
        from compression import zstd as module  # type: ignore[import-not-found,unused-ignore]  # of Python 3.14
    else:
        from backports import zstd as module  # type: ignore[import-not-found,unused-ignore]  # 3.14 gets none installed
    return module


def kind_of(head: bytes) -> str | None:
    """Return how a stream that begins with these octets is compressed; None where it is not."""
    return next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), None)


class _Zlib:
    """The decompressor of gzip, as those of the other kinds are."""

    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(31)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._decoder.decompress(self._decoder.unconsumed_tail + data, max_length)

    @property
    def needs_input(self) -> bool:
        return not self._decoder.unconsumed_tail

    @property
    def eof(self) -> bool:
        return self._decoder.eof

    @property
    def unused_data(self) -> bytes:
        return self._decoder.unused_data


_DECODERS: dict[str, Callable[[], Any]] = {
    "gz": _Zlib,
    "zst": lambda: zstd().ZstdDecompressor(),
    "bz2": bz2.BZ2Decompressor,
    "xz": lzma.LZMADecompressor,
}


def decompressed(read: Callable[[int], bytes], *, kind: str | None = None, strict: bool = True) -> Iterator[bytes]:
    """Yield what a stream holds, in pieces of at most `MOST` octets; as it is where it is not compressed.

    `read(n)` gives up to n octets, none at the end. Members and frames that follow each other are one stream. Where the
    data are damaged `DamagedError` is raised, `CutOffError` where they are cut off; without `strict` the stream ends
    there.
    """
    data = read(CHUNK)
    kind = kind or kind_of(data)
    if kind is None:
        while data:
            yield data
            data = read(MOST)
        return
    decoder = _DECODERS[kind]()
    fresh = True
    try:
        while data or not decoder.needs_input:
            piece = decoder.decompress(data, MOST)
            fresh = False
            if piece:
                yield piece
            if decoder.eof:
                data = decoder.unused_data or read(CHUNK)
                if not data or (kind in ("gz", "xz") and not data.strip(b"\0")):
                    return
                decoder, fresh = _DECODERS[kind](), True
            else:
                data = read(CHUNK) if decoder.needs_input else b""
    except (OSError, EOFError, lzma.LZMAError, zlib.error, zstd().ZstdError) as error:
        if strict:
            raise DamagedError(str(error)) from error
        return
    if strict and not fresh:
        raise CutOffError("cut off")


def chunks(path: str | Path, *, strict: bool = True) -> Iterator[bytes]:
    """Yield what a file holds, decompressed; see `decompressed`."""
    with Path(path).open("rb") as file:
        yield from decompressed(file.read, strict=strict)


class Compressor:
    """Makes a stream of one kind, every piece of which can be read as soon as it is written.

    Level 1 of both: what is written here are mostly hashes, which do not compress, and what does comes again soon. A
    visit costs 16 us with Zstandard, 77 with gzip, and is a tenth smaller (4 kB of JSON each, flushed).
    """

    flushed: Callable[[bytes], bytes]
    """The octets to write for some data."""
    end: Callable[[], bytes]
    """The octets that end the stream."""

    def __init__(self, kind: str) -> None:
        if kind == "gz":
            gzip = zlib.compressobj(1, zlib.DEFLATED, 31)
            self.flushed = lambda data: gzip.compress(data) + gzip.flush(zlib.Z_SYNC_FLUSH)
            self.end = gzip.flush
        elif kind == "zst":
            coder = zstd().ZstdCompressor(level=1)
            self.flushed = lambda data: coder.compress(data, mode=coder.FLUSH_BLOCK)
            self.end = coder.flush
        else:
            raise ValueError(f"nothing is written as .{kind}")
