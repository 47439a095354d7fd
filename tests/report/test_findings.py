"""What a report says of crawls whose truth is known."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrapy_urinorm.learn.evidence.candidate import Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.report import blocks, figures, intake
from scrapy_urinorm.report.findings import findings
from scrapy_urinorm.report.headline import sentences
from scrapy_urinorm.report.parameters import CHANGES, IRRELEVANT, NARROWS, SORTS, UNKNOWN
from scrapy_urinorm.report.proposals import cutting_off
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.visits import Visit
from scrapy_urinorm.visits.links import link_hashes, page_links, url_hash
from scrapy_urinorm.visits.record import end_of
from tests.effort import share
from tests.report.crawls import ORIGIN, Crawl, found, prose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

DROP_REF = {"rules": {"remove_params": ["ref"]}}


def items(count: int, query: str = "", pages: str = "item") -> Crawl:
    crawl = Crawl().other_pages()
    for n in range(count):
        crawl.page(f"/{pages}/{n}{query}", prose(f"{pages}{n}"))
    return crawl


class TestTotals:
    def test_each_response_is_one_of_four(self, tmp_path: Path) -> None:
        crawl = items(3)
        crawl.page("/item/0?ref=a", prose("item0")).redirect("/item/9/", "/item/0")
        crawl.rows.append(Visit(url=ORIGIN + "/gone", status=404))
        totals = found(crawl, tmp_path)["totals"]
        assert {name: totals[name] for name in ("requests", "pages", "duplicates", "redirects", "errors")} == {
            "requests": 36, "pages": 33, "duplicates": 1, "redirects": 1, "errors": 1,
        }  # fmt: skip

    def test_rules_avoid_and_leave(self, tmp_path: Path) -> None:
        crawl = items(3)
        for n in range(3):
            crawl.page(f"/item/{n}?ref=a", prose(f"item{n}")).page(f"/item/{n}?from=b", prose(f"item{n}"))
        totals = found(crawl, tmp_path, [DROP_REF])["totals"]
        assert (totals["duplicates"], totals["avoidable"], totals["left_over"], totals["lost"]) == (6, 3, 3, 0)
        assert totals["wasted_bytes"] == 6000
        assert totals["avoidable_bytes"] == 3000

    @pytest.mark.thorough
    def test_skipped_addresses_are_avoided(self, tmp_path: Path) -> None:
        rules = {"site": {"shop.test": {"where": [{"path": "/item/**", "skip": True}]}}}
        totals = found(items(5), tmp_path, [rules])["totals"]
        assert (totals["skipped"], totals["avoidable"], totals["kept"]) == (5, 5, 30)

    @pytest.mark.thorough
    def test_the_target_of_a_redirect_of_equal_key_is_no_duplicate(self, tmp_path: Path) -> None:
        crawl = items(1).redirect("/new?ref=x", "/new").page("/new", prose("new"))
        totals = found(crawl, tmp_path, [DROP_REF])["totals"]
        assert (totals["duplicates"], totals["avoidable"]) == (0, 0)

    def test_pages_without_content_count_by_their_keys(self, tmp_path: Path) -> None:
        crawl = Crawl([Visit(url=f"{ORIGIN}/{n}?{query}") for n in range(4) for query in ("", "ref=1", "b=2")])
        totals = found(crawl, tmp_path, [DROP_REF])["totals"]
        assert (totals["pages"], totals["duplicates"], totals["avoidable"]) == (8, 4, 4)
        assert totals["unknown_content"] == 12

    @pytest.mark.slow
    def test_nothing(self, tmp_path: Path) -> None:
        said = found(Crawl(), tmp_path)
        assert said["totals"]["requests"] == 0
        assert said["by_requests"]["rows"] == []

    def test_near_copies_are_one_page_where_the_address_suggests_it(self, tmp_path: Path) -> None:
        crawl = Crawl().other_pages()
        for n in range(5):
            lines = prose(f"post{n}", 40)
            crawl.page(f"/post/{n}", lines).page(f"/post/{n}?reply=7", [*lines, "Reply to Alice"])
        assert found(crawl, tmp_path)["totals"]["pages"] == 35

    @pytest.mark.thorough
    def test_near_copies_at_unlike_addresses_stay_two(self, tmp_path: Path) -> None:
        lines = prose("press", 40)
        crawl = Crawl().other_pages().page("/press/1", lines).page("/news/2", [*lines, "Reprint"])
        assert found(crawl, tmp_path)["totals"]["pages"] == 32


class TestCurves:
    def test_a_trap_turns_the_curve(self, tmp_path: Path) -> None:
        crawl = items(70)
        for n in range(100):
            crawl.page(f"/login?next={n}", prose("login"))
        curve = found(crawl, tmp_path)["by_requests"]
        assert curve == {"step": 10, "rows": [[10, 0, 0, 0]] * 10 + [[1, 9, 0, 0]] + [[0, 10, 0, 0]] * 9}

    @pytest.mark.thorough
    def test_over_time(self, tmp_path: Path) -> None:
        crawl = items(0)
        for n, visit in enumerate(crawl.rows):
            visit.time = f"2026-01-01T00:{n // 10:02}:{n % 10:02}Z"
        assert found(crawl, tmp_path)["by_minutes"] == {
            "step": 1, "start": 1767225600, "rows": [[10, 0, 0, 0]] * 3,
        }  # fmt: skip

    @pytest.mark.slow
    def test_no_curve_over_time_where_times_are_unknown(self, tmp_path: Path) -> None:
        assert found(items(1), tmp_path)["by_minutes"] is None


def pager(values: Callable[[int, int], list[str]], name: str = "x", plain: bool = True) -> Crawl:
    """Ten lists, each plain and with three values of a parameter: `values(list, value)` are its lines."""
    crawl = Crawl().other_pages()
    for n in range(10):
        if plain:
            crawl.page(f"/list/{n}", values(n, 0))
        for value in (1, 2, 3):
            crawl.page(f"/list/{n}?{name}={value}", values(n, value))
    return crawl


def on_hosts(crawls: Iterable[Crawl]) -> Crawl:
    """One crawl of many sites: each of these on a host of its own, shop0.test and so on."""
    every = Crawl()
    for number, crawl in enumerate(crawls):
        every.rows += [
            replace(visit, url=visit.url.replace(ORIGIN, f"http://shop{number}.test")) for visit in crawl.rows
        ]
    return every


VERDICTS: list[Any] = [
    pytest.param(pager(lambda n, _: prose(f"list{n}")), IRRELEVANT, id="the page is the same for each value"),
    pytest.param(
        pager(lambda n, v: prose(f"list{n}")[v:] + prose(f"list{n}")[:v]), SORTS, id="the same lines in another order"
    ),
    pytest.param(
        pager(lambda n, v: prose(f"list{n}", 40)[: 40 - 8 * v]),
        NARROWS,
        id="a part of the lines of the page without it",
    ),
    pytest.param(pager(lambda n, v: prose(f"list{n}-{v}")), CHANGES, id="another page for each value"),
    pytest.param(
        pager(lambda n, v: prose(f"l{n}") if v < 3 else prose(f"m{n}")), CHANGES, id="one value shows another"
    ),
    pytest.param(
        pager(lambda n, v: [*prose(f"list{n}", 40), f"Seen {v} times"]), IRRELEVANT, id="a counter is no other page"
    ),
    pytest.param(Crawl().other_pages().page("/a?x=1", prose("a")), UNKNOWN, id="one address proves nothing"),
]


def logins() -> Crawl:
    crawl = Crawl().other_pages()
    for n in range(20):
        crawl.page(f"/login?next=/{n}&back={n}", prose("login"))
    return crawl


def with_semicolons() -> Crawl:
    crawl = Crawl().other_pages()
    for n in range(10):
        for value in (1, 2, 3):
            crawl.page(f"/git?p=r{n};a=log;view={value}", prose(f"log{n}"))
    return crawl


@pytest.fixture(scope="module")
def parameter_rows(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Of one report: each crawl is that of a site."""
    more = [logins(), pager(lambda n, v: prose(f"list{n}-{v % 2}")), with_semicolons()]
    crawls = [*(param.values[0] for param in VERDICTS), *more]
    rows: list[dict[str, Any]] = found(on_hosts(crawls), tmp_path_factory.mktemp("parameters"))["parameters"]
    return rows


