"""What the commands write, in pipes and on terminals."""

# ruff: noqa: E501  a row of a table is a line
from __future__ import annotations

import gzip
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from scrapy import Request

from scrapy_urinorm import Normalizer
from scrapy_urinorm.crawl.fingerprinter import RequestFingerprinter
from scrapy_urinorm.learn import Options
from tests.cli.programs import SCRAPY, URINORM, environment, json_lines, on_terminal, run
from tests.report.crawls import Crawl, prose
from tests.serving import Answer, Serving

CORPUS = Path(__file__).resolve().parents[2] / "benchmarks" / "corpus" / "urls.txt"
# --- normalize --------------------------------------------------------------------------------------------------------

NORMALIZED = {
    "canonical": ([], "http://shop.example/?b=2&ref=1\n"),
    "under rules": (["--rules", "rules.toml"], "http://shop.example/?b=2\n"),
    "key": (["--key", "--rules", "rules.toml"], "http://shop.example/?b=2\n"),
    "preset": (["--preset", "loose"], "https://shop.example/?b=2&ref=1\n"),
    "json": (
        ["--json", "--rules", "rules.toml"],
        (
            '{"url": "HTTP://www.Shop.example:80/?ref=1&b=2", "canonical": "http://shop.example/?b=2",'
            ' "key": "http://shop.example/?b=2", "skip": false}\n'
        ),
    ),
}


@pytest.mark.parametrize(("options", "expected"), NORMALIZED.values(), ids=NORMALIZED)
def test_normalize(options: list[str], expected: str, folder: Path) -> None:
    url = "HTTP://www.Shop.example:80/?ref=1&b=2" if options else "HTTP://Shop.example:80/?ref=1&b=2"
    done = run("normalize", *options, cwd=folder, given=url)
    assert (done.code, done.out, done.err) == (0, expected, "")


def test_normalize_says_what_to_skip(folder: Path) -> None:
    given = "http://shop.example/calendar/2001\nhttp://shop.example/\nnot a url\n\n"
    done = run("normalize", "--json", "--rules", "rules.toml", cwd=folder, given=given)
    assert [row["skip"] for row in json_lines(done.out)] == [True, False, False, False]


def test_normalize_relative_references(folder: Path) -> None:
    done = run("normalize", "--base", "http://a.example/x/y", cwd=folder, given="../z?utm_source=1\n//b.example\n?q\n")
    assert done.out == "http://a.example/z\nhttp://b.example/\nhttp://a.example/x/y?q\n"


def test_rule_file_of_the_folder_is_used(folder: Path) -> None:
    (folder / "rules.toml").rename(folder / "urinorm.toml")
    done = run("normalize", cwd=folder, given="http://www.shop.example/?ref=1\n")
    assert done.out == "http://shop.example/\n"


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.thorough), 3])
def test_order_is_kept(jobs: int, folder: Path) -> None:
    lines = CORPUS.read_bytes() * 2
    done = run("normalize", "--jobs", str(jobs), cwd=folder, given=lines)
    normalizer = Normalizer()
    expected = [normalizer.normalize(line) for line in CORPUS.read_text("utf-8").split("\n")[:-1]] * 2
    assert done.out.split("\n")[:-1] == expected


def test_broken_lines_are_counted(folder: Path) -> None:
    given = b"http://a.example/\nnot a url\nhttp://a.example/\xe9\n//x\n"
    done = run("normalize", cwd=folder, given=given)
    assert done.code == 0
    assert done.out == "http://a.example/\nnot a url\nhttp://a.example/%E9\n//x\n"
    assert done.err == (
        "urinorm: 2 of 4 lines: not a URL that rules apply to, left as it is; the first is line 2\n"
        "urinorm: 1 of 4 lines: not UTF-8, odd octets percent-encoded\n"
    )


@pytest.mark.parametrize(
    ("command", "kept", "first"),
    [
        ("unique", "http://a.example/\nnot a url\nhttp://a.example/%E9\n//x\n", "; the first is line 3"),
        ("sample", "http://a.example/\nnot a url\nhttp://a.example/%E9\n//x\n", "; the first is line 3"),
        ("groups", "6 URLs: 4 pages, 0 groups; the rules save 0\n", ""),
    ],
)
def test_they_are_counted_wherever_they_come_again(command: str, kept: str, first: str, folder: Path) -> None:
    given = b"http://a.example/\n\nnot a url\nhttp://a.example/\xe9\nnot a url\n//x\nnot a url\n"
    done = run(command, "--jobs", "1", cwd=folder, given=given)
    assert (done.code, done.out) == (0, kept)
    lines = 6 if command == "groups" else 7
    assert f"urinorm: 4 of {lines} lines: not a URL that rules apply to, left as it is{first}\n" in done.err
    assert f"urinorm: 1 of {lines} lines: not UTF-8, odd octets percent-encoded\n" in done.err


