"""What an address looks like: its parts, the pattern of its path and the marks of a crawl trap, in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from scrapy_urinorm.importers.traps import repetition
from scrapy_urinorm.suffixes import site_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Marks of a trap, as bits of one column.
NESTED, REPEATED, DEEP, LONG = 1, 2, 4, 8
MAX_ITEMS = 24
"""Parameters of one URL that are looked at one by one; who sends more wants to be expensive."""
# chosen: what tells sections apart, and what is as deep or long as only traps make it; the last two bound memory
_MAX_SEGMENTS = 8
_MAX_SEGMENT = 48
_DEEP_PATH = 12
_LONG_URL = 1_000
_MAX_PATHS = 100_000
_AT_A_TIME = 50_000

_YEARS = "year|yr|y|jahr|annee|ano|anno|cal_year|calyear|fromyear|calendar_year"
_DATES = (
    "[a-z_]*date|[a-z_]*month|[a-z_]*_day|day|from|to|m|dt|d|ym|cal|calendar|tribe-bar-date|datum|monat|week|start|end"
)
_YEAR_ALONE = f"(?i:^|&)(?i:{_YEARS})=([0-9]{{4}})(?:&|$)"
_YEAR_OF_DATE = f"(?i:^|&)(?i:{_DATES})=([0-9]{{4}})-?(?:0[1-9]|1[0-2])(?:-?[0-9]{{2}})?(?:T[^&]*)?(?:&|$)"
YEAR_OF_PATH = "/([0-9]{4})[/-](?:0?[1-9]|1[0-2])(?:[/.-]|$)"

#: `h` is the hash of a text in 52 bits, so that those of many items can be added: the sum says the same in any order,
#: and an item is taken away by subtraction. A query that is written `a=1;b=2` has two items, whatever the rules say.
MACROS = f"""
    create macro h(t) as (hash(t) >> 12)::bigint;
    create macro host_of(authority) as
        case when contains(authority, '@') then regexp_replace(authority, '^.*@', '') else authority end;
    create macro separated(query, url) as
        case when contains(query, '%3B') and regexp_matches(url, '[?][^#]*;[^&;=#]+=')
             then replace(replace(query, '%3B', '&'), '%3D', '=') else query end;
    create macro items_of(query) as case when query = '' then [] else string_split(query, '&') end;
    create macro sum_of(items) as coalesce(list_sum(list_transform(items[1:200], lambda x: h(x))), 0)::bigint;
    create macro pattern_of(path) as
        case when regexp_matches(path, '[0-9]|[^/]{{{_MAX_SEGMENT},}}|(/[^/]*){{{_MAX_SEGMENTS + 1},}}') then
            regexp_replace(
                regexp_replace(
                    regexp_replace(path, '/[^/]{{{_MAX_SEGMENT},}}', '/*', 'g'),
                    '[0-9]+', '{{n}}', 'g'),
                '^((?:/[^/]*){{{_MAX_SEGMENTS}}})/.*$', '\\1/**')
        else path end;
    create macro marks_of(path, length) as
        case when length > {_LONG_URL} then {LONG} else 0 end
        | case when regexp_matches(path, '^(/[^/]*){{{_DEEP_PATH + 1},}}') then {DEEP} else 0 end;
    create macro doubtful(path) as
        case when length(path) - length(replace(path, '/', '')) >= 4
             then list_unique(string_split(trim(path, '/'), '/')) < len(string_split(trim(path, '/'), '/'))
             else false end;
    create macro name_of(item) as split_part(item, '=', 1);
    create macro names_of(items) as
        coalesce(list_sum(list_transform(items[1:{MAX_ITEMS}], lambda x: h(name_of(x)))), 0)::bigint;
    create macro nests(path, item) as
        (length(path) > 4 and contains(item, replace(path, '/', '%2F')))
        or contains(item, name_of(item) || '%3D') or contains(item, name_of(item) || '%253D');
    create macro nested_of(path, query, items) as case when contains(query, '%') then
        name_of(list_filter(items[1:{MAX_ITEMS}], lambda x: contains(x, '%') and nests(path, x))[1]) end;
    create macro year_of(query) as case when regexp_matches(query, '=[0-9]{{4}}') then try_cast(coalesce(
        nullif(regexp_extract(query, '{_YEAR_ALONE}', 1), ''),
        regexp_extract(query, '{_YEAR_OF_DATE}', 1)) as smallint) end;
"""


def mark_repeated(db: DuckDBPyConnection) -> None:
    """Set the mark of paths that repeat themselves in the table `loaded`; RE2 has no way to say it."""
    paths = db.execute(f"select distinct path from loaded where doubt order by path limit {_MAX_PATHS}").fetchall()
    found = [path for (path,) in paths if repetition(path)]
    if found:
        db.register("repeated", pa.table({"path": pa.array(found, pa.string())}))
        db.execute(f"update loaded set marks = marks | {REPEATED} where doubt and path in (from repeated)")
        db.unregister("repeated")


def name_sites(db: DuckDBPyConnection) -> None:
    """Make the table `site`: the registrable domain of each host, private suffixes counted."""
    db.execute("create table site (host varchar, site varchar)")
    cursor = db.cursor()
    cursor.execute("select distinct host from loaded")
    while rows := cursor.fetchmany(_AT_A_TIME):
        hosts = [host for (host,) in rows]
        names = [host if host.startswith("[") else host.partition(":")[0] for host in hosts]
        found = pa.table({"host": pa.array(hosts, pa.string()), "site": pa.array(map(site_of, names), pa.string())})
        db.register("named", found)
        db.execute("insert into site select * from named")
        db.unregister("named")
