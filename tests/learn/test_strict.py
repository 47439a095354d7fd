"""`--strict` asks for exactness and not for more pages: equal texts, or the site's own word where they are near."""

from __future__ import annotations

from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.visits.record import Visit, visit_from_row
from tests.learn.sites import sketch
from tests.learn.test_unseen import blog

HOST = "http://a.example"
STRICT = Options().strict()


def page(
    path: str, text: str, *, changed: int = 0, canonical: str | None = None, links: list[str] | None = None
) -> Visit:
    """A page of some text, of whose sketch so many of 32 values are `changed`."""
    row = {"url": HOST + path, "status": 200, "words": 100, "main_digest": f"{text} {path if changed else ''}"}
    row["minhash"] = b64encode(sketch(text, changed)).decode()
    if canonical is not None:
        row["canonical"] = HOST + canonical
    if links is not None:
        row |= {"depth": int(path != "/"), "links": [HOST + link for link in links]}
    return visit_from_row(row)


def shop(changed: int, canonical: str | None, *, linked: bool, equal: int = 30, near: int = 6) -> list[Visit]:
    """Articles with `ref`: `equal` text on thirty, `changed` on `near` more, whose canonical link is `canonical`."""
    visits = []
    for n in range(equal + near):
        differs = changed if n >= equal else 0
        said = canonical and canonical.format(n)
        for path in (f"/article{n}", f"/article{n}?ref=a", f"/article{n}?ref=b"):
            own = differs if "?" in path else 0
            visits.append(page(path, f"article {n}", changed=own, canonical=said, links=[] if linked else None))
    front = [visit.url.removeprefix(HOST) for visit in visits]
    return [page("/", "front", links=front if linked else None), *visits]


NEAR = {
    "equal": (0, None, True),
    "near": (2, None, False),
    "near, and the site says that they are one": (2, "/article{}", True),
    "so near that the sketch cannot tell": (6, "/article{}", True),
    "alike, and the site says that they are one": (8, "/article{}", False),
    "near, and a template names the front page everywhere": (2, "/", False),
    "near, and the site names what nobody visited": (2, "/unseen/{}", True),
}
"""How near further pages are of which thirty are equal, what the site says, and whether they are one."""


@pytest.mark.parametrize("linked", [True, False], ids=["links recorded", "no links"])
@pytest.mark.parametrize(("changed", "canonical", "is_one"), NEAR.values(), ids=NEAR)
def test_near_pages_are_one_where_the_site_itself_says_so(
    changed: int, canonical: str | None, is_one: bool, linked: bool
) -> None:
    normalizer = Normalizer(learn(shop(changed, canonical, linked=linked), STRICT).rules)
    assert (normalizer.key(f"{HOST}/article33?ref=a") == normalizer.key(f"{HOST}/article33")) == is_one


@pytest.mark.parametrize(
    ("equal", "near", "canonical", "is_one"),
    [
        (30, 6, None, False),
        (60, 66, None, False),
        (60, 150, None, False),
        (400, 6, None, True),
        (30, 6, "/article{}", True),
    ],
    ids=["a sixth was amended", "half was", "most were", "hardly any was", "the site says that they are one"],
)
def test_the_default_takes_near_pages_for_one_where_nearly_all_are_equal(
    equal: int, near: int, canonical: str | None, is_one: bool
) -> None:
    """The versions of a law differ in a line, and most laws have not changed; of some networks half of the stations
    measure something else, one number in eighty lines.
    """
    normalizer = Normalizer(learn(shop(2, canonical, linked=False, equal=equal, near=near)).rules)
    changed = f"{HOST}/article{equal + 3}"
    assert (normalizer.key(f"{changed}?ref=a") == normalizer.key(changed)) is is_one


@pytest.mark.parametrize("options", [Options(), STRICT], ids=["default", "strict"])
@pytest.mark.parametrize(("name", "is_one"), [("cpage", False), ("page", False), ("reply", True)])
def test_slices_are_pages_of_their_own_whatever_the_canonical_link_says(
    name: str, is_one: bool, options: Options
) -> None:
    """Of an article of three thousand words a page of five comments is so little that the others resemble it."""
    views = [("", 0), (f"?{name}=1", 2), (f"?{name}=2", 2), (f"?{name}=3", 2)]
    visits = [
        page(f"/article{n}{view}", f"article {n}", changed=changed, canonical=f"/article{n}")
        for n in range(40)
        for view, changed in views
    ]
    key = Normalizer(learn(visits, options).rules).key
    assert (key(f"{HOST}/article7?{name}=2") == key(f"{HOST}/article7?{name}=3")) is is_one
    assert (key(f"{HOST}/article7?{name}=2") == key(f"{HOST}/article7")) is is_one
    # nor does the first one show that it is what the article shows
    assert (key(f"{HOST}/article7?{name}=1") == key(f"{HOST}/article7")) is is_one


@pytest.mark.parametrize("contradicted", [False, True], ids=["none is against", "one is"])
@pytest.mark.parametrize("pages", [9, 20, 60])
def test_one_contradiction_is_enough_and_few_pages_are(pages: int, contradicted: bool) -> None:
    """Eight further articles have no variants, so that no condition tells the one that differs from the others."""
    visits = [page(f"/p{n}{v}", f"page {n}") for n in range(pages) for v in ("", "?print=a", "?print=b")]
    visits += [page(f"/p{n}", f"page {n}") for n in range(900, 908)]
    if contradicted:
        visits.append(page("/p900?print=a", "another page"))
    normalizer = Normalizer(learn(visits, STRICT).rules)
    assert (normalizer.key(f"{HOST}/p1?print=a") == normalizer.key(f"{HOST}/p1")) is not contradicted
    assert (normalizer.key(f"{HOST}/p900?print=a") == normalizer.key(f"{HOST}/p900")) is not contradicted


def test_a_shape_of_few_pages_which_are_all_found_elsewhere_is_skipped() -> None:
    """Sixteen stories by their numbers, too, in a crawl that came to its end: as by default."""
    for options in (Options(), STRICT):
        assert Normalizer(learn(blog(16, 0, 0), options).rules).decide(f"{HOST}/?p=900").skip


def test_a_shape_with_a_page_of_its_own_is_not() -> None:
    assert not Normalizer(learn(blog(100, 1, 0), STRICT).rules).decide(f"{HOST}/?p=900").skip


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 11), st.sampled_from("abc"), st.integers(0, 3)), max_size=40, unique=True),
    st.sampled_from(["n", "p"]),
)
def test_distinct_pages_stay_distinct(odd: list[tuple[int, str, int]], name: str) -> None:
    """Whatever was seen: a merge of two visited pages under strict rules is one of equal texts."""
    shown = {f"/{name}{n}?v={v}": f"page {n}" for n in range(12) for v in "abc"} | {f"/{name}{n}": "" for n in range(3)}
    for n, v, other in odd:
        shown[f"/{name}{n}?v={v}"] = f"page {n} {other}" if other else f"page {n}"
    normalizer = Normalizer(learn([page(path, text) for path, text in shown.items()], STRICT).rules)
    texts: dict[str, set[str]] = {}
    for path, text in shown.items():
        texts.setdefault(normalizer.key(HOST + path), set()).add(text)
    assert all(len(one) == 1 for one in texts.values())
