"""What users and sites write to match with ends at once, whatever it is tried on."""

from __future__ import annotations

import re
import tomllib
from re import _constants as sre  # type: ignore[attr-defined]  # typeshed knows none of it
from re import _parser as sre_parser  # type: ignore[attr-defined]  # typeshed knows none of it
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_urinorm import Normalizer
from scrapy_urinorm.lint import lint
from scrapy_urinorm.rules.globs import PathShape, glob_key, path_glob, path_globs, path_shape
from scrapy_urinorm.rules.patterns import MAX_TEXT, compile_pattern
from scrapy_urinorm.rules.steps import MAX_STEPS, bound
from scrapy_urinorm.rulesets.ruleset import RuleSet

if TYPE_CHECKING:
    from collections.abc import Callable

# --- globs ------------------------------------------------------------------------------------------------------------


def plain_glob(glob: str) -> re.Pattern[str]:
    """What a path glob means, word for word; of no use on long paths."""
    text, at = "", 0
    while at < len(glob):
        if glob[at:] == "/**":
            text, at = text + "(?:/.*)?", at + 3
        elif glob.startswith("/**/", at):
            text, at = text + "/(?:.*/)?", at + 4
        elif glob.startswith("**", at):
            text, at = text + ".*", at + 2
        else:
            text, at = text + ("[^/]*" if glob[at] == "*" else re.escape(glob[at])), at + 1
    return re.compile(text, re.DOTALL)


_globs = st.lists(st.sampled_from(["a", "b", "/", "*", "**", "/**/", "/**"]), max_size=8).map("".join)


@given(_globs, st.text("ab/", max_size=9))
@example("/**", "/")
@example("/a*b/**", "/ab")
@example("**a*b/c", "/a/xab/c")
@example("/**/a", "/a")
def test_a_path_glob_means_what_its_wildcards_say(glob: str, path: str) -> None:
    assert bool(path_glob(glob)(path)) == bool(plain_glob(glob).fullmatch(path))


@given(st.lists(_globs, min_size=1, max_size=5), st.text("ab/", max_size=9))
@example(["/a/**/b", "/a/**/b*", "/**/a"], "/a/a/ba")
@example(["/**/a", "/**/a/**/b", "/**/b**"], "/a/x/bb")
@example(["/*/**/a", "/b/**/a*b"], "/b/a")
def test_globs_together_take_what_one_of_them_takes(globs: list[str], path: str) -> None:
    assert bool(path_globs(tuple(globs))(path)) == any(path_glob(glob)(path) for glob in globs)


LONGEST = 1_200


@given(
    st.one_of(st.none(), st.integers(0, 1_200)),
    st.one_of(st.none(), st.integers(0, 1_200)),
    st.sampled_from(["/c/{}", "/c/{}/*", "/**/{}/x", "/c*{}x", "/**{}"]),
    st.lists(st.sampled_from(["/", "c", "x", "/0", "/7", "/12", "c119"]), max_size=6).map("".join),
)
@example(5, 9, "/c*{}x", "c23x")
@example(None, 0, "/c/{}", "c/00")
@example(0, None, "/c/{}", "c/0")
@example(100, None, "/c/{}", "c/0099")
def test_a_range_is_all_digits_of_a_number(low: int | None, high: int | None, glob: str, path: str) -> None:
    """Not the 3 of 23, which lies between 2 and 9 and is no number of the path."""
    written = f"<{'' if low is None else low}-{'' if high is None else high}>"
    held = "|".join(map(str, range(low or 0, (LONGEST if high is None else high) + 1))) or "(?!)"
    wanted = plain_glob(glob.replace("{}", "N")).pattern.replace("N", f"(?<![0-9])0*(?:{held})(?![0-9])")
    found = path_glob(glob_key(glob.replace("{}", written)))("/" + path)
    assert bool(found) == bool(re.fullmatch(wanted, "/" + path))


def test_what_is_no_range_is_text() -> None:
    for text in ("<a-b>", "<7>", "<1234567890->"):
        assert path_glob(glob_key(f"/{text}"))("/" + text.replace("<", "%3C").replace(">", "%3E"))
    assert path_shape("/page/<7->") == (PathShape.GLOB, "/page/")


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("/*a*a*a*a*a*a*a*a*b**", "/" + "a" * 100_000),
        ("/" + "*a" * 200 + "*b", "/" + "a" * 100_000),
        ("**a" * 100 + "b", "/" + "a" * 100_000),
        ("/**/" + "a*/**/" * 60 + "b", "/a" * 50_000),
        ("**/*a*/b*c/**/*d", "/aa/bb" * 20_000),
        ("/**" * 400 + "/x", "/a" * 50_000),
    ],
    ids=["of a robots.txt", "many stars", "many double stars", "many segments", "mixed", "many rests"],
)
def test_a_hostile_glob_ends(glob: str, path: str) -> None:
    """By backtracking each of these takes longer than the universe has."""
    assert not path_glob(glob)(path)
    assert not path_globs((glob, glob + "c", "/**/" + "a*" * 20 + "b"))(path)


