"""Learning again keeps what earlier files know: nothing goes in silence, counts add up."""

from __future__ import annotations

import os
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.learn import Options, learn, learn_file, to_toml
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.visits.features import page_features
from scrapy_urinorm.visits.record import Visit
from tests.cli.programs import run
from tests.learn.sites import SITES, shop

ORIGIN = "http://shop.example"


def visit(path: str, page: str, crawl: str = "first") -> Visit:
    return Visit(url=ORIGIN + path, status=200, text_digest=page, words=200, crawl=crawl)


def crawl(name: str = "first", *, pages: int = 60, matters: bool = False) -> list[Visit]:
    """A shop where `ref` never matters, or always."""
    plain = [visit(f"/item/{n}", f"item {n}", name) for n in range(pages)]
    return plain + [visit(f"/item/{n}?ref={n % 7}", f"item {n}{' other' * matters}", name) for n in range(pages)]


def written(folder: Path, name: str, visits: list[Visit]) -> Path:
    path = folder / name
    path.write_text("".join(one.to_json() + "\n" for one in visits))
    return path


def rules(path: Path) -> dict[str, Any]:
    loaded = RuleSet.load(str(path)).to_dict()
    return {kind: loaded[kind] for kind in ("site", "host") if kind in loaded}


def rows(path: Path) -> list[dict[str, Any]]:
    return [row for row in tomllib.loads(path.read_text())["evidence"] if row["status"] == "active"]


@pytest.fixture
def learned(tmp_path: Path) -> Path:
    path = tmp_path / "learned.toml"
    learn_file([written(tmp_path, "first.jsonl", crawl())], path)
    assert Normalizer(str(path)).key(f"{ORIGIN}/item/1?ref=3") == f"{ORIGIN}/item/1"
    return path


def test_a_crawl_under_the_rules_takes_none_away(learned: Path, tmp_path: Path) -> None:
    """Under them nothing is met twice, so that nothing speaks for them any more."""
    before = rules(learned)
    for n in range(3):
        clean = [visit(f"/item/{i}?ref=1", f"item {i}", f"crawl {n}") for i in range(60)]
        learn_file([written(tmp_path, "next.jsonl", clean)], learned)
        assert rules(learned) == before


def test_visits_of_another_crawl_add_up_and_those_of_the_same_do_not(learned: Path, tmp_path: Path) -> None:
    (first,) = rows(learned)
    learn_file([tmp_path / "first.jsonl"], learned)
    assert rows(learned)[0]["support"] == first["support"] == 60
    learn_file([written(tmp_path, "second.jsonl", crawl("second"))], learned)
    assert rows(learned)[0]["support"] == 120
    assert rows(learned)[0]["crawls"] == ["first", "second"]


@pytest.mark.parametrize(
    "name", [name if name == "shop" else pytest.param(name, marks=pytest.mark.slow) for name in sorted(SITES)]
)
def test_the_loop_of_the_docs_loses_no_rule_and_doubles_none(name: str, tmp_path: Path) -> None:
    """Crawl, learn, include, three times: the later crawls fetch one address of each key, and none that is skipped."""
    visits = (shop(products=80) if name == "shop" else SITES[name]()).visits()
    path, files, found = tmp_path / "learned.toml", list[Path](), list[list[dict[str, Any]]]()
    for n in range(3):
        seen = Normalizer(str(path)) if path.exists() else Normalizer()
        first = {seen.key(one.url): one for one in reversed(visits) if not seen.verdict(one.url)[0]}
        crawled = [replace(one, crawl=f"crawl {n}") for one in reversed(first.values())]
        files.append(written(tmp_path, f"{n}.jsonl", crawled))
        learn_file(files, path, Options(jobs=1))
        found.append(rows(path))
    names = ("site", "rule", "value", "where")
    said = [[repr([row.get(name) for name in names]) for row in one] for one in found]
    assert all(len(set(one)) == len(one) for one in said), said
    assert said[0] or name == "docs"
    assert set(said[0]) <= set(said[1])
    assert set(said[1]) <= set(said[2])


def test_another_site_keeps_its_rules(learned: Path, tmp_path: Path) -> None:
    other = [Visit(url=one.url.replace("shop", "other"), status=200, text_digest="x", words=9) for one in crawl()]
    learn_file([written(tmp_path, "other.jsonl", other)], learned)
    (where,) = rules(learned)["site"]["shop.example"]["where"]
    assert where["remove_params"] == ["ref"]


