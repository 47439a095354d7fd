"""The second way to a text, in C: for a known host and a usual spelling, where the rules judge items by their names.

Every function of it gives what the loop gives, or None; tests compare the two on every URL they have. The package does
without where no C compiler was at hand; ``URINORM_PURE=1`` in the environment leaves it out.
"""

from __future__ import annotations

import functools
import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.engine.exemptions import exemptions, unsubscribes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scrapy_urinorm.engine.program import Concerns, Program
    from scrapy_urinorm.rulesets.scopes import Where

#: Grows with every change of what ``native.c`` has and is told: its functions, Site, Fast, their flags, Concerns.
LAYOUT = 5
#: Flags of :class:`Fast`: the canonical URL is sorted; it loses its fragment; it goes through the loop; its query loses
#: empty fields; values with a ``;`` go through the loop.
SORTS, DROPS_FRAGMENT, KEY_ONLY, TIDIES, NO_SEMICOLON = 1, 2, 4, 8, 16
#: What no path that the module takes has: a rule that needs one of these does not concern such a path.
_REFUSED = frozenset((";", "%3B", "/("))


_SEMICOLON = frozenset(("%3B",))


def _compiled() -> Any:
    """The module in C; None where it was not built, not wanted, or built before the last change of its layout."""
    if os.environ.get("URINORM_PURE", "") not in ("", "0"):
        return None
    try:
        from scrapy_urinorm.engine import _native
    except ImportError:
        return None
    return _native if _native.LAYOUT == LAYOUT else None


#: The module in C, or None.
module = _compiled()


class Fast(NamedTuple):
    """What the module in C knows of a plan, read by position.

    ``guard``, where there is one, says whether a rule may concern a path.
    """

    concerns: Concerns
    guard: Callable[[str], bool] | None
    flags: int


def fast_of(program: Program, wheres: Sequence[Where]) -> Fast | None:
    """What the module is told of rules; None where every URL goes through the loop."""
    if (
        program.text_steps
        or program.target_steps
        or program.unwrap_steps
        or program.verdict_steps
        or program.always
        or program.joins
        or program.keeps_fragment
        or not program.sorts_by_pair
        or not _SEMICOLON.issuperset(program.value_needs)
    ):
        return None
    runs = [step.run for step in program.path_steps if not (step.act.needs and _REFUSED.issuperset(step.act.needs))]

    def guard(path: str) -> bool:
        return any(run(path) != path for run in runs) or any(where.on_path(path) for where in wheres)

    flags = SORTS * program.sorts | DROPS_FRAGMENT * program.drops_fragment | TIDIES * program.tidies
    flags |= KEY_ONLY * bool(program.display_steps) | NO_SEMICOLON * bool(program.value_needs)
    return Fast(program.concerns, guard if runs or wheres else None, flags)


_origin = re.compile(r"https?://[A-Za-z0-9.\-]+(?::[0-9]+)?").fullmatch


class Native(NamedTuple):
    """The functions in C over the sites of a rule set; ``lines`` is given what does a line that it does not take."""

    key: Callable[[str], str | None]
    canonical: Callable[[str], str | None]
    lines: Callable[[Callable[[str], str], bytes, bool], bytes]

    @classmethod
    def of(cls, known: Mapping[str, Any], learn: Callable[[str], object]) -> Native | None:
        """The functions over a mapping of origins to sites, and what finds the site of another; None without C."""
        if module is None:
            return None

        def learned(origin: str) -> object:
            return learn(origin) if _origin(origin) else None

        rules = known, learned, unsubscribes, "".join(exemptions().stems).encode()
        return cls(*(functools.partial(function, *rules) for function in (module.key, module.canonical, module.lines)))
