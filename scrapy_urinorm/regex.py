"""Regular expressions of our own that few URLs need, compiled when one does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Regex = re.compile
else:

    class Regex:
        """What `re.compile` gives, made when it is first asked: at the start of a crawl most are not.

        What every URL asks is compiled at once, by `re.compile`, and called without the look at an attribute.
        """

        __slots__ = ("_flags", "_text", "findall", "finditer", "fullmatch", "match", "split", "sub")

        def __init__(self, text: str, flags: int = 0):
            self._text = text
            self._flags = flags

        def __getattr__(self, name: str) -> object:
            # only what is not there yet is asked for here
            if name.startswith("_") or name not in self.__slots__:
                raise AttributeError(name)
            method = getattr(re.compile(self._text, self._flags), name)
            setattr(self, name, method)
            return method
