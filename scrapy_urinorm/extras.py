"""The optional dependencies: what each extra brings, and one message with all that are missing."""

from __future__ import annotations

import json
from importlib.util import find_spec
from urllib.parse import urlsplit

from scrapy_urinorm.errors import UrinormError

#: Modules by which an extra is known to be there; `tests/test_readme.py` holds them against pyproject.toml.
EXTRAS: dict[str, tuple[str, ...]] = {
    "disk": ("rocksdict",),
    "redis": ("redis",),
    "learn": ("numpy", "pyarrow", "selectolax"),
    "spark": ("pyspark",),
    "report": ("duckdb", "jinja2", "numpy", "pyarrow"),
}


class MissingExtraError(UrinormError, ImportError):
    """A feature needs optional dependencies that are not installed; `extras` are the names of their extras."""

    def __init__(self, feature: str, *extras: str):
        self.extras = extras
        one = "an optional dependency that is" if len(extras) == 1 else "optional dependencies that are"
        needs = "need" if " and " in feature else "needs"
        super().__init__(f"{feature} {needs} {one} not installed: {install_command(*extras)}")


def missing(*extras: str) -> tuple[str, ...]:
    """Those of the named extras that lack a module."""
    return tuple(extra for extra in extras if not all(map(find_spec, EXTRAS[extra])))


def require(feature: str, *extras: str) -> None:
    """Raise MissingExtraError with all of `extras` that are missing, where any is."""
    if lacking := missing(*extras):
        raise MissingExtraError(feature, *lacking)


def install_command(*extras: str) -> str:
    """The command that installs extras of the package from where it came: the index, a checkout, or a wheel."""
    return f"pip install '{_origin()}[{','.join(extras)}]'"


def _origin() -> str:
    """The package as pip names it: its name, or the path that it was installed from (PEP 610)."""
    # imported here: it brings much along, and few see the message
    from importlib.metadata import PackageNotFoundError, distribution

    name = "scrapy-urinorm"
    try:
        written = distribution(name).read_text("direct_url.json")
        url = urlsplit(json.loads(written)["url"]) if written else None
    except (PackageNotFoundError, ValueError, KeyError, TypeError):
        return name
    if url is None or url.scheme != "file":
        return name
    from urllib.request import url2pathname  # imports what speaks HTTP

    return url2pathname(url.path)
