"""What the add-on does to the settings of a project, and what it leaves alone."""

from __future__ import annotations

import logging
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, Spider
from scrapy.dupefilters import RFPDupeFilter
from scrapy.utils.misc import load_object
from scrapy.utils.request import RequestFingerprinter as ScrapyFingerprinter
from scrapy.utils.request import fingerprint as scrapy_fingerprint

import scrapy_urinorm
from tests.crawl.components import ADDON, crawler_with, dupefilter_of
from tests.crawl.crawling import Job, Outcome, crawl, crawl_all
from tests.crawl.own_classes import ByLanguage, FingerprinterAddon, FromCrawler, OwnDupeFilter
from tests.crawl.site import Site, SiteServer, moved, page

if TYPE_CHECKING:
    from pathlib import Path

FINGERPRINTER = "REQUEST_FINGERPRINTER_CLASS"
FALLBACK = "URINORM_FALLBACK_REQUEST_FINGERPRINTER_CLASS"
SID = {"URINORM_RULES": {"rules": {"remove_params": ["sid"]}}}
OURS = {
    "REQUEST_FINGERPRINTER_CLASS": "scrapy_urinorm.RequestFingerprinter",
    "DUPEFILTER_CLASS": "scrapy_urinorm.DupeFilter",
    "DOWNLOADER_MIDDLEWARES": {"scrapy_urinorm.SecondChanceMiddleware": 10},
}
ORG = "https://example.org"
NEIGHBOURS = ("scrapy_poet", "scrapy_zyte_api", "scrapy_urinorm")
ORDERS = [", ".join(order) for count in (2, 3) for order in permutations(NEIGHBOURS, count) if NEIGHBOURS[2] in order]


def installed(settings: dict[str, Any], spider: type[Spider] | None = None) -> tuple[type, type]:
    """The fingerprinter and the dupefilter that a crawl with these settings uses."""
    crawler = crawler_with(settings, spider)
    return type(crawler.request_fingerprinter), load_object(crawler.settings["DUPEFILTER_CLASS"])