class TestParameters:
    @staticmethod
    def of(rows: list[dict[str, Any]], number: int) -> list[dict[str, Any]]:
        return [row for row in rows if row["site"] == f"shop{len(VERDICTS) + number}.test"]

    def test_verdicts(self, parameter_rows: list[dict[str, Any]]) -> None:
        sites = {f"shop{n}.test": param.values[1] for n, param in enumerate(VERDICTS)}
        assert {(row["site"], row["name"]): row["verdict"] for row in parameter_rows if row["site"] in sites} == {
            (site, "x"): verdict for site, verdict in sites.items()
        }

    @pytest.mark.parametrize(("crawl", "verdict"), VERDICTS[:1])
    def test_a_parameter_that_rules_drop_is_judged_too(self, crawl: Crawl, verdict: str, tmp_path: Path) -> None:
        (row,) = found(crawl, tmp_path, [{"rules": {"remove_params": ["x"]}}])["parameters"]
        assert (row["verdict"], row["dropped"]) == (verdict, 30)

    def test_what_all_addresses_with_it_show_is_irrelevant_without_any_comparison(
        self, parameter_rows: list[dict[str, Any]]
    ) -> None:
        assert {(row["name"], row["verdict"], row["compared"]) for row in self.of(parameter_rows, 0)} == {
            ("next", IRRELEVANT, 0), ("back", IRRELEVANT, 0),
        }  # fmt: skip

    def test_counts(self, parameter_rows: list[dict[str, Any]]) -> None:
        (row,) = self.of(parameter_rows, 1)
        assert {name: row[name] for name in ("requests", "values", "contents")} == {
            "requests": 30, "values": 3, "contents": 20,
        }  # fmt: skip

    def test_queries_with_semicolons_are_split(self, parameter_rows: list[dict[str, Any]]) -> None:
        by_name = {row["name"]: row for row in self.of(parameter_rows, 2)}
        assert by_name.keys() == {"p", "a", "view"}
        assert (by_name["view"]["verdict"], by_name["view"]["values"]) == (IRRELEVANT, 3)


