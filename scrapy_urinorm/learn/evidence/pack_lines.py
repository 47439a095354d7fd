"""The lines of packs as candidates: what is known of the program behind a site, before its pages say it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from scrapy_urinorm.learn.evidence.candidate import Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.rulesets import platforms
from scrapy_urinorm.suffixes import without_port

if TYPE_CHECKING:
    from scrapy_urinorm.recognition import Found

FAMILY = "platforms"
#: Distinct pages that have to agree with a line that a real installation has proved, none being against it.
AGREEING = 3
#: How likely such a line is right on another installation: none was refuted on the six that were crawled for it.
PROVEN_PRIOR = 0.95


def pack_candidates(found: Iterable[Found], *, of_sessions: bool = False) -> list[Candidate]:
    """Return the proven lines of the packs that were recognized, and those that a setting of the program decides, where
    they fold, each rule by itself; with `of_sessions` only lines that remove a visitor's session, documented ones, too.

    What a line skips or puts off is not decided by content; `platform = "..."` in a rule file turns these on. What is
    of no program, and so holds `anywhere`, has to show itself like any other rule.
    """
    out = []
    for program in found:
        if (pack := platforms.pack(program.platform)).anywhere:
            continue
        use = platforms.Use(pack, program.path, all=of_sessions, tried=True)
        for line, table in platforms.line_tables(use):
            if of_sessions and line.kind != platforms.SESSION:
                continue
            where = table["where"][0] if "where" in table else table
            conditions = {key: value for key, value in where.items() if key in ("path", "query")}
            why = f"line `{line.id}` of the platform {program.platform}: {line.why}"
            for rule, value in where.items():
                if line.folds and rule not in conditions:
                    candidate = Candidate(
                        without_port(program.site), rule, value, Evidence(prior=PROVEN_PRIOR), FAMILY, why
                    )
                    candidate.conditions, candidate.proven = conditions, line.proof == "proven"
                    out.append(candidate)
    return out
