"""What the lint finds, where it says that it is, and what it leaves alone."""

# ruff: noqa: E501  a row of a table is a line
from __future__ import annotations

import cProfile
from pathlib import Path

import pytest
from hypothesis import given

from scrapy_urinorm import Normalizer, RuleFileError, RuleSet
from scrapy_urinorm.lint import CODES, lint
from scrapy_urinorm.lint.matches import findings, matches
from scrapy_urinorm.rulesets.sources import parse_toml
from tests.cli.programs import run
from tests.core.strategies import rule_files

ROOT = Path(__file__).resolve().parents[2]

# rules, and for each finding: code, table, key, line
FOUND = {
    "the preset has it": (
        '[rules]\nremove_params = ["utm_medium"]',
        [("covered", "rules", "remove_params", 2)],
    ),
    "a wider glob has it": (
        '[rules]\nremove_params = ["promo_*"]\n[site."a.example"]\nwww = "remove"\nremove_params = ["promo_x"]',
        [("covered", 'site."a.example"', "remove_params", 5)],
    ),
    "the site has it, for a part of the site": (
        '[site."a.example"]\nremove_params = ["x"]\n[[site."a.example".where]]\npath = "/a"\nremove_params = ["X"]',
        [("covered", 'site."a.example"', "where[1].remove_params", 5)],
    ),
    "the domain has it, for a subdomain": (
        '[site."a.example"]\nremove_params = ["x"]\n[site."b.a.example"]\nremove_params = ["x"]',
        [("covered", 'site."b.a.example"', "remove_params", 4)],
    ),
    "twice in one list": (
        '[rules]\nremove_params = ["x", "y", "x"]',
        [("covered", "rules", "remove_params", 2)],
    ),
    "a name that has no guard, over one that has": (
        "[rules]\nremove_params = [\"s\", { name = \"s\", value = '[0-9]+' }]",
        [("covered", "rules", "remove_params", 2)],
    ),
    "other lists of names": (
        '[rules]\ndirectory_index = ["index.*", "index.html"]\npath_params = ["sid", "sid"]',
        [("covered", "rules", "directory_index", 2), ("covered", "rules", "path_params", 3)],
    ),
    "an exception from nothing": (
        '[site."a.example"]\nexcept_params = ["id"]',
        [("nothing-to-except", 'site."a.example"', "except_params", 2)],
    ),
    "an exception from nothing on these paths": (
        '[[site."a.example".where]]\npath = "/a/**"\nremove_params = ["id"]\n[[site."a.example".where]]\npath = "/b/*"\nexcept_params = ["id"]',
        [("nothing-to-except", 'site."a.example"', "where[2].except_params", 6)],
    ),
    "an exception from what only comes after it": (
        '[[site."a.example".where]]\npath = "/a/**"\nexcept_params = ["id"]\n[[site."a.example".where]]\npath = "/a/*"\nremove_params = ["id"]',
        [("nothing-to-except", 'site."a.example"', "where[1].except_params", 3)],
    ),
    "what keep_params drops need not be removed": (
        '[site."a.example"]\nkeep_params = ["id"]\nremove_params = ["sid"]\ndefault_params = { page = "1" }',
        [("dead", 'site."a.example"', "remove_params", 3), ("dead", 'site."a.example"', "default_params", 4)],
    ),
    "what is removed cannot be kept": (
        '[rules]\nremove_params = ["ref"]\n[site."a.example"]\nkeep_params = ["id", "ref"]',
        [("dead", 'site."a.example"', "keep_params", 4)],
    ),
    "what is removed needs no default": (
        '[site."a.example"]\nremove_params = ["page"]\ndefault_params = { page = "1" }',
        [("dead", 'site."a.example"', "default_params", 3)],
    ),
    "renamed, and then removed": (
        '[site."a.example"]\nrename_params = { a = "b" }\nremove_params = ["b"]',
        [("undone", 'site."a.example"', "rename_params", 2)],
    ),
    "renamed, and then not kept": (
        '[site."a.example"]\nrename_params = { a = "b" }\nkeep_params = ["id"]',
        [("undone", 'site."a.example"', "rename_params", 2)],
    ),
    "the old name of a renamed parameter": (
        '[site."a.example"]\nrename_params = { page_id = "p" }\nmap_params = { page_id = [["1", "2"]] }',
        [("dead", 'site."a.example"', "map_params", 3)],
    ),
    "a condition on the old name": (
        '[site."a.example"]\nrename_params = { a = "b" }\n[[site."a.example".where]]\nquery = { a = "1" }\nskip = true',
        [("spelling", 'site."a.example"', "where[1].query", 4)],
    ),
    "added and dropped again": (
        '[site."a.example"]\nmap_params = { hb = [["HEAD", "x", false]] }\ndefault_params = { hb = "HEAD" }',
        [("undone", 'site."a.example"', "map_params", 2)],
    ),
    "no query is left": (
        '[[site."a.example".where]]\npath = "/a"\nremove_query = true\nremove_params = ["x"]',
        [("dead", 'site."a.example"', "where[1].remove_params", 4)],
    ),
    "a skipped URL needs no other rule": (
        '[[site."a.example".where]]\npath = "/a"\nskip = true\ntrailing_slash = "remove"',
        [("dead", 'site."a.example"', "where[1].trailing_slash", 4)],
    ),
    "any first segment, again and again": (
        '[site."a.example"]\nremove_segments = ["x", { index = 0, pattern = ".*" }]',
        [("eats-paths", 'site."a.example"', "remove_segments", 2)],
    ),
    "a pattern that may take long": (
        "[site.\"a.example\"]\nremove_params = [{ name = 's', value = '(a|a)*b' }]",
        [("costly-pattern", 'site."a.example"', "remove_params", 2)],
    ),
    "a wrapper that names no targets": (
        '[site."a.example"]\nunwrap_params = ["u", { name = "v", to = ["b.example"] }]',
        [("own-site-only", 'site."a.example"', "unwrap_params", 2)],
    ),
    "any segment before any other": (
        '[site."a.example"]\nremove_segments = [{ name = "*", next = ".+" }]',
        [("eats-paths", 'site."a.example"', "remove_segments", 2)],
    ),
    "a range without a number": (
        '[[site."a.example".where]]\nquery = { year = { above = 2000, below = 1990 } }\nskip = true',
        [("never-holds", 'site."a.example"', "where[1].query.year", 2)],
    ),
    "a range without a day": (
        '[[site."a.example".where]]\nquery = { from = { above = "2024-02-01", below = 2024-01-31 } }\nskip = true',
        [("never-holds", 'site."a.example"', "where[1].query.from", 2)],
    ),
    "no day before the first one": (
        '[[site."a.example".where]]\nquery = { from = { below = 0001-01-01, above = "9999-12-31" } }\nskip = true',
        [("never-holds", 'site."a.example"', "where[1].query.from", 2)],
    ),
    "a condition on what is removed": (
        '[rules]\nremove_params = ["ref"]\n[[site."a.example".where]]\nquery = { ref = "x" }\nskip = true',
        [("spelling", 'site."a.example"', "where[1].query.ref", 4)],
    ),
    "a path that lower-casing changes": (
        '[site."a.example"]\nlowercase_path = true\n[[site."a.example".where]]\npath = "/Forum/**"\nskip = true',
        [("spelling", 'site."a.example"', "where[1].path", 4)],
    ),
    "a path that the index rule cuts": (
        '[rules]\ndirectory_index = ["index.html"]\n[[site."a.example".where]]\npath = "/a/index.html"\nskip = true',
        [("spelling", 'site."a.example"', "where[1].path", 4)],
    ),
    "a site whose host is folded away": (
        '[site."a.example"]\nwww = "remove"\n[site."www.a.example"]\nremove_params = ["x"]',
        [("unreachable", 'site."www.a.example"', "", 3)],
    ),
    "a site as a pattern": (
        '[site."*.a.example"]\nremove_params = ["x"]\n[site."*"]\nwww = "remove"',
        [("unreachable", 'site."*.a.example"', "", 1), ("unreachable", 'site."*"', "", 3)],
    ),
    "a path with a query": (
        '[[site."a.example".where]]\npath = "/a?b=1"\nskip = true',
        [("never-holds", 'site."a.example"', "where[1].path", 2)],
    ),
    "a path as a regular expression": (
        '[[site."a.example".where]]\npath = "/p/[0-9]"\nskip = true',
        [("never-holds", 'site."a.example"', "where[1].path", 2)],
    ),
    "names of no parameter": (
        '[site."a.example"]\nremove_params = ["ref=a", "x[]", "_"]\n[site."b.example"]\nkeep_params = ["?id"]',
        [("never-holds", 'site."a.example"', "remove_params", 2), ("never-holds", 'site."b.example"', "keep_params", 4)],
    ),
    "a host that is another's alias": (
        '[site."a.example"]\nhost_aliases = ["b.example"]\n[host."b.example"]\nremove_params = ["x"]',
        [("unreachable", 'host."b.example"', "", 3)],
    ),
    "templates in a circle": (
        '[site."a.example"]\ntemplate = [{ from = "/a?id={x}", to = "/b/{x}" }, { from = "/b/{x}", to = "/a?id={x}" }]',
        [("unstable", 'site."a.example"', "", 1)],
    ),
    "a rewrite that grows": (
        "[site.\"a.example\"]\nrewrite = [{ pattern = '^/a', replace = '/aa' }]",
        [("unstable", 'site."a.example"', "", 1)],
    ),
    "two parts of a site that undo each other": (
        ('[[site."a.example".where]]\nquery = { a = "1" }\nmap_params = { a = [["2", "1"]] }\n'
        '[[site."a.example".where]]\nquery = { a = "2" }\nmap_params = { a = [["1", "2"]] }'),
        [("unstable", 'site."a.example"', "where[2]", 4)],
    ),
    "an example that does not settle": (
        "[site.\"a.example\"]\nrewrite = [{ pattern = '^/(q+)z', replace = '/\\1qz' }]\ndistinct = [[\"/qz\", \"/y\"]]",
        [("unstable", 'site."a.example"', "", 1)],
    ),
    "hosts in a circle": (
        '[host."a.example"]\nwww = "add"\n[host."www.a.example"]\nwww = "remove"',
        [("unstable", 'host."a.example"', "", 1), ("unstable", 'host."www.a.example"', "", 3)],
    ),
}  # fmt: skip

