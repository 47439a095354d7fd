"""`urinorm unique` and `urinorm sample`: fewer URLs, in order; one of each page, or some of each template."""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Callable
from typing import Annotated, NamedTuple

import typer

from scrapy_urinorm.cli.amounts import whole
from scrapy_urinorm.cli.display import completing, is_terminal
from scrapy_urinorm.cli.failures import complain
from scrapy_urinorm.cli.inputs import Column, Files, Format, Inputs, as_utf8, first_broken, lines_of
from scrapy_urinorm.cli.progress import Progress
from scrapy_urinorm.cli.project import ChosenRules, Preset, Rules, chosen
from scrapy_urinorm.cli.workers import Jobs, in_order
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.regex import Regex
from scrapy_urinorm.report.inert import visible as inert
from scrapy_urinorm.rules.globs import RANGES, glob_key, odd_range, path_glob
from scrapy_urinorm.url import decoded, path_key, query_items, split
from scrapy_urinorm.wording import count

PREFER = ("first", "shortest", "https", "canonical")

Extensions = Annotated[
    list[str] | None, typer.Option("--ext", metavar="EXT", help="Only URLs with this extension; `,` between several.")
]
NoExtensions = Annotated[
    list[str] | None, typer.Option("--no-ext", metavar="EXT", help="No URLs with this extension, as in jpg,css.")
]
Paths = Annotated[
    list[str] | None, typer.Option("--path", metavar="GLOB", help="Only URLs whose path matches, as in /shop/**.")
]
NoPaths = Annotated[list[str] | None, typer.Option("--no-path", metavar="GLOB", help="No URLs whose path matches.")]


class Filter(NamedTuple):
    """Which URLs are wanted, by the extension and the path; all where nothing is said."""

    extensions: frozenset[str]
    no_extensions: frozenset[str]
    paths: tuple[str, ...]
    no_paths: tuple[str, ...]

    @classmethod
    def of(
        cls, ext: list[str] | None, no_ext: list[str] | None, paths: list[str] | None, no_paths: list[str] | None
    ) -> Filter:
        """The filter that the options name."""
        for glob in (*(paths or ()), *(no_paths or ())):
            if glob[:1] not in ("/", "*"):
                raise UrinormError(f"{glob!r} is not a path glob: it begins with /, as in /shop/**")
            if odd := odd_range(glob):
                raise UrinormError(f"{glob!r}: no number is in {odd!r}: {RANGES}")
        return cls(_extensions(ext), _extensions(no_ext), tuple(paths or ()), tuple(no_paths or ()))

    def wants(self, url: str) -> bool:
        """Whether a URL passes; what is no URL passes where nothing is asked for."""
        if not any(self):
            return True
        parts = split(url)
        if parts is None:
            return not (self.extensions or self.paths)
        path = path_key(parts.path)
        _, dot, extension = path.rpartition("/")[2].rpartition(".")
        extension = extension.lower() if dot else ""
        if extension in self.no_extensions or (self.extensions and extension not in self.extensions):
            return False
        if self.paths and not any(path_glob(glob_key(glob))(path) for glob in self.paths):
            return False
        return not any(path_glob(glob_key(glob))(path) for glob in self.no_paths)


def _extensions(given: list[str] | None) -> frozenset[str]:
    return frozenset(one.strip().lstrip(".").lower() for text in given or () for one in text.split(",") if one.strip())


class Ranked(NamedTuple):
    """A line of the input that passed the filter: its URL, its key, and how much it is preferred, least first."""

    url: str
    key: str
    rank: int


class _Block(NamedTuple):
    """What passed of a block, and the counts of its lines; `broken_at` is the number of its first that is no URL."""

    pages: list[Ranked]
    counts: Counter[str]
    broken_at: int | None


def unique(
    ctx: typer.Context,
    files: Files = None,
    rules: Rules = None,
    preset: Preset = None,
    prefer: Annotated[
        str,
        typer.Option(
            "--prefer",
            metavar="WHICH",
            help=f"Which URL stands for a page: {', '.join(PREFER)}.",
            autocompletion=completing(lambda: PREFER),
        ),
    ] = "first",
    ext: Extensions = None,
    no_ext: NoExtensions = None,
    path: Paths = None,
    no_path: NoPaths = None,
    column: Column = None,
    kind: Format = None,
    jobs: Jobs = 0,
) -> None:
    """Write one URL for each page, as it is in the input, in the order in which the pages come.

    URLs that the rules forbid to request are left out. Pages are told apart by their keys alone: nothing is guessed
    from the look of a URL, so no page is lost that the rules keep.

    Examples:
    - `urinorm unique urls.txt > pages.txt`

    - `urinorm unique --prefer https --no-ext jpg,png,css --rules urinorm.toml urls.txt.gz`
    """
    if prefer not in PREFER:
        raise UrinormError(f"there is no preference {prefer!r}: {', '.join(PREFER)}")
    held: dict[str, Ranked] = {}

    def take(pages: list[Ranked]) -> list[str]:
        new: list[str] = []
        for page in pages:
            other = held.get(page.key)
            if other is None:
                new.append(page.url)
                held[page.key] = page._replace(url="") if prefer == "first" else page
            elif page.rank < other.rank:
                held[page.key] = page
        return new if prefer == "first" else []

    wanted = Filter.of(ext, no_ext, path, no_path)
    inputs = Inputs(files, kind, column)
    counts = _write_some(chosen(ctx, rules, preset), prefer, wanted, inputs, jobs, take)
    if prefer != "first":
        _write([page.url for page in held.values()])
    _tell(counts, f"{count(len(held), 'page')} of {count(counts['lines'], 'line')}")