URLS = ["http://a.example/?utm_source=1", 'http://b.example/,"x"?gclid=2', "http://c.example/é"]
EXPECTED = "http://a.example/\nhttp://b.example/,%22x%22\nhttp://c.example/%C3%A9\n"


def csv_of(delimiter: str, header: str = "n{0}url{0}t") -> bytes:
    quoted = [f'"{url}"' for url in (u.replace('"', '""') for u in URLS)]
    rows = [delimiter.join([str(n), url, "x"]) for n, url in enumerate(quoted)]
    return ("\ufeff" + "\r\n".join([header.format(delimiter), *rows]) + "\r\n").encode()


FILES: dict[str, tuple[bytes, list[str]]] = {
    "urls.txt": ("\n".join(URLS).encode(), []),
    "crlf.txt": ("\r\n".join(URLS).encode(), []),
    "urls.txt.gz": (gzip.compress("\n".join(URLS).encode()), []),
    "named-wrongly": (gzip.compress("\n".join(URLS).encode()), []),
    "table.csv": (csv_of(","), []),
    "semicolons.csv": (csv_of(";"), []),
    "tabs.tsv": (csv_of("\t"), []),
    "address.csv": (csv_of(",", "n{0}Address{0}t"), []),
    "column.csv": (csv_of(",", "n{0}seite{0}t"), ["--column", "seite"]),
    "table.csv.gz": (gzip.compress(csv_of(",")), []),
    "rows.jsonl": ("\n".join(json.dumps({"url": url}) for url in URLS).encode(), []),
    "texts.jsonl": ("\n".join(json.dumps(url) for url in URLS).encode(), []),
    "column.jsonl": ("\n".join(json.dumps({"u": url}) for url in URLS).encode(), ["--column", "u"]),
    "kind": (csv_of(","), ["--format", "csv"]),
}


@pytest.mark.parametrize("name", FILES)
def test_files(name: str, folder: Path) -> None:
    data, options = FILES[name]
    (folder / name).write_bytes(data)
    done = run("normalize", *options, name, cwd=folder)
    assert (done.code, done.out, done.err) == (0, EXPECTED, "")


def test_files_of_zstandard(folder: Path) -> None:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        zstd = pytest.importorskip("backports.zstd")
    (folder / "urls.txt.zst").write_bytes(zstd.compress("\n".join(URLS).encode()))
    assert run("normalize", "urls.txt.zst", cwd=folder).out == EXPECTED


def test_files_of_parquet(folder: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"n": [1, 2, 3, 4], "url": [*URLS, None]}), folder / "table.parquet")
    assert run("normalize", "table.parquet", cwd=folder).out == EXPECTED + "\n"


def test_several_files_do_not_run_together(folder: Path) -> None:
    (folder / "one").write_bytes(b"http://a.example/1")
    (folder / "two").write_bytes(b"http://a.example/2\n")
    done = run("normalize", "one", "-", "two", cwd=folder, given="http://a.example/0")
    assert done.out == "http://a.example/1\nhttp://a.example/0\nhttp://a.example/2\n"


def test_rows_without_a_url_are_empty_lines(folder: Path) -> None:
    (folder / "rows.jsonl").write_text(
        '{"url": "http://a.example/"}\n[]\n{\n{"url": 7}\n{"url": "http://b.example/\\n"}\n'
    )
    done = run("normalize", "rows.jsonl", cwd=folder)
    assert done.out == "http://a.example/\n\n\n\nhttp://b.example/\n"
    assert done.err == "urinorm: 3 of the rows have no URL and were left empty\n"


