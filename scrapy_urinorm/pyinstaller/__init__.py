"""The hook of this package for PyInstaller, which finds it by an entry point."""

from __future__ import annotations

from pathlib import Path


def hook_folders() -> list[str]:
    """Return where PyInstaller finds the hook."""
    return [str(Path(__file__).parent)]
