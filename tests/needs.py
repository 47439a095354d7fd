"""What some tests need, and not each Python has."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

needs_rocksdict = pytest.mark.skipif(
    find_spec("rocksdict") is None, reason="lacks rocksdict, which has no wheels for Python 3.15: `[disk]`"
)