def test_slow_input_is_answered_at_once(folder: Path) -> None:
    process = subprocess.Popen(
        [*URINORM, "normalize"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for n in range(4):
        process.stdin.write(f"http://a.example/{n}?utm_source=1\n".encode())
        process.stdin.flush()
        assert process.stdout.readline().decode() == f"http://a.example/{n}\n"
    process.stdin.close()
    assert process.wait(timeout=280) == 0
    process.stdout.close()


# --- check, init ------------------------------------------------------------------------------------------------------


def test_check_json(folder: Path) -> None:
    (folder / "odd.toml").write_text('[rules]\nremove_params = ["utm_medium"]\nexamples = [["/?utm_medium=1", "/"]]\n')
    (folder / "bad.toml").write_text('[rules]\nwww = "yes"\n')
    done = run("check", "--json", "odd.toml", "bad.toml", "rules.toml", cwd=folder)
    odd, bad, good = json_lines(done.out)
    assert done.code == 2
    assert [(f["code"], f["line"]) for f in odd["findings"]] == [("covered", 2)]
    assert (odd["examples"], odd["problems"]) == (1, [])
    assert [(p["table"], p["key"], p["line"]) for p in bad["problems"]] == [("rules", "www", 2)]
    assert (good["findings"], good["sites"]) == ([], 1)
    assert run("check", "odd.toml", cwd=folder).code == 1


def test_check_tries_given_urls(folder: Path) -> None:
    (folder / "grow.toml").write_text("[site.\"a.example\"]\nrewrite = [{ pattern = '^/(zz+)$', replace = '/\\1z' }]\n")
    (folder / "urls.txt").write_text("http://a.example/zz\n")
    done = run("check", "grow.toml", "--urls", "urls.txt", cwd=folder)
    assert done.code == 1
    assert "rewrite do not settle: /zzz -> /zzzz" in done.out


@pytest.mark.parametrize("command", ["normalize", "unique", "groups"])
def test_the_row_that_ends_recorded_visits_is_no_url(command: str, folder: Path) -> None:
    (folder / "v.jsonl").write_text('{"url": "http://a.example/"}\n{"url": "urinorm:finished", "status": 300}\n')
    done = run(command, "v.jsonl", cwd=folder)
    assert done.code == 0
    assert "finished" not in done.out
    assert "not a URL" not in done.err


def test_init_of_visits(folder: Path) -> None:
    (folder / "visits.jsonl.gz").write_bytes(gzip.compress(b'{"url": "http://a.example/?sid=0123456789abcdef0"}\n' * 3))
    assert run("init", "visits.jsonl.gz", cwd=folder).out == "urinorm.toml: 1 site\n"
    text = (folder / "urinorm.toml").read_text("utf-8")
    assert '# remove_params = ["sid"]' in text
    assert run("check", cwd=folder).code == 0


WRITING = {
    "init": ["init", "urls.txt", "--force", "-o", "rules.toml"],
    "import": ["import", "robots", "--site", "a.example", "robots.txt", "-o", "rules.toml"],
}


@pytest.mark.parametrize("args", WRITING.values(), ids=WRITING)
def test_a_rule_file_is_replaced_as_a_whole(folder: Path, args: list[str]) -> None:
    """A disk that is full left half of one: what was there is not written into."""
    (folder / "urls.txt").write_text("http://a.example/?a=1\n")
    (folder / "robots.txt").write_text("User-agent: *\nClean-param: ref\n")
    (folder / "rules.toml").write_text("# old\n")
    # the same file by another name: it sees what is written into it
    (folder / "old.toml").hardlink_to(folder / "rules.toml")
    assert run(*args, cwd=folder).code == 0
    assert "a.example" in (folder / "rules.toml").read_text("utf-8")
    assert (folder / "old.toml").read_text() == "# old\n"
    assert not list(folder.glob("*.partial"))


# --- learn, report, seen -----------------------------------------------------------------------------------------------


def visits(folder: Path) -> str:
    """A crawl of a site on which `ref` means nothing and `id` is the page."""
    rows = [
        {
            "url": f"http://shop.example/p?id={page}&ref={ref}",
            "status": 200,
            "main_digest": f"{page:040x}",
            "words": 200,
        }
        for page in range(60)
        for ref in ("home", "menu", "mail")
    ]
    (folder / "visits.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "visits.jsonl"


@pytest.mark.parametrize(("families", "rules"), [("paths,values", False), ("paths,parameters", True)])
def test_learn_some_families(folder: Path, families: str, rules: bool) -> None:
    done = run("learn", visits(folder), "--output", "-", "--families", families, cwd=folder)
    assert ("remove_params" in done.out.partition("[[evidence]]")[0]) is rules


def test_learn(folder: Path) -> None:
    done = run("learn", visits(folder), "--output", "learned.toml", "--json", cwd=folder)
    (row,) = json_lines(done.out)
    assert (row["visits"], row["urls"], row["keys"]) == (180, 180, 60)
    assert row["rules"] >= 1
    done = run(
        "normalize", "--key", "--rules", "learned.toml", cwd=folder, given="http://shop.example/p?id=7&ref=mail\n"
    )
    assert done.out == "http://shop.example/p?id=7\n"
    assert run("check", "learned.toml", cwd=folder).code == 0


def test_learn_says_what_it_learned_from_a_sample(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_urinorm.learn.options.Options", partial(Options, max_urls=20))
    done = run("learn", visits(folder), "--output", "-", cwd=folder)
    assert "shop.example: 180 visits, of which a sample of 20 was learned from" in done.err


def test_learn_says_what_was_drawn_in_the_browser(folder: Path) -> None:
    crawl = Crawl()
    for n in range(30):
        crawl.page(f"/blog/{n}", prose(f"article{n}"), f"Article {n}")
        crawl.page(
            f"/p/{n}", ["Loading the product, one moment please, it is here as soon as it was drawn"], f"Chair {n}"
        )
    done = run("learn", crawl.write(folder / "shop.jsonl"), "--output", "-", cwd=folder)
    assert "30 of 60 addresses, such as http://shop.test/p/0, showed data for scripts and hardly any words" in done.err


def test_learn_to_standard_output(folder: Path) -> None:
    done = run("learn", visits(folder), "--output", "-", cwd=folder)
    (folder / "learned.toml").write_text(done.out)
    assert "[[evidence]]" in done.out
    assert run("check", "learned.toml", cwd=folder).code == 0


def test_eval(folder: Path) -> None:
    (row,) = json_lines(run("eval", visits(folder), "--seeds", "1", "--json", cwd=folder).out)
    scores = row["shop.example"]
    assert (scores["learned"]["cut"], scores["learned"]["lost"]) == (pytest.approx(2 / 3, abs=0.01), 0)
    assert scores["w3lib"]["cut"] == scores["preset"]["cut"] == 0
    assert scores["no parameters"]["loss"] > 0.9


def test_eval_of_a_redirect_to_what_is_no_url(folder: Path) -> None:
    rows = (folder / visits(folder)).read_text()
    odd = folder / "odd.jsonl"
    odd.write_text(rows.replace('"status"', '"final_url": "\\ud800", "status"'))
    done = run("eval", odd, "--seeds", "1", "--json", cwd=folder)
    assert (done.code, done.err) == (0, "")


@pytest.mark.slow
def test_eval_in_processes_with_another_risk(folder: Path) -> None:
    (folder / "rules.toml").write_text('[rules]\nremove_params = ["ref"]\n')
    said = [
        json_lines(run("eval", visits(folder), "--seeds", "2", "--risk", "0.1", "--rules", "rules.toml", "--json",
                       "--jobs", jobs, cwd=folder).out)
        for jobs in ("1", "2")
    ]  # fmt: skip
    assert said[0] == said[1]
    assert {"learned", "rules", "w3lib"} <= next(iter(said[0][0].values())).keys()


def pages(target: str) -> Answer:
    """A site on which `ref` means nothing and `id` is the page."""
    path, _, query = target.partition("?")
    page = dict(field.partition("=")[::2] for field in query.split("&")).get("id", "")
    found = path == "/p"
    return 200 if found else 404, {}, "".join(f"<p>line {n} of page {page}</p>" for n in range(30)) * found


@pytest.mark.slow
def test_validate(folder: Path) -> None:
    pytest.importorskip("selectolax")
    with Serving(pages) as server:
        origin = server.origin
        lines = [f"{origin}/p?id={page}{tail}\n" for page in range(50) for tail in ("", "&ref=home", "&ref=menu")]
        (folder / "urls.txt").write_text("".join(lines))
        assert run("learn", "urls.txt", "--output", "proposed.toml", cwd=folder).code == 0
        done = run(
            "validate", "proposed.toml", "urls.txt", "--delay", "0", "--output", "learned.toml", "--json", cwd=folder
        )
    (row,) = json_lines(done.out)
    assert [(one["rule"], one["value"], one["status"]) for one in row["decided"]] == [
        ("remove_params", ["ref"], "active")
    ]
    given = f"{origin}/p?id=7&ref=x\n"
    assert run("normalize", "--rules", "learned.toml", cwd=folder, given=given).out == f"{origin}/p?id=7\n"


def test_report(folder: Path) -> None:
    done = run("report", visits(folder), "--output", "report.html", "--json-output", "report.json", cwd=folder)
    assert (done.code, done.err) == (0, "")
    assert "written: report.html" in done.out
    assert "<!doctype html>" in (folder / "report.html").read_text("utf-8")[:100].lower()
    assert json.loads((folder / "report.json").read_text())["totals"]["requests"] == 180


def test_seen(folder: Path) -> None:
    from scrapy_urinorm.seen import make_store

    (folder / "job").mkdir()
    (folder / "other").mkdir()
    fingerprint = RequestFingerprinter(Normalizer()).fingerprint(Request("http://a.example/?utm_source=1"))
    for name, prints in (("job", [fingerprint, b"x" * 20]), ("other", [b"y" * 20])):
        store = make_store("memory", directory=folder / name)
        store.open()
        for one in prints:
            store.add(one)
        store.close()
    assert run("seen", "count", "job", cwd=folder).out == "2\n"
    done = run("seen", "contains", "job", "http://a.example/", "http://a.example/x", "--json", cwd=folder)
    assert (done.code, [row["seen"] for row in json_lines(done.out)]) == (1, [True, False])
    assert run("seen", "export", "job", "out.txt", cwd=folder).code == 0
    assert fingerprint.hex() in (folder / "out.txt").read_text()
    assert run("seen", "import", "out.txt", "other", cwd=folder).out == "other: 2 fingerprints added\n"
    assert run("seen", "count", "other", cwd=folder).out == "3\n"
    (folder / "new").mkdir()
    assert run("seen", "import", "out.txt", "new", cwd=folder).out == "new: 2 fingerprints added\n"
    assert run("seen", "compact", "other", cwd=folder).code == 0
    done = run("seen", "verify", "other", cwd=folder)
    assert (done.code, done.out.partition("\n")[0]) == (0, "other: memory, 3 fingerprints, sound")
    told = json.loads(run("seen", "count", "other", "--json", cwd=folder).out)
    assert told["count"] == 3
    assert told["disk_bytes"] == (folder / "other" / "urinorm.seen").stat().st_size


def test_seen_clear_asks_first(folder: Path) -> None:
    from scrapy_urinorm.seen import make_store

    (folder / "job").mkdir()
    store = make_store("memory", directory=folder / "job")
    store.open()
    store.add(b"x" * 20)
    store.close()
    for answer in ("", "n\n"):
        done = run("seen", "clear", "job", cwd=folder, given=answer)
        assert (done.code, "Forget 1 fingerprint of job?" in done.err) == (1, True)
        assert run("seen", "count", "job", cwd=folder).out == "1\n"
    assert run("seen", "clear", "job", cwd=folder, given="y\n").out.strip() == "job: 1 fingerprint forgotten"
    assert run("seen", "count", "job", cwd=folder).out == "0\n"
    assert run("seen", "clear", "job", "--yes", cwd=folder).out == "job: 0 fingerprints forgotten\n"


# --- Scrapy projects --------------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "scrapy.cfg": "[settings]\ndefault = shop.settings\n",
        "shop/__init__.py": "",
        "shop/settings.py": (
            'BOT_NAME = "shop"\nSPIDER_MODULES = ["shop.spiders"]\nADDONS = {"scrapy_urinorm.Addon": 600}\n'
            'URINORM_PRESET = "safe"\n'
        ),
        "shop/spiders/__init__.py": (
            "import scrapy\n\n\nclass Mugs(scrapy.Spider):\n    name = 'mugs'\n"
            "    custom_settings = {'URINORM_PRESET': 'loose'}\n"
            "    urinorm_rules = {'rules': {'remove_params': ['own']}}\n"
        ),
        "urinorm.toml": '[rules]\nremove_params = ["ref"]\n',
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "shop" / "deep").mkdir()
    return tmp_path


URL = "http://www.a.example/?ref=1&own=2&utm_source=3"


@pytest.mark.parametrize(
    ("options", "key"),
    [
        pytest.param(
            [], "http://www.a.example/?own=2&utm_source=3", id="the project's file and preset", marks=pytest.mark.slow
        ),
        pytest.param(["--spider", "mugs"], "https://a.example/", id="the spider's rules and settings"),
        pytest.param(
            ["-s", "URINORM_PRESET=recommended"],
            "http://www.a.example/?own=2",
            id="settings of the command line",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_scrapy_project(options: list[str], key: str, project: Path) -> None:
    done = run("explain", "--json", URL, cwd=project / "shop" / "deep", program=[*SCRAPY, *options])
    assert done.err == ""
    (row,) = json_lines(done.out)
    assert row["key"] == key


@pytest.mark.slow
def test_scrapy_normalize_and_check(project: Path) -> None:
    done = run("normalize", cwd=project, given=f"{URL}\n" * 3, program=[*SCRAPY, "--spider", "mugs"])
    assert done.out == "https://a.example/\n" * 3
    done = run("check", cwd=project, program=SCRAPY)
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("urinorm.toml: preset safe, 1 rule for 0 sites, 0 examples right, 0 findings\n")


@pytest.mark.slow
@pytest.mark.parametrize("args", [["--help"], ["-h"], []])
def test_scrapy_help(args: list[str], tmp_path: Path) -> None:
    done = run(*args, cwd=tmp_path, program=SCRAPY)
    assert done.code == 0
    assert "normalize" in done.out


@pytest.mark.thorough
def test_scrapy_help_of_a_command(tmp_path: Path) -> None:
    done = run("explain", "--help", cwd=tmp_path, program=SCRAPY, COLUMNS="120")
    assert "scrapy urinorm explain" in done.out
    assert "--against" in done.out


# --- terminals --------------------------------------------------------------------------------------------------------

HOSTILE = "http://a.example/\x1b[31m\u202e\u2066\u200b%1B?utm_source=1&\x07=\x9b"


def test_terminal_shows_colour_and_marks(folder: Path) -> None:
    shown = on_terminal("explain", "http://www.shop.example/?ref=1", "--rules", "rules.toml", cwd=folder)
    assert "\x1b[9;31mwww.\x1b[0m" in shown


def test_no_color(folder: Path) -> None:
    shown = on_terminal("explain", "http://www.shop.example/?ref=1", "--rules", "rules.toml", cwd=folder, NO_COLOR="1")
    assert "\x1b[31m" not in shown
    assert "\x1b[9mwww." in shown  # struck through, which is no colour


def test_dumb_terminal(folder: Path) -> None:
    shown = on_terminal("rules", cwd=folder, TERM="dumb")
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    "args",
    [
        ["explain", HOSTILE],
        ["explain", HOSTILE, "--against", "http://a.example/"],
        ["groups", "hostile.txt"],
        ["diff", "safe", "loose", "hostile.txt"],
        ["normalize", "hostile.txt"],
        ["normalize", "--json", "hostile.txt"],
        ["init", "hostile.txt", "--output", "-"],
        ["check", "hostile.toml"],
        ["normalize", "\x1b[31mabsent\u202e"],
    ],
    ids=lambda args: " ".join(args[:1]),
)
def test_hostile_text_is_inert(args: list[str], folder: Path) -> None:
    (folder / "hostile.txt").write_text(f"{HOSTILE}\n{HOSTILE}&a=1\n\x1b]0;x\x07 no url\n", encoding="utf-8")
    (folder / "hostile.toml").write_text('[rules]\n"\\u001b[31m\\u202e" = 1\n', encoding="utf-8")
    shown = on_terminal(*args, cwd=folder, NO_COLOR="1")
    assert shown.strip()
    for harmful in ("\x1b[31m", "\x1b]0", "\x07", "\u202e", "\u2066", "\u200b", "\x9b"):
        assert harmful not in shown


def test_progress_is_for_terminals(folder: Path) -> None:
    done = run("normalize", str(CORPUS), cwd=folder)
    assert done.err == ""


# --- start ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "normalize",
        "explain --json http://a.example/",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("groups", "rules", "check")),
    ],
)
def test_start_imports_little(command: str, folder: Path) -> None:
    code = (
        "import sys\nfrom scrapy_urinorm.cli import main\n"
        f"code = main({command.split()!r})\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)\nsys.exit(code)\n"
    )
    done = run(cwd=folder, program=[sys.executable, "-c", code], given="http://a.example/?utm_source=1\n")
    assert done.code == 0
    absent = {"scrapy", "twisted", "rich", "numpy", "duckdb", "pyarrow", "redis", "tldextract", "jinja2"}
    assert set(done.err.split()) & absent == set()


def test_version_and_help(folder: Path) -> None:
    assert run("--version", cwd=folder).out.startswith("urinorm ")
    names = [
        "explain",
        "check",
        "normalize",
        "diff",
        "groups",
        "init",
        "rules",
        "presets",
        "schema",
        "learn",
        "seen count",
        "import dud",
    ]
    for name in names:
        done = run(*name.split(), "--help", cwd=folder, COLUMNS="200")
        assert done.code == 0
        assert "urinorm " + name in done.out
        assert "Example" in done.out or name in ("init",)
