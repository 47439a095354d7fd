"""What must not stand in a rule: values that change tomorrow, and the names of trees."""

from __future__ import annotations

import pytest

from scrapy_urinorm.learn.pages.values import are_newest_and_older, chooses_tree, is_volatile, names_release, names_tree

TODAY = [
    "fa8524d6b47d2a20fa8524d6b47d2a20fa8524d6", "af64ca80572eb9fc6ef9aaceade70def", "9f3b2c1",
    "2f1d7a70-3c1f-4f0a-9a3e-6a1c2d3e4f50", "2024-03-01",
    "2024-03-01T12:00:00Z", "1/2/2024", "20240301", "1709294400",
    "1709294400123", "aZ3xK9qLm2Pv8RtY7wUb", "file-2024-03-01.txt",
    # sessions of PHP, as they are and masked
    "j8s7ru6uihppvb8o18qrt81nme", "ha0bvzhslnq6r9krbirt78psri", "pweowv421v8tfxd7kgflt1lxui",
]  # fmt: skip
STAYS = [
    "", "7", "42", "descending", "title-desc", "2024", "2024/03", "jargon:a-l:bug", "refs/heads/master",
    "facade", "decade",
    "deadbeef-free-text-of-many-words",
    "a-slug-of-an-article-with-many-words",
    "12345", "N", "sidebyside", "blob_plain",
    "covid19vaccinationcentre2021", "the-5-best-of-2019-and-3-more", "chapter10section2",
    "frequently-asked-questions", "shop_by_colour_and_size", "0.5",
]  # fmt: skip


@pytest.mark.parametrize("value", TODAY)
def test_will_not_be_there_tomorrow(value: str) -> None:
    assert is_volatile(value)


@pytest.mark.parametrize("value", STAYS)
def test_will_be_there_tomorrow(value: str) -> None:
    assert not is_volatile(value)


@pytest.mark.parametrize("segment", ["37", "v2", "1.4", "2.0-rc1", "latest", "stable", "en", "de", "pt-br", "zh_Hans"])
def test_names_a_tree(segment: str) -> None:
    assert names_tree(segment)


@pytest.mark.parametrize("segment", ["print", "forum", "amp", "articles", "index.php", "mobile"])
def test_names_no_tree(segment: str) -> None:
    assert not names_tree(segment)


@pytest.mark.parametrize("value", ["1.4", "v2", "2.0-rc1", "refs/tags/v2.3.1", "tags/1.4", "docs:4.2"])
def test_names_a_release(value: str) -> None:
    assert names_release(value)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "7",
        "2024",
        "HEAD",
        "refs/heads/master",
        "en",
        "latest",
        "v",
        "1.4/install",
        "10.1.2.3",
        "0.48371",
        "/x/v2",
        pytest.param("tags/" * 200_000, id="long"),
    ],
)
def test_names_no_release(value: str) -> None:
    assert not names_release(value)


ASKED = {
    "branches beside a tag": (["HEAD", "stable", "RELEASE_2_1", "5", "17"], True),
    "branches alone": (["HEAD", "main"], False),
    "one branch beside a tag": (["HEAD", "RELEASE_2_1", "5", "a1b2c3d"], True),
    "one branch, a tag and more": (["main", "photo_1", "side"], False),
    "no branch": (["photo_1", "photo_2"], False),
    "versions": (["2.1", "2.2"], True),
    "languages": (["de", "en"], True),
}


def test_what_typo3_calls_a_language() -> None:
    assert chooses_tree("L", ["0", "1"])
    assert not chooses_tree("l", ["0", "1"])


@pytest.mark.parametrize(("values", "asked"), ASKED.values(), ids=ASKED)
def test_a_parameter_that_asks_for_a_version_or_a_language(values: list[str], asked: bool) -> None:
    assert chooses_tree("rev", values) is asked


@pytest.mark.parametrize("values", ["HEAD RELEASE_2_1", "trunk 66", "default a1b2c3d4", "current v2.3"])
def test_what_is_newest_is_not_what_it_was(values: str) -> None:
    assert are_newest_and_older(values.split())


@pytest.mark.parametrize("values", ["HEAD master", "default 66", "main side", "66 67", "default decade"])
def test_other_values(values: str) -> None:
    assert not are_newest_and_older(values.split())
