"""What all tests share: how long hypothesis searches, Ctrl-C, and the marker of tests that need installed programs."""

from __future__ import annotations

import gc
import shutil
import signal
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.coverage_files import remove_torn
from tests.effort import limit_to

if TYPE_CHECKING:
    from collections.abc import Generator

# Deadlines fail on a busy machine; speed is the business of benchmarks/.
_COMMON = settings(deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
#: The runs of continuous integration try the same examples, so that none ends by chance: what a longer search finds
#: becomes a row of a table.
settings.register_profile("same", _COMMON, derandomize=True, max_examples=25)
settings.register_profile("long", _COMMON, derandomize=True, max_examples=300)
settings.register_profile("hours", _COMMON, max_examples=20_000)
settings.load_profile("same")


def pytest_configure(config: pytest.Config) -> None:
    """Let Ctrl-C end what tests start: a shell's background job, and what it starts in turn, ignores it."""
    given = config.getoption("timeout")
    limit_to(float(config.getini("timeout") if given is None else given))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave what is imported and collected out of garbage collections: each would look at 400,000 objects that stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        # sites and crawls make objects by the ten thousand, hardly any of them garbage in circles
        gc.set_threshold(50_000, 20, 20)


def pytest_unconfigure() -> None:
    """Let modules end with the interpreter: duckdb before 2.0 crashes with Python 3.14 where its own is frozen."""
    # it costs a second
    if sys.version_info >= (3, 14) and "duckdb" in sys.modules:
        gc.unfreeze()


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    """Have pytest-cov, whose turn comes after ours, combine what is whole."""
    result = yield
    controller = getattr(session.config.pluginmanager.getplugin("_cov"), "cov_controller", None)
    # other processes of xdist may be at work yet
    if controller is not None and not hasattr(session.config, "workerinput"):
        remove_torn(controller.combining_cov.config.data_file)
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the system tests that lack a program, and say so."""
    for item in items:
        if marker := item.get_closest_marker("system"):
            # a phrase names what is not a program; such a test looks for it itself
            missing = [need for need in marker.args if " " not in need and shutil.which(need) is None]
            if missing:
                item.add_marker(pytest.mark.skip(reason=f"lacks {' and '.join(missing)}: .ci/run says how to install"))
