"""The house is in order: short modules, constants with a source, one meaning per name, no document that is not here.

The tables of exceptions only ever get shorter.
"""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

from scrapy_urinorm.rules import CATALOGUE

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "scrapy_urinorm"
MODULES = sorted(PACKAGE.rglob("*.py"))
SOURCES = {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in MODULES}


@functools.cache
def trees() -> dict[str, ast.Module]:
    """The modules, read when the first test wants them and not in every process that collects tests."""
    return {name: ast.parse(text) for name, text in SOURCES.items()}


def floor(python: str) -> list[tuple[str, str]]:
    """The releases of `.ci/floor.txt` for one Python."""
    lines = (ROOT / ".ci" / "floor.txt").read_text().splitlines()
    pins = [Requirement(line) for line in lines if not line.startswith("#")]
    wanted = [one for one in pins if not one.marker or one.marker.evaluate({"python_version": python})]
    return [(one.name, str(one.specifier).removeprefix("==")) for one in wanted]


def test_each_python_has_one_oldest_release_of_each_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    of_each = {python: sorted(name for name, _ in floor(python)) for python in pythons}
    oldest = of_each.pop("3.11")
    assert len(set(oldest)) == len(oldest)
    # from 3.14 on Python has zstd itself; and these have no wheels for 3.15
    lacking = {"3.14": {"backports.zstd"}, "3.15": {"backports.zstd", "ada-url", "can-ada", "rocksdict"}}
    later = ("3.12", "3.13", "3.14", "3.15")
    assert of_each == {one: [name for name in oldest if name not in lacking.get(one, ())] for one in later}


def test_the_oldest_dependencies_that_are_allowed_are_those_that_are_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(one for name in ("disk", "redis", "learn", "report") for one in extras[name])]
    allowed = dict(re.findall(r"([\w.-]+)>=([\w.]+)", "\n".join(wanted)))
    assert len(allowed) == len({one.partition(">=")[0] for one in wanted})
    pinned = dict(floor("3.11"))
    lowest = {name: re.sub(r"(\.0|\.\*)+$", "", pinned.get(name, "not pinned")) for name in allowed}
    assert allowed == lowest


LONGEST = 300


def test_long_modules_say_why_on_their_first_line() -> None:
    long = {name for name, text in SOURCES.items() if text.count("\n") > LONGEST}
    assert long == {name for name, text in SOURCES.items() if text.startswith("# Long: ")}


def prose(name: str) -> Iterator[tuple[int, str]]:
    """The comments and strings of a module, with their lines."""
    for token in tokenize.generate_tokens(io.StringIO(SOURCES[name]).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            yield token.start[0], token.string


# what only those had who wrote the code; "RFC 3986 section 6.2" and "Scrapy #1225" are everybody's
_ELSEWHERE = re.compile(r"\bDESIGN\b|\breference/|\breference,? section|\bissue #?\d+|(?<![\w/&])#\d{1,2}\b")


def test_no_text_names_a_document_that_is_not_here() -> None:
    named = [
        f"{name}:{line}: {found.group()}"
        for name, source in SOURCES.items()
        # most have nothing like it anywhere, and need not be taken apart
        if _ELSEWHERE.search(source)
        for line, text in prose(name)
        if (found := _ELSEWHERE.search(text))
    ]
    assert named == []


def docstrings(tree: ast.Module) -> Iterator[str]:
    nodes: list[ast.AST] = [tree]
    for node in nodes:
        # no expression has a statement in it
        inner = ast.iter_child_nodes(node)
        nodes += [one for one in inner if isinstance(one, ast.stmt | ast.excepthandler | ast.match_case)]
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node, clean=False) or ""


_OTHER_DIALECT = re.compile(
    r"``[^`\n]+``|^\s*:(?:param|returns?|raises)\b|:(?:class|func|meth|mod):`|^\s*(?:Args|Returns|Raises):$", re.M
)


def test_docstrings_are_markdown() -> None:
    """`code` in one pair of backticks, as in the documentation; no reStructuredText, no lists of arguments."""
    other = {name for name, tree in trees().items() for text in docstrings(tree) if _OTHER_DIALECT.search(text)}
    assert other == set()


