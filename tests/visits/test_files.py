"""Visits to files and back, whatever happens to the process and whoever wrote the file."""

from __future__ import annotations

import base64
import contextlib
import csv
import gzip
import json
import math
import os
import random
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.visits import COLUMNS, Visit, VisitWriter, read_visits, visit_from_row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FULL = Visit(
    url="http://a.example/?a=1", final_url="http://a.example/", redirects=((301, "http://a.example/?a=1"),), status=200,
    canonical="http://a.example/", content_type="text/html", size=12, body_digest="sha1:X", text_digest="t",
    main_digest="m", lines=bytes(range(32)), line_words=b"\1\2", minhash=bytes(128), words=3, key="k", rules="r",
    depth=2, referer="http://a.example/r", no_vary_search='params=("a")', clean_param=("ref /",),
    time="2026-01-01T00:00:00Z", id=b"12345678", links=b"abcdefgh12345678", links_count=3,
    link_keys=b"ABCDEFGH12345678",
    marks=("generator:DokuWiki", "cookie:DokuWiki"), crawl="20260101T000000Z-0a0b0c0d", given="g",
)  # fmt: skip


@given(
    st.text(), st.none() | st.text(), st.lists(st.tuples(st.integers(), st.text()), max_size=2).map(tuple), st.binary()
)
def test_a_line_is_what_the_library_for_json_writes(
    url: str, key: str | None, redirects: tuple[tuple[int, str], ...], octets: bytes
) -> None:
    visit = Visit(url=url, key=key, redirects=redirects, lines=octets, words=len(url), marks=("a:b",) if key else ())
    row: dict[str, object] = {
        "url": url,
        "redirects": redirects or None,
        "lines": base64.b64encode(octets).decode(),
        "words": len(url),
    }
    row |= {"key": key, "marks": visit.marks or None}
    plain = {name: row[name] for name in COLUMNS if row.get(name) is not None}
    assert visit.to_json() == json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("name", ["visits.jsonl", "visits.jsonl.gz", "visits.jsonl.zst"])
def test_round_trip(tmp_path: Path, name: str) -> None:
    path = tmp_path / "new" / name
    with VisitWriter(path) as writer:
        writer.write(FULL)
        writer.write(Visit(url="http://a.example/é"))
    with VisitWriter(path) as writer:
        writer.write(FULL)
    assert list(read_visits([path])) == [FULL, Visit(url="http://a.example/é"), FULL]


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.integers(0, 2**40))
def test_json_round_trip(url: str, size: int) -> None:
    visit = Visit(url=url, size=size)
    assert visit_from_row(json.loads(visit.to_json())) == visit


@pytest.mark.parametrize("name", ["visits.jsonl", "visits.jsonl.gz", "visits.jsonl.zst"])
def test_a_killed_crawl_keeps_every_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    code = (
        "import os, sys; from scrapy_urinorm.visits import Visit, VisitWriter\n"
        "writer = VisitWriter(sys.argv[1])\n"
        "for n in range(100): writer.write(Visit(url=f'http://a.example/{n}'))\n"
        f"os.kill(os.getpid(), {int(signal.SIGKILL)})"
    )
    assert subprocess.run([sys.executable, "-c", code, path]).returncode == -signal.SIGKILL
    assert len(list(read_visits([path]))) == 100
    with VisitWriter(path) as writer:
        writer.write(FULL)
    assert [visit.url for visit in read_visits([path])][99:] == ["http://a.example/99", FULL.url]


@pytest.mark.parametrize("name", ["visits.jsonl", "visits.jsonl.gz", "visits.jsonl.zst"])
def test_a_torn_end_costs_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with VisitWriter(path) as writer:
        for n in range(50):
            writer.write(Visit(url=f"http://a.example/{n}/{os.urandom(40).hex()}"))
    path.write_bytes(path.read_bytes()[:-30])
    read = read_visits([path])
    assert len(list(read)) in (48, 49)
    with VisitWriter(path) as writer:
        writer.write(FULL)
    again = read_visits([path])
    assert list(again)[-1] == FULL
    assert (again.rows, again.bad) == (read.rows + 1, 0)


