"""The layers of the package, as imports show them: in the source (import-linter) and in a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

HEAVY = {"scrapy", "twisted", "w3lib", "pydantic", "tldextract", "typer", "rich", "numpy", "duckdb", "pyarrow", "redis"}
OFFLINE = {"scrapy_urinorm.learn", "scrapy_urinorm.report", "numpy", "duckdb", "pyarrow", "jinja2"}
COMPONENTS = "Addon, DupeFilter, RequestFingerprinter, RewriteMiddleware, SecondChanceMiddleware"


@cache
def imported_by(statement: str) -> set[str]:
    """Return the names of all modules a fresh interpreter has after `statement`."""
    code = f"{statement}\nimport sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")


@pytest.mark.slow  # `make lint` checks them, too
@pytest.mark.skipif(not LINT_IMPORTS.exists(), reason="needs the extra lint")
def test_contracts_of_pyproject_hold() -> None:
    command = [str(LINT_IMPORTS), "--no-cache"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        pytest.param("import scrapy_urinorm", HEAVY, id="the package starts in milliseconds"),
        pytest.param(
            "from scrapy_urinorm import Normalizer, RuleFileError, RuleSet, UrinormError",
            HEAVY,
            id="the core is usable without Scrapy",
        ),
        pytest.param(
            f"from scrapy_urinorm import {COMPONENTS}",
            OFFLINE | {"typer", "rich", "redis", "rocksdict"},
            id="a crawl needs no extra and no command line",
        ),
        pytest.param(
            "from scrapy_urinorm import Normalizer; Normalizer().key('http://a.example/b?c=1&utm_medium=2')",
            {"scrapy_urinorm.rules.backtracking", "scrapy_urinorm.engine.explanation", "scrapy_urinorm.seen"},
            id="presets are known to be good, and who asks for a key wants no reasons",
        ),
        pytest.param(
            f"from scrapy_urinorm import {COMPONENTS}",
            {"twisted.internet.reactor"},
            id="reactorless mode forbids the import of the reactor",
        ),
        pytest.param(
            "import scrapy_urinorm.crawl.commands",
            OFFLINE | {"scrapy_urinorm.cli", "typer", "rich", "pydantic", "tldextract"},
            id="every scrapy command pays for the import of ours",
        ),
    ],
)
def test_imports_stay_away(statement: str, absent: set[str]) -> None:
    assert imported_by(statement) & absent == set()
