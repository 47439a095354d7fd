"""A page shows the newest of a series, which has an address of its own as well: next season there is another one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.learn import Options, learn, learn_file
from scrapy_urinorm.live.study import study
from tests.learn.test_few_values import BOTH, HOST, normalizer_of, page
from tests.live.sites import Answer, prose, record

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_urinorm.visits.record import Visit

TEAMS = 40
SPELLINGS: dict[str, tuple[str, str, int]] = {
    "year": ("?season={}", "2021 2022 2023 2024", -1),
    "span": ("?season={}", "2020-21 2021-22 2022-23 2023-24", -1),
    "week": ("?w={}", "41 42 43 44", -1),
    "round": ("?r={}", "round-1 round-2 round-3 round-4", -1),
    "day": ("?d={}", "mon tue wed thu", -1),
    "words of rounds": ("?round={}", "last-16 quarter-final semi-final final", 2),
    "weeks to come": ("?w={}", "44 45 46 47 48", 2),
    "day of the month": ("?d={}", "1 2 3 4 5 6 7 8 9", 5),
    "the only year so far": ("?season={}", "2026 2027", -1),
    "end of a name": ("-{}", "mon tue wed thu", -1),
    "month in the path": ("/{}", "jan feb mar apr", -1),
    "year in the path": ("/{}", "2021 2022 2023 2024", -1),
    "folder of a year": ("/{}/", "2021 2022 2023 2024", -1),
    "round in the path": ("/round-{}", "1 2 3 4", -1),
    "file of a year": ("/{}.html", "2021 2022 2023 2024", -1),
    "file of a day": ("/{}.html", "mon tue wed thu", -1),
    "two places": ("/2026/{}", "46 47 48 49", -1),
}


@dataclass
class League:
    """Teams whose page shows the season of `now`, and links to all `seasons`; `moved` redirects to it instead."""

    form: str
    seasons: list[str]
    now: int = -1
    moved: bool = False
    host = "league.example.com"
    start = "http://league.example.com/"

    def answer(self, target: str) -> Answer:
        if target == "/":
            bare = "/" if self.form.endswith(("/", ".html")) else ""
            return Answer(200, prose("league"), tuple(f"/team{n}{bare}" for n in range(TEAMS)), identity="home")
        for season in self.seasons:
            if target.endswith(self.form.format(season)):
                team = target.removesuffix(self.form.format(season))
                break
        else:
            team, season = target.rstrip("/"), self.seasons[self.now]
            if self.moved:
                return Answer(302, location=team + self.form.format(season))
        links = tuple(team + self.form.format(one) for one in self.seasons)
        return Answer(200, prose(team + season), links, identity=f"{team} {season}")


def leagues(spelling: str, **more: bool) -> tuple[League, League]:
    """Return a league of this season and the next one."""
    form, words, now = SPELLINGS[spelling]
    seasons = words.split()
    if now >= 0:
        return League(form, seasons, now, **more), League(form, seasons, now + 1, **more)
    return League(form, seasons[:-1], **more), League(form, seasons, **more)


@cache
def visited(spelling: str) -> list[Visit]:
    """Record a league of this season, once for all tests."""
    return record(leagues(spelling)[0])[0]


def reached(site: League, normalizer: Normalizer) -> set[str]:
    """Return the pages that a crawl of a site comes to."""
    waiting, keys, found = ["/"], set[str](), set[str]()
    while waiting:
        target = waiting.pop(0)
        decision = normalizer.decide(f"http://{site.host}{target}")
        if decision.key in keys or decision.skip:
            continue
        keys.add(decision.key)
        answer = site.answer(target)
        waiting += [answer.location] if answer.location else answer.links
        found.add(answer.identity or "")
    return found


def lost(site: League, normalizer: Normalizer) -> set[str]:
    """Return the pages that a crawl of a site does not come to, which one without rules does."""
    return reached(site, Normalizer()) - reached(site, normalizer)


# strict options make fewer rules of the same: in `make test` they have one series in each place, as have live rules
FEW = ("year", "end of a name", "month in the path", "two places")


@pytest.mark.parametrize(
    ("spelling", "options"),
    [
        *(pytest.param(one, Options(), id=f"default-{one}") for one in SPELLINGS),
        *(
            pytest.param(one, Options().strict(), id=f"strict-{one}", marks=[pytest.mark.slow] * (one not in FEW))
            for one in SPELLINGS
        ),
    ],
)
def test_the_next_season_loses_none(spelling: str, options: Options) -> None:
    assert lost(leagues(spelling)[1], normalizer_of(visited(spelling), options)) == set()


def test_nor_where_the_page_redirects_to_the_season() -> None:
    now, later = leagues("year in the path", moved=True)
    visits, _ = record(now)
    assert lost(later, normalizer_of(visits, Options())) == set()


def seasons(*, newest: int = 2023, first: int = 2021, canonical: bool = False, crawl: str = "") -> list[Visit]:
    """The teams' pages of a season and those before."""
    out = []
    for n in range(TEAMS):
        for season in (None, *range(first, newest + 1)):
            shown = season or newest
            said = f"/team/{n}" + (f"?season={shown}" if shown < newest else "") if canonical else None
            path = f"/team/{n}" + (f"?season={season}" if season else "")
            out.append(replace(page(path, f"team {n} in {shown}", said), crawl=crawl or None))
    return out


