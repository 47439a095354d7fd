"""The page in a real browser: Debian's Chromium, driven by Playwright, from disk and without a network."""

from __future__ import annotations

import contextlib
import csv
import json
import re
import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from scrapy_urinorm.report import write_report
from scrapy_urinorm.rulesets.ruleset import RuleSet
from tests.report.crawls import Crawl, prose
from tests.report.test_page import HOSTILE, hostile_crawl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.system("chromium")

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
RULES = {"rules": {"remove_params": ["ref", "view"]}}


class Opened(NamedTuple):
    """The page in the browser, what the console said, what was asked of a network, and the data."""

    page: Page
    console: list[str]
    asked: list[str]
    data: dict[str, Any]


def shop() -> Crawl:
    """A crawl with something for every section of the page."""
    crawl = Crawl().other_pages(60)
    for n in range(80):
        crawl.page(f"/item/{n}", prose(f"item{n}")).page(f"/item/{n}?ref=home", prose(f"item{n}"))
        crawl.page(f"/item/{n}?session=a{n}7", prose(f"item{n}"))
    for n in range(6):
        crawl.page(f"/list?view={n}", prose(f"view{n}"))
        crawl.page(f"/list?sort={n}", prose("list")[n:] + prose("list")[:n])
    nested = "/login"
    for _ in range(5):
        nested = "/login?next=" + nested.replace("%", "%25").replace("/", "%2F").replace("?", "%3F").replace("=", "%3D")
        crawl.page(nested, prose("login"))
    for n in range(60):
        crawl.page(f"/cal?month={1990 + n}-01", prose("no events"))
    crawl.redirect("/old", "/item/1")
    for n, visit in enumerate(crawl.rows):
        visit.time = f"2026-01-01T{n // 120:02}:{n // 2 % 60:02}:00Z"
    return crawl


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    crawls = {
        "shop": shop(),
        "empty": Crawl(),
        "hostile": hostile_crawl(*(str(parameter.values[0]) for parameter in HOSTILE)),
    }
    for name, crawl in crawls.items():
        visits = crawl.write(folder / f"{name}.jsonl")
        write_report(
            [visits], folder / f"{name}.html", RuleSet.load(RULES), json_output=folder / f"{name}.json", jobs=1
        )
    return {name: folder / f"{name}.html" for name in crawls}


@pytest.fixture(scope="module", params=["light", "dark"])
def theme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def opener(theme: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        context = driver.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("browser"), executable_path=shutil.which("chromium"), headless=True, args=FLAGS,
            color_scheme=theme, viewport={"width": 1200, "height": 900}, permissions=["clipboard-read"],
        )  # fmt: skip
        yield context
        context.close()


@pytest.fixture
def opened(opener: Any, files: dict[str, Path], request: pytest.FixtureRequest) -> Iterator[Opened]:
    """Open the report that the test's parameter names, `shop` without one."""
    file = files[getattr(request, "param", "shop")]
    page: Page = opener.new_page()
    console: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: console.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: console.append(f"error: {error}"))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready]")
    yield Opened(
        page,
        console,
        [url for url in asked if not url.startswith("data:")],
        json.loads(file.with_suffix(".json").read_text("utf-8")),
    )
    page.close()


def text_of(one: Locator, expected: str) -> bool:
    """Wait for an element to show a text. The page's policy forbids the usual way, a script that is made of text."""
    from playwright.sync_api import expect

    expect(one).to_have_text(expected)
    return True


def painted(canvas: Locator) -> int:
    """How many colours a chart shows."""
    count = canvas.evaluate(
        """canvas => {
            const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return new Set(new Uint32Array(data.buffer)).size;
        }"""
    )
    assert isinstance(count, int)
    return count


@pytest.mark.parametrize("opened", ["shop", "empty", "hostile"], indirect=True)
def test_loads_in_silence_and_asks_nobody(opened: Opened) -> None:
    assert opened.console == []
    assert len(opened.asked) == 1
    assert opened.asked[0].startswith("file:")


def test_charts_are_drawn(opened: Opened) -> None:
    assert painted(opened.page.locator("#curve-box canvas")) > 4
    for tab in ("By path", "By parameter", "By rule", "By host"):
        opened.page.get_by_role("tab", name=tab).click()
        assert painted(opened.page.locator("[role=tabpanel]:visible canvas")) > 2
    opened.page.get_by_role("button", name="By time").click()
    assert painted(opened.page.locator("#curve-box canvas")) > 4
    assert opened.console == []