class TestRules:
    def test_a_good_rule(self, tmp_path: Path) -> None:
        said = found(pager(lambda n, _: prose(f"list{n}"), "ref"), tmp_path, [DROP_REF])
        (rule,) = [row for row in said["rules"] if row["rule"] == "remove_params"]
        assert {name: rule[name] for name in ("name", "changed", "avoided", "agrees", "differs")} == {
            "name": "ref", "changed": 30, "avoided": 30, "agrees": 30, "differs": 0,
        }  # fmt: skip
        assert rule["risk"] < 0.05
        assert rule["examples"]["agrees"]
        assert said["suspicious"] == []

    def test_a_wrong_rule_is_found_by_what_it_merges(self, tmp_path: Path) -> None:
        said = found(pager(lambda n, v: prose(f"list{n}-{v}"), "ref"), tmp_path, [DROP_REF])
        (rule,) = [row for row in said["rules"] if row["rule"] == "remove_params"]
        assert (rule["agrees"], rule["differs"]) == (0, 30)
        assert rule["risk"] > 0.8
        assert len(said["suspicious"]) == 10
        assert said["totals"]["lost"] == 30
        first = said["suspicious"][0]
        assert first["rules"] == ["remove_params ref"]
        assert {member["url"].partition("?")[0] for member in first["members"]} == {f"{ORIGIN}/list/0"}

    def test_only_the_rule_that_lost_the_page_is_blamed(self, tmp_path: Path) -> None:
        crawl = Crawl().other_pages()
        for n in range(10):
            for view in "ab":
                crawl.page(f"/list/{n}?ref={view}&sid=7", prose(f"list{n}"))
            crawl.page(f"/list/{n}?page=2&sid=7", prose(f"second{n}"))
        rules = {"rules": {"remove_params": ["ref", "sid", "page"]}}
        said = found(crawl, tmp_path, [rules])
        assert {tuple(row["rules"]) for row in said["suspicious"]} == {("remove_params page",)}
        counts = {row["name"]: (row["agrees"], row["differs"]) for row in said["rules"]}
        assert counts == {"ref": (10, 0), "page": (0, 10), "sid": (0, 0)}

    @pytest.mark.slow
    def test_suspicious_merges_come_first_in_the_table_of_rules(self, tmp_path: Path) -> None:
        crawl = pager(lambda n, v: prose(f"list{n}-{v // 3}"), "ref")
        for n in range(40):
            crawl.page(f"/much/{n}?utm_source=a", prose(f"much{n}")).page(f"/much/{n}", prose(f"much{n}"))
        assert [row["name"] for row in found(crawl, tmp_path, [DROP_REF])["rules"]] == ["ref", "utm_source"]

    @pytest.mark.thorough
    def test_a_page_that_changes_by_itself_is_not_blamed_on_a_rule(self, tmp_path: Path) -> None:
        crawl = Crawl().other_pages()
        for n in range(5):
            for turn in range(3):
                crawl.page(f"/news/{n}", prose(f"news{n}-{turn}"))
            crawl.page(f"/news/{n}?ref=a", prose(f"news{n}-x"))
        assert found(crawl, tmp_path, [DROP_REF])["suspicious"] == []

    def test_errors_and_redirects_are_no_disagreement(self, tmp_path: Path) -> None:
        crawl = items(5).redirect("/item/0?ref=a", "/item/0")
        crawl.rows.append(Visit(url=f"{ORIGIN}/item/1?ref=a", status=500))
        assert found(crawl, tmp_path, [DROP_REF])["suspicious"] == []


