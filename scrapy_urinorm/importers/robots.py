"""`Clean-param` lines of robots.txt files to a rule file.

A site says with `Clean-param: name[&name...] [path prefix]` which parameters do not change its pages (Yandex's
extension of RFC 9309; 500 characters a line at the most, `*` in the path stands for anything, names are exact).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.importers.document import Document
from scrapy_urinorm.rules.globs import prefix_glob
from scrapy_urinorm.url import decoded, split, text_key

if TYPE_CHECKING:
    from collections.abc import Iterable

_LINE = re.compile(r"\s*clean-param\s*:\s*([^#]*)", re.IGNORECASE)
MAX_LINE = 500
_HEAD = "What sites say in robots.txt (Clean-param), carried over by `urinorm import robots`."


class CleanParam(NamedTuple):
    """One line: parameter names, and the prefix of the paths on which they mean nothing (empty: everywhere)."""

    names: tuple[str, ...]
    prefix: str


def clean_params(text: str) -> tuple[list[CleanParam], list[str]]:
    """The `Clean-param` lines of a robots.txt, and those that cannot be read, as `line N: reason`."""
    found, bad = [], []
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.match(line.removeprefix("\ufeff"))
        if match is None:
            continue
        fields = match[1].split()
        if not fields or len(fields) > 2 or len(line) > MAX_LINE:
            reason = f"longer than {MAX_LINE} characters" if len(line) > MAX_LINE else "is not `names [path]`"
            bad.append(f"line {number}: {reason}")
            continue
        names = tuple(dict.fromkeys(name for name in re.split("[&,]", fields[0]) if name))
        prefix = fields[1] if len(fields) > 1 else ""
        if not names:
            bad.append(f"line {number}: names no parameter")
        elif any("*" in name for name in names):
            bad.append(f"line {number}: `*` in the name of a parameter")
        elif prefix and prefix[0] not in "/*":
            bad.append(f"line {number}: {prefix!r} is no path")
        else:
            found.append(CleanParam(names, prefix))
    return found, bad


class Imported(NamedTuple):
    """The document, how many lines it holds, and what could not be carried over."""

    document: Document
    carried: int
    left: tuple[str, ...]


def converted(robots: Iterable[tuple[str, str, str]]) -> Imported:
    """(file name, site, text of its robots.txt) to rules; raises ValueError where a site is no host name.

    A robots.txt speaks for its host and port alone (RFC 9309 2.3), so the tables are `host` tables.
    """
    document = Document(_HEAD)
    carried, left = 0, []
    for file, site, text in robots:
        host = host_name(site)
        lines, bad = clean_params(text)
        left += [f"{file}, {reason}" for reason in bad]
        carried += len(lines)
        if lines:
            document.comment("host", host, f"{file}: {len(lines)} Clean-param line{'s' if len(lines) > 1 else ''}")
        for line in lines:
            glob = prefix_glob(line.prefix) if line.prefix.strip("/*") else None
            table = document.where("host", host, {"path": glob}) if glob else document.table("host", host)
            known = table.setdefault("remove_params", [])
            for name in line.names:
                entry = {"name": decoded(text_key(name)), "case_sensitive": True}
                if entry not in known:
                    known.append(entry)
    return Imported(document, carried, tuple(left))


def host_name(site: str) -> str:
    """`host` or `host:port` of a site given as that or as a URL; raises ValueError."""
    url = split(site if "://" in site else f"http://{site}/")
    if url is None or url.userinfo or ("://" not in site and (url.path != "/" or url.query is not None)):
        raise ValueError(f"{site!r} is no site: write example.com or https://example.com")
    return f"{url.host}:{url.port}" if url.port else url.host