LEFT_ALONE = {
    "a number that a range of numbers holds": '[[site."a.example".where]]\npath = "/a/<1-5>"\nremove_params = ["id"]\n[[site."a.example".where]]\npath = "/a/3"\nexcept_params = ["id"]',
    "an exception from what an earlier table removes": '[[site."a.example".where]]\npath = "/a/*"\nremove_params = ["id"]\n'
    '[[site."a.example".where]]\npath = "/a/*"\nexcept_params = ["id"]',
    "an exception from what holds on more paths": '[[rules.where]]\nquery = { id = true }\nremove_params = ["id"]\n'
    '[[site."a.example".where]]\npath = "/a/*"\nexcept_params = ["id"]',
    "an empty file": "",
    "a value guard of its own": "[rules]\nremove_params = [{ name = \"s\", value = '[a-f]+' }, { name = \"s\", value = '[0-9]+' }]",
    "a guarded name, and the same without guard for a site": (
        '[rules]\nremove_params = [{ name = "s", value = \'[0-9]+\' }]\n[site."a.example"]\nremove_params = ["s"]'
    ),
    "case that counts, and case that does not": (
        '[rules]\nremove_params = [{ name = "SID", case_sensitive = true }]\n[site."a.example"]\nremove_params = ["sid"]'
    ),
    "taken back for a site, and removed again for a part": (
        '[rules]\nremove_params = ["x"]\n[site."a.example"]\nexcept_params = ["x"]\n'
        '[[site."a.example".where]]\npath = "/a"\nremove_params = ["x"]'
    ),
    "an exception from the preset": '[site."a.example"]\nexcept_params = ["utm_content", "utm_*"]',
    "an exception from a glob, by a glob": '[rules]\nremove_params = ["p*"]\n[site."a.example"]\nexcept_params = ["*id"]',
    "kept for a part, removed elsewhere": (
        '[site."a.example"]\nremove_params = ["sid"]\n[[site."a.example".where]]\npath = "/a"\nkeep_params = ["id"]'
    ),
    "what is kept may have a default": '[site."a.example"]\nkeep_params = ["page"]\ndefault_params = { page = "1" }',
    "a guarded removal and a default": (
        '[site."a.example"]\nremove_params = [{ name = "page", value = \'0+\' }]\ndefault_params = { page = "1" }'
    ),
    "a condition on absence of what is removed": (
        '[rules]\nremove_params = ["ref"]\n[[site."a.example".where]]\nquery = { ref = false }\nremove_params = ["x"]'
    ),
    "an alias with nothing but its host rules": '[site."a.example"]\nwww = "remove"\n[site."www.a.example"]\nscheme = "https"',
    "a wrapper of paths": '[site."a.example"]\nunwrap_params = [{ name = "u", paths = true }]',
    "a wrapper of its own site": '[site."a.example"]\nunwrap_params = [{ name = "u", to = [] }]',
    "a subdomain that stays": '[site."a.example"]\nwww = "remove"\n[site."b.a.example"]\nremove_params = ["x"]',
    "a site of which only www goes": '[site."a.example"]\nwww = "remove"\nremove_params = ["x"]',
    "a host with a port": '[host."a.example:8080"]\nremove_params = ["x"]',
    "a path in escapes": '[[site."a.example".where]]\npath = "/%C3%BCber/**"\nskip = true',
    "a path as people write it": '[[site."a.example".where]]\npath = "/über/*/a b"\nskip = true',
    "any first segment of three": '[site."a.example"]\nremove_segments = [{ index = 0, pattern = ".*", of = 3 }]',
    "any first segment before a name": (
        '[[site."a.example".where]]\npath = "/*/dp/**"\nremove_segments = [{ index = 0, pattern = ".*" }]'
    ),
    "a path with globs": '[[site."a.example".where]]\npath = ["/a/*/b**", "*"]\nskip = true',
    "a slash that is removed, and a path that ends with any": (
        '[site."a.example"]\ntrailing_slash = "remove"\n[[site."a.example".where]]\npath = "/a/**"\nskip = true'
    ),
    "templates that end": '[site."a.example"]\ntemplate = [{ from = "/a?id={x}", to = "/b/{x}" }, { from = "/c/{x}", to = "/b/{x}" }]',
    "skipped, with examples": '[[site."a.example".where]]\npath = "/a"\nskip = true\nexamples = [["/a?utm_source=1", "/a"]]',
}