# --- regular expressions ----------------------------------------------------------------------------------------------


class TooManyError(Exception):
    pass


class Matcher:
    """A backtracking matcher that counts what it does: the characters looked at and the ways begun."""

    def __init__(self, pattern: str, text: str, most: float):
        self.tree = list(sre_parser.parse(pattern))
        self.text, self.most, self.steps = text, most, 0

    def full(self) -> bool:
        return self.sequence(self.tree, 0, 0, lambda at: at == len(self.text))

    def first(self) -> bool:
        return any(self.sequence(self.tree, 0, start, lambda _: True) for start in range(len(self.text) + 1))

    def step(self) -> None:
        self.steps += 1
        if self.steps > self.most:
            raise TooManyError

    def sequence(self, items: list[Any], number: int, at: int, then: Callable[[int], bool]) -> bool:
        if number == len(items):
            return then(at)
        op, argument = items[number]
        return self.item(op, argument, at, lambda end: self.sequence(items, number + 1, end, then))

    def item(self, op: Any, argument: Any, at: int, then: Callable[[int], bool]) -> bool:
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            return self.repeat(op, argument, at, then, 0)
        if op is sre.SUBPATTERN:
            return self.sequence(list(argument[-1]), 0, at, then)
        self.step()
        if op is sre.BRANCH:
            return any(self.sequence(list(branch), 0, at, then) for branch in argument[1])
        if op in (sre.ASSERT, sre.ASSERT_NOT):
            found = self.sequence(list(argument[1]), 0, at, lambda _: True)
            return found is (op is sre.ASSERT) and then(at)
        if op is sre.AT:
            return at in (len(self.text), len(self.text) - self.text.endswith("\n")) and then(at)
        assert op in (sre.LITERAL, sre.IN, sre.ANY, sre.NOT_LITERAL), op
        return at < len(self.text) and self.reads(op, argument, ord(self.text[at])) and then(at + 1)

    @staticmethod
    def reads(op: Any, argument: Any, code: int) -> bool:
        if op is sre.IN:
            return any(code == value for kind, value in argument if kind is sre.LITERAL)
        return (op is sre.ANY and code != 10) or (code == argument) is (op is sre.LITERAL)

    def repeat(self, op: Any, argument: Any, at: int, then: Callable[[int], bool], done: int) -> bool:
        low, high, body = argument
        more = high is sre.MAXREPEAT or done < high

        def again(end: int) -> bool:
            # a round that reads nothing is the last one
            if end == at and done >= low:
                return then(end)
            return self.repeat(op, argument, end, then, done + 1)

        rounds = [lambda: more and self.sequence(list(body), 0, at, again), lambda: done >= low and then(at)]
        for way in rounds if op is sre.MAX_REPEAT else reversed(rounds):
            self.step()
            if way():
                return True
        return False


_REPEATS = ["*", "+", "?", "{2}", "{1,3}", "*?", "{0,2}?"]
_atoms = st.sampled_from(["a", "b", "[ab]", ".", "[^b]", "a?", "a*", "b+", ".*", ".*?", "a{2,3}", "[ab]{2,}"])
_patterns = st.recursive(
    _atoms,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(_REPEATS)).map(lambda p: f"(?:{p[0]}){p[1]}"),
        st.tuples(st.sampled_from(["(?=", "(?!"]), inner).map(lambda p: f"{p[0]}{p[1]})"),
    ),
    max_leaves=6,
)
_texts = st.one_of(
    st.text("ab!", max_size=10), st.integers(0, 12).map("a".__mul__), st.integers(0, 6).map("ab".__mul__)
)


@given(_patterns, st.sampled_from(["", "!", "$"]), _texts, st.booleans())
@example("(?:.(?:a?|b?))+", "!", "aaaaaa", True)
@example("(?:a|a)*", "b", "aaaaaaaaaa", True)
@example("(?:a?[ab])+", "!", "aaaaaaaaaa", True)
@example("(?![ab]{3,})", "!", "aaaaaaaaaa", False)
@example("(?:(?:b){2,4}){2,4}", "!", "bbbbbbbbbbbb", False)
def test_no_pattern_takes_more_steps_than_it_is_said_to(pattern: str, end: str, text: str, full: bool) -> None:
    pattern += end
    # beginning a way and looking at its character are two here, where the bound counts the character
    most = 2 * bound(pattern, full=full)(len(text))
    # a text on which counting takes too long says nothing where the bound is beyond
    matcher = Matcher(pattern, text, min(most, 30_000))
    try:
        found = matcher.full() if full else matcher.first()
    except TooManyError:
        assert most > 30_000
    else:
        assert found is ((re.fullmatch if full else re.search)(pattern, text) is not None)


