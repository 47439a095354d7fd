"""Rows of visits to columns: what only Python can say of a response, beside what the visit says itself.

The rest, from the parts of an address to its class of content, is said in SQL (`figures`), which runs on all cores.
"""

from __future__ import annotations

import re
from base64 import b64encode
from os import getpid
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import compute, parquet

from scrapy_urinorm.engine.texts import without_userinfo
from scrapy_urinorm.learn.site import site_of
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.report.content import Lines, octets
from scrapy_urinorm.rules import Stage, rules_at
from scrapy_urinorm.url import split

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_urinorm.report.content import Words
    from scrapy_urinorm.rulesets.ruleset import RuleSet
    from scrapy_urinorm.rulesets.scopes import Body

MAX_TEXT = 2_000
"""Characters of a URL that are kept to be shown; what is counted is counted by all of it."""
# a bound of memory, chosen far above the hosts of a crawl
_MAX_ORIGINS = 50_000
_LONGEST_ORIGIN = 300
_BREAKS = re.compile(r"[\r\n]")

_TEXTS = ("url", "final_url", "body_digest", "text_digest", "main_digest", "content_type", "time", "crawl")
_NUMBERS = ("status", "words", "size")
_BYTES = ("lines", "line_words", "minhash")

ROWS = pa.schema(
    [(name, pa.string()) for name in _TEXTS]
    + [(name, pa.int64()) for name in _NUMBERS]
    + [(name, pa.string()) for name in _BYTES]
)
"""The columns of a visit that a report reads."""
_REPEATED = ["content_type", "time"]
_KEPT = ("status", "words", "size", "body_digest", "text_digest", "main_digest", "content_type", "time", "minhash")


_READ = f"""
    select * from read_json($file, format = 'newline_delimited', maximum_object_size = $size, columns = {{
        {", ".join(f"{name}: '{'BIGINT' if name in _NUMBERS else 'VARCHAR'}'" for name in ROWS.names)}
    }})
"""


class JsonLines:
    """Reads blocks of JSON lines into tables, by DuckDB: it takes a seventh of the time of the standard library."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / f"{getpid()}.json"
        self._db = duckdb.connect(config={"threads": 1})

    def table(self, data: bytes) -> pa.Table | None:
        """The rows of a block; None where any of its lines cannot be read so."""
        self._file.write_bytes(data)
        sql = _READ.replace("$file", literal(self._file)).replace("$size", str(len(data) + 1))
        try:
            table = self._db.sql(sql).to_arrow_table()
        except duckdb.Error:
            return None
        urls = table.column("url")
        return None if urls.null_count or compute.any(compute.equal(urls, "")).as_py() else table


def literal(text: object) -> str:
    """A text as a literal of SQL."""
    return "'" + str(text).replace("'", "''") + "'"


def gathered(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Decoded rows as the same table; a value of a wrong type is taken as unknown."""
    columns: dict[str, list[Any]] = {}
    for name in _TEXTS:
        columns[name] = [_text(row.get(name)) for row in rows]
    for name in _NUMBERS:
        columns[name] = [_number(row.get(name)) for row in rows]
    for name in _BYTES:
        columns[name] = [_base64(row.get(name)) for row in rows]
    return pa.table(columns, ROWS)


def _text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    text = value if isinstance(value, str) else str(value)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _number(value: Any) -> int | None:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if abs(number) < 1 << 48 else None


def _base64(value: Any) -> str | None:
    if isinstance(value, bytes):
        return b64encode(value).decode()
    return value if isinstance(value, str) else None


