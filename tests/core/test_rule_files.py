"""Rule files: what is refused and how it is said, how files and scopes merge, and when the digest changes."""
# ruff: noqa: E501  a row of a table is a line

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from scrapy_urinorm import Normalizer, RuleFileError, RuleSet, UrinormError

SITE = 'site."a.example"'


def problems_of(*sources: Any, preset: str | None = None) -> tuple[Any, ...]:
    with pytest.raises(RuleFileError) as caught:
        Normalizer(list(sources), preset=preset)
    return caught.value.problems


# --- mistakes -----------------------------------------------------------------------------------------------------------

#: (reason, lines of the file, table, key, number of the line, part of the message, part of the hint)
MISTAKES: list[tuple[str, str, str, str, int | None, str, str]] = [
    ("unknown key of the file", "rulez = 1", "", "rulez", 1, "unknown key", "'rules'"),
    ("unknown rule", "[rules]\nremove_parms = ['a']", "rules", "remove_parms", 2, "no rule", "'remove_params'"),
    ("unknown preset", "preset = 'recomended'", "", "preset", None, "no preset", "'recommended'"),
    ("unknown version of a preset", "preset = 'safe@99'", "", "preset", None, "no version '99'", "safe@1"),
    ("a word that is no choice", "[rules]\nwww = 'removed'", "rules", "www", 2, "'removed'", "'remove'"),
    ("a flag in quotes", "[rules]\nremove_query = 'true'", "rules", "remove_query", 2, "neither true nor false", "without quotes"),
    ("text for a list", "[rules]\nremove_params = 'a'", "rules", "remove_params", 2, "not a list", "['a']"),
    ("a number in a list of names", "[rules]\nremove_params = [1]", "rules", "remove_params", 2, "1 is not a name", "text"),
    ("an empty name", "[rules]\nremove_params = ['']", "rules", "remove_params", 2, "not a name", "not empty"),
    ("an entry without name", "[rules]\nremove_params = [{ value = 'x' }]", "rules", "remove_params", 2, "no name", "name ="),
    ("an unknown key of an entry", "[rules]\nremove_params = [{ name = 'a', valeu = 'x' }]", "rules", "remove_params", 2, "'valeu'", "'value'"),
    ("an entry where only names are known", "[rules]\nlowercase_params = [{ name = 'a' }]", "rules", "lowercase_params", 2, "not a name", ""),
    ("a pattern that does not compile", "[rules]\nremove_params = [{ name = 'a', value = '(' }]", "rules", "remove_params", 2, "not a regular expression", ""),
    ("an exponential pattern on the name", "[rules]\nremove_params = [{ pattern = '(a+)+b' }]", "rules", "remove_params", 2, "exponential", "nest"),
    ("a segment by what follows alone", "[rules]\nremove_segments = [{ next = '[0-9]+', of = 3 }]", "rules", "remove_segments", 2, "any segment", "add a name"),
    ("a name and a pattern", "[rules]\nremove_params = [{ name = 'a', pattern = 'b' }]", "rules", "remove_params", 2, "a name and a pattern", "one of the two"),
    ("a pattern that is none", "[rules]\nremove_params = [{ pattern = '(?u)[' }]", "rules", "remove_params", 2, "not a regular expression", ""),
    ("an exponential pattern", "[rules]\nremove_params = [{ name = 'a', value = '(a+)+b' }]", "rules", "remove_params", 2, "exponential", "nest"),
    ("a pattern that is too long", f"[rules]\nremove_params = [{{ name = 'a', value = '{'a' * 2001}' }}]", "rules", "remove_params", 2, "2001 characters", "2000"),
    ("a group that does not exist", "[rules]\nrewrite = [{ pattern = 'a', replace = '\\1' }]", "rules", "rewrite", 2, "replace", "\\1"),
    ("a group as others write it", "[rules]\nrewrite = [{ pattern = '/p/(.*)', replace = '/q/$1' }]", "rules", "rewrite", 2, "'$1' is no group", "\\1"),
    ("a group in braces", "[rules]\nrewrite = [{ pattern = '/p/(.*)', replace = '/q/${1}' }]", "rules", "rewrite", 2, "is no group", "\\1"),
    ("an edit without replacement", "[rules]\nrewrite = [{ pattern = 'a' }]", "rules", "rewrite", 2, "not { pattern, replace }", "replace"),
    ("a map of values that is none", "[rules]\nmap_params = { a = ['b'] }", "rules", "map_params", 2, "list of groups", "[["),
    ("a value in two groups", "[rules]\nmap_params = { a = [['b', 'c'], ['c', 'd']] }", "rules", "map_params", 2, "twice", "one group"),
    ("renaming in a circle", "[rules]\nrename_params = { a = 'b', b = 'a' }", "rules", "rename_params", 2, "circle", "remain"),
    ("a template with other placeholders", "[rules]\ntemplate = [{ from = '/a?b={x}', to = '/{y}' }]", "rules", "template", 2, "same placeholders", ""),
    ("a template whose placeholder is a number", "[rules]\ntemplate = [{ from = '/{1}', to = '/x/{1}' }]", "rules", "template", 2, "placeholder", "{x}"),
    ("a template with two placeholders in a value", "[rules]\ntemplate = [{ from = '/a?b={x}{y}', to = '/{x}/{y}' }]", "rules", "template", 2, "more than one", "write one"),
    ("a template with a rest of its own", "[rules]\ntemplate = [{ from = '/a?b={y}', to = '/{y}', rest = 'drop' }]", "rules", "template", 2, "'drop' says nothing", "no other parameter"),
    ("a segment by position alone", "[rules]\nremove_segments = [{ index = 0 }]", "rules", "remove_segments", 2, "one segment after the other", "`of`"),
    ("ports as text", "[rules]\nremove_ports = ['8080']", "rules", "remove_ports", 2, "ports", "[8080]"),
    ("an alias with a scheme", f"[{SITE}]\nhost_aliases = ['http://b.example']", SITE, "host_aliases", 2, "not a host name", "without scheme"),
    ("a star that stands for nothing", "[rules]\nhost_aliases = {'b.example' = '*.a.example'}", "rules", "host_aliases", 2, "stands for nothing", "before both"),
    ("targets that are no list", f"[{SITE}]\nunwrap_params = [{{ name = 'u', to = 'b.example' }}]", SITE, "unwrap_params", 2, "not a list of domains", "any"),
    ("paths of a wrapper that are no yes or no", f"[{SITE}]\nunwrap_params = [{{ name = 'u', paths = 'all' }}]", SITE, "unwrap_params", 2, "neither true nor false", "paths = true"),
    ("a wrapper without name", f"[{SITE}]\nunwrap_params = [{{ to = ['b.example'] }}]", SITE, "unwrap_params", 2, "not a name", "write"),
    ("an alias without host", "[rules]\nhost_aliases = ['b.example']", "rules", "host_aliases", 1, "no host", "b.example"),
    ("a site with a scheme", "[site.'http://a.example']\nwww = 'keep'", "site.\"http://a.example\"", "", 1, "is not a site", "without scheme"),
    ("a site with a path", "[site.'a.example/x']\nwww = 'keep'", 'site."a.example/x"', "", 1, "is not a site", "path"),
    ("a site with a port", "[site.'a.example:81']\nwww = 'keep'", 'site."a.example:81"', "", 1, "is not a site", "port"),
    ("a host that is none", "[host.'a b']\nwww = 'keep'", 'host."a b"', "", 1, "is not a host", "host:port"),
    ("a rule for the whole site under where", f"[[{SITE}.where]]\npath = '/x'\nwww = 'remove'", SITE, "where[1].www", 3, "not allowed under `where`", "whole site"),
    ("how a query is split by a condition on it", f"[[{SITE}.where]]\nquery = {{ a = '1' }}\nsemicolon_separators = true", SITE, "where[1].semicolon_separators", 3, "not allowed beside `query`", "`path` alone"),
    ("where without condition", f"[[{SITE}.where]]\nremove_query = true", SITE, "where[1]", 1, "without path and query", "site"),
    ("where as a table", f"[{SITE}.where]\npath = '/x'", SITE, "where", None, "list of tables", "[[...where]]"),
    ("a path that is no path", f"[[{SITE}.where]]\npath = 'forum'", SITE, "where[1].path", 2, "path glob", "/forum"),
    ("a path in a query with no number", f"[[{SITE}.where]]\nquery = {{ '/a/<7-2>' = true }}", SITE, "where[1].query./a/<7-2>", 2, "no number", "<7-12>"),
    ("an unknown condition", f"[[{SITE}.where]]\nquery = {{ a = {{ bellow = 1 }} }}", SITE, "where[1].query.a", 2, "'bellow'", "'below'"),
    ("a bound that is no number", f"[[{SITE}.where]]\nquery = {{ a = {{ below = '1' }} }}", SITE, "where[1].query.a", 2, "neither a number nor a date", "2024-01-31"),
    ("a number and a date", f"[[{SITE}.where]]\nquery = {{ a = {{ below = 1, above = '2024-01-31' }} }}", SITE, "where[1].query.a", 2, "the other a date", ""),
    ("an empty condition", f"[[{SITE}.where]]\nquery = {{ a = {{}} }}", SITE, "where[1].query.a", 2, "empty condition", "true"),
    ("true in a list of values", f"[[{SITE}.where]]\nquery = {{ a = ['x', true] }}", SITE, "where[1].query.a", 2, "not a condition", "below"),
    ("examples that are no pairs", f"[{SITE}]\nexamples = [['/a']]", SITE, "examples", 2, "not a pair", "[["),
    ("an example that does not hold", f"[{SITE}]\nwww = 'remove'\nexamples = [['/a', '/b']]", SITE, "examples", None, "do not get one key", "explain"),
    ("a distinct pair that is one", f"[{SITE}]\nremove_params = ['a']\ndistinct = [['/?a=1', '/?a=2']]", SITE, "distinct", None, "both get", "explain"),
    ("an unknown rule to rewrite with", f"[{SITE}]\nrewrite_requests = ['remove_parms']", SITE, "rewrite_requests", 2, "no rule", "'remove_params'"),
    ("a table that is none", "rules = 1", "rules", "", None, "not a table", "[rules]"),
    ("sites that are no tables", "site = 1", "site", "", None, "table of tables", "[site."),
    ("evidence that is no list of tables", "evidence = 1", "evidence", "", None, "list of tables", "[[evidence]]"),
    ("a count in quotes", "[[evidence]]\n[[evidence]]\nsupport = 'many'", "evidence[2]", "support", 3, "'many' is not a count", "without quotes"),
    ("a count that is a flag", "[[evidence]]\nagainst = true", "evidence[1]", "against", 2, "True is not a count", "whole number"),
    ("a count below none", "[[evidence]]\nsaved = -1", "evidence[1]", "saved", 2, "-1 is not a count", ""),
    ("a risk that is no share", "[[evidence]]\nrisk = nan", "evidence[1]", "risk", 2, "nan is not a share", "0 to 1"),
    ("a share in quotes", "[[evidence]]\nexact = '1'", "evidence[1]", "exact", 2, "'1' is not a share", ""),
    ("a site that is none", "[[evidence]]\nsite = 1", "evidence[1]", "site", 2, "1 is not text", ""),
    ("a reason that is a list", "[[evidence]]\nwhy = ['x']", "evidence[1]", "why", 2, "is not text", ""),
    ("conditions that are text", "[[evidence]]\nwhere = '/x'", "evidence[1]", "where", 2, "table of conditions", "path ="),
    ("conditions on a query that is none", "[[evidence]]\nwhere = { query = 'a' }", "evidence[1]", "where", 2, "table of conditions", ""),
    ("conditions on a path that is none", "[[evidence]]\nwhere = { path = 1 }", "evidence[1]", "where", 2, "table of conditions", ""),
    ("exceptions that are a table", "[[evidence]]\nexcept = { path = '/x' }", "evidence[1]", "except", 2, "list of tables", "[{"),
    ("exceptions that are text", "[[evidence]]\nexcept = ['/x']", "evidence[1]", "except", 2, "list of tables", ""),
    ("examples that are no pairs", "[[evidence]]\nexamples = ['/x', '/y']", "evidence[1]", "examples", 2, "list of pairs", "[["),
    ("an example of three", "[[evidence]]\ncounterexamples = [['a', 'b', 'c']]", "evidence[1]", "counterexamples", 2, "list of pairs", ""),
    ("crawls that are numbers", "[[evidence]]\ncrawls = [1]", "evidence[1]", "crawls", 2, "list of texts", ""),
    ("a host that is text", "[[evidence]]\nthis_host = 'yes'", "evidence[1]", "this_host", 2, "true or false", ""),
    ("names that are a number", "[[evidence]]\nrule = 'remove_params'\nvalue = 1", "evidence[1]", "value", 3, "list of names", "ref"),
    ("a name that is a number", "[[evidence]]\nrule = 'remove_params'\nvalue = [{ name = 1 }]", "evidence[1]", "value", 3, "list of names", ""),
    ("names of lists that are tables", "[[evidence]]\nrule = 'unordered_values'\nvalue = [{ name = 'a' }]", "evidence[1]", "value", 3, "is not a table", ""),
    ("default values that are a list", "[[evidence]]\nrule = 'default_params'\nvalue = ['a']", "evidence[1]", "value", 3, "is not a table", ""),
    ("a value that no rule has", "[[evidence]]\nrule = 'www'\nvalue = 2024-01-01", "evidence[1]", "value", 3, "not the value of a rule", ""),
    ("the value of an active rule", "[[evidence]]\nstatus = 'active'\nrule = 'www'\nvalue = 'removed'", "evidence[1]", "value", 4, "'removed'", "'remove'"),
    ("where in no table", "version = 1\n[where]\npath = '/x'", "", "where", 2, "unknown key", '[[site."example.com".where]]'),
    ("a rule in no table", "remove_params = ['a']", "", "remove_params", 1, "unknown key", "[rules]"),
    ("include that is no list", "version = 1\ninclude = 1", "", "include", 2, "list of files", "learned.toml"),
    ("not TOML", "a = = 1", "", "", 1, "does not parse", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "table", "key", "line", "message", "hint"), [pytest.param(*m[1:], id=m[0]) for m in MISTAKES]
)
def test_a_mistake_is_named_with_its_place_and_remedy(
    tmp_path: Path, text: str, table: str, key: str, line: int | None, message: str, hint: str
) -> None:
    file = tmp_path / "urinorm.toml"
    file.write_text(text)
    (problem,) = problems_of(str(file))
    assert (problem.file, problem.table, problem.key) == (str(file), table, key)
    assert message in problem.message
    assert hint in problem.hint
    if line is not None:
        assert problem.line == line


