"""The documentation is executed: the tutorial as a whole; on every page sessions, rule files, names, commands."""

from __future__ import annotations

import doctest
import functools
import os
import re
import shlex
import socket
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.crawl.settings import META, SETTINGS, STATS
from scrapy_urinorm.rules import CATALOGUE

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
TUTORIAL = DOCS / "tutorial.md"
#: Generated pages have a test of their own (tests/cli), and so has the walk through the commands.
PAGES = sorted(
    path for path in DOCS.rglob("*.md") if not {"_build", "reference"} & set(path.parts) and path.name != "cli.md"
)
_BLOCK = re.compile(
    r"^(?P<fence>```+)(?:\{code-block\} )?(?P<language>\w*)\n(?::caption: (?P<caption>[^\n]+)\n)?"
    r"(?P<text>.*?)^(?P=fence)$",
    re.M | re.S,
)


def relative(page: Path) -> str:
    return str(page.relative_to(DOCS))


class Block(NamedTuple):
    page: Path
    language: str
    caption: str
    text: str
    line: int

    @property
    def name(self) -> str:
        return f"{relative(self.page)}:{self.line}"


def blocks(page: Path, *languages: str) -> Iterator[Block]:
    text = page.read_text("utf-8")
    for found in _BLOCK.finditer(text):
        if found["language"] in languages:
            line = text.count("\n", 0, found.start()) + 1
            yield Block(page, found["language"], found["caption"] or "", found["text"], line)


def of_all_pages(*languages: str) -> list[Any]:
    return [pytest.param(block, id=block.name) for page in PAGES for block in blocks(page, *languages)]


def commands(block: Block) -> Iterator[str]:
    """The commands of a console block, continuation lines joined; comments and pipes left out."""
    for line in block.text.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            for part in re.split(r"\s(?:\||&&|;)\s|\s#\s", line.removeprefix("$ ").strip()):
                yield part.strip()


# ---------------------------------------------------------------------- every page


@pytest.mark.parametrize("page", [page for page in PAGES if ">>> " in page.read_text("utf-8")], ids=relative)
def test_python_session(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sessions of a page are one session."""
    monkeypatch.chdir(tmp_path)
    text = "\n".join(block.text for block in blocks(page, "python") if ">>>" in block.text)
    test = doctest.DocTestParser().get_doctest(text, {}, relative(page), str(page), 0)
    output: list[str] = []
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=output.append)
    assert results.attempted > 0
    assert results.failed == 0, "".join(output)


# what has a caption is a script for a package that few have: tests/test_columns.py runs it
@pytest.mark.parametrize(
    "block",
    [one for one in of_all_pages("python") if ">>>" not in one.values[0].text and not one.values[0].caption],
)
def test_python_runs(block: Block) -> None:
    """Settings and spiders: they compile, and what they import is there."""
    space: dict[str, Any] = {"__name__": "documentation"}
    exec(compile(block.text, block.name, "exec"), space)
    unknown = {name for name in space if name.startswith("URINORM_")} - SETTINGS.keys()
    assert not unknown


@pytest.mark.parametrize("block", of_all_pages("toml"))
def test_rule_file_loads_and_its_examples_hold(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for other in re.findall(r'"([\w/.-]+\.toml)"', block.text):
        path = tmp_path / other
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('[rules]\nremove_params = ["ref"]\n', encoding="utf-8")
    path = tmp_path / "urinorm.toml"
    path.write_text(block.text, encoding="utf-8")
    assert Normalizer(path).ruleset.count() or "preset" in block.text or "[[evidence]]" in block.text


@functools.cache
def _root() -> Any:
    with warnings.catch_warnings():
        # the oldest typer beside a click that deprecates what it imports
        warnings.simplefilter("ignore", DeprecationWarning)
        import typer

        from scrapy_urinorm.cli import app
    return typer.main.get_command(app)


def _leaf(words: list[str]) -> tuple[Any, list[str]]:
    command = _root()
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
    return command, words


@pytest.mark.parametrize("block", of_all_pages("console", "sh", "bash"))
def test_commands_exist(block: Block) -> None:
    for line in commands(block):
        words = shlex.split(line, comments=True)
        if words[:2] == ["scrapy", "urinorm"]:
            words = words[2:]
            words = words[2:] if words[0] == "--spider" else words
        elif words[:1] == ["urinorm"]:
            words = words[1:]
        elif words[:1] == ["make"]:
            assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text("utf-8"), re.M), line
            continue
        elif words[:1] == ["python"] and "/" in words[1]:
            assert (ROOT / words[1]).exists(), line
            continue
        else:
            continue
        command, rest = _leaf(words)
        assert not getattr(command, "commands", None), f"{line}: there is no such command"
        known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        given = {word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
        assert given <= known, line


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_names_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    known = {*SETTINGS, "URINORM_KILLS", "URINORM_PLATFORM_TABLE", "URINORM_PURE", "URINORM_TESTBED"}
    assert set(re.findall(r"\bURINORM_[A-Z_]+\b", text)) <= known
    stats = {stat.partition("RULE")[0] for stat in STATS} | {f"urinorm/filtered/{rule}" for rule in CATALOGUE}
    named = set(re.findall(r"`(urinorm/[a-z_/]+)`", text))
    assert {name for name in named if not name.startswith(("urinorm/seen/", "urinorm/visits/"))} <= stats
    assert set(re.findall(r'meta\["(urinorm\w*)"\]', text)) <= META.keys()


@functools.cache
def anchors(page: Path) -> set[str]:
    """What the headings of a page are linked to by: GitHub's rule, which is also that of MyST."""
    found: Counter[str] = Counter()
    out = set()
    for heading in re.findall(r"^#{1,6} (.+)$", _BLOCK.sub("", page.read_text("utf-8")), re.M):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w -]", "", shown).strip().replace(" ", "-")
        out.add(f"{anchor}-{found[anchor]}" if found[anchor] else anchor)
        found[anchor] += 1
    return out