def test_nor_is_one_proposed_that_few_pages_speak_for() -> None:
    """`validate` would fetch them once more and find them equal."""
    few = [one for one in seasons() if int(one.url.partition("/team/")[2].partition("?")[0]) < 4]
    rows = [one for one in learn(few, Options(suggest=0.9)).others if one.value == {"season": "2023"}]
    assert [one.status for one in rows] == ["rejected"]
    assert "another will be tomorrow" in rows[0].why


def is_one(normalizer: Normalizer, season: int = 2023) -> bool:
    return normalizer.key(f"{HOST}/team/7") == normalizer.key(f"{HOST}/team/7?season={season}")


@BOTH
@pytest.mark.parametrize("canonical", [False, True])
def test_a_canonical_link_says_it_of_today(canonical: bool, options: Options) -> None:
    visits = seasons(canonical=canonical)
    assert not is_one(normalizer_of(visits, options))
    said = "`season=2023` may be what is newest or today's, and another will be tomorrow"
    row = next(one for one in learn(visits, options).others if said in one.why)
    assert (row.rule, row.value, row.status) == ("default_params", {"season": "2023"}, "rejected")


@BOTH
@pytest.mark.parametrize(
    ("name", "values", "default"),
    [
        ("page", "1 2 3", "1"),
        ("start", "0 20 40", "0"),
        ("portions", "2 4 6 8", "4"),
        ("level", "1 2 3", "2"),
        ("sort", "name date", "name"),
    ],
)
def test_first_pages_sizes_and_orders_are_defaults(name: str, values: str, default: str, options: Options) -> None:
    asked = {"": default} | {f"?{name}={one}": one for one in values.split()}
    visits = [page(f"/list/{n}{query}", f"list {n} of {one}") for n in range(60) for query, one in asked.items()]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/list/7?{name}={default}") == normalizer.key(f"{HOST}/list/7")


@BOTH
def test_the_year_of_a_post_is_no_season(options: Options) -> None:
    """Each post is found with its year and without, and of no post there is another year."""
    visits = [
        replace(page(f"/blog{year}/post-{n}", f"post {n}"), time="2023-05-01T00:00:00Z")
        for n in range(90)
        for year in ("", f"/{2021 + n % 3}")
    ]
    normalizer = normalizer_of(visits, options)
    assert normalizer.key(f"{HOST}/blog/2023/post-2") == normalizer.key(f"{HOST}/blog/post-2")


@pytest.mark.parametrize("newest", [[2023, 2024], [2024, 2023]])
def test_a_default_that_was_another_one_in_another_crawl_is_none(newest: list[int]) -> None:
    """Two words, as of the collections of a fashion shop, of which nothing says that a third one follows."""
    words = {2023: "dawn", 2024: "dusk"}
    visits = []
    for season in newest:
        for n in range(TEAMS):
            shown = {f"/item/{n}": words[season]} | {f"/item/{n}?look={w}": w for y, w in words.items() if y <= season}
            crawl = f"{season}0101T000000Z-0000000a"
            visits += [replace(page(path, f"item {n} in {look}"), crawl=crawl) for path, look in shown.items()]
    normalizer = normalizer_of(visits, Options())
    keys = {normalizer.key(f"{HOST}/item/7{asked}") for asked in ("", "?look=dawn", "?look=dusk")}
    assert len(keys) == len(("", *words))
    why = "another crawl found another value there"
    assert any(why in row.why for row in learn(visits, Options()).others)


@pytest.mark.parametrize(
    "spelling", [pytest.param(one, marks=[pytest.mark.slow] * (one not in FEW)) for one in SPELLINGS]
)
def test_live_rules_leave_none_of_it_to_the_next_crawl(spelling: str) -> None:
    """Within one crawl they test by samples what they believe, and believe it still when the site is studied again."""
    later, visits = leagues(spelling)[1], visited(spelling)
    options = Options(skip=False)
    found = study("example.com", visits, options, [])
    again = study("example.com", visits, options, [], earlier=found.believed)
    for one in (found, again):
        assert lost(later, Normalizer(one.lasting)) == set()


@pytest.mark.parametrize("rule", ['default_params = { season = "2023" }', "skip"])
def test_what_an_earlier_file_has_of_it_goes(rule: str, tmp_path: Path) -> None:
    visits, learned = tmp_path / "visits.jsonl", tmp_path / "learned.toml"
    visits.write_text("".join(one.to_json() + "\n" for one in seasons()))
    learn_file([visits], learned)
    text = learned.read_text()
    row = '[[evidence]]\nstatus = "active"\nsite = "a.example"\nsupport = 60\nagainst = 0\nwhy = "w"\n'
    if rule == "skip":
        where = 'where = { path = "/team/*", query = { season = "2023" } }\n'
        table = '[[site."a.example".where]]\npath = "/team/*"\nquery = { season = "2023" }\nskip = true\n\n'
        row += f'{where}rule = "skip"\nvalue = true\nsource = "redundant shape"\n'
    else:
        table = f'[site."a.example"]\n{rule}\n\n'
        row += 'rule = "default_params"\nvalue = { season = "2023" }\nsource = "default value"\n'
    learned.write_text(text[: text.index("[[evidence]]")] + table + text[text.index("[[evidence]]") :] + "\n" + row)
    earlier = Normalizer(str(learned)).decide(f"{HOST}/team/7?season=2023")
    assert earlier.skip or earlier.key == f"{HOST}/team/7"
    with pytest.raises(UrinormError, match=r"may be what is newest or today's"):
        learn_file([visits], learned)
    learn_file([visits], learned, force=True)
    decision = Normalizer(str(learned)).decide(f"{HOST}/team/7?season=2023")
    assert not decision.skip
    assert not is_one(Normalizer(str(learned)))