class TestGroups:
    def test_largest_first_with_what_differs(self, tmp_path: Path) -> None:
        crawl = Crawl().other_pages()
        for n in range(4):
            crawl.page(f"/a?sid={n}", prose("a"))
        crawl.page("/b", prose("b")).page("/b/index.html", prose("b"))
        rows = found(crawl, tmp_path)["groups"]
        assert [(row["requests"], row["urls"], row["left"], row["differ"]) for row in rows] == [
            (4, 4, 4, ["?sid"]), (2, 2, 2, ["path"]),
        ]  # fmt: skip

    @pytest.mark.slow
    def test_one_address_fetched_twice_is_no_group(self, tmp_path: Path) -> None:
        crawl = Crawl().other_pages().page("/a", prose("a")).page("/a", prose("a"))
        said = found(crawl, tmp_path)
        assert said["groups"] == []
        assert said["totals"]["duplicates"] == 1


def chain(depth: int) -> str:
    url = "/login"
    for _ in range(depth):
        url = "/login?next=" + url.replace("%", "%25").replace("/", "%2F").replace("?", "%3F").replace("=", "%3D")
    return url


TRAPS: list[Any] = [
    pytest.param([chain(n) for n in range(1, 6)], {"nested"}, id="a parameter carries its own page"),
    pytest.param(["/a?u=%2Fother%2Fpage" + str(n) for n in range(9)], set(), id="an address of another page is none"),
    pytest.param(["/docs" + "/en/docs" * n for n in range(2, 6)], {"repeated"}, id="a run of segments is repeated"),
    pytest.param(["/a/b/" + "c/" * n for n in range(3, 7)], {"repeated"}, id="a segment is repeated"),
    pytest.param([f"/{n}/1/1/1/x" for n in range(9)], set(), id="equal numbers are none"),
    pytest.param([f"/cal?year={y}&n={y % 3}" for y in range(1950, 2090)], {"calendar"}, id="years ahead"),
    pytest.param(
        [f"/cal/{y}/{m:02}/" for y in range(2020, 2080) for m in (1, 7)], {"calendar"}, id="years in the path"
    ),
    pytest.param(
        [f"/blog/{y}/{m:02}/" for y in range(2019, 2026) for m in range(1, 13)], set(), id="an archive is none"
    ),
    pytest.param([f"/item?id={n}" for n in range(1900, 2100)], set(), id="numbers are no years"),
    pytest.param(["/" + f"d/e{n}/" * 9 for n in range(12)], {"deep", "repeated"}, id="deep paths"),
    pytest.param([f"/s?q={'w' * 1200}{n}" for n in range(12)], {"long"}, id="long addresses"),
]


def facets() -> Crawl:
    crawl = Crawl().other_pages()
    names = ("color", "size", "brand", "price")
    for n in range(1, 16):
        for value in range(6):
            query = "&".join(f"{name}={value}" for bit, name in enumerate(names) if n >> bit & 1)
            crawl.page(f"/shop?{query}", prose(f"goods{value}"))
    return crawl


def no_facets() -> Crawl:
    crawl = Crawl().other_pages()
    for n in range(90):
        crawl.page(f"/thread?f={n % 4}&t={n}&p=1", prose(f"thread{n % 20}"))
    return crawl