#: Generated pages, and those beside `docs`, too: who reads the repository on GitHub follows links there.
LINKING = sorted(
    path
    for path in [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "example_project").rglob("*.md")]
    if "_build" not in path.parts
)


@pytest.mark.parametrize("page", LINKING, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_headings(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", _BLOCK.sub("", page.read_text("utf-8")))
    for target, anchor in links:
        if not re.match(r"https?://|mailto:", target):
            other = page.parent / target if target else page
            assert other.exists(), target
            if anchor and other.suffix == ".md":
                assert anchor in anchors(other), f"{target}#{anchor}"


# ---------------------------------------------------------------------- the tutorial


class Newcomer:
    """Does what a page says, in a folder of its own, on a free port."""

    def __init__(self, folder: Path):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = str(probe.getsockname()[1])
        self.folder = folder
        self.servers: list[subprocess.Popen[str]] = []
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8", "COLUMNS": "200", "NO_COLOR": "1"}
        self.environment.pop("SCRAPY_SETTINGS_MODULE", None)

    def save(self, name: str, text: str) -> None:
        with (self.folder / name).open("a" if name.endswith("settings.py") else "w", encoding="utf-8") as file:
            file.write(text.replace("8000", self.port))

    def enter(self, command: str) -> str:
        if command.startswith("pip "):
            return ""
        if command.startswith("cd "):
            self.folder /= command[3:]
            return ""
        arguments: Any = {"cwd": self.folder, "env": self.environment, "text": True, "encoding": "utf-8"}
        if command == "python shop.py":
            server = subprocess.Popen([sys.executable, "shop.py"], stdout=subprocess.PIPE, **arguments)
            self.servers.append(server)
            assert server.stdout is not None
            line: str = server.stdout.readline()
            return line
        command = command.replace("8000", self.port)
        done = subprocess.run(
            ["/bin/bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **arguments
        )
        assert done.returncode == 0, f"{command}: {done.stdout}"
        return str(done.stdout)

    def leave(self) -> None:
        for server in self.servers:
            server.kill()
            server.communicate()


@pytest.mark.slow
def test_tutorial(tmp_path: Path) -> None:
    newcomer = Newcomer(tmp_path)
    followed = 0
    try:
        for block in blocks(TUTORIAL, "python", "toml", "console"):
            if block.language != "console":
                newcomer.save(block.caption, block.text)
                continue
            for command, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", block.text, re.M):
                printed = newcomer.enter(command)
                at = 0
                for line in shown.splitlines():
                    line = line.replace("8000", newcomer.port)
                    at = printed.find(line, at)
                    assert at >= 0, f"{command}: no {line!r} in\n{printed}"
                    followed += 1
    finally:
        newcomer.leave()
    assert followed > 10
