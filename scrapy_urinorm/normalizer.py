"""The normalizer: what callers ask of a set of rules."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.engine.faults import Faults
from scrapy_urinorm.engine.native import Native
from scrapy_urinorm.engine.pipeline import SILENT, Outcome, run, unwrapped
from scrapy_urinorm.engine.sites import Sites
from scrapy_urinorm.engine.texts import (
    bare_key,
    bare_parts_key,
    canonical_text,
    edited_text,
    key_text,
    without_userinfo,
)
from scrapy_urinorm.errors import RuleFileError
from scrapy_urinorm.rules import Stage, Verdict
from scrapy_urinorm.rulesets.examples import failing
from scrapy_urinorm.rulesets.ruleset import RuleSet, Source
from scrapy_urinorm.tuples import NamedTuple
from scrapy_urinorm.url import join, other_canonical, other_key, resolve, split, split_text

if TYPE_CHECKING:
    from scrapy_urinorm.engine.explanation import Explanation, StepWatcher


class Decision(NamedTuple):
    """All that the rules say of one URL."""

    canonical: str
    key: str
    skip: bool
    defer: bool


class Judgement(NamedTuple):
    """What a crawl needs to know of one URL before it is requested."""

    key: str
    skip: bool
    defer: bool


#: What a copy of a normalizer makes anew.
_ANEW = frozenset(("counts", "sites", "native", "_faults"))


class Normalizer:
    """Canonical URLs and keys under a set of rules.

    `rules` is a `RuleSet`, one source of rules or a list of them (a path,
    `"package:file.toml"` or a dict), or None for the preset alone. Raises RuleFileError with every problem, wrong
    `examples` and `distinct` rows included.

    Every method takes any `str` and never raises on it. `counts` counts what was odd: `unparsable` (a URL that
    the URL Standard refuses, or of a scheme without rules), `unstable` (rules that do not settle on a URL) and
    `error` (a rule that raised; the URL is then treated as if there were no rules; the log has the first).

    A pickle holds the rules as they were read, so that it needs no file where it is loaded, but the same version of the
    package; what a copy counts begins at zero.
    """

    def __init__(
        self,
        rules: RuleSet | Source | Sequence[Source] | None = None,
        preset: str | None = None,
        *,
        check_examples: bool = True,
    ):
        if not isinstance(rules, RuleSet):
            sources = [] if rules is None else rules if isinstance(rules, (list, tuple)) else [rules]
            rules = RuleSet.load(*sources, preset=preset)
        elif preset is not None and preset != rules.preset:
            rules = RuleSet.load(*rules.sources, preset=preset)
        self.ruleset = rules
        self._begin()
        if check_examples and rules.examples:
            problems = list(failing(rules.examples, self.key))
            if problems:
                raise RuleFileError(problems)

    def _begin(self) -> None:
        self.counts: Counter[str] = Counter()
        self._faults = Faults(self.counts)
        self.sites = Sites(self.ruleset, self.counts)
        #: The module in C over these rules; None where all goes through the loop.
        self.native: Native | None = Native.of(self.sites.known, self.sites.learn_written)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _ANEW}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._begin()

    def key(self, url: str, *, lossy: bool = True) -> str:
        """The key of a URL: equal keys mean one page. `lossy=False` leaves the rules out."""
        try:
            if self.native is not None:
                fast = (self.native if lossy else _without_rules()).key(url)
                if fast is not None:
                    return fast
            return self._key(url, lossy=lossy)
        except Exception as error:  # noqa: BLE001  a rule's own fault must never reach a crawl
            self._faults.note(url, error)
            return bare_key(url)

    def normalize(self, url: str, base: str | None = None) -> str:
        """The canonical URL: valid to show and to compare. `base` resolves a relative reference (RFC 3986 5)."""
        if base is not None:
            url = resolve(url, base)
        try:
            if self.native is not None:
                fast = self.native.canonical(url)
                if fast is not None:
                    return fast
            return self._canonical(url)
        except Exception as error:  # noqa: BLE001  as in `key`
            self._faults.note(url, error)
            return url

    def lines(self, block: bytes, *, keys: bool = False, lossy: bool = True) -> bytes:
        """The canonical URLs, or keys, of lines of UTF-8 octets, each of which has an end; an empty one stays empty.

        `lossy=False` leaves the rules out, for keys alone.
        """
        one = functools.partial(self.key, lossy=lossy) if keys else self.normalize
        if self.native is not None:
            native = self.native if lossy or not keys else _without_rules()
            return native.lines(lambda line: one(line) if line else "", block, keys)
        text = block.decode("utf-8", "surrogateescape").replace("\r\n", "\n").removesuffix("\r")
        done = [one(line) if line else "" for line in text.split("\n")]
        return "\n".join(done).encode("utf-8", "surrogatepass")

    def decide(self, url: str) -> Decision:
        """Canonical URL, key, and whether the rules say to skip or defer the URL."""
        try:
            return self._decide(url)
        except Exception as error:  # noqa: BLE001  as in `key`
            self._faults.note(url, error)
            return Decision(url, bare_key(url), skip=False, defer=False)

    def judge(self, url: str) -> Judgement:
        """Key and verdicts in one pass."""
        try:
            if self.native is not None:
                fast = self.native.key(url)
                if fast is not None:
                    # a program with verdicts is left to the loop
                    return Judgement(fast, skip=False, defer=False)
            return self._judge(url)
        except Exception as error:  # noqa: BLE001  as in `key`
            self._faults.note(url, error)
            return Judgement(bare_key(url), skip=False, defer=False)

    def verdict(self, url: str) -> tuple[bool, bool]:
        """Whether the rules say to skip, or to defer, the URL."""
        if not self.has_verdicts:
            return False, False
        _, skip, defer = self.judge(url)
        return skip, defer

    def changed_by(self, url: str) -> tuple[str, ...]:
        """The names of the rules that change `url`: `explain` in short, for stats."""
        from scrapy_urinorm.engine.explanation import NameWatcher

        parts = split(url)
        if parts is None:
            return ()
        watcher = NameWatcher()
        try:
            unwrapped(self.sites, parts, self.counts, watcher)
        except Exception as error:  # noqa: BLE001  as in `key`
            self._faults.note(url, error)
        return tuple(watcher.rules)

    def explain(self, url: str) -> Explanation:
        """The steps from a URL to its key, by the very pipeline that makes it."""
        from scrapy_urinorm.engine.explanation import Explanation, StepWatcher

        watcher = StepWatcher()
        try:
            decision = self._decide(url, watcher)
        except Exception as error:  # noqa: BLE001  as in `key`
            watcher.note(f"a rule raised {error!r}: the URL is treated as if there were no rules")
            decision = Decision(url, bare_key(url), skip=False, defer=False)
        return Explanation(
            without_userinfo(url),
            tuple(watcher.steps),
            without_userinfo(decision.canonical),
            without_userinfo(decision.key),
            decision.skip,
            decision.defer,
            tuple(watcher.notes),
        )

    def edit(self, url: str) -> str:
        """`url` with the edits of the rules alone: every byte that no rule concerns stays as it came."""
        try:
            parts, raw = split(url), split_text(url)
            if parts is None or raw is None:
                return url
            outcome = run(self.sites, parts, self.counts)
            return url if outcome.exempt else edited_text(url, raw, parts, outcome)
        except Exception as error:  # noqa: BLE001  as in `key`
            self._faults.note(url, error)
            return url

    @functools.cached_property
    def has_verdicts(self) -> bool:
        """Whether any table says to skip or to defer URLs: callers need not ask per URL otherwise."""
        return self.ruleset.has_rule_at(Stage.VERDICT)

    @functools.cached_property
    def reads_bodies(self) -> bool:
        """Whether any table has rules on bodies or headers: callers need not ask per request otherwise."""
        return self.ruleset.has_rule_at(Stage.BODY, Stage.HEADERS)

    def body_rules(self, url: str) -> tuple[tuple[Any, ...], tuple[str, ...]]:
        """The functions to apply to the body of a request to `url`, and the headers that count."""
        parts = split(url)
        if parts is None:
            return (), ()
        try:
            program = run(self.sites, parts, self.counts).program
        except Exception as error:  # noqa: BLE001  as in `key`
            self._faults.note(url, error)
            return (), ()
        names = (name for step in program.header_steps for name in step.run())
        return tuple(step.run for step in program.body_steps), tuple(names)

    def _key(self, url: str, *, lossy: bool = True) -> str:
        """The key by the loop."""
        parts = split(url)
        if parts is None:
            self.counts["unparsable"] += 1
            return other_key(url)
        if not lossy:
            return bare_parts_key(parts)
        return key_text(*unwrapped(self.sites, parts, self.counts))

    def _judge(self, url: str) -> Judgement:
        """Key and verdicts by the loop."""
        parts = split(url)
        if parts is None:
            self.counts["unparsable"] += 1
            return Judgement(other_key(url), skip=False, defer=False)
        parts, outcome = unwrapped(self.sites, parts, self.counts)
        said = _verdicts(outcome)
        return Judgement(key_text(parts, outcome), Verdict.SKIP in said, Verdict.DEFER in said)

    def _canonical(self, url: str) -> str:
        """The canonical URL by the loop."""
        parts = split(url)
        if parts is None:
            self.counts["unparsable"] += 1
            return other_canonical(url)
        return canonical_text(*unwrapped(self.sites, parts, self.counts))

    def _decide(self, url: str, watcher: StepWatcher | None = None) -> Decision:
        parts = split(url)
        if parts is None:
            self.counts["unparsable"] += 1
            if watcher is not None:
                watcher.note("no rule applies: the URL Standard refuses this URL, or its scheme has no rules")
            return Decision(other_canonical(url), other_key(url), skip=False, defer=False)
        if watcher is not None and (safe := join(parts)) != url:
            watcher.safe(url, safe)
        parts, outcome = unwrapped(self.sites, parts, self.counts, watcher or SILENT)
        if watcher is not None:
            watcher.finish(parts, outcome)
        said = _verdicts(outcome)
        return Decision(
            canonical_text(parts, outcome), key_text(parts, outcome), Verdict.SKIP in said, Verdict.DEFER in said
        )


@functools.cache
def _without_rules() -> Native:
    """The module in C over no rules at all; to be asked where it is known to be there."""
    sites = Sites(RuleSet(), Counter())
    native = Native.of(sites.known, sites.learn_written)
    assert native is not None
    return native


def _verdicts(outcome: Outcome) -> list[Verdict]:
    if outcome.exempt:
        return []
    return [step.run((outcome.path, outcome.items)) for step in outcome.program.verdict_steps]
