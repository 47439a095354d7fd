"""What the commands say that set URLs, or rules, beside each other: explain, groups, diff."""

# ruff: noqa: E501  a row of a table is a line
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request

from scrapy_urinorm import Normalizer
from scrapy_urinorm.cli import groups
from scrapy_urinorm.cli.project import ChosenRules
from scrapy_urinorm.crawl.fingerprinter import RequestFingerprinter
from tests.cli.programs import SCRAPY, json_lines, run

if TYPE_CHECKING:
    from pathlib import Path

# --- explain ----------------------------------------------------------------------------------------------------------


def test_explain_json(folder: Path) -> None:
    done = run("explain", "--json", "--rules", "rules.toml", "http://u:secret@www.shop.example/?ref=1", cwd=folder)
    (row,) = json_lines(done.out)
    assert row["key"] == row["canonical"] == "http://shop.example/"
    assert [(step["rule"], step["source"].rpartition(":")[2]) for step in row["steps"]] == [
        ("www", "3"),
        ("remove_params", "4"),
    ]
    assert "secret" not in done.out


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("sid=1", "u.toml:2"),
        ("utm_source=1", "preset recommended@2"),
        ("q=1", "u.toml:5"),
        ("q=1&sid=1", "u.toml:5, u.toml:2"),
    ],
)
def test_explain_names_the_tables_that_act(query: str, places: str, tmp_path: Path) -> None:
    """A list is put together from several tables: those whose entries change this URL are named."""
    rules = '[site."a.example"]\nremove_params = ["sid"]\n[[site."a.example".where]]\npath = "/größe/*"\nremove_params = ["q"]'
    (tmp_path / "u.toml").write_text(rules, "utf-8")
    done = run("explain", "--json", "--rules", "u.toml", f"http://a.example/größe/x?{query}", cwd=tmp_path)
    (row,) = json_lines(done.out)
    assert [step["source"] for step in row["steps"]] == [places]


@pytest.mark.parametrize("program", [None, pytest.param(SCRAPY, id="scrapy urinorm")])
def test_fingerprint_is_that_of_the_crawl(program: list[str] | None, tmp_path: Path) -> None:
    urls = [
        "http://a.example/?utm_source=1&b=2&a=1",
        "http://faß.de/",
        "http://a.example/a b?ü",
        "HTTP://A.example:80",
        "http://a.example/\\x",
    ]
    done = run("explain", "--json", *urls, cwd=tmp_path, program=program)
    requests = [Request(url) for url in urls]
    assert [(row["url"], row["fingerprint"]) for row in json_lines(done.out)] == [
        (request.url, RequestFingerprinter().fingerprint(request).hex()) for request in requests
    ]


AGAINST = {
    "one page": ("http://a.example/?b=1&a=2#x", "http://a.example/?a=2&b=1&utm_source=x", 0, []),
    "host": ("http://a.example/", "http://b.example/", 1, ["host: a.example and b.example"]),
    "scheme and port": ("http://a.example:8080/", "https://a.example/", 1, ["scheme: http and https", "port: 8080 and none"]),
    "path": ("http://a.example/x", "http://a.example/X", 1, ["path: /x and /X"]),
    "parameters": (
        "http://a.example/?a=1&c=3", "http://a.example/?a=2&b=x%20y&b=z", 1,
        ["parameter a: '1' and '2'", "parameter c: '3' and absent", "parameter b: absent and 'x y' + 'z'"],
    ),
    "user": ("http://u@a.example/", "http://v@a.example/", 1, ["user name or password"]),
}  # fmt: skip


@pytest.mark.parametrize(("one", "other", "code", "differences"), AGAINST.values(), ids=AGAINST)
def test_explain_against(one: str, other: str, code: int, differences: list[str], folder: Path) -> None:
    done = run("explain", one, "--against", other, "--json", cwd=folder)
    (row,) = json_lines(done.out)
    assert done.code == code
    assert row["same"] is (code == 0)
    assert row["differences"] == differences