@pytest.mark.skipif(not os.path.lexists("/dev/stdout"), reason="no such name there")
def test_a_torn_end_is_not_written_behind_itself(tmp_path: Path) -> None:
    """What goes to `/dev/stdout` is written behind what is there; behind a torn end nothing can be read."""
    path, link = tmp_path / "visits.jsonl.gz", tmp_path / "link.gz"
    with VisitWriter(path) as writer:
        writer.write(FULL)
        writer.write(FULL)
    path.write_bytes(path.read_bytes()[:-30])
    link.symlink_to("/dev/stdout")
    code = "import sys, pathlib; from scrapy_urinorm.visits import writer; writer.repair(pathlib.Path(sys.argv[1]))"
    with path.open("ab") as out:
        subprocess.run([sys.executable, "-c", code, link], stdout=out, check=True)
    again = read_visits([path])
    assert list(again) == [FULL]
    assert again.problems == []


@pytest.mark.parametrize("name", ["visits.jsonl.gz", "visits.jsonl.zst"])
def test_compressed_files_have_one_writer(tmp_path: Path, name: str) -> None:
    """Two crawls at once left a file that nobody could read, each of which said that it had written its visits."""
    with VisitWriter(tmp_path / name) as first, VisitWriter(tmp_path / name) as second:
        first.write(FULL)
        second.write(FULL)
        first.write(FULL)
    assert (first.beside, second.beside) == (False, True)
    assert [file.name for file in second.files] == [name.replace(".", ".1.", 1)]
    assert [len(list(read_visits([path]))) for path in (*first.files, *second.files)] == [2, 1]
    with VisitWriter(tmp_path / name) as third:
        third.write(FULL)
    assert third.files == first.files
    assert len(list(read_visits(first.files))) == 3


def test_plain_lines_have_many_writers(tmp_path: Path) -> None:
    path = tmp_path / "visits.jsonl"
    with VisitWriter(path) as first:
        first.write(FULL)
        with path.open("a") as file:
            # what the first one is writing
            file.write('{"url": "http://a.exam')
        with VisitWriter(path) as second:
            assert path.read_text().endswith("a.exam")
            with path.open("a") as file:
                file.write('ple/"}\n')
            second.write(FULL)
        first.write(FULL)
    assert [visit.url for visit in read_visits([path])] == [FULL.url, "http://a.example/", FULL.url, FULL.url]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes there")
@pytest.mark.parametrize("name", ["visits.jsonl", "visits.jsonl.gz"])
def test_a_pipe_is_written_as_it_is(tmp_path: Path, name: str) -> None:
    """A program behind a named pipe compresses, or sends on, what comes."""
    path = tmp_path / name
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with VisitWriter(path) as writer:
        writer.write(FULL)
    (tmp_path / "read").write_bytes(os.read(reader, 1 << 16))
    os.close(reader)
    assert list(read_visits([tmp_path / "read"])) == [FULL]


