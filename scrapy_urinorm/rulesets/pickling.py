"""Rule sets in a pickle: their tables as they were read, checked again where the pickle is loaded.

What a table is compiled to has functions in it, which no pickle holds. The files need not be where it is loaded, and
may say something else by then, so that the tables go along, each once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scrapy_urinorm.errors import Problem, RuleFileError, UrinormError
from scrapy_urinorm.rulesets.examples import Example
from scrapy_urinorm.rulesets.loading import preset_layers
from scrapy_urinorm.rulesets.scopes import Body, Layer, LineNumbers, check_body


class PackedLayer(NamedTuple):
    """A layer without what is compiled; `table` is None for one of a preset, which each process has itself."""

    label: str
    table: dict[str, Any] | None
    file: str
    lines: LineNumbers | None
    learned: bool


class _Packer:
    """Packs each layer, and each table that layers share, once: a pickle keeps what is one object one."""

    def __init__(self) -> None:
        self._tables: dict[int, dict[str, Any]] = {}
        self._layers: dict[int, PackedLayer] = {}

    def __call__(self, layer: Layer) -> PackedLayer:
        found = self._layers.get(id(layer))
        if found is None:
            if layer.preset:
                found = PackedLayer(layer.label, None, layer.file, None, learned=False)
            else:
                found = PackedLayer(layer.label, self._table(layer.body), layer.file, layer.lines, layer.learned)
            self._layers[id(layer)] = found
        return found

    def _table(self, body: Body) -> dict[str, Any]:
        found = self._tables.get(id(body))
        if found is None:
            found = self._tables[id(body)] = dict(body.raw)
            if body.wheres:
                found["where"] = [dict(where.raw) for where in body.wheres]
            if body.rewrite_requests:
                found["rewrite_requests"] = list(body.rewrite_requests)
        return found


def packed(ruleset: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a rule set for a pickle."""
    pack = _Packer()
    return {
        **ruleset,
        "everywhere": [*map(pack, ruleset["everywhere"])],
        "sites": {name: [*map(pack, layers)] for name, layers in ruleset["sites"].items()},
        "hosts": {name: [*map(pack, layers)] for name, layers in ruleset["hosts"].items()},
        "examples": [(one.pair, one.equal, pack(one.layer), one.where) for one in ruleset["examples"]],
        "sources": tuple(map(_source, ruleset["sources"])),
    }


def _source(source: Any) -> Any:
    """A mapping may be of any class, such as one that no pickle holds."""
    return dict(source) if isinstance(source, Mapping) and not isinstance(source, dict) else source


class _Unpacker:
    """Makes the layers again, and of each table one body, however many layers share it."""

    def __init__(self) -> None:
        self._bodies: dict[int, Body] = {}
        self._layers: dict[int, Layer] = {}

    def __call__(self, packed: PackedLayer) -> Layer:
        found = self._layers.get(id(packed))
        if found is None:
            found = self._layers[id(packed)] = self._layer(packed)
        return found

    def all(self, layers: Sequence[PackedLayer]) -> tuple[Layer, ...]:
        return tuple(map(self, layers))

    def _layer(self, packed: PackedLayer) -> Layer:
        if packed.table is None:
            name = packed.file.removeprefix("preset ").partition("@")[0]
            found = next((layer for layer in preset_layers(name) if layer.file == packed.file), None)
            if found is None:
                raise UrinormError(f"made under {packed.file}, which this version of the package does not have")
            return found
        body = self._bodies.get(id(packed.table))
        if body is None:
            body = self._bodies[id(packed.table)] = _body(packed, packed.table)
        assert packed.lines is not None
        return Layer(packed.label, body, packed.file, packed.lines, learned=packed.learned)


def _body(packed: PackedLayer, table: dict[str, Any]) -> Body:
    def report(key: str, message: str, hint: str) -> None:
        raise RuleFileError([Problem(packed.file, packed.label, key, None, message, hint)])

    return check_body(table, report, scope="site")


def unpacked(state: dict[str, Any]) -> dict[str, Any]:
    """The attributes of the rule set of which `packed` made these. Raises UrinormError under another version."""
    make = _Unpacker()
    return {
        **state,
        "everywhere": make.all(state["everywhere"]),
        "sites": {name: make.all(layers) for name, layers in state["sites"].items()},
        "hosts": {name: make.all(layers) for name, layers in state["hosts"].items()},
        "examples": [Example(pair, equal, make(layer), where) for pair, equal, layer, where in state["examples"]],
    }