def test_a_file_in_another_encoding_is_named_with_its_line_and_remedy(tmp_path: Path) -> None:
    file = tmp_path / "urinorm.toml"
    file.write_bytes("[rules]\n# für Besucher\nwww = 'keep'\n".encode("latin-1"))
    (problem,) = problems_of(str(file))
    assert problem.line == 2
    assert problem.message == "is not UTF-8 text: the octet 0xfc"
    assert problem.hint == "save it as UTF-8: if it is Latin-1, that is 'ü'"


@pytest.mark.parametrize("name", ["a\0b.toml", "\ud800.toml"])
def test_a_name_that_no_file_can_have(name: str) -> None:
    (problem,) = problems_of({"include": [name]})
    assert problem.message.startswith("cannot be read: ")


def test_a_list_of_files_with_a_mistake_hides_no_other(tmp_path: Path) -> None:
    file = tmp_path / "urinorm.toml"
    file.write_text('include = ["no.toml", 5]', "utf-8")
    problems = problems_of(str(file))
    assert [problem.message.partition(":")[0] for problem in problems] == [
        "['no.toml', 5] is not a list of files",
        "cannot be read",
    ]


def test_a_preset_that_no_file_names_is_said_once() -> None:
    with pytest.raises(RuleFileError, match=r"\n  preset: there is no preset 'recomended' \(did you mean"):
        Normalizer(preset="recomended")


