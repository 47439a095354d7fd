"""How a rule is declared: one decorator, from which the schema, the tests' first row and the docs are derived."""

from __future__ import annotations

import enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy_urinorm.rules.kinds import Kind


class Safety(enum.StrEnum):
    """How much a rule may change what a URL means, in the words of RFC 3986 section 6 and the URI literature."""

    SAFE = "safe"
    """Preserves the meaning of every URL."""
    USUALLY_SAFE = "usually safe"
    """Preserves it on most servers; wants evidence such as a redirect."""
    LOSSY = "lossy"
    """Changes it in general; right only where a person or a crawl has said so."""


class Rule(NamedTuple):
    """One normalization: its function, its schema and its documentation.

    ``name`` is also the config key, the stat, the CLI name and the docs row. ``part`` is the module it stands in.
    ``before``, ``after`` and ``value`` are the declared example. ``kind`` checks, merges and documents the value.
    ``scope`` is "any", "site" (not under ``where``) or "file" (top level only). ``splits`` says that the rule may
    keep apart what Scrapy merges.
    """

    name: str
    part: str
    safety: Safety
    before: str
    after: str
    value: Any
    kind: Kind
    function: Callable[..., Any]
    scope: str = "any"
    splits: bool = False
    extra: Mapping[str, Any] = MappingProxyType({})

    @property
    def doc(self) -> str:
        """The whole docstring."""
        import inspect

        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """The first line of the docstring: the row that users read."""
        return self.doc.partition("\n")[0]

    @property
    def where(self) -> bool:
        """Whether the rule may stand in a ``where`` table."""
        return self.scope == "any"


#: Every rule by name, in the order of execution, which is the order of the source.
CATALOGUE: dict[str, Rule] = {}


def rule(
    safety: Safety,
    before: str,
    after: str,
    *,
    kind: Kind,
    value: Any,
    scope: str = "any",
    splits: bool = False,
    **extra: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the decorated function as a rule of the catalogue.

    ``before`` becomes ``after`` when the rule is set to ``value``: a test runs it and the docs print it. ``extra``
    holds other rules that the example needs.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        part = function.__module__.rpartition(".")[2]
        CATALOGUE[function.__name__] = Rule(
            function.__name__, part, safety, before, after, value, kind, function, scope, splits, extra
        )
        return function

    return declare


SAFE, USUALLY_SAFE, LOSSY = Safety.SAFE, Safety.USUALLY_SAFE, Safety.LOSSY
