"""Scrapy's own commands in a project with the add-on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.project import Project
from tests.crawl.site import Site, SiteServer, by_cookie, moved, page
from tests.needs import needs_rocksdict

if TYPE_CHECKING:
    from pathlib import Path

RULES = '[rules]\nremove_params = ["sid"]\ntrailing_slash = "remove"\n'
OTHERS = ["version", "-v"], ["settings", "--get", "BOT_NAME"], ["--help"]


@pytest.fixture
def site(server: SiteServer) -> Site:
    return server.site(
        {
            "/": page("home", "/p?sid=1", "/p?sid=2", "/dir"),
            "/p?sid=1": page("p"),
            "/p?sid=2": page("p"),
            "/dir": moved("/dir/"),
            "/dir/": page("dir"),
            "/self": by_cookie("seen", page("self"), moved("/self", 302, cookie="seen=1")),
        }
    )


@pytest.fixture
def project(site: Site, tmp_path: Path) -> Project:
    project = Project(tmp_path / "project", site.url())
    (project.path / "urinorm.toml").write_text(RULES)
    return project


def test_crawl_finds_the_rules_beside_scrapy_cfg(project: Project, site: Site) -> None:
    done = project.scrapy("crawl", "pages", "-O", "items.jsonl")
    assert done.returncode == 0, done.stderr
    assert sorted(site.fetched()) == ["/", "/dir", "/dir/", "/p?sid=1"]
    started = [line for line in done.stderr.splitlines() if "urinorm.toml" in line]
    assert len(started) == 1, "one start line names the files"


@pytest.mark.slow
def test_crawl_finds_them_from_a_directory_below(project: Project, site: Site) -> None:
    done = project.scrapy("crawl", "pages", cwd=project.path / "small" / "spiders")
    assert done.returncode == 0, done.stderr
    assert "/p?sid=2" not in site.fetched()


@pytest.mark.slow
def test_crawl_with_a_file_that_the_settings_name(project: Project, site: Site) -> None:
    (project.path / "more.toml").write_text('[rules]\nremove_params = ["x"]\n')
    project.set('URINORM_RULES = "more.toml"')
    done = project.scrapy("crawl", "pages")
    assert done.returncode == 0, done.stderr
    assert "more.toml" in done.stderr


@pytest.mark.slow
def test_crawl_with_rules_on_the_command_line(project: Project, site: Site) -> None:
    (project.path / "urinorm.toml").unlink()
    done = project.scrapy("crawl", "pages", "-s", 'URINORM_RULES={"rules": {"remove_params": ["sid"]}}')
    assert done.returncode == 0, done.stderr
    assert "/p?sid=2" not in site.fetched()


@pytest.mark.slow
def test_crawl_with_the_addon_turned_off_on_the_command_line(project: Project, site: Site) -> None:
    done = project.scrapy("crawl", "pages", "-s", "URINORM_ENABLED=False")
    assert done.returncode == 0, done.stderr
    assert "/p?sid=2" in site.fetched()
    assert "urinorm/" not in done.stderr


def test_shell_fetches_a_page_twice(project: Project, site: Site) -> None:
    """Were our dupefilter in force there, the second `fetch` would wait for ever."""
    url = site.url("/p?sid=1")
    code = f"(fetch('{url}'), fetch('{url}'), fetch(scrapy.Request('{url}')), fetch('{url}&a=1'), response.status)"
    done = project.scrapy("shell", "--nolog", "-c", code, site.url())
    assert "404" in done.stdout, done.stdout + done.stderr
    assert len(site.fetched("/p?sid=1")) == 3


def test_shell_has_no_live_rules(project: Project, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for each page that is asked for, closes no crawl, and is to be there at once."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    project.set("URINORM_LIVE = True")
    done = project.scrapy("shell", "-c", "response.status", site.url())
    assert "200" in done.stdout, done.stdout + done.stderr
    assert "DupeFilter" in done.stderr
    assert "LiveRules" not in done.stderr
    assert "VisitsExtension" not in done.stderr
    assert not [*(tmp_path / "temporary").iterdir()]


@pytest.mark.slow
def test_shell_follows_a_redirect_to_itself(project: Project, site: Site) -> None:
    done = project.scrapy("shell", "--nolog", "-c", "response.css('title::text').get()", site.url("/self"))
    assert "self" in done.stdout, done.stdout + done.stderr


def test_fetch(project: Project, site: Site) -> None:
    done = project.scrapy("fetch", site.url("/dir"))
    assert "<title>dir</title>" in done.stdout, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_fetch_outside_of_a_project(project: Project, site: Site, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{site.port}/"
    done = project.scrapy("fetch", "-s", 'ADDONS={"scrapy_urinorm.Addon": 600}', url, cwd=tmp_path)
    assert "<title>missing</title>" in done.stdout, done.stderr
    assert "Traceback" not in done.stderr


def test_parse(project: Project, site: Site) -> None:
    done = project.scrapy("parse", "--spider=pages", "-c", "parse", "-d", "3", "--nocolour", site.url("/dir"))
    assert "'page': 'dir'" in done.stdout, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@needs_rocksdict
@pytest.mark.parametrize(
    "command",
    [("parse", "-d", "3", "--nocolour"), pytest.param(("fetch",), marks=pytest.mark.slow)],
    ids=["parse", "fetch"],
)
def test_what_looks_at_a_page_leaves_alone_what_crawls_remember(
    project: Project, site: Site, command: tuple[str, ...]
) -> None:
    """Neither its links count as seen for the next crawl, nor is fetched here what the last one has left."""
    project.set("URINORM_SEEN = 'disk:seen'")
    name, *options = command
    done = project.scrapy("crawl", "pages", "-s", "CLOSESPIDER_PAGECOUNT=1", "-s", "CONCURRENT_REQUESTS=1")
    assert done.returncode == 0, done.stderr
    assert "/dir/" not in site.fetched()
    before = len(site.fetched())
    done = project.scrapy(name, "--spider=pages", *options, site.url())
    assert done.returncode == 0, done.stderr
    looked = site.fetched()[before:]
    assert "/" in looked
    assert ("/p?sid=1" in looked) is (name == "parse")
    done = project.scrapy("crawl", "pages", "-O", "items.jsonl")
    assert done.returncode == 0, done.stderr
    again = site.fetched()[before + len(looked) :]
    assert {"/p?sid=1", "/dir/"} <= {*again, *site.fetched()[:before]}


@pytest.mark.slow
def test_parse_from_the_home_page(project: Project, site: Site) -> None:
    done = project.scrapy("parse", "--spider=pages", "-c", "parse", "-d", "3", "--nocolour", "-v", site.url())
    assert "'page': 'p'" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_check_runs_every_contract_of_one_url(project: Project, site: Site) -> None:
    (project.path / "small" / "spiders" / "contracts.py").write_text(
        "from scrapy import Spider\n"
        "class Contracts(Spider):\n"
        "    name = 'contracts'\n"
        "    def parse(self, response):\n"
        f'        """@url {site.url("/p?sid=1")}\n        @returns items 1"""\n'
        "        yield {'page': 'p'}\n"
        "    def parse_again(self, response):\n"
        f'        """@url {site.url("/p?sid=2")}\n        @returns items 1"""\n'
        "        yield {'page': 'p'}\n"
    )
    done = project.scrapy("check", "contracts")
    assert done.returncode == 0, done.stderr
    assert "Ran 2 contracts" in done.stderr
    assert "OK" in done.stderr


@pytest.mark.slow
def test_bench(project: Project) -> None:
    # by pages: in a second a busy machine may fetch none
    settings = {"CLOSESPIDER_TIMEOUT": 0, "CLOSESPIDER_PAGECOUNT": 20, "LOG_LEVEL": "INFO"}
    done = project.scrapy("bench", *(part for name, value in settings.items() for part in ("-s", f"{name}={value}")))
    assert "'response_received_count'" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", [["list"], *(pytest.param(words, marks=pytest.mark.slow) for words in OTHERS)])
def test_commands_that_crawl_nothing(project: Project, command: list[str]) -> None:
    done = project.scrapy(*command)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_runspider(project: Project, site: Site, tmp_path: Path) -> None:
    (tmp_path / "alone.py").write_text(
        "from tests.crawl.spiders import Follow\n"
        "class Alone(Follow):\n"
        "    name = 'alone'\n"
        f"    start_urls = ['{site.url()}']\n"
        "    custom_settings = {'ADDONS': {'scrapy_urinorm.Addon': 600}}\n"
        "    urinorm_rules = {'rules': {'remove_params': ['sid']}}\n"
    )
    resolver = next(
        line for line in (project.path / "small/settings.py").read_text().splitlines() if "Loopback" in line
    )
    done = project.scrapy("runspider", "-s", resolver.replace(" ", "").replace('"', ""), "alone.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "/p?sid=2" not in site.fetched()
    assert "/dir/" in site.fetched()
