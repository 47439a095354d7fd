"""The bookkeeping of the second chance: nothing is forgotten for want of room, no loop is as deep as a site likes."""

from __future__ import annotations

from hashlib import sha1

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import Request, Spider

from scrapy_urinorm.crawl.filtering import pending
from scrapy_urinorm.crawl.filtering.claims import MAX_CHANCES
from scrapy_urinorm.crawl.filtering.crowd import Crowd, Entry, text_digest
from scrapy_urinorm.crawl.filtering.lasting_claims import LastingClaims
from tests.effort import share

ORG = "http://a.example"
ROOMY, NONE = 100_000, 0
ROOMS = pytest.mark.parametrize("limit", [ROOMY, 1, NONE], ids=["room", "room for one", "no room"])


def fp(name: object) -> bytes:
    return sha1(str(name).encode()).digest()


def claims(limit: int) -> LastingClaims:
    return LastingClaims(limit, lambda url: url.partition("#")[0])


def variant(n: object) -> Request:
    return Request(f"{ORG}/p?sid={n}")


def claimed(limit: int) -> LastingClaims:
    """LastingClaims of which others already take the room."""
    made = claims(limit)
    for n in range(limit if limit < ROOMY else 0):
        made.claim(fp(f"other {n}"), f"{ORG}/other{n}")
    made.claim(fp("p"), variant(1).url)
    return made


@ROOMS
def test_a_variant_found_before_the_failure(limit: int) -> None:
    made = claimed(limit)
    chance = made.repeated(fp("p"), variant(2))
    tried = [request.url for _, request, _ in made.failed(fp("p"), variant(1).url)]
    assert bool(chance) != (tried == [variant(2).url]), "now or later, but once"


@ROOMS
def test_a_variant_found_after_the_failure(limit: int) -> None:
    made = claimed(limit)
    assert made.failed(fp("p"), variant(1).url) == []
    assert made.repeated(fp("p"), variant(2)) == 1


@ROOMS
def test_a_text_that_failed_takes_no_chance_when_it_is_found_again(limit: int) -> None:
    made = claimed(limit)
    made.claim(fp("last"), f"{ORG}/last")
    passed: list[int] = []
    for n in (2, 1, 2, 1, 3):  # a broken link stands on many pages
        made.failed(fp("p"), variant(1 if not passed else passed[-1]).url)
        if made.repeated(fp("p"), variant(n)):
            passed.append(n)
    assert passed == [2, 3]


@ROOMS
def test_a_page_that_was_served_needs_no_variant(limit: int) -> None:
    made = claimed(limit)
    made.served(fp("p"))
    assert made.repeated(fp("p"), variant(2)) == 0
    assert made.failed(fp("p"), variant(1).url) == []


@ROOMS
@pytest.mark.parametrize("failed_first", [True, False])
def test_the_same_text_is_no_variant(limit: int, failed_first: bool) -> None:
    made = claimed(limit)
    if failed_first:
        made.failed(fp("p"), variant(1).url)
    assert made.repeated(fp("p"), variant(1)) == 0
    assert made.repeated(fp("p"), Request(variant(1).url + "#top")) == 0
    assert made.failed(fp("p"), variant(1).url) == []


@ROOMS
def test_the_chances_of_a_key_are_bounded(limit: int) -> None:
    made = claimed(limit)
    url, chances = variant(1).url, 0
    for n in range(2, 30):
        for _, request, _ in made.failed(fp("p"), url):
            url, chances = request.url, chances + 1
        if made.repeated(fp("p"), variant(n)):
            url, chances = variant(n).url, chances + 1
    assert chances == MAX_CHANCES


@pytest.mark.parametrize("limit", [ROOMY, 2])
def test_a_broken_link_that_is_found_again_takes_no_chance(limit: int) -> None:
    made = claimed(limit)
    made.served(fp("other 0"))
    made.failed(fp("p"), variant(1).url)
    assert made.repeated(fp("p"), variant(2)) == 1
    assert made.repeated(fp("p"), variant(1)) == 0
    assert made.failed(fp("p"), variant(2).url) == []
    assert made.repeated(fp("p"), variant(1)) == 0
    assert made.repeated(fp("p"), variant(3)) == 2


