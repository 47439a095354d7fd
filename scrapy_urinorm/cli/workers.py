"""Blocks of URLs through all cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, TypeVar

from scrapy_urinorm import processes
from scrapy_urinorm.cli.amounts import whole
from scrapy_urinorm.inputs import BLOCK

Result = TypeVar("Result")

Jobs = Annotated[
    int, whole("--jobs", "-j", least=0, help="Number of processes; 0: one for each core.", show_default=False)
]


def in_order(work: Callable[[bytes], Result], blocks: Iterable[bytes], jobs: int) -> Iterator[Result]:
    """`work` over `blocks` in `jobs` processes (0: one for each core).

    A block that is not full comes from a small or slow input: it is worked on at once, here, and nobody waits for it.
    """
    return processes.in_order(work, blocks, jobs, worth=lambda block: len(block) > BLOCK // 2)
