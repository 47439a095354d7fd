"""What is known of a site before its pages say it: the lines of recognized platforms, and what the site declares.

A prior orders the testing, and makes it shorter where a line was proven on real installations; by itself it parks
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.content import is_answer
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.learn.evidence.candidate import Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.recognition import Recognizer
from scrapy_urinorm.rulesets import platforms
from scrapy_urinorm.rulesets.platforms import HARMLESS
from scrapy_urinorm.rulesets.platforms.binding import Use, line_tables, splitting
from scrapy_urinorm.suffixes import without_port

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

RECOGNIZED_AT = (1, 3, 10, 30, 100, 300, 1_000, 3_000)
"""Pages of a site at which it is looked whether it is recognized: the form to log in of a site with hundreds of
sections comes behind these, and so does a forum below a manual."""
FAMILY = "platform"


class Prior(NamedTuple):
    """A rule that is tried before anything speaks for it; `name` is that of the pack and the line."""

    name: str
    candidate: Candidate
    proven: bool


class Told(NamedTuple):
    """A line that is a pattern of addresses; `source` is a rule source with it alone.

    `splits` is one that says how the program's queries are split, and nothing else. The text of a page under a `quiet`
    line may well be new, and says nothing: a difference, a list in another order.
    """

    name: str
    source: dict[str, Any]
    splits: dict[str, Any]
    proven: bool
    quiet: bool


class Priors:
    """The priors of one site."""

    def __init__(self) -> None:
        self._recognizer: Recognizer | None = Recognizer()
        self._pages = 0
        self.said: list[str] = []
        """What was recognized, in words."""
        self.rules: list[Prior] = []
        self.traps: list[Told] = []
        """Lines that say which addresses are not worth a request."""
        self.folds: list[Told] = []
        """Proven lines that say which addresses show one page, or one list in several orders."""

    def see(self, visit: Visit) -> bool:
        """Look at a page; return whether something was recognized that was not before."""
        if self._recognizer is None or visit.status is None or not is_answer(visit.status):
            return False
        self._pages += 1
        self._recognizer.see(visit.final_url or visit.url, visit.marks)
        if self._pages not in RECOGNIZED_AT:
            return False
        before = list(self.said)
        self._read()
        if self._pages == RECOGNIZED_AT[-1]:
            self._recognizer = None
        return self.said != before

    def _read(self) -> None:
        assert self._recognizer is not None
        self.said, self.rules, self.traps, self.folds = [], [], [], []
        for found in self._recognizer.found():
            self.said.append(f"{found.platform} in {found.path}")
            pack = platforms.pack(found.platform)
            for line, table in line_tables(Use(pack, found.path, all=True, tried=True)):
                name = f"{found.platform}/{line.id}"
                # a condition on a parameter reads the query as the program does
                splits, scope = splitting(one.table for one in pack.lines), without_port(found.site)
                source, proven = {"site": {scope: {**splits, **table}}}, line.proof == "proven"
                plain = {"site": {scope: splits}}
                told = Told(f"{found.site} {name}", source, plain, proven, line.kind not in HARMLESS)
                if not _loads(source):
                    continue
                if line.folds:
                    # of what is of no program three addresses say too little: pairs have to agree
                    if proven and not pack.anywhere:
                        self.folds.append(told)
                    for one in candidates(scope, table, name):
                        one.proven = proven and not pack.anywhere
                        self.rules.append(Prior(name, one, proven))
                else:
                    self.traps.append(told)


def candidates(scope: str, table: dict[str, Any], name: str) -> Iterable[Candidate]:
    """Yield the rules of a table, and of its `where` tables, one by one; those that no rule file takes are left out."""
    for conditions, rules in [({}, table), *((one, one) for one in table.get("where", ()))]:
        where = {key: conditions[key] for key in ("path", "query") if key in conditions}
        for rule, value in rules.items():
            if rule in ("path", "query", "where"):
                continue
            found = Candidate(scope, rule, value, Evidence(), FAMILY, f"a line of the pack {name}", conditions=where)
            if _loads({"site": {scope: {"where": [{**where, rule: value}]} if where else {rule: value}}}):
                yield found


def _loads(source: dict[str, Any]) -> bool:
    try:
        Normalizer([source], "safe", check_examples=False)
    except UrinormError:
        return False
    return True
