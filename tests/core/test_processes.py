"""Work through several processes: the results of one process, in order, and a clear end whatever happens."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
from itertools import count, islice
from pathlib import Path

import pytest

from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.processes import environment, in_order, python

# Python 3.12 and later say so of the threads of whatever runs the tests
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


def squared(number: int) -> int:
    return number * number


def own(_: int) -> int:
    return os.getpid()


def fail(number: int) -> int:
    raise ValueError(f"not {number}")


def end(_: int) -> int:
    os._exit(1)


def interrupt(_: int) -> int:
    os.kill(os.getpid(), signal.SIGINT)
    return 0


def large(number: int) -> bytes:
    return bytes([number % 256]) * 1_000_000


@pytest.mark.parametrize("jobs", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("fork", [True, False])
def test_results_come_in_the_order_of_the_items(jobs: int, fork: bool) -> None:
    assert list(in_order(squared, range(50), jobs, fork=fork)) == [n * n for n in range(50)]


def test_an_endless_input_is_read_as_it_is_needed() -> None:
    items = count()
    assert list(islice(in_order(squared, items, 2), 10)) == [n * n for n in range(10)]
    assert next(items) < 20


def test_what_is_not_worth_a_process_is_done_here() -> None:
    pids = list(in_order(own, range(10), 2, worth=lambda n: n % 2 == 0))
    assert {pids[n] for n in range(1, 10, 2)} == {os.getpid()}
    assert os.getpid() not in {pids[n] for n in range(0, 10, 2)}


def test_no_process_is_left() -> None:
    before = multiprocessing.active_children()
    results = in_order(large, range(100), 2)
    assert next(results) == large(0)
    results.close()  # type: ignore[attr-defined]  # a generator
    assert multiprocessing.active_children() == before


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_the_work_is_raised_here(jobs: int) -> None:
    with pytest.raises(ValueError, match="not 0"):
        list(in_order(fail, range(10), jobs))


def test_a_process_that_is_ended_from_outside_is_an_error() -> None:
    with pytest.raises(UrinormError, match="ended from outside"):
        list(in_order(end, range(10), 2))


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_process_that_is_interrupted_interrupts() -> None:
    with pytest.raises(KeyboardInterrupt):
        list(in_order(interrupt, range(10), 2))


INTERRUPTED = """
import os, signal, threading
from scrapy_urinorm.processes import in_order
from tests.core.test_processes import squared

told, tell = os.pipe()
os.set_blocking(tell, False)
signal.set_wakeup_fd(tell)
# as numpy and duckdb have some: it takes what the main thread holds back
threading.Thread(target=threading.Event().wait, daemon=True).start()

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    os.read(told, 1)

os.register_at_fork(after_in_parent=interrupt)
print(list(in_order(squared, range(5), 2)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_an_interrupt_during_a_fork_is_not_lost() -> None:
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", INTERRUPTED]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == -signal.SIGINT
    assert done.stdout == ""
    assert "Exception ignored" not in done.stderr


ENDLESS = """
from itertools import count
from scrapy_urinorm.processes import environment, in_order, python
from tests.core.test_processes import squared
for result in in_order(squared, count(), 2, fork={fork}):
    print(result, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(signal.SIGTERM, id="terminated", marks=pytest.mark.thorough),
        pytest.param(signal.SIGKILL, id="killed"),
    ],
)
@pytest.mark.parametrize("fork", [True, False])
def test_processes_end_with_the_one_that_started_them(fork: bool, number: signal.Signals) -> None:
    """They hold the ends of its pipes: an output that comes to its end tells that none is left."""
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", ENDLESS.format(fork=fork)]
    with subprocess.Popen(
        command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"0\n"
            process.send_signal(number)
            process.communicate(timeout=280)
            assert process.returncode == -number
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def test_a_child_finds_what_was_put_on_the_path_while_we_ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a crawler does that runs a project from a checkout; folders stay in their order."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "urinorm_elsewhere.py").write_text(f"print({name!r})\n")
        monkeypatch.syspath_prepend(tmp_path / name)
    # no name of a folder, and what is no name at all
    monkeypatch.setattr(sys, "path", [*sys.path, f"{tmp_path}{os.pathsep}odd", tmp_path])
    command = [sys.executable, "-m", "urinorm_elsewhere"]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "two\n"
    assert subprocess.run(command, env=dict(os.environ), capture_output=True, check=False).returncode == 1


def test_a_child_finds_nothing_that_is_not_on_the_path(tmp_path: Path) -> None:
    """`-m` looks into the working directory first, where a project may have a `queue.py`; `scrapy crawl` does not."""
    (tmp_path / "queue.py").write_text("print('not mine')\n")
    command = [sys.executable, "-m", "queue"]
    for variables, said in ((None, "not mine\n"), (environment(), "")):
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True, cwd=tmp_path)
        assert done.stdout == said


@pytest.mark.parametrize(
    ("program", "frozen"),
    [("/opt/app/crawl", False), ("/usr/bin/uwsgi", False), ("", False), (None, False), (sys.executable, True)],
)
def test_a_program_that_is_no_python_is_not_started_again(
    program: str | None, frozen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would do all that it does once more, start itself again in that, and so on."""
    monkeypatch.setattr(sys, "executable", program)
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    with pytest.raises(OSError, match=r"no Python that could run scrapy_urinorm\.any"):
        python("scrapy_urinorm.any")


@pytest.mark.parametrize("name", ["python3.11", "Python", "pythonw.exe", "pypy3", "crawler"])
def test_a_python_is_known_by_its_name_or_by_what_it_leads_to(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(tmp_path / name))
    assert python("any", "--flag") == [str(tmp_path / name), "-m", "any", "--flag"]


def test_one_that_a_script_starts_may_be_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".python3-wrapped").touch()
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".python3-wrapped"))
    assert python("any")[1:] == ["-m", "any"]
