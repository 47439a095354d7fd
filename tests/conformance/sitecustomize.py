"""Give every interpreter that Scrapy's tests start our components as Scrapy's default settings.

`run.py` puts this folder on PYTHONPATH, so that also the commands and the scripts which the tests start in
processes of their own are covered. The settings are changed when Scrapy loads them and not by importing Scrapy here:
some of these tests are about what is imported, and when.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

MODE = os.environ.get("URINORM_CONFORMANCE_MODE", "scrapy")

#: The two ways of turning the package on, each as changes of Scrapy's default settings; `scrapy` is the baseline.
DEFAULTS: dict[str, dict[str, Any]] = {
    "scrapy": {},
    "addon": {"ADDONS": {"scrapy_urinorm.Addon": 600}},
    "classes": {
        "REQUEST_FINGERPRINTER_CLASS": "scrapy_urinorm.RequestFingerprinter",
        "DUPEFILTER_CLASS": "scrapy_urinorm.DupeFilter",
        "DOWNLOADER_MIDDLEWARES": {"scrapy_urinorm.SecondChanceMiddleware": 10},
    },
}


class DefaultSettingsLoader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        vars(module).update(DEFAULTS[MODE])


class DefaultSettingsFinder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "scrapy.settings.default_settings":
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.origin is not None:
            spec.loader = DefaultSettingsLoader(fullname, spec.origin)
        return spec


def record_use() -> None:
    """Leave a note when this process, started by a test, had our fingerprinter: a run that never has proves nothing."""
    if "scrapy_urinorm.crawl.fingerprinter" in sys.modules and "plugin" not in sys.modules:
        note = Path(os.environ["URINORM_CONFORMANCE_RESULTS"], f"process-{os.getpid()}.json")
        note.write_text(json.dumps({"outcomes": {}, "uses": {"process": 1}}), encoding="utf-8")


sys.meta_path.insert(0, DefaultSettingsFinder())
if MODE != "scrapy":
    atexit.register(record_use)
