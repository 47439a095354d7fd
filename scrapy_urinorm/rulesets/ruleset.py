"""Rule sets: what files and dicts say, merged by scope, with a digest of it."""

from __future__ import annotations

import contextlib
import gc
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.errors import RuleFileError
from scrapy_urinorm.rules import CATALOGUE, Stage, rules_at
from scrapy_urinorm.rulesets.examples import Example
from scrapy_urinorm.rulesets.loading import DEFAULT_PRESET, PRESETS, Loader, Source

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.scopes import Body, Layer

#: The version of the rules' semantics: part of every digest, so that a store notices when keys may have changed.
SEMANTICS = 1

__all__ = ["PRESETS", "Example", "RuleSet", "Source", "any_rule_at"]


class RuleSet:
    """Rules of one or several sources, checked and ready to be looked up by host; never changed after loading.

    `everywhere` are the layers for every site, preset first; `sites` and `hosts` map a domain or an exact
    `host[:port]` to its layers in the order of the sources; `host_maps` has the maps of hosts by rule;
    `evidence` are the rows that `urinorm learn` wrote; `files` names the sources in order.
    """

    def __init__(self) -> None:
        self.preset = "recommended"
        self.everywhere: tuple[Layer, ...] = ()
        self.sites: Mapping[str, tuple[Layer, ...]] = {}
        self.hosts: Mapping[str, tuple[Layer, ...]] = {}
        self.host_maps: dict[str, dict[str, str]] = {}
        self.evidence: list[dict[str, Any]] = []
        self.files: tuple[str, ...] = ()
        self.sources: tuple[Source, ...] = ()
        self.examples: list[Example] = []
        self._digest: str | None = None

    @classmethod
    def load(cls, *sources: Source, preset: str | None = None) -> RuleSet:
        """Read rule files (TOML, or JSON where the name ends in .json), `package:file` resources and dicts.

        A preset comes first, then the sources in order, each after the files that it includes. `preset` overrides
        the sources' own choice. Raises RuleFileError with every problem of every source. The `examples` and
        `distinct` rows are run by `Normalizer`.
        """
        loader = Loader()
        with no_collection():
            for source in sources:
                loader.read(source)
            loader.finish(preset)
            if loader.problems:
                raise RuleFileError(loader.problems)
            return cls._of(loader, sources)

    @classmethod
    def _of(cls, loader: Loader, sources: tuple[Source, ...]) -> RuleSet:
        ruleset = cls()
        ruleset.preset = loader.preset[0] if loader.preset else DEFAULT_PRESET
        ruleset.everywhere = tuple(sorted(loader.everywhere, key=lambda layer: (not layer.preset, not layer.learned)))
        ruleset.sites = {name: _learned_first(layers) for name, layers in loader.sites.items()}
        ruleset.hosts = {name: _learned_first(layers) for name, layers in loader.hosts.items()}
        ruleset.host_maps = loader.host_maps
        ruleset.evidence = loader.evidence
        ruleset.examples = loader.examples
        ruleset.files = tuple(loader.files)
        ruleset.sources = sources
        return ruleset

    def __getstate__(self) -> dict[str, Any]:
        from scrapy_urinorm.rulesets.pickling import packed

        return packed(vars(self))

    def __setstate__(self, state: dict[str, Any]) -> None:
        from scrapy_urinorm.rulesets.pickling import unpacked

        with no_collection():
            vars(self).update(unpacked(state))

    def __deepcopy__(self, memo: dict[int, Any]) -> RuleSet:
        return self  # never changed after loading

    def chain(self, host: str, port: str) -> Sequence[Layer]:
        """The layers that apply to a canonical host, widest scope first; without others it is `everywhere` itself."""
        own: list[Layer] = []
        sites = self.sites
        host = host.removesuffix(".")
        if sites:
            labels = []
            at = -1
            while True:
                if (found := sites.get(host[at + 1 :])) is not None:
                    labels.append(found)
                at = host.find(".", at + 1)
                if at < 0:
                    break
            for found in reversed(labels):
                own.extend(found)
        if self.hosts:
            own.extend(self.hosts.get(host, ()))
            if port:
                own.extend(self.hosts.get(f"{host}:{port}", ()))
        return [*self.everywhere, *own] if own else self.everywhere

    def written(self) -> RuleSet:
        """The rules that a person wrote, the preset's included: without the tables that `urinorm learn` wrote."""
        ruleset = RuleSet()
        vars(ruleset).update(vars(self), evidence=[], _digest=None)
        ruleset.everywhere = _by_hand(self.everywhere)
        ruleset.sites = {name: _by_hand(layers) for name, layers in self.sites.items()}
        ruleset.hosts = {name: _by_hand(layers) for name, layers in self.hosts.items()}
        return ruleset

    def layers(self) -> Iterator[Layer]:
        """Every layer of every scope."""
        yield from self.everywhere
        for scope in (self.sites, self.hosts):
            for layers in scope.values():
                yield from layers

    def has_rule_at(self, *stages: Stage) -> bool:
        """Whether any table has a rule that acts at one of the stages."""
        return any_rule_at({id(layer.body): layer.body for layer in self.layers()}.values(), *stages)

    def digest(self) -> str:
        """A short stable hash of what the rules say: equal digests give equal keys (for one parser of URLs)."""
        if self._digest is None:
            import hashlib

            bodies: dict[int, str] = {}
            out = hashlib.sha256(f"{SEMANTICS}".encode())
            for layer in self.everywhere:
                out.update(_body_digest(layer.body, bodies).encode())
            for kind, scope in (("site", self.sites), ("host", self.hosts)):
                for name in sorted(scope):
                    rows = "".join(_body_digest(layer.body, bodies) for layer in scope[name])
                    out.update(f"\n{kind} {name} {rows}".encode())
            self._digest = out.hexdigest()[:16]
        return self._digest

    def to_dict(self, *, pairs: bool = False) -> dict[str, Any]:
        """The merged rules as one dict in the grammar of a rule file; the preset stays a name.

        With `pairs` the `examples` and `distinct` rows are in it, too, each with its host.
        """
        out: dict[str, Any] = {"preset": self.preset}
        everywhere = [layer for layer in self.everywhere if not layer.preset]
        if everywhere:
            out["rules"] = merged_tables(everywhere)
        for key, scope in (("site", self.sites), ("host", self.hosts)):
            if scope:
                out[key] = {name: merged_tables(layers) for name, layers in scope.items()}
        if self.evidence:
            out["evidence"] = self.evidence
        # those of `where` tables are there with these
        for example in (one for one in self.examples if pairs and not one.where):
            out.setdefault("rules", {}).setdefault(example.key, []).append([*example.urls])
        return out

    def count(self) -> int:
        """How many rules the tables hold, the preset's not counted."""
        return sum(
            len(layer.body.rules) + sum(len(w.body.rules) for w in layer.body.wheres)
            for layer in self.layers()
            if not layer.preset
        )


