"""Named tuples whose types are for readers and mypy alone, for the modules that every crawl imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from collections import namedtuple

    class _Making(type):
        def __new__(cls, name, bases, said):
            if not bases:
                return super().__new__(cls, name, bases, said)
            types = said.pop("__annotations__", {})
            defaults = [said.pop(field) for field in types if field in said]
            made = namedtuple(name, types, defaults=defaults, module=said.pop("__module__"))  # noqa: PYI024  what it is
            made.__annotations__ = made.__new__.__annotations__ = types
            for key, value in said.items():
                setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Making):
        """As `typing.NamedTuple`, which compiles each type of each field: a third of the import of the components."""


__all__ = ["NamedTuple"]