@pytest.fixture(scope="module")
def trap_rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The traps of each site, of one report."""
    crawls = [Crawl().other_pages() for _ in TRAPS]
    for crawl, param in zip(crawls, TRAPS, strict=True):
        for n, path in enumerate(param.values[0]):
            crawl.page(path, prose(f"page{n}"))
    every = [*crawls, facets(), no_facets()]
    rows: dict[str, list[dict[str, Any]]] = {f"shop{n}.test": [] for n, _ in enumerate(every)}
    for row in found(on_hosts(every), tmp_path_factory.mktemp("signs"))["traps"]:
        rows[row["host"]].append(row)
    return rows


class TestTraps:
    def test_signs(self, trap_rows: dict[str, list[dict[str, Any]]]) -> None:
        kinds = {host: {row["kind"] for row in of_host} for host, of_host in [*trap_rows.items()][: len(TRAPS)]}
        assert kinds == {f"shop{n}.test": param.values[1] for n, param in enumerate(TRAPS)}

    def test_facets_that_multiply(self, trap_rows: dict[str, list[dict[str, Any]]]) -> None:
        (row,) = trap_rows[f"shop{len(TRAPS)}.test"]
        assert row["kind"] == "facets"
        assert "15 combinations" in row["detail"]

    def test_parameters_that_come_together_are_no_facets(self, trap_rows: dict[str, list[dict[str, Any]]]) -> None:
        assert trap_rows[f"shop{len(TRAPS) + 1}.test"] == []


class TestPatterns:
    def test_values_are_folded_and_names_are_not(self, tmp_path: Path) -> None:
        crawl = Crawl()
        for n in range(30):
            crawl.page(f"/item/{chr(97 + n % 26)}{chr(97 + n // 26)}y/reviews", prose(f"review{n}"))
            crawl.page(f"/item/{chr(97 + n % 26)}{chr(97 + n // 26)}y/offers.html", prose(f"offer{n}"))
        crawl.page("/about", prose("about"))
        rows = found(crawl, tmp_path)["patterns"]
        assert [(row["pattern"], row["requests"]) for row in rows] == [
            ("/item/*/offers.html", 30), ("/item/*/reviews", 30), ("/about", 1),
        ]  # fmt: skip


class TestCrawlStats:
    def test_what_was_never_requested_comes_from_the_stats(self, tmp_path: Path) -> None:
        stats = {
            "downloader/request_count": 40, "dupefilter/filtered": 900, "urinorm/filtered": 50,
            "urinorm/filtered/remove_params": 48, "urinorm/filtered/www": 2, "urinorm/skipped": 7,
            "elapsed_time_seconds": 61.5, "finish_reason": "finished",
        }  # fmt: skip
        crawl = found(items(2), tmp_path, stats=stats)["crawl"]
        assert crawl["filtered"] == 900
        assert crawl["by_rules"] == 50
        assert crawl["skipped"] == 7
        assert crawl["rules"] == {"remove_params": 48, "www": 2}


class TestReading:
    def test_rows_that_cannot_be_read_are_counted_and_named(self, tmp_path: Path) -> None:
        path = items(2).write(tmp_path / "visits.jsonl")
        good = path.read_text("utf-8")
        path.write_text("{broken\n" + good + '{"status": 200}\n\n[1]\n{"url": 7}\n', "utf-8")
        said = findings([path], RuleSet.load(), learn=False, jobs=1)
        assert said["totals"]["requests"] == 32
        assert said["input"]["bad"] == 4
        assert [problem.partition(":")[2][:2] for problem in said["input"]["problems"]] == ["1:", "34", "36", "37"]

    def test_foreign_values_are_unknown_not_fatal(self, tmp_path: Path) -> None:
        path = tmp_path / "visits.jsonl"
        rows: list[dict[str, Any]] = [
            {"url": ORIGIN, "status": "200", "size": 12.0, "time": 1767225600},
            {"url": ORIGIN + "/a", "status": "ok", "size": [], "time": "noon", "lines": "?", "minhash": 5},
            {"url": "http://[broken", "words": None},
            {"url": "\ud800http://x.test/", "final_url": {}},
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        totals = findings([path], RuleSet.load(), learn=False, jobs=1)["totals"]
        assert (totals["requests"], totals["errors"]) == (4, 0)

    @pytest.mark.parametrize(
        "broken",
        [pytest.param(False, id="by DuckDB"), pytest.param(True, id="one by one", marks=pytest.mark.thorough)],
    )
    def test_lines_that_tell_of_no_response_are_no_pages(self, broken: bool, tmp_path: Path) -> None:
        path = items(2).write(tmp_path / "visits.jsonl")
        before = findings([path], RuleSet.load(), learn=False, jobs=1)["totals"]
        with path.open("a", encoding="utf-8") as file:
            failed = Visit(url=f"{ORIGIN}/gone", failure="DNSLookupError", crawl="c")
            for line in (failed, end_of("c", 32, "2026-01-01T00:00:00Z")):
                file.write(line.to_json() + "\n")
            file.write("{broken\n" * broken)
        assert findings([path], RuleSet.load(), learn=False, jobs=1)["totals"] == before

    @pytest.mark.parametrize(
        "name", [pytest.param("visits.csv", marks=pytest.mark.slow), "urls.txt", "visits.jsonl.gz"]
    )
    def test_other_files(self, name: str, tmp_path: Path) -> None:
        import gzip

        path = tmp_path / name
        text = {
            "visits.csv": f"Address,Status Code\n{ORIGIN}/a,200\n{ORIGIN}/b,404\n",
            "urls.txt": f"{ORIGIN}/a\n{ORIGIN}/b\n",
            "visits.jsonl.gz": f'{{"url": "{ORIGIN}/a"}}\n{{"url": "{ORIGIN}/b"}}\n{{"url": "torn',
        }[name]
        path.write_bytes(gzip.compress(text.encode())[:-9] if name.endswith(".gz") else text.encode())
        said = findings([path], RuleSet.load(), learn=False, jobs=1)
        assert said["totals"]["requests"] == 2
        assert said["input"]["bad"] == (1 if name.endswith(".gz") else 0)

    def test_values_of_another_type_are_unknown(self, tmp_path: Path) -> None:
        """As another tool may write them, beside lines."""
        path = tmp_path / "visits.jsonl"
        odd: list[dict[str, Any]] = [
            {"status": "ok"},
            {"status": [200]},
            {"marks": 5},
            {"marks": [5]},
            {"final_url": 5},
            {"crawl": {}},
        ]
        texts = {"lines": "A" * 43 + "=", "line_words": 1}
        path.write_text(
            "".join(json.dumps({"url": f"{ORIGIN}/{n}", **texts, **one}) + "\n" for n, one in enumerate(odd))
        )
        said = findings([path], RuleSet.load(), learn=False, jobs=1, crawl="all")
        assert (said["totals"]["requests"], said["input"]["bad"]) == (len(odd), 0)

    @pytest.mark.thorough
    def test_a_line_without_end_costs_itself_alone(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """What stands before it in its block is read, and what follows in the next ones."""
        monkeypatch.setattr(blocks, "LONGEST_LINE", 3 << 20)
        path = tmp_path / "visits.jsonl"
        rows = [f'{{"url": "{ORIGIN}/{n}"}}\n' for n in range(30_000)]
        endless = f'{{"url": "{ORIGIN}/{"x" * (9 << 20)}"}}\n'
        path.write_text("".join([*rows[:10], endless, *rows[10:]]))
        said = findings([path], RuleSet.load(), learn=False, jobs=1)
        assert said["totals"]["requests"] == said["totals"]["urls"] == len(rows)
        assert 1 <= said["input"]["bad"] <= 4
        assert said["input"]["problems"][0].startswith(f"{path}:11: ")

    @pytest.mark.thorough
    def test_processes_and_blocks_change_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        crawl = pager(lambda n, v: prose(f"list{n}-{v // 2}"), "ref").redirect("/a", "/b")
        whole = found(crawl, tmp_path, [DROP_REF])
        monkeypatch.setattr(blocks, "BLOCK", 20_000)
        monkeypatch.setattr(intake, "FRAME_ROWS", 70)
        # nor does a file that all threads count in
        monkeypatch.setattr(figures, "SMALL", 0)
        split = found(crawl, tmp_path, [DROP_REF], jobs=2)
        for name in ("generated",):
            whole.pop(name)
            split.pop(name)
        assert split == whole


@st.composite
def rows(draw: st.DrawFn) -> list[dict[str, Any]]:
    paths = st.sampled_from(["/", "/a", "/a/", "/b/index.html", "//", "/a;s=1", "/%7Ea", "/a%2Fb"])
    queries = st.lists(st.sampled_from(["a=1", "a=2", "ref=x", "b", "ref=", "a=1;b=2", "=", "c=%20"]), max_size=4)
    one = st.fixed_dictionaries(
        {"url": st.builds(lambda p, q: f"http://h.test{p}" + ("?" + "&".join(q) if q else ""), paths, queries)},
        optional={
            "status": st.sampled_from([200, 204, 301, 302, 404, 500, -1, 0, None]),
            "text_digest": st.sampled_from(["x", "y", "z"]),
            "words": st.sampled_from([0, 5, 100]),
            "size": st.integers(0, 10**9),
        },
    )
    return draw(st.lists(one, max_size=25))


@settings(max_examples=share(8), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows())
@pytest.mark.thorough
def test_the_counts_add_up(tmp_path: Path, made: list[dict[str, Any]]) -> None:
    path = tmp_path / "visits.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in made), "utf-8")
    said = findings([path], RuleSet.load(DROP_REF), learn=False, jobs=1)
    totals = said["totals"]
    assert totals["requests"] == len(made)
    assert totals["pages"] + totals["duplicates"] + totals["redirects"] + totals["errors"] == len(made)
    assert totals["kept"] + totals["avoidable"] == len(made)
    assert totals["left_over"] <= totals["duplicates"]
    for name in ("hosts", "patterns"):
        assert sum(row["requests"] for row in said[name]) == len(made)
    assert sum(map(sum, said["by_requests"]["rows"])) == len(made)


RULES_TRIED: list[Any] = [
    pytest.param([], id="none", marks=pytest.mark.slow),
    pytest.param([DROP_REF], id="a good one", marks=pytest.mark.slow),
    pytest.param([{"rules": {"remove_params": ["x", "ref", "id"]}}], id="one too many"),
    pytest.param([{"preset": "safe"}], id="safe", marks=pytest.mark.slow),
    pytest.param([{"preset": "loose", "rules": {"sort_query": "off"}}], id="loose", marks=pytest.mark.slow),
    pytest.param([{"site": {"shop.test": {"where": [{"path": "/list/**", "skip": True}]}}}], id="skip"),
]
#: What a crawl was, whatever the rules that it is looked at with.
FACTS = ("by_requests", "by_minutes", "outcomes")
COUNTED = ("requests", "pages", "duplicates", "redirects", "errors", "wasted_bytes", "bytes", "urls", "hosts", "weak")


def mixed_crawl() -> Crawl:
    """Lists, products, near copies, redirects, traps: all that makes pages one or two."""
    crawl = pager(lambda n, v: prose(f"list{n}-{v % 2}"), "x")
    for n in range(20):
        crawl.page(f"/p?id={n}&ref=a", [*prose(f"p{n}", 40), f"Seen {n} times"]).page(f"/p?id={n}", prose(f"p{n}", 40))
        crawl.page(f"/P?utm_source={n}&id={n}", prose(f"p{n}", 40)).page(f"/login?next={n}", prose("login"))
    return crawl.redirect("/old?ref=1", "/old").page("/old", prose("old"))


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return found(mixed_crawl(), tmp_path_factory.mktemp("facts"))


@pytest.mark.parametrize("rules", RULES_TRIED)
def test_facts_do_not_depend_on_rules(rules: list[Any], facts: dict[str, Any], tmp_path: Path) -> None:
    said = found(mixed_crawl(), tmp_path, rules)
    assert {name: said[name] for name in FACTS} == {name: facts[name] for name in FACTS}
    totals = {name: value for name, value in said["totals"].items() if name in COUNTED}
    assert totals == {name: value for name, value in facts["totals"].items() if name in COUNTED}
    for table, names in (
        ("parameters", ("name", "verdict", "share", "requests", "values", "contents", "compared", "same")),
        ("hosts", ("host", "requests", "pages", "duplicates", "redirects", "errors", "wasted_bytes")),
        ("traps", ("kind", "host", "detail", "requests", "pages", "duplicates", "examples", "toml")),
        ("groups", ("requests", "urls", "differ")),
    ):
        rows, theirs = ([{name: row[name] for name in names} for row in one[table]] for one in (said, facts))
        assert rows == theirs, table


def test_what_is_counted_is_what_the_visits_say(facts: dict[str, Any]) -> None:
    crawl = mixed_crawl()
    totals = facts["totals"]
    assert totals["requests"] == len(crawl.rows)
    assert totals["redirects"] == sum(visit.status == 301 for visit in crawl.rows)
    # 30 pages of the site, ten lists with two contents each, 20 products, one form, one page behind the redirect
    assert totals["pages"] == 30 + 20 + 20 + 1 + 1
    assert sum(sum(row) for row in facts["by_requests"]["rows"]) == totals["requests"]
    assert sum(row["requests"] for row in facts["hosts"]) == totals["requests"]


TRAP_RULES: list[Any] = [
    pytest.param([f"/login?next={n}" for n in range(60)], "one page", ["/login?next=1", "/login?next=2"], id="a form"),
    pytest.param([f"/busy/{n}" for n in range(60)], "one page", ["/busy/7"], id="an error at many paths"),
    pytest.param(["/docs" + "/en/docs" * n for n in range(2, 6)], "repeated", ["/docs/en/docs/en/docs/x"], id="a run"),
    pytest.param(
        [f"/cal?day={y}-01-0{d}" for y in range(2000, 2090) for d in (1, 2)], "calendar", ["/cal?day=2085-03-01"],
        id="days",
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def traps(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    crawls = [Crawl().other_pages() for _ in TRAP_RULES]
    for crawl, param in zip(crawls, TRAP_RULES, strict=True):
        paths, kind, _ = param.values
        for n, path in enumerate(paths):
            crawl.page(path, prose("one" if kind == "one page" else f"page{n}"))
    rows: list[dict[str, Any]] = found(on_hosts(crawls), tmp_path_factory.mktemp("traps"))["traps"]
    return rows


@pytest.mark.parametrize("number", range(len(TRAP_RULES)), ids=[param.id for param in TRAP_RULES])
def test_a_trap_has_a_rule_that_ends_it(number: int, traps: list[dict[str, Any]]) -> None:
    _, kind, ended = TRAP_RULES[number].values
    host = f"shop{number}.test"
    rows = [row for row in traps if (row["host"], row["kind"]) == (host, kind)]
    normalizer = Normalizer(tomllib.loads(rows[0]["toml"]))
    urls = [f"http://{host}{path}" for path in ended]
    assert all(normalizer.decide(url).skip for url in urls) or len({normalizer.key(url) for url in urls}) == 1
    assert not normalizer.decide(f"http://{host}/about/page-1").skip


@pytest.mark.thorough
def test_facets_have_a_rule_of_filters_alone(tmp_path: Path) -> None:
    crawl = Crawl().other_pages()
    goods = prose("goods", 60)
    names = ("color", "size", "brand")
    for category in range(4):
        shown = [f"{category} {line}" for line in goods]
        crawl.page(f"/shop?category={category}", shown)
        for n in range(1, 8):
            for value in range(3):
                chosen = [name for bit, name in enumerate(names) if n >> bit & 1]
                query = "".join(f"&{name}={value}" for name in chosen)
                crawl.page(f"/shop?category={category}{query}", shown[10 * value : 10 * value + 9])
    for visit in crawl.rows:
        # every list leads to every other one
        visit.id, visit.depth = url_hash(visit.url), 0 if visit is crawl.rows[0] else 1
        links = page_links([other.url for other in crawl.rows], visit.url)
        visit.links, visit.links_count = link_hashes(links)
    (row,) = [row for row in found(crawl, tmp_path, learn=True)["traps"] if row["kind"] == "facets"]
    rules = tomllib.loads(row["toml"])["host"]["shop.test"]["where"][0]
    assert rules["path"] == "/shop"
    assert set(rules["max_params"]["of"]) == set(names)


def test_proposals_are_tried_on_the_recorded_links(tmp_path: Path) -> None:
    """A crawl of the links under what is proposed: fewer requests, the same pages; and no proposal cuts one off."""
    crawl = Crawl()
    links = [f"{ORIGIN}/p/{n}?ref={n % 3}" for n in range(30)]
    for n in range(30):
        for ref in range(3):
            url = f"{ORIGIN}/p/{n}?ref={ref}"
            mine = [f"{ORIGIN}/p/{(n + 1) % 30}?ref={other}" for other in range(3)]
            crawl.page(url, prose(f"p{n}"), depth=n, id=url_hash(url))
            crawl.rows[-1].links, crawl.rows[-1].links_count = link_hashes(page_links(mine + links, url))
    said = found(crawl, tmp_path, learn=True)
    plain, now, then = said["proposals"]["trial"]
    assert (plain["requests"], now["requests"], plain["pages"]) == (90, 90, 30)
    assert (then["requests"], then["pages"], then["lost"]) == (30, 30, 0)
    assert then["curve"][-1] == [30, 30]


@pytest.mark.thorough
def test_what_the_rules_of_a_report_cut_off_is_held_against_no_proposal(tmp_path: Path) -> None:
    """Of two sites one has a rule that hides four of five pages; what else both need is proposed for both."""
    crawl = Crawl()
    for host in ("one.test", "two.test"):
        front = [f"http://{host}/q?id={n}" for n in range(5)] if host == "one.test" else []
        for n in range(30):
            for ref in range(2):
                url = f"http://{host}/p/{n}?ref={ref}"
                mine = [
                    f"http://{host}/p/{other}?ref={other_ref}" for other in (n, (n + 1) % 30) for other_ref in (0, 1)
                ]
                crawl.page(url, prose(f"{host}{n}"), depth=n, id=url_hash(url))
                crawl.rows[-1].links, crawl.rows[-1].links_count = link_hashes(page_links(mine + front, url))
        for n, url in enumerate(front):
            crawl.page(url, prose(f"hidden{n}"), depth=1, id=url_hash(url))
            crawl.rows[-1].links, crawl.rows[-1].links_count = link_hashes(page_links([], url))
    said = found(crawl, tmp_path, [{"site": {"one.test": {"remove_params": ["id"]}}}], learn=True)
    assert [(way["requests"], way["lost"]) for way in said["proposals"]["trial"]] == [(125, 0), (121, 4), (61, 4)]
    assert {row["site"] for row in said["proposals"]["rules"] if row["active"]} == {"one.test", "two.test"}


@pytest.mark.parametrize(
    ("cut", "guilty"),
    [([], ""), (["c"], "c"), (["b", "d"], "bd"), (["bc"], "b"), (["a", "bc"], "ab")],
    ids=["nothing", "one", "two, each by itself", "two, only together", "one, and two only together"],
)
def test_the_rules_that_cut_something_off_are_found(cut: list[str], guilty: str) -> None:
    """Each text names rules that together cut off a page."""
    rules = {name: Candidate("a.example", name, True, Evidence(), "", "", saved=n) for n, name in enumerate("abcd")}

    def lost(some: list[Candidate]) -> int:
        return sum({rule.rule for rule in some}.issuperset(names) for names in cut)

    found = cutting_off(list(rules.values()), lost)
    assert {rule.rule: pages for rule, pages in found.items()} == dict.fromkeys(guilty, 1)


def test_the_program_behind_a_site_is_named(tmp_path: Path) -> None:
    crawl = Crawl()
    for n in range(12):
        crawl.page(f"/blog/?p={n}", [f"post {n} " * 20], marks=("generator:WordPress 6.4",))
        crawl.page(f"/other/{n}", [f"page {n} " * 20])
    said = found(crawl, tmp_path)
    assert [(one["platform"], one["path"], one["pages"]) for one in said["platforms"]] == [("wordpress", "/blog/", 12)]
    assert any(sentence.startswith("Recognized: wordpress at ") for sentence in sentences(said))
    assert not any(sentence.startswith("Recognized") for sentence in sentences({**said, "platforms": []}))
