"""What is remembered is counted in characters: a hundred long texts of a stranger leave next to nothing behind."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.engine import plan
from scrapy_urinorm.learn.pages.values import is_volatile
from scrapy_urinorm.recognition import Recognizer
from scrapy_urinorm.suffixes import registrable_labels, same_site
from scrapy_urinorm.url import decoded
from scrapy_urinorm.visits import Redaction
from scrapy_urinorm.visits.links import LinkHashes

if TYPE_CHECKING:
    from collections.abc import Callable

MANY, LONG = 100, 100_000
MOST = 8 << 20
normalizer = Normalizer({"rules": {"www": "remove", "unwrap_params": ["u"], "remove_params": ["a*"]}}, "loose")
recognizer = Recognizer()
links = LinkHashes(Redaction(b"").all)


def page(text: str) -> None:
    features = pytest.importorskip("scrapy_urinorm.visits.features", exc_type=ImportError)
    body = f"<{text}>x</{text}><p class={text}>{text}<a href=/{text}>y</a><meta name=generator content={text}>"
    features.page_features(body.encode(), "text/html", None, "http://a.example/")


GIANTS: dict[str, Callable[[str], Any]] = {
    "path": lambda text: normalizer.key(f"http://a.example/{text}"),
    "host": lambda text: normalizer.key(f"http://www.{text}.example/"),
    "name": lambda text: normalizer.key(f"http://a.example/?{text}=1"),
    "value": lambda text: normalizer.normalize(f"http://a.example/?b={text}"),
    "wrapped host": lambda text: normalizer.key(f"http://a.example/?u=http://{text}.example/"),
    "why a URL was dropped": lambda text: normalizer.changed_by(f"http://a.example/?a={text}"),
    "suffix": lambda text: registrable_labels(f"{text}.example"),
    "site": lambda text: same_site("a.example", f"{text}.example"),
    "redaction": Redaction(b"salt"),
    "name of a secret": lambda text: Redaction(b"salt")(f"http://a.example/?{text}token=1"),
    "value to learn from": is_volatile,
    "mark of a program": lambda text: recognizer.see("http://a.example/", [f"cookie:{text}"]),
    "links": lambda text: links([f"http://a.example/{text}"]),
    "page": page,
}


@pytest.mark.slow
@pytest.mark.parametrize("take", GIANTS.values(), ids=GIANTS)
def test_giants_are_not_remembered(take: Callable[[str], Any]) -> None:
    take("x")
    tracemalloc.start()
    try:
        for number in range(MANY):
            take(f"x{number}" + "y" * LONG)
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert left < MOST


def test_of_many_parameters_only_those_that_a_table_asks_for_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def reading(text: str) -> str:
        read.append(text)
        return decoded(text)

    monkeypatch.setattr(plan, "decoded", reading)
    tables = [{"path": "/p*", "query": {"View": "print", "id": True}, "remove_params": ["from"]}]
    asked = Normalizer({"host": {"a.example": {"where": tables}}})
    names = [f"n{n}" for n in range(500)]
    known = [*((name, "1") for name in names), ("View", "print"), ("view", "x"), ("id", "7")]
    # by the loop, to which the module in C leaves what it does not know
    assert plan.matching(asked.sites.plan_of("a.example").wheres, "/p", known) == (0,)
    assert [text for text in read if text not in names] == ["View", "print", "view", "x", "id", "7"]
