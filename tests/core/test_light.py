"""What is made cheaply because every crawl imports it: regular expressions and named tuples, as those of Python."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
import typing

import pytest

from scrapy_urinorm.regex import Regex
from scrapy_urinorm.tuples import NamedTuple


class Ours(NamedTuple):
    """A point."""

    x: int
    y: str = "y"

    @property
    def both(self) -> str:
        """The two."""
        return f"{self.x}{self.y}"


class Pythons(typing.NamedTuple):
    """A point."""

    x: int
    y: str = "y"

    @property
    def both(self) -> str:
        """The two."""
        return f"{self.x}{self.y}"


SAID = [
    "_fields", "_field_defaults", "__doc__", "__module__", "__bases__", "__match_args__",
]  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_a_named_tuple_says_what_pythons_says(name: str) -> None:
    assert getattr(Ours, name) == getattr(Pythons, name)


def test_a_named_tuple_does_what_pythons_does() -> None:
    one, other = Ours(1), Pythons(1)
    assert tuple(one) == tuple(other) == (1, "y")
    assert repr(one).removeprefix("Ours") == repr(other).removeprefix("Pythons")
    assert one.both == other.both
    assert one._replace(y="z") == Ours(1, "z")
    assert pickle.loads(pickle.dumps(one)) == copy.copy(one) == one
    assert type(pickle.loads(pickle.dumps(one))) is Ours
    assert inspect.signature(Ours).parameters.keys() == inspect.signature(Pythons).parameters.keys()
    assert typing.get_type_hints(Ours) == typing.get_type_hints(Pythons)


def test_a_regular_expression_answers_as_that_of_python() -> None:
    text = "([a-z])(1?)"
    ours, pythons = Regex(text, re.IGNORECASE), re.compile(text, re.IGNORECASE)
    for _ in range(2):
        assert ours.findall("A1b") == pythons.findall("A1b")
        assert ours.split("A1b") == pythons.split("A1b")
        assert ours.sub(r"\2\1", "A1b") == pythons.sub(r"\2\1", "A1b")
        assert [m.span() for m in ours.finditer("A1b")] == [m.span() for m in pythons.finditer("A1b")]
        for said in ("A1", "A1b", "1A"):
            assert bool(ours.match(said)) == bool(pythons.match(said))
            assert bool(ours.fullmatch(said)) == bool(pythons.fullmatch(said))


def test_a_regular_expression_is_compiled_when_it_is_first_asked() -> None:
    asked, unasked = Regex("a"), Regex("a")
    assert asked.match("a")
    # what is compiled is of a class without `__getattr__`, which would slow it down
    assert not hasattr(type(asked), "__getattr__")
    assert hasattr(type(unasked), "__getattr__")
    broken = Regex("(")
    assert not hasattr(broken, "pattern")
    with pytest.raises(re.error):
        broken.match("a")