def test_mistakes_are_told_in_the_order_of_the_lines(tmp_path: Path) -> None:
    file = tmp_path / "urinorm.toml"
    file.write_text(
        'preset = "nope"\n[host."a.example"]\nwww = 1\n[site."b.example"]\nwww = 2\n[rules]\nwww = 3\n[wrong]\n',
        "utf-8",
    )
    assert [problem.line for problem in problems_of(str(file))] == [1, 3, 5, 7, 8]


def test_all_mistakes_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    first.write_text(
        'include = ["second.toml", "absent.toml"]\npreset = "saef"\ntypo = 1\n'
        '[rules]\nwww = "yes"\nremove_params = [{ name = "s", value = "(" }]\n'
        '[site."a.example"]\nno_such_rule = 1\n'
        '[[site."a.example".where]]\npath = "x"\nscheme = "https"\n'
    )
    second.write_text('[host."a b"]\n[rules]\ntrailing_slash = true\n')
    problems = problems_of(str(first))
    assert {(Path(p.file).name, p.table, p.key, p.line) for p in problems} >= {
        ("first.toml", "", "typo", 3),
        ("first.toml", "rules", "www", 5),
        ("first.toml", "rules", "remove_params", 6),
        ("first.toml", SITE, "no_such_rule", 8),
        ("first.toml", SITE, "where[1].path", 10),
        ("first.toml", SITE, "where[1].scheme", 11),
        ("second.toml", 'host."a b"', "", 1),
        ("second.toml", "rules", "trailing_slash", 3),
        ("absent.toml", "", "", None),
    }
    assert [p.key for p in problems if Path(p.file).name == "first.toml" and "preset" in p.key] == ["preset"]
    assert len(problems) == 10


