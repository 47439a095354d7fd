"""What a release must have is checked before anything is built; each lack is said, all at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "packaging" / "check_release.py"
CHANGELOG = """# Changelog

## [Unreleased]
{unreleased}
## [1.2.0] - 2026-11-22

{fingerprints}

### Added

- A thing.

[1.2.0]: https://example.com/
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "packaging").mkdir()
    (tmp_path / "packaging" / "check_release.py").write_text(SCRIPT.read_text("utf-8"), "utf-8")
    (tmp_path / "scrapy_urinorm").mkdir()
    (tmp_path / "scrapy_urinorm" / "__init__.py").write_text('__version__ = "1.2.0"\n', "utf-8")
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.0"\n', "utf-8")
    (tmp_path / "CHANGELOG.md").write_text(
        CHANGELOG.format(unreleased="", fingerprints="**Fingerprints**: none."), "utf-8"
    )
    return tmp_path


def check(checkout: Path, tag: str) -> subprocess.CompletedProcess[str]:
    script = str(checkout / "packaging" / "check_release.py")
    return subprocess.run([sys.executable, script, tag], capture_output=True, text=True, timeout=280)


def test_release_that_has_everything(checkout: Path) -> None:
    done = check(checkout, "v1.2.0")
    assert (done.returncode, done.stderr.strip()) == (0, "")


@pytest.mark.parametrize(
    ("unreleased", "fingerprints", "tag", "said"),
    [
        ("", "**Fingerprints**: none.", "v1.3.0", "tag v1.2.0"),
        ("", "", "v1.2.0", "no line **Fingerprints**"),
        ("\n- Left over.\n", "**Fingerprints**: none.", "v1.2.0", "[Unreleased]: has lines"),
    ],
    ids=["another version", "keys unsaid", "lines left over"],
)
def test_release_that_lacks_something(checkout: Path, unreleased: str, fingerprints: str, tag: str, said: str) -> None:
    (checkout / "CHANGELOG.md").write_text(CHANGELOG.format(unreleased=unreleased, fingerprints=fingerprints), "utf-8")
    done = check(checkout, tag)
    assert done.returncode == 1
    assert said in done.stderr


def test_lacks_are_said_all_at_once(checkout: Path) -> None:
    (checkout / "CHANGELOG.md").write_text("# Changelog\n", "utf-8")
    (checkout / "scrapy_urinorm" / "__init__.py").write_text('__version__ = "1.1.0"\n', "utf-8")
    done = check(checkout, "v9")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 4
