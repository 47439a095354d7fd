"""What `urinorm --version` says: the version, which module runs, and the versions that results depend on."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from scrapy_urinorm import parser

_CORE = ("scrapy", "w3lib", *parser.PACKAGES, "tldextract")
_EXTRAS = {
    "learn": ("numpy", "pyarrow", "selectolax"), "report": ("duckdb", "jinja2"), "disk": ("rocksdict",),
    "redis": ("redis",), "spark": ("pyspark",),
}  # fmt: skip


def versions() -> Iterator[str]:
    """The lines of the answer."""
    from scrapy_urinorm import __version__
    from scrapy_urinorm.cli.presets import preset
    from scrapy_urinorm.engine import native
    from scrapy_urinorm.rulesets.ruleset import PRESETS

    numbers = {name: preset(name)["version"] for name in PRESETS}
    yield f"urinorm {__version__}"
    way = "the module in C" if native.module is not None else "pure Python (no module in C, or URINORM_PURE is set)"
    yield f"  normalizes by  {way}"
    yield f"  presets        {', '.join(f'{name}@{number}' for name, number in numbers.items())}"
    yield f"  Python         {platform.python_version()}, {platform.system()} {platform.machine()}"
    yield f"  with           {_listed(_CORE)}"
    for extra, names in _EXTRAS.items():
        yield f"  [{extra}]{' ' * (12 - len(extra))} {_listed(names)}"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"{name} {_version(name)}" for name in names)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