@contextlib.contextmanager
def nearly_full(path: Path, room: int = 100) -> Iterator[None]:
    """A disk with room for half a line more in a file, as far as this process can tell: so much is taken of it."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


LONG = [Visit(url=f"http://a.example/{n}/{random.Random(n).randbytes(300).hex()}") for n in range(3)]


@pytest.mark.parametrize("name", ["visits.jsonl", "visits.jsonl.gz", "visits.jsonl.zst"])
def test_a_disk_that_fills_up_glues_no_lines_together(tmp_path: Path, name: str) -> None:
    """The system takes a part of a line and says so; the next one was written behind that part, and counted."""
    path = tmp_path / name
    with VisitWriter(path) as writer:
        writer.write(LONG[0])
        with nearly_full(path):
            for _ in range(2):
                with pytest.raises(OSError, match="too large"):
                    writer.write(LONG[1])
        writer.write(LONG[2])
    assert writer.written == 2
    read = read_visits([path])
    # of compressed data all builds on what is before: a line that was begun is written to its end
    assert list(read) == (LONG if name != "visits.jsonl" else [LONG[0], LONG[2]])
    assert (read.bad, read.problems) == (0, [])


@pytest.mark.parametrize("name", ["visits.jsonl", "visits.jsonl.gz", "visits.jsonl.zst"])
def test_a_file_that_is_closed_on_a_full_disk_is_read_to_its_last_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    writer = VisitWriter(path)
    writer.write(LONG[0])
    with nearly_full(path):
        with pytest.raises(OSError, match="too large"):
            writer.write(LONG[1])
        # compressed data have an end, which has no room
        with contextlib.nullcontext() if name == "visits.jsonl" else pytest.raises(OSError, match="too large"):
            writer.close()
    writer.close()
    with pytest.raises(ValueError, match="the writer is closed"):
        writer.write(LONG[2])
    assert list(read_visits([path])) == LONG[:1]
    with VisitWriter(path) as writer:
        writer.write(LONG[2])
    assert list(read_visits([path])) == [LONG[0], LONG[2]]


@pytest.mark.parametrize("name", ["visits.jsonl.gz", "visits.jsonl.zst"])
def test_a_file_that_cannot_be_ended_does_not_keep_the_next_from_being_begun(tmp_path: Path, name: str) -> None:
    with VisitWriter(tmp_path / name, rotate=100) as writer:
        writer.write(LONG[0])
        with nearly_full(tmp_path / name, room=0), pytest.raises(OSError, match="too large"):
            writer.write(LONG[1])
        writer.write(LONG[2])
    read = read_visits(writer.files)
    assert list(read) == [LONG[0], LONG[2]]
    assert len(writer.files) == 2


@pytest.mark.parametrize("name", ["visits.jsonl", "visits.jsonl.gz", "visits.jsonl.zst"])
def test_a_next_file_that_cannot_be_begun_is_begun_as_soon_as_it_can(tmp_path: Path, name: str) -> None:
    """Whatever came later was refused as well, "the writer is closed", though the cause was gone."""
    folder = tmp_path / "visits"
    with VisitWriter(folder / name, rotate=100) as writer:
        writer.write(LONG[0])
        folder.rename(tmp_path / "away")
        folder.touch()
        for _ in range(2):
            with pytest.raises(OSError, match="visits"):
                writer.write(LONG[1])
        folder.unlink()
        writer.write(LONG[2])
        writer.write(LONG[1])
    assert writer.written == 3
    assert list(read_visits([tmp_path / "away" / name, *writer.files[1:]])) == [LONG[0], LONG[2], LONG[1]]


def test_a_line_that_is_taken_back_is_not_in_the_way_of_another_process(tmp_path: Path) -> None:
    path = tmp_path / "visits.jsonl"
    with VisitWriter(path) as writer, VisitWriter(path) as other:
        writer.write(LONG[0])
        with nearly_full(path), pytest.raises(OSError, match="too large"):
            writer.write(LONG[1])
        other.write(LONG[2])
        writer.write(LONG[1])
    assert list(read_visits([path])) == [LONG[0], LONG[2], LONG[1]]


def test_rotation(tmp_path: Path) -> None:
    path = tmp_path / "visits.jsonl.gz"
    with VisitWriter(path, rotate=500) as writer:
        for n in range(60):
            writer.write(Visit(url=f"http://a.example/{n}/{os.urandom(20).hex()}"))
    assert [file.name for file in writer.files[:2]] == ["visits.jsonl.gz", "visits.1.jsonl.gz"]
    assert len(writer.files) > 3
    assert len(list(read_visits([tmp_path / "visits*"]))) == 60


def row(**columns: object) -> str:
    return json.dumps({"url": "http://a.example/", **columns})


BAD_ROWS = [
    pytest.param("{", id="torn JSON"),
    pytest.param("[1]", id="no object"),
    pytest.param("{}", id="no url"),
    pytest.param('{"url": 3}', id="url is a number"),
    pytest.param(row(status="ok"), id="status is a word"),
    pytest.param(row(minhash="AAAA"), id="a short minhash"),
    pytest.param(row(minhash="*"), id="not base64"),
    pytest.param(row(lines=[["x", 1]]), id="not a hash"),
    pytest.param(row(redirects=[1]), id="redirects without URLs"),
    pytest.param(row(links="AAAA"), id="half a link"),
    pytest.param(row(links=[1]), id="a link that is a number"),
    pytest.param(row(links=1), id="links that are a number"),
    pytest.param(row(marks=1), id="marks that are a number"),
    pytest.param(row(id="AAAA"), id="a short id"),
    pytest.param(row(size=math.inf), id="a size without end"),
    pytest.param(row(redirects=[[math.inf, "http://a.example/r"]]), id="a status without end"),
]


@pytest.mark.parametrize("bad", BAD_ROWS)
def test_bad_rows_are_counted_and_named(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text(f"{row()}\n{bad}\n\n{row()}\n")
    read = read_visits([path], format="jsonl")
    assert len(list(read)) == 2
    assert (read.rows, read.bad, read.skipped) == (2, 1, 1)
    assert read.problems[0].startswith(f"{path}:2: ")
    assert "object" not in read.problems[0].replace("not a JSON object", ""), "words of Python"


def test_the_room_of_a_field_is_nobody_elses(tmp_path: Path) -> None:
    """The limit that Python has is the whole process's: a crawl that reads a list leaves it as it was set."""
    path = tmp_path / "v.csv"
    path.write_text("url,other\n" + f"http://a.example/1,{'x' * 200_000}\nhttp://a.example/2,y\n")
    before = csv.field_size_limit()
    read = iter(read_visits([path]))
    assert next(read).url == "http://a.example/1"
    assert csv.field_size_limit() == before
    assert [visit.url for visit in read] == ["http://a.example/2"]
    assert csv.field_size_limit() == before


