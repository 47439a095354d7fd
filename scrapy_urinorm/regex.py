"""Regular expressions of our own that few URLs need, compiled when one does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Regex = re.compile
else:
    _METHODS = ("findall", "finditer", "fullmatch", "match", "split", "sub")

    class _Compiled:
        __slots__ = ("_flags", "_text", *_METHODS)

    class Regex(_Compiled):
        """What `re.compile` gives, made when it is first asked: at the start of a crawl most are not.

        It then becomes another class: `__getattr__` slows every attribute down.
        """

        __slots__ = ()

        def __init__(self, text: str, flags: int = 0):
            self._text = text
            self._flags = flags

        def __getattr__(self, name: str) -> object:
            # only what is not there yet is asked for here
            if name not in _METHODS:
                raise AttributeError(name)
            compiled = re.compile(self._text, self._flags)
            for method in _METHODS:
                setattr(self, method, getattr(compiled, method))
            self.__class__ = _Compiled
            return getattr(self, name)
