"""Import times: CPU milliseconds of fresh interpreters, interleaved, above what the user has imported anyway."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from benchmarks.measured import Figure
from benchmarks.processes import python

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMPONENTS = (
    "from scrapy_urinorm import Addon, DupeFilter, RequestFingerprinter, RewriteMiddleware, SecondChanceMiddleware"
)
_CRAWL = "import scrapy, scrapy.crawler, scrapy.core.engine, scrapy.dupefilters, scrapy.utils.request"
_STATEMENTS = {
    "nothing": "pass",
    "core": "from scrapy_urinorm import Normalizer, RuleSet",
    "scrapy": "import scrapy",
    "components": f"import scrapy; {_COMPONENTS}",
    "crawl": _CRAWL,
    "crawl and components": f"{_CRAWL}; {_COMPONENTS}",
    "scrapy, no collection": "import gc; gc.disable(); import scrapy",
    "components, no collection": f"import gc; gc.disable(); import scrapy; {_COMPONENTS}",
}


def imports(rounds: int) -> Iterator[Figure]:
    """The imports that a user pays for."""
    for code in _STATEMENTS.values():
        python(code)  # compiled once
    samples: dict[str, list[float]] = {name: [] for name in _STATEMENTS}
    for _ in range(rounds):
        for name, code in _STATEMENTS.items():
            samples[name].append(python(code).cpu * 1e3)
    cost = {name: statistics.median(values) for name, values in samples.items()}
    yield Figure("import of the core, over the interpreter", cost["core"] - cost["nothing"], "ms", 60)
    bare = cost["components, no collection"] - cost["scrapy, no collection"]
    yield Figure(
        "import of the components, over `import scrapy`", cost["components"] - cost["scrapy"], "ms", 40,
        note=f"`import scrapy` itself: {cost['scrapy'] - cost['nothing']:.0f} ms; "
        f"{bare:.0f} ms without the pass of the garbage collector over Scrapy's objects that falls into it",
    )  # fmt: skip
    yield Figure(
        "import of the components, over what every crawl imports", cost["crawl and components"] - cost["crawl"], "ms"
    )
