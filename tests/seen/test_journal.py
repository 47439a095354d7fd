"""What a JOBDIR goes through: kills, damage, full disks, folders that cannot be written, a second process."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import pytest

from scrapy_urinorm.seen import SeenStoreError, SeenStoreLostError, make_store
from scrapy_urinorm.seen.journal import FILE_NAME
from scrapy_urinorm.seen.memory import MemoryStore
from tests.needs import needs_rocksdict
from tests.seen.conftest import fingerprints

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER_BYTES = 4096
ENTRY_BYTES = 24
ROOT = Path(__file__).parents[2]


def opened(folder: Path) -> MemoryStore:
    store = make_store("memory", directory=folder)
    store.open()
    assert isinstance(store, MemoryStore)
    return store


def killed(store: MemoryStore) -> None:
    """Leave the files as a killed process does: nothing is written any more, the lock is gone."""
    store.close()


def test_every_add_is_in_the_file_before_it_is_answered(tmp_path: Path) -> None:
    store = opened(tmp_path)
    start = (tmp_path / FILE_NAME).stat().st_size
    for number, fp in enumerate(fingerprints(50), 1):
        store.add(fp)
        assert (tmp_path / FILE_NAME).stat().st_size == start + number * ENTRY_BYTES
        store.add(fp)
        assert (tmp_path / FILE_NAME).stat().st_size == start + number * ENTRY_BYTES
    store.close()


@pytest.mark.parametrize("cut", range(1, 25))
def test_a_torn_record_is_cut_off_before_anything_is_appended(
    tmp_path: Path, cut: int, caplog: pytest.LogCaptureFixture
) -> None:
    fps = fingerprints(100)
    store = opened(tmp_path)
    for fp in fps:
        store.add(fp)
    killed(store)
    path = tmp_path / FILE_NAME
    os.truncate(path, path.stat().st_size - cut)
    with caplog.at_level(logging.INFO):
        store = opened(tmp_path)
    assert ("cut off" in caplog.text) == (cut < ENTRY_BYTES)
    assert len(store) == 99
    assert store.add(fps[-1])
    assert store.add(b"later")
    killed(store)
    store = opened(tmp_path)
    assert len(store) == 101
    assert not any(map(store.add, [*fps, b"later"]))
    store.close()


@pytest.mark.parametrize("damage", [bytes(ENTRY_BYTES), b"\xff" * 7], ids=["a zeroed record", "some bytes"])
def test_damaged_records_are_skipped_and_the_rest_kept(
    tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    fps = fingerprints(10_000)
    store = opened(tmp_path)
    store.add_many(fps)
    killed(store)
    with (tmp_path / FILE_NAME).open("r+b") as file:
        file.seek(-5000 * ENTRY_BYTES, os.SEEK_END)
        file.write(damage)
    store = opened(tmp_path)
    assert len(store) == len(fps) - 1
    assert "1 damaged records" in caplog.text
    assert store.add(fps[5000])
    store.close()


def of_version_0_1(folder: Path, fps: list[bytes]) -> None:
    """A file as version 0.1 has left it: a snapshot of its table, bucket after bucket."""
    buckets = [b"".join(fps[at : at + 12]) for at in range(0, len(fps), 12)]
    counts = b"".join((len(bucket) // 20).to_bytes(4, "little") for bucket in buckets)
    body = b"".join(buckets)
    header = {"buckets": len(buckets), "snapshot": len(fps), "checksum": crc32(counts, crc32(body)), "stamps": []}
    head = f"urinorm-seen 1\n{json.dumps(header)}".encode().ljust(HEADER_BYTES - 1) + b"\n"
    (folder / FILE_NAME).write_bytes(head + counts + body)


def test_a_damaged_snapshot_is_reported_and_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    of_version_0_1(tmp_path, fingerprints(5000))
    with (tmp_path / FILE_NAME).open("r+b") as file:
        file.seek(-3000, os.SEEK_END)
        file.write(b"damage")
    store = opened(tmp_path)
    assert "damaged" in caplog.text
    assert len(store) == 5000
    assert sum(map(store.add, fingerprints(5000))) <= 2
    store.close()


@pytest.mark.parametrize("more", [0, 10_000, pytest.param(150_000, marks=pytest.mark.slow)])
def test_a_file_of_version_0_1_is_read_and_goes_on(tmp_path: Path, more: int, caplog: pytest.LogCaptureFixture) -> None:
    fps = fingerprints(20_000 + more)
    of_version_0_1(tmp_path, fps[:20_000])
    store = opened(tmp_path)
    store.add_many(fps[20_000:])
    killed(store)
    store = opened(tmp_path)
    assert set(store) == set(fps)
    store.compact()
    killed(store)
    store = opened(tmp_path)
    assert set(store) == set(fps)
    store.close()
    assert caplog.text == ""


def test_compacting_drops_what_is_damaged(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.add_many(fingerprints(100))
    killed(store)
    with (tmp_path / FILE_NAME).open("r+b") as file:
        file.seek(-50 * ENTRY_BYTES, os.SEEK_END)
        file.write(bytes(ENTRY_BYTES))
    store = opened(tmp_path)
    assert store.problems(99) == ["1 damaged records in the file, which `compact` drops"]
    store.compact()
    assert store.problems(99) == []
    killed(store)
    store = opened(tmp_path)
    assert store.problems(99) == []
    assert store.stats()["disk_bytes"] == HEADER_BYTES + 99 * ENTRY_BYTES
    store.close()


def test_a_rewriting_that_a_kill_interrupted_is_not_taken(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.add(b"kept")
    killed(store)
    (tmp_path / f"{FILE_NAME}.new").write_bytes(b"half a file")
    store = opened(tmp_path)
    assert b"kept" in store
    store.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [FILE_NAME, f"{FILE_NAME}.lock"]


UNUSABLE = [
    pytest.param(b"", "is not a seen file", id="empty"),
    pytest.param(b"{}" * 4096, "is not a seen file", id="something else"),
    pytest.param(b"urinorm-seen 2\n{}".ljust(HEADER_BYTES), "has format 2, this version reads 1", id="of the future"),
    pytest.param(b"urinorm-seen 1\n{".ljust(HEADER_BYTES), "damaged header", id="torn header"),
    pytest.param(
        b'urinorm-seen 1\n{"buckets": 9, "snapshot": 99}'.ljust(HEADER_BYTES), "is shorter than", id="snapshot cut off"
    ),
    pytest.param(
        b'urinorm-seen 1\n{"snapshot": 1000000000000000000000}'.ljust(HEADER_BYTES),
        "is shorter than",
        id="vast snapshot",
    ),
    *(
        pytest.param(b"urinorm-seen 1\n" + header.ljust(HEADER_BYTES), "damaged header", id=header.decode()[:20])
        for header in (
            b'{"buckets": "x"}',
            b'{"snapshot": -5}',
            b'{"stamps": null}',
            b'{"stamps": ["x"]}',
            b"[1]",
            b"[" * 4000,
        )
    ),
]


@pytest.mark.parametrize(("content", "said"), UNUSABLE)
def test_a_file_it_cannot_use_stops_the_start_and_stays_as_it_is(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(content)
    # the second one says so, too, not that the folder is in use
    for _ in range(2):
        with pytest.raises(SeenStoreError, match=said):
            opened(tmp_path)
    assert path.read_bytes() == content


def test_the_header_can_be_read_by_a_person(tmp_path: Path) -> None:
    store = make_store("memory", directory=tmp_path, stamp={"rules": "0123abcd"})
    store.open()
    store.close()
    title, header = (tmp_path / FILE_NAME).read_bytes()[:HEADER_BYTES].splitlines()
    assert title == b"urinorm-seen 1"
    assert b'"rules": "0123abcd"' in header


def test_many_stamps_do_not_outgrow_the_header(tmp_path: Path) -> None:
    for run in range(60):
        store = make_store("memory", directory=tmp_path, stamp={"rules": f"{run:064d}"})
        store.open()
        assert len(store.changes) == (run > 0)
        store.add(b"%d" % run)
        store.close()
    store = opened(tmp_path)
    assert len(store) == 60
    store.close()


def test_a_second_process_on_one_folder_is_told_who_has_it(tmp_path: Path) -> None:
    store = opened(tmp_path)
    code = (
        "import sys; from pathlib import Path; from scrapy_urinorm.seen import make_store\n"
        "make_store('memory', directory=Path(sys.argv[1])).open()"
    )
    second = subprocess.run(
        [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert second.returncode == 1
    assert f"in use by another crawl (process {os.getpid()})" in second.stderr
    store.close()
    assert subprocess.run([sys.executable, "-c", code, tmp_path], cwd=ROOT, check=False).returncode == 0


UNWRITABLE = """
import os, sys
from pathlib import Path
if sys.argv[1] == "disk":
    import rocksdict
