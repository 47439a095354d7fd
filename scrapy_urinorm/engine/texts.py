"""The two texts of a URL after the rules: the key, and the canonical URL; and the text with the rules' edits alone."""

from __future__ import annotations

from scrapy_urinorm.engine.pipeline import Outcome, split_query
from scrapy_urinorm.regex import Regex
from scrapy_urinorm.url import (
    Item,
    Url,
    join,
    join_items,
    other_key,
    path_key,
    query_items,
    safe_path,
    sort_items,
    split,
    text_key,
    userinfo_key,
)


def key_text(parts: Url, outcome: Outcome) -> str:
    """The key: parts in the key spelling, items sorted, the fragment gone unless a rule keeps it."""
    site, path, items, program, _, exempt = outcome
    text = site.origin + path if not parts.userinfo else _with_userinfo(parts, outcome) + path
    if items:
        text += "?" + program.join(program.order(items), parts.query or "")
    if program.keeps_fragment and not exempt:
        kept = program.left_fragment(parts.fragment)
        if kept:
            text += "#" + kept
    return text


def _with_userinfo(parts: Url, outcome: Outcome) -> str:
    site = outcome.site
    left = userinfo_key(parts.userinfo if outcome.exempt else site.plan.base.left_userinfo(parts.userinfo))
    return f"{site.scheme}://{left}{'@' if left else ''}{site.host}{':' if site.port else ''}{site.port}"


def canonical_text(parts: Url, outcome: Outcome, *, raw: bool = False) -> str:
    """The canonical URL: the spelling of `parts` wherever the rules changed nothing; `raw`: as written."""
    site, path, items, program, changed, exempt = outcome
    if raw or changed:
        path = parts.path if path == path_key(parts.path) else safe_path(path)
    else:
        path = parts.path
    query, fragment, userinfo = parts.query, parts.fragment, parts.userinfo
    if not exempt:
        if query is not None:
            for step in (*program.text_steps, *program.display_steps):
                query = step.run(query)
        if program.sorts or program.tidies or ((raw or changed) and items != split_query(parts.query, program)):
            query = _spelled(program.order(items) if program.sorts else items, query or "") or None
            if query is not None:
                # what was spelled anew is to be read as the text was
                for step in program.display_steps:
                    query = step.run(query)
        fragment = program.left_fragment(fragment)
        if userinfo:
            userinfo = site.plan.base.left_userinfo(userinfo)
    return join(Url(site.scheme, userinfo, site.host, site.port, path, query, fragment))


def bare_key(url: str) -> str:
    """The key of any text without any rule."""
    parts = split(url)
    return other_key(url) if parts is None else bare_parts_key(parts)


def bare_parts_key(parts: Url) -> str:
    """The key without any rule: SAFE normalizations and the conventions alone."""
    userinfo = userinfo_key(parts.userinfo) + "@" if parts.userinfo else ""
    port = ":" + parts.port if parts.port else ""
    text = f"{parts.scheme}://{userinfo}{parts.host}{port}{path_key(parts.path)}"
    items = query_items(parts.query) if parts.query else []
    return f"{text}?{join_items(sort_items(items))}" if items else text


def edited_text(url: str, raw: Url, parts: Url, outcome: Outcome) -> str:
    """`url` with what the rules changed, every other byte as it was; `raw` are its parts as written."""
    text = canonical_text(raw._replace(path=raw.path or "/"), outcome, raw=True)
    if raw.query and (left := _left(raw.query, outcome.items)) is not None and not outcome.program.sorts:
        head, mark, fragment = text.partition("#")
        text = head.partition("?")[0] + ("?" + left if left else "") + mark + fragment
    site = outcome.site
    if (site.scheme, site.host, site.port) == (parts.scheme, parts.host, parts.port):
        # the authority is nobody's edit either
        text = _AUTHORITY.sub("", text, count=1)
        text = url[: len(url) - len(_AUTHORITY.sub("", url, count=1))] + text
    if text == _ROOTLESS.sub(r"\1/", url):
        return url
    # the end of the text was within it: a blank there is no part of a URL
    return _BLANK_END.sub(lambda blanks: "".join(f"%{ord(one):02X}" for one in blanks[0]), text)


