"""One reader of inputs: every format, however it is compressed and whatever it is called, for URLs and for visits."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.cli.inputs import MAX_LINE, Inputs, lines_of
from scrapy_urinorm.compression import zstd
from scrapy_urinorm.inputs import InputError, expanded, lines
from scrapy_urinorm.learn.files import learn_file
from scrapy_urinorm.visits import read_visits

if TYPE_CHECKING:
    from collections.abc import Callable

A = "http://a.example/"
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": gzip.compress,
    "gz in two members": lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:]),
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: bytes(zstd().compress(data)),
}
LOG = '1.2.3.4 - - [02/Jan/2020:03:04:05 +0100] "GET http://a.example/{} HTTP/1.1" 200 99\n'
CRAWL = "2020-01-02T03:04:05.678Z 200 123 http://a.example/{} L http://a.example/o text/html #1 20200102+1 sha1:A - -\n"
KINDS = {
    "lines": "http://a.example/{}\n",
    "csv": ("status,url\n", "200,http://a.example/{}\n"),
    "semicolons": ("n;Address\n", "200;http://a.example/{}\n"),
    "tsv": ("url\tstatus\n", "http://a.example/{}\t200\n"),
    "jsonl": '{{"url": "http://a.example/{}"}}\n',
    "cdx": (" CDX N b a m s k r V g\n", "example,a)/ 20200102030405 http://a.example/{} text/html 200 A - 1 f\n"),
    "cdxj": 'example,a)/x 20200102030405 {{"url": "http://a.example/{}", "status": "200"}}\n',
    "crawl-log": CRAWL,
    "access-log": LOG,
}  # fmt: skip


def text_of(kind: str) -> bytes:
    head, row = KINDS[kind] if isinstance(KINDS[kind], tuple) else ("", KINDS[kind])
    return (str(head) + "".join(str(row).format(n) for n in range(3))).encode()


def urls(*names: object) -> list[str]:
    return [line for block in Inputs([str(name) for name in names]).blocks() for line in lines_of(block)]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "cdx"])
@pytest.mark.parametrize("mark", ["utf-8-sig", "utf-16-le", "utf-16-be"])
def test_a_byte_order_mark_is_none_of_the_text(tmp_path: Path, kind: str, mark: str) -> None:
    """Editors of Windows put it there, and `>` of its shell writes UTF-16."""
    path = tmp_path / "urls.txt"
    text = text_of(kind).decode()
    path.write_bytes(text.encode(mark) if mark == "utf-8-sig" else ("\ufeff" + text).encode(mark))
    assert urls(path) == [f"{A}{n}" for n in range(3)]
    assert [visit.url for visit in read_visits([path])] == [f"{A}{n}" for n in range(3)]


@pytest.mark.parametrize("pack", PACKED)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["input", "input.txt", "input.gz"], ids=["no suffix", "of text", "a wrong one"])
def test_a_file_is_what_its_first_octets_say(tmp_path: Path, kind: str, pack: str, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(PACKED[pack](text_of(kind)))
    wanted = [f"{A}{n}" for n in range(3)]
    assert [url for url in urls(file) if url] == wanted
    assert [visit.url for visit in read_visits([file])] == wanted


@pytest.mark.parametrize(
    "pack", [pytest.param(name, marks=[pytest.mark.slow] * (name not in ("plain", "zst"))) for name in PACKED]
)
@pytest.mark.parametrize("command", ["normalize", pytest.param("init -o -", marks=pytest.mark.slow)])
def test_standard_input_is_read_like_a_file(tmp_path: Path, command: str, pack: str) -> None:
    given = PACKED[pack](text_of("csv"))
    words = [*command.split(), *(["-"] if command != "normalize" else [])]
    done = subprocess.run(
        [sys.executable, "-m", "scrapy_urinorm", *words],
        input=given, capture_output=True, cwd=tmp_path, env={**os.environ, "COLUMNS": "200"}, check=True,
    )  # fmt: skip
    assert b"a.example" in done.stdout


def test_parquet_is_known_by_its_octets(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"n": [1], "url": [A]}), tmp_path / "urls.csv")
    (tmp_path / "urls.parquet.zst").write_bytes(zstd().compress((tmp_path / "urls.csv").read_bytes()))
    for name in ("urls.csv", "urls.parquet.zst"):
        assert urls(tmp_path / name) == [A]
        assert [visit.url for visit in read_visits([tmp_path / name])] == [A]


def test_folders_and_globs(tmp_path: Path) -> None:
    (tmp_path / "in" / "deeper").mkdir(parents=True)
    (tmp_path / "in" / "b.txt").write_text(A + "2\n")
    (tmp_path / "in" / "deeper" / "c.txt.gz").write_bytes(gzip.compress(f"{A}3\n".encode()))
    (tmp_path / "in" / "a.txt").write_text(A + "1\n")
    (tmp_path / "in" / ".hidden").write_text(A + "4\n")
    assert urls(tmp_path / "in") == [A + "1", A + "2", A + "3"]
    assert [visit.url for visit in read_visits([tmp_path / "in"])] == [A + "1", A + "2", A + "3"]
    assert urls(tmp_path / "in" / "*.txt") == [A + "1", A + "2"]
    assert expanded(["-"]) == ["-"]


@pytest.mark.parametrize("names", ["", [""]])
def test_an_empty_name_is_no_folder(names: str | list[str]) -> None:
    with pytest.raises(InputError, match="the name of a file is empty"):
        expanded(names)


@pytest.mark.parametrize("kind", [str, Path])
def test_one_name_is_no_list_of_letters(tmp_path: Path, kind: type[str | Path]) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(A + "1\n")
    assert expanded(kind(tmp_path / "in")) == [str(tmp_path / "in" / "a.txt")]
    assert [visit.url for visit in read_visits(kind(tmp_path / "in"))] == [A + "1"]
    assert len(learn_file(kind(tmp_path / "in"), force=True)[0].others) == 0


@pytest.mark.parametrize("pack", [name for name in PACKED if name not in ("plain", "gz in two members")])
def test_damaged_data_are_said_to_be(tmp_path: Path, pack: str) -> None:
    data = os.urandom(300_000).hex().encode() + b"\n" + text_of("lines") * 1000
    whole = PACKED[pack](data)
    if pack == "zst":
        # without a checksum a frame says nothing of its literals
        whole = zstd().compress(data, options={zstd().CompressionParameter.checksum_flag: 1})
    damaged = tmp_path / "damaged"
    damaged.write_bytes(whole[: len(whole) // 2] + b"\0" * 64 + whole[len(whole) // 2 + 64 :])
    for read in (urls, lambda file: list(read_visits([file], format="urls"))):
        with pytest.raises(InputError, match="damaged or cut off"):
            read(damaged)


@pytest.mark.parametrize("pack", ["gz", "zst", "xz", "bz2"])
def test_a_cut_is_an_error_of_lists_and_the_end_of_visits(tmp_path: Path, pack: str) -> None:
    """A killed crawl stops writing in the middle; of a list that is cut off nobody knows what is missing."""
    file = tmp_path / "cut"
    file.write_bytes(PACKED[pack](b"".join(b'{"url": "http://a.example/%d"}\n' % n for n in range(20_000)))[:-20])
    with pytest.raises(InputError, match="damaged or cut off"):
        urls(file)
    read = read_visits([file])
    assert all(visit.url.startswith(A) for visit in read)
    assert any("where its writer was stopped" in problem for problem in read.problems)


def test_only_a_cut_is_where_a_writer_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What libraries say of damage is theirs: no text of theirs makes a cut of it."""
    (tmp_path / "visits.jsonl.gz").write_bytes(PACKED["gz"](b'{"url": "http://a.example/"}\n'))

    def damaged(*_: object) -> bytes:
        raise OSError("cut off")

    monkeypatch.setattr("scrapy_urinorm.compression._Zlib.decompress", damaged)
    with pytest.raises(InputError, match="damaged or cut off"):
        list(read_visits([tmp_path / "visits.jsonl.gz"]))


@pytest.mark.parametrize(
    ("octets", "what"),
    [(b"PK\x03\x04x", "zip"), (b"7z\xbc\xaf\x27\x1c", "7z"), (b"SQLite format 3\0", "SQLite"), (b"%PDF-1.7", "PDF")],
)
def test_what_is_no_input_is_not_printed_as_urls(tmp_path: Path, octets: bytes, what: str) -> None:
    (tmp_path / "urls.txt").write_bytes(octets + bytes(1000))
    for read in (urls, lambda file: list(read_visits([file]))):
        with pytest.raises(InputError, match=what):
            read(tmp_path / "urls.txt")


def test_lines_of_any_pieces() -> None:
    data = b"\n".join([b"a", b"", b"b" * 9, b"c" * 10, b"d"])
    for size in range(1, 12):
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        assert list(lines(pieces, 9)) == [b"a", b"", b"b" * 9, None, b"d"]


def test_a_long_line_keeps_its_place(tmp_path: Path) -> None:
    (tmp_path / "urls").write_bytes(f"{A}1\n".encode() + b"x" * (MAX_LINE + 3_000_000) + f"\n{A}2\n".encode())
    assert urls(tmp_path / "urls") == [A + "1", "", A + "2"]