def test_foreign_spellings_of_hashes(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text(
        row(lines=[[1, 2**64 - 1]], minhash=[1] * 32) + "\n" + row(lines=[["1", "ffffffffffffffff"]]) + "\n"
    )
    one, other = read_visits([path])
    assert one.lines == other.lines == (1).to_bytes(8, "little") + b"\xff" * 8
    assert one.minhash == b"\1\0\0\0" * 32


CDX = """\
 CDX N b a m s k r M S V g
example,a)/ 20200102030405 http://a.example/ text/html 200 ABC - - 1 2 f.gz
"""
CDXJ = """\
example,a)/x 20200102030405 {"url": "http://a.example/x", "status": "301", "redirect": "http://a.example/y"}
example,a)/z 20200102030405 [1]
"""
CRAWL_LOG = """\
2020-01-02T03:04:05.678Z   1  50 dns:a.example P http://a.example/ text/dns #1 20200102030405678+1 sha1:D - -
2020-01-02T03:04:05.678Z 200 123 http://a.example/n LR http://a.example/o text/html #1 20200102+1 sha1:ABC - -
"""
ACCESS = """\
1.2.3.4 - - [02/Jan/2020:03:04:05 +0100] "GET /p?a=1 HTTP/1.1" 200 99 "http://b.example/" "Mozilla/5.0"
1.2.3.4 - - [02/Jan/2020:03:04:05 +0100] "POST /p HTTP/1.1" 200 99
a.example:443 1.2.3.4 - - [02/Jan/2020:03:04:05 +0000] "GET /q HTTP/1.1" 200 -
1.2.3.4 - - [01/Jan/0001:00:00:00 +1400] "GET /r HTTP/1.1" 200 5
nonsense
"""
A = "http://a.example/"
TIME = "2020-01-02T03:04:05Z"
FORMATS: list[tuple[str, str, list[Visit], int]] = [
    ("v.cdx", CDX, [Visit(url=A, time=TIME, status=200, content_type="text/html", body_digest="sha1:ABC")], 0),
    ("v.cdxj", CDXJ, [Visit(url=A + "x", final_url=A + "y", redirects=((301, A + "x"),), time=TIME, status=301)], 1),
    (
        "crawl.log",
        CRAWL_LOG,
        [
            Visit(
                url=A + "n", status=200, time="2020-01-02T03:04:05.678Z", size=123, content_type="text/html",
                body_digest="sha1:ABC", depth=2, referer=A + "o",
            ),
            Visit(
                url=A + "o", final_url=A + "n", redirects=((302, A + "o"),), status=302,
                time="2020-01-02T03:04:05.678Z",
            ),
        ],
        0,
    ),
    (
        "access.log",
        ACCESS,
        [
            Visit(
                url="http://localhost/p?a=1", status=200, size=99, referer="http://b.example/",
                time="2020-01-02T02:04:05Z",
            ),
            Visit(url="https://a.example:443/q", status=200, time=TIME),
            Visit(url="http://localhost/r", status=200, size=5),
        ],
        1,
    ),
    ("urls.txt", f"# list\n{A}1\n\n{A}2\n", [Visit(url=A + "1"), Visit(url=A + "2")], 0),
    (
        "pages.csv",
        f"Address,Status Code,Canonical Link Element 1,Hash,Other\n{A},200,{A}c,H,x\n",
        [Visit(url=A, status=200, canonical=A + "c", body_digest="H")],
        0,
    ),
    ("pages.tsv", f"url\tmain_words\n{A}\t12\n{A}\tmany\n", [Visit(url=A, words=12)], 1),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "visits", "bad"), FORMATS, ids=[row[0] for row in FORMATS])
