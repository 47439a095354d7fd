"""`urinorm groups`: the URLs that the rules make one."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING, Annotated

import typer

from scrapy_urinorm.cli.amounts import whole
from scrapy_urinorm.cli.columns import Output, with_groups
from scrapy_urinorm.cli.difference import Differences
from scrapy_urinorm.cli.display import completing, say, write_json
from scrapy_urinorm.cli.failures import complain
from scrapy_urinorm.cli.inputs import Column, Files, Format, Inputs, as_utf8
from scrapy_urinorm.cli.progress import Progress
from scrapy_urinorm.cli.project import ChosenRules, Json, Preset, Rules, chosen
from scrapy_urinorm.cli.rules import rule_names
from scrapy_urinorm.cli.workers import Jobs, in_order
from scrapy_urinorm.url import split
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from scrapy_urinorm.normalizer import Normalizer

_REMEMBERED = 1 << 16
"""URLs that are known to be in their groups already, as lists of visits repeat theirs: some 10 MB."""

_WORTH, _PAUSE = 4, 16
"""To look a URL up among the known ones takes 0.24 us and spares 1 us where it is one (a million URLs that all differ).

Where fewer than one in `_WORTH` was, the next URLs are not looked up, `_PAUSE` times as many."""


def groups(
    ctx: typer.Context,
    files: Files = None,
    rules: Rules = None,
    preset: Preset = None,
    limit: Annotated[int, whole("--limit", "-n", least=0, help="How many groups to show; 0: all.")] = 20,
    examples: Annotated[int, whole("--examples", "-e", least=1, help="How many URLs of a group to show.")] = 5,
    rule: Annotated[
        str | None,
        typer.Option(
            "--rule",
            metavar="RULE",
            help="Show only groups that this rule makes.",
            autocompletion=completing(rule_names),
        ),
    ] = None,
    as_json: Json = False,
    column: Column = None,
    kind: Format = None,
    output: Output = None,
    jobs: Jobs = 0,
) -> None:
    """Show the groups of URLs that the rules make one page, largest first, with these rules: look here for wrong ones.

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
        with_groups(files, column, output, normalizer)
        return
    inputs = Inputs(files, kind, column)
    # the one URL of a key, until another comes: most have no more
    members: dict[bytes, bytes | _Group] = {}
    with Progress() as progress:
        for urls, keys, counted in in_order(_Keys(choice), inputs.blocks(), jobs):
            firsts = map(members.setdefault, keys, urls)
            again = [
                (key, url)
                for key, url, first in zip(keys, urls, firsts, strict=True)
                if first is not url and (type(first) is _Group or first != url)
            ]
            if again:
                _join(members, again, examples, normalizer)
            inputs.note(counted)
            progress.add(counted["lines"], inputs.share)
    groups = ((key, group) for key, group in members.items() if isinstance(group, _Group) and group.others)
    found = sorted(groups, key=lambda item: (-item[1].size, item[0]))
    if not as_json:
        saved = sum(group.size - 1 for _, group in found)
        pages, made = count(len(members), "page"), count(len(found), "group")
        say(f"{count(inputs.counts['lines'], 'URL')}: {pages}, {made}; the rules save {saved:,}")
    shown = 0
    differences = Differences(normalizer.ruleset)
    for key, group in found:
        made_by = _rules(normalizer, group, differences)
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

    def __init__(self, bare: bytes, url: bytes):
        self.bare = bare
        self.urls = [url]
        self.others: set[bytes] | None = None

    def add(self, bare: bytes, url: bytes, examples: int) -> None:
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


class _Keys:
    """Makes of a block those of its URLs that were not met shortly before, their keys, and the counts of its lines."""

    def __init__(self, choice: ChosenRules):
        self._choice = choice
        self._known: set[bytes] = set()
        self._asked = self._spared = self._pause = 0

    def __call__(self, block: bytes) -> tuple[list[bytes], list[bytes], Counter[str]]:
        normalizer = self._choice.shared()
        normalizer.counts.clear()
        block, odd = as_utf8(block)
        if b"\r" in block:
            block = block.replace(b"\r\n", b"\n")
        lines = block.split(b"\n")
        lines.pop()  # a block ends with a line end
        urls = [line for line in lines if line] if b"" in lines else lines
        count = len(urls)
        if self._pause > 0:
            self._pause -= count
        else:
            urls = self._new(urls)
        if len(urls) < len(lines):
            block = b"".join([url + b"\n" for url in urls])
        keys = normalizer.lines(block, keys=True).split(b"\n")
        keys.pop()
        counts = Counter(**normalizer.counts, lines=count, not_utf8=odd)
        if counts["unparsable"]:
            # each of them is to be counted, also where it comes again
            self._known.difference_update([url for url in urls if split(_text(url)) is None])
        return urls, keys, counts

    def _new(self, urls: list[bytes]) -> list[bytes]:
        known = self._known
        new = [url for url in urls if url not in known]
        known.update(new)
        self._asked += len(urls)
        self._spared += len(urls) - len(new)
        if len(known) > _REMEMBERED:
            if self._spared < self._asked / _WORTH:
                self._pause = self._asked * _PAUSE
            known.clear()
            self._asked = self._spared = 0
        return new


def _join(
    members: dict[bytes, bytes | _Group], again: list[tuple[bytes, bytes]], examples: int, normalizer: Normalizer
) -> None:
    """Put URLs into the groups of their keys; of a key that only one URL had so far, a group is made."""
    alone = {key: first for key, _ in again if isinstance(first := members[key], bytes)}
    bare = _without_rules([*alone.values(), *(url for _, url in again)], normalizer)
    for (key, first), digest in zip(alone.items(), bare, strict=False):
        members[key] = _Group(digest, first)
    for (key, url), digest in zip(again, bare[len(alone) :], strict=True):
        group = members[key]
        assert isinstance(group, _Group)
        group.add(digest, url, examples)


def _without_rules(urls: list[bytes], normalizer: Normalizer) -> list[bytes]:
    block = b"".join([url + b"\n" for url in urls])
    keys = normalizer.lines(block, keys=True, lossy=False).split(b"\n")
    return [blake2b(key, digest_size=8).digest() for key in keys[:-1]]


def _rules(normalizer: Normalizer, group: _Group, differences: Differences) -> list[tuple[str, str, str]]:
    """The rules without which a group's examples would not be one: name, scope, place."""
    urls = [_text(url) for url in group.urls]
    steps = [step for url in urls for step in normalizer.explain(url).steps if step.rule != "safe"]
    needed = set(differences.needed(urls, (step.rule for step in steps)))
    return list(dict.fromkeys((step.rule, step.scope, step.source) for step in steps if step.rule in needed))


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogatepass")


def _show(octets: bytes, group: _Group, made_by: list[tuple[str, str, str]], *, as_json: bool) -> None:
    from scrapy_urinorm.engine.texts import without_userinfo

    urls = [without_userinfo(_text(url)) for url in group.urls]
    key = without_userinfo(_text(octets))
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