@ROOMS
def test_what_ends_untold_has_failed_when_nothing_is_under_way(limit: int) -> None:
    made = claimed(limit)
    early = made.repeated(fp("p"), variant(2))
    late = made.all_ended()
    # without room it goes at once, else it is held until then
    assert early == (limit == NONE)
    assert [request.url for _, request, _ in late] == ([] if early else [variant(2).url])
    assert made.repeated(fp("p"), variant(3)) == (2 if early else 0)


@ROOMS
@pytest.mark.parametrize("kills", [1, 2])
def test_what_is_noted_outlasts_kills(limit: int, kills: int) -> None:
    """A key that failed, one whose variant is in hand, one whose fate is another's."""
    made = claimed(limit)
    notes: dict[bytes, str] = {}
    spider = Spider("notes")
    made.watch()
    early = made.repeated(fp("p"), variant(2))
    made.claim(fp("q"), f"{ORG}/q?sid=1")
    made.failed(fp("q"), f"{ORG}/q?sid=1")
    made.claim(fp("r"), f"{ORG}/r?sid=1")
    follows = made.ended_at(fp("p"), fp("r"), f"{ORG}/r?sid=1") == [] and limit == ROOMY
    for _ in range(kills):
        for key, text in pending.noted(made, spider):
            if text is None:
                notes.pop(key, None)
            else:
                notes[key] = text
        made = claims(limit)
        pending.restore_noted("the notes", notes.items(), made, spider)
        made.expect(fp("p"), variant(1).url)
        made.watch()
    made.goes_on(fp("p"), variant(1).url)
    assert made.repeated(fp("q"), Request(f"{ORG}/q?sid=2")) == 1
    url = variant(2 if early else 1).url
    tried = [request.url for _, request, _ in made.failed(fp("p"), url)]
    assert early == (limit == NONE)
    assert tried == ([] if early else [variant(2).url])
    assert not follows or made.repeated(fp("r"), Request(f"{ORG}/r?sid=2")) == 1


@ROOMS
def test_a_request_that_waits_since_a_kill_speaks_for_its_key(limit: int) -> None:
    """What is found before it is served: its own text takes neither a chance nor the place of another one."""
    made = claims(limit)
    made.expect(fp("p"), variant(1).url)
    made.claim(fp("last"), f"{ORG}/last")
    asked = [n for n in (1, 2, 3, 1) if made.repeated(fp("p"), variant(n))]
    made.goes_on(fp("p"), variant(1).url)
    last = asked[-1] if asked else 1
    assert made.speaks(fp("p"), variant(last).url)
    while chances := made.failed(fp("p"), variant(last).url):
        ((_, request, _),) = chances
        last = int(request.url[-1])
        asked.append(last)
    assert sorted(asked) == [2, 3]


@ROOMS
def test_a_request_that_the_spider_cannot_read_any_more_does_not_keep_its_page_from_being_asked_for(limit: int) -> None:
    made = claims(limit)
    made.expect(fp("p"), "")
    asked = made.repeated(fp("p"), variant(1))
    assert asked == (limit == NONE)
    assert [request.url for _, request, _ in made.all_ended()] == ([] if asked else [variant(1).url])


def test_a_request_that_waits_and_speaks_for_no_key_is_forgotten() -> None:
    made = claims(ROOMY)
    made.expect(fp("p"), variant(1).url)
    made.unexpect(fp("p"), variant(2).url)
    assert len(made) == 1
    made.unexpect(fp("p"), variant(1).url)
    assert len(made) == 0


def test_what_was_served_needs_no_note() -> None:
    made = claims(ROOMY)
    made.watch()
    for n in range(3):
        made.claim(fp(n), f"{ORG}/{n}")
        made.served(fp(n))
    assert [*made.changes()] == []
    made.claim(fp("p"), variant(1).url)
    made.repeated(fp("p"), variant(2))
    assert len([*made.changes()]) == 1
    made.served(fp("p"))
    assert [*made.changes()] == [(fp("p"), None)]


