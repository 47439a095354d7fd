"""Temporary folders: those of a killed process are removed by the next one, and no others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Self

import pytest

from scrapy_urinorm.temporary import make_temporary, remove_temporary

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing is swept there")

_MAKES = """
import sys
from pathlib import Path
from scrapy_urinorm.temporary import make_temporary, remove_temporary
folder = make_temporary("learn")
Path(folder, "rows").write_text("gigabytes")
print(folder, flush=True)
sys.stdin.readline()
"""


class Process:
    """One that makes a folder below a `TMPDIR`, and lives until its input ends or it is killed."""

    def __init__(self, temporary: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _MAKES],
            env={**os.environ, "TMPDIR": str(temporary)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.folder = Path(self._process.stdout.readline().strip())
        assert (self.folder / "rows").exists()

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def test_that_of_a_killed_process_is_removed_by_the_next_one(tmp_path: Path) -> None:
    with Process(tmp_path) as killed:
        killed.kill()
        assert killed.folder.exists()
        with Process(tmp_path) as other:
            assert [*tmp_path.iterdir()] == [other.folder]


def test_that_of_a_living_process_stays(tmp_path: Path) -> None:
    with Process(tmp_path) as living, Process(tmp_path) as other:
        assert living.folder.exists()
        assert other.folder.exists()


def _of_another_machine(folder: Path) -> None:
    (folder / ".held").write_text("elsewhere.example\n")


def _before_it_was_held(folder: Path) -> None:
    (folder / ".held").write_text("")


def _without_its_file(folder: Path) -> None:
    (folder / ".held").unlink()


def _of_another_name(folder: Path) -> None:
    folder.rename(folder.with_name("mine"))
    folder.symlink_to("mine")


@pytest.mark.parametrize("make", [_of_another_machine, _before_it_was_held, _without_its_file, _of_another_name])
def test_what_is_not_known_to_be_left_behind_stays(tmp_path: Path, make: object) -> None:
    with Process(tmp_path) as killed:
        killed.kill()
        assert callable(make)
        make(killed.folder)
        with Process(tmp_path):
            assert (killed.folder / "rows").exists()


_FORKS = """
import os
from scrapy_urinorm.temporary import make_temporary, remove_temporary
folder = make_temporary("requests")
if not (child := os.fork()):
    remove_temporary(folder)
    os._exit(0)
os.waitpid(child, 0)
print(folder.exists())
remove_temporary(folder)
print(folder.exists())
"""


def test_a_process_that_was_forked_leaves_it(tmp_path: Path) -> None:
    """A spider may fork: what the crawl is to remove at its end is none of that process, and still needed."""
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", _FORKS], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


def test_one_is_read_by_its_owner_alone_and_removed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = make_temporary("seen")
    assert folder.name.startswith("urinorm-seen-")
    assert folder.stat().st_mode & 0o777 == 0o700
    (folder / "deep" / "er").mkdir(parents=True)
    remove_temporary(folder)
    assert [*tmp_path.iterdir()] == []
    # who comes second finds nothing, as where a crawl ends twice
    remove_temporary(folder)