@pytest.mark.parametrize("packed", ["plain", "gz"])
def test_formats(tmp_path: Path, name: str, text: str, visits: list[Visit], bad: int, packed: str) -> None:
    path = tmp_path / (name if packed == "plain" else name + ".gz")
    path.write_bytes(text.encode() if packed == "plain" else gzip.compress(text.encode()))
    read = read_visits([path])
    assert list(read) == visits
    assert read.bad == bad


def test_csv_in_utf_16(tmp_path: Path) -> None:
    path = tmp_path / "internal_all.csv"
    path.write_bytes('Adresse;"Status-Code"\r\nhttp://a.example/ü;200\r\n'.encode("utf-16"))
    assert list(read_visits([path])) == [Visit(url="http://a.example/ü", status=200)]


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,link,b\n1,http://a.example/,T\n")
    assert list(read_visits([path], columns={"url": "link", "text_digest": "b"})) == [
        Visit(url="http://a.example/", text_digest="T")
    ]


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "pages.parquet"
    minhash = bytes(range(128))
    parquet.write_table(
        pyarrow.table({"url": ["http://a.example/"], "main_words": [7], "minhash": [minhash], "site": ["s"]}), path
    )
    assert list(read_visits([path])) == [Visit(url="http://a.example/", words=7, minhash=minhash)]


ERRORS = [
    pytest.param("nothing.jsonl", None, {}, "no such file", id="an absent file"),
    pytest.param("x.bin", "hello\nworld\n", {}, "say which with --format", id="an unknown kind"),
    pytest.param(
        "x.csv",
        "a,b\n1,2\n",
        {},
        "which column holds the URL\\? say it \\(--column NAME, or --columns url=NAME\\): a, b",
        id="a table without addresses",
    ),
    pytest.param("x.csv", "url\nx\n", {"words": "W"}, "no column 'W' among url", id="a column that is not there"),
]


@pytest.mark.parametrize(("name", "text", "columns", "message"), ERRORS)
def test_errors(tmp_path: Path, name: str, text: str | None, columns: dict[str, str], message: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(UrinormError, match=message):
        list(read_visits([tmp_path / name], columns=columns))


def test_minhash_column_is_base64() -> None:
    assert f'"minhash":"{base64.b64encode(bytes(128)).decode()}"' in FULL.to_json()


@pytest.mark.parametrize("piece", ["[", '{"url":', '{"url":"http://a.example/","links":[', '{"url":['])
def test_a_line_that_nests_without_end_is_a_bad_line(piece: str, tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text('{"url":"http://a.example/"}\n' + piece * 100_000 + "\n" + '{"url":"http://b.example/"}\n')
    reader = read_visits([path])
    assert [visit.url for visit in reader] == ["http://a.example/", "http://b.example/"]
    assert reader.bad == 1
