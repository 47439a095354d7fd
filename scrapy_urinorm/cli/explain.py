"""`urinorm explain`: why a URL has its key, and why two URLs are one page or are not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scrapy_urinorm.cli.display import say, say_pieces, show_change, write_json
from scrapy_urinorm.cli.failures import FINDINGS
from scrapy_urinorm.cli.project import CrawlView, Json, Preset, Relative, Rules, chosen, crawl_of
from scrapy_urinorm.errors import UrinormError

if TYPE_CHECKING:
    from scrapy_urinorm.cli.difference import Apart
    from scrapy_urinorm.engine.explanation import Explanation
    from scrapy_urinorm.normalizer import Normalizer
    from scrapy_urinorm.rulesets.ruleset import RuleSet


def explain(
    ctx: typer.Context,
    urls: Annotated[list[str], typer.Argument(metavar="URL...", help="Absolute URLs.")],
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="URL", help="Say why they are, or are not, one page with this URL."),
    ] = None,
    rules: Rules = None,
    preset: Preset = None,
    base: Relative = None,
    as_json: Json = False,
) -> None:
    """Show each step from a URL to its key: the rule, where it is written, before and after.

    With `--against`, also show the rules without which the two would not be one page, and what to write to keep them
    apart; the exit code is then 0 when all are one page and 1 when they are not.

    `--json` writes one object per line.

    Examples:
    - `urinorm explain "https://shop.example/?utm_source=mail&b=2&a=1"`

    - `urinorm explain "https://shop.example/a/" --against "https://shop.example/a" --rules urinorm.toml`
    """
    normalizer = chosen(ctx, rules, preset).normalizer()
    crawl = crawl_of(ctx)
    if base is not None:
        from scrapy_urinorm.url import resolve

        urls = [resolve(url, base) for url in urls]
        against = against and resolve(against, base)
    need_schemes([*urls, *([against] if against is not None else [])])
    told = [_Told(url, normalizer, crawl) for url in urls]
    if against is None:
        for number, one in enumerate(told):
            if as_json:
                write_json(one.to_dict())
            else:
                if number:
                    say()
                one.show()
        return
    other = _Told(against, normalizer, crawl)
    verdicts = [_verdict(one, other, normalizer.ruleset) for one in told]
    if as_json:
        for one, verdict in zip(told, verdicts, strict=True):
            write_json({**verdict, "urls": [one.to_dict(), other.to_dict()]})
    else:
        for one in (*told, other):
            one.show()
            say()
        for verdict in verdicts:
            _show_verdict(verdict)
    if not all(verdict["same"] for verdict in verdicts):
        raise typer.Exit(FINDINGS)


# a host with its port looks like a scheme, and is what people type
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\d)")


def need_schemes(urls: list[str]) -> None:
    """Raise UrinormError for a URL that begins with no scheme: what is typed so is meant to have one."""
    for url in urls:
        if not _SCHEME.match(url.lstrip()):
            if url[:1] in ("/", "?", "#", "."):
                hint = f"--base says what it is relative to{f', or write https:{url}' if url[:2] == '//' else ''}"
            else:
                hint = f"write https://{url}" if url.strip() else "write https://..."
            raise UrinormError(f"{url!r} has no scheme ({hint})")


class _Told:
    """A URL as the crawl sees it, with its explanation and its fingerprint."""

    def __init__(self, url: str, normalizer: Normalizer, crawl: CrawlView):
        self.seen = crawl.request_url(url)
        self.explanation: Explanation = normalizer.explain(self.seen)
        self.fingerprint = crawl.fingerprint(self.seen, normalizer)
        self.notes = list(self.explanation.notes)
        if self.seen != url:
            plain = normalizer.explain(url)
            if plain.key != self.explanation.key:
                self.notes.append(f"Scrapy's Request turns it into another URL; without Scrapy its key is {plain.key}")
            self.given: str | None = plain.url
        else:
            self.given = None

    def to_dict(self) -> dict[str, Any]:
        data = self.explanation.to_dict()
        if self.given is not None:
            data["given"] = self.given
        return {**data, "notes": self.notes, "fingerprint": self.fingerprint}

    def show(self) -> None:
        told = self.explanation
        rows = [("URL", self.given or told.url, "bold")]
        if self.given is not None:
            rows.append(("request", told.url, ""))
        _show_rows(rows)
        for number, step in enumerate(told.steps, 1):
            _show_step(number, step.rule, step.scope, step.source, step.before, step.after)
        verdicts = [
            word for word, said in (("never requested (skip)", told.skip), ("last (defer)", told.defer)) if said
        ]
        _show_rows(
            [
                ("canonical", told.canonical, "green"),
                ("key", told.key, "cyan"),
                ("fingerprint", self.fingerprint, ""),
                *(("requested", word, "yellow") for word in verdicts),
                *(("note", note, "yellow") for note in self.notes),
            ]
        )


def _show_rows(rows: list[tuple[str, str, str]]) -> None:
    for name, value, style in rows:
        say_pieces((f"{name:<13}", "dim"), (value, style))


def _show_step(number: int, rule: str, scope: str, source: str, before: str, after: str) -> None:
    place = f"{scope} ({source})" if source else scope
    say_pieces((f"{number:>3}  ", "dim"), (rule, "bold"), (f"  {place}", "dim"))
    show_change(before, after, "     ")


def _verdict(one: _Told, other: _Told, ruleset: RuleSet) -> dict[str, Any]:
    if one.fingerprint == other.fingerprint:
        rules, ways = _why_one(one, other, ruleset)
        return {"same": True, "rules": rules, "apart": [way._asdict() for way in ways], "differences": []}
    differences = list(_differences(one.explanation.key, other.explanation.key)) or ["user name or password"]
    return {"same": False, "rules": [], "apart": [], "differences": differences}


def _why_one(one: _Told, other: _Told, ruleset: RuleSet) -> tuple[list[str], list[Apart]]:
    """The rules without which two URLs would not be one page, and what to write to keep them apart."""
    from scrapy_urinorm.cli.difference import Differences, near, ways_apart

    both = (one.explanation, other.explanation)
    urls = [one.seen, other.seen]
    steps = (step.rule for told in both for step in told.steps if step.rule != "safe")
    few = near(ruleset, [*urls, *(told.key for told in both)])
    rules = Differences(few, strict=True).needed(urls, steps)
    return rules, ways_apart(few, both, rules)


def _differences(one: str, other: str) -> list[str]:
    """The parts in which two keys differ, in words."""
    from scrapy_urinorm.url import decoded, query_items, split

    first, second = split(one), split(other)
    if first is None or second is None:
        return [] if one == other else ["text"]
    out = []
    for part in ("scheme", "host", "port", "path", "fragment"):
        a, b = getattr(first, part), getattr(second, part)
        if a != b:
            out.append(f"{part}: {a or 'none'} and {b or 'none'}")
    mine, theirs = (query_items(url.query or "") for url in (first, second))
    for name in dict.fromkeys(n for n, _ in (*mine, *theirs)):
        a, b = ([v for n, v in items if n == name] for items in (mine, theirs))
        if a != b:
            out.append(f"parameter {decoded(name)}: {_values(a)} and {_values(b)}")
    if not out and mine != theirs:
        out.append("the order of parameters")
    return out


def in_words(rule: str, table: str, place: str, write: str) -> str:
    """A way to keep two URLs apart, as a person is told it."""
    place = f" ({place})" if place else ""
    return f"in [{table}]{place} write {write}" if write else f"take it out of {rule} of {table}{place}"


def _values(values: list[str]) -> str:
    from scrapy_urinorm.url import decoded

    return " + ".join(repr(decoded(v)) for v in values) or "absent"


def _show_verdict(verdict: dict[str, Any]) -> None:
    if verdict["same"]:
        by = ", ".join(verdict["rules"])
        say(f"one page, {f'by {by}' if by else 'without any rule'}", "bold green")
        if verdict["apart"]:
            say(f"to keep them apart{', one of these' if len(verdict['apart']) > 1 else ''}:")
        for way in verdict["apart"]:
            say(f"  {in_words(**way)}")
        return
    say("two pages", "bold red")
    for difference in verdict["differences"]:
        say(f"  {difference}")
