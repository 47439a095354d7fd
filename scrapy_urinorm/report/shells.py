"""Pages that a script draws in the browser: what the server sent says nothing of them, so they are not counted as one.

The learner's `content.titles`, for a whole crawl at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_urinorm.content.titles import ADDRESSES, OWN_TITLES, SHELL_WORDS

if TYPE_CHECKING:
    import duckdb

_SHELLS = f"""
    create temp table shell as
    select site, label from loaded join site using (host)
    where label is not null and line_title is not null
    group by site, label
    having max(said) <= {SHELL_WORDS} and count(distinct line_title) filter (line_title <> 0) >= {OWN_TITLES}
"""
_DRAWN = f"""
    create temp table drawn as
    with borne as (
        select site, label, line_title, count(distinct bare) addresses
        from loaded join site using (host)
        where label is not null and line_title <> 0 group by site, label, line_title
    ), named as (
        select distinct site, line_title from borne anti join shell using (site, label)
    )
    select site, label, line_title
    from borne semi join shell using (site, label) anti join named using (site, line_title)
    where addresses < {ADDRESSES}
"""
_FORGET = """
    update loaded set label = null, sorted = null from site, drawn
    where site.host = loaded.host and drawn.site = site.site and drawn.label = loaded.label
        and drawn.line_title = loaded.line_title
"""


def forget_shells(db: duckdb.DuckDBPyConnection) -> None:
    """Take pages of `loaded` for unknown that are shells, under titles that no text of its own bears."""
    db.execute(_SHELLS)
    if db.execute("select 1 from shell limit 1").fetchall():
        db.execute(_DRAWN)
        db.execute(_FORGET)
        db.execute("drop table drawn")
    db.execute("drop table shell")