def test_a_job_stays_where_it_was_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A spider may change the working directory."""
    monkeypatch.chdir(tmp_path)
    crawler = crawler_with({**ADDON, "JOBDIR": "jobs/a"})
    assert crawler.settings["JOBDIR"] == str(tmp_path / "jobs" / "a")


class TestReplacesOnlyStockClasses:
    def test_the_defaults(self) -> None:
        assert installed(ADDON) == (scrapy_urinorm.RequestFingerprinter, scrapy_urinorm.DupeFilter)
        crawler = crawler_with(ADDON)
        middlewares = crawler.settings.getwithbase("DOWNLOADER_MIDDLEWARES")
        found = {load_object(cls): order for cls, order in middlewares.items()}
        assert found[scrapy_urinorm.SecondChanceMiddleware] == 10

    @pytest.mark.parametrize("stock", ["scrapy.dupefilters.RFPDupeFilter", RFPDupeFilter], ids=["name", "class"])
    def test_the_stock_dupefilter_named_by_the_project(self, stock: Any) -> None:
        assert installed({**ADDON, "DUPEFILTER_CLASS": stock})[1] is scrapy_urinorm.DupeFilter

    @pytest.mark.parametrize("stock", ["scrapy.utils.request.RequestFingerprinter", ScrapyFingerprinter])
    def test_the_stock_fingerprinter_named_by_the_project(self, stock: Any) -> None:
        assert installed({**ADDON, FINGERPRINTER: stock})[0] is scrapy_urinorm.RequestFingerprinter

    def test_a_dupefilter_of_the_project_is_kept_and_said(self, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.INFO):
            assert installed({**ADDON, "DUPEFILTER_CLASS": OwnDupeFilter})[1] is OwnDupeFilter
        assert len(said(caplog, "DUPEFILTER_CLASS", "OwnDupeFilter")) == 1

    def test_a_fingerprinter_of_the_project_is_kept_and_said(self, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.INFO):
            found = installed({**ADDON, FINGERPRINTER: ByLanguage})[0]
        assert found in (ByLanguage, scrapy_urinorm.RequestFingerprinter)
        # what the filter says of it, too, which does not know whether it asks ours
        assert len(said(caplog, FINGERPRINTER, "ByLanguage", "rules apply only as far")) == 1

    def test_a_spiders_custom_settings_are_kept(self) -> None:
        class Custom(Spider):
            name = "custom"
            custom_settings = {"DUPEFILTER_CLASS": OwnDupeFilter}

        assert installed(ADDON, Custom)[1] is OwnDupeFilter

    def test_turned_off(self) -> None:
        assert installed({**ADDON, "URINORM_ENABLED": False}) == (ScrapyFingerprinter, RFPDupeFilter)

    def test_turned_off_with_broken_rules(self) -> None:
        broken = {**ADDON, "URINORM_ENABLED": False, "URINORM_RULES": "no such file.toml"}
        assert installed(broken) == (ScrapyFingerprinter, RFPDupeFilter)

    def test_turned_off_by_a_spider(self) -> None:
        class Plain(Spider):
            name = "plain"
            custom_settings = {"URINORM_ENABLED": False}

        assert installed(ADDON, Plain) == (ScrapyFingerprinter, RFPDupeFilter)

    def test_second_chance_turned_off(self) -> None:
        crawler = crawler_with({**ADDON, "URINORM_SECOND_CHANCE": False})
        assert len(crawler.request_fingerprinter.fingerprint(Request(ORG))) == 20

    def test_the_users_place_for_the_middleware(self) -> None:
        places = {"scrapy_urinorm.SecondChanceMiddleware": 20}
        crawler = crawler_with({**ADDON, "DOWNLOADER_MIDDLEWARES": places})
        found = [o for c, o in crawler.settings["DOWNLOADER_MIDDLEWARES"].items() if "SecondChance" in str(c)]
        assert found == [20]


class TestFallbackFingerprinter:
    def fold(self, settings: dict[str, Any]) -> tuple[bytes, bytes, bytes]:
        """Two variants of a page in one language, and the page in another language."""
        fingerprinter = crawler_with({**ADDON, **SID, **settings}).request_fingerprinter
        english, german = {"Accept-Language": "en"}, {"Accept-Language": "de"}
        return (
            fingerprinter.fingerprint(Request(f"{ORG}/?sid=1", headers=english)),
            fingerprinter.fingerprint(Request(f"{ORG}/?sid=2", headers=english)),
            fingerprinter.fingerprint(Request(f"{ORG}/?sid=3", headers=german)),
        )

    @pytest.mark.parametrize(
        "fallback",
        [ByLanguage, FromCrawler, "tests.crawl.own_classes.ByLanguage"],
        ids=["class", "from crawler", "name"],
    )
    def test_it_is_asked_about_the_canonical_url(self, fallback: Any) -> None:
        one, variant, german = self.fold({FALLBACK: fallback})
        assert one == variant != german

    def test_one_installed_by_an_addon_before_ours_becomes_it(self) -> None:
        one, variant, german = self.fold({"ADDONS": {FingerprinterAddon: 100, scrapy_urinorm.Addon: 600}})
        assert one == variant != german

    def test_urls_no_rule_touches_keep_its_bytes(self) -> None:
        fingerprinter = crawler_with({**ADDON, FALLBACK: ByLanguage}).request_fingerprinter
        request = Request(f"{ORG}/a?b=1", headers={"Accept-Language": "en"})
        assert fingerprinter.fingerprint(request) == ByLanguage().fingerprint(request)

    def test_the_redirect_guard_works_with_it(self) -> None:
        fingerprinter = crawler_with({**ADDON, **SID, FALLBACK: ByLanguage}).request_fingerprinter
        target = Request(f"{ORG}/?sid=1", meta={"redirect_urls": [f"{ORG}/"]})
        assert fingerprinter.fingerprint(target) != fingerprinter.fingerprint(Request(f"{ORG}/"))

    def test_a_request_without_rules_is_the_fallbacks_alone(self) -> None:
        fingerprinter = crawler_with({**ADDON, **SID, FALLBACK: ByLanguage}).request_fingerprinter
        request = Request(f"{ORG}/?sid=1", meta={"urinorm": False})
        assert fingerprinter.fingerprint(request) == ByLanguage().fingerprint(request)

    def test_a_fallback_that_raises_does_not_end_the_crawl(self) -> None:
        settings = {**ADDON, **SID, FALLBACK: "tests.crawl.own_classes.Failing"}
        fingerprinter = crawler_with(settings).request_fingerprinter
        assert len(fingerprinter.fingerprint(Request(f"{ORG}/?sid=1"))) == 20

    @pytest.mark.parametrize("ours", [scrapy_urinorm.RequestFingerprinter, OURS[FINGERPRINTER]], ids=["class", "name"])
    @pytest.mark.parametrize("setting", [FALLBACK, FINGERPRINTER])
    def test_ours_is_never_its_own_fallback(self, ours: Any, setting: str) -> None:
        fingerprinter = crawler_with({**ADDON, setting: ours}).request_fingerprinter
        assert isinstance(fingerprinter, scrapy_urinorm.RequestFingerprinter)
        assert fingerprinter.fingerprint(Request(ORG)) == scrapy_fingerprint(Request(ORG))

    def test_a_subclass_of_ours_neither(self) -> None:
        class Own(scrapy_urinorm.RequestFingerprinter):
            pass

        fingerprinter = crawler_with({**ADDON, FINGERPRINTER: Own}).request_fingerprinter
        assert fingerprinter.fingerprint(Request(ORG)) == scrapy_fingerprint(Request(ORG))

    @pytest.mark.parametrize("wrong", ["no.such.module.Fingerprinter", "scrapy.utils.request.Nope", 3, "nodots"])
    def test_an_unknown_one_is_an_error_that_names_the_setting(self, wrong: Any) -> None:
        with pytest.raises(Exception, match=FALLBACK):
            crawler_with({**ADDON, FALLBACK: wrong})


class TestWithoutTheAddon:
    def test_the_classes_are_named(self) -> None:
        crawler = crawler_with({**OURS, **SID})
        fingerprinter = crawler.request_fingerprinter
        assert fingerprinter.fingerprint(Request(f"{ORG}/?sid=1")) == fingerprinter.fingerprint(Request(f"{ORG}/"))
        assert isinstance(dupefilter_of(crawler), scrapy_urinorm.DupeFilter)

    def test_and_the_addon_as_well(self) -> None:
        crawler = crawler_with({**OURS, **SID, **ADDON})
        middlewares = crawler.settings["DOWNLOADER_MIDDLEWARES"]
        assert [load_object(c) for c in middlewares].count(scrapy_urinorm.SecondChanceMiddleware) == 1
        fingerprinter = crawler.request_fingerprinter
        assert fingerprinter.fingerprint(Request(f"{ORG}/?sid=1")) == fingerprinter.fingerprint(Request(f"{ORG}/"))

    def test_the_addon_twice(self) -> None:
        crawler = crawler_with({"ADDONS": {"scrapy_urinorm.Addon": 600, scrapy_urinorm.Addon: 700}, **SID})
        assert len(crawler.request_fingerprinter.fingerprint(Request(ORG))) == 20

    def test_the_dupefilter_alone(self) -> None:
        """With Scrapy's fingerprinter: nothing is folded, all the rest works."""
        dupefilter = dupefilter_of(crawler_with({"DUPEFILTER_CLASS": OURS["DUPEFILTER_CLASS"]}))
        dupefilter.open()
        assert not dupefilter.request_seen(Request(f"{ORG}/?a=1&b=2"))
        assert dupefilter.request_seen(Request(f"{ORG}/?b=2&a=1"))
        dupefilter.close("finished")

    def test_the_fingerprinter_alone(self) -> None:
        crawler = crawler_with({FINGERPRINTER: OURS[FINGERPRINTER], **SID})
        dupefilter = dupefilter_of(crawler)
        dupefilter.open()
        assert not dupefilter.request_seen(Request(f"{ORG}/?sid=1"))
        assert dupefilter.request_seen(Request(f"{ORG}/?sid=2"))
        dupefilter.close("finished")


