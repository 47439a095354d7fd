"""What is written is there whole or not at all, and nothing but a file is replaced."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.whole_files import replacing, write_whole

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("before", ["old", None])
def test_what_fails_half_way_leaves_all_as_it_was(tmp_path: Path, before: str | None) -> None:
    path = tmp_path / "rules.toml"
    if before is not None:
        path.write_text(before)
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "new" * 100_000 + "\ud800")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("rules.toml", "old")] * bool(before)
    write_whole(path, "new")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("rules.toml", "new")]


def test_what_a_kill_has_left_is_not_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "a.partial").write_text("longer than what is new")
    write_whole(tmp_path / "a", "new")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a", "new")]


@pytest.mark.skipif(sys.platform == "win32", reason="no links, pipes and bits there")
def test_links_go_on_pointing_and_bits_stay(tmp_path: Path) -> None:
    there, link = tmp_path / "there", tmp_path / "link"
    there.write_text("old")
    there.chmod(0o640)
    link.symlink_to(there)
    write_whole(link, "new")
    assert link.is_symlink()
    assert (there.read_text(), there.stat().st_mode & 0o777) == ("new", 0o640)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes there")
def test_a_pipe_is_written_and_stays_one(tmp_path: Path) -> None:
    """`--output /dev/stdout` and `/dev/null`, too: a file in their place would be everybody's loss."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with replacing(path) as place:
        place.write_text("new")
    assert os.read(reader, 100) == b"new"
    os.close(reader)
    assert path.is_fifo()
    assert list(tmp_path.iterdir()) == [path]