def any_rule_at(bodies: Iterable[Body], *stages: Stage) -> bool:
    """Whether any of some tables, or a `where` table in them, has a rule that acts at one of the stages."""
    names = {rule.name for rule in rules_at(*stages)}
    tables = (part for body in bodies for part in (body, *(where.body for where in body.wheres)))
    return any(not names.isdisjoint(part.rules) for part in tables)


def _by_hand(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    return tuple(layer for layer in layers if not layer.learned)


def _learned_first(layers: list[Layer]) -> tuple[Layer, ...]:
    # most of many sites have one table
    return tuple(layers if len(layers) == 1 else sorted(layers, key=lambda layer: not layer.learned))


def merged_tables(layers: Iterable[Layer]) -> dict[str, Any]:
    """The tables of one scope as one; lists and tables add up as the kinds say."""
    out: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.body.raw.items():
            old = out.get(key)
            if isinstance(old, list) and isinstance(value, list) and not getattr(CATALOGUE[key].kind, "replace", False):
                out[key] = old + value
            elif isinstance(old, dict) and isinstance(value, dict):
                out[key] = {**old, **value}
            else:
                out[key] = value
        wheres = [dict(w.raw) for w in layer.body.wheres]
        if wheres:
            out.setdefault("where", []).extend(wheres)
        if layer.body.rewrite_requests:
            out["rewrite_requests"] = list(layer.body.rewrite_requests)
    return out


def _body_digest(body: Body, known: dict[int, str]) -> str:
    import hashlib

    found = known.get(id(body))
    if found is None:
        rows = [body.raw, [{k: v for k, v in w.raw.items() if k not in ("examples", "distinct")} for w in body.wheres]]
        text = json.dumps(_without_why(rows), sort_keys=True, default=str)
        found = known[id(body)] = hashlib.sha256(text.encode()).hexdigest()[:24]
    return found


def _without_why(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_why(v) for k, v in value.items() if k != "why"}
    if isinstance(value, (list, tuple)):
        return [_without_why(v) for v in value]
    return value


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """Pause the garbage collector: it would take half the time of a large file, and of its lint, and find nothing."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
