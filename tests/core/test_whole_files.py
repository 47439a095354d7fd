"""What is written is there whole or not at all, and nothing but a file is replaced."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scrapy_urinorm.whole_files import replacing, write_whole


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


REFUSED = [errno.EBUSY, errno.EXDEV, errno.EACCES, errno.EPERM, errno.EROFS]


@pytest.mark.parametrize("number", REFUSED, ids=errno.errorcode.get)
def test_a_file_that_can_only_be_written_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """A file that is mounted into a container: what `live` had learned was lost at the end of the crawl."""

    def refused(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    path = tmp_path / "learned.toml"
    path.write_text("old, and longer than what is new")
    other = tmp_path / "the same file"
    other.hardlink_to(path)
    monkeypatch.setattr(Path, "replace", refused)
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "new\ud800")
    assert path.read_text() == "old, and longer than what is new"
    write_whole(path, "new")
    assert (path.read_text(), other.read_text()) == ("new", "new")
    assert sorted(tmp_path.iterdir()) == [path, other]
    with pytest.raises(OSError, match=str(number)):
        write_whole(tmp_path / "not there", "new")
    assert sorted(tmp_path.iterdir()) == [path, other]


@pytest.mark.parametrize(
    "number", [errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG], ids=errno.errorcode.get
)
def test_a_folder_that_takes_no_file_is_not_in_the_way_of_one_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    elsewhere, folder = tmp_path / "tmp", tmp_path / "folder"
    elsewhere.mkdir()
    folder.mkdir()
    path = folder / "rules.toml"
    path.write_text("old, and longer than what is new")
    opens = os.open

    def refused(name: str | Path, flags: int, *rest: int) -> int:
        if flags & os.O_CREAT and Path(name).parent == folder:
            raise OSError(number, os.strerror(number), str(name))
        return opens(name, flags, *rest)

    def replace(*_: object) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    monkeypatch.setattr(os, "open", refused)
    monkeypatch.setattr(Path, "replace", replace)
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert [*elsewhere.iterdir(), *folder.iterdir()] == [path]
    with pytest.raises(OSError, match="not there") as raised:
        write_whole(folder / "not there", "new")
    assert (raised.value.errno, raised.value.filename) == (number, str(folder / "not there"))


def test_two_who_write_at_once_do_not_write_into_each_other(tmp_path: Path) -> None:
    """Two crawls with one `URINORM_LIVE_OUTPUT`: the first to end put the half of the other into the place."""
    path = tmp_path / "learned.toml"
    with replacing(path) as second, second.open("w") as file:
        file.write("half")
        file.flush()
        with contextlib.suppress(KeyboardInterrupt), replacing(path) as stopped:
            stopped.write_text("stopped")
            raise KeyboardInterrupt
        write_whole(path, "first")
        assert path.read_text() == "first"
        file.write(", and the rest")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("learned.toml", "half, and the rest")]


@pytest.mark.skipif(sys.platform == "win32", reason="no bits there")
def test_who_may_read_what_is_made(tmp_path: Path) -> None:
    new, known = tmp_path / "new", tmp_path / "known"
    before = os.umask(0o027)
    try:
        write_whole(new, "new")
    finally:
        os.umask(before)
    assert new.stat().st_mode & 0o777 == 0o640
    known.write_text("secret")
    known.chmod(0o604)
    with replacing(known) as partial:
        partial.write_text("new secret")
        assert partial.stat().st_mode & 0o777 == 0o600
    assert known.stat().st_mode & 0o777 == 0o604


@pytest.mark.skipif(sys.platform == "win32", reason="names are counted otherwise there")
def test_a_name_may_be_as_long_as_the_system_lets_it(tmp_path: Path) -> None:
    write_whole(tmp_path / ("n" * 255), "new")
    write_whole(tmp_path / ("ü" * 127), "new")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["new", "new"]


@pytest.mark.skipif(sys.platform == "win32", reason="no links, pipes and bits there")
def test_links_go_on_pointing_and_bits_stay(tmp_path: Path) -> None:
    there, link = tmp_path / "there", tmp_path / "link"
    there.write_text("old")
    there.chmod(0o640)
    link.symlink_to(there)
    write_whole(link, "new")
    assert link.is_symlink()
    assert (there.read_text(), there.stat().st_mode & 0o777) == ("new", 0o640)


@pytest.mark.skipif(sys.platform == "win32", reason="no links there")
def test_a_link_to_itself_is_an_error_of_the_system(tmp_path: Path) -> None:
    """Python 3.11 and 3.12 raise RuntimeError, which no command expects; later ones took the link for a free place."""
    loop, to_be = tmp_path / "loop", tmp_path / "to be"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="loop") as raised:
        write_whole(loop, "new")
    assert raised.value.errno == errno.ELOOP
    assert list(tmp_path.iterdir()) == [loop]
    to_be.symlink_to(tmp_path / "not there yet")
    write_whole(to_be, "new")
    assert (tmp_path / "not there yet").read_text() == "new"


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


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no such name there")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/stderr", "link"])
def test_the_file_that_output_goes_to_is_no_place_of_its_own(tmp_path: Path, name: str) -> None:
    """`(head; init --output /dev/stdout; foot) > FILE`: what came after went into a file that nobody saw any more."""
    code = (
        "import sys; from pathlib import Path; from scrapy_urinorm.whole_files import write_whole\n"
        "print('before'); write_whole(Path(sys.argv[1]), 'new\\n'); print('after')"
    )
    out, link = tmp_path / "out", tmp_path / "link"
    link.symlink_to("/dev/stdout")
    with out.open("wb") as file:
        file.write(b"head\n")
        file.flush()
        subprocess.run([sys.executable, "-c", code, name], cwd=tmp_path, stdout=file, stderr=file, check=True)
        file.write(b"foot\n")
    lines = out.read_text().splitlines()
    # errors are not held back as output is
    assert lines == ["head", "before", "new", "after", "foot"] or name == "/dev/stderr"
    assert sorted(lines) == ["after", "before", "foot", "head", "new"]
    assert sorted(tmp_path.iterdir()) == [link, out]
