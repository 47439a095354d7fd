"""A recognized program as a prior: its proven lines need three agreeing pages, and none against."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.visits import Visit
from scrapy_urinorm.visits.record import visit_from_row

if TYPE_CHECKING:
    from scrapy_urinorm.learn.learner import LearnResult

WORDPRESS = ("generator:WordPress 6.4",)
ONLY = Options(jobs=1, families=("platforms",))


def visit(path: str, text: str, marks: tuple[str, ...] = WORDPRESS) -> Visit:
    return Visit(
        url=f"http://a.example{path}", status=200, content_type="text/html", text_digest=text, words=90, marks=marks
    )


def posts(number: int, path: str = "/", marks: tuple[str, ...] = WORDPRESS) -> list[Visit]:
    """Each post with its reply form moved once."""
    pairs = [(f"{path}?p={n}", f"{path}?p={n}&replytocom={n + 50}") for n in range(number)]
    return [visit(url, f"post {n}", marks) for n, pair in enumerate(pairs) for url in pair]


def learned(visits: list[Visit]) -> LearnResult:
    return learn(visits, ONLY)


@pytest.mark.parametrize(("number", "active"), [(2, 0), (3, 1), (9, 1)])
def test_three_pages_have_to_agree(number: int, active: int) -> None:
    found = learned(posts(number)).active
    assert [(one.rule, one.family, one.evidence.agree) for one in found] == [
        ("remove_params", "platforms", number)
    ] * active


@pytest.mark.parametrize(("marks", "everywhere"), [(WORDPRESS, True), ((), False)], ids=["recognized", "unknown"])
def test_a_proven_line_holds_where_the_crawl_has_not_been(marks: tuple[str, ...], everywhere: bool) -> None:
    """Replies to comments on the second page of them have a longer path; what the crawl alone teaches is for others."""
    visits = [visit("/", "home", marks)]
    for n in range(40):
        post = f"/{2020 + n % 5}/{n % 9 + 1:02}/post-{n}/"
        paths = [post, *(f"{post}?replytocom={n * 2 + k}" for k in range(2))]
        visits += [visit(path, f"post {n}", marks) for path in paths]
    normalizer = Normalizer(learn(visits, Options(jobs=1)).rules)

    def one(path: str) -> bool:
        return normalizer.key(f"http://a.example{path}?replytocom=900") == normalizer.key(f"http://a.example{path}")

    assert one("/2023/11/another/")
    assert one("/2023/11/another/comment-page-2/") is everywhere


ORDERS = [f"?C={column};O={way}" for column in "NMSD" for way in "AD"]
LISTINGS = ["marker:apache-listing", "marker:index-of"]


def listing(path: str, inside: list[str], marks: list[str]) -> Visit:
    """A folder, with links to what is inside and to its orders: that of the column that it is in the other way."""
    folder, _, order = path.partition("?")
    now = order or "C=N;O=A"
    orders = [f"?C={column};O={'D' if now == f'C={column};O=A' else 'A'}" for column in "NMSD"]
    links = [f"http://a.example{folder}{one}" for one in (*orders, *inside)]
    row = {"url": f"http://a.example{path}", "status": 200, "text_digest": folder, "words": 90}
    return visit_from_row({**row, "content_type": "text/html", "links": links, "marks": marks})


@pytest.mark.parametrize(("marks", "known"), [(LISTINGS, True), ([], False)], ids=["recognized", "unknown"])
def test_a_proven_line_holds_of_what_a_crawl_that_was_cut_short_did_not_follow(marks: list[str], known: bool) -> None:
    """Of two folders the orders that lists name first were requested, and not those that the others name."""
    folders = [f"folder{n}/" for n in range(60)]
    visits = [listing(f"/{order}", folders, marks) for order in ("", *ORDERS)]
    visits += [listing(f"/{one}", ["a.txt", "b.txt"], marks) for one in folders]
    for n, one in enumerate(folders[:4]):
        orders = ORDERS if n < 2 else ["?C=N;O=D", *(f"?C={column};O=A" for column in "MSD")]
        visits += [listing(f"/{one}{order}", ["a.txt", "b.txt"], marks) for order in orders]
    normalizer = Normalizer(learn(visits, Options(jobs=1)).rules)
    assert (len({normalizer.key(f"http://a.example/folder50/{one}") for one in ("", *ORDERS)}) == 1) is known


def test_the_line_and_its_platform_are_named() -> None:
    (found,) = learned(posts(3)).active
    assert "line `replytocom` of the platform wordpress" in found.why
    assert found.value == [{"name": "replytocom", "value": r"\d+"}]


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_line_that_a_setting_decides_is_tried_on_the_pages(newest_first: bool) -> None:
    """A post shows its first comments, or its last: then `/comment-page-1/` has some that stand nowhere else."""
    visits = [visit("/", "home")]
    for n in range(12):
        shown = 3 if newest_first else 1
        visits.append(visit(f"/2024/02/post-{n}/", f"post {n}, comments {shown}"))
        visits += [
            visit(f"/2024/02/post-{n}/comment-page-{part}/", f"post {n}, comments {part}")
            for part in (1, 2, 3)
            if part != shown or part == 1
        ]
    normalizer = Normalizer(learned(visits).rules)
    one, other = (f"http://a.example/2024/02/another/{part}" for part in ("comment-page-1/", ""))
    assert (normalizer.key(one) == normalizer.key(other)) is not newest_first


def test_one_page_against_is_enough() -> None:
    result = learned([*posts(20), visit("/?p=1&replytocom=7", "something else")])
    assert result.active == []
    (refuted,) = result.others
    assert "merged 1 different pages" in refuted.why


def test_nothing_is_known_of_a_site_that_is_not_recognized() -> None:
    assert learned(posts(20, marks=())).active == []
    assert learned(posts(20, marks=("marker:wp-content",))).active == []


def test_a_line_is_bound_to_where_the_program_is() -> None:
    other = [visit(f"/x/?p={n}&replytocom={m}", f"{n} {m}", ()) for n in range(9) for m in range(2)]
    (found,) = learned([*posts(5, "/blog/"), *other]).active
    assert found.where == {"path": ["/blog/**"]}
