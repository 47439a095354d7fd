"""`urinorm platforms`: which programs are behind some sites, by which marks, and what their packs would do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scrapy_urinorm.cli.display import say, show_table, write_json
from scrapy_urinorm.cli.failures import complain
from scrapy_urinorm.cli.learn import Base, Columns, Kind, column_pairs
from scrapy_urinorm.cli.project import Json  # noqa: TC001  read at run time
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from scrapy_urinorm.recognition import Found
    from scrapy_urinorm.rulesets.platforms import Pack
    from scrapy_urinorm.visits.pack_effects import Address, Effect
    from scrapy_urinorm.visits.record import Visit

Packs = Annotated[
    list[str] | None, typer.Option("--platform", metavar="FILE", help="Also look for a pack of your own.")
]


def platforms(
    inputs: Annotated[
        list[str],
        typer.Argument(metavar="VISITS|URL...", help="Visits, as for `learn`; or pages, each fetched once, politely."),
    ],
    packs: Packs = None,
    lines: Annotated[bool, typer.Option("--lines", help="Show what each line of a pack would do.")] = False,
    kind: Kind = "auto",
    columns: Columns = None,
    base: Base = None,
    as_json: Json = False,
) -> None:
    """Say which programs sites run, in which directory, by which marks, and what their packs would do.

    The exit code is 1 if nothing is recognized.

    Examples:
    - `urinorm platforms visits.jsonl.zst`

    - `urinorm platforms https://blog.example/ --lines`
    """
    from scrapy_urinorm.rulesets.platforms import pack
    from scrapy_urinorm.visits import read_visits

    chosen = [pack(name) for name in packs or ()]
    urls = [one for one in inputs if one.startswith(("http://", "https://"))]
    files = [one for one in inputs if one not in urls]
    survey = Survey(chosen)
    if files:
        reader = read_visits(files, format=kind, columns=column_pairs(columns), base=base)
        survey.take(reader)
        for problem in reader.problems:
            complain(problem)
    if urls:
        survey.take(fetched(urls))
    rows = [(one, survey.effect(one)) for one in survey.recognizer.found()]
    if as_json:
        write_json([_row(one, effect) for one, effect in rows])
    else:
        for one, effect in rows:
            _show(one, effect, lines=lines)
        if not rows:
            say(_nothing(survey))
    if not rows:
        raise typer.Exit(1)


class Survey:
    """What visits show of programs, and addresses of each site to try packs on."""

    def __init__(self, packs: list[Pack] | None = None) -> None:
        from scrapy_urinorm.recognition import Recognizer
        from scrapy_urinorm.rulesets import platforms as known

        self._packs = {one.name: one for one in (*known.packs(), *(packs or ()))}
        self.recognizer = Recognizer(list(self._packs.values()))
        self.addresses: defaultdict[str, list[Address]] = defaultdict(list)
        self.visits = self.marked = 0

    def take(self, visits: Iterable[Visit]) -> None:
        """Look at visits."""
        from scrapy_urinorm.recognition import server_of
        from scrapy_urinorm.visits.pack_effects import MOST_TRIED, Address
        from scrapy_urinorm.visits.programs import is_page

        for visit in visits:
            self.visits += 1
            self.marked += bool(visit.marks)
            if is_page(visit):
                self.recognizer.see(visit.final_url or visit.url, visit.marks)
            site = server_of(visit.url)
            if site is not None and len(self.addresses[site]) < MOST_TRIED:
                self.addresses[site].append(Address(visit.url))

    def effect(self, found: Found) -> Effect:
        """What the pack of a program would do to the addresses of its site."""
        from scrapy_urinorm.rulesets.platforms import Use
        from scrapy_urinorm.visits.pack_effects import effect

        use = Use(self._packs[found.platform], found.path, all=True)
        return effect(use, found.site, self.addresses[found.site])


def fetched(urls: Iterable[str]) -> Iterator[Visit]:
    """The visit of each page, and one without content of each address that it links to."""
    from scrapy_urinorm.extras import require

    require("Reading pages", "learn")
    from scrapy_urinorm.learn.fetch import PoliteFetcher
    from scrapy_urinorm.visits.features import page_features
    from scrapy_urinorm.visits.marks import marks
    from scrapy_urinorm.visits.record import Visit

    with PoliteFetcher() as fetch:
        for url in urls:
            answer = fetch(url)
            if answer is None:
                why = "".join(fetch.refused)
                raise UrinormError(f"{url}: no answer, or robots.txt disallows it ({why})")
            page = page_features(answer.body, answer.content_type, None, answer.url)
            shown = marks(page.generator, answer.headers, answer.cookies, answer.body)
            yield Visit(url=url, final_url=answer.url, status=answer.status, marks=shown)
            for link in page.links or ():
                yield Visit(url=link, status=0)


def _nothing(survey: Survey) -> str:
    if survey.visits and not survey.marked:
        return "no program is recognized: no page has a mark of one (only URINORM_VISITS records marks)"
    return "no program is recognized; docs/howto/platforms.md says how to add one"


def table_of(site: str) -> str:
    """The head of the table of a site in a rule file; a host with a port has its own."""
    from scrapy_urinorm.importers.document import toml_text

    return f"[{'host' if ':' in site.rpartition(']')[2] else 'site'}.{toml_text(site)}]"


def _show(found: Found, effect: Effect, *, lines: bool) -> None:
    from scrapy_urinorm.importers.document import toml_value
    from scrapy_urinorm.importers.survey import setting_of

    say(f"{found.platform}: {found.site}{found.path} ({count(found.pages, 'page')})", "bold")
    say(f"  by {', '.join(found.marks)}")
    say(f"  {table_of(found.site)}")
    say(f"  platform = {toml_value(setting_of(found))}")
    if effect.urls:
        say(
            f"  all lines: {count(effect.urls, 'URL')} are {count(effect.after, 'request')},"
            f" {effect.deferred:,} of them last, {effect.skipped:,} URLs not requested"
        )
    acting = [one for one in effect.lines if one.urls]
    if not acting or not lines:
        return
    rows = [(one.line.id, one.line.kind, one.line.proof, one.urls, one.example or "") for one in acting]
    show_table(("line", "class", "proof", "URLs", "for example"), rows, fold=("for example",))


def _row(found: Found, effect: Effect) -> dict[str, Any]:
    return {
        "site": found.site,
        "platform": found.platform,
        "path": found.path,
        "pages": found.pages,
        "marks": list(found.marks),
        "urls": effect.urls,
        "requests": effect.after,
        "skipped": effect.skipped,
        "deferred": effect.deferred,
        "lines": [
            {
                "id": one.line.id,
                "class": one.line.kind,
                "proof": one.line.proof,
                "urls": one.urls,
                "example": one.example,
            }
            for one in effect.lines
            if one.urls
        ],
    }
