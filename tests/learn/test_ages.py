"""Forums that say how long ago something was written: a copy of a page that comes minutes later is that page."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from tests.live.sites import Answer, prose, record

TOPICS, A_PAGE, A_MINUTE = 60, 10, 25

WRITTEN = {
    "a tip": "<a title='11/27/2026 01:{date:02d} PM' href=/activity>{age} minutes</a> ago",
    "the element of HTML": "<time datetime=2026-11-27T13:{date:02d}Z>vor {age} Minuten</time>",
    "a number for a script": "<abbr data-utime=17642513{date:02d}>{age}m</abbr>",
}


@dataclass
class Forum:
    """Boards of topics of a few posts, each at three addresses; some requests take a minute."""

    written: str
    telling: bool = False
    host: str = "forum.example"
    start: str = "http://forum.example/"
    hits: int = 0

    def answer(self, target: str) -> Answer:
        self.hits += 1
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query))
        first, *rest = parts.path.strip("/").split("/")
        if first == "topic":
            number = int(rest[0])
            asked = query.get("reply", "0") if self.telling else "0"
            posts = "".join(
                f"<p>by {self._ago(number + n, int(asked))}</p>{prose(f'post {number} {n}', 24)}"
                for n in range(number % 3 + 1)
            )
            return Answer(200, f"<h1>Topic {number}</h1>{posts}", ("/",), identity=f"topic {number} {asked}")
        board = int(query.get("board", 0))
        here = range(board * A_PAGE, (board + 1) * A_PAGE)
        links = [f"/topic/{n}{end}" for n in here for end in ("", "?reply=1", "?reply=2")]
        more = (f"/?board={board + 1}",) if here[-1] + 1 < TOPICS else ()
        return Answer(200, prose(f"board {board}"), (*links, *more), identity=f"board {board}")

    def _ago(self, post: int, asked: int) -> str:
        return self.written.format(date=(7 * post + asked) % 60, age=20 + post % 7 + self.hits // A_MINUTE)


def keys_of(forum: Forum) -> set[str]:
    visits, _ = record(forum)
    normalizer = Normalizer(learn(visits, Options()).rules)
    topics = [visit.url for visit in visits if "/topic/" in visit.url]
    assert len(topics) == 3 * TOPICS
    return set(map(normalizer.key, topics))


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.thorough
def test_a_copy_minutes_later_is_the_same_page(written: str) -> None:
    assert len(keys_of(Forum(written))) == TOPICS


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_another_date_tells_a_page(written: str) -> None:
    """Of topics that say when the reply that was asked for was written, and nothing else of it."""
    assert len(keys_of(Forum(written, telling=True))) == 3 * TOPICS