def constants(tree: ast.Module) -> Iterator[tuple[str, int, int]]:
    """The numbers that a module names: (name, first line, last line)."""
    for node in tree.body:
        target = (
            node.targets[0]
            if isinstance(node, ast.Assign)
            else node.target
            if isinstance(node, ast.AnnAssign)
            else None
        )
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if (
            isinstance(target, ast.Name)
            and re.fullmatch(r"_?[A-Z][A-Z0-9_]*", target.id)
            and value is not None
            and _number(value)
        ):
            yield target.id, node.lineno, node.end_lineno or node.lineno


def _number(node: ast.expr) -> bool:
    """Whether an expression is made of numbers, one of which is none of the counts that need no source: 0, 1, 2."""
    allowed = ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop
    nodes = list(ast.walk(node))
    numbers = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, int | float)]
    return (
        all(isinstance(n, allowed) for n in nodes)
        and len(numbers) == sum(isinstance(n, ast.Constant) for n in nodes)
        and any(isinstance(n, float) or abs(n) > 2 for n in numbers if not isinstance(n, bool))
    )


def said(name: str, first: int, last: int) -> bool:
    """Whether a comment stands beside a constant, above its block, or a docstring below its block."""
    lines = ["", *SOURCES[name].splitlines(), ""]
    if any("#" in line for line in lines[first : last + 1]):
        return True
    one = re.compile(r"_?[A-Z][A-Z0-9_]*\b[^=]*=")
    above, below = first - 1, last + 1
    while one.match(lines[above]):
        above -= 1
    while one.match(lines[below]):
        below += 1
    return lines[above].startswith("#") or lines[below].startswith('"""')


def test_constants_say_where_their_value_is_from() -> None:
    silent = [
        f"{name}:{first}: {constant}"
        for name, tree in trees().items()
        for constant, first, last in constants(tree)
        if not said(name, first, last)
    ]
    assert silent == []


TO_BE_RENAMED = {
    "Site",
    "Stage",
    "Step",
}


def test_a_name_of_a_class_has_one_meaning() -> None:
    homes = defaultdict(list)
    for name, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name)
    assert {name for name, where in homes.items() if len(where) > 1} <= TO_BE_RENAMED


#: Who knows a rule by its name and is neither its declaration nor a preset, and why: (module, rule).
#: `skip` and `defer` are also the words for what `decide` answers.
NAMED = {
    ("arrow.py", "defer"): "the columns of `decide`",
    ("arrow.py", "skip"): "the columns of `decide`",
    ("cli/diff.py", "defer"): "the words for what becomes of a request",
    ("cli/diff.py", "skip"): "the words for what becomes of a request",
    ("cli/diff.py", "fragment"): "acts as others leave it something to do, so it is no reason for a change",
    ("cli/diff.py", "sort_query"): "acts as others leave it something to do, so it is no reason for a change",
    ("learn/evidence/candidate.py", "semicolon_separators"): "how a query is split is read before anything is learned",
    ("learn/sites/separators.py", "sort_query"): "how a query is split is read before anything is learned",
    ("report/columns.py", "skip"): "the column of what `decide` answers",
    ("report/merges.py", "sort_query"): "what every key does merges nothing by itself",
    ("rulesets/platforms/reading.py", "defer"): "a line of a pack says a verdict or an edit",
    ("rulesets/platforms/binding.py", "rewrite"): "its paths move to where the program is installed",
    ("rulesets/platforms/reading.py", "skip"): "a line of a pack says a verdict or an edit",
    ("rulesets/platforms/binding.py", "template"): "its paths move to where the program is installed",
}
MOST_NAMED = 15
#: Parts of a URL are called so, too.
PARTS = {
    ("cli/explain.py", "fragment"),
    ("cli/explain.py", "scheme"),
    ("report/groups.py", "scheme"),
    ("learn/evidence/edits.py", "scheme"),
    ("learn/evidence/edits.py", "www"),
}
#: These write rules: what a site declares, another package has or visits show, each in the words of rule files.
WRITERS = ("declared.py", "importers/", "learn/")
MOST_WRITTEN = 73


def test_few_know_a_rule_by_its_name() -> None:
    known = {
        (name, node.value)
        for name, tree in trees().items()
        if not name.startswith(("rules/", "rulesets/presets/"))
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in CATALOGUE
    } - PARTS
    readers = {(name, rule) for name, rule in known if not name.startswith(WRITERS) or (name, rule) in NAMED}
    assert readers <= NAMED.keys()
    assert len(NAMED) <= MOST_NAMED
    assert len(known - readers) <= MOST_WRITTEN