def load(text: str, folder: Path) -> RuleSet:
    path = folder / "rules.toml"
    path.write_text(text, encoding="utf-8")
    return RuleSet.load(str(path))


@pytest.mark.parametrize(("text", "expected"), FOUND.values(), ids=FOUND)
def test_found(text: str, expected: list[tuple[str, str, str, int]], tmp_path: Path) -> None:
    found = [(f.code, f.problem.table, f.problem.key, f.problem.line) for f in lint(load(text, tmp_path))]
    assert found == expected


@pytest.mark.parametrize(("text", "expected"), FOUND.values(), ids=FOUND)
def test_finding_is_of_use(text: str, expected: list[tuple[str, str, str, int]], tmp_path: Path) -> None:
    for finding in lint(load(text, tmp_path)):
        assert finding.code in CODES
        assert finding.problem.message
        assert finding.problem.hint
        assert finding.problem.file.endswith("rules.toml")


@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_left_alone(text: str, tmp_path: Path) -> None:
    assert lint(load(text, tmp_path)) == []


@pytest.mark.parametrize(
    "path",
    [*(ROOT / "tests" / "testbed").glob("*.toml"), ROOT / "example_project" / "urinorm.toml"],
    ids=lambda path: path.stem,
)
def test_rules_of_real_sites_are_clean(path: Path) -> None:
    assert lint(RuleSet.load(str(path))) == []


