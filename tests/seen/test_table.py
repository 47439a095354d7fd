"""The compact table where it differs from what the contract can see: growth, snapshots, bulk loading."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm.engine import native
from scrapy_urinorm.seen.table import BUCKET_RECORDS, FingerprintTable, python_parted, python_place
from tests.seen.conftest import fingerprints

needs_c = pytest.mark.skipif(native.module is None, reason="needs the C module")
SIZES = [0, 1, BUCKET_RECORDS, BUCKET_RECORDS + 1, 4095, 4096, 50_000]


def filled(fps: list[bytes]) -> FingerprintTable:
    table = FingerprintTable()
    for fp in fps:
        table.add(fp)
    return table


def joined(table: FingerprintTable) -> list[bytes]:
    return list(table.snapshot())


@pytest.mark.parametrize("size", SIZES)
def test_a_snapshot_is_the_same_table(size: int) -> None:
    fps = fingerprints(size)
    again = FingerprintTable.from_snapshot(joined(filled(fps)))
    assert set(again) == set(fps)
    assert len(again) == size
    assert not any(map(again.add, fps))
    assert all(map(again.add, fingerprints(1000, seed=2)))
    assert not any(map(again.add, fps))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("expected", [0, 50_000], ids=["underestimated", "overestimated"])
def test_bulk_loading_gives_the_same_table(size: int, expected: int) -> None:
    fps = fingerprints(size)
    blocks = [b"".join(fps[at : at + 999]) for at in range(0, size, 999)]
    table = FingerprintTable.from_records(blocks, expected)
    assert set(table) == set(fps)
    assert len(table) == size
    assert not any(map(table.add, fps))
    assert all(map(table.add, fingerprints(1000, seed=2)))


@given(st.lists(st.integers(0, 2**16 - 1), max_size=200, unique=True), st.binary(min_size=18, max_size=18))
def test_fingerprints_that_differ_in_two_bytes(numbers: list[int], rest: bytes) -> None:
    fps = [rest[:9] + number.to_bytes(3, "big")[1:] + rest[9:] for number in numbers]
    table = filled(fps)
    assert len(table) == len(fps)
    assert set(table) == set(fps)


def test_no_bucket_grows_out_of_proportion_even_for_counters() -> None:
    table = filled([n.to_bytes(20, "little") for n in range(50_000)])
    longest = max(map(len, table.snapshot())) // 20
    assert longest < 8 * BUCKET_RECORDS


def test_a_hook_that_raises_leaves_the_table_as_it_was() -> None:
    table = filled(fingerprints(10))

    def full(_record: bytes) -> None:
        raise OSError

    table.on_new(full)
    with pytest.raises(OSError):  # noqa: PT011 - whatever the hook raises
        table.add(b"new")
    assert b"new" not in table
    assert len(table) == 10
    assert not table.add(fingerprints(1)[0])


def test_takes_a_third_of_a_set() -> None:
    def cost(make: object) -> int:
        tracemalloc.start()
        kept = make(fingerprints(50_000))  # type: ignore[operator]  # set or filled
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert len(kept) == 50_000
        return size

    assert cost(filled) * 3 < cost(set)


_records = st.one_of(
    st.binary(min_size=20, max_size=20),
    st.integers(0, 3).map(lambda n: bytes([n]) * 20),
    st.integers(0, 19).map(lambda n: b"a" * n + b"b" + b"a" * (19 - n)),
)


@needs_c
@given(bucket=st.lists(_records, max_size=30), record=_records, bits=st.integers(0, 63))
def test_the_module_in_c_finds_and_parts_as_python_does(bucket: list[bytes], record: bytes, bits: int) -> None:
    module: Any = native.module
    octets = b"".join(bucket)
    for buckets, mask in (([octets], 0), ([octets] * 5, 7), ([b"", octets, b""], 3), ([octets] * 8, 7)):
        arguments = (buckets, mask, mask >> 1, record)
        assert module.place(*arguments) == python_place(*arguments)
    assert module.parted(octets, 1 << bits) == python_parted(octets, 1 << bits)


@needs_c
def test_wrong_arguments_of_the_module_in_c_are_errors() -> None:
    module: Any = native.module
    record = b"x" * 20
    for wrong in (
        (),
        ((), 0, 0, record),
        ([b""], "", 0, record),
        ([b""], -1, 0, record),
        ([b""], 0, 0, ""),
        ([1], 0, 0, record),
    ):
        with pytest.raises((TypeError, OverflowError)):
            module.place(*wrong)
    with pytest.raises(ValueError, match="20"):
        module.place([b""], 0, 0, b"x")
    for buckets in ([], [b"", b""]):
        with pytest.raises(IndexError):
            module.place(buckets, (1 << 40) - 1, (1 << 40) - 1, record)
    others: tuple[Any, ...] = ((), ("", 1), (b"", ""), (b"", -1))
    for wrong_parts in others:
        with pytest.raises((TypeError, OverflowError)):
            module.parted(*wrong_parts)
    with pytest.raises(ValueError, match="20"):
        module.parted(b"x", 1)
