"""Pairs that must never get one key under `safe` and `recommended`, and pairs that must."""

# ruff: noqa: E501  a row of a table is a line
from __future__ import annotations

from typing import Any

import pytest

from scrapy_urinorm import Normalizer

PRESETS = {name: Normalizer(preset=name) for name in ("safe", "recommended")}

SIGNATURE = 64 * "0"
#: (reason, one, other); a path stands for ``http://a.example`` + path.
NEVER = [
    # --- escapes (normalizers.md 4.1)
    ("escaped slash", "/a%2Fb", "/a/b"),
    ("doubly escaped slash", "/a%252Fb", "/a%2Fb"),
    ("escaped percent sign", "/a%2541", "/aA"),
    ("escaped percent sign in a query", "/?q=%2541", "/?q=A"),
    ("escaped question mark", "/a%3Fb", "/a?b"),
    ("escaped number sign", "/a%23b", "/a#b"),
    ("escaped number sign, the page before it", "/a%23b", "/a"),
    ("escaped backslash", "/a%5Cb", "/a/b"),
    ("escaped semicolon", "/a%3Bv=1", "/a;v=1"),
    ("escaped plus sign in a query", "/?q=a%2Bb", "/?q=a+b"),
    ("escaped plus sign and space", "/?q=a%2Bb", "/?q=a%20b"),
    ("escaped ampersand", "/?q=a%26b=1", "/?q=a&b=1"),
    ("escaped equals sign in a name", "/?a%3Db=1", "/?a=b%3D1"),
    ("escaped number sign in a value", "/?q=c%23", "/?q=c"),
    ("escaped NUL", "/a%00b", "/ab"),
    ("escaped line end", "/a%0Ab", "/ab"),
    ("escaped space at the end", "/a%20", "/a"),
    ("plus sign in a path is no space", "/a+b", "/a%20b"),
    ("octets that are not UTF-8, path", "/%E9", "/%C3%A9"),
    ("octets that are not UTF-8, query", "/?q=%E9", "/?q=%C3%A9"),
    ("two octets that are not UTF-8", "/?q=%E9", "/?q=%E8"),
    ("GBK and what it would be in Latin-1", "/?q=%CA%D6%BB%FA", "/?q=%C3%8A%C3%96%C2%BB%C3%BA"),
    ("the replacement character", "/?q=%E9", "/?q=%EF%BF%BD"),
    ("composed and decomposed", "/%C3%A9", "/e%CC%81"),
    ("stray percent sign in a path", "/100%", "/100%25"),
    ("%u escapes of old scripts", "/?q=%u0161", "/?q=%C5%A1"),
    # --- path
    ("case of a path", "/Video/AbC", "/video/abc"),
    ("trailing slash", "/a", "/a/"),
    ("duplicate slashes", "/a//b", "/a/b"),
    ("directory index", "/index.html", "/"),
    ("file extension", "/a.html", "/a"),
    ("path parameter", "/a;v=1", "/a;v=2"),
    ("parameter of another segment", "/a;v=1/b", "/a;v=2/b"),
    ("address in a path", "/go/http://b.example/", "/go/http:/b.example/"),
    ("parentheses that are no session", "/wiki/Mercury_(planet)", "/wiki/Mercury_(element)"),
    # --- query
    ("case of a value", "/?v=dQw4w9WgXcQ", "/?v=dqw4w9wgxcq"),
    ("case of a name", "/?A=1", "/?a=1"),
    ("a parameter and none", "/?a", "/"),
    ("an empty value and another one", "/?a=", "/?a=0"),
    ("semicolon is no separator", "/?a=1;b=2", "/?a=1&b=2"),
    ("repeated parameter", "/?a=1&a=1", "/?a=1"),
    ("PHP array", "/?x[0]=1", "/?x[1]=1"),
    ("page", "/?page=1", "/"),
    ("page number", "/?page=1", "/?page=2"),
    ("leading zero", "/?id=07", "/?id=7"),
    ("sort order", "/?sort=price", "/"),
    ("search id in sid", "/search.php?sid=0123456789abcdef0123456789abcdef", "/search.php?sid=ffffffffffffffffffffffffffffffff"),
    ("session", "/?session=a", "/?session=b"),
    ("s is a search", "/?s=shoes", "/?s=boots"),
    ("ref", "/?ref=main", "/?ref=v2"),
    ("referrer", "/?referrer=a", "/"),
    ("source", "/view?source=a.c", "/view?source=b.c"),
    ("src", "/?src=a", "/?src=b"),
    ("campaign", "/?campaign=a", "/?campaign=b"),
    ("keyword", "/?keyword=shoes", "/?keyword=boots"),
    ("cid", "/?cid=1", "/?cid=2"),
    ("token", "/?token=a", "/?token=b"),
    ("t is a time offset", "/watch?v=x&t=10", "/watch?v=x&t=20"),
    ("tag", "/?tag=a", "/?tag=b"),
    ("var is a variation", "/?var=1", "/?var=2"),
    ("CFID without CFTOKEN", "/?CFID=1", "/?CFID=2"),
    ("a name that ends like a session", "/?msid=0123456789abcdef0123456789abcdef", "/?m"),
    ("coordinates of the UTM grid", "/map?utm_zone=32&utm_x=1", "/map?utm_zone=33&utm_x=1"),
    ("32 hexadecimal digits are a content hash", "/f?h=0123456789abcdef0123456789abcdef", "/f"),
    ("a PHP session of the wrong shape", "/?PHPSESSID=1", "/?PHPSESSID=2"),
    # --- exemptions
    ("S3 signature", f"/f?X-Amz-Signature={SIGNATURE}&utm_source=x", f"/f?X-Amz-Signature={SIGNATURE}"),
    ("CloudFront signature", "/f?Expires=1&Signature=abc~&Key-Pair-Id=K&gclid=1", "/f?Expires=1&Signature=abc~&Key-Pair-Id=K"),
    ("unsubscribe link", "/unsubscribe?mc_eid=a", "/unsubscribe?mc_eid=b"),
    ("unsubscribe link in a query", "/m?do=unsubscribe&mkt_tok=a", "/m?do=unsubscribe&mkt_tok=b"),
    ("unsubscribe link in German", "/newsletter/abmelden?mc_eid=a", "/newsletter/abmelden?mc_eid=b"),
    ("unsubscribe link in Chinese", "/退订?mc_eid=a", "/退订?mc_eid=b"),
    # --- scheme, host, port, userinfo
    ("scheme", "http://a.example/", "https://a.example/"),
    ("www", "http://www.a.example/", "http://a.example/"),
    ("www is the name", "http://www.com/", "http://com/"),
    ("www2", "http://www2.a.example/", "http://www.a.example/"),
    ("private suffix", "http://alice.github.io/", "http://bob.github.io/"),
    ("mobile host", "http://m.a.example/", "http://a.example/"),
    ("trailing dot", "http://a.example./", "http://a.example/"),
    ("port", "http://a.example:8080/", "http://a.example/"),
    ("port of the other scheme", "http://a.example:443/", "http://a.example/"),
    ("port 80 on https", "https://a.example:80/", "https://a.example/"),
    ("user", "http://joe@a.example/", "http://a.example/"),
    ("password", "http://joe:a@a.example/", "http://joe:b@a.example/"),
    ("case of a user", "http://Joe@a.example/", "http://joe@a.example/"),
    ("user and host with an escaped at sign", "http://a%40b@a.example/", "http://a@a.example/"),
    ("sharp s", "http://xn--strae-oqa.example/", "http://strasse.example/"),
    ("host as user", "http://a.example@b.example/", "http://a.example/"),
    # --- other schemes
    ("mail addresses", "mailto:Joe@a.example", "mailto:joe@a.example"),
    ("data", "data:,A", "data:,a"),
]  # fmt: skip