@pytest.mark.parametrize(
    ("pattern", "path", "other"),
    [
        (r"/(\d+)/\1", "/7/7", "/7/8"),
        (r"/(?P<n>\d+)/(?P=n)", "/7/7", "/7/8"),
        (r"/(?:x(.)\1){2}", "/xaaxbb", "/xaaxbc"),
        (r"/(a)?b(?(1)c|d)", "/abc", "/abd"),
    ],
)
def test_a_pattern_may_say_what_a_group_of_it_has_read(pattern: str, path: str, other: str) -> None:
    n = Normalizer({"site": {"a.example": {"rewrite": [{"pattern": f"^{pattern}$", "replace": "/found"}]}}})
    assert n.normalize(f"http://a.example{path}") == "http://a.example/found"
    assert n.normalize(f"http://a.example{other}") == f"http://a.example{other}"


def test_what_a_group_has_read_may_be_long() -> None:
    assert compile_pattern(r"(a*)(b*)\1\2c", full=False).limit < MAX_TEXT


#: What an audit found that takes seconds, or for ever, on short texts.
NASTY = {
    r"(?:\w(?:-?|\.?))+!": "a" * 40,
    "(a|a)*b": "a" * 40,
    "(?:jpg|jpg)*!": "jpg" * 40,
    "^(.*?,){8}P$": "," * 64,
}


@pytest.mark.parametrize(("pattern", "text"), NASTY.items(), ids=NASTY)
@pytest.mark.parametrize("full", [True, False], ids=["full", "search"])
def test_a_pattern_without_a_small_bound_loads_and_is_not_run_on_long_texts(
    pattern: str, text: str, full: bool
) -> None:
    checked = compile_pattern(pattern, full=full)
    assert checked.limit < len(text)
    assert not checked.match(text)
    assert checked.sub("x", text) == text
    assert bound(pattern, full=full)(checked.limit) <= MAX_STEPS


#: Patterns that people write: where matching is linear every text is read.
FRIENDLY = {
    "[0-9a-f]{32}": True,
    "(?:/[^/]+)+": True,
    "[A-Za-z0-9_-]{20,}": True,
    "^/forum/story_(\\w+)$": False,
    ";jsessionid=[0-9A-F]{32}": False,
    "(?=.*\\d)[0-9A-Za-z_%+.-]{16,}": True,
}


@pytest.mark.parametrize(("pattern", "full"), FRIENDLY.items(), ids=FRIENDLY)
def test_linear_patterns_are_run_on_all_texts(pattern: str, full: bool) -> None:
    assert compile_pattern(pattern, full=full).limit == MAX_TEXT


@pytest.mark.parametrize(
    ("pattern", "full", "least"),
    [("^(.*:)?[^:]*$", False, 250), ("^/(.*)/(.*)\\.html$", False, 150), (".*foo.*", True, 350)],
)
def test_quadratic_patterns_are_run_on_usual_lengths(pattern: str, full: bool, least: int) -> None:
    assert least <= compile_pattern(pattern, full=full).limit < MAX_TEXT


RULES = """
[site."a.example"]
remove_params = [{ name = "s", value = '(a|a)*b' }]
rewrite = [{ pattern = '^/(.*?,){8}P$', replace = '/P' }]
[[site."a.example".where]]
query = { x = { matches = '(?:jpg|jpg)*!' } }
skip = true
"""


def test_check_names_patterns_that_are_not_run_on_long_texts() -> None:
    found = [finding for finding in lint(RuleSet.load(tomllib.loads(RULES))) if finding.code == "costly-pattern"]
    assert [(finding.problem.key, finding.problem.message.split("'")[1]) for finding in found] == [
        ("remove_params", "(a|a)*b"),
        ("rewrite", "^/(.*?,){8}P$"),
        ("where[1].query.x", "(?:jpg|jpg)*!"),
    ]
    assert "texts up to 14 characters" in found[0].problem.message


def test_a_crawl_is_not_held_up_by_them() -> None:
    n = Normalizer(RuleSet.load(tomllib.loads(RULES)))
    url = f"http://a.example/{',' * 64}?s={'a' * 60}&x={'jpg' * 40}"
    assert n.key(url).count("a") > 60
    assert n.key("http://a.example/?s=aab") == "http://a.example/"
