"""A cluster of three executors that share nothing but the input learns what one process does, also if one is killed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.learn import spark, to_toml
from tests.learn.spark_sessions import ROOT, environment, started, toml, written

if TYPE_CHECKING:
    from collections.abc import Iterator

TASKS = 12


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def java(home: Path, log: Path, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    """A process of Spark itself; it knows nothing of this checkout."""
    import pyspark

    assert pyspark.__file__ is not None
    place = Path(pyspark.__file__).parent
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env |= {
        "SPARK_HOME": str(place),
        "SPARK_WORKER_DIR": str(home),
        "SPARK_LOCAL_DIRS": str(home / "local"),
        **environment,
    }
    command = [str(place / "bin" / "spark-class"), *arguments]
    with log.open("wb") as file:
        return subprocess.Popen(command, cwd=home, env=env, stdout=file, stderr=file, start_new_session=True)


def until(true: Any, seconds: float = 280) -> None:
    """Wait for something that another process does."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it does not come about"
        threading.Event().wait(0.05)


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[str]:
    """A standalone cluster on loopback: its address; each worker has a folder of its own and no environment of ours."""
    port = free_port()
    address = f"spark://127.0.0.1:{port}"
    with ExitStack() as stack:

        def run(name: str, *arguments: str) -> Path:
            home = folder / name
            home.mkdir(parents=True)
            process = java(home, home / "log", *arguments, PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
            stack.callback(process.wait)
            # with its executors, which are in its group
            stack.callback(os.killpg, process.pid, signal.SIGKILL)
            return home / "log"

        master = run(
            "master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port),
            "--webui-port", str(free_port()),
        )  # fmt: skip
        until(lambda: b"New state: ALIVE" in master.read_bytes())
        for number in range(workers):
            run(
                f"worker-{number}", "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", "1",
                "--memory", "1g", "--webui-port", str(free_port()), address,
            )  # fmt: skip
        until(lambda: master.read_bytes().count(b"Registering worker") == workers)
        yield address


def executors(session: Any) -> list[int]:
    """The processes that run the tasks of a session, by their numbers."""
    mine = f":{session.conf.get('spark.driver.port')} "
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if "CoarseGrainedExecutorBackend" in command and mine in command:
                found.append(int(entry.name))
    return found


@pytest.mark.system("java")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds the executors in /proc")
def test_three_executors_one_of_them_killed(tmp_path: Path) -> None:
    """They share the input, and get the package from the driver."""
    pytest.importorskip("pyspark")
    folder = written(tmp_path / "visits")
    package = shutil.make_archive(str(tmp_path / "package"), "zip", ROOT, "scrapy_urinorm")
    small = {"sql_files_maxPartitionBytes": "50000", "sql_shuffle_partitions": str(TASKS), "executor_memory": "512m"}
    with (
        cluster(tmp_path / "cluster", 3) as address,
        environment(SPARK_LOCAL_DIRS=str(tmp_path / "driver")),
        started(address, submit_pyFiles=package, executor_cores="1", **small) as session,
    ):
        until(lambda: len(executors(session)) == 3)
        expected = toml(folder)
        assert to_toml(spark.learn_on_spark(session, [folder])[0]) == expected
        outcome: list[str] = []
        learning = threading.Thread(target=lambda: outcome.append(to_toml(spark.learn_on_spark(session, [folder])[0])))
        tracker = session.sparkContext.statusTracker()
        learning.start()
        # in the second stage, which learns: what the killed executor had read for the others is gone with it
        until(
            lambda: any(
                (stage := tracker.getStageInfo(number)) and stage.numTasks == TASKS and stage.numCompletedTasks
                for number in tracker.getActiveStageIds()
            )
        )
        os.kill(min(executors(session)), signal.SIGKILL)
        learning.join()
        assert outcome == [expected]
