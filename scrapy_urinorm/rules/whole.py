"""Rules that need more than one part of the URL, and the verdicts on a whole URL; they run last."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from scrapy_urinorm.regex import Regex
from scrapy_urinorm.rules.declaration import LOSSY, Stage, TextEdit, Verdict, rule
from scrapy_urinorm.rules.kinds import Edit, Edits, Flag, Limit, Limits, Template, Templates, Wrapper, Wrappers
from scrapy_urinorm.rules.literals import literals, needed
from scrapy_urinorm.rules.patterns import compile_pattern
from scrapy_urinorm.suffixes import same_site
from scrapy_urinorm.url import (
    Item,
    decoded,
    decoded_segment,
    encoded,
    join_items,
    path_key,
    query_items,
    sort_items,
    split,
)

Target = tuple[str, list[Item]]
_Match = Callable[[str], re.Match[str] | None]
_Build = Callable[[dict[str, str], list[Item]], Target | None]


@rule(
    LOSSY,
    "http://a.example/forum/story_7",
    "http://a.example/forum/story?id=7",
    stage=Stage.TARGET,
    kind=Edits(),
    value=[{"pattern": r"^/forum/story_(\w+)$", "replace": r"/forum/story?id=\1"}],
    act={"edit": lambda edits: TextEdit(functools.partial(_edited, edits), literals(edits))},
)
def rewrite(target: Target, *, edits: tuple[Edit, ...]) -> Target:
    """Rewrite path and query as one text by patterns; the result is parsed again.

    A pattern sees `path?query` in the key spelling: the query sorted, every item as `name=value`, space as `+`,
    comma as `%2C`. `replace` is a template as in `sub`.
    """
    path, items = target
    before = f"{path}?{join_items(items)}" if items else path
    text = _edited(edits, before)
    return target if text == before else parse_target(text)


def _edited(edits: tuple[Edit, ...], text: str) -> str:
    for edit in edits:
        text = edit.pattern.sub(edit.replace, text)
    return text


def parse_target(text: str) -> Target:
    """Parse `path?query` into its key parts; a fragment is cut off."""
    path, _, query = text.partition("#")[0].partition("?")
    return path_key(path if path.startswith("/") else "/" + path), query_items(query)


@rule(
    LOSSY,
    "http://a.example/index.php?title=Main",
    "http://a.example/wiki/Main",
    stage=Stage.TARGET,
    kind=Templates(),
    value=[{"from": "/index.php?title={x}", "to": "/wiki/{x}"}],
    act={"edit": lambda templates: TextEdit(functools.partial(_templated, templates), _marks(templates))},
)
def template(target: Target, *, templates: tuple[Template, ...]) -> Target:
    """Replace one URL shape by another, parameters in any order; only where no other parameter is present.

    `{x}` stands for the text of a path segment or of a parameter's value, or for what is left of it beside other text
    (`title=Special:{x}`). With `rest = "keep"` there may be other parameters, which stay.
    """
    path, items = target
    for one in templates:
        match_path, names, build = _compiled(one)
        if len(items) != len(names) and not (one.keeps_rest and len(items) > len(names)):
            continue
        match = match_path(path)
        if match is None:
            continue
        found = {k: decoded_segment(v) for k, v in match.groupdict().items()}
        own = [(decoded(n), decoded(v)) for n, v in items if decoded(n) in names]
        values = dict(own)
        if values.keys() != names.keys() or len(values) != len(own):
            continue
        for name, (head, hole, tail) in names.items():
            value = values[name]
            if hole and len(value) >= len(head + tail) and value.startswith(head) and value.endswith(tail):
                found[hole] = value[len(head) : len(value) - len(tail)]
            elif hole or value != head:
                break
        else:
            result: Target | None = build(found, [item for item in items if decoded(item[0]) not in names])
            if result is not None:
                return result
    return target


def _templated(templates: tuple[Template, ...], text: str) -> str:
    before = parse_target(text)
    path, items = template(before, templates=templates)
    if (path, items) == before:
        return text
    return f"{path}?{join_items(items)}" if items else path


def _marks(templates: tuple[Template, ...]) -> tuple[tuple[bool, str], ...]:
    """The texts that some templates need, one for each; see `needed`."""
    return needed(_mark(one.source) for one in templates)


def _mark(source: str) -> tuple[bool, str] | None:
    path, _, query = source.partition("?")
    head = _HOLE.split(path_key_holes(path))[0]
    if len(head) > 1:
        return True, head
    # a name of such characters has one spelling in a key
    names = [name for name, _ in _raw_items(query) if _one_spelling.fullmatch(name)]
    return (False, max(names, key=len) + "=") if names else None


_one_spelling = Regex(r"[A-Za-z0-9_.-]+")
_HOLE = Regex(r"\{(\w+)\}")


@functools.lru_cache(4096)
def _compiled(one: Template) -> tuple[_Match, dict[str, tuple[str, str, str]], _Build]:
    """Of a template: what matches a path, the names and values of the query, and what builds the target."""
    path, _, query = one.source.partition("?")
    regex = "".join(
        f"(?P<{piece}>[^/]+)" if at % 2 else re.escape(piece)
        for at, piece in enumerate(_HOLE.split(path_key_holes(path)))
    )
    names = {decoded(n): _around(decoded(v)) for n, v in _raw_items(query)}
    to_path, _, to_query = one.target.partition("?")
    to_items = _raw_items(to_query)

    taken = {decoded(n) for n, _ in to_items}

    def build(found: dict[str, str], rest: list[Item]) -> Target | None:
        # a value with a slash would become several segments: another page
        if any("/" in v or not v or v in (".", "..") for k, v in found.items() if "{" + k + "}" in to_path):
            return None
        if any(decoded(n) in taken for n, _ in rest):
            return None
        filled = _HOLE.sub(lambda m: encoded(found[m.group(1)]).replace("+", "%20"), to_path)
        items = [(encoded(n), encoded(_HOLE.sub(lambda m: found[m.group(1)], v))) for n, v in to_items]
        return path_key(filled), sort_items([*items, *rest]) if rest else items

    pattern = compile_pattern(regex)

    def match_path(path: str) -> re.Match[str] | None:
        # several placeholders in one segment match in polynomial time
        return pattern.regex.fullmatch(path) if len(path) <= pattern.limit else None

    return match_path, names, build


def _around(value: str) -> tuple[str, str, str]:
    """What stands before a placeholder, its name, and what stands behind it; the name is empty where there is none."""
    head, name, tail = (*_HOLE.split(value), "", "")[:3]
    return head, name, tail


def path_key_holes(path: str) -> str:
    """The key spelling of a path in which `{x}` stands for something."""
    return "".join(
        "{" + piece + "}" if at % 2 else (path_key(piece) if piece else "")
        for at, piece in enumerate(_HOLE.split(path))
    )


def _raw_items(query: str) -> list[tuple[str, str]]:
    return [(n, v) for n, _, v in (f.partition("=") for f in query.split("&")) if n]


WRAPPED_URL = re.compile(r"https?://[^/?#]", re.IGNORECASE)
# the URL Standard takes a backslash for a slash, and leaves out tabs and line breaks: `/<tab>/b.example` is elsewhere
own_path = re.compile(r"/(?![/\\])[^\t\r\n]*").fullmatch


@rule(
    LOSSY,
    "http://a.example/out?url=http%3A%2F%2Fwww.a.example%2Fx",
    "http://www.a.example/x",
    stage=Stage.UNWRAP,
    kind=Wrappers(),
    value=["url"],
)
def unwrap_params(target: Target, *, wrappers: tuple[Wrapper, ...], host: str) -> str | None:
    """Give a link through a wrapper (`/out?url=...`) the key of its target; at most four wrappers deep.

    Only a value that is an absolute http(s) URL is taken, and only of the wrapper's own registrable domain: otherwise
    any site could claim a page of another one. Where the links to others are the wrapper's business, name them:
    `{ name = "url", to = ["b.example"] }` with all below `b.example`, or `["*"]` for any. With `paths = true` a path of
    the wrapper's own host is taken, too (`/language?next=/x`).
    """
    # sorted: Scrapy merges the permutations of a query
    for name, value in sort_items(target[1]):
        plain = decoded(name)
        # the last one to speak of a name decides, as in lists of names
        wrapper = next((one for one in reversed(wrappers) if one.match(plain)), None)
        if wrapper is None:
            continue
        url = decoded(value)
        if WRAPPED_URL.match(url) and (inner := split(url)) is not None:
            if wrapper.leads_to(inner.host) or same_site(host, inner.host):
                return url
        elif wrapper.paths and own_path(url):
            return url
    return None


_AMP_HOST = Regex(r"(?:[a-z0-9-]+\.)?cdn\.ampproject\.org|[a-z0-9-]+\.bing-amp\.com")
# what Google's search puts behind addresses of its cache
_OF_AMP_CACHES = frozenset(("amp_js_v", "amp_gsa", "usqp"))
_AMP_PATH = Regex(r"/[cv](/s)?/([a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?)(/.*)?", re.IGNORECASE)


@rule(
    LOSSY,
    "https://a-example.cdn.ampproject.org/c/s/a.example/x",
    "https://a.example/x",
    stage=Stage.UNWRAP,
    kind=Flag(),
    value=True,
)
def amp_caches(target: Target, *, on: bool, host: str) -> str | None:
    """Give a page in an AMP cache, Google's or Bing's, the key of the page that it is a copy of.

    Nobody but the cache answers at its hosts, so no site can claim another's page by it. See "AMP Cache URL format" of
    the AMP project: `/c/` or `/v/`, `/s/` for https, then host and path of the origin. The cache's own parameters,
    `amp_js_v`, `amp_gsa` and `usqp`, are not the page's.
    """
    found = _AMP_PATH.fullmatch(target[0]) if on and _AMP_HOST.fullmatch(host) else None
    if found is None:
        return None
    secure, origin, path = found.groups()
    items = [item for item in target[1] if item[0] not in _OF_AMP_CACHES]
    query = f"?{join_items(items)}" if items else ""
    return f"http{'s' if secure else ''}://{origin}{path or '/'}{query}"


@rule(
    LOSSY,
    "http://a.example/calendar/1999",
    "http://a.example/calendar/1999",
    stage=Stage.VERDICT,
    kind=Flag(),
    value=True,
)
def skip(target: Target, *, on: bool) -> Verdict | None:
    """Never request the URL: a trap. It is counted, and the URL itself is not changed."""
    return Verdict.SKIP if on else None


@rule(LOSSY, "http://a.example/?p=7", "http://a.example/?p=7", stage=Stage.VERDICT, kind=Flag(), value=True)
def defer(target: Target, *, on: bool) -> Verdict | None:
    """Request the URL after all others: most likely another shape of the URL leads to its page."""
    return Verdict.DEFER if on else None


@rule(
    LOSSY,
    "http://a.example/c/shoes?brand=1&size=42",
    "http://a.example/c/shoes?brand=1&size=42",
    stage=Stage.VERDICT,
    kind=Limits(),
    value={"of": ["brand", "colour", "size"], "at_most": 1},
)
def max_params(target: Target, *, limit: Limit) -> Verdict | None:
    """Never request a URL in which more than so many of some parameters have a value: facets, which multiply.

    Each value counts, so that two of one filter are two. Names are compared as in lists of names. With `defer = true`
    such a URL is requested after all others.
    """
    if sum(bool(value) and limit.speaks_of(decoded(name)) for name, value in target[1]) <= limit.at_most:
        return None
    return Verdict.DEFER if limit.defer else Verdict.SKIP