MERGED = [
    ("case of scheme and host", "HTTP://A.Example/", "http://a.example/"),
    ("default port of http", "http://a.example:80/", "http://a.example/"),
    ("default port of https", "https://a.example:443/", "https://a.example/"),
    ("empty port", "http://a.example:/", "http://a.example/"),
    ("port with leading zeros", "http://a.example:0080/", "http://a.example/"),
    ("empty path", "http://a.example", "http://a.example/"),
    ("empty path before a query", "http://a.example?a=1", "http://a.example/?a=1"),
    ("IDN and its A-label", "http://münchen.example/", "http://xn--mnchen-3ya.example/"),
    ("full-width letters", "http://ａ.example/", "http://a.example/"),
    ("escaped host", "http://%61.example/", "http://a.example/"),
    ("IPv4 shorthand", "http://127.1/", "http://127.0.0.1/"),
    ("IPv4 in hexadecimal and octal", "http://0x7f.0.0.01/", "http://127.0.0.1/"),
    ("IPv6", "http://[2001:DB8:0:0::1]/", "http://[2001:db8::1]/"),
    ("IPv4 in IPv6", "http://[::ffff:192.0.2.1]/", "http://[::ffff:c000:201]/"),
    ("case of an escape", "/a%c3%a9", "/a%C3%A9"),
    ("unreserved octets", "/%7Euser/%41%2d%2E%5f", "/~user/A-._"),
    ("unreserved octets in a query", "/?%61=%7E", "/?a=~"),
    ("not ASCII", "/é?é", "/%C3%A9?%C3%A9="),
    ("dot segments", "/a/./b/../c", "/a/c"),
    ("dot segments above the root", "/../a", "/a"),
    ("escaped dot segments", "/a/%2e%2E/b", "/b"),
    ("empty segment before two dots", "/a//../b", "/a/b"),
    ("backslash", "http:\\\\a.example\\b", "http://a.example/b"),
    ("tabs and line ends", "http://a.exa\tmple/\nb", "http://a.example/b"),
    ("spaces around", "  http://a.example/ ", "http://a.example/"),
    ("fragment", "/a#b", "/a"),
    ("empty query", "/a?", "/a"),
    ("empty fields", "/a?&b=1&&", "/a?b=1"),
    ("order of parameters", "/?b=2&a=1", "/?a=1&b=2"),
    ("order of repeated parameters, as Scrapy has it", "/?a=2&a=1", "/?a=1&a=2"),
    ("parameter with and without =", "/?a", "/?a="),
    ("space and plus sign", "/?q=a%20b", "/?q=a+b"),
    ("empty userinfo", "http://@a.example/", "http://a.example/"),
]  # fmt: skip

