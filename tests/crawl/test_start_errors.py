"""What stops a crawl before its first request, and how it is said."""

from __future__ import annotations

import contextlib
import math
import os
from typing import TYPE_CHECKING

import pytest
from scrapy import crawler as scrapy_crawler
from scrapy.settings import Settings

from scrapy_urinorm.crawl.dupefilter import DupeFilter
from scrapy_urinorm.crawl.requests.file import RequestsFile
from scrapy_urinorm.crawl.rules import normalizer_of
from scrapy_urinorm.crawl.settings import SETTINGS, require_extras
from scrapy_urinorm.crawl.settings_check import READ
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.extras import MissingExtraError
from tests.crawl.components import ADDON, crawler_with
from tests.crawl.crawling import Job, crawl
from tests.crawl.project import Project
from tests.crawl.site import Site, SiteServer, page
from tests.needs import needs_rocksdict

if TYPE_CHECKING:
    from pathlib import Path

BROKEN = """\
preset = "recomended"

[rules]
remove_parms = ["sid"]
trailing_slash = "maybe"

[[site."shop.example".where]]
path = "/a/**"
www = "remove"
rewrite = [{ pattern = '(', replace = '' }]
"""
PROBLEMS = ["recomended", "remove_parms", "remove_params", "trailing_slash", "maybe", "www", "rewrite"]


@pytest.fixture
def site(server: SiteServer) -> Site:
    return server.site({"/": page("home")})


@pytest.fixture
def project(site: Site, tmp_path: Path) -> Project:
    return Project(tmp_path / "project", site.url())


def stopped(project: Project, site: Site) -> str:
    """Crawl; nothing must have been asked. What was written to standard error."""
    done = project.scrapy("crawl", "pages")
    assert done.returncode != 0, done.stderr
    assert site.fetched() == []
    return done.stderr


def test_a_broken_file_with_every_problem_at_once(project: Project, site: Site) -> None:
    (project.path / "urinorm.toml").write_text(BROKEN)
    told = stopped(project, site)
    assert [word for word in [*PROBLEMS, "urinorm.toml"] if word not in told] == []
    assert told.index("The crawl does not start") < min(told.index(word) for word in PROBLEMS)
    if hasattr(scrapy_crawler, "AsyncCrawlerProcess"):
        assert told.count("did you mean 'remove_params'") == 1
        assert "Traceback" not in told
        assert "never retrieved" not in told


@pytest.mark.slow
def test_what_stops_a_crawl_is_told_where_the_log_is_off(project: Project) -> None:
    """As `scrapy check` has it off, which would say that it ran 0 contracts, and OK."""
    (project.path / "urinorm.toml").write_text(BROKEN)
    assert project.scrapy("crawl", "pages", "--nolog").stderr.count("The crawl does not start") == 1


@pytest.mark.slow
def test_broken_rules_of_the_settings(project: Project, site: Site) -> None:
    project.set('URINORM_RULES = {"rules": {"remove_parms": ["a"], "sort_query": "maybe"}}')
    told = stopped(project, site)
    assert [word for word in ["remove_parms", "sort_query", "URINORM_RULES"] if word not in told] == []


@pytest.mark.slow
def test_a_file_that_is_no_toml(project: Project, site: Site) -> None:
    (project.path / "urinorm.toml").write_text("[rules\n")
    told = stopped(project, site)
    assert "urinorm.toml" in told
    assert "line 1" in told or ":1" in told


@pytest.mark.parametrize(
    "name",
    [
        "'absent.toml'",
        pytest.param("['absent.toml']", marks=pytest.mark.slow),
        pytest.param("'absent_package:urinorm.toml'", marks=pytest.mark.slow),
        pytest.param("'json:absent.toml'", marks=pytest.mark.slow),
    ],
)
def test_a_named_file_that_is_absent(project: Project, site: Site, name: str) -> None:
    project.set(f"URINORM_RULES = {name}")
    told = stopped(project, site)
    assert "absent" in told
    assert "URINORM_RULES" in told or "No such" in told or "not found" in told or "does not exist" in told


