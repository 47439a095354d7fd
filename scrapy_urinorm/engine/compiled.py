"""The module in C, where it is built, wanted, and of this version."""

from __future__ import annotations

import importlib
import logging
import os
from typing import Any

logger = logging.getLogger("scrapy_urinorm")

_NAME = "scrapy_urinorm.engine._native"


def compiled(layout: int) -> Any:
    """The module; None where it was not built or is not wanted.

    Neither is worth a word: `urinorm --version` says it to whoever asks. But one that was built and is of no use, for
    another C library or from before the last change of its layout, is told: nobody should have to find out why a
    crawl is slower than it was.
    """
    if os.environ.get("URINORM_PURE", "") not in ("", "0"):
        return None
    try:
        module = importlib.import_module(_NAME)
    except ModuleNotFoundError as error:
        if error.name != _NAME:
            _tell(error)
        return None
    except ImportError as error:
        _tell(error)
        return None
    if layout != module.LAYOUT:
        _tell(f"{module.__file__} is of another version")
        return None
    return module


def _tell(why: object) -> None:
    logger.warning("The module in C cannot be used, pure Python runs instead (install the package again): %s", why)