def test_an_included_rule_may_be_taken_back(tmp_path: Path) -> None:
    """A rule of `learn` has conditions, and so has what takes it back."""
    where = '[[site."a.example".where]]\npath = "/item/*"\n'
    (tmp_path / "learned.toml").write_text(f'{where}remove_params = ["ref"]\n[[evidence]]\nrule = "remove_params"\n')
    path = tmp_path / "urinorm.toml"
    path.write_text(f'include = ["learned.toml"]\n{where}except_params = ["ref"]\n')
    assert Normalizer(str(path)).key("http://a.example/item/1?ref=2").endswith("?ref=2")
    assert run("check", "urinorm.toml", cwd=tmp_path).code == 0


@pytest.mark.parametrize("preset", ["safe", "recommended", "loose"])
def test_presets_settle(preset: str) -> None:
    assert lint(RuleSet.load(preset=preset)) == []


def test_given_urls_are_tried() -> None:
    rules = {"site": {"a.example": {"rewrite": [{"pattern": "^/(zz+)$", "replace": r"/\1z"}]}}}
    ruleset = RuleSet.load(rules)
    assert {finding.code for finding in lint(ruleset, ["http://a.example/zz"])} == {"unstable"}


TRIED = """\
[site."a.example"]
www = "remove"
remove_params = ["ref"]
default_params = { page = "1" }

[[site."a.example".where]]
path = "/shop/**"
remove_params = ["ref", "q"]

[[site."a.example".where]]
path = "/cal/**"
skip = true

[[site."a.example".where]]
path = "/Shop/**"
skip = true

[site."b.example"]
www = "remove"
remove_params = ["ref"]

[host."c.example"]
host_aliases = ["old.example"]
"""
URLS = [
    "http://www.a.example/shop/1?q=2", "http://a.example/shop/2?ref=3", "http://a.example/cal/3", "http://x.test/",
    "http://a.example/?ref=1", "no URL", "http://old.example/",
]  # fmt: skip


