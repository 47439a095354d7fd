"""What hypothesis draws: URLs out of telling pieces, spellings that Scrapy merges, and rule files over the whole catalogue."""

# ruff: noqa: E501  a row of a table is a line
from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st

from scrapy_urinorm import Normalizer, RuleFileError
from scrapy_urinorm.rules import CATALOGUE

slow = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large])

HOSTS = ("a.example", "www.a.example", "m.a.example", "www2.a.example", "b.example", "192.0.2.1", "[::1]", "a.example.")
SEGMENTS = (
    "", "a", "B", "print", "index.html", "p.html", "7", "story_7", "wiki", ".", "..", "%2e", "x;jsessionid=1A53", ";", "a;b=1;c",
    "(S(lit3py55t21z5v55vlm25s55))", "(lit3py55t21z5v55vlm25s55)", "p.aspx", "%41", "%2F", "%252F", "%25", "%", "%4", "%%36%31", "%e9", "%C3%A9", "e%CC%81", "é", "a b", "a+b",
    "a%2Bb", "100%OFF", "|", "[", "'", "~", "%7E", "http:", "\\", "@", "=", "&", "{x}", "%00", "%0A", "out", "login",
)  # fmt: skip
NAMES = (
    "a", "A", "b", "id", "page", "sort", "sid", "utm_source", "UTM_Medium", "utm%5Fcampaign", "page_id", "p", "next", "url",
    "lang", "cols", "hb", "x[0]", "/a/7", "x%5B0%5D", "%E9", "é", "a b", "a+b", "a%2Bb", "ref", "%25", "",
)  # fmt: skip
VALUES = (
    "", "1", "2", "7", "A", "a,b", "b,a", "HEAD", "master", "asc", "a b", "a+b", "a%20b", "a%2Bb", "%41", "%26", "%3D", "%23", "%25", "%",
    "%zz", "%%36%31", "%E9", "é", "e%CC%81", "=", "==", "a=b", "a;b=2", "/login", "/login%3Fnext%3D/x", "http%3A%2F%2Fb.example%2Fx",
    "0123456789abcdef0123456789abcdef", "1999", "007", "00", "wiki:start", "[]", "|", "'", "+", "&amp;",
)  # fmt: skip

paths = st.lists(st.sampled_from(SEGMENTS), max_size=5).map(lambda parts: "/" + "/".join(parts))
fields = st.tuples(st.sampled_from(NAMES), st.sampled_from(("=", "=", "=", "")), st.sampled_from(VALUES)).map(
    lambda t: f"{t[0]}{t[1]}{t[2] if t[1] else ''}"
)
queries = st.lists(
    st.one_of(fields, fields, fields, st.sampled_from(("", "amp;a=1", "a;b", "a=1;b=2"))), max_size=6
).map("&".join)
fragments = st.sampled_from((
    "", "#", "#top", "#!/x", "#/route?a=1", "#:~:text=x", "#%41é", "#utm_id=1&a=2", "#!/x?utm_id&b=1", "#a=1&/b=2?sid=3",
    "#é?utm_id=1?a",
))  # fmt: skip
authorities = st.tuples(
    st.sampled_from(("", "", "", "", "user@", "us%65r:p%40ss@", ":pw@", "u:@")),
    st.sampled_from(HOSTS),
    st.sampled_from(("", "", "", ":80", ":443", ":8080", ":")),
).map("".join)


def _assemble(parts: tuple[str, str, str, str | None, str]) -> str:
    scheme, authority, path, query, fragment = parts
    return f"{scheme}://{authority}{path}{'' if query is None else '?' + query}{fragment}"


#: http and https URLs, most of them odd in one way or another.
urls = st.tuples(
    st.sampled_from(("http", "https", "HTTP")), authorities, paths, st.one_of(st.none(), queries), fragments
).map(_assemble)

#: Any text at all: URLs, cut and joined URLs, other schemes, controls, lone surrogates.
any_text = st.one_of(
    urls,
    st.text(st.characters(), max_size=40),
    st.tuples(st.sampled_from(("http://", "https://a.example/", "//", "ftp://u:p@h/", "mailto:", "data:", "http:", "http:\\\\", "?", "#")),
              st.text(st.characters(), max_size=30)).map("".join),
    st.tuples(urls, st.sampled_from("\x00\t\n\r \x7f\ud800\udcff\u200b\ufeff%/\\"), st.integers(0, 60)).map(
        lambda t: t[0][: t[2]] + t[1] + t[0][t[2] :]
    ),
)  # fmt: skip

