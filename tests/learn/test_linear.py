"""What is done for each page does not grow with the site: counted, not timed."""

from __future__ import annotations

import pytest

from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.families.shapes import Shape
from scrapy_urinorm.visits.record import Visit

DOCUMENTS = 40


@pytest.mark.parametrize(
    "form",
    [
        pytest.param("http://v{version}.a.example/doc/{document}.html", id="by-host"),
        pytest.param("http://a.example/doc/{document}.v{version}", id="by-extension"),
    ],
)
def test_a_page_in_a_hundred_versions_is_not_held_against_each_of_them(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Shape] = []
    before = Shape.may_stand_for

    def counted(one: Shape, other: Shape) -> bool:
        asked.append(one)
        return before(one, other)

    monkeypatch.setattr(Shape, "may_stand_for", counted)
    pages = [(version, document) for version in range(30) for document in range(DOCUMENTS)]
    visits = [
        Visit(
            url=form.format(version=version, document=document),
            status=200,
            text_digest=f"document {document}",
            words=100,
        )
        for version, document in pages
    ]
    learn(visits, Options(jobs=1))
    assert len(asked) <= 10 * len(pages)
