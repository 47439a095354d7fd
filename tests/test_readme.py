"""The README is executed: its Python sessions, its settings, its rule file, its commands."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.utils.misc import load_object

from scrapy_urinorm import RuleSet
from scrapy_urinorm.extras import EXTRAS
from tests.cli.programs import run
from tests.serving import Serving

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


PYTHON = blocks("python")
COMMANDS = [line.removeprefix("$ ") for block in blocks("console") for line in block.splitlines()]


def test_all_blocks_are_of_a_language_tested_here() -> None:
    languages = re.findall(r"^```(\w*)$", README, flags=re.MULTILINE)
    assert set(languages) == {"", "console", "python", "toml"}


@pytest.mark.parametrize("session", [block for block in PYTHON if ">>>" in block])
def test_python_session(session: str) -> None:
    test = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    output: list[str] = []
    results = doctest.DocTestRunner().run(test, out=output.append)
    assert results.failed == 0, "".join(output)
    assert results.attempted > 0


def test_settings_name_an_addon() -> None:
    (source,) = [block for block in PYTHON if ">>>" not in block]
    settings: dict[str, Any] = {}
    exec(source, settings)
    (addon,) = settings["ADDONS"]
    assert callable(load_object(addon).update_settings)


@pytest.mark.parametrize("text", blocks("toml"))
def test_rule_file_loads(text: str, tmp_path: Path) -> None:
    path = tmp_path / "urinorm.toml"
    path.write_text(text, encoding="utf-8")
    assert RuleSet.load(path).digest() == RuleSet.load(tomllib.loads(text)).digest()


def test_links_lead_somewhere_on_an_index_too() -> None:
    """An index shows the README alone: a link of the repository leads nowhere there."""
    links = re.findall(r"\]\(([^)\s]+)\)", README)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    ours = {f"{project['urls']['Documentation']}page/": "docs", f"{project['urls']['Source']}/blob/main/": "."}
    assert [link for link in links if not link.startswith("https://")] == []
    found = [
        ROOT / folder / link.removeprefix(base).replace(".html", ".md")
        for link in links
        for base, folder in ours.items()
        if link.startswith(base)
    ]
    assert len(found) > 3
    assert [path for path in found if not path.exists()] == []


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = {command.split()[1] for command in COMMANDS if command.startswith("make ")}
    assert named == {"demo", "test"}
    assert named <= targets


def test_commands_exist() -> None:
    named = {command.split()[2] for command in COMMANDS if command.startswith("scrapy urinorm ")}
    assert named
    for command in sorted(named):
        assert run(command, "--help", cwd=ROOT).code == 0


def test_modules_by_which_extras_are_known_are_those_that_they_install() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    named = {extra: {re.split("[<>=]", need)[0] for need in declared[extra]} for extra in EXTRAS}
    assert named == {extra: set(modules) for extra, modules in EXTRAS.items()}


SPIDER = """
import scrapy

class Pages(scrapy.Spider):
    name = "pages"
    start_urls = ["http://127.0.0.1:PORT/"]

    def parse(self, response):
        pass
