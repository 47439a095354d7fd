"""`urinorm diff`: what a change of the rules does to a list of URLs."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from scrapy_urinorm.cli.amounts import whole
from scrapy_urinorm.cli.display import say, show_table, write_json
from scrapy_urinorm.cli.failures import FINDINGS, complain
from scrapy_urinorm.cli.inputs import Column, Format, Inputs, as_utf8, lines_of
from scrapy_urinorm.cli.progress import Progress
from scrapy_urinorm.cli.project import ChosenRules, Json
from scrapy_urinorm.cli.workers import Jobs, in_order
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from scrapy_urinorm.engine.explanation import Explanation
    from scrapy_urinorm.normalizer import Normalizer


def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A rule file, or the name of a preset.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The same, to compare with.")],
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[URLS]...", help="Files of URLs, as for `normalize`; none: stdin.")
    ] = None,
    examples: Annotated[int, whole("--examples", "-e", least=1, help="How many examples to show for each rule.")] = 3,
    as_json: Json = False,
    column: Column = None,
    kind: Format = None,
    jobs: Jobs = 0,
) -> None:
    """Show, by rule, which URLs get another key under changed rules, which become one page, and which no longer are.

    It also shows which URLs are newly skipped or deferred. The exit code is 0 when nothing changes and 1 when it does.

    Examples:
    - `urinorm diff old.toml new.toml urls.txt`

    - `urinorm diff recommended loose urls.txt.gz`
    """
    choices = _choice(old), _choice(new)
    for choice in choices:
        # what a change breaks is what one wants to see of it
        for problem in _broken_examples(choice):
            complain(problem)
    before, after = (choice.shared() for choice in choices)
    inputs = Inputs(files, kind, column)
    comparison = Comparison(examples)
    with Progress() as progress:
        for rows in in_order(functools.partial(_work, *choices), inputs.blocks(), jobs):
            comparison.add(rows)
            progress.add(len(rows), inputs.share)
    report = comparison.report(before, after)
    if as_json:
        write_json(report)
    else:
        _show(report)
    for message in inputs.complaints():
        complain(message)
    if report["changed"] or report["verdicts"]:
        raise typer.Exit(FINDINGS)


def _choice(name: str) -> ChosenRules:
    from pathlib import Path

    from scrapy_urinorm.rulesets.ruleset import PRESETS

    if name.partition("@")[0] in PRESETS and not Path(name).exists():
        return ChosenRules((), name, examples=False)
    return ChosenRules((name,), None, examples=False)


def _broken_examples(choice: ChosenRules) -> list[str]:
    from scrapy_urinorm.errors import RuleFileError
    from scrapy_urinorm.normalizer import Normalizer

    ruleset = choice.ruleset()
    try:
        Normalizer(ruleset)
    except RuleFileError as error:
        return [str(problem) for problem in error.problems]
    return []


class ChangedUrl(NamedTuple):
    """A URL under both rule sets: digests of its keys, and, where they differ, the rules behind it."""

    url: str
    old: int
    new: int
    gone: tuple[str, ...] = ()
    come: tuple[str, ...] = ()
    verdicts: str = ""
    """Where `skip` or `defer` differ: what the old set says and what the new one does."""


def _work(old: ChosenRules, new: ChosenRules, block: bytes) -> list[ChangedUrl]:
    before, after = old.shared(), new.shared()
    block = as_utf8(block)[0]
    rows = []
    for url, one, other in zip(
        lines_of(block), lines_of(before.lines(block, keys=True)), lines_of(after.lines(block, keys=True)), strict=True
    ):
        if not url:
            continue
        verdicts = _verdicts(before.verdict(url), after.verdict(url))
        if one == other:
            rows.append(ChangedUrl(url, digest := _digest(one), digest, verdicts=verdicts))
        else:
            told = before.explain(url), after.explain(url)
            rows.append(ChangedUrl(url, _digest(one), _digest(other), *_responsible(*told), verdicts))
    return rows


def _verdicts(old: tuple[bool, bool], new: tuple[bool, bool]) -> str:
    if old == new:
        return ""
    words = ["skip" if skip else "defer" if defer else "request" for skip, defer in (old, new)]
    return " -> ".join(words) if words[0] != words[1] else ""


def _digest(key: str) -> int:
    return int.from_bytes(blake2b(key.encode("utf-8", "replace"), digest_size=8).digest(), "big")


#: Rules that act or not as others leave them something to do; alone they make no key differ under both rule sets.
_FOLLOWING = ("safe", "sort_query", "fragment")


def _responsible(one: Explanation, other: Explanation) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Rules that acted under the old set alone, and under the new one alone; the lines of a file may have moved."""
    old, new = ({(step.rule, step.scope): step for step in told.steps} for told in (one, other))
    gone, come = (
        tuple(
            dict.fromkeys(
                _name(step) for place, step in side.items() if place not in other and place[0] not in _FOLLOWING
            )
        )
        for side, other in ((old, new), (new, old))
    )
    if not gone and not come:
        # the same rules with other values, of which the first to go another way counts
        for place, step in new.items():
            if old[place].after != step.after:
                return (_name(old[place]),), (_name(step),)
        # or one that shows in the key alone (order, blank values)
        same = tuple(dict.fromkeys(_name(step) for step in other.steps)) or ("conventions of the key",)
        return same, same
    return gone, come


def _name(step: Any) -> str:
    return f"{step.rule} ({step.source})" if step.source else step.rule