def test_the_error_reads_as_a_list() -> None:
    with pytest.raises(RuleFileError) as caught:
        RuleSet.load({"rules": {"www": "yes", "sort": "off"}})
    head, *lines = str(caught.value).split("\n")
    assert head == "2 problems in the rules:"
    assert len(lines) == 2
    assert all("<dict>" in line and "[rules]" in line for line in lines)
    assert isinstance(caught.value, UrinormError)
    assert isinstance(caught.value, ValueError)


EXPONENTIAL = [
    "(a+)+b", "(a*)*", "(a|ab|b)*c", "(?=(a+)+b)x", "(?!(a+)+b)x", "(?>(a+)+b)", "((a{2,})+)+", "(.*)*x", "(?:a?a?)*b", "(?:aa?)+b",
    "(?:a{1,2})+b", "(?:a{1,30}){1,30}b", "(?:a?){20}b", "(?:/a*a*)*b", r"(?:\w+\s?)*$", r"(\w+-?)+", "(?:x+x+)+y", "(?i)(a|Ab)*c",
    "(?:a|b|ab){1,40}c", r"(?:(.)\1*)*x", "(?:/?[^/]+)+",
]  # fmt: skip
HARMLESS = [
    "[0-9a-f]{32}", r"\d+(-\d+)?", ".*[A-Za-z].*", r"(\d{1,3}\.){3}\d{1,3}", "(?:ab)+", "(?:foo|bar)*", "(?:foo|ba|c)*", "a{2,5}",
    "(?:/[^/]+)+", r"(\w+-)*\w+", "(?:ab?)+", "(?:&[^&=]+=[^&]*)*", r"(?:/\w{1,8})+/print", "(?:a{2})+", "(?:a?)*b", "^(.*:)?[^:]*$",
    "(?:a|a)*b", "(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}", "[0-9A-Z]+(,[0-9A-Z]+){2,6}", r"(?:[^\W\d]\d*/)+",
]  # fmt: skip


@pytest.mark.parametrize("text", EXPONENTIAL)
def test_exponential_patterns_are_refused(text: str) -> None:
    (problem,) = problems_of({"rules": {"remove_params": [{"name": "a", "value": text}]}})
    assert "exponential" in problem.message


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_patterns_are_not(text: str) -> None:
    RuleSet.load({"rules": {"remove_params": [{"name": "a", "value": text}]}})


# --- sources ------------------------------------------------------------------------------------------------------------


def test_a_named_file_that_is_absent(tmp_path: Path) -> None:
    (problem,) = problems_of(str(tmp_path / "urinorm.toml"))
    assert problem.file == str(tmp_path / "urinorm.toml")
    assert "cannot be read" in problem.message
    assert problem.hint


def test_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(b"[rules]\n# \xff\n")
    (problem,) = problems_of(str(tmp_path / "x.toml"))
    assert "UTF-8" in problem.message


@pytest.mark.parametrize("text", ['preset = "safe"\n', '{"preset": "safe"}'], ids=["TOML", "JSON"])
def test_a_byte_order_mark_is_none_of_the_rules(text: str, tmp_path: Path) -> None:
    path = tmp_path / ("rules.json" if text.startswith("{") else "rules.toml")
    path.write_text(text, "utf-8-sig")
    assert RuleSet.load(path).preset == "safe"


def test_json_says_what_toml_says(tmp_path: Path) -> None:
    rules = {
        "preset": "safe",
        "site": {"a.example": {"www": "remove", "where": [{"path": "/x", "remove_params": ["a"]}]}},
    }
    (tmp_path / "x.json").write_text(json.dumps(rules))
    (tmp_path / "x.toml").write_text(
        "preset = 'safe'\n[site.'a.example']\nwww = 'remove'\n[[site.'a.example'.where]]\npath = '/x'\nremove_params = ['a']\n"
    )
    digests = {RuleSet.load(source).digest() for source in (rules, str(tmp_path / "x.json"), str(tmp_path / "x.toml"))}
    assert len(digests) == 1


