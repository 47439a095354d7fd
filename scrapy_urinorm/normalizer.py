"""The normalizer: what callers ask of a set of rules."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.engine.explanation import Explanation, NameWatcher, Step, StepWatcher
from scrapy_urinorm.engine.fastpath import canonical_function, key_function
from scrapy_urinorm.engine.plan import Outcome, Sites, Watcher, run
from scrapy_urinorm.engine.texts import (
    bare_key,
    bare_parts_key,
    canonical_text,
    edited_text,
    key_text,
    without_userinfo,
)
from scrapy_urinorm.errors import Problem, RuleFileError
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.url import Url, join, other_canonical, other_key, resolve, split, split_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_urinorm.rulesets.ruleset import Source

_MAX_WRAPPERS = 4
_SILENT = Watcher()


class Decision(NamedTuple):
    """All that the rules say of one URL."""

    canonical: str
    key: str
    skip: bool
    defer: bool


class Normalizer:
    """Canonical URLs and keys under a set of rules.

    ``rules`` is a :class:`~scrapy_urinorm.rulesets.ruleset.RuleSet`, one source of rules or a list of them (a path,
    ``"package:file.toml"`` or a dict), or None for the preset alone. Raises RuleFileError with every problem, wrong
    ``examples`` and ``distinct`` rows included.

    Every method takes any ``str`` and never raises on it. ``counts`` counts what was odd: ``unparsable`` (a URL that
    the URL Standard refuses, or of a scheme without rules), ``unstable`` (rules that do not settle on a URL) and
    ``error`` (a rule that raised; the URL is then treated as if there were no rules).
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
        self.counts: Counter[str] = Counter()
        self.sites = Sites(rules, self.counts)
        self._fast_key = key_function(self.sites)
        self._fast_canonical = canonical_function(self.sites)
        self._memo: dict[str, bool] = {}
        if check_examples and rules.examples:
            problems = list(_failing_examples(self))
            if problems:
                raise RuleFileError(problems)

    def key(self, url: str, *, lossy: bool = True) -> str:
        """The key of a URL: equal keys mean one page. ``lossy=False`` leaves the rules out."""
        try:
            if lossy:
                fast = self._fast_key(url)
                if fast is not None:
                    return fast
            return self._key(url, lossy=lossy)
        except Exception:  # noqa: BLE001  a rule's own fault must never reach a crawl
            self.counts["error"] += 1
            return bare_key(url)

    def normalize(self, url: str, base: str | None = None) -> str:
        """The canonical URL: valid to show and to compare. ``base`` resolves a relative reference (RFC 3986 5)."""
        if base is not None:
            url = resolve(url, base)
        try:
            fast = self._fast_canonical(url)
            if fast is not None:
                return fast
        except Exception:  # noqa: BLE001  as in `key`; counted below
            pass
        return self.decide(url).canonical

    def decide(self, url: str) -> Decision:
        """Canonical URL, key, and whether the rules say to skip or defer the URL."""
        try:
            return self._decide(url)
        except Exception:  # noqa: BLE001  as in `key`
            self.counts["error"] += 1
            return Decision(url, bare_key(url), skip=False, defer=False)

    def verdict(self, url: str) -> tuple[bool, bool]:
        """Whether the rules say to skip, or to defer, the URL."""
        if not self.has_verdicts:
            return False, False
        decision = self.decide(url)
        return decision.skip, decision.defer

    def changed_by(self, url: str) -> tuple[str, ...]:
        """The names of the rules that change ``url``: :meth:`explain` in short, for stats."""
        parts = split(url)
        if parts is None:
            return ()
        watcher = NameWatcher()
        try:
            self._unwrapped(parts, watcher)
        except Exception:  # noqa: BLE001  as in `key`
            self.counts["error"] += 1
        return tuple(watcher.rules)

    def explain(self, url: str) -> Explanation:
        """The steps from a URL to its key, by the very pipeline that makes it."""
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
        """``url`` with the edits of the rules alone: every byte that no rule concerns stays as it came."""
        try:
            parts, raw = split(url), split_text(url)
            if parts is None or raw is None:
                return url
            outcome = self._run(parts, _SILENT)
            return url if outcome.exempt else edited_text(url, raw, parts, outcome)
        except Exception:  # noqa: BLE001  as in `key`
            self.counts["error"] += 1
            return url

    @property
    def has_verdicts(self) -> bool:
        """Whether any table says to skip or to defer URLs: callers need not ask per URL otherwise."""
        return self._any_rule("skip", "defer")

    @property
    def reads_bodies(self) -> bool:
        """Whether any table has rules on bodies or headers: callers need not ask per request otherwise."""
        return self._any_rule("remove_body_params", "sort_body", "include_headers")

    def body_rules(self, url: str) -> tuple[tuple[Any, ...], tuple[str, ...]]:
        """The functions to apply to the body of a request to ``url``, and the headers that count."""
        parts = split(url)
        if parts is None:
            return (), ()
        try:
            program = self._run(parts, _SILENT).program
        except Exception:  # noqa: BLE001  as in `key`
            self.counts["error"] += 1
            return (), ()
        return tuple(step.run for step in program.body_steps), program.headers

    # ------------------------------------------------------------------

    def _any_rule(self, *names: str) -> bool:
        """Whether any table has one of the rules."""
        found = self._memo.get(names[0])
        if found is None:
            bodies = {id(layer.body): layer.body for layer in self.ruleset.layers()}.values()
            tables = (part for body in bodies for part in (body, *(where.body for where in body.wheres)))
            found = self._memo[names[0]] = any(name in part.rules for part in tables for name in names)
        return found

    def _key(self, url: str, *, lossy: bool = True) -> str:
        """The key by the long way."""
        parts = split(url)
        if parts is None:
            self.counts["unparsable"] += 1
            return other_key(url)
        if not lossy:
            return bare_parts_key(parts)
        return key_text(*self._unwrapped(parts, _SILENT))

    def _decide(self, url: str, watcher: StepWatcher | None = None) -> Decision:
        parts = split(url)
        if parts is None:
            self.counts["unparsable"] += 1
            if watcher is not None:
                watcher.note("no rule applies: the URL Standard refuses this URL, or its scheme has no rules")
            return Decision(other_canonical(url), other_key(url), skip=False, defer=False)
        if watcher is not None and (safe := join(parts)) != url:
            watcher.step("safe", ("always", "RFC 3986 6.2.2, URL Standard"), url, safe)
        parts, outcome = self._unwrapped(parts, watcher or _SILENT)
        if watcher is not None:
            watcher.finish(parts, outcome)
        program, may = outcome.program, not outcome.exempt
        return Decision(
            canonical_text(parts, outcome), key_text(parts, outcome), program.skip and may, program.defer and may
        )

    def _run(self, parts: Url, watcher: Watcher) -> Outcome:
        return run(self.sites, parts, self.counts, watcher)

    def _unwrapped(self, parts: Url, watcher: Watcher) -> tuple[Url, Outcome]:
        """Run the rules, and again on the target where the URL is a wrapper."""
        wrapper = parts, self._run(parts, watcher)
        parts, outcome = wrapper
        for _ in range(_MAX_WRAPPERS + 1):
            unwrap = outcome.program.unwrap
            target = unwrap((outcome.path, outcome.items)) if unwrap is not None and not outcome.exempt else None
            inner = split(target) if target else None
            if inner is None:
                return parts, outcome
            watcher.unwrapped(parts, outcome, inner)
            parts, outcome = inner, self._run(inner, watcher)
        # half a way would be another URL each time: the wrapper stays as it is
        self.counts["unstable"] += 1
        watcher.note("too many wrappers: the URL is not unwrapped", undo=True)
        return wrapper


def _failing_examples(normalizer: Normalizer) -> Iterator[Problem]:
    """The ``examples`` and ``distinct`` rows that do not hold."""
    for example in normalizer.ruleset.examples:
        layer = example.layer
        host = layer.label.partition('"')[2].rstrip('"') if '"' in layer.label else "example.com"
        first, second = (normalizer.key(u if "://" in u else f"http://{host}{u}") for u in example.pair)
        if (first == second) is not example.equal:
            key = "examples" if example.equal else "distinct"
            said = f"{example.pair[0]!r} and {example.pair[1]!r}"
            verdict = f"do not get one key: {first} and {second}" if example.equal else f"both get {first}"
            yield Problem(layer.file, layer.label, key, layer.line, f"{said} {verdict}", "`urinorm explain` shows why")


__all__ = ["Decision", "Explanation", "Normalizer", "Step"]
