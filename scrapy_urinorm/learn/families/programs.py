"""What is known of the program behind a site, as a prior: proven lines of its pack need few agreeing pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from scrapy_urinorm.learn.evidence.candidate import Candidate, signature
from scrapy_urinorm.learn.evidence.pack_lines import AGREEING, PROVEN_PRIOR, pack_candidates
from scrapy_urinorm.learn.evidence.risk import risk
from scrapy_urinorm.learn.proof.replay import Replay, Trial, refute

if TYPE_CHECKING:
    from scrapy_urinorm.learn.sites.site import Site


def known_lines(site: Site) -> list[Candidate]:
    """Return the lines of the packs that were recognized on a site, but those on sessions that were judged already."""
    judged = set(map(signature, site.said_sessions))
    found = site.recognizer.found() if site.recognizer is not None else ()
    return [one for one in pack_candidates(found) if signature(one) not in judged]


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
