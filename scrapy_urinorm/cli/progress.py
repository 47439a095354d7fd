"""A line of progress on standard error, where a person watches and the output goes elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

# seconds; as quick as a person reads figures
_EVERY = 0.2


class Progress:
    """Counts URLs, or what `noun` says; silent unless standard error is a terminal.

    It is also silent where standard output is one and the command writes there all the time (`streams`).
    """

    def __init__(self, noun: str = "URLs", *, streams: bool = True) -> None:
        self._noun = noun
        self.done = 0
        self._shown = 0.0
        self._start = time.monotonic()
        self._active = sys.stderr.isatty() and not (streams and sys.stdout.isatty())

    def __enter__(self) -> Self:
        return self

    def add(self, number: int, share: float = 0.0) -> None:
        """Count URLs; `share` is how much of the input is read, 0 where that is not known."""
        self.done += number
        now = time.monotonic()
        if self._active and now - self._shown >= _EVERY:
            self._shown = now
            rate = self.done / max(now - self._start, 0.001)
            part = f"  {share:.0%}" if share else ""
            print(f"\r{self.done:,} {self._noun}  {rate:,.0f}/s{part}\033[K", end="", file=sys.stderr, flush=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._active and self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
