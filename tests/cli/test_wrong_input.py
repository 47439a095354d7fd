"""Whatever a command is given, it ends with a clear message and an exit code, never with a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from tests.cli.programs import SCRAPY, URINORM, Done, environment, run, without_coverage

RULES = '[site."a.example"]\nremove_params = ["ref"]\n'
URLS = "http://a.example/?ref=1\nhttp://a.example/?x=1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "urls.txt": URLS.encode(),
        "good.toml": RULES.encode(),
        "other.toml": b'[rules]\nremove_params = ["x"]\n',
        "bad.toml": b"[rules\n",
        "wrong.toml": b'[rules]\nwww = "yes"\nremove_parms = ["x"]\n',
        "binary": bytes(range(256)) * 40,
        "rows.toml": b"[[evidence]]\nsupport = 'many'\n[[evidence]]\nrisk = 'low'\nexamples = ['/a']\n",
        "latin.toml": b'[rules]\nremove_params = ["\xe9"]\n',
        "table.csv": b"a,b\n1,2\n",
        "numbers.jsonl": b"1\n",
        "deep.jsonl": b"[" * 100_000 + b"\n",
        "other.jsonl": b'{"address": "http://a.example/"}\n',
        "urls.zip": b"PK\x03\x04" + bytes(30),
        "items.json": b'[\n{"url": "http://a.example/1"},\n{"url": "http://a.example/2"}\n]',
        "robots.txt": b"Clean-param: ref\n",
        "rules.json": b'[{"processor": "queryRemoval", "args": ["a"], "urlPattern": {"include": ["a.example"]}}]',
        "wrong.json": b'[{"processor": "nope", "urlPattern": {}}]',
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "empty").mkdir()
    return tmp_path


ERRORS = {
    "explain: no URL": ("explain", "Missing argument"),
    "explain: absent rules": ("explain http://a.example/ --rules absent.toml", "absent.toml"),
    "explain: rules that do not parse": ("explain http://a.example/ --rules bad.toml", "bad.toml:1: does not parse"),
    "explain: rules that are binary": ("explain http://a.example/ --rules binary", "binary:2: is not UTF-8 text"),
    "explain: rules in another encoding": ("explain http://a.example/ --rules latin.toml", "is not UTF-8 text"),
    "explain: no such preset": ("explain http://a.example/ --preset lose", "did you mean 'loose'?"),
    "explain: no such option": ("explain http://a.example/ --nope", "No such option"),
    "check: absent": ("check absent.toml", "absent.toml"),
    "check: does not parse": ("check bad.toml", "bad.toml:1: does not parse"),
    "check: wrong": ("check wrong.toml", "wrong.toml:3: [rules] remove_parms: there is no rule"),
    "check: all problems at once": ("check wrong.toml", "wrong.toml:2: [rules] www: 'yes' is none of"),
    "check: a row of evidence": ("check rows.toml", "rows.toml:2: [evidence[1]] support: 'many' is not a count"),
    "learn: rows of evidence": ("learn rows.toml --output rows.toml", "rows.toml:5: [evidence[2]] examples: "),
    "validate: rows of evidence": ("validate rows.toml --output out.toml", "rows.toml:4: [evidence[2]] risk: 'low'"),
    "check: binary": ("check binary", "is not UTF-8 text"),
    "check: a folder": ("check .", "Is a directory"),
    "check: visits without a pack": ("check good.toml --visits urls.txt", "give them as --urls"),
    "check: absent URLs": ("check good.toml --urls absent", "absent: there is no such file"),
    "normalize: absent": ("normalize absent.txt", "absent.txt: there is no such file"),
    "normalize: an empty folder": ("normalize empty", "the folder is empty"),
    "normalize: a glob of folders": ("normalize emp*", "emp*: there are only folders; name one of them"),
    "normalize: an archive": ("normalize urls.zip", "is a zip archive: unpack it"),
    "normalize: an array of items": ("normalize items.json", "is one JSON array: write an object a line"),
    "learn: an array of items": ("learn items.json -o learned.toml", "is one JSON array: write an object a line"),
    "normalize: wrong rules": ("normalize --rules wrong.toml urls.txt", "wrong.toml:3"),
    "normalize: no such column": ("normalize --column url table.csv", "there is no column 'url' among a, b"),
    "normalize: which column": ("normalize table.csv", "which column holds the URL?"),
    "normalize: no such format": ("normalize --format xml urls.txt", "there is no format 'xml'"),
    "normalize: not Parquet": ("normalize --format parquet binary", "is not a Parquet file"),
    "normalize: Parquet from a pipe": ("normalize --format parquet", "is not a Parquet file"),
    "normalize: jobs": ("normalize --jobs x urls.txt", "--jobs 'x': not a whole number"),
    "normalize: a folder to write": ("normalize urls.txt --output empty", "empty: Is a directory"),
    "normalize: this folder to write": ("normalize urls.txt --output .", ".: Is a directory"),
    "normalize: key twice": ("normalize --key --json urls.txt", "--json writes the key already"),
    "diff: absent rules": ("diff good.toml absent.toml urls.txt", "absent.toml"),
    "diff: wrong rules": ("diff wrong.toml good.toml urls.txt", "wrong.toml:3"),
    "diff: absent URLs": ("diff good.toml other.toml absent.txt", "absent.txt"),
    "diff: nothing": ("diff", "Missing argument"),
    "groups: absent": ("groups absent.txt", "absent.txt"),
    "groups: wrong rules": ("groups --rules bad.toml urls.txt", "bad.toml"),
    "groups: no such rule": ("groups --rule remove_parms urls.txt", "did you mean 'remove_params'?"),
    "init: there already": ("init urls.txt --output good.toml", "good.toml exists"),
    "init: absent": ("init absent.txt --output x.toml", "absent.txt"),
    "init: cannot be written": ("init --output good.toml/x.toml", "good.toml"),
    "init: below a file": ("init urls.txt --output good.toml/deep/x.toml", "good.toml"),
    "rules: no such rule": ("rules remove_parms", "did you mean 'remove_params'?"),
    "presets: no such preset": ("presets lose", "did you mean 'loose'?"),
    "presets: no such version": ("presets safe@7", "preset safe has no version '7' (this package has safe@1)"),
    "import: nothing": ("import dud", "Missing argument"),
    "import dud: absent": ("import dud absent.json", "absent.json"),
    "import dud: not JSON": ("import dud good.toml", "good.toml: does not parse"),
    "import dud: wrong": ("import dud wrong.json", "wrong.json, rule 1: there is no processor 'nope'"),
    "import dud: binary": ("import dud binary", "is not UTF-8 text"),
    "import robots: whose": ("import robots robots.txt", "which site is this robots.txt from?"),
    "import robots: no site": ("import robots --site a/b robots.txt", "is not a site"),
    "learn: absent": ("learn absent.jsonl --output x.toml", "absent.jsonl"),
    "learn: no output": ("learn urls.txt", "Missing option"),
    "learn: binary": ("learn binary --output x.toml", "binary"),
    "learn: no such family": ("learn urls.txt --output x.toml --families x", "there is no family 'x': declared, "),
    "learn: no such engine": ("learn urls.txt --output x.toml --engine x", "there is no engine 'x'"),
    "learn: wrong columns": ("learn urls.txt --output x.toml --columns url", "write OURS=THEIRS"),
    "learn: no column of ours": ("learn urls.txt --output x.toml --columns a=b", "'a' is not one of our columns: url,"),
    "why: no such crawl": ("why http://a.example/ --visits urls.txt --crawl x", "there are no visits of the crawl x"),
    "why: rows that are none": (
        "why http://a.example/ --visits urls.txt --parked numbers.jsonl",
        "is not a file of what live rules kept back",
    ),
    "why: rows without end": (
        "why http://a.example/ --visits urls.txt --parked deep.jsonl",
        "is not a file of what live rules kept back: ",
    ),
    "why: binary": ("why http://a.example/ --visits urls.txt --parked binary", "is not a file of what live rules kept"),
    "why: of another shape": (
        "why http://a.example/ --visits urls.txt --parked other.jsonl",
        "is not a file of what live rules kept back: no column url",
    ),
    "validate: absent": ("validate absent.toml --output x.toml", "absent.toml"),
    "validate: no output": ("validate good.toml", "where to write the rules?"),
    "eval: absent": ("eval absent.jsonl", "absent.jsonl"),
    "eval: binary": ("eval binary", "binary"),
    "eval: nothing about content": ("eval urls.txt --seeds 1", "no site has enough pages of known content"),
    "report: absent": ("report absent.jsonl --output x.html", "absent.jsonl"),
    "report: binary": ("report binary --output x.html", "binary"),
    "report: where to": ("report urls.txt", "nothing to write"),
    "report: a folder to write": ("report urls.txt --output empty", "empty: Is a directory"),
    "report: this folder to write": ("report urls.txt --json .", ".: Is a directory"),
    "report: wrong rules": ("report urls.txt --rules wrong.toml --output x.html", "wrong.toml:3"),
    "seen: absent": ("seen count absent", "no seen store here"),
    "seen: not a store": ("seen verify .", "no seen store here"),
    "seen: a file of something else": ("seen verify urls.txt", "urls.txt is not a requests.seen of any Scrapy version"),
    "seen contains: absent": ("seen contains absent http://a.example/", "no seen store here"),
    "seen import: absent": ("seen import absent .", "no seen store here"),
    "seen clear: absent": ("seen clear absent", "no seen store here"),
    "no such command": ("explian http://a.example/", "Did you mean"),
}


@pytest.mark.parametrize(("command", "message"), ERRORS.values(), ids=ERRORS)
def test_error(command: str, message: str, folder: Path) -> None:
    done = run(*command.split(), cwd=folder, COLUMNS="200")
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


#: What is typed, what is said of it, and the hint that says what to type; the exit code is 2.
HINTS = {
    "a host alone": ("explain a.example", "'a.example' has no scheme", "write https://a.example"),
    "a host with its port": ("explain a.example:8000/x", "has no scheme", "write https://a.example:8000/x"),
    "two slashes": ("explain //a.example/x", "has no scheme", "--base says what it is relative to"),
    "a path": ("explain /x", "'/x' has no scheme", "--base says what it is relative to"),
    "against a path": ("explain http://a.example/ --against /x", "'/x' has no scheme", "--base"),
    "a preset": ("normalize --preset recomended urls.txt", "there is no preset", "did you mean 'recommended'?"),
    "a rule in groups": ("groups --rule www_ urls.txt", "there is no rule 'www_'", "did you mean 'www'?"),
    "a rule": ("rules trailing_slashes", "there is no rule", "did you mean 'trailing_slash'?"),
    "a command": ("normalise urls.txt", "No such command", "normalize"),
    "an option": ("report urls.txt --outptu x.html", "No such option", "--output"),
    "the rule file": ("check good.tmol", "good.tmol: cannot be read", "give an absolute path, or one relative"),
    "the input": ("groups urls.text", "urls.text: there is no such file", ""),
    "an archive": ("normalize urls.zip", "is a zip archive", "unpack it"),
    "a crawl": ("learn visits.jsonl --output x.toml --crawl 2027", "no visits of the crawl 2027", ""),
    "a crawl of a report": (
        "report visits.jsonl --output x.html --crawl 2027",
        "no visits of a crawl '2027'",
        "there are",
    ),
    "no folder to write into": ("learn visits.jsonl --output good.toml/x.toml", "good.toml", ""),
    "no folder for a report": ("report visits.jsonl --output good.toml/x.html", "good.toml", ""),
    "a number": ("groups --limit many urls.txt", "--limit 'many'", "not a whole number"),
    "no number of examples": ("groups --examples 0 urls.txt", "--examples 0", "less than 1"),
    "a share beyond its bounds": ("eval visits.jsonl --risk 3", "--risk 3", "not between 0 and 1"),
    "a share in percent": ("learn visits.jsonl -o x.toml --risk 5%", "--risk '5%'", "not a number"),
    "a share that is none": ("eval visits.jsonl --risk nan", "--risk 'nan'", "not a finite number"),
    "no split": ("eval visits.jsonl --seeds 0", "--seeds 0", "less than 1"),
    "half a process": ("report visits.jsonl -o x.html --jobs 0.5", "--jobs '0.5'", "not a whole number"),
    "fewer than no processes": ("unique --jobs -2 urls.txt", "--jobs -2", "less than 0"),
    "no URL of a template": ("sample -k 0 urls.txt", "--per-template 0", "less than 1"),
    "no site": ("init --sites 0 urls.txt", "--sites 0", "less than 1"),
    "a budget for nothing": ("validate good.toml -o x.toml --budget 1", "--budget 1", "less than 2"),
    "a delay backwards": ("validate good.toml -o x.toml --delay -1", "--delay -1", "less than 0"),
    "a delay without end": ("validate good.toml -o x.toml --delay inf", "--delay 'inf'", "not a finite number"),
    "a number of a thousand digits": (f"diff good.toml good.toml -e {'9' * 5_000}", "--examples '999", "not a whole"),
}


@pytest.mark.parametrize(("command", "message", "hint"), HINTS.values(), ids=HINTS)
def test_hint(command: str, message: str, hint: str, folder: Path) -> None:
    (folder / "visits.jsonl").write_text('{"url": "http://a.example/", "status": 200, "crawl": "1"}\n')
    done = run(*command.split(), cwd=folder, COLUMNS="200")
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert hint in done.err
    assert "Traceback" not in done.err
    assert len(done.err) < 1_500


#: A rule file, and of each of its problems the line, what is said, and the hint; the exit code is 2.
WRONG_RULES = {
    "an unknown table": ('version = 1\n\n[sites."a.example"]\nwww = "add"\n', [(3, "unknown key 'sites'", "'site'")]),
    "an unknown key": ('presets = "safe"\n', [(1, "unknown key 'presets'", "'preset'")]),
    "a preset": ('version = 1\npreset = "recomended"\n', [(2, "there is no preset", "'recommended'")]),
    "a preset's version": ('preset = "safe@9"\n', [(1, "has no version '9'", "this package has safe@")]),
    "a rule": ('[rules]\nremove_parms = ["x"]\n', [(2, "there is no rule 'remove_parms'", "'remove_params'")]),
    "a value": ('[rules]\nwww = "yes"\n', [(2, "'yes'", "keep")]),
    "a site with a scheme": ('[site."http://a.example"]\nwww = "remove"\n', [(1, "is not a site", "without scheme")]),
    "where with single brackets": (
        '[site."a.example".where]\npath = "/x"\n', [(1, "`where` must be a list", "double brackets")],
    ),
    "where without a condition": (
        '[[site."a.example".where]]\nskip = true\n', [(1, "without path and query", "the table of the site")],
    ),
    "a path without its slash": (
        '[[site."a.example".where]]\npath = "x/**"\nskip = true\n', [(2, "is not a path glob", "begins with /")],
    ),
    "braces": (
        '[[site."a.example".where]]\npath = "/p.{json,csv}"\nskip = true\n',
        [(2, "braces", '["/p.json", "/p.csv"]')],
    ),
    "ranges of numbers": (
        '[[site."a.example".where]]\npath = ["/<9-3>", "/<a->", "/<1234567890->", "/x<y", "/<7-9>"]\nskip = true\n',
        [
            (2, "no number is in '<9-3>'", "<7-12>"),
            (2, "no number is in '<a->'", "nine digits"),
            (2, "no number is in '<1234567890->'", ""),
            (2, "no number is in '<y'", "%3C"),
        ],
    ),
    "an unknown condition": (
        '[[site."a.example".where]]\nquery = { page = { over = 3 } }\nskip = true\n',
        [(2, "unknown condition 'over'", "")],
    ),
    "a pattern": ("[rules]\nrewrite = [{ pattern = '(', replace = '' }]\n", [(2, "rewrite", "")]),
    "a pair of distinct that has become one": (
        '[rules]\nremove_params = ["id"]\ndistinct = [\n  ["/a", "/b"],\n  ["/p?id=7", "/p?id=8"]\n]\n',
        [(5, "both get http://example.com/p", "urinorm explain")],
    ),
    "a pair of examples in where": (
        '[[site."a.example".where]]\npath = "/x"\nremove_params = ["q"]\nexamples = [["/x?q=1", "/y"]]\n',
        [(4, "do not get one key", "urinorm explain")],
    ),
    "what follows a list of pairs has its line": (
        '[rules]\ndistinct = [\n  ["/a", "/b"]\n]\nwwww = "remove"\n', [(5, "there is no rule 'wwww'", "'www'")],
    ),
    "no pair": ('[rules]\ndistinct = [["/a"]]\n', [(2, "is not a pair of URLs", '[["/a", "/b"]]')]),
    "a file that is not there": (
        'include = ["nope.toml"]\n', [(None, "nope.toml: cannot be read", "included by rules.toml")],
    ),
    "two at once": (
        '[rules]\nwww = 3\n\n[site."a.example"]\nscheme = "ftp"\n', [(2, "www", "keep"), (5, "scheme", "keep")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "problems"), WRONG_RULES.values(), ids=WRONG_RULES)
def test_wrong_rules(text: str, problems: list[tuple[int | None, str, str]], tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(text)
    done = run("check", "rules.toml", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    lines = done.err.splitlines()
    assert len(lines) == len(problems), done.err
    for line, (number, message, hint) in zip(lines, problems, strict=True):
        assert line.startswith(f"urinorm: rules.toml:{number}: " if number else "urinorm: "), line
        assert message in line
        assert hint in line


COMMANDS_ON_LINES = ["normalize", "normalize --key", "normalize --json", "groups", "diff safe loose", "init --output -"]


@pytest.mark.parametrize("command", COMMANDS_ON_LINES)
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\n\n\n", id="empty lines"),
        pytest.param(bytes(range(256)) * 100, id="binary"),
        pytest.param(b"\0" * 200_000, id="zeros"),
        pytest.param(b"http://a.example/" + b"x" * 6_000_000 + b"\nhttp://a.example/\n", id="a line of 6 MB"),
        pytest.param(b"http://a.example/%\xff?\xed\xa0\x80=\xc3\r\n" * 3, id="not UTF-8"),
        pytest.param("http://a.example/\u202e\x1b[31m\u2028x\n".encode() * 3, id="escape sequences"),
        pytest.param(b"http://" + b"[" * 5000 + b"\nhttp://a" + b":" * 5000 + b"\n", id="hostile authorities"),
    ],
)
def test_odd_lines_are_no_error(command: str, data: bytes, folder: Path) -> None:
    done = run(*command.split(), "-", cwd=folder, given=data)
    assert "Traceback" not in done.err
    assert done.code in (0, 1 if command.startswith("diff") else 0)
    if command.startswith("normalize"):
        assert done.out.count("\n") == data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)


@pytest.mark.parametrize(
    "command",
    [
        "normalize",
        pytest.param("rules", marks=pytest.mark.slow),
        pytest.param("groups --limit 0", marks=pytest.mark.slow),
        pytest.param("normalize --json --jobs 2", marks=pytest.mark.slow),
        pytest.param("schema", marks=pytest.mark.slow),
        pytest.param("presets recommended", marks=pytest.mark.slow),
        pytest.param("init --output -", marks=pytest.mark.slow),
    ],
)
def test_closed_pipe(command: str, folder: Path) -> None:
    """`| head -1` ends the program without a word."""
    lines = "".join(f"http://a.example/{n}?ref={m}\n" for n in range(40_000) for m in range(2))
    source = folder / "many.txt"
    source.write_text(lines)
    takes_urls = not command.startswith(("rules", "schema", "presets"))
    process = subprocess.Popen(
        [*URINORM, *command.split(), *(["many.txt"] if takes_urls else [])],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    error = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(timeout=280) in (0, 141)
    assert error == ""


@pytest.mark.skipif(os.name == "nt", reason="a shell of POSIX")
@pytest.mark.parametrize(
    "command",
    ["normalize urls.txt -", pytest.param("explain http://a.example/ --rules good.toml", marks=pytest.mark.slow)],
)
def test_outputs_that_are_closed(command: str, folder: Path) -> None:
    """As a job of cron or a daemon may start a program: what nobody can read goes nowhere, not into the other one."""
    words = ["sh", "-c", '"$@" >&-', "-", *URINORM, *command.split()]
    done = subprocess.run(words, cwd=folder, input="no URL\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    words[2] = '"$@" 2>&-'
    done = subprocess.run(words, cwd=folder, input="no URL\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "urinorm: " not in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="a shell of POSIX")
@pytest.mark.thorough
def test_an_output_among_the_inputs(folder: Path) -> None:
    """What is written would be read again, without end."""
    (folder / "empty" / "a.txt").write_text(URLS)
    words = ["sh", "-c", '"$@" > empty/out.txt', "-", *URINORM, "normalize", "empty"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=280)
    said = "empty/out.txt: is what standard output goes to, and would never end; write that to another folder"
    assert (done.returncode, done.stderr) == (2, f"urinorm: {said}\n")
    assert (folder / "empty" / "out.txt").read_text() == "http://a.example/?ref=1\nhttp://a.example/?x=1\n"


@pytest.mark.thorough
def test_letters_that_the_output_lacks(folder: Path) -> None:
    """As in a pipe on Windows, which has the octets of one language."""
    words = "explain http://a.example/ü --rules good.toml".split()
    done = run(*words, cwd=folder, program=URINORM, PYTHONIOENCODING="ascii")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("URL          http://a.example/\\xfc\n")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    "command",
    [
        "normalize --jobs 2",
        pytest.param("normalize", marks=pytest.mark.slow),
        pytest.param("groups", marks=pytest.mark.slow),
        pytest.param("diff safe loose", marks=pytest.mark.slow),
        pytest.param("learn - --output x.toml", marks=pytest.mark.slow),
    ],
)
def test_interrupt(command: str, folder: Path) -> None:
    """Ctrl-C ends all processes of a command, with one line."""
    names = command.split()
    process = subprocess.Popen(
        [*URINORM, *names, *([] if "-" in names else ["-"])],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=without_coverage(), start_new_session=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    # as a terminal would: what is written is read, so that neither side waits for the other for good
    reader = threading.Thread(target=process.stdout.read, daemon=True)
    reader.start()
    # far more than a pipe holds: once it is written, the command is at work
    process.stdin.write(b"http://a.example/?ref=1\n" * 100_000)
    process.stdin.flush()
    os.killpg(process.pid, signal.SIGINT)
    process.wait()
    reader.join()
    with process:
        assert process.stderr is not None
        error = process.stderr.read()
    assert process.returncode == 130
    assert error.decode() in ("urinorm: interrupted\n", "")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the processes of Linux")
@pytest.mark.parametrize(
    "command",
    [
        "normalize many.txt",
        pytest.param("groups many.txt", marks=pytest.mark.slow),
        pytest.param("learn many.txt --output x.toml", marks=pytest.mark.slow),
        pytest.param("report many.jsonl --output x.html", marks=pytest.mark.slow),
    ],
)
@pytest.mark.thorough
def test_interrupt_while_processes_start(command: str, folder: Path) -> None:
    """Ctrl-C right when the first of several processes is there; none is left behind, and none has anything to say."""
    addresses = [f"http://{n % 50}.example/{n}?ref={n % 7}" for n in range(200_000)]
    (folder / "many.txt").write_text("".join(f"{url}\n" for url in addresses))
    (folder / "many.jsonl").write_text("".join(f'{{"url": "{url}", "status": 200}}\n' for url in addresses))
    process = subprocess.Popen(
        [*URINORM, *command.split(), "--jobs", "3"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env=without_coverage(), start_new_session=True,
    )  # fmt: skip
    started = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    children: list[str] = []
    while process.poll() is None and not children:
        children = started.read_text().split()
        threading.Event().wait(0.002)
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate()
    assert children, "the command ended without a process of its own"
    assert process.returncode == 130
    assert error.decode() == "urinorm: interrupted\n"
    # a machine may be as slow as it likes: the time limit of the run is the only one
    while any(Path("/proc", child).exists() for child in children):
        threading.Event().wait(0.01)


def test_each_rule_that_would_go_has_a_line(folder: Path) -> None:
    """A line break in what is quoted begins none."""

    def learn(name: str, text: str) -> Done:
        rows = [
            {"url": f"http://shop.example/p/{n}?ref={ref}", "words": 200, "main_digest": text.format(n=n, ref=ref)}
            for n in range(40)
            for ref in ("home", "menu")
        ]
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
        return run("learn", name, "--output", "learned.toml", cwd=folder)

    assert learn("first.jsonl", "{n}").code == 0
    done = learn("second.jsonl", "{n}{ref}")
    head, line = done.err.splitlines()
    assert done.code == 2
    assert head.startswith("urinorm: learned.toml: stays as it is, since 1 of its rules would go (--force writes it):")
    assert line.startswith("urinorm:   shop.example: map_params = ")


def test_project_errors_are_clear(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = project.settings\n")
    package = tmp_path / "project"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "settings.py").write_text('BOT_NAME = "x"\nURINORM_RULES = "absent.toml"\n')
    done = run("explain", "http://a.example/", cwd=tmp_path, program=SCRAPY)
    assert done.code == 2
    assert "absent.toml" in done.err
    assert "Traceback" not in done.err
    done = run("explain", "http://a.example/", cwd=tmp_path, program=[*SCRAPY, "--spider", "nope"])
    assert done.code == 2
    assert "there is no spider 'nope'" in done.err