@pytest.mark.slow
def test_an_included_file_that_is_absent(project: Project, site: Site) -> None:
    (project.path / "urinorm.toml").write_text('include = ["learned.toml"]\n')
    assert "learned.toml" in stopped(project, site)


@pytest.mark.slow
def test_no_file_at_all_is_fine(project: Project, site: Site) -> None:
    done = project.scrapy("crawl", "pages")
    assert done.returncode == 0, done.stderr
    assert site.fetched() == ["/"]


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        pytest.param("URINORM_PRESET = 'strict'", ["URINORM_PRESET", "strict", "recommended"], marks=pytest.mark.slow),
        ("URINORM_SEEN = 'dsk'", ["URINORM_SEEN", "dsk"]),
        pytest.param(
            "URINORM_LIVE = 'maybe'", ["URINORM_LIVE: 'maybe' is neither True nor False"], marks=pytest.mark.newest
        ),
        pytest.param("URINORM_SEEN_TTL = 'soon'", ["URINORM_SEEN_TTL", "soon"], marks=pytest.mark.slow),
        pytest.param("URINORM_RULES = 3", ["URINORM_RULES"], marks=pytest.mark.slow),
        pytest.param(
            "URINORM_FALLBACK_REQUEST_FINGERPRINTER_CLASS = 'no.such.Class'",
            ["URINORM_FALLBACK_REQUEST_FINGERPRINTER_CLASS", "no.such.Class"], marks=pytest.mark.newest,
        ),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) else "",
)  # fmt: skip
def test_a_wrong_setting_is_named(project: Project, site: Site, setting: str, words: list[str]) -> None:
    project.set(setting)
    told = stopped(project, site)
    assert [word for word in words if word not in told] == []


