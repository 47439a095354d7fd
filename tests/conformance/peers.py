"""Run the tests of other URL packages, record what they normalize, and report how our results compare.

`make peers` makes the environment and calls this as `python -m tests.conformance.peers`. The tests come from the source
distributions of the installed releases, kept in .cache/; nothing of them is in this repository. Each suite runs as it
is, with `peers_plugin.py` writing down the calls. `--all` prints every call that differs, not one for a reason.
The exit status is 0 if and only if every difference has a reason and no law is broken on any recorded URL.

ural, surt and urlcanon, which normalize too, publish no tests in their source distributions.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from tests.conformance.peers_reasons import REASONS
from tests.conformance.peers_report import Record, broken_laws, judged, ours, table, table_of_reasons

HERE = Path(__file__).resolve().parent
CACHE = HERE.parents[1] / ".cache" / "peers"
PLUGIN = CACHE / "plugin"


@dataclass(frozen=True)
class Suite:
    """The tests of a package: a folder of its source distribution, unless they are installed with it."""

    name: str
    tests: list[str]
    folder: str | None = "tests"
    options: list[str] = field(default_factory=list)


YARL = ["url", "url_parsing", "url_query", "update_query", "normalize_path"]
SUITES = [
    # the properties of w3lib draw URLs at random
    Suite("w3lib", ["tests/test_url.py"], options=["-k", "not Properties"]),
    Suite("url-normalize", ["tests"]),
    Suite("courlan", ["tests/unit_tests.py"]),
    Suite("hyperlink", [f"hyperlink.test.test_{name}" for name in ("url", "decoded_url", "parse")], None, ["--pyargs"]),
    Suite("rfc3986", ["tests"]),
    # their conftest.py measure, or need servers that these tests do not
    Suite("yarl", [f"tests/test_{name}.py" for name in YARL], options=["--noconftest"]),
    Suite("urllib3", ["test/test_util.py"], "test", ["--noconftest"]),
    Suite("furl", ["tests/test_furl.py"]),
    Suite("boltons", ["tests/test_urlutils.py"]),
    Suite("ada-url", ["tests"]),
    Suite("duplicate-url-discarder", ["tests/test_processors.py", "tests/test_url_canonicalizer.py"]),
]


def unpacked(suite: Suite) -> Path:
    """Return a folder with the tests of the installed release and nothing else, so that the release is tested."""
    folder = CACHE / f"{suite.name}-{version(suite.name)}"
    if folder.is_dir():
        return folder
    partial = CACHE / "unpacking"
    shutil.rmtree(partial, ignore_errors=True)
    (partial / "tests-alone").mkdir(parents=True)
    if suite.folder is not None:
        # the named package alone: `:all:` would build its build tools from source too
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", suite.name]
        subprocess.run([*pip, "--dest", str(partial), f"{suite.name}=={version(suite.name)}"], check=True)
        with tarfile.open(next(partial.glob("*.tar.gz"))) as tar:
            tar.extractall(partial / "source", filter="data")
        source = next((partial / "source").iterdir())
        (source / suite.folder).rename(partial / "tests-alone" / suite.folder)
    (partial / "tests-alone").rename(folder)
    shutil.rmtree(partial)
    return folder


def recorded(suite: Suite) -> list[Record]:
    """Run the tests of a suite; return the calls, in the order of their first occurrence.

    Raises RuntimeError when pytest breaks, or when no call was recorded.
    """
    folder = unpacked(suite)
    lines, log = CACHE / f"{suite.name}.jsonl", CACHE / f"{suite.name}.log"
    lines.unlink(missing_ok=True)
    environment = os.environ | {
        "PYTHONPATH": str(PLUGIN),
        "PYTEST_ADDOPTS": "",
        "URINORM_PEERS_SUITE": suite.name,
        "URINORM_PEERS_RECORDS": str(lines),
    }
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "peers_plugin", "-p", "no:cacheprovider"]
    # our own configuration, further up, is not theirs
    command = [*pytest, "-c", os.devnull, "--rootdir", str(folder), *suite.options, *suite.tests]
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    log.write_text(done.stdout + done.stderr, encoding="utf-8")
    if done.returncode not in (0, 1) or not lines.is_file() or not lines.stat().st_size:
        raise RuntimeError(f"{suite.name}: pytest ended with {done.returncode}, see {log}")
    print(f"{suite.name} {version(suite.name)}: {done.stdout.strip().rpartition(chr(10))[2]}", flush=True)
    return [Record(suite.name, **json.loads(line)) for line in lines.read_text("utf-8").splitlines()]


def shown(record: Record) -> str:
    """A call in two lines, in ASCII."""
    options = ascii(record.options)[:120] if record.options else ""
    return (
        f"    {record.suite} {record.operation} {record.input!a} {options}\n"
        f"      theirs {record.output!a}\n      ours   {ours(record)!a}"
    )


def main(arguments: list[str]) -> int:
    shutil.rmtree(PLUGIN, ignore_errors=True)
    PLUGIN.mkdir(parents=True)
    # alone in its folder: with the others of this folder on the path, sitecustomize.py would act
    shutil.copy(HERE / "peers_plugin.py", PLUGIN)
    records = [record for suite in SUITES for record in recorded(suite)]
    report = judged(records)
    laws = broken_laws(records)
    print(f"\n{table(report)}\n\n{table_of_reasons(report)}\n")
    for reason, verdicts in report.reasons.items():
        for verdict, found in verdicts.items():
            print(f"{verdict}: {REASONS[reason]}")
            print("\n".join(map(shown, found if "--all" in arguments else found[:1])))
    print("\ncalls of w3lib's canonicalize_url with another key:")
    own = [
        (reason, record)
        for reason, verdicts in report.reasons.items()
        for found in verdicts.values()
        for record in found
        if (record.suite, record.operation) == ("w3lib", "canonicalize_url")
    ]
    print("\n".join(f"{shown(record)}\n      {REASONS[reason]}" for reason, record in own))
    print(f"\n{len(report.unexplained)} calls without a reason; {len(laws)} broken laws")
    print("\n".join([*map(shown, report.unexplained), *laws]))
    return 1 if report.unexplained or laws else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