# --- rule files -------------------------------------------------------------------------------------------------------

_names = st.lists(
    st.sampled_from(("a", "b", "id", "page", "sort", "sid", "utm_*", "*", "p*", "*id", "é", "x[0]", "ref", "next", "lang", "cols")),
    min_size=1, max_size=3, unique=True,
)  # fmt: skip
_guarded = st.lists(
    st.one_of(
        st.sampled_from(("a", "b", "sid", "utm_*", "jsessionid", "é", "x[0]")),
        st.builds(
            lambda name, value, sensitive: {"name": name, "value": value, "case_sensitive": sensitive},
            st.sampled_from(("a", "A", "sid", "p*")),
            st.sampled_from((r"\d+", "[0-9a-f]{32}", ".*", "1|2")),
            st.booleans(),
        ),
        st.sampled_from(({"pattern": "[a-c]"}, {"pattern": "A|x.*", "case_sensitive": True}, {"pattern": "utm.*|é", "value": "[a-z]*"})),
    ),
    min_size=1, max_size=3,
)  # fmt: skip
_texts = st.dictionaries(
    st.sampled_from(("page", "sort", "a", "A", "id", "é")), st.sampled_from(("1", "7", "asc", "", "a b")), max_size=3
)
_edit = st.sampled_from((
    {"pattern": r"^/forum/story_(\w+)$", "replace": r"/forum/story?id=\1"},
    {"pattern": r"/print(/|$)", "replace": r"\1"},
    {"pattern": r"story_(\d+)", "replace": r"\1"},
    {"pattern": r"a", "replace": "aa"},            # never settles
    {"pattern": r"^/a\b", "replace": "/b"},
    {"pattern": r"^/b\b", "replace": "/a"},        # undoes the one before
    {"pattern": r"id=(\d+)", "replace": r"p=\1"},
))  # fmt: skip
_value_edit = st.sampled_from((
    {"pattern": "^(.*:)?[^:]*$", "replace": r"\1"},
    {"pattern": r"^(\d)\d*$", "replace": r"\1"},
    {"pattern": "a", "replace": "b"},
    {"pattern": "b", "replace": "a"},
    {"pattern": "$", "replace": "x"},              # never settles
))  # fmt: skip

_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "scheme": st.sampled_from(("keep", "http", "https")),
    "remove_userinfo": st.booleans(),
    "remove_ports": st.lists(st.sampled_from((80, 443, 8080)), max_size=2),
    "remove_trailing_dot": st.booleans(),
    "ip_hosts": st.just({"192.0.2.1": "a.example"}),
    "host_aliases": st.sampled_from(({"b.example": "a.example"}, {"*.a.example": "a.example"}, {"b.example": "www.a.example"})),
    "www_numbers": st.booleans(),
    "www": st.sampled_from(("keep", "remove", "add")),
    "remove_subdomains": st.just(["m", "amp"]),
    "unicode_nfc": st.booleans(),
    "path_params": _guarded,
    "aspnet_session": st.booleans(),
    "remove_segments": st.sampled_from((["print"], [{"index": 0, "name": "a"}], [{"index": -1, "of": 3}], [{"pattern": r"\d+"}], [{"name": "a", "next": ".."}, "B"])),
    "duplicate_slashes": st.sampled_from(("keep", "remove")),
    "lowercase_path": st.booleans(),
    "directory_index": st.sampled_from((["index.html"], ["index.*", "p.html"])),
    "remove_extensions": st.just(["html"]),
    "trailing_slash": st.sampled_from(("keep", "remove", "add")),
    "semicolon_separators": st.booleans(),
    "amp_entities": st.booleans(),
    "plus_space": st.sampled_from(("space", "literal")),
    "stray_percent": st.sampled_from(("keep", "encode")),
    "blank_values": st.sampled_from(("equal", "distinct")),
    "rename_params": st.sampled_from(({"page_id": "p"}, {"a": "b", "b": "id"}, {"A": "a b"}, {"id": "é"})),
    "lowercase_names": _names,
    "lowercase_params": _names,
    "numeric_params": _names,
    "map_params": st.sampled_from((
        {"hb": [["HEAD", "master", False]]}, {"a": [["1", "2"], ["7", "A"]]}, {"sort": [[False, "asc"]]}, {"é": [["a b", "é"]]},
    )),
    "rewrite_params": st.dictionaries(st.sampled_from(("a", "id", "next")), _value_edit, min_size=1, max_size=2),
    "unordered_values": st.sampled_from(({"cols": ","}, {"a": ",", "id": " "})),
    "collapse_nested": _names,
    "remove_params": _guarded,
    "except_params": _guarded,
    "keep_params": _guarded,
    "default_params": _texts,
    "remove_empty_params": _names,
    "dedupe_params": st.sampled_from(("off", "pair", "first", "last")),
    "remove_query": st.booleans(),
    "sort_query": st.sampled_from(("pair", "key", "off")),
    "fragment": st.sampled_from(("remove", "keep", "route")),
    "remove_body_params": _names,
    "sort_body": st.booleans(),
    "include_headers": st.just(["Accept-Language"]),
    "rewrite": st.lists(_edit, min_size=1, max_size=2),
    "template": st.sampled_from((
        [{"from": "/index.html?id={x}", "to": "/wiki/{x}"}], [{"from": "/a/{x}", "to": "/a?id={x}"}],
        [{"from": "/wiki/{x}?page={y}", "to": "/{y}?id={x}"}], [{"from": "/a?id=b{x}", "to": "/wiki/{x}"}],
        [{"from": "/a/{x}", "to": "/a?id=c:{x}", "rest": "keep"}, {"from": "/?page={x}", "to": "/a?page={x}", "rest": "keep"}],
    )),
    "unwrap_params": st.sampled_from(
        [["url", "next"], [{"name": "url", "to": ["*"]}, "next"], [{"name": "next", "paths": True}]]
    ),
    "amp_caches": st.booleans(),
    "skip": st.booleans(),
    "defer": st.booleans(),
    "max_params": st.fixed_dictionaries({"of": st.just(["a", "b*"]), "at_most": st.integers(0, 2)}),
}  # fmt: skip
#: A rule that is added to the catalogue wants its values here.
MISSING_VALUES = CATALOGUE.keys() - _VALUES.keys()

