"""The law behind the tables: of random sites, every page that one of its first three variants serves is scraped."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.crawl.cases import Case, case
from tests.crawl.casework import Crawl, asked, crawl_cases
from tests.crawl.site import MISSING, Reply, Route, moved, page

if TYPE_CHECKING:
    from tests.crawl.site import SiteServer

SEEDS = range(10)
MODES = ("links", "links, cache cold", "links, cache warm")
PAGES = 15
SPELLINGS = ("/p{n}", "/p{n}?sid=1", "/p{n}/", "/p{n}/?sid=2", "/p{n}?utm_source=x", "/p{n}/index.html")
RULES = {"remove_params": ["sid"], "trailing_slash": "remove", "directory_index": ["index.html"]}


def random_site(seed: int) -> Case:
    """A site whose pages have one to three spellings each, which serve, fail, or redirect."""
    chance = random.Random(seed)
    routes: dict[str, Route] = {"/login": page("log-in")}
    links: list[str] = []
    pages = []
    for number in range(PAGES):
        name = f"p{number}"
        spellings = [text.format(n=number) for text in chance.sample(SPELLINGS, chance.randint(1, 3))]
        answers = {spelling: random_answer(chance, name, spellings) for spelling in spellings}
        routes |= answers
        links += spellings
        if any(served(spelling, answers) for spelling in spellings):
            pages.append(name)
    chance.shuffle(links)
    here, there = links[: len(links) // 2], links[len(links) // 2 :]
    routes["/more"] = page("more", *there)
    if any("/login" in location(reply) for reply in routes.values()):
        pages.append("log-in")
    return case(f"seed {seed}", RULES, [*here, "/more"], routes, " ".join([*pages, "more"]), most=len(links) * 5 + 2)


def random_answer(chance: random.Random, name: str, spellings: list[str]) -> Reply:
    kind = chance.choice(["serve", "serve", "missing", "error", "log-in", "gone", "sibling", "sibling"])
    if kind == "sibling":
        return moved(chance.choice(spellings), chance.choice([301, 302, 303, 307, 308]))
    if kind == "log-in":
        return moved("/login", chance.choice([302, 303, 307]))
    answers = {"serve": page(name), "missing": MISSING, "error": page("error", status=500), "gone": moved("/gone")}
    return answers[kind]


def location(reply: Route) -> str:
    return dict(reply.headers).get("Location", "") if isinstance(reply, Reply) else ""


def served(spelling: str, answers: dict[str, Reply]) -> bool:
    """Whether the page comes when this spelling is asked for and every redirect is followed."""
    for _ in answers:
        reply = answers.get(spelling, MISSING)
        if not location(reply):
            return reply.status == 200
        spelling = location(reply)
    return False


@pytest.fixture(scope="module")
def crawls(
    request: pytest.FixtureRequest, server: SiteServer, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, str], Crawl]:
    cases = [random_site(seed) for seed in asked(request, "seed", SEEDS)]
    return crawl_cases(cases, server, tmp_path_factory.mktemp("random"), modes=MODES)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [seed if not seed else pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS])
def test_every_page_that_a_variant_serves_is_scraped(
    seed: int, mode: str, crawls: dict[tuple[str, str], Crawl]
) -> None:
    crawl = crawls[f"seed {seed}", mode]
    assert crawl.outcome.reason == "finished"
    assert not crawl.lost, crawl.story()
    assert len(crawl.fetched) <= crawl.case.most
