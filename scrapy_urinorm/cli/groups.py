"""`urinorm groups`: the URLs that the rules make one."""

from __future__ import annotations

import functools
from hashlib import blake2b
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scrapy_urinorm.cli.amounts import whole
from scrapy_urinorm.cli.columns import Output, with_groups
from scrapy_urinorm.cli.display import completing, count, say, write_json
from scrapy_urinorm.cli.failures import complain
from scrapy_urinorm.cli.inputs import Column, Files, Format, Inputs, as_utf8, lines_of
from scrapy_urinorm.cli.progress import Progress
from scrapy_urinorm.cli.project import ChosenRules, Json, Preset, Rules, chosen
from scrapy_urinorm.cli.rules import rule_names
from scrapy_urinorm.cli.workers import Jobs, in_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_urinorm.normalizer import Normalizer

_REMEMBERED = 1 << 16
"""URLs that are known to be in their groups already, as lists of visits repeat theirs: some 10 MB."""


def groups(
    ctx: typer.Context,
    files: Files = None,
    rules: Rules = None,
    preset: Preset = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", parser=whole("--limit", 0), metavar="N", help="Groups to show; 0: all.")
    ] = 20,
    examples: Annotated[
        int,
        typer.Option("--examples", "-e", parser=whole("--examples", 1), metavar="N", help="URLs to show of a group."),
    ] = 5,
    rule: Annotated[
        str | None,
        typer.Option(
            "--rule", metavar="RULE", help="Only groups that this rule makes.", autocompletion=completing(rule_names)
        ),
    ] = None,
    as_json: Json = False,
    column: Column = None,
    kind: Format = None,
    output: Output = None,
    jobs: Jobs = 0,
) -> None:
    """Show the groups of URLs that the rules make one page, largest first, with the rules: look here for a wrong one.

    URLs that are one page without any rule (order of parameters, fragments, spelling) count as one.

    Examples:
    - `urinorm groups --rules urinorm.toml urls.txt`

    - `urinorm groups --rule remove_params --limit 0 --json urls.txt`

    - `urinorm groups --output grouped.parquet pages.parquet`
    """
    choice = chosen(ctx, rules, preset)
    normalizer = choice.shared()
    if rule is not None:
        from scrapy_urinorm.cli.rules import known_rule

        known_rule(rule)
    if output is not None:
        with Progress("rows", streams=False) as progress:
            rows = with_groups(files, column, output, normalizer, progress)
        say(f"{output}: {count(rows, 'row')}", "green")
        return
    inputs = Inputs(files, kind, column)
    # the one URL of a key, until another comes: most have no more
    members: dict[str, str | _Group] = {}
    joined: set[str] = set()
    total = 0
    with Progress() as progress:
        for urls, keys in in_order(functools.partial(_work, choice), inputs.blocks(), jobs):
            firsts = map(members.setdefault, keys, urls)
            again = [
                (key, url)
                for key, url, first in zip(keys, urls, firsts, strict=True)
                if first is not url and (first != url if type(first) is str else url not in joined)
            ]
            if again:
                _join(members, again, examples, normalizer)
                if len(joined) > _REMEMBERED:
                    joined.clear()
                joined.update([url for _, url in again])
            total += len(urls)
            progress.add(len(urls), inputs.read / inputs.size if inputs.size else 0.0)
    groups = ((key, group) for key, group in members.items() if isinstance(group, _Group) and group.others)
    found = sorted(groups, key=lambda item: (-item[1].size, item[0]))
    if not as_json:
        saved = sum(group.size - 1 for _, group in found)
        pages, made = count(len(members), "page"), count(len(found), "group")
        say(f"{count(total, 'URL')}: {pages}, {made}; the rules save {saved:,}")
    shown = 0
    for key, group in found:
        made_by = _rules(normalizer, group)
        if rule is not None and rule not in {name for name, _, _ in made_by}:
            continue
        if limit and shown == limit:
            break
        shown += 1
        _show(key, group, made_by, as_json=as_json)
    for message in inputs.complaints():
        complain(message)


class _Group:
    """The URLs of a key: digests of those that differ without rules, and a few as examples."""

    __slots__ = ("bare", "others", "urls")

    def __init__(self, bare: bytes, url: str):
        self.bare = bare
        self.urls = [url]
        self.others: set[bytes] | None = None

    def add(self, bare: bytes, url: str, examples: int) -> None:
        if bare == self.bare or (self.others and bare in self.others):
            return
        if self.others is None:
            self.others = set()
        self.others.add(bare)
        if len(self.urls) < examples:
            self.urls.append(url)

    @property
    def size(self) -> int:
        return 1 + len(self.others or ())


def _work(choice: ChosenRules, block: bytes) -> tuple[list[str], list[str]]:
    normalizer = choice.shared()
    block = as_utf8(block)[0]
    urls, keys = lines_of(block), lines_of(normalizer.lines(block, keys=True))
    if "" in urls:
        keys = [key for key, url in zip(keys, urls, strict=True) if url]
        urls = [url for url in urls if url]
    return urls, keys


def _join(
    members: dict[str, str | _Group], again: list[tuple[str, str]], examples: int, normalizer: Normalizer
) -> None:
    """Put URLs to others of their keys; only these are asked for their keys without rules."""
    alone = {key: first for key, _ in again if isinstance(first := members[key], str)}
    bare = _without_rules([*alone.values(), *(url for _, url in again)], normalizer)
    for (key, first), digest in zip(alone.items(), bare, strict=False):
        members[key] = _Group(digest, first)
    for (key, url), digest in zip(again, bare[len(alone) :], strict=True):
        group = members[key]
        assert isinstance(group, _Group)
        group.add(digest, url, examples)


def _without_rules(urls: list[str], normalizer: Normalizer) -> list[bytes]:
    block = "".join([f"{url}\n" for url in urls]).encode("utf-8", "surrogatepass")
    return [_digest(key) for key in lines_of(normalizer.lines(block, keys=True, lossy=False))]


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()


def _rules(normalizer: Any, group: _Group) -> list[tuple[str, str, str]]:
    """The rules that change any of a group's examples: name, scope, place."""
    steps: Iterable[Any] = (step for url in group.urls for step in normalizer.explain(url).steps if step.rule != "safe")
    return list(dict.fromkeys((step.rule, step.scope, step.source) for step in steps))


def _show(key: str, group: _Group, made_by: list[tuple[str, str, str]], *, as_json: bool) -> None:
    from scrapy_urinorm.engine.texts import without_userinfo

    urls = [without_userinfo(url) for url in group.urls]
    key = without_userinfo(key)
    if as_json:
        rules = [{"rule": rule, "scope": scope, "source": source} for rule, scope, source in made_by]
        write_json({"key": key, "size": group.size, "rules": rules, "urls": urls})
        return
    say()
    say(f"{group.size:,}  {key}", "bold")
    for rule, scope, source in made_by:
        say(f"   by {rule}  {scope}{f' ({source})' if source else ''}", "dim")
    for url in urls:
        say(f"      {url}")
    if group.size > len(urls):
        say(f"      ... and {group.size - len(urls):,} more", "dim")