@pytest.mark.parametrize(
    ("seen", "lacking"),
    [("memory", ""), ("dsk", ""), ("disk:x", "disk"), ("redis://h", "redis"), ("rediss+cluster://h", "redis")],
)
def test_a_store_that_is_none_needs_no_extra(seen: str, lacking: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told as a wrong setting, not as a package that lacks."""
    monkeypatch.setattr("scrapy_urinorm.extras.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=rf"\[{lacking}\]") if lacking else contextlib.nullcontext():
        require_extras(Settings({"URINORM_SEEN": seen}))


@pytest.mark.parametrize(
    ("name", "meant"), [("URINORM_RULE", "URINORM_RULES"), ("URINORM_PRESETS", "URINORM_PRESET"), ("URINORM_X", "")]
)
def test_a_setting_that_is_none_is_named(name: str, meant: str, caplog: pytest.LogCaptureFixture) -> None:
    crawler_with({**ADDON, name: "a.toml", "URINORM_ENABLED": True})
    (said,) = [r.getMessage() for r in caplog.records if "is not a setting" in r.getMessage()]
    assert said.startswith(f"{name} is not a setting of scrapy-urinorm")
    assert said.endswith(f"did you mean {meant}?" if meant else "urinorm")


def test_a_duplicate_filter_made_by_a_function(server: SiteServer, tmp_path: Path) -> None:
    site = server.site({"/": page("home", "/a", "/a"), "/a": page("a")})
    settings = {**ADDON, "DUPEFILTER_CLASS": "tests.crawl.own_classes.make_dupefilter"}
    outcome = crawl(Job("job", [site.url()], settings), tmp_path)
    assert outcome.pages == {"home", "a"}
    assert site.fetched() == ["/", "/a"]
    assert outcome.lines("WARNING", "DUPEFILTER_CLASS", "make_dupefilter")


def test_broken_rules_of_a_spider_stop_only_its_crawl(server: SiteServer, tmp_path: Path) -> None:
    site = server.site({"/": page("home")})
    addon = {"ADDONS": {"scrapy_urinorm.Addon": 600}}
    rules = {"urinorm_rules": {"rules": {"remove_parms": ["a"]}}}
    outcome = crawl(Job("broken", [site.url()], addon, attributes=rules), tmp_path)
    assert "remove_parms" in outcome.error
    assert "RuleFileError" in outcome.error
    assert site.fetched() == []


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("URINORM_PRESET", 7, "URINORM_PRESET: 7 is not a text"),
        ("URINORM_SEEN", 5, "URINORM_SEEN: 5 is not a text"),
        ("URINORM_VISITS", True, "URINORM_VISITS: True is not a text"),
        ("URINORM_REPORT", True, "URINORM_REPORT: True is not a text"),
        ("URINORM_LIVE_OUTPUT", True, "URINORM_LIVE_OUTPUT: True is not a text"),
        ("URINORM_SEEN_PREFIX", "%(job)s", "URINORM_SEEN_PREFIX: '%(job)s': after a %, only %(spider)s and %% may"),
        ("URINORM_SEEN_PREFIX", "100%", "URINORM_SEEN_PREFIX: '100%': after a %"),
        ("URINORM_SEEN_TTL", "nan", "URINORM_SEEN_TTL: 'nan' is not a number"),
        ("URINORM_SECOND_CHANCE_LIMIT", math.inf, "URINORM_SECOND_CHANCE_LIMIT: inf is not a number"),
        ("URINORM_LIVE_CLOSE", -1, "URINORM_LIVE_CLOSE: -1 is below 0"),
        ("URINORM_VISITS", "gopher://h/v", "URINORM_VISITS: gopher://h/v: there is no feed storage for gopher: (only"),
        ("URINORM_REPORT", "s3://u:p@b/r.html", "URINORM_REPORT: s3://b/r.html: a path is expected, not a URI"),
        ("URINORM_LIVE_OUTPUT", "file:///tmp/l.toml", "URINORM_LIVE_OUTPUT: file:///tmp/l.toml: a path is expected"),
        ("URINORM_FALLBACK_REQUEST_FINGERPRINTER_CLASS", "os.path",
         "URINORM_FALLBACK_REQUEST_FINGERPRINTER_CLASS: 'os.path' is not a class"),
    ],
)  # fmt: skip
def test_a_setting_of_another_kind_is_named(
    name: str, given: object, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises((ValueError, UrinormError)):
        DupeFilter.from_crawler(crawler_with({**ADDON, name: given}))
    (line,) = [r.getMessage() for r in caplog.records if r.levelname == "ERROR"]
    assert line.startswith(f"The crawl does not start: {said}")


def test_all_wrong_settings_are_told_at_once(project: Project, site: Site) -> None:
    """Rules among them; and those of what is off, which would end the next run."""
    (project.path / "typo.toml").write_text('[rules]\nremove_parms = ["a"]\n')
    (project.path / "folder").mkdir()
    wrong = {
        "URINORM_SEEN": "dsik", "URINORM_PRESET": "recomended", "URINORM_RULES": "typo.toml", "URINORM_LIVE": "maybe",
        "URINORM_JOURNAL": "abc", "URINORM_VISITS_CPU": "abc", "URINORM_LIVE_CLOSE": "abc", "URINORM_REPORT": "folder",
        "URINORM_VISITS": "%(job)s.jsonl", "URINORM_SEEN_ON_LOST": "go",
    }  # fmt: skip
    project.set("\n".join(f"{name} = {given!r}" for name, given in wrong.items()))
    told = stopped(project, site)
    assert told.count("The crawl does not start") == 1
    said = told[told.index("The crawl does not start: ") :]
    names = ["remove_parms", "URINORM_REPORT: folder is a folder", "URINORM_VISITS: '%(job)s.jsonl': after a %"]
    assert [word for word in [*wrong, *wrong.values(), *names] if word not in said] == []
    if hasattr(scrapy_crawler, "AsyncCrawlerProcess"):
        assert "Traceback" not in told


@pytest.mark.parametrize(
    "name", ["URINORM_JOURNAL", "URINORM_VISITS_ROTATE", "URINORM_LIVE_CLOSE", "URINORM_SEEN_PREFIX"]
)
def test_a_setting_of_what_is_off_is_looked_at(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        crawler_with({**ADDON, name: "%(x)s"})
    crawler_with({**ADDON, name: "%(x)s", "URINORM_ENABLED": False})


@pytest.mark.parametrize("name", ["URINORM_VISITS", "URINORM_REPORT", "URINORM_LIVE_OUTPUT"])
def test_a_folder_is_no_file(name: str, tmp_path: Path) -> None:
    uris = name == "URINORM_VISITS"
    for given in (str(tmp_path), tmp_path, f"{tmp_path}/%(name)s/", *[tmp_path.as_uri()] * uris):
        with pytest.raises(ValueError, match=f"{name}: .* is a folder"):
            crawler_with({**ADDON, name: given})
    for given in (tmp_path / "%(name)s-%(time)s.x", *["s3://bucket/"] * uris, ""):
        crawler_with({**ADDON, name: given})


@pytest.mark.parametrize("name", ["URINORM_VISITS", "URINORM_REPORT", "URINORM_LIVE_OUTPUT"])
def test_what_cannot_be_written_is_told_before_the_crawl(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=f"{name}: .*/file is no folder"):
        crawler_with({**ADDON, name: str(tmp_path / "file" / "deep" / "x.jsonl")})
    crawler_with({**ADDON, name: str(tmp_path / "new" / "deep" / "x.jsonl")})
    if hasattr(os, "geteuid") and os.geteuid():
        with pytest.raises(ValueError, match=f"{name}: / cannot be written to"):
            crawler_with({**ADDON, name: "/new/x.jsonl"})


def test_visits_are_written_as_two_kinds_of_compressed_files(tmp_path: Path) -> None:
    for kind in (".xz", ".bz2"):
        with pytest.raises(ValueError, match=rf"URINORM_VISITS: .*nothing is written as {kind}: use .zst or .gz"):
            crawler_with({**ADDON, "URINORM_VISITS": str(tmp_path / f"v.jsonl{kind}")})


def test_every_setting_is_looked_at() -> None:
    assert READ.keys() == SETTINGS.keys()


@needs_rocksdict
def test_a_job_that_cannot_be_opened_is_told_in_one_line(project: Project, site: Site) -> None:
    (project.path / "file").touch()
    done = project.scrapy("crawl", "pages", "-s", "URINORM_SEEN=disk:file", "-s", "JOBDIR=job")
    assert site.fetched() == []
    assert "The crawl does not start: cannot make the folder file" in done.stderr
    assert "AssertionError" not in done.stderr


def test_a_second_crawl_on_a_job_is_told_who_has_it(project: Project, site: Site) -> None:
    """In one line: what Scrapy fails at when it closes what was not opened says nothing more."""
    folder = project.path / "job"
    first = RequestsFile(folder)
    first.open()
    try:
        done = project.scrapy("crawl", "pages", "-s", f"JOBDIR={folder}")
    finally:
        first.close()
    assert site.fetched() == []
    assert f"The crawl does not start: {folder} is in use by another crawl (process {os.getpid()})" in done.stderr
    assert "close failure" not in done.stderr
    assert "AssertionError" not in done.stderr
    if hasattr(scrapy_crawler, "AsyncCrawlerProcess"):
        assert "RequestsFileError" not in done.stderr
    assert project.scrapy("crawl", "pages", "-s", f"JOBDIR={folder}").returncode == 0
    assert site.fetched() == ["/"]


def test_what_live_rules_find_is_not_written_over_rules_of_the_crawl(tmp_path: Path) -> None:
    file = tmp_path / "learned.toml"
    file.write_text('[site."a.example"]\nremove_params = ["s"]\n', "utf-8")
    (tmp_path / "urinorm.toml").write_text('include = ["learned.toml"]\n', "utf-8")
    settings = {**ADDON, "URINORM_RULES": str(tmp_path / "urinorm.toml"), "URINORM_LIVE": True}
    for output in (file, str(file), f"{tmp_path}/../{tmp_path.name}/learned.toml"):
        with pytest.raises(ValueError, match=r"URINORM_LIVE_OUTPUT: .* has rules of this crawl"):
            normalizer_of(crawler_with({**settings, "URINORM_LIVE_OUTPUT": output}))
    normalizer_of(crawler_with({**settings, "URINORM_LIVE_OUTPUT": str(tmp_path / "other.toml")}))
    normalizer_of(crawler_with({**settings, "URINORM_LIVE": False, "URINORM_LIVE_OUTPUT": str(file)}))
