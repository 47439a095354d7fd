"""What a benchmark hands over: figures beside what they are to reach."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One figure of the table: ``reach`` is what it is to reach, at most or (``least``) at least; None: no goal."""

    what: str
    value: float
    unit: str
    reach: float | None = None
    least: bool = False
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; None where there is none."""
        if self.reach is None:
            return None
        return self.value >= self.reach if self.least else self.value <= self.reach


def number(value: float, unit: str) -> str:
    """A value for people: three digits, thousands marked."""
    text = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
    return f"{text} {unit}".strip()
