"""What the value of a rule may look like: each kind checks, merges and describes one shape of value.

The check returns the value in its compiled form and reports every problem through the callback that it is given; it
never raises. Compiled values are immutable, hashable where cheap, and know how to be written down again.
"""

from __future__ import annotations

from scrapy_urinorm.rules.kinds.base import ByName, Choice, Flag, Hosts, Kind, Ports, nearest
from scrapy_urinorm.rules.kinds.edits import Aliases, Edit, Edits, NamedEdits, Template, Templates, ValueAliases
from scrapy_urinorm.rules.kinds.limits import Limit, Limits
from scrapy_urinorm.rules.kinds.name_tables import JoinedNames, Name, NameTable
from scrapy_urinorm.rules.kinds.names import Names, Renames, Texts
from scrapy_urinorm.rules.kinds.segments import Segment, Segments
from scrapy_urinorm.rules.kinds.wrappers import Wrapper, Wrappers

__all__ = [
    "Aliases",
    "ByName",
    "Choice",
    "Edit",
    "Edits",
    "Flag",
    "Hosts",
    "JoinedNames",
    "Kind",
    "Limit",
    "Limits",
    "Name",
    "NameTable",
    "NamedEdits",
    "Names",
    "Ports",
    "Renames",
    "Segment",
    "Segments",
    "Template",
    "Templates",
    "Texts",
    "ValueAliases",
    "Wrapper",
    "Wrappers",
    "nearest",
]
