"""What is known of the program behind a site, as a prior: proven lines of its pack need few agreeing pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from scrapy_urinorm.learn.evidence.candidate import Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.evidence.risk import risk
from scrapy_urinorm.learn.proof.replay import Replay, Trial, refute
from scrapy_urinorm.rulesets import platforms

if TYPE_CHECKING:
    from scrapy_urinorm.recognition import Found

FAMILY = "platforms"
#: Distinct pages that have to agree with a line that a real installation has proved, none being against it.
AGREEING = 3
#: How likely such a line is right on another installation: none was refuted on the six that were crawled for it.
PROVEN_PRIOR = 0.95


def pack_candidates(found: Iterable[Found]) -> list[Candidate]:
    """Return the proven lines of the packs that were recognized, and those that a setting of the program decides, where
    they fold, each rule by itself.

    What a line skips or puts off is not decided by content; `platform = "..."` in a rule file turns these on. What is
    of no program, and so holds `anywhere`, has to show itself like any other rule.
    """
    out = []
    for program in found:
        if (pack := platforms.pack(program.platform)).anywhere:
            continue
        use = platforms.Use(pack, program.path, tried=True)
        for line, table in platforms.line_tables(use):
            where = table["where"][0] if "where" in table else table
            conditions = {key: value for key, value in where.items() if key in ("path", "query")}
            why = f"line `{line.id}` of the platform {program.platform}: {line.why}"
            for rule, value in where.items():
                if line.folds and rule not in conditions:
                    candidate = Candidate(_host(program.site), rule, value, Evidence(prior=PROVEN_PRIOR), FAMILY, why)
                    candidate.conditions, candidate.proven = conditions, line.proof == "proven"
                    out.append(candidate)
    return out


def _host(site: str) -> str:
    """A host without its port: learned rules hold on any."""
    return site if site.endswith("]") or ":" not in site else site.rpartition(":")[0]


def try_packs(candidates: Iterable[Candidate], replay: Replay) -> list[Candidate]:
    """Take in the lines with which enough pages agree and none disagrees; return those of which one does."""
    refuted = []
    for candidate in candidates:
        trial = replay.trial(candidate)
        if trial.wrong or trial.broken:
            refute(candidate, trial, replay.site.pages, "here it merged")
            refuted.append(candidate)
        elif trial.classes >= AGREEING:
            _weigh(candidate, trial)
            replay.add(candidate, trial)
    return refuted


def _weigh(candidate: Candidate, trial: Trial) -> None:
    evidence = candidate.evidence
    evidence.agree, evidence.saved = trial.classes, trial.saved
    evidence.groups = evidence.groups_for = trial.classes
    evidence.risk = risk(trial.classes, 0, PROVEN_PRIOR)
    candidate.why += f"; {trial.classes} distinct pages agreed, and none was against it"
