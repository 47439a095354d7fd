"""`urinorm normalize`: canonical URLs or keys of a stream of URLs."""

from __future__ import annotations

import functools
import sys
from json.encoder import encode_basestring_ascii as _text
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from scrapy_urinorm.cli.columns import Output, with_texts
from scrapy_urinorm.cli.display import is_terminal
from scrapy_urinorm.cli.failures import complain
from scrapy_urinorm.cli.inputs import Column, Files, Format, Inputs, as_utf8, first_broken, lines_of
from scrapy_urinorm.cli.progress import Progress
from scrapy_urinorm.cli.project import ChosenRules, Json, Preset, Relative, Rules, chosen
from scrapy_urinorm.cli.workers import Jobs, in_order
from scrapy_urinorm.report.inert import visible as inert

if TYPE_CHECKING:
    from scrapy_urinorm.normalizer import Normalizer


def normalize(
    ctx: typer.Context,
    files: Files = None,
    rules: Rules = None,
    preset: Preset = None,
    key: Annotated[bool, typer.Option("--key", help="Write keys, by which a crawl tells pages apart.")] = False,
    base: Relative = None,
    as_json: Json = False,
    column: Column = None,
    kind: Format = None,
    output: Output = None,
    jobs: Jobs = 0,
) -> None:
    """Write the canonical URL of each URL in files or standard input: one line for each line, in order, at any size.

    `--json` writes one object per line: `url`, `canonical`, `key`, and `skip`, which says whether the rules forbid to
    request it. A line that is not a URL stays as it is, and is counted.

    Examples:
    - `urinorm normalize urls.txt.gz > canonical.txt`

    - `urinorm normalize --key < urls.txt | sort -u | wc -l`

    - `urinorm normalize --rules urinorm.toml --json --column address crawl.csv`

    - `urinorm normalize --key --output keyed.parquet pages.parquet`
    """
    if key and as_json:
        raise typer.BadParameter("--json writes the key already", param_hint="--key")
    choice = chosen(ctx, rules, preset)
    choice.shared()  # a wrong rule file is reported before anything is read, and forked processes share the rules
    form = "json" if as_json else "key" if key else "canonical"
    if output is not None:
        with_texts(files, column, output, choice.shared(), key=key)
        return
    work = functools.partial(_work, choice, form, base)
    inputs = Inputs(files, kind, column)
    watched = is_terminal() and not as_json
    out = sys.stdout.buffer
    with Progress() as progress:
        for done in in_order(work, inputs.blocks(), jobs):
            out.write(_inert_lines(done.text) if watched else done.text)
            out.flush()
            inputs.note(done.counts, done.broken_at)
            progress.add(done.counts["lines"], inputs.share)
    for message in inputs.complaints():
        complain(message)


class Done(NamedTuple):
    """A block after its normalization; `broken_at` is the number of its first line that is no URL, from 0."""

    text: bytes
    counts: dict[str, int]
    broken_at: int | None


def _work(choice: ChosenRules, form: str, base: str | None, block: bytes) -> Done:
    """Normalize a block of lines: a line for each line."""
    normalizer = choice.shared()
    normalizer.counts.clear()
    block, odd = as_utf8(block)
    if base is not None:
        from scrapy_urinorm.url import resolve

        block = "".join([f"{resolve(line, base) if line else line}\n" for line in lines_of(block)]).encode()
    if form == "json":
        keys = lines_of(normalizer.lines(block, keys=True))
        normalizer.counts.clear()  # the same lines are counted again
        rows = zip(lines_of(block), lines_of(normalizer.lines(block)), keys, strict=True)
        out = "".join([_json(normalizer, *row) for row in rows]).encode()
    else:
        out = normalizer.lines(block, keys=form == "key")
    counts = {"lines": block.count(b"\n"), "not_utf8": odd, **normalizer.counts}
    return Done(out, counts, first_broken(lines_of(block)) if counts.get("unparsable") else None)


def _json(normalizer: Normalizer, url: str, canonical: str, key: str) -> str:
    skip = "true" if url and normalizer.verdict(url)[0] else "false"
    return f'{{"url": {_text(url)}, "canonical": {_text(canonical)}, "key": {_text(key)}, "skip": {skip}}}\n'


def _inert_lines(text: bytes) -> bytes:
    lines = text.decode("utf-8", "replace").split("\n")
    return "\n".join(map(inert, lines)).encode()