def test_a_rule_that_visits_contradict_goes_with_a_word(learned: Path, tmp_path: Path) -> None:
    text = learned.read_text()
    changed = written(tmp_path, "changed.jsonl", crawl("second", matters=True))
    with pytest.raises(
        UrinormError, match=r"(?s)stays as it is, since 1 of its rules would go.*shop.example: remove_params"
    ):
        learn_file([changed], learned)
    assert learned.read_text() == text
    learn_file([changed], learned, force=True)
    assert "shop.example" not in rules(learned).get("site", {})


def test_an_empty_input_wipes_nothing(learned: Path, tmp_path: Path) -> None:
    text = learned.read_text()
    with pytest.raises(UrinormError, match="no visit to learn from"):
        learn_file([written(tmp_path, "empty.jsonl", [])], learned)
    assert learned.read_text() == text


def test_a_file_that_a_person_wrote_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "urinorm.toml"
    path.write_text('[site."a.example"]\nremove_params = ["x"]\n')
    with pytest.raises(UrinormError, match="without a row of evidence"):
        learn_file([written(tmp_path, "first.jsonl", crawl())], path)
    assert "a.example" in path.read_text()


def test_earlier_files_may_stand_among_the_visits(learned: Path, tmp_path: Path) -> None:
    clean = written(tmp_path, "clean.jsonl", [visit(f"/item/{i}", f"item {i}", "second") for i in range(60)])
    result, _ = learn_file([clean, learned], tmp_path / "new.toml", Options())
    assert [candidate.value for candidate in result.active] == [["ref"]]
    assert rules(tmp_path / "new.toml") == rules(learned)


def test_files_of_several_machines_become_one(learned: Path, tmp_path: Path) -> None:
    learn_file([learned], tmp_path / "all.toml")
    assert rules(tmp_path / "all.toml") == rules(learned)


@pytest.mark.parametrize("source", ["drop", "constant view"])
@pytest.mark.parametrize("supports", [(3, 900), (900, 3)])
def test_of_a_rule_that_several_files_know_the_row_with_most_evidence_stays(
    source: str, supports: tuple[int, ...], tmp_path: Path
) -> None:
    files = [tmp_path / f"{support}.toml" for support in supports]
    for path, support in zip(files, supports, strict=True):
        row = f'status = "active"\nsite = "shop.example"\nrule = "remove_params"\nvalue = ["ref"]\nsource = "{source}"'
        rule = '[site."shop.example"]\nremove_params = ["ref"]\n'
        path.write_text(f"{rule}[[evidence]]\n{row}\nsupport = {support}\n")
    learn_file(files, tmp_path / "all.toml")
    assert [row["support"] for row in rows(tmp_path / "all.toml")] == [900]


def test_what_is_made_of_learned_files_alone_is_said_to_be_of_these(learned: Path, tmp_path: Path) -> None:
    done = run("learn", str(learned), "--output", "all.toml", cwd=tmp_path)
    assert done.out.startswith("all.toml: 1 rule of earlier files, and no visits\n")


def test_a_file_that_includes_others_is_not_overwritten(learned: Path, tmp_path: Path) -> None:
    """All its rules have evidence, in the file that it includes; its own lines would be gone."""
    path = tmp_path / "urinorm.toml"
    path.write_text('include = ["learned.toml"]\n')
    with pytest.raises(UrinormError, match="includes other files"):
        learn_file([written(tmp_path, "second.jsonl", crawl("second"))], path)
    assert path.read_text() == 'include = ["learned.toml"]\n'


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes")
def test_a_pipe_has_no_earlier_rules(learned: Path, tmp_path: Path) -> None:
    """Who reads it waits for the rules, and nobody writes into it before."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as beside:
        read = beside.submit(pipe.read_text)
        learn_file([written(tmp_path, "first.jsonl", crawl())], pipe)
        assert tomllib.loads(read.result())["site"] == tomllib.loads(learned.read_text())["site"]
    assert pipe.is_fifo()


def test_visits_are_as_they_were_after_learning() -> None:
    def page(path: str, n: int) -> Visit:
        body = f"<h1>Item {n}</h1><p>Item {n} is made of {n} parts.</p>".encode()
        found = page_features(body, "text/html", "utf-8", ORIGIN + path)
        seen = visit(path, found.text_digest or "")
        return replace(seen, words=found.words, lines=found.lines, line_words=found.line_words, minhash=found.minhash)

    visits = [page(f"/item/{n}{ref}", n) for n in range(60) for ref in ("", "?ref=1", "?ref=22")]
    before = [one.to_json() for one in visits]
    first = learn(visits)
    assert first.active
    assert [one.to_json() for one in visits] == before
    assert to_toml(learn(visits)) == to_toml(first)
