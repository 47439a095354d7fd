"""Rows of visits to columns: what only Python can say of a response, beside what the visit says itself.

The rest, from the parts of an address to its class of content, is said in SQL (`figures`), which runs on all cores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import compute, parquet

from scrapy_urinorm.engine.texts import without_userinfo
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.report.content import labels, octets
from scrapy_urinorm.rules import Stage
from scrapy_urinorm.rulesets.ruleset import RuleSet, any_rule_at
from scrapy_urinorm.suffixes import site_of
from scrapy_urinorm.url import split

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_urinorm.report.content import Words

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
    + [(name, pa.binary()) for name in _BYTES]
)
"""The columns of a visit that a report reads."""
_REPEATED = ["content_type", "time"]
_KEPT = ("status", "words", "size", "body_digest", "text_digest", "main_digest", "content_type", "time", "minhash")


_READ = f"""
    select {", ".join(f"from_base64({name}) as {name}" if name in _BYTES else name for name in ROWS.names)}
    from read_json($file, format = 'newline_delimited', maximum_object_size = $size, columns = {{
        {", ".join(f"{name}: '{'BIGINT' if name in _NUMBERS else 'VARCHAR'}'" for name in ROWS.names)},
        failure: 'VARCHAR'
    }})
    where failure is null
"""


class JsonLines:
    """Reads files of JSON lines into tables, by DuckDB: it takes a third of the time of the standard library."""

    def __init__(self) -> None:
        # files are written anew under the same name
        self._db = duckdb.connect(config={"threads": 1, "enable_external_file_cache": False})

    def table(self, path: Path) -> pa.Table | None:
        """The rows of a file; None where any of its lines cannot be read so."""
        sql = _READ.replace("$file", literal(path)).replace("$size", str(path.stat().st_size + 1))
        try:
            table = self._db.sql(sql).to_arrow_table()
        except (duckdb.Error, UnicodeDecodeError):
            # the latter where its message cuts a value between the octets of a letter
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
        columns[name] = [text_of(row.get(name)) for row in rows]
    for name in _NUMBERS:
        columns[name] = [number_of(row.get(name)) for row in rows]
    for name in _BYTES:
        columns[name] = [octets(row.get(name), 1) or None for row in rows]
    return pa.table(columns, ROWS)


def text_of(value: Any) -> str | None:
    """The text that a decoded value stands for; None where there is none."""
    if value is None or value == "":
        return None
    text = value if isinstance(value, str) else str(value)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def number_of(value: Any) -> int | None:
    """The whole number that a decoded value stands for; None where it is none."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if abs(number) < 1 << 48 else None


class Columns:
    """Turns rows of visits into a part, under the rules of one report.

    `frames` holds the slots of the frame of each site where lines are known. One instance a process: it remembers
    what it has learned of hosts.
    """

    def __init__(self, ruleset: RuleSet, frames: Mapping[str, Words]) -> None:
        self.normalizer = Normalizer(ruleset, check_examples=False)
        self._bare = Normalizer(preset="safe")
        self._skipping: dict[str, bool] = {}
        self._frames = frames
        self._framed: dict[str, Words | None] = {}

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
        asked = [n for n, url in enumerate(urls) if self._may_skip(url)] if self.normalizer.has_verdicts else []
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
            found = site is None or any_rule_at(site.plan.bodies, Stage.VERDICT)
            if len(self._skipping) < _MAX_ORIGINS and len(origin) < _LONGEST_ORIGIN:
                self._skipping[origin] = found
        return found

    def _contents(self, rows: pa.Table, urls: list[str]) -> dict[str, pa.Array]:
        """The labels and sketches of the rows whose lines are known."""
        lines = rows.column("lines").combine_chunks()
        sizes = compute.binary_length(lines).fill_null(0).to_numpy(zero_copy_only=False)
        known = (sizes > 0) & (sizes % 16 == 0)
        if not known.any():
            return {
                "line_label": pa.nulls(len(urls), pa.uint64()),
                "line_order": pa.nulls(len(urls), pa.uint64()),
                "line_sketch": pa.nulls(len(urls), pa.binary()),
                "lines": pa.nulls(len(urls), pa.int32()),
                "line_title": pa.nulls(len(urls), pa.uint64()),
                "said": pa.nulls(len(urls), pa.int32()),
            }
        mask = pa.array(known)
        words = rows.column("line_words").combine_chunks()
        frames = [self._frame(url) for url in compress(urls, known)] if self._frames else [None] * int(known.sum())
        found = labels(lines.filter(mask), words.filter(mask), frames)
        # where each row's values are in those arrays
        at = pa.array(np.cumsum(known) - 1, mask=~known)
        width = found.sketch.shape[1] * found.sketch.itemsize
        sketches = pa.FixedSizeBinaryArray.from_buffers(
            pa.binary(width), len(found.sketch), [None, pa.py_buffer(found.sketch)]
        )
        return {
            "line_label": pa.array(found.label).take(at),
            "line_order": pa.array(found.order).take(at),
            "line_sketch": sketches.take(at).cast(pa.binary()),
            "lines": pa.array(found.lines.astype(np.int32)).take(at),
            "line_title": pa.array(found.title).take(at),
            "said": pa.array(found.words.astype(np.int32)).take(at),
        }

    def _frame(self, url: str) -> Words | None:
        # behind `https://`, and behind `http://` and a letter
        end = url.find("/", 8)
        origin = url[: min(max(end, 0), _LONGEST_ORIGIN)]
        if origin in self._framed:
            return self._framed[origin]
        parts = split(url)
        found = self._frames.get(site_of(parts.host)) if parts is not None else None
        if 0 < end < _LONGEST_ORIGIN and len(self._framed) < _MAX_ORIGINS and origin[-1] != "/":
            self._framed[origin] = found
        return found


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