# whom the rights are taken from may be shut out of the home of the checkout: all that is imported later, too
from scrapy_urinorm.seen import SeenStoreError, disk, journal, lock, make_store, memory, requests_seen
if os.geteuid() == 0:
    os.setuid(65534)
try:
    make_store(sys.argv[1], directory=Path(sys.argv[2])).open()
except SeenStoreError as error:
    print(error)
"""


@pytest.fixture
def visible_folder() -> Iterator[Path]:
    """A folder that another user can reach, which pytest's are not."""
    with tempfile.TemporaryDirectory(prefix="urinorm-read-only-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32", reason="lacks POSIX permissions")
@pytest.mark.parametrize("kind", ["memory", pytest.param("disk", marks=needs_rocksdict)])
@pytest.mark.parametrize("before", [False, True], ids=["new job", "resumed job"])
def test_a_read_only_folder_is_said_at_the_start(visible_folder: Path, kind: str, before: bool) -> None:
    if before:
        store = make_store(kind, directory=visible_folder)
        store.open()
        store.close()
    for path in [*visible_folder.rglob("*"), visible_folder]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    command = [sys.executable, "-c", UNWRITABLE, kind, str(visible_folder)]
    # a process without rights has none to write down its coverage either
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, env=environment)
    assert done.stderr == ""
    assert str(visible_folder) in done.stdout
    assert "Permission denied" in done.stdout


