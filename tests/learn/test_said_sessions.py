"""Sessions in the links of a known program: what is alike under two of them is one page from the start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn, learn_file
from scrapy_urinorm.learn.proof.pack_trial import pack_trials
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.rulesets import platforms
from scrapy_urinorm.visits.links import url_hash
from tests.live.served import Served
from tests.live.sites import Answer, identities_of, prose, record
from tests.live.test_crawl import FIFO, live, pages

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_urinorm.learn.learner import LearnResult
    from scrapy_urinorm.visits import Visit

BOARDS, TOPICS = 8, 80
OPTIONS = Options(jobs=1, skip=False)
LIST = "http://board.example/viewforum.php?f=3"


def session(number: int) -> str:
    """Return 32 hexadecimal digits."""
    return f"{number * 0x9E3779B97F4A7C15F39CC0605CEDC834:032x}"[-32:]


class Board:
    """Topics in lists that count what the crawl does, so that no two visits of one show the same; a link that somebody
    wrote has no session, and begins another.

    Where `names_topics`, what stands for a session chooses the text of a topic.
    """

    host, start = "board.example", "http://board.example/"

    def __init__(self, *, marked: bool = True, names_topics: bool = False) -> None:
        self._body = '<body id="phpbb">' if marked else "<body>"
        self._names = names_topics
        self._asked = 0

    def answer(self, target: str) -> Answer:
        self._asked += 1
        path, _, query = target.partition("?")
        said = dict(item.split("=") for item in query.split("&") if item)
        own = said.pop("sid", None) or session(self._asked)
        page = f"{path} {sorted(said.items())}"
        links = [f"/index.php?sid={own}", *(f"/viewforum.php?f={n}&sid={own}" for n in range(BOARDS))]
        if path != "/viewtopic.php":
            numbers = range(TOPICS) if path != "/viewforum.php" else range(int(said["f"]), TOPICS, BOARDS)
            rows = "".join(f"<p>topic {n} of {prose(str(n), 8)} had {self._asked + n} guests</p>" for n in numbers)
            links += [f"/viewtopic.php?t={n}&sid={own}" for n in numbers]
            return Answer(200, self._body + rows, tuple(links), identity=page)
        text = prose(page + (own if self._names else ""))
        links.append(f"/viewtopic.php?t={(int(said['t']) + 7) % TOPICS}")
        return Answer(200, self._body + text, tuple(links), identity=page)


UNKNOWN = Board(marked=False)


def visits_of(board: Board, limit: int = 600) -> list[Visit]:
    return record(board, limit)[0]


def is_dropped(result: LearnResult) -> bool:
    key = Normalizer(result.rules).key
    return key(f"{LIST}&sid={session(9_999)}") == key(LIST)


@pytest.mark.parametrize(
    ("board", "dropped"),
    [(Board(), True), (UNKNOWN, False), (Board(names_topics=True), False)],
    ids=["recognized", "unknown", "what stands there names topics"],
)
def test_lists_that_count_are_one_page_under_any_session(board: Board, dropped: bool) -> None:
    assert is_dropped(learn(visits_of(board), OPTIONS)) is dropped


def test_its_evidence_says_which_line_and_how_many_pages() -> None:
    (one,) = (one for one in learn(visits_of(Board()), OPTIONS).active if one.names or one.rule == "remove_params")
    assert "line `session` of the platform phpbb" in one.why
    # each row of a list counts, so that its text is another one
    assert 0 < one.evidence.against <= BOARDS + 1 < one.evidence.agree / 2
    assert f"{one.evidence.agree} addresses show" in one.why
    assert f"{one.evidence.against} do not" in one.why
    assert one.examples


def test_what_speaks_against_it_is_shown() -> None:
    result = learn(visits_of(Board(names_topics=True)), OPTIONS)
    (one,) = (one for one in result.others if "line `session`" in one.why)
    assert one.status == "rejected"
    assert one.evidence.against > one.evidence.agree
    assert one.counterexamples


def test_a_crawl_under_the_rule_does_not_take_it_back(tmp_path: Path) -> None:
    """Under it no page is fetched twice, so that the next record has no pair for it, nor one against."""
    learned, first, second = tmp_path / "learned.toml", tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    visits = visits_of(Board())
    key = Normalizer(learn(visits, OPTIONS).rules).key
    once = {key(visit.url): visit for visit in reversed(visits)}
    for path, those in ((first, visits), (second, [*once.values()])):
        path.write_text("".join(visit.to_json() + "\n" for visit in those))
    learn_file([first], learned, OPTIONS)
    result, _ = learn_file([second], learned, OPTIONS)
    assert result.withdrawn == []
    assert is_dropped(result)


def test_links_are_known_under_each_session() -> None:
    """All links of a page bear its session, and only their hashes are on record: what they lead to was fetched under
    another one.
    """
    site = Site("board.example")
    visits = visits_of(Board())
    for visit in visits:
        site.add(visit, "board.example")
    site.build("recommended", sessions=())
    sessions = {visit.url.partition("sid=")[2] for visit in visits} - {""}
    topic = next(visit.url for visit in visits if "t=7&sid=" in visit.url).partition("sid=")[0]
    assert len(sessions) > 2
    assert len({site.ids[url_hash(f"{topic}sid={one}")].key for one in sessions}) == 1


def test_who_compares_with_a_crawl_without_rules_has_each_address() -> None:
    """The report and the evaluation count what rules save, those on sessions as well."""
    site = Site("board.example")
    visits = visits_of(Board())
    for visit in visits:
        site.add(visit, "board.example")
    site.build("safe")
    assert len(site.pages) == len(visits)


@pytest.mark.parametrize("names_topics", [False, True])
def test_a_pack_that_is_tried_loses_no_list_for_what_it_counts(names_topics: bool) -> None:
    visits = visits_of(Board(names_topics=names_topics))
    (trial,) = pack_trials(platforms.pack("phpbb"), visits)
    line = next(one for one in trial.effect.lines if one.line.id == "session")
    assert trial.effect.urls == len(visits)
    assert (line.agree >= TOPICS, bool(trial.lost)) == (not names_topics, names_topics)
    assert not any("viewforum" in url for url in trial.lost or ())


def test_other_sites_of_the_program_are_held_against_their_own_pages() -> None:
    visits = visits_of(Board())
    others = visits_of(Board(names_topics=True))
    for visit in others:
        visit.url = visit.url.replace("board.example", "other.test")
    result = learn([*visits, *others], OPTIONS)
    assert is_dropped(result)
    key = Normalizer(result.rules).key
    one = "http://other.test/viewtopic.php?t=7"
    assert key(f"{one}&sid={session(1)}") != key(one)


def recorded(board: Board, limit: int) -> tuple[list[Visit], dict[str, str]]:
    """Return visits, and what each is by its address there, in which a session is masked."""
    visits, identities = record(board, limit)
    return visits, dict(zip((visit.url for visit in visits), identities.values(), strict=True))


@pytest.mark.slow
def test_a_first_crawl_meets_all_in_a_third_of_the_requests() -> None:
    visits, identities = recorded(Board(), 1_500)
    fetched = Simulator(visits, OPTIONS).crawl().fetched
    assert set(identities.values()) == identities_of(fetched, identities)
    assert 3 * len(fetched) < len(Simulator(visits_of(UNKNOWN, 1_500), OPTIONS).crawl().fetched)


def test_a_first_crawl_fetches_what_the_sessions_name() -> None:
    visits, identities = recorded(Board(names_topics=True), 600)
    fetched = Simulator(visits, OPTIONS).crawl().fetched
    assert {visit.url for visit in visits if "viewtopic" in visit.url} <= {*fetched}
    assert set(identities.values()) == identities_of(fetched, identities)


@pytest.mark.slow
@pytest.mark.parametrize("order", [{}, FIFO], ids=["depth first", "breadth first"])
def test_a_real_first_crawl_ends(tmp_path: Path, order: dict[str, Any]) -> None:
    """Without the line it has no end: a link that somebody wrote begins another session."""
    with Served(Board()) as served:
        outcome = live(served, tmp_path, **order, CLOSESPIDER_PAGECOUNT=2_000)
        assert outcome.reason == "finished"
        assert len(served.identities(pages(tmp_path))) == 1 + 1 + BOARDS + TOPICS
    assert outcome.lines("Live rules: after", "remove_params", "sid")