_AUTHORITY = Regex(r"[^/?#\\]*//[^/?#\\]*")
_BLANK_END = Regex("[\x00-\x20]+$")
_ROOTLESS = Regex(r"^([^/]*//[^/?#]*)(?=[?#]|$)")


def _spelled(items: list[Item], query: str) -> str:
    """Items as canonical text: each in the spelling that it had in `query`, or a valid one where it is new.

    A new name without a value is bare where the others are: who reads `?thread-12` may not know `?thread-12=`.
    """
    spellings: dict[Item, list[str]] = {}
    for field in query.split("&"):
        if field:
            name, _, value = field.partition("=")
            spellings.setdefault((text_key(name), text_key(value)), []).append(field)
    for known in spellings.values():
        known.reverse()
    out = []
    for item in items:
        known = spellings.get(item, [])
        out.append(known.pop() if known else f"{item[0]}={_readable(item[1])}" if item[1] or "=" in query else item[0])
    return "&".join(out)


def _left(query: str, items: list[Item]) -> str | None:
    """The fields of a query that are still there, empty ones included; None where a rule has made new ones."""
    waiting = items[::-1]
    fields: list[str] = []
    for field in query.split("&"):
        name, _, value = field.partition("=")
        if not field:
            fields.append(field)
        elif waiting and (text_key(name), text_key(value)) == waiting[-1]:
            waiting.pop()
            fields.append(field)
    if waiting:
        return None
    return "&".join(fields) if any(fields) else ""


def _readable(value: str) -> str:
    """A value that a rule made: what needs no escape in a query (RFC 3986 3.4) and reads better without."""
    return _LEGIBLE.sub(lambda m: chr(int(m.group()[1:], 16)), value) if "%" in value else value


_LEGIBLE = Regex("%(?:2C|2F|3A|40)")
# in a text that no parser takes: for the web's schemes, all that could be one
_UNPARSED_USERINFO = Regex(r"(?i)(^[\x00-\x20]*(?:https?|ftp|wss?):(?:[/\\\s]|%5c)*)[^?#]*@|(?<=//)[^/?#]*@")
# in any text: behind a scheme of the web, with the slashes that browsers take for two, and behind two slashes that
# stand in no path. There is a slash in each, which ends the one before: the time is linear. Looking back costs less
_USERINFO = Regex(
    r"(:(?:(?<=[Tt][Tt][Pp]:)|(?<=[Tt][Tt][Pp][Ss]:)|(?<=[Ff][Tt][Pp]:)|(?<=[Ww][Ss]:)(?<![A-Za-z][Ww][Ss]:)"
    r"|(?<=[Ww][Ss][Ss]:)(?<![A-Za-z][Ww][Ss][Ss]:))[/\\]+)[^/\\?#\s]*@"
    # a parameter may begin with two slashes, and the next one have an address of mail
    r"|(//(?<![^\s\"'(<=,;&:]//))[^/\\?#&\s]*@"
)
# nor does a browser need any at the start
_SLASHLESS = Regex(r"(?i)([\x00-\x20]*(?:https?|ftp|wss?):)[^/\\?#\s]*@")
_ESCAPED_USERINFO = Regex(
    r"(?i)((?::|%(?:25)*3A)(?://|(?:%(?:25)*2F){2}))(?:(?!%(?:25)*(?:2F|3F|23))[^/?#&\s])*(?:%(?:25)*40|@)"
)


def without_userinfo(url: str) -> str:
    """A URL for people: user and password never appear in a log, stat, report or explanation.

    A URL that has them is shown as the parser reads it, since only the parser knows where they stand.
    """
    if "@" not in url:
        return url
    parts = split(url)
    if parts is None:
        return _UNPARSED_USERINFO.sub(lambda match: match[1] or "", url)
    return join(parts._replace(userinfo="")) if parts.userinfo else url


def scrubbed(text: str) -> str:
    """A text, one URL or many, without the users and passwords of its URLs and of those that parameters carry.

    Nothing else changes: an address that is written down this way is the one that it was. The time is linear.
    """
    bare = "@" in text
    if bare:
        text = _USERINFO.sub(r"\1\2", text)
        if "://" not in text[:8] and (start := _SLASHLESS.match(text)):
            text = start[1] + text[start.end() :]
    return _ESCAPED_USERINFO.sub(r"\1", text) if "%" in text and (bare or "40" in text) else text