MERGED_BY_RECOMMENDED = [
    ("campaign tags", "/p?utm_source=a&UTM_Medium=b", "/p"),
    ("click identifier, escaped name", "/p?%66bclid=x&id=1", "/p?id=1"),
    ("Java session", "/p;jsessionid=1A530637289A03B07199A44E8D531427", "/p"),
    ("PHP session", "/?PHPSESSID=0123456789abcdef0123456789abcdef", "/"),
    ("cookieless ASP.NET session", "/(S(lit3py55t21z5v55vlm25s55))/p.aspx", "/p.aspx"),
]

#: Pairs under ``recommended`` and ``fragment = "keep"``.
FRAGMENTS = [
    (True, "campaign tags in a fragment", "/p#utm_source=a", "/p"),
    (True, "campaign tags in a route", "/p#!/x?utm_source=a", "/p#!/x"),
    (False, "anchors", "/p#a", "/p#b"),
    (False, "unsubscribe link with a fragment", "/unsubscribe#mc_eid=a", "/unsubscribe#mc_eid=b"),
    (False, "unsubscribe link in a fragment", "/#/unsubscribe?mc_eid=a", "/#/unsubscribe?mc_eid=b"),
]

#: (rules, same key?, reason, one, other): what a rule may merge, and what it must not, beside it.
UNDER_RULES: list[tuple[dict[str, Any], bool, str, str, str]] = [
    ({"remove_params": ["sid"]}, True, "a removed name", "/?sid=1&a=2", "/?a=2"),
    ({"remove_params": ["sid"]}, False, "a name that ends alike", "/?msid=1", "/"),
    ({"remove_params": ["sid"]}, False, "the name as a value", "/?a=sid", "/?a="),
    ({"remove_params": ["sid"]}, False, "the name behind an escaped ampersand", "/?a=1%26sid=2", "/?a=1"),
    ({"remove_params": ["sid"]}, False, "the name behind a semicolon", "/?a=1;sid=2", "/?a=1"),
    ({"remove_params": ["sid"], "semicolon_separators": True}, True, "the name behind a separator", "/?a=1;sid=2", "/?a=1"),
    ({"remove_params": [{"name": "s", "value": "[0-9a-f]{32}"}]}, True, "sessions of one page", f"/?s={32 * 'a'}", f"/?s={32 * 'b'}"),
    ({"remove_params": [{"name": "s", "value": "[0-9a-f]{32}"}]}, False, "searches", "/?s=a", "/?s=b"),
    ({"keep_params": ["id"]}, True, "all but the kept", "/?id=1&x=2&y", "/?id=1"),
    ({"keep_params": ["id"]}, False, "two values of the kept", "/?id=1&x=2", "/?id=2&x=2"),
    ({"default_params": {"page": "1"}}, True, "the first page", "/?page=1", "/"),
    ({"default_params": {"page": "1"}}, False, "the tenth page", "/?page=10", "/"),
    ({"default_params": {"page": "1"}}, False, "no page number", "/?page=", "/"),
    ({"rename_params": {"q": "query"}}, True, "two names of one parameter", "/?q=a", "/?query=a"),
    ({"rename_params": {"q": "query"}}, False, "two values under two names", "/?q=a", "/?query=b"),
    ({"lowercase_params": ["lang"]}, True, "case of a value", "/?lang=EN", "/?lang=en"),
    ({"lowercase_params": ["lang"]}, False, "case of a name", "/?LANG=en", "/?lang=en"),
    ({"lowercase_names": ["*"]}, True, "case of a name that is folded", "/?LANG=en", "/?lang=en"),
    ({"lowercase_names": ["*"]}, False, "case of a value beside it", "/?lang=EN", "/?lang=en"),
    ({"numeric_params": ["id"]}, True, "leading zeros", "/?id=007", "/?id=7"),
    ({"numeric_params": ["id"]}, False, "zeros at the end", "/?id=700", "/?id=7"),
    ({"numeric_params": ["id"]}, False, "nothing and zero", "/?id=", "/?id=0"),
    ({"unordered_values": {"c": ","}}, True, "a set", "/?c=a,b", "/?c=b,a"),
    ({"unordered_values": {"c": ","}}, False, "another set", "/?c=a,b", "/?c=a,c"),
    ({"unordered_values": {"c": ","}}, False, "an empty member", "/?c=a,", "/?c=a"),
    ({"map_params": {"hb": [["HEAD", "master", False]]}}, True, "value and absence", "/?hb=master", "/"),
    ({"map_params": {"hb": [["HEAD", "master", False]]}}, False, "another value and absence", "/?hb=dev", "/"),
    ({"dedupe_params": "pair"}, True, "a repeated pair", "/?a=1&a=1", "/?a=1"),
    ({"dedupe_params": "pair"}, False, "two values of a name", "/?a=1&a=2", "/?a=1"),
    ({"dedupe_params": "first"}, False, "another first value", "/?a=1&a=2", "/?a=2&a=1"),
    ({"sort_query": "off"}, False, "order, where it counts", "/?a=1&b=2", "/?b=2&a=1"),
    ({"blank_values": "distinct"}, False, "a and a=, where it counts", "/?a", "/?a="),
    ({"plus_space": "literal"}, False, "plus and space, where it counts", "/?q=a+b", "/?q=a%20b"),
    ({"plus_space": "literal"}, True, "plus and its escape, where plus is plus", "/?q=a+b", "/?q=a%2Bb"),
    ({"stray_percent": "encode"}, True, "a stray percent sign and its escape", "/100%", "/100%25"),
    ({"stray_percent": "encode"}, False, "an escape and its text", "/100%2541", "/100A"),
    ({"remove_empty_params": ["*"]}, True, "nothing", "/?a=&b", "/"),
    ({"remove_empty_params": ["*"]}, False, "zero", "/?a=0", "/"),
    ({"trailing_slash": "remove"}, True, "a slash at the end", "/a/", "/a"),
    ({"trailing_slash": "remove"}, False, "two slashes at the end", "/a//", "/a"),
    ({"trailing_slash": "remove"}, False, "an escaped slash at the end", "/a%2F", "/a"),
    ({"duplicate_slashes": "remove"}, True, "slashes in a row", "/a//b", "/a/b"),
    ({"duplicate_slashes": "remove"}, False, "an address in a path", "/go/http://b.example/", "/go/http/b.example/"),
    ({"lowercase_path": True}, True, "case of a path", "/A/B", "/a/b"),
    ({"lowercase_path": True}, False, "case of a query beside it", "/A?q=B", "/a?q=b"),
    ({"lowercase_path": True}, False, "escaped letters beyond ASCII", "/%C3%89", "/%C3%A9"),
    ({"directory_index": ["index.html"]}, True, "an index file", "/a/index.html", "/a/"),
    ({"directory_index": ["index.html"]}, False, "an index file and no slash", "/a/index.html", "/a"),
    ({"directory_index": ["index.html"]}, False, "another index file", "/a/index.htm", "/a/"),
    ({"remove_extensions": ["html"]}, True, "an extension", "/a.html", "/a"),
    ({"remove_extensions": ["html"]}, False, "another extension", "/a.htm", "/a"),
    ({"remove_segments": [{"name": "sid", "next": "[0-9a-f]{16,}"}]}, True, "a session segment", "/sid/0123456789abcdef/a", "/a"),
    ({"remove_segments": [{"name": "sid", "next": "[0-9a-f]{16,}"}]}, False, "a short value", "/sid/0123/a", "/a"),
    ({"path_params": ["jsessionid"]}, True, "a session in any segment", "/a;jsessionid=1/b", "/a/b"),
    ({"path_params": ["jsessionid"]}, False, "the name behind an escaped semicolon", "/a%3Bjsessionid=1/b", "/a/b"),
    ({"aspnet_session": True}, True, "an ASP.NET session", "/(S(lit3py55t21z5v55vlm25s55))/a", "/a"),
    ({"aspnet_session": True}, False, "parentheses", "/(a)/b", "/b"),
    ({"unicode_nfc": True}, True, "composed and decomposed", "/e%CC%81", "/%C3%A9"),
    ({"unicode_nfc": True}, False, "compatible characters", "/%EF%BC%A1", "/A"),
    ({"www": "remove"}, True, "www", "http://www.a.example/", "http://a.example/"),
    ({"www": "remove"}, False, "www as the name", "http://www.com/", "http://com/"),
    ({"www": "remove"}, False, "www2", "http://www2.a.example/", "http://a.example/"),
    ({"scheme": "https"}, True, "schemes", "http://a.example/", "https://a.example/"),
    ({"scheme": "https"}, False, "schemes on another port", "http://a.example:8080/", "https://a.example:8080/"),
    ({"remove_subdomains": ["alice", "bob"]}, False, "private suffix", "http://alice.github.io/", "http://bob.github.io/"),
    ({"remove_userinfo": True}, True, "users", "http://joe@a.example/", "http://a.example/"),
    ({"remove_userinfo": True}, False, "a host as user", "http://a.example@b.example/", "http://a.example/"),
    ({"fragment": "route"}, False, "routes", "/#!/a", "/#!/b"),
    ({"fragment": "route"}, True, "anchors beside routes", "/#a", "/#b"),
    ({"unwrap_params": [{"name": "url", "to": ["*"]}]}, True, "a wrapper and its target", "/out?url=http%3A%2F%2Fb.example%2F", "http://b.example/"),
    ({"amp_caches": True}, True, "a copy in a cache and its page", "https://a-example.cdn.ampproject.org/c/s/a.example/x", "https://a.example/x"),
    ({"amp_caches": True}, False, "copies of two sites", "https://a-example.cdn.ampproject.org/c/s/a.example/x", "https://b-example.cdn.ampproject.org/c/s/b.example/x"),
    ({"unwrap_params": [{"name": "next", "paths": True}]}, True, "a path and its target", "/set?lang=de&next=/x", "/x"),
    ({"unwrap_params": [{"name": "next", "paths": True}]}, False, "a path for a user and for nobody", "http://joe@a.example/set?next=/x", "/x"),
    ({"unwrap_params": [{"name": "next", "paths": True}]}, False, "two paths", "/set?next=/x", "/set?next=/y"),
    ({"unwrap_params": ["url"]}, False, "a wrapper and a target elsewhere", "/out?url=http%3A%2F%2Fb.example%2F", "http://b.example/"),
    ({"unwrap_params": [{"name": "url", "to": ["*"]}]}, False, "two targets", "/out?url=http%3A%2F%2Fb.example%2F", "/out?url=http%3A%2F%2Fc.example%2F"),
]  # fmt: skip