FULL = """
import resource, signal, sys
from pathlib import Path
from scrapy_urinorm.seen import SeenStoreLostError, make_store
store = make_store("memory", directory=Path(sys.argv[1]))
store.open()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
count = 0
try:
    while True:
        store.add(count.to_bytes(20, "big"))
        count += 1
except SeenStoreLostError as error:
    assert count.to_bytes(20, "big") not in store
    assert (count - 1).to_bytes(20, "big") in store
    try:
        store.add(b"again")
    except SeenStoreLostError:
        print(count, error)
"""


def fill_up(folder: Path, limit: int) -> tuple[int, str]:
    """Add until the file cannot grow; returns how many were answered, and what was said."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, folder, str(limit)], capture_output=True, text=True, cwd=ROOT, check=True
    )
    count, _, said = done.stdout.partition(" ")
    return int(count), said


@pytest.mark.skipif(sys.platform == "win32", reason="lacks RLIMIT_FSIZE")
@pytest.mark.parametrize("limit", [10_000, 10_001, 10_007, 10_023])
def test_a_full_quota_is_said_and_corrupts_nothing(tmp_path: Path, limit: int) -> None:
    count, said = fill_up(tmp_path, limit)
    assert f"cannot write {tmp_path / FILE_NAME}" in said
    assert "make room, then resume" in said
    store = opened(tmp_path)
    assert set(store) == {n.to_bytes(20, "big") for n in range(count)}
    assert store.add(count.to_bytes(20, "big"))
    store.close()


FULL_DISK = """
import sys
from pathlib import Path
from scrapy_urinorm.seen import SeenStoreError, SeenStoreLostError, make_store
kind, folder = sys.argv[1], Path(sys.argv[2])
store = make_store(kind, directory=folder)
store.open()
count = len(store)
try:
    while True:
        store.add(count.to_bytes(20, "big"))
        count += 1
except SeenStoreLostError as error:
    print(count, error)
store.close()
"""


@pytest.mark.system("a small tmpfs, which takes root")
@pytest.mark.parametrize("kind", ["memory", pytest.param("disk", marks=needs_rocksdict)])
def test_a_full_disk_is_said_and_loses_nothing(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder], capture_output=True, text=True, check=False
    )
    if mount.returncode:
        pytest.skip(f"lacks the right to mount a tmpfs: {mount.stderr.strip()}")
    try:
        command = [sys.executable, "-c", FULL_DISK, kind, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
        count, _, said = done.stdout.partition(" ")
        assert "No space left on device" in said
        subprocess.run(["mount", "-o", "remount,size=64m", folder], check=True)
        store = make_store(kind, directory=folder)
        store.open()
        assert [n for n in range(int(count)) if n.to_bytes(20, "big") not in store] == []
        assert store.add(b"there is room again")
        store.close()
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_lost_store_is_a_seen_store_error() -> None:
    assert issubclass(SeenStoreLostError, SeenStoreError)
