"""A rule is declared in one place, and the whole house knows it: these are declared here, for the time of a test."""

from __future__ import annotations

import json
import re
import runpy
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.cli import main
from scrapy_urinorm.rewriting import Rewriter
from scrapy_urinorm.rules import CATALOGUE, Stage, path
from scrapy_urinorm.rules.declaration import LOSSY, forget, rule
from scrapy_urinorm.rules.kinds import Choice, Flag, Names, NameTable
from scrapy_urinorm.rulesets.schema import rule_file_schema
from scrapy_urinorm.url import Item, decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
INERT = ("off", "on")


def declare_query_rule() -> None:
    @rule(
        LOSSY, "http://a.example/?t=b", "http://a.example/?t=B",
        stage=Stage.ITEMS, kind=Names(), value=["t"], act={"each": True},
    )  # fmt: skip
    def toy_upper(items: list[Item], *, names: NameTable) -> list[Item]:
        """Write the values of the named parameters in capitals."""
        return [(n, v.upper() if names[decoded(n)] else v) for n, v in items]


def declare_rule_on_all_items() -> None:
    @rule(LOSSY, "http://a.example/?a=1", "http://a.example/?a=1&toy=1", stage=Stage.ITEMS, kind=Flag(), value=True)
    def toy_present(items: list[Item], *, on: bool) -> list[Item]:
        """Say so in a parameter."""
        return items if ("toy", "1") in items else [*items, ("toy", "1")]


def declare_path_rule() -> None:
    @rule(
        LOSSY, "http://a.example/toy/p", "http://a.example/p",
        stage=Stage.PATH, kind=Choice(INERT, inert="off"), value="on",
    )  # fmt: skip
    def toy_path(path: str, *, mode: str) -> str:
        """Remove a first segment that says toy."""
        return path.removeprefix("/toy") or "/" if path == "/toy" or path.startswith("/toy/") else path


def declare_host_rule() -> None:
    @rule(
        LOSSY, "http://toy.a.example/p", "http://a.example/p",
        stage=Stage.HOST, kind=Flag(), value=True, scope="site",
    )  # fmt: skip
    def toy_host(host: str, *, on: bool) -> str:
        """Remove a first label that says toy."""
        return host.removeprefix("toy.")


def declare_rule_of_contributing() -> None:
    words = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Adding a rule")[2]
    code = re.search(r"```python\n(.*?)```", words, re.DOTALL)
    assert code is not None
    assert "In `path.py`" in words
    exec(textwrap.dedent(code[1]), {**vars(path)})


TOYS: dict[str, Callable[[], None]] = {
    "a rule on the query": declare_query_rule,
    "a rule on the query that asks for every URL": declare_rule_on_all_items,
    "a rule on the path": declare_path_rule,
    "a rule on the host": declare_host_rule,
    "the rule of CONTRIBUTING": declare_rule_of_contributing,
}


@pytest.fixture(params=[*TOYS.values()], ids=[*TOYS])
def toy(request: pytest.FixtureRequest) -> Iterator[Any]:
    before = set(CATALOGUE)
    request.param()
    (name,) = CATALOGUE.keys() - before
    yield CATALOGUE[name]
    forget(name)
    assert CATALOGUE.keys() == before


@pytest.fixture(params=["in C where it is built", "by the loop"])
def normalizer(toy: Any, request: pytest.FixtureRequest) -> Normalizer:
    made = Normalizer({"preset": "safe", "rules": {toy.name: toy.value}})
    if request.param == "by the loop":
        made.native = None
    return made


def test_runs_in_every_text(toy: Any, normalizer: Normalizer) -> None:
    bare = Normalizer(preset="safe")
    for url in (toy.before, toy.before, f"{toy.before}#top"):
        assert normalizer.key(url) == bare.key(toy.after) != bare.key(url)
    assert normalizer.normalize(toy.before) == toy.after
    assert normalizer.edit(toy.before) == toy.after
    block = f"{toy.before}\n".encode()
    assert normalizer.lines(block) == f"{toy.after}\n".encode()
    assert normalizer.lines(block, keys=True) == f"{bare.key(toy.after)}\n".encode()
    assert normalizer.decide(toy.before)[:2] == (toy.after, bare.key(toy.after))


def test_is_told(toy: Any, normalizer: Normalizer) -> None:
    told = normalizer.explain(toy.before)
    assert [step.rule for step in told.steps] == [toy.name]
    assert (told.steps[0].scope, told.key) == ("every site", normalizer.key(toy.after))
    assert normalizer.changed_by(toy.before) == (toy.name,)


def test_is_rewritten_on_request(toy: Any) -> None:
    rules = {"preset": "safe", "rules": {toy.name: toy.value, "rewrite_requests": [toy.name]}}
    assert Rewriter(Normalizer(rules)).rewrite(toy.before) == toy.after


def test_holds_where_it_is_said(toy: Any) -> None:
    if toy.may_stand_in(("path",)):
        where = {"path": "/**", toy.name: toy.value}
        assert (
            Normalizer({"preset": "safe", "site": {"a.example": {"where": [where]}}}).normalize(toy.before) == toy.after
        )
    other = Normalizer({"preset": "safe", "site": {"b.example": {toy.name: toy.value}}})
    assert other.normalize(toy.before) == toy.before


def toml(toy: Any) -> str:
    return f'preset = "safe"\n[rules]\n{toy.name} = {json.dumps(toy.value)}\n'


def test_commands_know_it(toy: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(toml(toy))
    assert main(["check", str(file)]) == 0
    file.write_text(toml(toy).replace(toy.name, toy.name + "x"))
    assert main(["check", str(file)]) != 0
    assert f"did you mean {toy.name!r}" in re.sub(r"\s+", " ", "".join(capsys.readouterr()))
    assert main(["rules", toy.name]) == 0
    assert toy.summary in re.sub(r"\s+", " ", capsys.readouterr().out)


def test_schema_and_documentation_know_it(toy: Any) -> None:
    properties = rule_file_schema()["$defs"]["table"]["properties"]
    assert toy.summary in properties[toy.name]["description"]
    assert f"### {toy.name}\n" in runpy.run_path(str(ROOT / "docs" / "generate_reference.py"))["rules"]()


def test_report_knows_it(toy: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow")
    rules, visits, page = (tmp_path / name for name in ("rules.toml", "visits.jsonl", "report.html"))
    rules.write_text(toml(toy))
    rows = ({"url": url, "status": 200, "body_digest": "0" * 32} for url in (toy.before, toy.after))
    visits.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["report", str(visits), "-o", str(page), "-r", str(rules), "--no-learn", "-j", "1"]) == 0
    assert toy.name in page.read_text("utf-8")
