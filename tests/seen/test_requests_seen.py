"""Scrapy's own file: every form of it is read, what a kill left of it too, and the job's first start takes it over."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.dupefilters import RFPDupeFilter

from scrapy_urinorm.seen import SeenStoreError, make_store
from scrapy_urinorm.seen.requests_seen import FILE_NAME, read_fingerprints, write_binary, write_text
from tests.seen.conftest import fingerprints

if TYPE_CHECKING:
    from pathlib import Path

A, B, C = fingerprints(3)


def binary(*fps: bytes) -> bytes:
    return b"".join(len(fp).to_bytes(2, "big") + fp for fp in fps)


def text(*fps: bytes, newline: bytes = b"\n") -> bytes:
    return b"".join(fp.hex().encode() + newline for fp in fps)


READ = [
    pytest.param(b"", [], id="empty file"),
    pytest.param(binary(A, B), [A, B], id="Scrapy 2.19"),
    pytest.param(text(A, B), [A, B], id="Scrapy 2.18"),
    pytest.param(text(A, B, newline=b"\r\n"), [A, B], id="Scrapy 2.18 on Windows"),
    pytest.param(text(A).upper(), [A], id="upper-case digits"),
    pytest.param(text(A, B) + binary(C), [A, B, C], id="upgraded in mid-crawl"),
    pytest.param(binary(b"x", b"yy" * 300, A), [b"x", b"yy" * 300, A], id="other lengths"),
    pytest.param(binary(A, B)[:-1], [A], id="binary, torn in the last fingerprint"),
    pytest.param(binary(A) + b"\0", [A], id="binary, torn in the last length"),
    pytest.param(binary(A)[:5], [], id="binary, the only one torn"),
    pytest.param(binary(A, B)[:-7] + binary(C, A), [A, C, A], id="binary, torn, then written on by the next run"),
    pytest.param(binary(A) + b"\0" + binary(B, C), [A, B, C], id="binary, torn in a length, then written on"),
    pytest.param(binary(A) + bytes(40), [A], id="binary, zeros behind, as after a power failure"),
    pytest.param(text(A, B)[:-1], [A, B], id="text without its last line break"),
    pytest.param(text(A, B)[:-2], [A], id="text, torn at an odd digit"),
    pytest.param(text(A, B)[:-3], [A], id="text, torn at an even digit"),
]


@pytest.mark.parametrize(("content", "expected"), READ)
def test_reads(tmp_path: Path, content: bytes, expected: list[bytes]) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(content)
    assert list(read_fingerprints(path)) == expected


NOT_READ = [
    pytest.param(b"<html>" + b"x" * 2000, id="a page"),
    pytest.param(b"\x89PNG\r\n" + bytes(5000), id="an image"),
    pytest.param(binary(A) + bytes(40) + b"x" * 2000, id="zeros, then something else"),
    pytest.param(b"http://a.example/\nhttp://a.example/b\n", id="a small file of something else"),
]


@pytest.mark.parametrize("content", NOT_READ)
def test_says_what_it_cannot_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(content)
    with pytest.raises(SeenStoreError, match=FILE_NAME):
        list(read_fingerprints(path))


@given(fps=st.lists(st.binary(min_size=1, max_size=15)) | st.lists(st.binary(min_size=20, max_size=20)))
def test_reads_back_what_it_writes(fps: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("written") / FILE_NAME
    assert write_binary(path, fps) == len(fps)
    assert list(read_fingerprints(path)) == fps
    assert write_text(path, fps) == len(fps)
    if len({len(fp) for fp in fps}) < 2:
        assert list(read_fingerprints(path)) == fps


def test_scrapy_reads_what_we_write(tmp_path: Path) -> None:
    """The installed Scrapy: its own attribute tells which of the two forms it has."""
    fps = fingerprints(100)
    binary_form = hasattr(RFPDupeFilter(), "_fingerprints")
    (write_binary if binary_form else write_text)(tmp_path / FILE_NAME, fps)
    scrapys = RFPDupeFilter(str(tmp_path))
    scrapys.close("finished")
    read = scrapys._fingerprints if binary_form else {bytes.fromhex(line) for line in scrapys.fingerprints}
    assert read == set(fps)


def test_the_first_start_takes_over_what_scrapy_left(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    fps = fingerprints(1000)
    write_binary(tmp_path / FILE_NAME, fps)
    store = make_store("memory", directory=tmp_path)
    with caplog.at_level(logging.INFO):
        store.open()
    assert "imported 1000 fingerprints" in caplog.text
    assert not any(map(store.add, fps))
    assert store.add(A + b"!")
    store.close()


def test_imports_again_only_when_scrapy_wrote_since(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    fps = fingerprints(20)
    path = tmp_path / FILE_NAME
    caplog.set_level(logging.INFO)

    def imported() -> str:
        caplog.clear()
        store = make_store("memory", directory=tmp_path)
        store.open()
        store.close()
        return caplog.text

    write_binary(path, fps[:10])
    assert "imported 10" in imported()
    assert "imported" not in imported()
    write_binary(path, fps)
    assert "imported 10" in imported()


def test_a_file_it_cannot_read_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"garbage" * 1000)
    store = make_store("memory", directory=tmp_path)
    with pytest.raises(SeenStoreError, match=r"is not a requests\.seen of any Scrapy version"):
        store.open()
    # and the folder is free again
    (tmp_path / FILE_NAME).unlink()
    store.open()
    store.close()