def test_json_that_does_not_parse_has_a_line(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{\n"rules": {,}\n}')
    (problem,) = problems_of(str(tmp_path / "x.json"))
    assert problem.line == 2


def test_a_path_object_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("[rules]\nwww = 'remove'\n")
    assert Normalizer(tmp_path / "x.toml", preset="safe").key("http://www.a.example/") == "http://a.example/"


@pytest.mark.parametrize("name", ["some_rules", "rules_of_a_namespace"])
def test_a_resource_of_a_package(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / name
    package.mkdir()
    if name == "some_rules":
        (package / "__init__.py").write_text("")
    (package / "urinorm.toml").write_text("include = ['more.toml']\n[rules]\nwww = 'remove'\n")
    (package / "more.toml").write_text("[rules]\nremove_params = ['zz']\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, name, raising=False)
    n = Normalizer(f"{name}:urinorm.toml", preset="safe")
    assert n.key("http://www.a.example/?zz=1") == "http://a.example/"
    assert n.ruleset.files == (f"{name}:more.toml", f"{name}:urinorm.toml")


def test_a_package_that_is_not_installed() -> None:
    (problem,) = problems_of("no_such_package:urinorm.toml")
    assert "cannot be read" in problem.message


def test_includes_stand_beside_the_file_and_come_first(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "main.toml").write_text("include = ['sub/a.toml']\n[rules]\ntrailing_slash = 'remove'\n")
    (tmp_path / "sub" / "a.toml").write_text(
        "include = ['b.toml']\n[rules]\ntrailing_slash = 'add'\nremove_params = ['a']\n"
    )
    (tmp_path / "sub" / "b.toml").write_text("[rules]\nremove_params = ['b']\n")
    n = Normalizer(str(tmp_path / "main.toml"), preset="safe")
    assert n.key("http://a.example/x/?a=1&b=2") == "http://a.example/x"
    assert [Path(f).name for f in n.ruleset.files] == ["b.toml", "a.toml", "main.toml"]


def test_a_file_that_includes_itself(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("include = ['b.toml']\n")
    (tmp_path / "b.toml").write_text("include = ['a.toml']\n")
    (problem,) = problems_of(str(tmp_path / "a.toml"))
    assert problem.key == "include"
    assert "includes itself" in problem.message


def test_learned_rules_are_used_only_where_named(tmp_path: Path) -> None:
    (tmp_path / "learned.toml").write_text("[rules]\nremove_params = ['zz']\n")
    (tmp_path / "urinorm.toml").write_text("[rules]\nwww = 'keep'\n")
    assert "zz" in Normalizer(str(tmp_path / "urinorm.toml")).key("http://a.example/?zz=1")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"rules": {"default_params": {1: "x"}}}, {"rules": {"default_params": {"1": "x"}}}),
        ({"rules": {"rename_params": {1: "x"}}}, {"rules": {"rename_params": {"1": "x"}}}),
        (
            {"rules": {"where": [{"query": {1: "2"}, "skip": True}]}},
            {"rules": {"where": [{"query": {"1": "2"}, "skip": True}]}},
        ),
        ({"rules": {"map_params": {"a": (("b", "c"),)}}}, {"rules": {"map_params": {"a": [["b", "c"]]}}}),
        (
            {"rules": {"rewrite": ({"pattern": "a", "replace": "b"},)}},
            {"rules": {"rewrite": [{"pattern": "a", "replace": "b"}]}},
        ),
        (MappingProxyType({"rules": {"www": "remove"}}), {"rules": {"www": "remove"}}),
    ],
    ids=[
        "number as name",
        "number to rename",
        "number in a condition",
        "tuples for lists",
        "a tuple of edits",
        "a mapping that is no dict",
    ],
)
def test_a_python_value_means_what_its_toml_would_mean(given: Any, meant: dict[str, Any]) -> None:
    assert RuleSet.load(given).digest() == RuleSet.load(meant).digest()
    assert Normalizer(given).decide("http://www.a.example/?1=x&a=c") == Normalizer(meant).decide(
        "http://www.a.example/?1=x&a=c"
    )


def test_an_alias_that_is_no_text() -> None:
    (problem,) = problems_of({"site": {"a.example": {"host_aliases": [["b"]]}}})
    assert "not a host name" in problem.message


# --- presets --------------------------------------------------------------------------------------------------------------


def test_the_preset_of_the_argument_comes_before_that_of_the_file() -> None:
    url = "http://a.example/?utm_source=x"
    assert Normalizer({"preset": "safe"}).key(url) == url
    assert Normalizer({"preset": "safe"}, preset="recommended").key(url) == "http://a.example/"
    assert Normalizer(RuleSet.load({"preset": "recommended"}), preset="safe").key(url) == url
    assert Normalizer({"preset": "recommended@2"}).key(url) == "http://a.example/"


def test_the_last_source_chooses_the_preset() -> None:
    assert RuleSet.load({"preset": "loose"}, {"preset": "safe"}).preset == "safe"


# --- merging --------------------------------------------------------------------------------------------------------------