def test_curve_is_a_table_too(opened: Opened) -> None:
    opened.page.get_by_text("The same as a table").click()
    rows = opened.page.locator("#curve-box tbody tr")
    assert rows.count() == len(opened.data["by_requests"]["rows"])
    cells = [int(cell) for cell in rows.first.locator("td").all_inner_texts()[1:]]
    assert cells == opened.data["by_requests"]["rows"][0]


def test_search(opened: Opened) -> None:
    search = opened.page.get_by_label("Search Pages with most addresses")
    rows = opened.page.locator("#groups-table tbody tr")
    search.fill("ITEM/7 session")
    assert rows.count() == 11
    assert "of 8" in opened.page.locator("#groups-box .count").inner_text()
    search.fill("nothing has this")
    assert rows.count() == 0
    search.press("Escape")
    assert rows.count() == 25
    opened.page.locator("#groups-box").get_by_role("button", name="Show more").click()
    assert rows.count() == len(opened.data["groups"])


def test_sort(opened: Opened) -> None:
    table = opened.page.locator("#groups-table")

    def column() -> list[int]:
        return [int(text.replace(",", "")) for text in table.locator("tbody tr td:nth-child(4)").all_inner_texts()]

    head = table.get_by_role("columnheader", name="requests")
    assert head.get_attribute("aria-sort") == "descending"
    assert column() == sorted(column(), reverse=True)
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert column() == sorted(column())
    assert column()[0] == min(row["requests"] for row in opened.data["groups"])
    assert "ascending" in opened.page.locator("#said").inner_text()


def test_copy(opened: Opened) -> None:
    rule = opened.data["proposals"]["rules"][0]
    button = opened.page.locator("#proposals-box article").first.get_by_role("button")
    button.click()
    assert text_of(button, "Copied")
    assert opened.page.evaluate("navigator.clipboard.readText()") == rule["toml"]
    assert opened.page.locator("#said").inner_text() == "Copied"
    everything = opened.page.get_by_role("button", name="Copy all safe rules")
    everything.click()
    assert text_of(opened.page.locator("#proposals-box .tools button"), "Copied")
    copied = opened.page.evaluate("navigator.clipboard.readText()")
    assert copied == opened.data["proposals"]["toml"]
    import tomllib

    RuleSet.load(tomllib.loads(copied))


def test_copy_where_the_browser_has_no_clipboard(opened: Opened) -> None:
    opened.page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    button = opened.page.locator("#proposals-box article").first.get_by_role("button")
    button.click()
    assert text_of(button, "Copied")
    # a paste proves that it is not the button alone that says so
    search = opened.page.get_by_label("Search Pages with most addresses")
    search.focus()
    opened.page.keyboard.press("Control+V")
    assert search.input_value() == opened.data["proposals"]["rules"][0]["toml"].strip().replace("\n", " ")


def test_keyboard_alone(opened: Opened) -> None:
    page = opened.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the report"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.locator("#hosts-tab").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "patterns-tab"
    assert page.locator("#patterns-panel").is_visible()
    page.keyboard.press("End")
    assert page.locator("#acts-tab").get_attribute("aria-selected") == "true"
    page.locator("#groups-table th button").last.focus()
    page.keyboard.press("Enter")
    assert page.locator("#groups-table th").last.get_attribute("aria-sort") == "descending"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    summary = page.locator("#suspicious-table summary").nth(0)
    summary.focus()
    before = page.locator("#suspicious-table details").nth(0).get_attribute("open")
    page.keyboard.press("Enter")
    assert page.locator("#suspicious-table details").nth(0).get_attribute("open") != before


def test_everything_that_can_be_focused_shows_it(opened: Opened) -> None:
    outlines = opened.page.evaluate(
        """async () => {
            const found = [];
            for (const one of document.querySelectorAll("button, input, a.skip, summary, [tabindex='0']")) {
                if (!one.checkVisibility({contentVisibilityAuto: true})) continue;
                one.focus({focusVisible: true});
                if (getComputedStyle(one).outlineStyle === "none") found.push(one.outerHTML.slice(0, 80));
            }
            return found;
        }"""
    )
    assert outlines == []


