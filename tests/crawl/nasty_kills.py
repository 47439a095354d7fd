"""Random sites of pages with several spellings, some of which fail or redirect, crawled with kills and stops."""

from __future__ import annotations

import os
import random
import signal
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.crawl.kills import Crawls
from tests.crawl.site import Reply, Route, SiteServer, page
from tests.crawl.test_random_sites import RULES, SPELLINGS, location, random_answer, served

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

#: Links of a hub, which also leads to two other hubs.
LINKS = 9


class Nasty(NamedTuple):
    """What a crawl with its kills and stops came to."""

    lost: list[str]
    kills: int
    stops: int
    asked: int
    different: int
    """Targets asked for, each once."""


def nasty_site(seed: int, pages: int) -> tuple[dict[str, Route], set[str]]:
    """Routes, and the names of the pages that one of their spellings serves."""
    chance = random.Random(seed)
    routes: dict[str, Route] = {"/login": page("log-in")}
    links: list[str] = []
    names = {"home"}
    for number in range(pages):
        name = f"p{number}"
        spellings = [text.format(n=number) for text in chance.sample(SPELLINGS, chance.randint(1, 3))]
        answers = {spelling: random_answer(chance, name, spellings) for spelling in spellings}
        links += spellings
        if any(served(spelling, answers) for spelling in spellings):
            names.add(name)
        # a page that is served leads on to others, as pages do
        some = [SPELLINGS[chance.randrange(len(SPELLINGS))].format(n=chance.randrange(pages)) for _ in range(3)]
        some = [one for one in some if one in routes]
        routes |= {
            spelling: page(name, *some) if reply.status == 200 and not location(reply) else reply
            for spelling, reply in answers.items()
        }
    chance.shuffle(links)
    hubs = [links[at : at + LINKS] for at in range(0, len(links), LINKS)]
    for number, some in enumerate(hubs):
        more = [f"/hub{n}" for n in (2 * number + 1, 2 * number + 2) if n < len(hubs)]
        mixed = [*some, *more]
        chance.shuffle(mixed)
        name = "home" if not number else f"hub{number}"
        routes["/" if not number else f"/hub{number}"] = page(name, *mixed)
        names.add(name)
    if any("/login" in location(reply) for reply in routes.values() if isinstance(reply, Reply)):
        names.add("log-in")
    return routes, names


def crawl_nastily(folder: Path, settings: Mapping[str, Any], *, seed: int, pages: int, kills: int, stops: int) -> Nasty:
    """Crawl such a site, killed and stopped at random moments, until a run ends by itself."""
    source = random.Random(seed)
    handled = folder / "handled"
    routes, names = nasty_site(seed, pages)
    server = SiteServer(folder)
    site = server.site(routes, name="127.0.0.1")
    left = [signal.SIGKILL] * kills + [signal.SIGTERM] * stops
    source.shuffle(left)
    done: list[signal.Signals] = []
    of_project = {"URINORM_RULES": {"rules": RULES}, **settings}
    given = {"start": site.url(), "handled": str(handled), "settings": of_project}
    try:
        with Crawls() as crawls:
            while True:
                log = folder / f"run{len(done)}.log"
                crawls.start({**given, "log": str(log)})
                if left:
                    target = len(site.hits) + source.randrange(1, max(2, 5 * pages // (kills + stops)))
                    while len(site.hits) < target and not crawls.ended.wait(0.002):
                        pass
                    threading.Event().wait(source.random() * 0.03)
                    if not crawls.ended.is_set():
                        how = left.pop()
                        os.kill(crawls.pid, how)
                        done.append(how)
                        crawls.ended.wait()
                        assert how is signal.SIGKILL or crawls.status == 0, log.read_text()
                        continue
                crawls.ended.wait()
                assert crawls.status == 0, log.read_text()
                break
    finally:
        server.shutdown()
        server.server_close()
    found = set(handled.read_text().split("\n"))
    lost = sorted(names - found)
    return Nasty(lost, done.count(signal.SIGKILL), done.count(signal.SIGTERM), len(site.hits), len(set(site.fetched())))
