"""`Clean-param` lines of robots.txt files to a rule file.

A site says with `Clean-param: name[&name...] [path prefix]` which parameters do not change its pages (Yandex's
extension of RFC 9309; 500 characters a line at the most, `*` in the path stands for anything, names are exact).
"""

from __future__ import annotations

from collections.abc import Iterable

from scrapy_urinorm.declared import CleanParam, clean_param, clean_param_values, exactly
from scrapy_urinorm.importers.document import Document, Imported
from scrapy_urinorm.url import split

_HEAD = "What sites say in robots.txt (Clean-param), carried over by `urinorm import robots`."


def clean_params(text: str) -> tuple[list[CleanParam], list[str]]:
    """The `Clean-param` lines of a robots.txt, and those that cannot be read, as `line N: reason`."""
    found, bad = [], []
    for number, value in clean_param_values(text):
        try:
            found.append(clean_param(value))
        except ValueError as error:
            bad.append(f"line {number}: {error}")
    return found, bad


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
            table = document.where("host", host, {"path": line.path}) if line.path else document.table("host", host)
            known = table.setdefault("remove_params", [])
            for name in line.names:
                entry = exactly(name)
                if entry not in known:
                    known.append(entry)
    return Imported(document, carried, tuple(left))


def host_name(site: str) -> str:
    """`host` or `host:port` of a site given as that or as a URL; raises ValueError."""
    url = split(site if "://" in site else f"http://{site}/")
    if url is None or url.userinfo or ("://" not in site and (url.path != "/" or url.query is not None)):
        raise ValueError(f"{site!r} is not a site: write example.com or https://example.com")
    return f"{url.host}:{url.port}" if url.port else url.host
