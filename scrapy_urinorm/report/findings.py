"""Everything that a report says, as plain data: the page shows it, and the JSON twin is it."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.lint.tables import dropping
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.report.drawing import OUTCOMES
from scrapy_urinorm.report.figures import Figures
from scrapy_urinorm.report.groups import Groups
from scrapy_urinorm.report.inert import inert
from scrapy_urinorm.report.intake import Intake, take_in
from scrapy_urinorm.report.merges import Merges
from scrapy_urinorm.report.parameters import IRRELEVANT, MOSTLY, VERDICTS, Parameters
from scrapy_urinorm.report.proposals import proposals
from scrapy_urinorm.report.traps import Traps
from scrapy_urinorm.rules import Drops

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.ruleset import RuleSet

FORMAT = 1
HOSTS, PATTERNS, PARAMETERS, RULES, GROUPS, SUSPICIOUS = 200, 200, 300, 300, 400, 200
"""Rows of each table at the most; totals count everything."""
MAX_JSON = 3 << 20
"""Characters of data in the page: the largest tables are cut until they fit."""


def findings(
    paths: Sequence[str | Path],
    ruleset: RuleSet,
    *,
    format: str = "auto",  # noqa: A002  the option's name
    columns: Mapping[str, str] | None = None,
    base: str | None = None,
    stats: Mapping[str, Any] | None = None,
    learn: bool = True,
    jobs: int = 0,
    crawl: str = "newest",
    progress: Callable[[int], None] = lambda rows: None,
) -> dict[str, Any]:
    """Read visits and return what a report says about them under a set of rules.

    `paths`, `format`, `columns` and `base` are those of `read_visits`; `stats` are the
    stats of the crawl, where they are known; `learn` says whether to propose rules; `jobs` processes read the visits
    (0: one for each core); `crawl` says whose visits of a file are meant, `newest`, `all` or an id; `progress` is told
    of rows as they are done. Memory is bounded, the rest goes to the temporary folder. Raises `VisitsError`.
    """
    with tempfile.TemporaryDirectory(prefix="urinorm-report-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        paths = [_on_disk(path, folder) for path in paths]
        read: dict[str, Any] = {"format": format, "columns": columns, "base": base}
        intake = take_in(paths, ruleset, folder, jobs=jobs, crawl=crawl, progress=progress, **read)
        figures = Figures(folder, intake)
        try:
            out = _gathered(figures, ruleset, intake)
            found = None
            if learn and intake.rows:
                found = proposals(paths, ruleset, figures, out["traps"], only=intake.only, **read)
            for trap in out["traps"]:
                if trap.pop("doubtful") and found is None:
                    trap["toml"] = ""
        finally:
            figures.close()
        out["proposals"] = found
        _agree(out["parameters"], found)
    out["crawl"] = _crawl(stats) if stats else None
    return _fitted(inert(out))


def _crawls(intake: Intake) -> dict[str, Any]:
    """How many crawls there were in the input, and the ids of those that were read, where any has an id."""
    ids = {name for counts in intake.crawls.values() for name in counts}
    left_out = {name for path, only in intake.only.items() for name in intake.crawls.get(path, ()) if name != only}
    read = sorted(name for name in ids - left_out | set(intake.only.values()) if name is not None)
    return {"crawls": len(ids), "read": read[:20]}


def _on_disk(path: str | Path, folder: Path) -> str | Path:
    """Standard input as a file, since it is read twice."""
    if str(path) != "-":
        return path
    copy = folder / "stdin.jsonl"
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return copy


def _gathered(figures: Figures, ruleset: RuleSet, intake: Intake) -> dict[str, Any]:
    merges = Merges(figures, Normalizer(ruleset, check_examples=False))
    names, pages, signs = Parameters(figures, PARAMETERS), Groups(figures, GROUPS), Traps(figures)
    # the texts stand in the parts, and one look through these is enough for all
    texts = figures.texts(merges.wanted() | names.wanted() | pages.wanted() | signs.wanted())
    merges.look(texts)
    parameters = names.rows(texts)
    return {
        "format": FORMAT,
        "generated": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "input": {"files": [], "bad": intake.bad, "problems": intake.problems, **_crawls(intake)},
        "platforms": [one._asdict() for one in intake.programs],
        "rules_used": {
            "preset": ruleset.preset,
            "files": [_file_name(name) for name in ruleset.files],
            "digest": ruleset.digest(),
        },
        "outcomes": list(OUTCOMES),
        "totals": {**figures.totals(), "lost": merges.lost},
        "by_requests": figures.by_requests(),
        "by_minutes": figures.by_minutes(),
        "hosts": figures.hosts(HOSTS),
        "patterns": folded(figures, PATTERNS),
        "parameters": parameters,
        "verdicts": VERDICTS,
        "rules": [{**row, "source": _without_folders(row["source"], ruleset.files)} for row in merges.rules()[:RULES]],
        "merged_groups": {"all": merges.groups, "examined": merges.examined, "explained": merges.explained},
        "suspicious": merges.suspicious[:SUSPICIOUS],
        "groups": pages.rows(texts),
        "traps": signs.rows(texts, parameters),
    }


def _agree(parameters: list[dict[str, Any]], found: dict[str, Any] | None) -> None:
    """Let the table of parameters say what the proposals say, where these have looked closer."""
    if found is None:
        return
    rules = [rule for rule in found["rules"] if rule["rule"] in dropping(Drops.NAMED)]
    for row in parameters:
        site, name = row["site"], row["name"]
        rejected = {key: why for scope, names in found["rejected"].items() if scope.endswith(site)
                    for key, why in names.items()}  # fmt: skip
        named = [rule for rule in rules if rule["site"].endswith(site) and f'"{name}"' in rule["toml"]]
        if any(rule["active"] for rule in named):
            row["rule"] = "safe"
        elif named:
            row["rule"] = "look first"
        elif name in rejected and row["verdict"] == IRRELEVANT:
            row["verdict"], row["rule"] = MOSTLY, rejected[name]


def _without_folders(source: str, files: Sequence[str]) -> str:
    for name in files:
        source = source.replace(name, _file_name(name))
    return source


def _file_name(name: str) -> str:
    """A rule file without its folder, which is nobody's business once the page is sent around."""
    return Path(name).name.removesuffix(".json") if name.endswith((".toml", ".json")) else name


