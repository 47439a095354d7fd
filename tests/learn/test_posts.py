"""A forum that shows each topic again for each of its posts: the topic's own addresses are those that stay."""

from __future__ import annotations

import random
from urllib.parse import parse_qsl

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import learn
from tests.live.sites import Answer, crawled, prose

START, TOPICS, USERS, PER_PAGE = "http://forum.example.com/", 100, 20, 5


class Forum:
    """Topics of up to three pages (`?id=7&p=2`), which their posts lead to, too (`?pid=93`)."""

    def __init__(self) -> None:
        self._lot = random.Random(3)
        self.topics: list[list[int]] = []
        self.posts: list[tuple[int, int]] = []
        for _ in range(TOPICS):
            self.open(self._lot.choice([1, 2, 3, 4, 8, 12]))

    def open(self, posts: int) -> None:
        """Open a topic with so many posts."""
        self.topics.append([])
        for _ in range(posts):
            self.topics[-1].append(len(self.posts))
            self.posts.append((len(self.topics) - 1, self._lot.randrange(USERS)))

    def answer(self, url: str) -> Answer:
        path, _, query = url[len(START) - 1 :].partition("?")
        asked = {name: int(value) for name, value in parse_qsl(query)}
        if path == "/":
            lists = (f"/forum.php?id={n}" for n in range(len(self.topics) // 20 + 1))
            return Answer(200, prose("home"), (*lists, *(f"/user.php?u={n}" for n in range(USERS))))
        if path == "/user.php":
            own = [post for post, (_, user) in enumerate(self.posts[:400]) if user == asked["u"]]
            return Answer(200, prose(url), tuple(f"/topic.php?pid={post}" for post in own))
        if path == "/forum.php":
            some = [*range(len(self.topics))][::-1][asked["id"] * 20 :][:20]
            last = (f"/topic.php?pid={self.topics[n][-1]}" for n in some)
            return Answer(200, prose(url), (*(f"/topic.php?id={n}" for n in some), *last))
        topic = self.posts[asked["pid"]][0] if "pid" in asked else asked["id"]
        posts = self.topics[topic]
        page = posts.index(asked["pid"]) // PER_PAGE if "pid" in asked else asked.get("p", 1) - 1
        shown = posts[page * PER_PAGE :][:PER_PAGE]
        pages = (f"/topic.php?id={topic}&p={n + 1}" for n in range(1, (len(posts) - 1) // PER_PAGE + 1))
        links = (f"/topic.php?id={topic}", *pages, *(f"/topic.php?pid={post}" for post in shown))
        text = "".join(prose(f"post {post}", 16) for post in shown)
        return Answer(200, text, links, identity=f"{topic} {page}", title=f"Topic {topic}")


def test_a_new_topic_is_met_page_by_page() -> None:
    """Nobody links to its posts but it itself; a file that skips `id` would leave nothing but the newest page."""
    forum = Forum()
    visits, _ = crawled(START, forum.answer, 20_000)
    normalizer = Normalizer(learn(visits).rules)
    forum.open(14)
    waiting, met, found, requests = [START], set[str](), set[str | None](), 0
    while waiting:
        decision = normalizer.decide(url := waiting.pop(0))
        if decision.key not in met and not decision.skip:
            requests += 1
            met.add(decision.key)
            answer = forum.answer(url)
            found.add(answer.identity)
            waiting += [START + link[1:] for link in answer.links]
    assert {f"{TOPICS} {page}" for page in range(3)} <= found
    assert requests < len(visits) // 2
