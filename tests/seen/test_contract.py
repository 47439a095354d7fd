"""What every store promises, whatever it is made of."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.seen import SeenStore, SeenStoreError, StampChange, make_store
from scrapy_urinorm.seen.redis import RedisStore
from tests.seen.conftest import MakeStore, fingerprints

if TYPE_CHECKING:
    from pathlib import Path

# long enough for several splits, tiers and batches
MANY = 20_000

ODD_FINGERPRINTS = {
    "empty": b"",
    "all zero": b"\0" * 20,
    "all ones": b"\xff" * 20,
    "one byte": b"x",
    "32 bytes, as of SHA-256": b"0123456789abcdef" * 2,
    "line breaks": b"\n" * 20,
    "20 bytes that are no digest": b"page:000000000000001",
    "longer than Scrapy's own file can hold": b"z" * 100_000,
}


def test_is_a_seen_store(store: SeenStore) -> None:
    assert isinstance(store, SeenStore)


def test_first_add_is_new_and_second_is_not(store: SeenStore) -> None:
    first, second = fingerprints(2)
    assert first not in store
    assert store.add(first)
    assert not store.add(first)
    assert first in store
    assert second not in store
    assert len(store) == 1


@pytest.mark.parametrize("fp", ODD_FINGERPRINTS.values(), ids=ODD_FINGERPRINTS.keys())
def test_any_bytes_are_a_fingerprint(store: SeenStore, fp: bytes) -> None:
    assert fp not in store
    assert store.add(fp)
    assert fp in store
    assert not store.add(fp)
    (kept,) = store
    assert len(kept) == 20
    assert kept == fp or len(fp) != 20


def test_different_bytes_never_stand_for_one_another(store: SeenStore) -> None:
    zeros = [b"\0" * n for n in range(1, 30)]
    counters = [n.to_bytes(20, "big") for n in range(1, 600)]
    # what two neighbours in a bucket look like when read across their border
    shifted = [(n.to_bytes(20, "big") * 2)[k : k + 20] for n in range(1, 40) for k in range(20)]
    fps = list(dict.fromkeys([*ODD_FINGERPRINTS.values(), *zeros, *counters, *shifted]))
    assert [fp for fp in fps if not store.add(fp)] == []
    assert [fp for fp in fps if store.add(fp)] == []
    assert len(store) == len(fps)


def many(store: SeenStore) -> int:
    """How many fingerprints a store is to hold; what Redis does with more has its own tests."""
    return 4_000 if isinstance(store, RedisStore) else MANY


def test_holds_many_exactly(store: SeenStore) -> None:
    count = many(store)
    fps = fingerprints(count)
    others = fingerprints(count, seed=2)
    assert store.add_many(fps[: count // 2]) == count // 2
    assert all(map(store.add, fps[count // 2 :]))
    assert len(store) == count
    assert not any(map(store.add, fps[::7]))
    assert not any(fp in store for fp in others[::7])
    assert set(store) == set(fps)


def test_add_many_counts_only_what_is_new(store: SeenStore) -> None:
    fps = fingerprints(30)
    store.add(fps[0])
    assert store.add_many(iter([*fps, *fps, b"short"])) == 30
    assert store.add_many([]) == 0
    assert len(store) == 31
    assert b"short" in store


def test_what_is_held_back_is_written_by_flush_alone(lasting_store: MakeStore) -> None:
    """What is imported in bulk, too: else a fingerprint is known of a request that was written down nowhere."""
    store = lasting_store()
    one, *many = fingerprints(5)
    if store.hold():
        store.add(one)
        assert store.add_many([one, *many]) == 4
        assert len(store) == 5
        store.close()
        store = lasting_store()
        assert len(store) == 0
        store.hold()
        store.add_many(many)
        store.add(one)
        assert not any(map(store.add, many))
        store.flush()
        store.close()
        store = lasting_store()
        assert sorted(store) == sorted([one, *many])


def test_clear_forgets_all_and_goes_on(store: SeenStore) -> None:
    fps = fingerprints(1000)
    store.add_many(fps)
    store.clear()
    assert len(store) == 0
    assert list(store) == []
    assert store.add(fps[0])
    assert not store.add(fps[0])


def test_close_twice(store: SeenStore) -> None:
    store.close()
    store.close()


def test_stats_are_plain_numbers(store: SeenStore) -> None:
    store.add_many(fingerprints(500))
    stats = store.stats()
    assert stats["count"] == 500
    assert stats["memory_bytes"] > 0
    assert all(type(value) is int for value in stats.values())
    assert pickle.loads(pickle.dumps(stats)) == stats


def test_remembers_after_close(lasting_store: MakeStore) -> None:
    store = lasting_store()
    fps = fingerprints(many(store))
    store.add_many(fps)
    store.add(b"another length")
    store.close()
    again = lasting_store()
    assert len(again) == len(fps) + 1
    assert not any(map(again.add, fps[::5]))
    assert b"another length" in again
    assert again.add(b"new")


def test_remembers_a_clear(lasting_store: MakeStore) -> None:
    store = lasting_store()
    store.add_many(fingerprints(1000))
    store.clear()
    store.add(b"after")
    store.close()
    again = lasting_store()
    assert len(again) == 1
    assert b"after" in again


def test_jobs_do_not_share(lasting_store: MakeStore) -> None:
    one, other = lasting_store("one"), lasting_store("other")
    assert one.add(b"fp")
    assert other.add(b"fp")
    one.clear()
    assert b"fp" in other


def test_same_stamp_changes_nothing(lasting_store: MakeStore, caplog: pytest.LogCaptureFixture) -> None:
    stamp = {"rules": "aaaa", "can_ada": "3.0.0"}
    lasting_store(stamp=stamp).close()
    assert lasting_store(stamp=dict(stamp)).changes == ()
    assert caplog.records == []


def test_other_stamp_is_reported_once(lasting_store: MakeStore, caplog: pytest.LogCaptureFixture) -> None:
    first = lasting_store(stamp={"rules": "aaaa", "can_ada": "3.0.0", "preset": "recommended@1"})
    assert first.changes == ()
    first.add(b"fp")
    first.close()
    now = {"rules": "bbbb", "can_ada": "3.0.0", "preset": "safe@1"}
    second = lasting_store(stamp=now)
    assert second.changes == (StampChange("preset", "recommended@1", "safe@1"), StampChange("rules", "aaaa", "bbbb"))
    assert b"fp" in second
    (record,) = caplog.records
    assert record.name == "scrapy_urinorm.seen"
    assert "rules aaaa -> bbbb" in record.getMessage()
    second.close()
    assert lasting_store(stamp=now).changes == ()


def test_what_only_one_version_of_the_package_writes_is_no_change(
    lasting_store: MakeStore, caplog: pytest.LogCaptureFixture
) -> None:
    lasting_store(stamp={"rules": "aaaa", "scrapy_urinorm": "0.1.0"}).close()
    second = lasting_store(stamp={"rules": "aaaa", "keys": "1"})
    assert second.changes == ()
    second.close()
    assert caplog.records == []
    store = lasting_store(stamp={"rules": "aaaa", "keys": "2"})
    assert store.changes == (StampChange("keys", "1", "2"),), "the new name was written down"


def test_nothing_is_written_without_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = make_store("memory")
    store.open()
    store.add(b"fp")
    store.close()
    assert list(tmp_path.iterdir()) == []


BAD_SETTINGS = [
    pytest.param({"spec": "sqlite"}, ["URINORM_SEEN = 'sqlite'", "expected 'memory'"], id="unknown store"),
    pytest.param({"spec": "memory:here"}, ["URINORM_SEEN = 'memory:here'"], id="memory takes no folder"),
    pytest.param({"spec": "http://user:secret@host/"}, ["URINORM_SEEN = 'http:...'"], id="no password in the message"),
    pytest.param({"ttl": 60}, ["URINORM_SEEN_TTL", "'disk' or 'redis://...'"], id="memory has no times"),
    pytest.param({"spec": "disk", "ttl": 0}, ["URINORM_SEEN_TTL = 0"], id="no time at all"),
    pytest.param(
        {"spec": "redis://h", "ttl": -1, "on_lost": "ignore"},
        ["URINORM_SEEN_TTL = -1", "URINORM_SEEN_ON_LOST = 'ignore': expected 'stop' or 'wait'"],
        id="everything wrong is said at once",
    ),
]


@pytest.mark.parametrize(("settings", "said"), BAD_SETTINGS)
def test_settings_that_make_no_sense(settings: dict[str, object], said: list[str]) -> None:
    with pytest.raises(SeenStoreError) as caught:
        make_store(**settings)  # type: ignore[arg-type]  # what a settings file may hold
    assert [text for text in said if text not in str(caught.value)] == []
    assert "secret" not in str(caught.value)