"""


class Fresh:
    """An environment of its own with nothing but what the README installs, and a project that is set up as it says."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "environment"
        venv.create(self.home, with_pip=False)
        self.bin = self.home / ("Scripts" if os.name == "nt" else "bin")
        self.project = folder / "project"
        names = ("PYTHONPATH", "SCRAPY_SETTINGS_MODULE", "VIRTUAL_ENV")
        self.environment = {name: value for name, value in os.environ.items() if name not in names}
        self.environment["PATH"] = f"{self.bin}{os.pathsep}{os.environ['PATH']}"

    def run(self, command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=cwd, env=self.environment, capture_output=True, text=True, timeout=280)

    def install(self, what: str, cwd: Path) -> None:
        command = [sys.executable, "-m", "pip", "--python", str(self.bin / "python"), "install", "--quiet", what]
        uv = ROOT / ".venv" / "uv" / "bin" / "uv"
        if uv.exists():
            command = [str(uv), "pip", "install", "--quiet", "--python", str(self.bin / "python"), what]
        done = self.run(command, cwd)
        if "No matching distribution" in done.stderr or "error sending request" in done.stderr:
            pytest.skip("no package index to be had")
        assert done.returncode == 0, done.stderr

    def set_up(self, port: int = 9) -> None:
        assert self.run([str(self.bin / "scrapy"), "startproject", "shop", str(self.project)], ROOT).returncode == 0
        (self.project / "shop" / "spiders" / "pages.py").write_text(SPIDER.replace("PORT", str(port)))
        (settings,) = [block for block in PYTHON if ">>>" not in block]
        with (self.project / "shop" / "settings.py").open("a") as file:
            file.write(settings)
        (rules,) = blocks("toml")
        (self.project / "urinorm.toml").write_text(rules)

    def scrapy(self, command: str) -> subprocess.CompletedProcess[str]:
        _, *words = shlex.split(command)
        return self.run([str(self.bin / "scrapy"), *words], self.project)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    assert subprocess.run(command, capture_output=True).returncode == 0
    (path,) = folder.iterdir()
    return path


@pytest.fixture
def home() -> Iterator[int]:
    """The port of a site of one page."""
    with Serving(lambda _: (200, {}, "<title>home</title><h1>home</h1>")) as server:
        yield server.server_port


FROM_INDEX, FROM_CHECKOUT = [shlex.split(line)[2] for line in COMMANDS if line.startswith("pip install ")]


# a checkout is what can be had today; that a wheel has all that it needs is told by test_packaging, too
@pytest.mark.parametrize(
    "source", [pytest.param("checkout", marks=pytest.mark.slow), pytest.param("wheel", marks=pytest.mark.soak)]
)
def test_commands_word_by_word(source: str, wheel: Path, home: int, tmp_path: Path) -> None:
    fresh = Fresh(tmp_path)
    if source == "wheel":
        fresh.install(FROM_INDEX.replace("scrapy-urinorm", str(wheel)), tmp_path)
    else:
        # what a build leaves behind stays out of the checkout
        there = ("scrapy_urinorm", "README.md", "LICENSE", "pyproject.toml", "hatch_build.py")
        checkout = tmp_path / "checkout"
        checkout.mkdir()
        for name in there:
            (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, checkout / name)
        fresh.install(FROM_CHECKOUT, checkout)
    fresh.set_up(home)
    said = {}
    for command in COMMANDS:
        if command.startswith("scrapy "):
            done = fresh.scrapy(command)
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
            assert "Traceback" not in done.stderr
            said[command.split()[1]] = done
    assert "one page" in said["urinorm"].stdout
    assert "Report written: report.html" in said["crawl"].stderr
    assert (fresh.project / "report.html").stat().st_size > 10_000


@pytest.mark.slow
def test_without_extras_one_message_names_all_that_is_missing(wheel: Path, tmp_path: Path) -> None:
    fresh = Fresh(tmp_path)
    fresh.install(str(wheel), tmp_path)
    fresh.set_up()
    crawl, explain = (next(line for line in COMMANDS if word in line) for word in ("scrapy crawl", "explain"))
    assert fresh.scrapy(explain).returncode == 0
    done = fresh.scrapy(f"{crawl} -s URINORM_SEEN=disk")
    assert done.returncode != 0
    assert f"pip install '{wheel}[learn,report,disk]'" in done.stderr
    assert done.stderr.count("pip install") == 1
    assert "Traceback" not in done.stderr
    for command in ("learn visits.jsonl -o learned.toml", "report visits.jsonl -o report.html", "eval visits.jsonl"):
        (fresh.project / "visits.jsonl").write_text('{"url": "http://a.example/"}\n')
        done = fresh.scrapy(f"scrapy urinorm {command}")
        assert (done.returncode, done.stderr.count("pip install")) == (2, 1), done.stderr
