"""`unique`, `sample` and `--version`: one URL of each page, some of each template, and what runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm import Normalizer, parser
from scrapy_urinorm.cli.unique import folded, template_of
from tests.cli.programs import on_terminal, run

if TYPE_CHECKING:
    from pathlib import Path

RULES = """\
[site."a.example"]
remove_params = ["ref"]
scheme = "https"

[[site."a.example".where]]
path = "/trap/**"
skip = true
"""
URLS = """\
http://a.example/p/1?ref=mail&utm_source=x
https://a.example/p/1?ref=2
http://a.example/p/1
https://a.example/p/2
http://a.example/img/3.JPG

http://a.example/trap/7
http://a.example/p/2
https://a.example/p/1
"""
CHOICES = {
    "first": ["http://a.example/p/1?ref=mail&utm_source=x", "https://a.example/p/2"],
    "shortest": ["http://a.example/p/1", "http://a.example/p/2"],
    "https": ["https://a.example/p/1?ref=2", "https://a.example/p/2"],
    "canonical": ["https://a.example/p/1", "https://a.example/p/2"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rules.toml").write_text(RULES)
    (tmp_path / "urls.txt").write_text(URLS)
    return tmp_path


@pytest.mark.parametrize(("prefer", "expected"), CHOICES.items(), ids=CHOICES)
def test_one_of_each_page_in_order(prefer: str, expected: list[str], folder: Path) -> None:
    done = run("unique", "--rules", "rules.toml", "--prefer", prefer, "--no-ext", "jpg,.png", "urls.txt", cwd=folder)
    assert done.code == 0
    assert done.out.splitlines() == expected
    assert done.err == "urinorm: 2 pages of 9 lines; 1 not asked for; 1 never requested (skip)\n"


FILTERS = {
    "an extension": (("--ext", "jpg"), ["http://a.example/img/3.JPG"]),
    "no extension": (("--no-ext", ".jpg", "--path", "/img/**"), []),
    "a path": (("--path", "/p/*"), ["http://a.example/p/1?ref=mail&utm_source=x", "https://a.example/p/2"]),
    "no path": (("--no-path", "/p/**"), ["http://a.example/img/3.JPG"]),
    "a number": (("--path", "/p/<2->"), ["https://a.example/p/2"]),
    "several": (("--path", "/p/2", "--path", "/img/**"), ["https://a.example/p/2", "http://a.example/img/3.JPG"]),
}


@pytest.mark.parametrize(("options", "expected"), FILTERS.values(), ids=FILTERS)
def test_filters(options: tuple[str, ...], expected: list[str], folder: Path) -> None:
    assert run("unique", "--rules", "rules.toml", *options, "urls.txt", cwd=folder).out.splitlines() == expected


def test_a_glob_that_is_none(folder: Path) -> None:
    done = run("unique", "--path", "p/*", "urls.txt", cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert "'p/*' is not a path glob: it begins with /" in done.err


def test_no_such_preference(folder: Path) -> None:
    done = run("unique", "--prefer", "longest", "urls.txt", cwd=folder)
    assert done.code == 2
    assert "there is no preference 'longest': first, shortest, https, canonical" in done.err


@given(st.lists(st.sampled_from(URLS.split()), max_size=30))
def test_no_page_is_lost_and_none_is_there_twice(urls: list[str]) -> None:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as name:
        done = run("unique", "-", cwd=Path(name), given="".join(f"{url}\n" for url in urls))
    keys = [Normalizer().key(url) for url in done.out.splitlines()]
    assert keys == list(dict.fromkeys(map(Normalizer().key, urls)))


FOLDED = {
    "7": "{n}", "page-12": "page-{n}", "2024-05-31": "{date}", "20240531": "{date}", "2024-13-40": "{n}-{n}-{n}",
    "6f9619ff-8b86-d011-b42d-00cf4fc964ff": "{guid}", "6F9619FF8B86D011B42D00CF4FC964FF": "{guid}",
    "9e107d9d372bb682": "{hex}", "facade": "facade", "deadbeef": "deadbeef", "12345678": "{n}",
    "dQw4w9WgXcQaB3dE5f": "{id}", "A-long-title-of-2-words": "A-long-title-of-{n}-words", "": "",
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FOLDED.items())
def test_what_is_folded(text: str, expected: str) -> None:
    assert folded(text) == expected


def test_templates() -> None:
    url = "http://a.example/p/7/x?b=2&a=word&a=3"
    assert template_of(url) == "a.example/p/{n}/x?a=word&a={n}&b={n}"
    assert template_of(url, names_alone=True) == "a.example/p/{n}/x?a&b"
    assert template_of("no URL") == "no URL"


def test_sample(folder: Path) -> None:
    lines = [f"http://a.example/p/{n}?colour={c}" for n in range(20) for c in ("red", "blue")]
    given_ = "".join(f"{line}\n" for line in lines)
    for options, expected in (
        ((), lines[:2]),
        (("--per-template", "3"), [lines[0], lines[1], lines[2], lines[3], lines[4], lines[5]]),
        (("--names",), lines[:1]),
        (("--names", "-k", "4"), lines[:4]),
    ):
        done = run("sample", *options, "-", cwd=folder, given=given_)
        assert (done.code, done.out.splitlines()) == (0, expected)


def test_version_says_what_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from scrapy_urinorm.engine import native

    for module, words in ((object(), "the module in C"), (None, "pure Python")):
        monkeypatch.setattr(native, "module", module)
        said = run("--version", cwd=folder).out
        assert f"normalizes by  {words}" in said
    assert said.startswith("urinorm ")
    assert all(name in said for name in parser.PACKAGES)
    assert "[learn]" in said


COMPLETED = {
    "a rule": ("rules remove_p", "remove_params"),
    "a preset": ("normalize --preset rec", "recommended"),
    "a format": ("normalize --format parq", "parquet"),
    "an engine": ("learn --engine a", "auto"),
    "a family": ("learn --families pa", "parameters"),
    "a preference": ("unique --prefer ca", "canonical"),
    "a rule of groups": ("groups --rule dir", "directory_index"),
    "a command": ("uni", "unique"),
}


@pytest.mark.parametrize(("typed", "offered"), COMPLETED.values(), ids=COMPLETED)
def test_completion(typed: str, offered: str, folder: Path) -> None:
    line = f"urinorm {typed}"
    asked = {
        "_URINORM_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1),
        "_TYPER_COMPLETE_ARGS": line,
    }  # fmt: skip
    assert offered in run(cwd=folder, given="", program=None, **asked).out.split()


def test_rules_at_60_columns(folder: Path) -> None:
    shown = on_terminal("rules", cwd=folder, COLUMNS="60")
    lines = re.sub("\x1b\\[[0-9;]*m", "", shown).splitlines()
    assert max(map(len, lines)) <= 60
    assert any(line.startswith("remove_params  (query, lossy)") for line in lines)


def test_a_person_is_told_what_to_do_next(folder: Path) -> None:
    shown = re.sub("\x1b\\[[0-9;]*m|\\s+", " ", on_terminal("init", "urls.txt", "-o", "new.toml", cwd=folder))
    assert "next: remove the # from the lines that are right, then" in shown
    assert "next:" not in run("init", "urls.txt", "-o", "other.toml", cwd=folder).out