def sample(
    ctx: typer.Context,
    files: Files = None,
    rules: Rules = None,
    preset: Preset = None,
    per_template: Annotated[
        int, whole("--per-template", "-k", least=1, metavar="K", help="URLs of each template.")
    ] = 1,
    names_alone: Annotated[
        bool, typer.Option("--names", help="A path with one set of parameter names is one template, whatever values.")
    ] = False,
    ext: Extensions = None,
    no_ext: NoExtensions = None,
    path: Paths = None,
    no_path: NoPaths = None,
    column: Column = None,
    kind: Format = None,
    jobs: Jobs = 0,
) -> None:
    """Write some pages of each template, in order: numbers, dates, GUIDs and hashes are folded into placeholders.

    This is for looking at a site, never a rule: two URLs of a template are two pages, and most of them are left out.

    Examples:
    - `urinorm sample urls.txt`

    - `urinorm sample --per-template 3 --names --no-ext jpg,css urls.txt`
    """
    keys: dict[str, list[str]] = {}

    def take(pages: list[Ranked]) -> list[str]:
        urls = []
        for page in pages:
            # URLs of one key have one template
            taken = keys.setdefault(template_of(page.key, names_alone=names_alone), [])
            if len(taken) < per_template and page.key not in taken:
                taken.append(page.key)
                urls.append(page.url)
        return urls

    wanted = Filter.of(ext, no_ext, path, no_path)
    inputs = Inputs(files, kind, column)
    counts = _write_some(chosen(ctx, rules, preset), "first", wanted, inputs, jobs, take)
    _tell(counts, f"{count(len(keys), 'kind')} of URL in {count(counts['lines'], 'line')}")


def _write_some(
    choice: ChosenRules,
    prefer: str,
    wanted: Filter,
    inputs: Inputs,
    jobs: int,
    take: Callable[[list[Ranked]], list[str]],
) -> Counter[str]:
    """Write what `take` chooses of each block of the input, in order; return the lines, and those left out."""
    choice.shared()
    with Progress() as progress:
        for block in in_order(functools.partial(_work, choice, prefer, wanted), inputs.blocks(), jobs):
            _write(take(block.pages))
            inputs.note(block.counts, block.broken_at)
            progress.add(block.counts["lines"], inputs.share)
    for message in inputs.complaints():
        complain(message)
    return inputs.counts


def _work(choice: ChosenRules, prefer: str, wanted: Filter, block: bytes) -> _Block:
    normalizer = choice.shared()
    normalizer.counts.clear()
    block, odd = as_utf8(block)
    urls = lines_of(block)
    keys = lines_of(normalizer.lines(block, keys=True))
    counts = Counter(**normalizer.counts, lines=len(urls), not_utf8=odd)
    canonical = lines_of(normalizer.lines(block)) if prefer == "canonical" else keys
    rank: dict[str, Callable[[str, str], int]] = {
        "first": lambda url, canonical: 0,
        "shortest": lambda url, canonical: len(url),
        "https": lambda url, canonical: not url[:6].lower().startswith("https:"),
        "canonical": lambda url, canonical: url != canonical,
    }
    pages = []
    for url, key, text in zip(urls, keys, canonical, strict=True):
        if not url:
            continue
        if not wanted.wants(url):
            counts["filtered"] += 1
        elif normalizer.has_verdicts and normalizer.verdict(url)[0]:
            counts["skipped"] += 1
        else:
            pages.append(Ranked(url, key, rank[prefer](url, text)))
    return _Block(pages, counts, first_broken(urls) if counts["unparsable"] else None)


def _write(urls: list[str]) -> None:
    lines = [inert(url) for url in urls] if is_terminal() else urls
    sys.stdout.buffer.write("".join([f"{line}\n" for line in lines]).encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def _tell(counts: Counter[str], said: str) -> None:
    parts = [said]
    if counts["filtered"]:
        parts.append(f"{counts['filtered']:,} not asked for")
    if counts["skipped"]:
        parts.append(f"{counts['skipped']:,} never requested (skip)")
    complain("; ".join(parts))


# in this order: a date is made of numbers, a GUID of hexadecimal digits
_KINDS = (
    ("{guid}", Regex(r"(?i)[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}")),
    ("{date}", Regex(r"(?:19|20)\d\d[-./_]?(?:0[1-9]|1[0-2])[-./_]?(?:0[1-9]|[12]\d|3[01])")),
    # shorter ones are words as well: `facade`, `deadbeef` is none
    ("{hex}", Regex(r"(?i)(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}")),
    # a text of mixed cases and digits of some length is drawn, not written
    ("{id}", Regex(r"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=\D*\d)[A-Za-z0-9_]{16,}={0,2}")),
)
_NUMBER = Regex(r"\d+")


def folded(text: str) -> str:
    """A segment or value with a placeholder: for what is an identifier as a whole, else for its numbers."""
    for name, kind in _KINDS:
        if kind.fullmatch(text):
            return name
    return _NUMBER.sub("{n}", text)


def template_of(url: str, *, names_alone: bool = False) -> str:
    """The template of a URL: host, folded segments, and its parameters in the order of their names.

    It tells which URLs are worth a look, never which are one page. `names_alone` leaves out the values, so that a path
    with one set of parameters is one template. What is no URL is its own template.
    """
    parts = split(url)
    if parts is None:
        return url
    path = "/".join(folded(decoded(segment)) for segment in parts.path.split("/"))
    items = [(decoded(name), decoded(value)) for name, value in query_items(parts.query or "")]
    if names_alone:
        shown = sorted({name for name, _ in items})
    else:
        shown = sorted(f"{name}={folded(value)}" for name, value in items)
    return f"{parts.host}{path}{'?' if shown else ''}{'&'.join(shown)}"
