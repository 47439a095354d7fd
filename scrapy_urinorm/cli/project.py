"""Where the rules of a command come from: its options, else the Scrapy project, else the rule file beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, Protocol

import typer

from scrapy_urinorm.cli.display import completing
from scrapy_urinorm.recipe import fingerprint_bytes
from scrapy_urinorm.rulesets.sources import RULE_FILE

if TYPE_CHECKING:
    from scrapy_urinorm.normalizer import Normalizer
    from scrapy_urinorm.rulesets.ruleset import RuleSet, Source

Rules = Annotated[
    list[str] | None,
    typer.Option(
        "--rules",
        "-r",
        metavar="FILE",
        help="A rule file, or `package:file.toml`; may be given several times. Without it: the rules of the Scrapy"
        f" project, or `{RULE_FILE}` in the current folder.",
    ),
]
Preset = Annotated[
    str | None,
    typer.Option(
        "--preset",
        "-p",
        metavar="NAME",
        help="safe, recommended or loose, in place of the files' choice.",
        autocompletion=completing(lambda: ("safe", "recommended", "loose")),
    ),
]
Relative = Annotated[str | None, typer.Option("--base", metavar="URL", help="The URL that relative ones refer to.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON.")]


class CrawlView(Protocol):
    """What a crawl does to a URL before it is compared; `scrapy urinorm` gives the project's own."""

    def rules(self) -> tuple[Sequence[Source], str | None]:
        """The sources of the project's rules, and its preset."""

    def request_url(self, url: str) -> str:
        """The URL that Scrapy's Request makes of `url`."""

    def fingerprint(self, url: str, normalizer: Normalizer) -> str:
        """The fingerprint of a GET request, in hexadecimal digits."""


class PlainCrawl:
    """A crawl with Scrapy's defaults, without importing Scrapy."""

    def rules(self) -> tuple[Sequence[Source], str | None]:
        """The rule file of the current folder, if there is one."""
        return (RULE_FILE,) if Path(RULE_FILE).is_file() else (), None

    def request_url(self, url: str) -> str:
        """What `scrapy.Request(url).url` is; unchanged where it would refuse the URL."""
        from w3lib.url import safe_url_string

        try:
            return safe_url_string(url)
        except ValueError:
            return url

    def fingerprint(self, url: str, normalizer: Normalizer) -> str:
        """Scrapy's recipe over the key."""
        return fingerprint_bytes(normalizer.key(url)).hex()


class ChosenRules(NamedTuple):
    """Which rules a command uses; small enough to be sent to another process."""

    sources: tuple[Source, ...]
    preset: str | None
    examples: bool = True
    """Whether the examples of the files must hold."""

    def ruleset(self) -> RuleSet:
        """The rules; raises RuleFileError."""
        from scrapy_urinorm.rulesets.ruleset import RuleSet

        return RuleSet.load(*self.sources, preset=self.preset)

    def normalizer(self) -> Normalizer:
        """The normalizer of these rules; raises RuleFileError."""
        from scrapy_urinorm.normalizer import Normalizer

        return Normalizer(self.ruleset(), check_examples=self.examples)

    def shared(self) -> Normalizer:
        """The normalizer, made once in each process."""
        name = repr(self)
        found = _shared.get(name)
        if found is None:
            found = _shared[name] = self.normalizer()
        return found


_shared: dict[str, Normalizer] = {}


def read_again() -> None:
    """Let the next command of this process read its rule files, which may have changed."""
    _shared.clear()


def crawl_of(ctx: typer.Context) -> CrawlView:
    """The Scrapy project that the command runs in, or one with Scrapy's defaults."""
    found: CrawlView | None = ctx.obj
    return PlainCrawl() if found is None else found


def chosen(ctx: typer.Context, rules: Sequence[str] | None, preset: str | None) -> ChosenRules:
    """The rules that the options name, else those of the project, else the rule file of the current folder."""
    if rules:
        return ChosenRules(tuple(rules), preset)
    sources, project_preset = crawl_of(ctx).rules()
    return ChosenRules(tuple(sources), preset or project_preset)
