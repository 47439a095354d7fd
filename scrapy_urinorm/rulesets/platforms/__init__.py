"""Packs: what is known of the URLs of a program that many sites run, as data, and as tables bound to where it runs.

A pack is a TOML file. Its lines are `where` tables with a class, a source and a proof; their paths begin at the
directory that the program is installed in. Nothing of a pack acts unless a site's table names it.
"""

from scrapy_urinorm.rulesets.platforms.binding import (
    LineTable,
    PackLines,
    Use,
    bound,
    line_tables,
    splitting,
    uses,
    wrong,
)
from scrapy_urinorm.rulesets.platforms.reading import (
    CLASSES,
    HARMLESS,
    SESSION,
    VERDICTS,
    Line,
    Mark,
    Pack,
    PackError,
    markers,
    names,
    pack,
    packs,
    read_pack,
)

__all__ = [
    "CLASSES",
    "HARMLESS",
    "SESSION",
    "VERDICTS",
    "Line",
    "LineTable",
    "Mark",
    "Pack",
    "PackError",
    "PackLines",
    "Use",
    "bound",
    "line_tables",
    "markers",
    "names",
    "pack",
    "packs",
    "read_pack",
    "splitting",
    "uses",
    "wrong",
]