def absolute(url: str) -> str:
    return f"http://a.example{url}" if url.startswith("/") else url


def params(rows: list[tuple[str, str, str]]) -> list[object]:
    return [pytest.param(absolute(one), absolute(other), id=reason) for reason, one, other in rows]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(("one", "other"), params(NEVER))
def test_never_one_key(one: str, other: str, preset: str) -> None:
    assert PRESETS[preset].key(one) != PRESETS[preset].key(other)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(("one", "other"), params(MERGED))
def test_one_key(one: str, other: str, preset: str) -> None:
    assert PRESETS[preset].key(one) == PRESETS[preset].key(other)


@pytest.mark.parametrize(("one", "other"), params(MERGED_BY_RECOMMENDED))
def test_one_key_under_recommended_alone(one: str, other: str) -> None:
    assert PRESETS["recommended"].key(one) == PRESETS["recommended"].key(other)
    assert PRESETS["safe"].key(one) != PRESETS["safe"].key(other)


@pytest.mark.parametrize(
    ("rules", "same", "one", "other"),
    [pytest.param(rules, same, *map(absolute, pair), id=reason) for rules, same, reason, *pair in UNDER_RULES],
)
def test_what_a_rule_merges_and_what_not(rules: dict[str, Any], same: bool, one: str, other: str) -> None:
    n = Normalizer({"rules": rules}, preset="safe")
    assert (n.key(one) == n.key(other)) is same


@pytest.mark.parametrize(("same", "one", "other"), [pytest.param(s, *map(absolute, p), id=r) for s, r, *p in FRAGMENTS])
def test_fragments_that_are_kept(same: bool, one: str, other: str) -> None:
    n = Normalizer({"rules": {"fragment": "keep"}}, preset="recommended")
    assert (n.key(one) == n.key(other)) is same
    assert (n.normalize(one) == n.normalize(other)) is same


def test_the_order_of_repeated_parameters_counts_where_a_site_says_so() -> None:
    n = Normalizer({"site": {"a.example": {"sort_query": "key"}}})
    assert n.key("http://a.example/?b=1&a=2&a=1") == n.key("http://a.example/?a=2&a=1&b=1")
    assert n.key("http://a.example/?a=2&a=1") != n.key("http://a.example/?a=1&a=2")
