"""The bundled corpus of the benchmarks is what its generator writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks" / "corpus"


@pytest.mark.parametrize(
    "seed", [pytest.param("0", id="hash seed 0"), pytest.param("1", id="hash seed 1", marks=pytest.mark.slow)]
)
@pytest.mark.thorough
def test_the_generator_writes_the_bundled_file(seed: str) -> None:
    command = [sys.executable, str(FOLDER / "generate.py"), "--check"]
    subprocess.run(command, check=True, env={"PYTHONHASHSEED": seed})


def test_its_urls_are_distinct() -> None:
    urls = (FOLDER / "urls.txt").read_text(encoding="utf-8").splitlines()
    assert len(urls) == len(set(urls)) == 20_000