def _crawl(stats: Mapping[str, Any]) -> dict[str, Any]:
    """What the stats of a crawl add: requests that were never made are in no visit."""

    def count(name: str) -> int:
        value = stats.get(name, 0)
        return value if isinstance(value, int) else 0

    prefix = "urinorm/filtered/"
    seconds = stats.get("elapsed_time_seconds")
    return {
        "sent": count("downloader/request_count"),
        "filtered": count("dupefilter/filtered"),
        "by_rules": count("urinorm/filtered"),
        "skipped": count("urinorm/skipped"),
        "second_chance": count("urinorm/second_chance"),
        "redirect_passed": count("urinorm/redirect_passed"),
        "unstable": count("urinorm/unstable"),
        "unparsable": count("urinorm/unparsable"),
        "bytes": count("downloader/response_bytes"),
        "seconds": round(seconds) if isinstance(seconds, (int, float)) else None,
        "rules": {name[len(prefix) :]: stats[name] for name in sorted(stats) if name.startswith(prefix)},
    }


def _fitted(out: dict[str, Any]) -> dict[str, Any]:
    """Halve the longest tables until the whole is small enough."""
    names = ("groups", "rules", "parameters", "suspicious", "patterns", "hosts", "traps")
    while True:
        sizes = {name: len(json.dumps(out[name])) for name in names}
        longest = max(sizes, key=sizes.__getitem__)
        if sum(sizes.values()) <= MAX_JSON or len(out[longest]) < 2:
            return out
        out[longest] = out[longest][: len(out[longest]) // 2]


MANY = 12
"""Names in one place from which on they are values."""
# a bound of memory, chosen: so many paths have every pattern that is worth a line
_READ = 200_000
_COUNTS = ("requests", "pages", "duplicates", "redirects", "errors", "avoidable", "left_over", "wasted_bytes")


def folded(figures: Figures, limit: int) -> list[dict[str, Any]]:
    """The path patterns with most requests, each host for itself."""
    rows = figures.patterns(_READ)
    by_host: dict[str, list[tuple[tuple[str, ...], dict[str, Any]]]] = defaultdict(list)
    for row in rows:
        by_host[row["host"]].append((tuple(row["pattern"].split("/")[1:]), row))
    out: dict[tuple[str, str], dict[str, Any]] = {}
    for host, paths in by_host.items():
        for segments, row in _folded(paths):
            pattern = "/" + "/".join(segments)
            total = out.setdefault((host, pattern), {"host": host, "pattern": pattern, **dict.fromkeys(_COUNTS, 0)})
            for name in _COUNTS:
                total[name] += row[name]
    return sorted(out.values(), key=lambda row: (-row["requests"], row["host"], row["pattern"]))[:limit]


def _folded(paths: list[tuple[tuple[str, ...], dict[str, Any]]]) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    """Fold one place after the other, from the left: what stands before a place is folded by then."""
    depth = max(len(segments) for segments, _ in paths)
    for place in range(depth):
        names: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for segments, _ in paths:
            if len(segments) > place:
                names[segments[:place]].add(segments[place])
        paths = [
            (
                (*segments[:place], _star(segments[place]), *segments[place + 1 :])
                if len(segments) > place and len(names[segments[:place]]) >= MANY
                else segments,
                row,
            )
            for segments, row in paths
        ]
    return paths


def _star(segment: str) -> str:
    """What stands for any segment like this one: its extension stays, as does the empty one behind the last slash."""
    if not segment or segment == "**":
        return segment
    _, dot, extension = segment.rpartition(".")
    return f"*.{extension}" if dot and len(extension) <= 5 else "*"
