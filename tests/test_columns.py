"""The examples for Polars, DuckDB, pandas and Spark in the documentation, each run as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "howto" / "columns.md").read_text("utf-8")
EXAMPLES = dict(re.findall(r"```\{code-block\} python\n:caption: (\w+)\n(.*?)```", PAGE, re.S))


@pytest.mark.system("packages for tables")
@pytest.mark.parametrize(
    "package", ["polars", "duckdb", "pandas", pytest.param("spark", marks=pytest.mark.system("java"))]
)
def test_example_of_the_documentation(package: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    environment |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [sys.executable, "-c", EXAMPLES[package]],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