class Comparison:
    """What differs between two rule sets over URLs; memory grows with the number of different keys."""

    def __init__(self, examples: int):
        self.examples = examples
        self.total = 0
        self.changed = 0
        self.by_rule: Counter[str] = Counter()
        self.changes: defaultdict[str, list[str]] = defaultdict(list)
        self.verdicts: Counter[str] = Counter()
        self.judged: defaultdict[str, list[str]] = defaultdict(list)
        self.rows: dict[tuple[int, int], tuple[str, tuple[str, ...], tuple[str, ...]]] = {}

    def add(self, rows: list[ChangedUrl]) -> None:
        """Take the rows of a block."""
        self.total += len(rows)
        for row in rows:
            self.rows.setdefault((row.old, row.new), (row.url, row.gone, row.come))
            if row.verdicts:
                self.verdicts[row.verdicts] += 1
                if len(self.judged[row.verdicts]) < self.examples:
                    self.judged[row.verdicts].append(row.url)
            if row.old == row.new:
                continue
            self.changed += 1
            for rule in dict.fromkeys((*row.gone, *row.come)):
                self.by_rule[rule] += 1
                if len(self.changes[rule]) < self.examples:
                    self.changes[rule].append(row.url)

    def report(self, before: Normalizer, after: Normalizer) -> dict[str, Any]:
        """Counts, rules and examples."""
        from scrapy_urinorm.engine.texts import without_userinfo

        merged, split = list(self._pairs(old=False)), list(self._pairs(old=True))
        return {
            "urls": self.total,
            "changed": self.changed,
            "old": _ruleset(before),
            "new": _ruleset(after),
            "pages_before": len({old for old, _ in self.rows}),
            "pages_after": len({new for _, new in self.rows}),
            "rules": [
                {
                    "rule": rule,
                    "urls": number,
                    "merges": sum(rule in pair[2] for pair in merged),
                    "splits": sum(rule in pair[2] for pair in split),
                    "examples": [self._example(url, before, after) for url in self.changes[rule]],
                }
                for rule, number in self.by_rule.most_common()
            ],
            "merged": self._told(merged, after),
            "split": self._told(split, before),
            "verdicts": [
                {"change": change, "urls": number, "examples": [without_userinfo(url) for url in self.judged[change]]}
                for change, number in self.verdicts.most_common()
            ],
        }

    def _pairs(self, *, old: bool) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """Pairs of URLs with one key under one rule set and two under the other: one for each key too many."""
        first: dict[int, tuple[str, tuple[str, ...]]] = {}
        for (one, other), (url, gone, come) in self.rows.items():
            group, rules = (one, gone) if old else (other, come)
            known = first.setdefault(group, (url, rules))
            if known[0] is not url:
                yield known[0], url, tuple(dict.fromkeys((*known[1], *rules)))

    def _told(self, pairs: list[tuple[str, str, tuple[str, ...]]], normalizer: Normalizer) -> dict[str, Any]:
        from scrapy_urinorm.engine.texts import without_userinfo

        shown: Counter[tuple[str, ...]] = Counter()
        examples = []
        for one, other, rules in pairs:
            shown[rules] += 1
            if shown[rules] <= self.examples:
                urls = [without_userinfo(one), without_userinfo(other)]
                key = without_userinfo(normalizer.key(one))
                examples.append({"urls": urls, "key": key, "rules": list(rules)})
        return {"pairs": len(pairs), "examples": examples}

    @staticmethod
    def _example(url: str, before: Normalizer, after: Normalizer) -> dict[str, str]:
        from scrapy_urinorm.engine.texts import without_userinfo

        texts = url, before.key(url), after.key(url)
        return dict(zip(("url", "old", "new"), map(without_userinfo, texts), strict=True))


def _ruleset(normalizer: Normalizer) -> dict[str, Any]:
    rules = normalizer.ruleset
    return {"files": list(rules.files), "preset": rules.preset, "digest": rules.digest()}


def _show(report: dict[str, Any]) -> None:
    say(f"{count(report['urls'], 'URL')}, {report['changed']:,} with another key;"
        f" {report['pages_before']:,} pages before, {report['pages_after']:,} after")  # fmt: skip
    for row in report["verdicts"]:
        say(f"{row['change']}: {count(row['urls'], 'URL')}", "yellow")
        for url in row["examples"]:
            say(f"    {url}")
    if not report["changed"]:
        return
    say()
    rows = [(row["rule"], row["urls"], row["merges"], row["splits"]) for row in report["rules"]]
    show_table(("rule", "URLs", "newly one", "newly two"), rows, fold=("rule",))
    for part, title in (("merged", "newly one page"), ("split", "no longer one page")):
        told = report[part]
        if not told["pairs"]:
            continue
        say()
        say(f"{title}: {count(told['pairs'], 'pair')}", "bold")
        for example in told["examples"]:
            say(f"  {', '.join(example['rules'])}", "dim")
            for url in example["urls"]:
                say(f"    {url}")
            say(f"    -> {example['key']}", "cyan")
    alone = [row for row in report["rules"] if not row["merges"] and not row["splits"]]
    if alone:
        say()
        say("another key, and still the same pages", "bold")
        for row in alone:
            for example in row["examples"]:
                say(f"    {example['url']}")
                say(f"    - {example['old']}", "red")
                say(f"    + {example['new']}", "green")
