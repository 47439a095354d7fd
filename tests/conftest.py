"""What all tests share: hypothesis profiles, and the marker of tests that need programs only root can install."""

from __future__ import annotations

import os
import shutil

import pytest
from hypothesis import HealthCheck, settings

# Deadlines fail on a busy machine; speed is the business of benchmarks/.
settings.register_profile("local", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--system", action="store_true", help="run the tests marked `system`, and only these")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without --system, skip the system tests and say so; with it, run these alone and skip what lacks a program."""
    if config.getoption("--system"):
        others = [item for item in items if item.get_closest_marker("system") is None]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item.get_closest_marker("system") is not None]
    for item in items:
        if marker := item.get_closest_marker("system"):
            # a phrase names what is not a program; such a test looks for it itself
            missing = [need for need in marker.args if " " not in need and shutil.which(need) is None]
            if not config.getoption("--system"):
                item.add_marker(pytest.mark.skip(reason=f"needs {' and '.join(marker.args)}: `make test-system`"))
            elif missing:
                item.add_marker(pytest.mark.skip(reason=f"lacks {' and '.join(missing)}: .ci/run says how to install"))