WHY_ONE = {
    "the preset's": (
        "", "a.example/?ref=c&id=1&utm_source=m", "a.example/?ref=c&id=1&utm_source=n", ["remove_params"],
        ['in [site."a.example"] write except_params = ["utm_source"]'],
    ),
    "what every key leaves out": (
        "", "a.example/?b=1&a=2#x", "a.example/?a=2&b=1", ["sort_query", "fragment"],
        ['in [site."a.example"] write sort_query = "off"', 'in [site."a.example"] write fragment = "keep"'],
    ),
    "nothing": ("", "a.example/%7ex", "a.example/~x", [], []),
    "a word": (
        '[site."a.example"]\nwww = "remove"', "www.a.example/?utm_source=m", "a.example/?utm_source=m", ["www"],
        ['in [site."a.example"] (r.toml:1) write www = "keep"'],
    ),
    "true": (
        '[rules]\nlowercase_path = true', "a.example/A", "a.example/a", ["lowercase_path"],
        ['in [site."a.example"] write lowercase_path = false'],
    ),
    "what a part of a site says after the site": (
        '[[site."a.example".where]]\npath = "/x"\nremove_params = ["b"]', "a.example/x?b=1", "a.example/x?b=2",
        ["remove_params"],
        ["take it out of remove_params of site.\"a.example\" where path = '/x' (r.toml:3)"],
    ),
    "what is kept": (
        '[site."a.example"]\nkeep_params = ["id"]', "a.example/?id=1&c=1", "a.example/?id=1&c=2", ["keep_params"],
        ['in [site."a.example"] (r.toml:1) write keep_params = ["id", "c"]'],
    ),
    "a default": (
        '[site."a.example"]\ndefault_params = { page = "1" }', "a.example/?page=1", "a.example/", ["default_params"],
        ['take it out of default_params of site."a.example" (r.toml:2)'],
    ),
    "another host": (
        '[site."a.example"]\nhost_aliases = ["b.example"]', "b.example/", "a.example/", ["host_aliases"],
        ['take it out of host_aliases of site."a.example" (r.toml:2)'],
    ),
    "two of which one would do": (
        '[rules]\nremove_query = true', "a.example/?utm_source=1&c=1", "a.example/?utm_source=2&c=1",
        ["remove_params"], [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("rules", "one", "other", "by", "ways"), WHY_ONE.values(), ids=WHY_ONE)
def test_explain_names_what_makes_the_difference_and_how_to_undo_it(
    rules: str, one: str, other: str, by: list[str], ways: list[str], tmp_path: Path
) -> None:
    (tmp_path / "r.toml").write_text(rules, "utf-8")
    done = run("explain", f"https://{one}", "--against", f"https://{other}", "--rules", "r.toml", cwd=tmp_path)
    told = done.out[done.out.index("one page") :].splitlines()
    assert told[0] == f"one page, {'by ' + ', '.join(by) if by else 'without any rule'}"
    assert [line.strip() for line in told[2:]] == ways
    for way in ways:
        table, told_so, line = way.partition(" write ")
        if told_so:
            # a file that is read later has the last word, as what is written over a line has
            (tmp_path / "own.toml").write_text(f"{table.removeprefix('in ').partition(' (')[0]}\n{line}", "utf-8")
            both = ["--rules", "r.toml", "--rules", "own.toml"]
            assert run("explain", f"https://{one}", "--against", f"https://{other}", *both, cwd=tmp_path).code == 1


# --- groups, diff -----------------------------------------------------------------------------------------------------

SOME = "".join(
    f"http://shop.example/{path}\n"
    for path in ("", "?ref=1", "?ref=2", "#top", "?ref=1#x", "a?ref=1", "a", "b?x=1&y=2", "b?y=2&x=1", "c?ref=9")
)


def test_groups(folder: Path) -> None:
    rows = json_lines(run("groups", "--json", "--rules", "rules.toml", cwd=folder, given=SOME).out)
    assert [(row["key"], row["size"]) for row in rows] == [("http://shop.example/", 3), ("http://shop.example/a", 2)]
    assert rows[0]["urls"] == ["http://shop.example/", "http://shop.example/?ref=1", "http://shop.example/?ref=2"]
    assert {rule["rule"] for row in rows for rule in row["rules"]} == {"remove_params"}


def test_groups_names_the_rules_that_make_them(folder: Path) -> None:
    urls = (
        "http://a.example/?b=1&a=2&utm_source=1#x\nhttp://a.example/?utm_source=2&b=1&a=2\nhttp://a.example/?a=2&b=1\n"
    )
    (row,) = json_lines(run("groups", "--json", cwd=folder, given=urls).out)
    assert [rule["rule"] for rule in row["rules"]] == ["remove_params"]
    assert not json_lines(run("groups", "--json", "--rule", "sort_query", cwd=folder, given=urls).out)


def test_groups_of_a_list_that_repeats_itself(folder: Path) -> None:
    # several blocks, so that URLs come again when their groups are known
    again = SOME * (1_200_000 // len(SOME))
    alone = run("groups", "--json", "--rules", "rules.toml", cwd=folder, given=SOME)
    assert run("groups", "--json", "--rules", "rules.toml", cwd=folder, given=again).out == alone.out


@given(
    numbers=st.lists(st.lists(st.integers(0, 30), max_size=30), max_size=30),
    remembered=st.sampled_from([0, 1, 5, 20, groups._REMEMBERED]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_law_what_came_not_long_ago_is_counted_and_left_out(
    numbers: list[list[int]], remembered: int, end: str
) -> None:
    keys = groups._Keys(ChosenRules((), None))
    given: list[bytes] = []
    got: dict[bytes, bytes] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups, "_REMEMBERED", remembered)
        for block in numbers:
            urls = [f"http://a.example/?b={n}&a=é" if n else "" for n in block]
            left, made, counts = keys("".join(url + end for url in urls).encode())
            assert counts["lines"] == len(urls) - urls.count("")
            given += [url.encode() for url in urls if url]
            assert left == [url for url in left if url in given]
            got.update(zip(left, made, strict=True))
    assert list(got) == list(dict.fromkeys(given)), "every one, in the order in which it came first"
    assert got == {url: Normalizer().key(url.decode()).encode() for url in given}


def test_groups_of_a_rule(folder: Path) -> None:
    done = run("groups", "--json", "--rule", "www", "--rules", "rules.toml", cwd=folder, given=SOME)
    assert done.out == ""
    done = run("groups", "--json", "--limit", "1", "--examples", "2", "--rules", "rules.toml", cwd=folder, given=SOME)
    (row,) = json_lines(done.out)
    assert (row["size"], len(row["urls"])) == (3, 2)


def test_diff(folder: Path) -> None:
    (folder / "new.toml").write_text('[site."shop.example"]\nremove_params = ["x"]\n', encoding="utf-8")
    done = run("diff", "--json", "rules.toml", "new.toml", cwd=folder, given=SOME)
    (row,) = json_lines(done.out)
    assert done.code == 1
    assert (row["urls"], row["changed"]) == (10, 7)
    assert (row["pages_before"], row["pages_after"]) == (4, 7)
    assert (row["merged"]["pairs"], row["split"]["pairs"]) == (0, 3)
    names = {entry["rule"].partition(" ")[0] for entry in row["rules"]}
    assert names == {"remove_params"}


def test_diff_merges(folder: Path) -> None:
    given = "http://a.example/\nhttp://a.example/?id=1\nhttp://a.example/?id=2\nhttp://a.example/?id=1&z=1\nhttp://b.example/?id=1\n"
    (folder / "old.toml").write_text("")
    (folder / "new.toml").write_text('[site."a.example"]\nremove_params = ["id"]\n')
    (row,) = json_lines(run("diff", "--json", "old.toml", "new.toml", cwd=folder, given=given).out)
    assert row["changed"] == 3
    assert row["merged"]["pairs"] == 2
    assert row["split"]["pairs"] == 0
    assert [(r["urls"], r["merges"], r["splits"]) for r in row["rules"]] == [(3, 2, 0)]


def test_diff_of_verdicts(folder: Path) -> None:
    (folder / "new.toml").write_text('[site."shop.example"]\nwww = "remove"\nremove_params = ["ref"]\n')
    given = "http://shop.example/calendar/2001\nhttp://shop.example/\n"
    (row,) = json_lines(run("diff", "--json", "rules.toml", "new.toml", cwd=folder, given=given).out)
    assert row["changed"] == 0
    urls = ["http://shop.example/calendar/2001"]
    assert row["verdicts"] == [{"change": "skip -> request", "urls": 1, "examples": urls}]
    done = run("diff", "new.toml", "rules.toml", cwd=folder, given=given)
    assert done.code == 1
    assert "request -> skip: 1 URL" in done.out


def test_diff_of_equal_rules(folder: Path) -> None:
    done = run("diff", "rules.toml", "rules.toml", cwd=folder, given=SOME)
    assert done.code == 0
    assert done.out.startswith("10 URLs, 0 with another key; 4 pages before, 4 after")


def test_a_table_of_many_paths_is_named_by_a_few(folder: Path) -> None:
    """A pack has up to 29 paths in one table, and the line of the rule stands beside it."""
    (folder / "r.toml").write_text('[site."a.example"]\nplatform = "logins"\n', encoding="utf-8")
    done = run("explain", "http://a.example/login?next=/7", "--rules", "r.toml", cwd=folder)
    (line,) = [line for line in done.out.splitlines() if "remove_params" in line]
    assert "where path = ['/**/login', '/**/login/', '/**/login.*' and 26 more] (platform logins:20)" in line
