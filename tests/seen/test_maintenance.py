"""The functions behind the `seen` command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.seen import SeenStoreError, maintenance, make_store
from scrapy_urinorm.seen.journal import FILE_NAME
from scrapy_urinorm.seen.requests_seen import read_fingerprints, write_binary
from tests.needs import needs_rocksdict
from tests.seen.conftest import fingerprints

if TYPE_CHECKING:
    from pathlib import Path

    from tests.seen.redis_server import RedisServer

FPS = fingerprints(3000)
KINDS = ["memory", "disk", "redis", "requests.seen"]


@pytest.fixture(params=[pytest.param(kind, marks=needs_rocksdict if kind == "disk" else ()) for kind in KINDS])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place of every kind with 3,000 fingerprints, under a prefix of its own in Redis."""
    if request.param == "requests.seen":
        write_binary(tmp_path / "requests.seen", FPS)
        return str(tmp_path)
    server: RedisServer | None = request.getfixturevalue("redis_server") if request.param == "redis" else None
    spec = server.url if server else request.param
    store = make_store(spec, directory=tmp_path, stamp={"rules": "aa"}, prefix=tmp_path.name)
    store.open()
    store.clear()
    store.add_many(FPS)
    store.close()
    return str(tmp_path) if server is None else server.url


def test_kind_count_and_contains(place: str, tmp_path: Path) -> None:
    assert maintenance.kind_of(place) in KINDS
    assert maintenance.count(place, prefix=tmp_path.name) == 3000
    asked = [FPS[7], b"another", FPS[8]]
    assert maintenance.contains(place, asked, prefix=tmp_path.name) == [True, False, True]


@pytest.mark.parametrize("form", ["text", "scrapy"])
def test_export_is_read_by_import(place: str, tmp_path: Path, form: maintenance.ExportFormat) -> None:
    target = tmp_path / "exported"
    assert maintenance.export(place, target, form, prefix=tmp_path.name) == 3000
    assert set(read_fingerprints(target)) == set(FPS)
    with pytest.raises(SeenStoreError, match="exists already"):
        maintenance.export(place, target, form, prefix=tmp_path.name)
    store = make_store("memory")
    store.open()
    store.add(FPS[0])
    assert maintenance.import_(str(target), store) == 2999
    assert maintenance.import_(place, store, prefix=tmp_path.name) == 0


def test_verify_finds_nothing_wrong_and_says_what_it_was_made_under(place: str, tmp_path: Path) -> None:
    verdict = maintenance.verify(place, prefix=tmp_path.name)
    assert verdict.fingerprints == 3000
    assert verdict.problems == ()
    assert [stamp["rules"] for stamp in verdict.stamps] == ([] if verdict.kind == "requests.seen" else ["aa"])


def test_looking_leaves_the_stamp_alone(place: str, tmp_path: Path) -> None:
    maintenance.count(place, prefix=tmp_path.name)
    if maintenance.kind_of(place) != "requests.seen":
        spec = place if place.startswith("redis") else maintenance.kind_of(place)
        store = make_store(spec, directory=tmp_path, stamp={"rules": "aa"}, prefix=tmp_path.name)
        store.open()
        assert store.changes == ()
        store.close()


def test_compact_keeps_what_is_sound_of_a_journal(tmp_path: Path) -> None:
    store = make_store("memory", directory=tmp_path)
    store.open()
    store.add_many(FPS)
    store.close()
    before, after = maintenance.compact(str(tmp_path))
    assert after == before
    assert maintenance.count(str(tmp_path)) == 3000


def test_verify_counts_damage_and_compact_removes_it(tmp_path: Path) -> None:
    store = make_store("memory", directory=tmp_path)
    store.open()
    store.add_many(FPS)
    store.close()
    path = tmp_path / FILE_NAME
    data = bytearray(path.read_bytes())
    data[-1000] ^= 1
    path.write_bytes(data)
    verdict = maintenance.verify(str(path))
    assert verdict.fingerprints == 2999
    assert verdict.problems == ("1 damaged records in the file, which `compact` drops",)
    maintenance.compact(str(tmp_path))
    assert maintenance.verify(str(tmp_path)).problems == ()


def test_verify_notices_what_redis_lost(redis_server: RedisServer) -> None:
    store = make_store(redis_server.url, prefix="lossy")
    store.open()
    store.add_many(FPS)
    store.close()
    (victim, *_) = redis_server.client().keys("lossy:8:*")
    redis_server.client().delete(victim)
    (problem,) = maintenance.verify(redis_server.url, prefix="lossy").problems
    assert problem.startswith("3000 fingerprints are counted, 29")


def test_a_running_crawl_keeps_its_folder(tmp_path: Path) -> None:
    store = make_store("memory", directory=tmp_path)
    store.open()
    with pytest.raises(SeenStoreError, match="in use by another crawl"):
        maintenance.count(str(tmp_path))
    store.close()


NOTHING = [
    pytest.param("nowhere", "no seen store here", id="no such folder"),
    pytest.param(".", "no seen store here", id="an empty folder"),
]


@pytest.mark.parametrize(("place", "said"), NOTHING)
def test_nothing_there_is_said(tmp_path: Path, place: str, said: str) -> None:
    with pytest.raises(SeenStoreError, match=said):
        maintenance.count(str(tmp_path / place))
    with pytest.raises(SeenStoreError, match=said):
        maintenance.export(str(tmp_path / place), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_fails_half_way_leaves_no_file(tmp_path: Path) -> None:
    """Half of the fingerprints would look like all, and the next try say that the file exists already."""
    write_binary(tmp_path / "requests.seen", FPS)
    with (tmp_path / "requests.seen").open("ab") as file:
        file.write(b"\0\0damage")
    for _ in range(2):
        with pytest.raises(SeenStoreError, match="the file is damaged"):
            maintenance.export(str(tmp_path), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["requests.seen"]


def test_clear_says_how_many_there_were(place: str, tmp_path: Path) -> None:
    if maintenance.kind_of(place) == "requests.seen":
        with pytest.raises(SeenStoreError, match="Scrapy's file"):
            maintenance.clear(place)
        return
    assert maintenance.clear(place, prefix=tmp_path.name) == 3000
    assert maintenance.count(place, prefix=tmp_path.name) == 0


def test_a_place_without_a_store_gets_one_when_asked_to(tmp_path: Path, redis_server: RedisServer) -> None:
    write_binary(tmp_path / "requests.seen", FPS)
    for place in (str(tmp_path), redis_server.url):
        with maintenance.opened(place, prefix="created", create=True) as store:
            assert maintenance.import_(str(tmp_path / "requests.seen"), store) == 3000
        assert maintenance.verify(place, prefix="created").fingerprints == 3000


def test_an_unknown_prefix_is_not_made(redis_server: RedisServer) -> None:
    with pytest.raises(SeenStoreError, match="check the key prefix"):
        maintenance.count(redis_server.url, prefix="typo")
    assert redis_server.client().exists("typo") == 0
