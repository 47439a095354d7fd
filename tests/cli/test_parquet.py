"""Parquet through `normalize` and `groups`: all columns stay, what is new stands beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm import Normalizer
from tests.cli.programs import run

if TYPE_CHECKING:
    from pathlib import Path

pa = pytest.importorskip("pyarrow", reason="lacks pyarrow: the extra `learn`")
parquet = pytest.importorskip("pyarrow.parquet", reason="lacks pyarrow: the extra `learn`")

URLS = ["http://a.example/?utm_source=x&b=2&a=1", None, "http://a.example/?a=1&b=2", "no URL", "http://b.example/é"]
COLUMNS: dict[str, Any] = {"id": [1, 2, 3, 4, 5], "url": URLS, "tags": [["x"], [], None, ["y", "z"], []]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    parquet.write_table(pa.table(COLUMNS), tmp_path / "pages.parquet", row_group_size=2)
    return tmp_path


@pytest.mark.parametrize(("options", "name", "function"), [
    ((), "canonical", Normalizer().normalize), (("--key",), "key", Normalizer().key),
])  # fmt: skip
def test_normalize(options: tuple[str, ...], name: str, function: Any, folder: Path) -> None:
    done = run("normalize", *options, "pages.parquet", "--output", "out/new.parquet", cwd=folder)
    assert (done.code, done.err, done.out) == (0, "", "out/new.parquet: 5 rows\n")
    expected = {**COLUMNS, name: [None if url is None else function(url) for url in URLS]}
    assert parquet.read_table(folder / "out" / "new.parquet").to_pydict() == expected


def test_groups(folder: Path) -> None:
    assert run("groups", "pages.parquet", "-o", "new.parquet", cwd=folder).code == 0
    found = parquet.read_table(folder / "new.parquet").to_pydict()
    assert {name: found[name] for name in COLUMNS} == COLUMNS
    assert found["group_size"] == [2, None, 2, 1, 1]
    assert found["key"][0] == found["key"][2]


WRONG = {
    "no Parquet": ("normalize urls.txt -o x.parquet", "is not a Parquet file, and --output works with these only"),
    "from a pipe": ("normalize -o x.parquet", "give a file instead of standard input"),
    "no such column": ("normalize pages.parquet --column URL -o x.parquet", "no column 'URL' among id, url, tags"),
    "which column": ("groups other.parquet -o x.parquet", "which column holds the URL? Give --column with one of a, b"),
    "there already": ("normalize keyed.parquet --key -o x.parquet", "there is already a column 'key'"),
    "no rows": ("normalize empty.parquet -o x.parquet", "there are no rows to write"),
    "different files": ("normalize pages.parquet keyed.parquet -o x.parquet", "the files have different columns"),
}  # fmt: skip


@pytest.mark.parametrize(("command", "message"), WRONG.values(), ids=WRONG)
def test_wrong(command: str, message: str, folder: Path) -> None:
    (folder / "urls.txt").write_text("http://a.example/\n")
    parquet.write_table(pa.table({"a": [1], "b": ["x"]}), folder / "other.parquet")
    parquet.write_table(pa.table({"url": ["http://a.example/"], "key": [1]}), folder / "keyed.parquet")
    parquet.write_table(pa.table({"url": pa.array([], pa.string())}), folder / "empty.parquet")
    done = run(*command.split(), cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert not [path for path in folder.iterdir() if path.name.startswith("x.parquet")]
