"""Pages by their key: the same as a set for each key, whatever comes and goes."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm.learn.proof.members import Members

KEYS = st.sampled_from("abc")


@given(st.lists(KEYS, max_size=12), st.lists(st.tuples(st.integers(0, 11), KEYS), max_size=30))
def test_it_is_a_set_for_each_key(keys: list[str], moves: list[tuple[int, str]]) -> None:
    members, sets = Members(keys), defaultdict[str, set[int]](set)
    for page, key in enumerate(keys):
        sets[key].add(page)
    for page, after in moves:
        if page < len(keys):
            members.remove(keys[page], page)
            sets[keys[page]].discard(page)
            members.add(after, page)
            sets[after].add(page)
            keys[page] = after
    assert {key: set(members.of(key)) for key in "abc"} == {key: sets[key] for key in "abc"}
    assert [members.count(key) for key in "abc"] == [len(sets[key]) for key in "abc"]
    assert [key in members for key in "abc"] == [bool(sets[key]) for key in "abc"]
    assert len(members) == sum(map(bool, sets.values()))