class Columns:
    """Turns rows of visits into a part, under the rules of one report.

    `frames` holds the slots of the frame of each site where lines are known. One instance a process: it remembers
    what it has learned of hosts.
    """

    def __init__(self, ruleset: RuleSet, frames: Mapping[str, Words]) -> None:
        self.normalizer = Normalizer(ruleset, check_examples=False)
        self._bare = Normalizer(preset="safe")
        self._skips = _has_skip(ruleset)
        self._skipping: dict[str, bool] = {}
        self._frames = frames

    def write(self, rows: pa.Table, part: int, path: Path) -> None:
        """Write the part of these rows, in their order."""
        parquet.write_table(
            self.table(rows, part), path, compression="lz4", write_statistics=False, use_dictionary=_REPEATED
        )

    def table(self, rows: pa.Table, part: int = 0) -> pa.Table:
        """Return the columns of the part."""
        urls = _answered(rows)
        count = rows.num_rows
        shown = [without_userinfo(url)[:MAX_TEXT] if "@" in url or len(url) > MAX_TEXT else url for url in urls]
        bare, keys, skips = self._texts(urls)
        out = {
            "part": pa.array(np.full(count, part, np.int32)),
            "i": pa.array(np.arange(count, dtype=np.int32)),
            "url": pa.array(shown, pa.string()),
            "length": pa.array([len(url) for url in urls], pa.int32()),
            # most are what stands beside them already
            "bare": pa.array([b if b != s else None for b, s in zip(bare, shown, strict=True)], pa.string()),
            "key": pa.array([k if k != b else None for k, b in zip(keys, bare, strict=True)], pa.string()),
            "skip": pa.array(skips, pa.bool_()),
            **{name: rows.column(name) for name in _KEPT},
            **self._contents(rows, urls),
        }
        return pa.table(out)

    def _texts(self, urls: list[str]) -> tuple[list[str], list[str], NDArray[np.bool_]]:
        """The keys of URLs without rules and with them, and whether the rules skip them."""
        skips = np.zeros(len(urls), bool)
        keys = urls.copy()
        asked = [n for n, url in enumerate(urls) if self._may_skip(url)] if self._skips else []
        if asked:
            # one pass says both
            for n in asked:
                _, keys[n], skips[n], _ = self.normalizer.decide(urls[n])
            some = set(asked)
            others = [n for n in range(len(urls)) if n not in some]
            for n, key in zip(others, keys_of(self.normalizer, [urls[n] for n in others]), strict=True):
                keys[n] = key
        else:
            keys = keys_of(self.normalizer, urls)
        bare = list(keys)
        # a URL that is its own key under the rules is so without them
        changed = [n for n, (url, key) in enumerate(zip(urls, keys, strict=True)) if url != key]
        for n, key in zip(changed, keys_of(self._bare, [urls[n] for n in changed]), strict=True):
            bare[n] = key
        return bare, keys, skips

    def _may_skip(self, url: str) -> bool:
        """Whether a rule that skips holds for any URL of the host."""
        origin = "/".join(url.split("/", 3)[:3])
        found = self._skipping.get(origin)
        if found is None:
            site = self.normalizer.sites.learn(origin)
            bodies = site.plan.bodies if site is not None else None
            found = bodies is None or _skips(bodies)
            if len(self._skipping) < _MAX_ORIGINS and len(origin) < _LONGEST_ORIGIN:
                self._skipping[origin] = found
        return found

    def _contents(self, rows: pa.Table, urls: list[str]) -> dict[str, pa.Array]:
        """The labels and sketches of the rows whose lines are known."""
        count = rows.num_rows
        label: list[int | None] = [None] * count
        order: list[int | None] = [None] * count
        sketch: list[bytes | None] = [None] * count
        number: list[int | None] = [None] * count
        if rows.column("lines").null_count < count:
            lines = Lines()
            words = rows.column("line_words").to_pylist()
            for n, text in enumerate(rows.column("lines").to_pylist()):
                data = octets(text, 16) if text else b""
                if data:
                    lines.add(n, data, octets(words[n], 1), self._frame(urls[n]))
            for n, a, b, c, d in zip(lines.rows, *lines.labels(), strict=True):
                label[n], order[n], sketch[n], number[n] = a, b, c, d
        return {
            "line_label": pa.array(label, pa.uint64()),
            "line_order": pa.array(order, pa.uint64()),
            "line_sketch": pa.array(sketch, pa.binary()),
            "lines": pa.array(number, pa.int32()),
        }

    def _frame(self, url: str) -> Words | None:
        if not self._frames:
            return None
        parts = split(url)
        return self._frames.get(site_of(parts.host)) if parts is not None else None


def _answered(rows: pa.Table) -> list[str]:
    """The address that answered in each row, on one line each: a redirect stands for itself, not for its target."""
    urls: list[str] = rows.column("url").to_pylist()
    finals, statuses = rows.column("final_url"), rows.column("status")
    if finals.null_count < len(urls):
        for n, (final, status) in enumerate(zip(finals.to_pylist(), statuses.to_pylist(), strict=True)):
            if final and (status is None or 200 <= status < 300):
                urls[n] = final
    # the URL Standard removes line breaks, too
    return [_BREAKS.sub("", url) if "\n" in url or "\r" in url else url for url in urls]


def keys_of(normalizer: Normalizer, urls: list[str]) -> list[str]:
    """The keys of URLs without line breaks, by the module in C where there is one."""
    if not urls:
        return []
    block = "\n".join(urls).encode("utf-8", "surrogatepass") + b"\n"
    return normalizer.lines(block, keys=True).decode("utf-8", "surrogatepass").split("\n")[:-1]


def _has_skip(ruleset: RuleSet) -> bool:
    return _skips({id(layer.body): layer.body for layer in ruleset.layers()}.values())


def _skips(bodies: Iterable[Body]) -> bool:
    names = {rule.name for rule in rules_at(Stage.VERDICT)}
    parts = (part for body in bodies for part in (body, *(where.body for where in body.wheres)))
    return any(not names.isdisjoint(part.rules) for part in parts)
