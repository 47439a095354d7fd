"""Measuring: contestants in one process take turns in rounds over one input; the figure is the median round."""

from __future__ import annotations

import gc
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True)
class Timing:
    """CPU time of one call in microseconds: the median of the rounds, and the quartiles around it."""

    median: float
    low: float
    high: float

    @property
    def spread(self) -> float:
        """Half the distance of the quartiles, as a share of the median."""
        return (self.high - self.low) / 2 / self.median


@dataclass(frozen=True)
class Contestant:
    """Something to measure: ``make()`` gives what is called once for each item of ``inputs()``, fresh in each round."""

    name: str
    make: Callable[[], Callable[[Any], Any]]
    inputs: Callable[[Sequence[str]], Sequence[Any]] = list


def compare(
    contestants: Sequence[Contestant], urls: Sequence[str], rounds: int, *, collecting: bool = False
) -> dict[str, Timing]:
    """The cost of one call of each contestant, by name; rounds are interleaved, so that all see the same machine.

    ``collecting``: the garbage collector runs, over what a round makes.
    """
    samples: dict[str, list[float]] = {one.name: [] for one in contestants}
    for one in contestants:
        # what is learned once, such as hosts and names, belongs to no round
        _round(one, urls, collecting)
    for number in range(rounds):
        turn = number % len(contestants)
        for one in (*contestants[turn:], *contestants[:turn]):
            samples[one.name].append(_round(one, urls, collecting))
    return {name: timing(values) for name, values in samples.items()}


def timing(values: Sequence[float]) -> Timing:
    """The median and quartiles of some samples."""
    if len(values) < 2:
        return Timing(values[0], values[0], values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Timing(median, low, high)


def _round(one: Contestant, urls: Sequence[str], collecting: bool) -> float:
    function, inputs = one.make(), one.inputs(urls)
    # what the caller has frozen stays so: the next collections would look at it again, in each round
    whole = gc.get_freeze_count() == 0
    gc.collect()
    gc.freeze()
    if not collecting:
        gc.disable()
    try:
        start = time.process_time()
        for item in inputs:
            function(item)
        return (time.process_time() - start) / len(inputs) * 1e6
    finally:
        gc.enable()
        if whole:
            gc.unfreeze()