#: (reason, sources in order, URL, key); each under the preset `safe`.
MERGES: list[tuple[str, list[dict[str, Any]], str, str]] = [
    ("a later source wins", [{"rules": {"trailing_slash": "add"}}, {"rules": {"trailing_slash": "remove"}}], "http://a.example/x/", "http://a.example/x"),
    ("lists add up over sources", [{"rules": {"remove_params": ["a"]}}, {"rules": {"remove_params": ["b"]}}], "http://a.example/?a=1&b=2&c=3", "http://a.example/?c=3"),
    ("lists add up over scopes", [{"rules": {"remove_params": ["a"]}, "site": {"a.example": {"remove_params": ["b"]}}}], "http://a.example/?a=1&b=2", "http://a.example/"),
    ("maps add up, name by name", [{"rules": {"default_params": {"p": "1", "s": "a"}}, "site": {"a.example": {"default_params": {"p": "0"}}}}], "http://a.example/?p=1&s=a", "http://a.example/?p=1"),
    ("a dollar beside a group is text, as `learn` writes it", [{"rules": {"rewrite": [{"pattern": "^/p/(.*)/x", "replace": "/q/\\1/$5"}]}}], "http://a.example/p/7/x", "http://a.example/q/7/$5"),
    ("a narrower keep_params replaces", [{"rules": {"keep_params": ["a"]}, "site": {"a.example": {"keep_params": ["b"]}}}], "http://a.example/?a=1&b=2", "http://a.example/?b=2"),
    ("a narrower scalar replaces", [{"rules": {"www": "remove"}, "site": {"a.example": {"www": "keep"}}}], "http://www.a.example/", "http://www.a.example/"),
    ("a narrower flag replaces", [{"rules": {"remove_userinfo": True}, "site": {"a.example": {"remove_userinfo": False}}}], "http://u@a.example/", "http://u@a.example/"),
    ("a flag can be taken back for a path", [{"site": {"a.example": {"remove_query": True, "where": [{"path": "/s", "remove_query": False}]}}}], "http://a.example/s?q=1", "http://a.example/s?q=1"),
    ("a subdomain is narrower than its domain", [{"site": {"b.a.example": {"trailing_slash": "keep"}, "a.example": {"trailing_slash": "remove"}}}], "http://b.a.example/x/", "http://b.a.example/x/"),
    ("a site holds for every subdomain", [{"site": {"a.example": {"trailing_slash": "remove"}}}], "http://x.y.a.example/z/", "http://x.y.a.example/z"),
    ("a site holds for every port", [{"site": {"a.example": {"trailing_slash": "remove"}}}], "http://a.example:8080/z/", "http://a.example:8080/z"),
    ("a site is no suffix of text", [{"site": {"a.example": {"trailing_slash": "remove"}}}], "http://aa.example/z/", "http://aa.example/z/"),
    ("a host is narrower than its site", [{"host": {"a.example": {"trailing_slash": "keep"}}, "site": {"a.example": {"trailing_slash": "remove"}}}], "http://a.example/x/", "http://a.example/x/"),
    ("a host holds for no subdomain", [{"host": {"a.example": {"trailing_slash": "remove"}}}], "http://b.a.example/x/", "http://b.a.example/x/"),
    ("a host with a port", [{"host": {"a.example:8080": {"trailing_slash": "remove"}}}], "http://a.example:8080/x/", "http://a.example:8080/x"),
    ("a host with a port, another port", [{"host": {"a.example:8080": {"trailing_slash": "remove"}}}], "http://a.example/x/", "http://a.example/x/"),
    ("a host with a default port", [{"host": {"a.example:443": {"trailing_slash": "remove"}}}], "https://a.example/x/", "https://a.example/x"),
    ("an address as host", [{"host": {"10.0.0.5:8080": {"trailing_slash": "remove"}}}], "http://10.0.0.5:8080/x/", "http://10.0.0.5:8080/x"),
    ("an IPv6 address as host", [{"host": {"[::1]:8080": {"trailing_slash": "remove"}}}], "http://[::1]:8080/x/", "http://[::1]:8080/x"),
    ("a site in capitals", [{"site": {"A.Example": {"trailing_slash": "remove"}}}], "http://a.example/x/", "http://a.example/x"),
    ("an international site", [{"site": {"münchen.example": {"trailing_slash": "remove"}}}], "http://xn--mnchen-3ya.example/x/", "http://xn--mnchen-3ya.example/x"),
    ("where is narrower than its table", [{"site": {"a.example": {"trailing_slash": "remove", "where": [{"path": "/k/**", "trailing_slash": "keep"}]}}}], "http://a.example/k/x/", "http://a.example/k/x/"),
    ("a later where wins", [{"site": {"a.example": {"where": [{"path": "/**", "trailing_slash": "keep"}, {"path": "/x/", "trailing_slash": "remove"}]}}}], "http://a.example/x/", "http://a.example/x"),
    ("where for every site", [{"rules": {"where": [{"path": "/x", "remove_params": ["a"]}]}}], "http://a.example/x?a=1", "http://a.example/x"),
    ("where on a path beyond ASCII", [{"rules": {"where": [{"path": "/café/*", "remove_params": ["a"]}]}}], "http://a.example/caf%c3%a9/x?a=1", "http://a.example/caf%C3%A9/x"),
    ("the scopes are those of the canonical host", [{"site": {"a.example": {"host_aliases": ["b.example"], "remove_params": ["a"]}}}], "http://b.example/?a=1", "http://a.example/"),
    ("the rules of an alias do not count", [{"site": {"a.example": {"host_aliases": ["b.example"]}, "b.example": {"remove_params": ["a"]}}}], "http://b.example/?a=1", "http://a.example/?a=1"),
    ("an exception for a site", [{"rules": {"remove_params": ["a*"]}, "site": {"a.example": {"except_params": ["a1"]}}}], "http://a.example/?a1=1&a2=2", "http://a.example/?a1=1"),
    ("an exception for a path", [{"rules": {"remove_params": ["a*"], "where": [{"path": "/x", "except_params": ["a*"]}]}}], "http://a.example/x?a1=1", "http://a.example/x?a1=1"),
    ("a narrower removal after an exception", [{"rules": {"remove_params": ["a*"]}, "site": {"a.example": {"except_params": ["a*"]}, "b.a.example": {"remove_params": ["a1"]}}}], "http://b.a.example/?a1=1&a2=2", "http://b.a.example/?a2=2"),
    ("exception and removal in one table, whatever their order", [{"rules": {"except_params": ["a1"], "remove_params": ["a*"]}}], "http://a.example/?a1=1&a2=2", "http://a.example/?a1=1"),
    ("a written rule beats a learned one, whatever their order", [{"rules": {"trailing_slash": "keep"}}, {"rules": {"trailing_slash": "remove"}, "evidence": [{"rule": "trailing_slash"}]}], "http://a.example/x/", "http://a.example/x/"),
    ("a learned rule of a narrower scope beats a written one of a wider", [{"rules": {"trailing_slash": "keep"}}, {"site": {"a.example": {"trailing_slash": "remove"}}, "evidence": [{"rule": "trailing_slash"}]}], "http://a.example/x/", "http://a.example/x"),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "url", "key"), [pytest.param(*row[1:], id=row[0]) for row in MERGES])
def test_merging(sources: list[dict[str, Any]], url: str, key: str) -> None:
    assert Normalizer(sources, preset="safe").key(url) == key


# --- where: conditions ------------------------------------------------------------------------------------------------------

