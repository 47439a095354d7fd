"""`urinorm report` as a process."""

from __future__ import annotations

import gzip
import json
import os
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.programs import run
from tests.report.crawls import Crawl, prose

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    crawl = Crawl().other_pages()
    for n in range(20):
        crawl.page(f"/a/{n}", prose(f"a{n}")).page(f"/a/{n}?ref={n % 3}", prose(f"a{n}"))
    crawl.write(tmp_path / "visits.jsonl")
    (tmp_path / "rules.toml").write_text('[rules]\nremove_params = ["ref"]\n')
    return tmp_path


def test_page_and_twin(folder: Path) -> None:
    done = run("report", "visits.jsonl", "-o", "out/r.html", "--json", "r.json", "--rules", "rules.toml", cwd=folder)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "Of 70 requests 20 (29 %) fetched a page that was there already, under another address or the same one.",
        "The rules of this report let 50 requests pass and would have avoided 20; 0 duplicates are left.",
        "written: out/r.html",
        "written: r.json",
    ]
    assert (folder / "out" / "r.html").read_text("utf-8").startswith("<!doctype html>")
    twin = json.loads((folder / "r.json").read_text("utf-8"))
    assert twin["format"] == 1
    assert twin["totals"]["avoidable"] == 20


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files are text there")
@pytest.mark.thorough
def test_a_name_with_odd_octets(folder: Path) -> None:
    (folder / "visits.jsonl").rename(folder / os.fsdecode(b"v\xff.jsonl"))
    done = run("report", os.fsdecode(b"v\xff.jsonl"), "-o", "r.html", "--json", "r.json", cwd=folder)
    assert (done.code, done.err) == (0, "")
    assert "v\\udcff.jsonl" in (folder / "r.html").read_text("utf-8")


@pytest.mark.thorough
def test_proposals_without_rules(folder: Path) -> None:
    assert run("report", "visits.jsonl", "--json", "r.json", cwd=folder).code == 0
    proposals = json.loads((folder / "r.json").read_text("utf-8"))["proposals"]
    assert proposals["toml"] == '[[site."shop.test".where]]\npath = "/a/*"\nremove_params = ["ref"]\n'


def test_standard_input(folder: Path) -> None:
    given = (folder / "visits.jsonl").read_bytes()
    done = run("report", "-", "--no-learn", "--preset", "safe", "--json", "-", cwd=folder, given=given)
    assert done.code == 0
    assert json.loads(done.out)["totals"]["requests"] == 70


def test_wrong_merges_are_said(folder: Path) -> None:
    Crawl().other_pages().page("/a?ref=1", prose("a")).page("/a?ref=2", prose("b")).write(folder / "wrong.jsonl")
    done = run("report", "wrong.jsonl", "--rules", "rules.toml", "-o", "r.html", cwd=folder)
    assert "Look at the suspicious merges first: at least 1 page would not have been fetched at all." in done.out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["absent.jsonl"], "absent.jsonl: there is no such file"),
        (["visits.jsonl", "--rules", "absent.toml"], "absent.toml"),
        (["visits.jsonl", "--stats", "rules.toml"], "rules.toml: not JSON"),
        (["visits.jsonl", "--columns", "url"], "--columns"),
        (["visits.jsonl", "--format", "pdf"], "'pdf'"),
        (["visits.jsonl", "-o", "rules.toml/r.html"], "rules.toml"),
        (["damaged.jsonl.gz"], "damaged.jsonl.gz: the compressed data are damaged"),
    ],
)
def test_errors_name_what_is_wrong(args: list[str], said: str, folder: Path) -> None:
    data = gzip.compress(b'{"url": "http://a.test/"}\n', mtime=0)
    (folder / "damaged.jsonl.gz").write_bytes(data[:10] + b"\xff" * 20 + data)
    done = run("report", "-o", "r.html", *args, cwd=folder)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_bad_rows_are_counted(folder: Path) -> None:
    (folder / "bad.jsonl").write_text('{"url": "http://a.test/"}\n{oops\n')
    done = run("report", "bad.jsonl", "-o", "r.html", cwd=folder)
    assert done.code == 0
    assert "bad.jsonl:2: " in done.err
    assert "1 row could not be read" in done.err