@ROOMS
def test_the_outcome_of_another_request_decides_nothing(limit: int) -> None:
    made = claimed(limit)
    assert made.speaks(fp("p"), variant(1).url)
    assert not made.speaks(fp("p"), variant(2).url)
    assert made.failed(fp("p"), variant(2).url) == []
    assert made.speaks(fp("p"), variant(1).url)


@pytest.mark.parametrize("outcome", ["served", "failed"])
def test_a_long_chain_of_claims_that_share_their_fate(outcome: str) -> None:
    """A site that redirects once more for each page ended in a RecursionError."""
    made = claims(ROOMY)
    length = 5_000
    for n in range(length):
        made.claim(fp(n), f"{ORG}/{n}")
        made.repeated(fp(n), Request(f"{ORG}/{n}?again"))
    for n in range(1, length):
        assert made.ended_at(fp(n - 1), fp(n), f"{ORG}/{n}") == []
    if outcome == "served":
        made.served(fp(0))
        assert len(made) == 0
    else:
        urls = [request.url for _, request, _ in made.failed(fp(0), f"{ORG}/0")]
        assert urls == [f"{ORG}/{n}?again" for n in range(length)]


def test_a_ring_of_claims_ends() -> None:
    made = claims(ROOMY)
    for n in range(3):
        made.claim(fp(n), f"{ORG}/{n}")
    for n in range(3):
        made.ended_at(fp((n + 1) % 3), fp(n), f"{ORG}/{n}")
    assert made.failed(fp(0), f"{ORG}/0") == []
    assert [made.repeated(fp(n), Request(f"{ORG}/{n}?again")) for n in range(3)] == [1, 1, 1]


def test_hands_are_free_again() -> None:
    """What is in hand counts while it is: otherwise every variant would pass at once after a while."""
    made = claims(2)
    for n in range(100):
        made.claim(fp(n), f"{ORG}/{n}")
        assert made.repeated(fp(n), Request(f"{ORG}/{n}?again")) == 0
        if n % 2:
            made.served(fp(n))
        else:
            made.failed(fp(n), f"{ORG}/{n}")
            made.served(fp(n))
    assert made.hurried == 0
    assert len(made) == 0


fps = st.one_of(st.integers(0, 50).map(fp), st.binary(min_size=1, max_size=40))
digests = st.text(max_size=3).map(text_digest)
entries = st.builds(Entry, digests, st.integers(0, MAX_CHANCES), st.lists(digests, max_size=8).map(tuple))


@pytest.mark.newest
@settings(max_examples=share(2))
@given(st.lists(st.tuples(st.sampled_from(["put", "pop", "get"]), fps, entries)))
def test_a_crowd_is_a_dict(steps: list[tuple[str, bytes, Entry]]) -> None:
    crowd, model = Crowd(), dict[bytes, Entry]()
    for step, key, entry in steps:
        if step == "put":
            crowd.put(key, entry)
            model[key] = entry
        else:
            found = crowd.pop(key) if step == "pop" else crowd.get(key)
            assert found == (model.pop(key, None) if step == "pop" else model.get(key))
        assert len(crowd) == len(model)
    copy = Crowd()
    copy.load(crowd.blocks())
    other = Crowd()
    other.take_all(copy)
    assert len(copy) == 0
    assert {key: other.get(key) for key in model} == model


def test_a_crowd_of_records_that_look_alike() -> None:
    """A match that straddles two records is none."""
    crowd, model = Crowd(), {}
    for n in range(300):
        key = bytes(19) + bytes((n % 250,)) if n % 2 else bytes((n % 250,)) + bytes(19)
        model[key] = Entry(bytes(7), 0)
        crowd.put(key, model[key])
    assert all(crowd.pop(key) == entry for key, entry in model.items() if key[:12] != bytes(12))