#: (reason, condition, targets that it holds for, targets that it does not hold for)
CONDITIONS: list[tuple[str, dict[str, Any], list[str], list[str]]] = [
    ("a path", {"path": "/forum"}, ["/forum"], ["/forum/", "/forum/x", "/Forum"]),
    ("a path with one segment open", {"path": "/forum/*"}, ["/forum/x", "/forum/"], ["/forum", "/forum/x/y"]),
    ("a path and all below", {"path": "/forum/**"}, ["/forum", "/forum/", "/forum/x/y"], ["/forums", "/x/forum"]),
    ("anything between", {"path": "/a/**/z"}, ["/a/z", "/a/b/c/z"], ["/a/b", "/az"]),
    ("a part of a segment", {"path": "/story_*.html"}, ["/story_7.html"], ["/story_7.htm", "/story_7/8.html"]),
    ("one of several paths", {"path": ["/a", "/b"]}, ["/a", "/b"], ["/c"]),
    ("a path with an escape", {"path": "/a b"}, ["/a%20b"], ["/a+b"]),
    ("a value", {"query": {"do": "login"}}, ["/?do=login", "/?DO=login", "/?x=1&do=%6Cogin"], ["/?do=Login", "/", "/?do"]),
    ("one of several values", {"query": {"do": ["a", "b"]}}, ["/?do=a", "/?do=b"], ["/?do=c"]),
    ("a value or none", {"query": {"do": ["a", False]}}, ["/?do=a", "/"], ["/?do=b"]),
    ("a glob", {"query": {"do": "log*"}}, ["/?do=login", "/?do=log"], ["/?do=blog"]),
    ("a number", {"query": {"p": 1}}, ["/?p=1"], ["/?p=01"]),
    ("presence", {"query": {"p": True}}, ["/?p=1", "/?p"], ["/"]),
    ("absence", {"query": {"p": False}}, ["/", "/?q=1"], ["/?p=1", "/?p"]),
    ("below", {"query": {"year": {"below": 2000}}}, ["/?year=1999", "/?year=-5"], ["/?year=2000", "/?year=x", "/", "/?year=nan", "/?year=1_0"]),
    ("above", {"query": {"year": {"above": 2000}}}, ["/?year=2000.5"], ["/?year=2000", "/?year=", "/?year=nan"]),
    ("between", {"query": {"y": {"above": 1, "below": 3}}}, ["/?y=2"], ["/?y=1", "/?y=3"]),
    ("before a day", {"query": {"d": {"below": "2024-02-01"}}}, ["/?d=2024-01-31", "/?d=2023-12-01T10:00:00Z"], ["/?d=2024-02-01", "/?d=2024-02-01T00:00", "/?d=2023", "/?d=", "/"]),
    ("between days", {"query": {"d": {"above": "2024-01-01", "below": "2024-02-01"}}}, ["/?d=2024-01-02T00:00:00Z"], ["/?d=2024-01-01T23:00", "/?d=2024-02-01", "/?d=20240115"]),
    ("present and not empty", {"query": {"ns": "+"}}, ["/?ns=a", "/?ns=%2B"], ["/?ns=", "/?ns", "/"]),
    ("a pattern", {"query": {"id": {"matches": r"\d+"}}}, ["/?id=12"], ["/?id=12a", "/"]),
    ("one of repeated parameters", {"query": {"a": "1"}}, ["/?a=2&a=1"], ["/?a=2"]),
    ("a path in the query", {"query": {"/shop/*": True}}, ["/?/shop/7", "/?a=1&%2fShop%2F7", "/?/shop/7="], ["/?/shop", "/?/shop/7/8", "/?/news/7", "/?a=/shop/7", "/"]),
    ("and all below", {"query": {"shop/*/**": True}}, ["/?shop/7", "/?shop/7/8"], ["/?shop", "/?/shop/7"]),
    ("a path in the query with a number", {"query": {"/shop/<7-12>": True}}, ["/?/shop/8"], ["/?/shop/6", "/?/shop/x"]),
    ("no such path in the query", {"query": {"/shop/*": False}}, ["/", "/?/news/7", "/?a=1"], ["/?/shop/7"]),
    ("a star in a name that is no path", {"query": {"sh*p": True}}, ["/?sh*p"], ["/?shop"]),
    ("path and query", {"path": "/x", "query": {"a": True, "b": False}}, ["/x?a=1"], ["/x?a=1&b=1", "/y?a=1", "/x"]),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "yes", "no"), [pytest.param(*row[1:], id=row[0]) for row in CONDITIONS])
def test_conditions(condition: dict[str, Any], yes: list[str], no: list[str]) -> None:
    n = Normalizer({"site": {"a.example": {"where": [{**condition, "skip": True}]}}}, preset="safe")
    assert {target: n.decide(f"http://a.example{target}").skip for target in (*yes, *no)} == {
        **dict.fromkeys(yes, True),
        **dict.fromkeys(no, False),
    }


# --- fixpoint -----------------------------------------------------------------------------------------------------------------


def test_a_condition_sees_what_other_rules_have_made() -> None:
    where = [{"query": {"p": True}, "remove_params": ["s"]}]
    n = Normalizer({"site": {"a.example": {"rename_params": {"page_id": "p"}, "where": where}}}, preset="safe")
    assert n.key("http://a.example/?page_id=7&s=1") == "http://a.example/?p=7"


def test_where_tables_that_undo_each_other_are_left_out_and_counted() -> None:
    where = [
        {"path": "/a", "rewrite": [{"pattern": "^/a$", "replace": "/b"}]},
        {"path": "/b", "rewrite": [{"pattern": "^/b$", "replace": "/a"}]},
    ]
    n = Normalizer({"site": {"a.example": {"remove_params": ["x"], "where": where}}}, preset="safe")
    assert n.key("http://a.example/a?x=1") == "http://a.example/a"
    assert n.normalize("http://a.example/b?x=1") == "http://a.example/b"
    assert n.counts["unstable"] >= 2
    assert any("settle" in note for note in n.explain("http://a.example/a?x=1").notes)


