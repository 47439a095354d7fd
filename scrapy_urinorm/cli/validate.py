"""`urinorm validate`: proposals decided by fetching."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from scrapy_urinorm.cli.amounts import number, whole
from scrapy_urinorm.cli.display import say, show_table, write_json
from scrapy_urinorm.cli.progress import Progress
from scrapy_urinorm.cli.project import Json  # noqa: TC001  read at run time
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.candidate import Candidate


#: Reasons for pages without answer that are said: as many as stand on a screen beside the rules.
_REASONS = 5


def validate(
    rules: Annotated[str, typer.Argument(metavar="RULES", help="A file that `learn` wrote.")],
    visits: Annotated[
        list[str] | None,
        typer.Argument(metavar="[VISITS]...", help="Visits or URLs to draw addresses from, as for `learn`."),
    ] = None,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The rule file to write.")] = "",
    budget: Annotated[int, whole("--budget", least=2, help="At most so many requests per site.")] = 200,
    delay: Annotated[
        float, number("--delay", metavar="SECONDS", help="The time between two requests to a host.")
    ] = 1.0,
    again: Annotated[bool, typer.Option("--again", help="Test the active rules of the file, too.")] = False,
    as_json: Json = False,
) -> None:
    """Fetch pairs of addresses that proposals make one, and turn each proposal into a rule or reject it.

    Fetching is polite: it obeys robots.txt and the delay, uses GET only, and avoids addresses that look like actions.

    Examples:
    - `urinorm validate proposals.toml urls.txt --output learned.toml`

    - `urinorm validate learned.toml visits.jsonl.zst --again --budget 100 --output checked.toml`
    """
    from scrapy_urinorm.extras import require
    from scrapy_urinorm.learn import validate_file

    require("Comparing pages", "learn")
    if not output:
        raise typer.BadParameter("where to write the rules?", param_hint="--output")
    before = _statuses(rules)
    with Progress("requests", streams=False) as progress:
        result = validate_file(
            rules, output, visits or (), budget=budget, delay=delay, again=again, progress=progress.add
        )
    candidates = [*result.active, *result.others]
    changed = [one for one in candidates if one.status != before.get(_identity(one))]
    rows = [
        {"site": one.scope, "rule": one.rule, "value": one.value, "status": one.status, "why": one.why}
        for one in changed
    ]
    if as_json:
        write_json({"output": output, "rules": len(result.active), "decided": rows})
        return
    say(f"{output}: {count(len(result.active), 'rule')}; {count(len(rows), 'proposal')} decided", "green")
    for why, times in sorted(result.refused.items(), key=lambda one: -one[1])[:_REASONS]:
        say(f"{count(times, 'page')} without answer: {why}", "yellow")
    if rows:
        shown = [(row["status"], row["site"], row["rule"], str(row["value"]), row["why"]) for row in rows]
        show_table(("", "site", "rule", "value", "why"), shown, fold=("value", "why"))


def _statuses(rules: str) -> dict[str, str]:
    from scrapy_urinorm.learn.earlier import candidates_of
    from scrapy_urinorm.rulesets.ruleset import RuleSet

    return {_identity(one): one.status for one in candidates_of(RuleSet.load(rules).evidence)}


def _identity(candidate: Candidate) -> str:
    return repr([getattr(candidate, name) for name in ("scope", "rule", "value", "conditions")])