def test_matches(tmp_path: Path) -> None:
    """Of how many URLs each table holds, and how many each line changes, counted by hand."""
    ruleset = load(TRIED, tmp_path)
    read, found = matches(ruleset, Normalizer(ruleset), URLS)
    assert read == 6
    assert [(match.line, match.urls, match.rules) for match in found] == [
        (1, 4, {"www": 1, "remove_params": 2, "default_params": 0}),
        (6, 2, {"remove_params": 2}),
        (10, 1, {"skip": 1}),
        (14, 0, {"skip": 0}),
        (18, 0, {"www": 0, "remove_params": 0}),
        (22, 1, {"host_aliases": 1}),
    ]
    said = [(finding.code, finding.problem.line, finding.problem.key) for finding in findings(read, found)]
    assert said == [("never-acts", 4, "default_params"), ("never-matches", 14, "where[3]"), ("never-matches", 18, "")]


def test_every_code_is_tested() -> None:
    tried = {"never-acts", "never-matches"}
    assert {code for _, expected in FOUND.values() for code, *_ in expected} | tried == CODES.keys()


@given(rules=rule_files())
def test_lint_is_total(rules: dict[str, object]) -> None:
    try:
        ruleset = RuleSet.load(rules)
    except RuleFileError:
        return
    for finding in lint(ruleset):
        assert finding.code in CODES


def many(count: int) -> dict[str, str]:
    """Files with so many of one thing."""
    names = ", ".join(f'"r{n}"' for n in range(count))
    globs = ", ".join(f'"r{n}_*"' for n in range(count))
    covered = ", ".join(f'"utm_{n}"' for n in range(count))
    return {
        "names": f"[rules]\nremove_params = [{names}]",
        "globs": f"[rules]\nremove_params = [{globs}]",
        "names that are covered": f"[rules]\nremove_params = [{covered}]",
        "exceptions": f'[rules]\nremove_params = [{names}]\n[site."a.example"]\nexcept_params = [{names}]',
        "exceptions from nothing": f'[site."a.example"]\nexcept_params = [{names}]',
        "names that are kept": f"[rules]\nkeep_params = [{names}]\nremove_empty_params = [{names}]",
        "sites": "".join(f'[site."s{n}.example"]\nremove_params = ["r{n}"]\n' for n in range(count)),
        "conditions": "".join(
            f'[[site."a.example".where]]\npath = "/x{n}/**"\nremove_params = ["utm_{n}"]\n' for n in range(count)
        ),
    }


@pytest.mark.parametrize(
    "what", [pytest.param(name, marks=[pytest.mark.thorough] * (name == "conditions")) for name in many(0)]
)
def test_what_it_costs_grows_with_the_rules(what: str) -> None:
    """As calls, since time depends on what else runs: four times the rules took sixteen times the calls and more."""

    def calls(count: int) -> int:
        rules = RuleSet.load(parse_toml(many(count)[what]))
        profile = cProfile.Profile()
        profile.runcall(lint, rules)
        return sum(entry.callcount for entry in profile.getstats())

    calls(10)
    few = calls(150)
    assert calls(600) < 5 * few
