"""The compact table where it differs from what the contract can see: growth, bulk loading, the module in C."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm.engine import native
from scrapy_urinorm.seen.buckets import BUCKET_RECORDS, Buckets
from scrapy_urinorm.seen.table import FingerprintTable
from tests.seen.conftest import fingerprints

if TYPE_CHECKING:
    from collections.abc import Callable

both = pytest.mark.parametrize("in_c", [False, *([True] if native.module is not None else [])])
needs_c = pytest.mark.skipif(native.module is None, reason="needs the C module")
SIZES = [0, 1, BUCKET_RECORDS, BUCKET_RECORDS + 1, 4095, 4096, 50_000]


def filled(fps: list[bytes], *, in_c: bool = native.module is not None) -> FingerprintTable:
    table = FingerprintTable(in_c=in_c)
    for fp in fps:
        table.add(fp)
    return table


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("expected", [0, 50_000], ids=["underestimated", "overestimated"])
@both
def test_bulk_loading_gives_the_same_table(size: int, expected: int, in_c: bool) -> None:
    fps = fingerprints(size)
    blocks = [b"".join(fps[at : at + 999]) for at in range(0, size, 999)]
    table = FingerprintTable.from_records(blocks, expected, in_c=in_c)
    assert set(table) == set(fps)
    assert len(table) == size
    assert not any(map(table.add, fps))
    assert all(map(table.add, fingerprints(1000, seed=2)))


@both
@given(numbers=st.lists(st.integers(0, 2**16 - 1), max_size=200, unique=True), rest=st.binary(min_size=18, max_size=18))
def test_fingerprints_that_differ_in_two_bytes(numbers: list[int], rest: bytes, in_c: bool) -> None:
    fps = [rest[:9] + number.to_bytes(3, "big")[1:] + rest[9:] for number in numbers]
    table = filled(fps, in_c=in_c)
    assert len(table) == len(fps)
    assert set(table) == set(fps)


def test_no_bucket_grows_out_of_proportion_even_for_counters() -> None:
    buckets = Buckets()
    for n in range(50_000):
        buckets.add(n.to_bytes(20, "little"))
    longest = max(map(len, buckets.blocks())) // 20
    assert longest < 8 * BUCKET_RECORDS


@both
def test_a_hook_that_raises_leaves_the_table_as_it_was(in_c: bool) -> None:
    table = filled(fingerprints(10), in_c=in_c)

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
    st.integers(0, 50).map(lambda n: n.to_bytes(20, "little")),
)


@both
@given(steps=st.lists(st.tuples(_records, st.booleans())))
def test_holds_what_a_set_holds(steps: list[tuple[bytes, bool]], in_c: bool) -> None:
    table, model = FingerprintTable(in_c=in_c), set[bytes]()
    for record, adds in steps:
        assert (record in table) is (record in model)
        if adds:
            assert table.add(record) is (record not in model)
            model.add(record)
        assert len(table) == len(model)
    assert sorted(table) == sorted(model)


@needs_c
@pytest.mark.parametrize("hashed", [lambda n: n << 144, lambda n: n, lambda n: n << 64, lambda n: n << 128])
def test_records_that_are_no_digests_take_no_more_room(hashed: Callable[[int], int]) -> None:
    table = filled([(hashed(n) & ((1 << 160) - 1)).to_bytes(20, "little") for n in range(50_000)], in_c=True)
    assert table.memory_bytes() < 32 * len(table)


@needs_c
def test_many_records_of_one_hash_are_kept() -> None:
    fps = [_of_one_hash(n) for n in range(300)]
    table = filled(fps, in_c=True)
    assert sorted(table) == sorted(fps)
    assert not any(map(table.add, fps))
    assert table.memory_bytes() < 100_000


def _of_one_hash(number: int) -> bytes:
    """Records of which one word undoes what another one does to the hash (see table.c)."""
    return bytes(8) + number.to_bytes(8, "little") + number.to_bytes(4, "little")


@needs_c
def test_a_segment_of_many_pages_holds_what_it_is_given() -> None:
    first, more = ([_of_hash((n << 54) // 60_000) for n in range(start, 60_000, 3)] for start in (0, 1))
    table = filled(first, in_c=True)
    assert not any(map(table.add, first))
    assert not any(fp in table for fp in more)
    assert all(map(table.add, reversed(more)))
    assert sorted(table) == sorted(first + more)
    assert table.memory_bytes() < 30 * len(table) + 100_000


def _of_hash(number: int) -> bytes:
    """The record of which table.c makes this hash; below 1 << 54 all are of one segment."""
    mixed = number * pow(0xC4CEB9FE1A85EC53, -1, 1 << 64) % (1 << 64)
    return bytes(8) + (mixed ^ mixed >> 32).to_bytes(8, "little") + bytes(4)


@needs_c
def test_wrong_arguments_of_the_module_in_c_are_errors() -> None:
    module: Any = native.module
    with pytest.raises(TypeError):
        module.Table()
    table = module.Table(lambda fp: fp)
    wrong: tuple[tuple[Callable[[Any], Any], Any, type[Exception]], ...] = (
        (table.add, "x" * 20, TypeError),
        (table.add, b"x", ValueError),
        (table.__contains__, b"x", ValueError),
        (table.__contains__, None, TypeError),
        (table.fill, b"x", ValueError),
        (table.fill, "", TypeError),
        (table.block, module.SEGMENTS, IndexError),
        (table.block, -1, OverflowError),
        (table.block, "", TypeError),
    )
    for function, argument, error in wrong:
        with pytest.raises(error):
            function(argument)
    assert len(table) == 0
    with pytest.raises(ZeroDivisionError):
        module.Table(lambda _: 1 // 0).add(b"x")
    with pytest.raises(TypeError):
        module.Table(lambda _: "x").add(b"x")


@needs_c
def test_a_hook_may_add_the_record_itself() -> None:
    table = FingerprintTable(in_c=True)

    def again(record: bytes) -> None:
        table._table.on_new(None)
        table.add(record)

    table.on_new(again)
    assert not table.add(b"x" * 20)
    assert len(table) == 1