_condition = st.one_of(
    st.booleans(),
    st.sampled_from(("1", "a*", "*", ["1", "2"], ["1", False])),
    st.sampled_from(({"below": 2000}, {"above": 1, "below": 9.5}, {"below": "2024-01-31"}, {"matches": r"\d+"})),
)
_path_glob = st.sampled_from(
    ("/**", "/a/**", "/*", "/**/print", "/caf*", "/wiki/*", "/é/**", ["/a", "/login"], "*", "/**/<2-10>/*")
)


def _rules(names: list[str], max_size: int) -> st.SearchStrategy[dict[str, Any]]:
    return st.lists(st.sampled_from(names), max_size=max_size, unique=True).flatmap(
        lambda chosen: st.fixed_dictionaries({name: _VALUES[name] for name in chosen})
    )


def rule_files(*, splitting: bool = True) -> st.SearchStrategy[dict[str, Any]]:
    """Rule files over the catalogue, with sites and `where`; without ``splitting``, only of rules that never split."""
    everywhere = [n for n, r in CATALOGUE.items() if (splitting or not r.splits) and n in _VALUES]
    conditional = [n for n in everywhere if CATALOGUE[n].may_stand_in(())]
    where = st.tuples(
        st.fixed_dictionaries({}, optional={
            "path": _path_glob,
            "query": st.dictionaries(st.sampled_from(("a", "id", "page", "é", "x[0]", "/a/*")), _condition, min_size=1, max_size=2),
        }).filter(bool),
        _rules(conditional, 3),
    ).map(lambda t: {**t[0], **{n: v for n, v in t[1].items() if CATALOGUE[n].may_stand_in(t[0])}})  # fmt: skip
    table = st.tuples(_rules(everywhere, 3), st.lists(where, max_size=2)).map(
        lambda t: {**t[0], **({"where": t[1]} if t[1] else {})}
    )
    return st.fixed_dictionaries(
        {"preset": st.sampled_from(("safe", "recommended", "loose"))},
        optional={
            "rules": _rules(everywhere, 4),
            "site": st.fixed_dictionaries({}, optional={"a.example": table, "www.a.example": table}),
            "host": st.fixed_dictionaries({}, optional={"b.example": table, "a.example:8080": table}),
        },
    )


def loaded(rules: dict[str, Any]) -> Normalizer:
    try:
        return Normalizer(rules)
    except RuleFileError as error:
        # two tables may draw aliases that make a circle; everything else that is drawn is valid
        if any("circle" not in problem.message for problem in error.problems):
            raise
        assume(False)
        raise
