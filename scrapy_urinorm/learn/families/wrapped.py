"""Addresses that redirect to what one of their parameters says: switches of language or currency, counters of clicks.

They stand on every page of a site, once for each language, and lead back to it. Such an address has the key of its
target, so nothing is lost where the target was not met: the address is fetched then, and leads there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.learn.evidence.candidate import PROPOSED, REJECTED, Candidate, on_host
from scrapy_urinorm.learn.evidence.judge import EXAMPLES, Evidence, distinct
from scrapy_urinorm.learn.evidence.risk import DEFAULT_PRIOR, risk
from scrapy_urinorm.learn.pages.contexts import Atom, Contexts
from scrapy_urinorm.rules.whole import WRAPPED_URL, own_path
from scrapy_urinorm.suffixes import same_site
from scrapy_urinorm.url import decoded, resolve, split

if TYPE_CHECKING:
    from scrapy_urinorm.learn.options import Options
    from scrapy_urinorm.learn.pages.view import View

FAMILY = "wrapper"
MAX_EXTENSIONS = 8
"""Extensions that a rule names: what a person still reads, as of paths. Chosen; of more the next is like them."""
_extension = re.compile(r"\.[A-Za-z0-9]{1,5}\Z")
NO_FILES = "[^.?#]*(?:[?#].*)?"
"""A path without a dot, whatever its query is."""


class _Seen:
    """What was seen of one parameter at one path: the addresses that led where it says, and those that did not."""

    def __init__(self) -> None:
        self.led: dict[str, View] = {}
        self.said: set[str] = set()
        self.count = 0
        self.paths = False
        self.against: list[View] = []


def wrapped(
    views: Sequence[View], contexts: Contexts, key: Callable[[str], str], options: Options, scope: str
) -> list[Candidate]:
    """Return a candidate for each parameter at a path that says where all of its addresses redirect to.

    `key` gives the key of an address under the rules so far. What leads elsewhere, or shows a page itself, as a form to
    log in does, speaks against it; two addresses of one target are one case.
    """
    seen: dict[tuple[str, str, str], _Seen] = defaultdict(_Seen)
    for view in views:
        for name, value in view.items:
            said = decoded(value)
            is_path = own_path(said) is not None
            final = view.page.final
            if not (is_path or _is_own(said, view.host)) or not (final or _shows(view)) or "*" in view.path:
                continue
            found = seen[view.host, contexts.template(view), name]
            target = final and key(resolve(said, view.page.url))
            if final and key(final) == target:
                found.count += 1
                found.paths |= is_path
                found.led.setdefault(target, view)
                found.said.add(said)
            else:
                found.against.append(view)
    out = []
    for (host, path, name), found in sorted(seen.items()):
        if found.led and "*" not in decoded(name):
            out.append(_candidate(found, contexts, scope, (host, path, name), options))
    return out


def _is_own(url: str, host: str) -> bool:
    """Whether a text is an address of the site that a host belongs to: no other is followed."""
    parts = split(url) if WRAPPED_URL.match(url) else None
    return parts is not None and same_site(host, parts.host)


def _kinds(said: Collection[str]) -> dict[str, str] | None:
    """Return the condition for files with the extensions that these have, or for paths that are none; None where there
    are both, or many.

    A document may be handed out at once, where a picture has a page with its title.
    """
    paths = [re.split("[?#]", one, maxsplit=1)[0] for one in said]
    extensions = {found[0] for one in paths if (found := _extension.search(one))}
    if not any("." in one for one in paths):
        return {"matches": NO_FILES}
    if len(extensions) <= MAX_EXTENSIONS and all(map(_extension.search, paths)) and all(map(own_path, paths)):
        return {"matches": rf"[^?#]*\.(?:{'|'.join(sorted(one[1:] for one in extensions))})(?:[?#].*)?"}
    return None


def _shows(view: View) -> bool:
    return view.page.label >= 0 or view.page.failed


def _candidate(
    found: _Seen, contexts: Contexts, scope: str, place: tuple[str, str, str], options: Options
) -> Candidate:
    host, path, name = place
    shown = decoded(name)
    value: list[Any] = [{"name": shown, "paths": True}] if found.paths else [shown]
    agree, against = len(found.led), len(found.against)
    evidence = Evidence(agree, against, saved=found.count, groups=found.count + against, groups_for=found.count)
    evidence.groups_against, evidence.prior = against, DEFAULT_PRIOR
    evidence.risk = risk(agree, against, DEFAULT_PRIOR)
    why = f"{path} led to what `{shown}` says, {distinct(agree)}"
    why += f", and elsewhere, or nowhere, at {against} addresses" if against else ""
    candidate = on_host(contexts, host, scope, "unwrap_params", value, evidence, FAMILY, why)
    candidate.context = (Atom("path", path),)
    if (kinds := _kinds(found.said)) is not None:
        candidate.conditions = {"path": path, "query": {shown: kinds}}
    candidate.names = frozenset((name,))
    candidate.examples = [(view.page.url, view.page.final or "") for view in [*found.led.values()][:EXAMPLES]]
    candidate.counterexamples = [(view.page.url, view.page.final or view.page.url) for view in found.against[:EXAMPLES]]
    if against or evidence.risk > options.risk:
        candidate.status = REJECTED if against or evidence.risk > options.suggest else PROPOSED
        candidate.why += "" if against else "; more are needed"
    return candidate
