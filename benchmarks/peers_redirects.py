"""Pages lost on sites of redirects that fold to themselves and of first variants that fail: this package and others.

`python -m benchmarks.peers_redirects` crawls the tables of `tests/crawl/cases.py` with Scrapy alone, with
duplicate-url-discarder (where it is installed; with the rules of `tests/crawl/cases.py` that it can express), and with
this package. A cell counts the cases that lost a page, of all cases; then the requests.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.crawl.cases import Case, failing_variants, redirects
from tests.crawl.casework import MODES, Crawl, crawl_cases, with_addon
from tests.crawl.site import Site, SiteServer

Settings = Callable[[Case, Site], dict[str, Any]]


def scrapy_alone(case: Case, site: Site) -> dict[str, Any]:
    return {}


def discarder(directory: Path) -> Settings:
    """duplicate-url-discarder reads its rules from files."""

    def settings(case: Case, site: Site) -> dict[str, Any]:
        pattern = {"include": [site.host]}  # it matches no other port than the one named
        rules = [{"order": n, "urlPattern": pattern, **rule} for n, rule in enumerate(case.peer_rules)]
        path = directory / f"{site.name}.json"
        path.write_text(json.dumps(rules))
        return {"ADDONS": {"duplicate_url_discarder.Addon": 600}, "DUD_LOAD_RULE_PATHS": [str(path)]}

    return settings


def row(name: str, crawls: dict[tuple[str, str], Crawl], modes: list[str]) -> str:
    cells = []
    for mode in modes:
        of_mode = [crawl for (_, m), crawl in crawls.items() if m == mode]
        lost = sum(bool(crawl.lost) for crawl in of_mode)
        cells.append(f"{lost:2} of {len(of_mode):2}, {sum(len(crawl.fetched) for crawl in of_mode):4}")
    return f"{name:26}" + "".join(f"{cell:>20}" for cell in cells)


def main() -> None:
    tables = {"redirects": (redirects(), list(MODES)), "failing variants": (failing_variants(), list(MODES[:3]))}
    with tempfile.TemporaryDirectory() as scratch, SiteServer(Path(scratch)) as server:
        peers: dict[str, Settings] = {"Scrapy alone": scrapy_alone}
        if find_spec("duplicate_url_discarder"):
            peers["duplicate-url-discarder"] = discarder(Path(scratch))
        if find_spec("scrapy_urinorm.crawl"):
            peers["scrapy-urinorm"] = with_addon
        for table, (cases, modes) in tables.items():
            print(f"\n{table:26}" + "".join(f"{mode:>20}" for mode in modes))
            lost: dict[str, list[str]] = {}
            for number, (name, settings) in enumerate(peers.items()):
                directory = Path(scratch) / f"{table} {number}"
                crawls = crawl_cases(cases, server, directory, modes=modes, settings=settings)
                print(row(name, crawls, modes))
                lost[name] = sorted({case for (case, _), crawl in crawls.items() if crawl.lost})
            for name, names in lost.items():
                print(f"  lost with {name} in some mode: {', '.join(names) or 'none'}")
        server.shutdown()


if __name__ == "__main__":
    main()