def test_host_rules_that_undo_each_other_are_left_out() -> None:
    n = Normalizer({"site": {"a.example": {"www": "add"}, "www.a.example": {"www": "remove"}}}, preset="safe")
    assert n.key("http://a.example/") == "http://a.example/"
    assert n.key("http://www.a.example/") == "http://www.a.example/"


def test_host_rules_that_undo_each_other_are_counted() -> None:
    n = Normalizer({"site": {"a.example": {"www": "add"}, "www.a.example": {"www": "remove"}}}, preset="safe")
    n.key("http://a.example/")
    assert n.counts["unstable"]


def test_aliases_in_a_circle_are_refused() -> None:
    (problem,) = problems_of(
        {"site": {"a.example": {"host_aliases": ["b.example"]}, "b.example": {"host_aliases": ["a.example"]}}}
    )
    assert "circle" in problem.message
    assert problem.key == "host_aliases"


def test_aliases_that_grow_are_refused() -> None:
    (problem,) = problems_of({"rules": {"host_aliases": {"*.a.example": "*.m.a.example"}}})
    assert "circle" in problem.message


# --- digest -------------------------------------------------------------------------------------------------------------------

RULES: dict[str, Any] = {
    "preset": "safe",
    "rules": {"remove_params": ["a", {"name": "b", "value": r"\d+"}], "www": "remove"},
    "site": {"a.example": {"default_params": {"p": "1", "q": "2"}, "where": [{"path": "/x", "remove_query": True}]}},
}


def changed(path: str, value: Any) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(RULES))
    at: Any = copy
    *steps, last = path.split("/")
    for step in steps:
        at = at[int(step)] if isinstance(at, list) else at.setdefault(step, {})
    at[int(last) if isinstance(at, list) else last] = value
    return copy


EQUAL_DIGESTS = {
    "keys in another order": dict(reversed([(k, dict(reversed(v.items())) if isinstance(v, dict) else v) for k, v in RULES.items()])),
    "why of a name": changed("rules/remove_params/1", {"name": "b", "value": r"\d+", "why": "said so"}),
    "examples": changed("site/a.example/examples", [["/", "/?p=1"]]),
    "examples under where": changed("site/a.example/where/0/distinct", [["/x", "/y"]]),
    "evidence": {**RULES, "version": 1},
}  # fmt: skip
OTHER_DIGESTS = {
    "another name": changed("rules/remove_params/0", "c"),
    "another value pattern": changed("rules/remove_params/1", {"name": "b", "value": r"\w+"}),
    "another choice": changed("rules/www", "add"),
    "another site": {**RULES, "site": {"b.example": RULES["site"]["a.example"]}},
    "a host instead of a site": {"preset": "safe", "rules": RULES["rules"], "host": RULES["site"]},
    "another path": changed("site/a.example/where/0/path", "/y"),
    "another condition": changed("site/a.example/where/0/query", {"a": True}),
    "another preset": {**RULES, "preset": "recommended"},
    "one table fewer": {"preset": "safe", "rules": RULES["rules"]},
    "a name more": changed("rules/remove_params", [*RULES["rules"]["remove_params"], "z"]),
}


@pytest.mark.parametrize("rules", EQUAL_DIGESTS.values(), ids=EQUAL_DIGESTS)
def test_the_digest_stays(rules: dict[str, Any]) -> None:
    assert RuleSet.load(rules).digest() == RuleSet.load(RULES).digest()


@pytest.mark.parametrize("rules", OTHER_DIGESTS.values(), ids=OTHER_DIGESTS)
def test_the_digest_changes(rules: dict[str, Any]) -> None:
    assert RuleSet.load(rules).digest() != RuleSet.load(RULES).digest()


def test_the_digest_is_short_text() -> None:
    assert re.fullmatch("[0-9a-f]{16,64}", RuleSet.load(RULES).digest())


# --- written down again, and many tables -----------------------------------------------------------------------------------------


def test_a_rule_set_written_down_says_the_same() -> None:
    ruleset = RuleSet.load(RULES, {"site": {"a.example": {"remove_params": ["z"]}}})
    again = RuleSet.load(ruleset.to_dict())
    for url in ("http://www.a.example/?a=1&b=2&z=3&p=1", "http://a.example/x?y=1", "http://b.example/?b=x&z=1"):
        assert Normalizer(again).decide(url) == Normalizer(ruleset).decide(url)


def test_twenty_thousand_sites() -> None:
    tables = {f"s{n}.example": {"www": "remove", "remove_params": ["sid"]} for n in range(20_000)}
    n = Normalizer({"site": tables}, preset="safe")
    assert n.key("http://www.s19999.example/?sid=1&a=2") == "http://s19999.example/?a=2"
    assert n.key("http://www.s20000.example/?sid=1") == "http://www.s20000.example/?sid=1"
    # equal tables share what they compile to
    assert len({id(layer.body) for layers in n.ruleset.sites.values() for layer in layers}) == 1


@pytest.mark.parametrize("scope", ["site", "host"])
@pytest.mark.parametrize("name", ["shop.example", "shop.example."])
@pytest.mark.parametrize("host", ["shop.example", "shop.example."])
def test_the_dot_of_a_full_name_is_written_or_not(scope: str, name: str, host: str) -> None:
    normalizer = Normalizer({scope: {name: {"remove_params": ["sid"]}}})
    assert normalizer.key(f"http://{host}/p?sid=1") == f"http://{host}/p"
