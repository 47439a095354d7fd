"""The words in which a rule says what it does: how safe it is, at which stage, and what is known of its acts."""

from __future__ import annotations

import enum
from collections.abc import Callable

from scrapy_urinorm.tuples import NamedTuple


class Safety(enum.StrEnum):
    """How much a rule may change what a URL means, in the words of RFC 3986 section 6 and the URI literature."""

    SAFE = "safe"
    """Preserves the meaning of every URL."""
    USUALLY_SAFE = "usually safe"
    """Preserves it on most servers; wants evidence such as a redirect."""
    LOSSY = "lossy"
    """Changes it in general; right only where a person or a crawl has said so."""


class Stage(enum.StrEnum):
    """Where in the pipeline a rule acts, and so what its function takes first and gives; in the order of execution.

    The first keyword-only parameter of the function is the rule's value, in the form that its kind binds. Others are
    given what they name: `port` (SCHEME), `path` (ITEMS), `host` (UNWRAP), `content_type` (BODY).
    """

    PORT = "port"
    """Text to text, empty where it is the default."""
    HOST = "host"
    """Text to text."""
    SCHEME = "scheme"
    """Text to text."""
    USERINFO = "userinfo"
    """Text to text, before the `@`."""
    TEXT = "text"
    """The text of a query before it is split."""
    PATH = "path"
    """The path in the key spelling."""
    ITEMS = "items"
    """The items of the query, names and values in the key spelling."""
    TARGET = "target"
    """(path, items) after the rules on each, the items sorted."""
    UNWRAP = "unwrap"
    """(path, items) to the URL that is wrapped in them, or None."""
    VERDICT = "verdict"
    """(path, items) to a Verdict, or None."""
    ORDER = "order"
    """The items in the order that key and canonical URL have."""
    JOIN = "join"
    """(items, the query's text) to the query of the key."""
    DISPLAY = "display"
    """The text of a query as the canonical URL has it."""
    FRAGMENT = "fragment"
    """The fragment, None where there is none."""
    BODY = "body"
    """The body of a request."""
    HEADERS = "headers"
    """No argument; gives the names of the headers that count."""
    EXCEPTION = "exception"
    """Acts through another rule (`into`) and is never called."""


class Verdict(enum.Enum):
    """What a rule may say of a whole URL."""

    SKIP = "skip"
    DEFER = "defer"


class Drops(enum.Enum):
    """Which items an act on items drops, whatever else the URL holds."""

    NAMED = enum.auto()
    """Those that its names speak of, as far as their guards say."""
    OTHERS = enum.auto()
    """Those that its names do not speak of."""
    ALL = enum.auto()
    VALUES = enum.auto()
    """Those that its names speak of and whose value is among some (`values` of the act)."""


class PathAction(enum.IntEnum):
    """What the module in C can do by itself in place of an act on the path; its numbers are those of `rules.c`."""

    TRIM_SLASH = 1
    """Remove one slash at the end, unless another stands before it or it is the root."""
    ADD_SLASH = 2
    """Add a slash where the last segment has no dot."""
    LAST_SEGMENT = 3
    """Remove the last segment where it is one of some names of ASCII letters, whatever their case."""


class TextEdit(NamedTuple):
    """An edit of path and query as one text, the query sorted.

    It leaves a text alone in which none of `needs` is; (True, text) must be at the start. Empty: it must be asked.
    """

    run: Callable[[str], str]
    needs: tuple[tuple[bool, str], ...] = ()
