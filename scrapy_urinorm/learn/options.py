"""What a person can choose about learning."""

from __future__ import annotations

from dataclasses import dataclass, replace

ENGINES = ("auto", "spark")
FORMER_ENGINES = ("python", "duckdb")
"""Of earlier versions: the rules are the same without them."""
FAMILIES = (
    "declared", "platforms", "origins", "paths", "parameters", "renames", "values", "segments", "pieces", "templates",
    "shapes",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of `learn`.

    `risk` is the highest expected share of wrong merges of an active rule; candidates up to `suggest` are written
    down as proposals. `unknown` limits the groups of neighbours that are neither alike nor different, as a multiple
    of those that are alike. `wrong_merges` limits what the replay may show per rule, as a share of its merges. A rule
    has to save `min_gain` requests per 1000 URLs. `min_values` is the support of a constant view, in distinct values.
    Sites above `max_urls` URLs are sampled so that neighbours stay together. `preset` is what the rules are learned
    on top of. `jobs` processes learn sites side by side (0 = one per processor). `families` limits what is looked
    for. `anonymize` hashes what the addresses of the examples say, so that a file can be shown to others. Under `exact`
    nothing may speak against a rule, whatever its support, and near pages do unless the site itself says that they
    are one.
    """

    risk: float = 0.05
    suggest: float = 0.3
    wrong_merges: float = 0.01
    unknown: float = 3.0
    min_gain: float = 1.0
    min_values: int = 15
    skip: bool = True
    max_urls: int = 300_000
    preset: str = "recommended"
    jobs: int = 0
    families: tuple[str, ...] = FAMILIES
    anonymize: bool = False
    exact: bool = False

    def strict(self) -> Options:
        """Return the options of `--strict`: nothing speaks against a rule, and the replay shows no wrong merge.

        What it merges is equal, or near by the site's own word. It does not ask for more pages: a rule of
        seven is as exact as one of seventy.
        """
        return replace(self, exact=True, wrong_merges=0.0, unknown=1.0)