def test_names_of_controls_and_images(opened: Opened) -> None:
    nameless = opened.page.evaluate(
        """[...document.querySelectorAll("button, input, canvas, [role=region]")]
            .filter(one => !(one.textContent.trim() || one.getAttribute("aria-label"))).map(one => one.outerHTML)"""
    )
    assert nameless == []


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours (WCAG 2.2)."""

    def luminance(colour: str) -> float:
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_both_themes(opened: Opened, theme: str) -> None:
    page = opened.page

    def colours(selector: str) -> tuple[str, str]:
        found = page.locator(selector).first.evaluate(
            """one => {
                let box = one;
                while (box && getComputedStyle(box).backgroundColor === "rgba(0, 0, 0, 0)") box = box.parentElement;
                return [getComputedStyle(one).color, getComputedStyle(box).backgroundColor];
            }"""
        )
        return found[0], found[1]

    def ground() -> str:
        return colours("body")[1]

    before = ground()
    for _ in range(2):
        for selector in (
            "p",
            "h1",
            ".hint",
            ".card b",
            ".card.bad b",
            ".note",
            "th button",
            ".tag",
            "nav a",
            "summary",
            "pre",
            "mark",
            "#theme",
            ".tag.irrelevant",
            ".tag.changes",
            ".tag.proposal",
            ".verdict.differs",
            "[role=tab][aria-selected=true]",
            "[role=tab][aria-selected=false]",
        ):
            assert contrast(*colours(selector)) >= 4.5, (theme, selector, colours(selector))
        page.locator("#theme").click()
    assert ground() == before
    page.locator("#theme").click()
    assert ground() != before
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert ground() != before, "the choice is kept"
    page.locator("#theme").click()
    page.evaluate("localStorage.clear()")


def test_narrow_window_does_not_scroll_sideways(opened: Opened) -> None:
    opened.page.set_viewport_size({"width": 380, "height": 800})
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 380


@pytest.mark.parametrize("opened", ["hostile"], indirect=True)
def test_hostile_addresses_do_nothing(opened: Opened) -> None:
    page = opened.page
    for summary in page.locator("details:not([open]) > summary").all():
        if summary.is_visible():
            summary.click()
    for tab in page.get_by_role("tab").all():
        tab.click()
    assert page.title().startswith("Crawl report")
    assert page.locator("main script, main img, main iframe, main object, main embed, main form").count() == 0
    handlers = page.evaluate(
        """[...document.querySelectorAll('main *')]
            .flatMap(one => one.getAttributeNames().filter(name => name.startsWith('on')))"""
    )
    assert handlers == []
    schemes = page.evaluate("[...new Set([...document.querySelectorAll('main a')].map(one => one.protocol))]")
    assert set(schemes) <= {"http:", "https:", "file:"}
    text = page.locator("main").inner_text()
    assert "<script>" in text or "%3Cscript%3E" in text
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b]", text)
    assert opened.console == []
    assert len(opened.asked) == 1


def test_tables_are_saved_as_csv(opened: Opened) -> None:
    with opened.page.expect_download() as saved:
        opened.page.get_by_role("button", name="Save Pages with most addresses as CSV").click()
    assert saved.value.suggested_filename == "groups.csv"
    rows = list(csv.reader(saved.value.path().read_text("utf-8").splitlines()))
    assert rows[0][2] == "addresses"
    assert len(rows) == len(opened.data["groups"]) + 1
    assert [int(row[3]) for row in rows[1:]] == [row["requests"] for row in opened.data["groups"]]


def test_on_paper(opened: Opened) -> None:
    """Heads of columns stay, what is to click goes, and nothing is wider than the paper."""
    page = opened.page
    before = page.locator("main details[open]").count()
    page.set_viewport_size({"width": 720, "height": 1000})
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#groups-table th button").first.is_visible()
    assert not page.locator("#groups-search").is_visible()
    assert page.locator("main details:not([open])").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 720
    wide = page.evaluate(
        "[...document.querySelectorAll('canvas, svg')].filter(one => one.getBoundingClientRect().right > 720).length"
    )
    assert wide == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("main details[open]").count() == before


def test_without_script(opener: Any, files: dict[str, Path]) -> None:
    """Another context: every table and curve is there, and the page says what script would add."""
    with (
        opener.browser.new_context(java_script_enabled=False) if opener.browser else contextlib.nullcontext() as context
    ):
        if context is None:
            pytest.skip("this browser has one context only")
        page = context.new_page()
        page.goto(files["shop"].as_uri())
        assert page.get_by_text("With JavaScript").is_visible()
        assert not page.locator("#theme").is_visible()
        for section in ("traps", "suspicious", "rules", "groups", "parameters", "proposals"):
            assert page.locator(f"#{section}-box tbody tr").count() > 0, section
        assert page.locator("#curve-box svg rect").count() > 4
