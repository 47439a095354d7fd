"""The disk store where it differs: time, its own folder, the optional dependency, its size."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.extras import MissingExtraError
from scrapy_urinorm.seen import SeenStore, SeenStoreError, make_store
from tests.needs import needs_rocksdict
from tests.seen.conftest import fingerprints

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
DAY = 86400.0


def opened(folder: Path, ttl: float | None = None) -> SeenStore:
    store = make_store("disk", directory=folder, ttl=ttl)
    store.open()
    return store


@needs_rocksdict
def test_a_page_is_crawled_again_after_its_time(tmp_path: Path, later: Callable[[float], None]) -> None:
    store = opened(tmp_path, ttl=DAY)
    assert store.add(b"page")
    later(DAY - 10)
    assert not store.add(b"page")
    assert b"page" in store
    later(20)
    assert b"page" not in store
    assert list(store) == []
    assert store.add(b"page")
    assert not store.add(b"page")
    store.close()


@needs_rocksdict
def test_time_counts_from_when_it_was_new_across_runs(tmp_path: Path, later: Callable[[float], None]) -> None:
    for day in range(5):
        store = opened(tmp_path, ttl=1.5 * DAY)
        # seen again and again, which does not make it younger
        assert store.add(b"page") == (day in {0, 2, 4})
        assert not store.add(b"page")
        store.close()
        later(DAY)


@needs_rocksdict
def test_a_later_run_may_set_another_time(tmp_path: Path, later: Callable[[float], None]) -> None:
    store = opened(tmp_path)
    store.add(b"page")
    store.close()
    later(3 * DAY)
    store = opened(tmp_path)
    assert b"page" in store
    store.close()
    store = opened(tmp_path, ttl=10 * DAY)
    assert b"page" in store
    store.close()
    store = opened(tmp_path, ttl=2 * DAY)
    assert b"page" not in store
    store.close()


@needs_rocksdict
def test_a_clock_set_back_does_not_make_pages_immortal(tmp_path: Path, later: Callable[[float], None]) -> None:
    store = opened(tmp_path, ttl=DAY)
    later(1000 * DAY)
    store.add(b"page")
    store.close()
    later(-1000 * DAY)
    store = opened(tmp_path, ttl=DAY)
    assert b"page" in store
    store.close()


@needs_rocksdict
def test_compacting_drops_what_has_expired(tmp_path: Path) -> None:
    store = opened(tmp_path, ttl=DAY)
    store.add_many(fingerprints(20_000))
    store.compact()
    assert any(tmp_path.rglob("*.sst"))
    store.close()
    store = opened(tmp_path, ttl=1)
    # RocksDB's own clock has whole seconds
    while any(tmp_path.rglob("*.sst")):
        store.compact()
    assert list(store) == []
    assert len(store) == 0
    store.close()


@needs_rocksdict
def test_runs_share_a_folder_of_their_own(tmp_path: Path) -> None:
    spec = f"disk:{tmp_path / 'memory' / 'of' / 'site'}"
    for first in (True, False):
        store = make_store(spec, directory=None)
        store.open()
        assert store.add(b"page") is first
        store.close()


@needs_rocksdict
def test_without_a_folder_nothing_remains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    store = make_store("disk")
    store.open()
    store.add(b"page")
    assert list(tmp_path.iterdir()) != []
    store.close()
    assert list(tmp_path.iterdir()) == []


@needs_rocksdict
def test_a_folder_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    store = make_store(f"disk:{tmp_path / 'taken'}")
    with pytest.raises(SeenStoreError, match="cannot make the folder"):
        store.open()


@needs_rocksdict
def test_a_damaged_database_is_said(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.add_many(fingerprints(100))
    store.close()
    for current in tmp_path.rglob("CURRENT"):
        current.write_text("damage")
    with pytest.raises(SeenStoreError, match="cannot open the database"):
        opened(tmp_path)


@needs_rocksdict
@pytest.mark.parametrize("meta", ["[1]", "[" * 4000, '{"format": 1, "stamps": null}', '{"format": 1, "stamps": ["x"]}'])
def test_a_damaged_description_is_said_and_the_folder_left(tmp_path: Path, meta: str) -> None:
    opened(tmp_path).close()
    (path,) = tmp_path.rglob("urinorm.json")
    path.write_text(meta)
    for _ in range(2):
        store = make_store("disk", directory=tmp_path, stamp={"rules": "1"})
        with pytest.raises(SeenStoreError, match=r"urinorm\.json"):
            store.open()


@needs_rocksdict
def test_a_file_that_goes_while_its_size_is_asked_for_has_none(tmp_path: Path) -> None:
    """RocksDB merges its files in threads of its own."""
    store = opened(tmp_path)
    (database,) = tmp_path.rglob("rocksdb")
    # as a file that is listed and is gone when it is looked at
    (database / "gone.sst").symlink_to("nowhere")
    assert store.stats()["disk_bytes"] > 0
    store.close()


@pytest.mark.parametrize(
    ("module", "spec", "extra"),
    [("rocksdict", "disk", "disk"), ("redis", "redis://127.0.0.1:1/0", "redis")],
)
def test_a_missing_extra_is_named(module: str, spec: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"pip install '.*\[{extra}\]'"):
        make_store(spec).open()


def test_nothing_optional_is_imported_for_memory() -> None:
    code = (
        "import sys; from scrapy_urinorm.seen import make_store; s = make_store('memory'); s.open(); s.add(b'x')\n"
        "print(*sorted({'rocksdict', 'redis', 'scrapy', 'pydantic', 'tldextract'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == ""
