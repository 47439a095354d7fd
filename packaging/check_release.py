"""Whether a tag may be released: its version is the package's, and the changelog says what keys change.

python packaging/check_release.py v1.2.3
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def problems(tag: str, root: Path = ROOT) -> list[str]:
    """What speaks against a release of ``tag``; empty where nothing does."""
    version = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    module = (root / "scrapy_urinorm" / "__init__.py").read_text("utf-8")
    sections = re.split(r"^## \[(.+?)\].*$", (root / "CHANGELOG.md").read_text("utf-8"), flags=re.M)
    texts = dict(zip(sections[1::2], sections[2::2], strict=True))
    found = []
    if tag != f"v{version}":
        found.append(f"the tag is {tag}, pyproject.toml has version {version}: tag v{version}")
    if f'__version__ = "{version}"' not in module:
        found.append(f"scrapy_urinorm/__init__.py has another __version__ than {version}")
    if version not in texts:
        found.append(f"CHANGELOG.md has no section [{version}]: rename [Unreleased]")
    elif "**Fingerprints**" not in texts[version]:
        found.append(f"CHANGELOG.md, [{version}]: no line **Fingerprints** says which keys changed")
    if re.search(r"^- ", texts.get("Unreleased", ""), re.M) and version in texts:
        found.append("CHANGELOG.md, [Unreleased]: has lines that belong to the release or to the next branch")
    if f"[{version}]: " not in sections[-1]:
        found.append(f"CHANGELOG.md has no link for [{version}] at its end")
    return found


if __name__ == "__main__":
    said = problems(*sys.argv[1:2]) if len(sys.argv) == 2 else [f"usage: {sys.argv[0]} TAG"]
    print(*said, sep="\n", file=sys.stderr)
    sys.exit(bool(said))
