"""pytest plugin of the conformance run: tests go through our components, outcomes are written down.

The default settings are changed by `sitecustomize.py`. Here: Scrapy's table of known fingerprints is put to our
fingerprinter, uses of our components are counted (a run that does not reach them proves nothing), and the outcome of
each test is written as JSON for `run.py` to compare.
"""

from __future__ import annotations

import functools
import json
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request

MODE = os.environ["URINORM_CONFORMANCE_MODE"]
RESULTS = Path(os.environ["URINORM_CONFORMANCE_RESULTS"])
outcomes: dict[str, str] = {}
uses: Counter[str] = Counter()


def counted(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        uses[method.__qualname__] += 1
        return method(*args, **kwargs)

    return wrapper


def fingerprint(request: Request, **kwargs: Any) -> bytes:
    """Answer like `scrapy.utils.request.fingerprint`; its arguments exist in Scrapy's function alone."""
    from scrapy.utils.request import fingerprint as of_scrapy
    from scrapy.utils.test import get_crawler

    if kwargs:
        return of_scrapy(request, **kwargs)
    fingerprinter = get_crawler().request_fingerprinter
    assert fingerprinter is not None
    return fingerprinter.fingerprint(request)


def pytest_configure(config: pytest.Config) -> None:
    if MODE == "scrapy":
        return
    from scrapy_urinorm import DupeFilter, RequestFingerprinter

    patch = pytest.MonkeyPatch()
    patch.setattr(RequestFingerprinter, "fingerprint", counted(RequestFingerprinter.fingerprint))
    patch.setattr(DupeFilter, "request_seen", counted(DupeFilter.request_seen))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if MODE == "scrapy":
        return
    for item in items:
        if isinstance(item, pytest.Function) and item.cls is not None and item.cls.__name__ == "TestFingerprint":
            item.cls.function = staticmethod(fingerprint)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        outcomes[report.nodeid] = "failed"
    elif report.when == "call" or report.skipped:
        outcomes.setdefault(report.nodeid, report.outcome)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        outcomes[report.nodeid] = "failed"


def pytest_sessionfinish(session: pytest.Session) -> None:
    is_worker = hasattr(session.config, "workerinput")
    part = RESULTS / (f"{os.getpid()}.json")
    part.write_text(json.dumps({"outcomes": {} if is_worker else outcomes, "uses": uses}), encoding="utf-8")
