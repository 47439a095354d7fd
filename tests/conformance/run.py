"""Run Scrapy's own tests through our components, and compare with the unmodified Scrapy.

`make conformance` makes the environment (the newest Scrapy and what its tests import) and calls this. The tests come
from the source distribution of the installed Scrapy, kept in .cache/. Each suite runs three times: with Scrapy as it
is (our package is not even installed: an entry point can break every command), with the add-on, and with the classes
named in settings. The exit status is 0 if and only if nothing fails with our components that the unmodified Scrapy
passes, save what known_differences.toml lists with a reason.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".cache" / "conformance"
PACKAGE = CACHE / "package"
MODES = ("addon", "classes")

COMPONENTS = [
    "test_addons.py",
    "test_crawl.py",
    "test_crawler.py",
    "test_crawler_runners.py",
    "test_downloadermiddleware_httpcache.py",
    "test_downloadermiddleware_redirect*.py",
    "test_dupefilters.py",
    "test_engine*.py",
    "test_pipeline_crawl.py",
    "test_pipeline_files.py",
    "test_pipeline_media.py",
    "test_request_*.py",
    "test_scheduler*.py",
    "test_spider_crawl.py",
    "test_spider_start.py",
    "test_spidermiddleware*.py",
    "test_utils_request.py",
]
PROCESSES = [
    "test_command_check.py",
    "test_command_crawl.py",
    "test_command_fetch.py",
    "test_command_parse.py",
    "test_command_runspider.py",
    "test_command_shell.py",
    "test_crawler_subprocess.py",
]


@dataclass(frozen=True)
class Suite:
    name: str
    files: list[str]
    options: list[str]


REACTOR = ["--reactor=asyncio", "-p", "no:asyncio"]
NO_REACTOR = ["--reactor=none", "-p", "no:twisted", "-o", "asyncio_default_fixture_loop_scope=function"]
SUITES = [
    Suite("asyncio reactor", COMPONENTS, REACTOR),
    Suite("no reactor", COMPONENTS, NO_REACTOR),
    Suite("commands and scripts in processes of their own", PROCESSES, [*REACTOR, "-n", str(os.cpu_count() or 1)]),
]
COMMON = [
    "-q",
    "--timeout=120",
    "-p",
    "plugin",
    "-p",
    "no:cacheprovider",
    # warnings are errors in Scrapy's tests; this one comes from its own fixtures under a newer pytest
    "-W",
    "ignore:Session-scoped fixtures defined as instance methods",
]


@dataclass
class Result:
    outcomes: dict[str, str] = field(default_factory=dict)
    uses: Counter[str] = field(default_factory=Counter)

    def passed(self) -> set[str]:
        return {test for test, outcome in self.outcomes.items() if outcome == "passed"}

    def summary(self) -> str:
        counts = Counter(self.outcomes.values())
        return ", ".join(f"{counts[outcome]} {outcome}" for outcome in ("passed", "failed", "skipped"))


def unpacked_tests(release: str) -> Path:
    """Return the folder with the tests of this release and nothing else, so that the installed Scrapy is tested."""
    folder = CACHE / f"scrapy-{release}"
    if folder.is_dir():
        return folder
    archive = CACHE / f"scrapy-{release}.tar.gz"
    if not archive.is_file():
        print(f"downloading the source distribution of Scrapy {release}", flush=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*pip, "--dest", str(CACHE), f"scrapy=={release}"], check=True)
    partial = CACHE / "unpacking"
    shutil.rmtree(partial, ignore_errors=True)
    with tarfile.open(archive) as tar:
        tar.extractall(partial, filter="data")
    source = next(partial.iterdir())
    shutil.rmtree(source / "scrapy")
    source.rename(folder)
    return folder


def install_package() -> None:
    """Install our package, entry points included, where only the runs that name the folder find it."""
    shutil.rmtree(PACKAGE, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(PACKAGE), str(ROOT)], check=True)


def run(folder: Path, mode: str, options: list[str], tests: list[str], log: Path) -> Result:
    """Run pytest in `folder` with our components set as `mode` says.

    Raises RuntimeError when pytest itself breaks, or when not one test reached our components.
    """
    parts = CACHE / "results"
    shutil.rmtree(parts, ignore_errors=True)
    parts.mkdir(parents=True)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(HERE)] if mode == "scrapy" else [str(HERE), str(PACKAGE)]),
        "URINORM_CONFORMANCE_MODE": mode,
        "URINORM_CONFORMANCE_RESULTS": str(parts),
        "PYTEST_ADDOPTS": "",
    }
    with log.open("w", encoding="utf-8") as stream:
        command = [sys.executable, "-m", "pytest", *COMMON, *options, *tests]
        done = subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT
        )
    result = Result()
    for part in parts.iterdir():
        content = json.loads(part.read_text(encoding="utf-8"))
        result.outcomes.update(content["outcomes"])
        result.uses.update(content["uses"])
    if done.returncode not in (0, 1) or not result.outcomes:
        raise RuntimeError(f"pytest ended with {done.returncode}, see {log}")
    return result


def compare(folder: Path, suite: Suite, release: str, known: dict[str, str]) -> list[str]:
    """Run one suite in every mode; return the problems found, as lines to print."""
    tests = sorted(f"tests/{path.name}" for pattern in suite.files for path in (folder / "tests").glob(pattern))
    label = suite.name.split()[0]
    logs = {mode: CACHE / f"{release}-{label}-{mode}.log" for mode in ("scrapy", *MODES)}
    print(f"\n{suite.name}: {len(tests)} files", flush=True)
    baseline = run(folder, "scrapy", suite.options, tests, logs["scrapy"])
    print(f"  {'Scrapy ' + release:16} {baseline.summary()}", flush=True)
    problems = []
    for mode in MODES:
        result = run(folder, mode, suite.options, tests, logs[mode])
        uses = ", ".join(f"{count} x {name}" for name, count in sorted(result.uses.items()))
        print(f"  {mode:16} {result.summary()}; {uses}", flush=True)
        if not result.uses.total():
            problems.append(f"{suite.name}, {mode}: no test reached our components")
        lost = baseline.passed() - result.passed()
        again = lost - known.keys()
        if again:
            # Scrapy's tests have races of their own: a difference counts when its whole file shows it a second time.
            files = sorted({test.partition("::")[0] for test in again})
            raced = again & run(folder, mode, suite.options, files, logs[mode].with_suffix(".again.log")).passed()
            lost -= raced
            print("".join(f"    passed when run again: {test}\n" for test in sorted(raced)), end="", flush=True)
        for test in sorted(lost - known.keys()):
            print(f"    FAILS: {test}", flush=True)
            problems.append(f"{suite.name}, {mode}: {test} (see {logs[mode]})")
        stale = (known.keys() & result.passed()) - lost
        problems += [f"{suite.name}, {mode}: passes, yet is listed as known: {test}" for test in sorted(stale)]
        print("".join(f"    known: {test}\n" for test in sorted(lost & known.keys())), end="", flush=True)
    return problems


def main() -> int:
    known = {
        entry["test"]: entry["reason"]
        for entry in tomllib.loads((HERE / "known_differences.toml").read_text(encoding="utf-8"))["difference"]
    }
    CACHE.mkdir(parents=True, exist_ok=True)
    release = version("scrapy")
    folder = unpacked_tests(release)
    install_package()
    problems = [line for suite in SUITES for line in compare(folder, suite, release, known)]
    print("\nknown differences:")
    for test, reason in known.items():
        print(f"  {test}\n    {reason}")
    print("\n" + "\n".join(problems or ["no other failure that the unmodified Scrapy does not have"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