@pytest.fixture(scope="module")
def neighbours(server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """Crawls with scrapy-poet and scrapy-zyte-api, in all orders."""
    pytest.importorskip("scrapy_poet", reason="scrapy-poet is not installed")
    pytest.importorskip("scrapy_zyte_api", reason="scrapy-zyte-api is not installed")
    settings = {**SID, "ZYTE_API_KEY": "none", "ZYTE_API_TRANSPARENT_MODE": False}
    jobs = []
    for order in ORDERS:
        addons = {f"{name}.Addon": 100 * place for place, name in enumerate(order.split(", "))}
        jobs.append(Job(order, [small_site(server).url()], {"ADDONS": addons, **settings}))
    return crawl_all(jobs, tmp_path_factory.mktemp("neighbours"))


def small_site(server: SiteServer) -> Site:
    links = ["/p?sid=1", "/p?sid=2", "/self"]
    itself = {"/self": moved("/self?sid=1", 302), "/self?sid=1": page("dir")}
    return server.site({"/": page("home", *links), "/p?sid=1": page("p"), "/p?sid=2": page("p"), **itself})


class TestOtherAddons:
    """In real crawls: scrapy-poet's fingerprinter asks the spider for the callback."""

    @pytest.mark.newest
    @pytest.mark.parametrize("order", ORDERS)
    def test_neighbours_in_all_orders(self, order: str, neighbours: dict[str, Outcome]) -> None:
        self.check_outcome(neighbours[order])

    def test_one_that_wraps_what_it_finds(self, server: SiteServer, tmp_path: Path) -> None:
        addons = {"tests.crawl.own_classes.FingerprinterAddon": 300, "scrapy_urinorm.Addon": 600}
        self.check(addons, server, tmp_path)

    def test_ours_before_one_that_overwrites(self, server: SiteServer, tmp_path: Path) -> None:
        """Documented: give ours the higher number. No page is lost meanwhile."""
        site = small_site(server)
        addons = {"scrapy_urinorm.Addon": 100, "tests.crawl.own_classes.FingerprinterAddon": 600}
        outcome = crawl(Job("job", [site.url()], {"ADDONS": addons, **SID}), tmp_path)
        assert {"home", "p", "dir"} <= outcome.pages

    def check(self, addons: dict[Any, int], server: SiteServer, directory: Path, **settings: Any) -> None:
        site = small_site(server)
        self.check_outcome(crawl(Job("job", [site.url()], {"ADDONS": addons, **SID, **settings}), directory))

    def check_outcome(self, outcome: Outcome) -> None:
        assert outcome.pages == {"home", "p", "dir"}, "\n".join([outcome.error, *outcome.log])
        assert outcome.stats["downloader/request_count"] == 4, "home, one spelling of the page, a redirect, its target"
        assert not outcome.lines("Traceback")


def said(caplog: pytest.LogCaptureFixture, *words: str) -> list[str]:
    """The lines of our loggers that have all these words."""
    lines = [r.getMessage() for r in caplog.records if r.name.startswith("scrapy_urinorm")]
    return [line for line in lines if all(word in line for word in words)]
