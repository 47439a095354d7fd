"""The rule table: what each rule of the catalogue changes, and what it must leave alone.

A row is (rule and value, URL before, URL after, reason); the reason is the test's id. A path stands for
``http://a.example`` + path. A row of NOOP has no after. A value that names the rule itself is a whole table.
"""

# ruff: noqa: E501  a row of a table is a line
from __future__ import annotations

from typing import Any

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.rules import CATALOGUE

CHANGE: dict[str, list[tuple[Any, str, str, str]]] = {
    "scheme": [
        ("https", "http://a.example/x", "https://a.example/x", "http to https"),
        ("http", "https://a.example/x", "http://a.example/x", "https to http"),
        ("https", "http://a.example:80/x", "https://a.example/x", "a default port is no port"),
    ],
    "remove_userinfo": [
        (True, "http://user:secret@a.example/", "http://a.example/", "name and password"),
        (True, "http://:secret@a.example/", "http://a.example/", "a password alone"),
    ],
    "remove_ports": [
        ([8080, 8443], "https://a.example:8443/x", "https://a.example/x", "one of several"),
    ],
    "remove_trailing_dot": [
        (True, "http://a.example.:8080/x", "http://a.example:8080/x", "before a port"),
    ],
    "ip_hosts": [
        ({"192.0.2.1": "a.example"}, "http://0xC0.0.513/x", "http://a.example/x", "any spelling of the address"),
        ({"[2001:db8::1]": "a.example"}, "http://[2001:DB8:0:0::1]/x", "http://a.example/x", "IPv6, any spelling"),
    ],
    "host_aliases": [
        ({"*.cdn.example": "a.example"}, "http://x.y.cdn.example/p", "http://a.example/p", "every subdomain"),
        ({"*.m.w.example": "*.w.example"}, "http://x.y.m.w.example/p", "http://x.y.w.example/p", "each subdomain its own"),
        ({"*.m.b.example": "*.b.example", "*.b.example": "*.a.example"}, "http://x.m.b.example/p", "http://x.a.example/p", "chain of subdomains"),
        ({"old.example": "mid.example", "mid.example": "a.example"}, "http://old.example/", "http://a.example/", "chain"),
        ({"münchen.example": "a.example"}, "http://xn--mnchen-3ya.example/", "http://a.example/", "IDN as A-label"),
        ({"OLD.example": "A.example"}, "http://old.example/", "http://a.example/", "case of the rule file"),
    ],
    "www_numbers": [
        (True, "http://www12.a.example/", "http://www.a.example/", "two digits"),
    ],
    "www": [
        ("remove", "http://www.www.a.example/", "http://a.example/", "twice"),
        ("add", "http://a.example/", "http://www.a.example/", "added to a registrable domain"),
        ("remove", "http://www.example.co.uk/", "http://example.co.uk/", "suffix of two labels"),
    ],
    "remove_subdomains": [
        (["m", "amp"], "http://amp.m.a.example/x", "http://a.example/x", "several labels"),
        (["m*"], "http://mobile.a.example/x", "http://a.example/x", "a glob"),
    ],
    "unicode_nfc": [
        (True, "/?q=e%CC%81", "/?q=%C3%A9", "a value"),
        (True, "/?e%CC%81=1", "/?%C3%A9=1", "a name"),
        (True, "/e%CC%81/a%2Fb", "/%C3%A9/a%2Fb", "beside an escaped slash"),
        (True, "/%E1%84%80%E1%85%A1", "/%EA%B0%80", "Hangul letters"),
        (True, "/a%CD%BEb", "/a%3Bb", "the Greek question mark is a semicolon, never a delimiter"),
    ],
    "path_params": [
        (["jsessionid"], "/a;jsessionid=1/b;JSESSIONID=2;v=3", "/a/b;v=3", "every segment, any case"),
        (["j%*"], "/p;j%2525=1", "/p", "an escaped name"),
        ([{"name": "v", "value": r"\d+"}], "/p;v=12", "/p", "value pattern that holds"),
        (["jsessionid"], "/a/..;jsessionid=1/b", "/b", "dots that were hidden by a parameter"),
        ([{"name": "v", "value": r"\d{4,}"}], "/p%3bv=1234/q;V=56789", "/p/q", "an escaped semicolon before the shape"),
        ([{"name": "v", "value": r"\d{4,}"}], "/p?a=b;v=1234&v=1234", "/p?a=b&v=1234", "appended after a query"),
        ([{"name": "v", "value": r"\d{4,}"}], "/p?a=b%3Bv%3D1234;w=1", "/p?a=b%3Bw%3D1", "the same, escaped"),
    ],
    "aspnet_session": [
        (True, "/(X(1)S(lit3py55t21z5v55vlm25s55))/p.aspx", "/p.aspx", "several tickets"),
        (True, "/app/(A(1)F(lit3py55t21z5v55vlm25s55))", "/app", "the last segment"),
        (True, "/app/(X(1))/p", "/app/p", "the mark of the test for cookies alone"),
        (True, f"/(a({24 * 'b'})S({24 * 'c'})f({24 * 'd'}))/p.aspx", "/p.aspx", "in any case, of a session's length"),
        (True, "/%28S%28lit3py55t21z5v55vlm25s55%29%29/p", "/p", "escaped parentheses"),
        (True, "/app/(lit3py55t21z5v55vlm25s55)/a/p.aspx", "/app/a/p.aspx", "the bare form before a page"),
        (True, "/(LIT3PY55T21Z5V55VLM25S55)/p.ASPX/info", "/p.ASPX/info", "the bare form in capitals, path info"),
    ],
    "remove_segments": [
        ([{"index": -1, "of": 3}], "/a/b/c", "/a/b", "by position from the end"),
        ([{"index": 0, "name": "en"}], "/en/p", "/p", "by position and name"),
        ([{"pattern": "sid-[0-9a-f]+"}], "/sid-0a1/p", "/p", "by pattern"),
        (["p*nt"], "/a/print", "/a", "by glob"),
        ([{"name": "sid", "next": "[0-9a-f]{16,}"}], "/a/sid/0123456789abcdef/b", "/a/b", "a name and its value"),
        ([{"name": "sid", "next": "[0-9a-f]{16,}"}], "/sid/0123456789abcdef", "/", "nothing but a name and its value"),
        ([{"pattern": "s(id)?", "next": "[0-9]+"}, "print"], "/print/s/7/sid/8/p", "/p", "several names and values"),
        (["sid", {"name": "sid", "next": "[0-9]+"}], "/sid/7/p", "/p", "a name with its value before the name alone"),
        (["caf\u00e9"], "/caf%c3%a9/p", "/p", "a name beyond ASCII"),
        ([{"index": 0, "name": "a"}], "/a/a/b", "/b", "again until nothing is left to remove"),
    ],
    "duplicate_slashes": [
        ("remove", "//a///b//", "/a/b/", "in every place"),
        ("remove", "/go/http://b.example//x", "/go/http://b.example/x", "after an address in the path"),
    ],
    "lowercase_path": [
        (True, "/A%C3%89/B", "/a%C3%89/b", "escapes stay as they are"),
        (True, "/100%OFF", "/100%off", "a stray percent sign is no escape"),
    ],
    "directory_index": [
        (["index.*"], "/b/index.php?x=1", "/b/?x=1", "a glob, before a query"),
        (["index.html"], "/b/INDEX.html", "/b/", "case of the name"),
        (["default page.asp"], "/default%20page.asp", "/", "an escaped name"),
    ],
    "remove_extensions": [
        (["html", "php"], "/a/b.html.php", "/a/b", "several"),
        (["html"], "/.a.html", "/.a", "of a hidden file"),
    ],
    "trailing_slash": [
        ("remove", "/b/?x=1", "/b?x=1", "before a query"),
        ("add", "/b", "/b/", "added"),
    ],
    "semicolon_separators": [
        (True, "/?b=1;a=2&c=3", "/?a=2&b=1&c=3", "mixed with ampersands"),
    ],
    "amp_entities": [
        (True, "/?a=1&amp;amp;b=2", "/?a=1&b=2", "escaped three times"),
        (True, "/?amp;b=2&a=1", "/?b=2&a=1", "the first field, too"),
        (True, "/?a=1&AMP;b=2", "/?a=1&b=2", "capitals"),
    ],
    "plus_space": [
        ("literal", "/?q=a+b", "/?q=a%2Bb", "a plus sign"),
    ],
    "stray_percent": [
        ("encode", "/?q=100%&r=%zz", "/?q=100%25&r=%25zz", "several"),
        ("encode", "/100%/%zz/%4", "/100%25/%25zz/%254", "in a path"),
        ("encode", "/%%36%31?a%=1", "/%2561?a%25=1", "before an escape that decoding would complete"),
    ],
    "blank_values": [
        ("equal", "/?a&b", "/?a=&b=", "several"),
    ],
    "rename_params": [
        ({"a": "b", "b": "c"}, "/?a=1", "/?c=1", "a chain"),
        ({"page_id": "p"}, "/?Page%5FID=7", "/?p=7", "case and escapes"),
        ({"n": "a b"}, "/?n=1", "/?a+b=1", "a name with a space"),
        ({"n": "a"}, "/?n", "/?a", "a name without a value"),
    ],
    "lowercase_params": [
        (["lang"], "/?LANG=De%2FAt", "/?LANG=de/at", "an escaped value; the name stays"),
        (["*"], "/?q=%C3%89", "/?q=%C3%A9", "a letter beyond ASCII"),
    ],
    "lowercase_names": [
        (["*"], "/?ID=A&P%C3%84GE=B", "/?id=A&p%C3%A4ge=B", "every name; values stay"),
    ],
    "numeric_params": [
        (["p*"], "/?page=000&p=007", "/?page=0&p=7", "nothing but zeros, a glob"),
    ],
    "map_params": [
        ({"hb": [["HEAD", "master", False]]}, "/", "/?hb=HEAD", "absence is a value"),
        ({"s": [[False, "asc"]]}, "/?s=asc&id=7", "/?id=7", "a value that means absence"),
        ({"s": [["a", "b"], ["c", "d"]]}, "/?s=d", "/?s=c", "the second group"),
    ],
    "rewrite_params": [
        ({"q": [{"pattern": "^0+(?=.)", "replace": ""}, {"pattern": " +$", "replace": ""}]}, "/?q=007+", "/?q=7", "edits in turn"),
        ({"Q": {"pattern": "(x)?y", "replace": r"\1"}}, "/?q=y", "/?q=", "an optional group that took no part"),
    ],
    "unordered_values": [
        ({"cols": ","}, "/?cols=b,a,b", "/?cols=a,b", "repeats"),
        ({"@columns": ","}, "/?%40columns=b%2Ca", "/?%40columns=a,b", "an escaped separator"),
        ({"tags": " "}, "/?tags=b+a", "/?tags=a+b", "separated by spaces"),
    ],
    "collapse_nested": [
        (["next"], "/login?next=http%3A%2F%2Fa.example%2Flogin", "/login", "an absolute address"),
        (["next"], "/login?next=/x%3Fnext%3D/y", "/login", "the parameter in itself"),
        (["next"], "/login?next=%2Fx%253Fnext%253D%252Fy", "/login", "escaped twice"),
    ],
    "remove_params": [
        (["a"], "/?a=1&b=2&a", "/?b=2", "every occurrence"),
        (["a"], "/?%61=1", "/", "an escaped name; no empty query is left"),
        (["x[0]"], "/?x%5B0%5D=1&x[1]=2", "/?x[1]=2", "brackets are no glob"),
        ([{"name": "s", "value": "[0-9a-f]{32}"}], "/?s=0123456789abcdef0123456789ABCDEF".lower(), "/", "value that matches"),
        (["\u00e9"], "/?%C3%A9=1&b=2", "/?b=2", "a name beyond ASCII"),
        (["a+b"], "/?a%2Bb=1&a+b=2", "/?a+b=2", "a plus sign in the rule is a plus sign"),
        ([{"pattern": "s_?id[0-9]*"}], "/?SID=1&s%5Fid7=2&b=3", "/?b=3", "a name by pattern, any case, escaped"),
        ([{"pattern": "s[0-9]", "value": "[0-9a-f]{8}"}], "/?s1=0123abcd&s2=x", "/?s2=x", "pattern and value guard"),
        ([{"pattern": "\u00e9+"}], "/?%C3%A9%C3%A9=1", "/", "a pattern beyond ASCII"),
    ],
    "except_params": [
        ({"remove_params": ["s*"], "except_params": [{"pattern": "s[0-9]"}]}, "/?s1=1&sid=2", "/?s1=1", "by pattern"),
    ],
    "keep_params": [
        (["id"], "/?", "/", "a query without parameters"),
        (["id"], "/?&&id=1&", "/?id=1", "empty fields"),
        (["id", "t*"], "/?x=1&t1=2&ID=3", "/?t1=2&ID=3", "globs and case"),
        ([], "/?x=1", "/", "an empty list keeps nothing"),
        ([{"pattern": "id|p[0-9]+"}], "/?x=1&p2=2&pid=3&ID=4", "/?p2=2&ID=4", "by pattern"),
    ],
    "default_params": [
        ({"page": ["0", "1"]}, "/?page=0&id=7", "/?id=7", "one of several values"),
        ({"page": 1}, "/?page=1", "/", "a number in the rule file"),
        ({"q": "a b"}, "/?q=a%20b", "/", "a value with a space"),
        ({"q": ""}, "/?q", "/", "no value"),
    ],
    "remove_empty_params": [
        (["q"], "/?q&q=&q=1", "/?q=1", "with and without ="),
    ],
    "dedupe_params": [
        ("pair", "/?a=1&a=2&a=1", "/?a=1&a=2", "equal pairs"),
        ("pair", "/?&&", "/", "empty fields"),
        ("first", "/?a=1&b=2&a=3", "/?a=1&b=2", "all but the first"),
        ("last", "/?a=1&b=2&a=3", "/?b=2&a=3", "all but the last"),
    ],
    "remove_query": [
        (True, "/x?a&b=1", "/x", "several"),
        (True, "/x?", "/x", "a query without parameters"),
        (True, "/x?&&", "/x", "empty fields"),
    ],
    "sort_query": [
        ("pair", "/?b=1&a=2&a=1", "/?a=1&a=2&b=1", "by name and value"),
        ("key", "/?b=1&a=2&a=1", "/?a=2&a=1&b=1", "by name alone"),
    ],
    "fragment": [
        ("route", "/#top", "/", "an anchor does not route"),
        ("keep", "/#a:~:text=x", "/#a", "a text fragment"),
        ("keep", "/#", "/", "an empty one"),
        ({"fragment": "keep", "remove_params": ["utm_*"]}, "/#utm_source=x&a=1&UTM%5FMedium=y", "/#a=1", "parameters in it"),
        ({"fragment": "keep", "remove_params": ["utm_*"]}, "/#utm_source=x", "/", "nothing but parameters in it"),
        ({"fragment": "keep", "remove_params": ["utm_*"]}, "/#top?utm_source=x", "/#top", "parameters after an anchor"),
        ({"fragment": "route", "remove_params": ["utm_*"]}, "/#!/x?a=1&utm_source=y", "/#!/x?a=1", "parameters of a hash-bang route"),
        ({"fragment": "route", "remove_params": ["utm_*"]}, "/#/x;v=1?utm_source=y&utm_id", "/#/x;v=1", "parameters of a hash route"),
        ({"fragment": "route", "remove_params": [{"name": "s", "value": "\\d+"}]}, "/#/x?s=12&s=a", "/#/x?s=a", "a value guard in it"),
    ],
    "remove_body_params": [],
    "sort_body": [],
    "include_headers": [],
    "rewrite": [
        ([{"pattern": "/print$", "replace": ""}], "/a/print", "/a", "a part of the path"),
        ([{"pattern": r"^/a\?id=(\d+)$", "replace": r"/b/\1"}], "/a?id=7", "/b/7", "query to path"),
        ([{"pattern": r"^/x/(.*)", "replace": r"/y/../\1"}], "/x/b", "/b", "the result is parsed again"),
        ([{"pattern": r"(t-\d+)-1=$", "replace": r"\1="}], "/a?t-7-1", "/a?t-7", "a name without a value stays one"),
        ([{"pattern": r"(t-\d+)-1=$", "replace": r"\1="}], "/a?t-7-1=", "/a?t-7=", "and one with an empty value, too"),
    ],
    "template": [
        ([{"from": "/i?a={x}&b={y}", "to": "/{y}/{x}"}], "/i?b=2&a=1", "/2/1", "parameters in any order"),
        ([{"from": "/i?a={x}&v=", "to": "/{x}"}], "/i?v&a=1", "/1", "a parameter without value"),
        ([{"from": "/wiki/{x}", "to": "/i?t={x}"}], "/wiki/a%2Fb%26c", "/i?t=a/b%26c", "escaped delimiters into a value"),
        ([{"from": "/i?t={x}", "to": "/wiki/{x}", "rest": "keep"}], "/i?z=1&t=A&b=2", "/wiki/A?b=2&z=1", "further parameters stay"),
        ([{"from": "/wiki/{x}", "to": "/i?t={x}", "rest": "keep"}], "/wiki/A?a=1&z=2", "/i?a=1&t=A&z=2", "into a query, in its order"),
        ([{"from": "/i?t=Special:{x}", "to": "/s/{x}"}], "/i?t=Special%3ALog", "/s/Log", "a value with a prefix"),
        ([{"from": "/i?t={x}.html", "to": "/s/{x}"}], "/i?t=a.html", "/s/a", "a value with a suffix"),
    ],
    "unwrap_params": [
        ([{"name": "url", "to": ["*"]}], "/out?url=http%3A%2F%2Fb.example%2Fo%3Furl%3Dhttps%253A%252F%252Fc.example%252F", "https://c.example/", "twice"),
        ([{"name": "url", "to": ["b.example"]}], "/out?url=http%3A%2F%2Fwww.b.example%2F", "http://www.b.example/", "below a domain that is named"),
        ([{"name": "*", "to": []}, {"name": "url", "to": ["b.example"]}], "/out?url=http%3A%2F%2Fb.example%2F", "http://b.example/", "the last entry decides"),
        ([{"name": "next", "paths": True}], "/set?lang=de&next=/x%3Fa%3D1%26b%3D2", "/x?a=1&b=2", "a path with a query"),
        ([{"name": "next", "paths": True}], "https://a.example:8080/set?next=/x", "https://a.example:8080/x", "a path on another port"),
        ([{"name": "next", "paths": True}], "/set?next=%2Fset%3Fnext%3D%2Fx", "/x", "a path within a path"),
        ([{"name": "next", "paths": True}], "/set?next=http%3A%2F%2Fa.example%2Fx", "/x", "an address where paths may be"),
    ],
    "amp_caches": [
        (True, "https://a-example.cdn.ampproject.org/c/s/a.example/x?id=1", "https://a.example/x?id=1", "with a query"),
        (True, "https://cdn.ampproject.org/v/a.example", "http://a.example/", "the viewer, over http, without a path"),
        (True, "https://a-example.cdn.ampproject.org/c/s/a.example/x?usqp=mq331&amp_js_v=0.1&id=1", "https://a.example/x?id=1", "the cache's own"),
        (True, "https://a-example.bing-amp.com/c/s/a.example:8080/x", "https://a.example:8080/x", "another cache, a port"),
    ],
    "skip": [],
    "defer": [],
    "max_params": [],
}  # fmt: skip

NOOP: dict[str, list[tuple[Any, str, str]]] = {
    "scheme": [
        ("https", "http://a.example:8080/x", "another port is another server"),
        ("https", "ftp://a.example/x", "not http"),
        ("keep", "http://a.example/x", "keep"),
    ],
    "remove_userinfo": [(False, "http://user@a.example/", "off")],
    "remove_ports": [([8080], "http://a.example:8081/", "another port")],
    "remove_trailing_dot": [(True, "http://a.example/x.", "a dot in the path"), (False, "http://a.example./", "off")],
    "ip_hosts": [
        ({"192.0.2.1": "a.example"}, "http://192.0.2.10/", "another address"),
        ({}, "http://192.0.2.1/", "no address"),
    ],
    "host_aliases": [
        ({"*.cdn.example": "a.example"}, "http://cdn.example/", "a wildcard does not match the domain itself"),
        ({"*.m.w.example": "*.w.example"}, "http://m.w.example/", "nor where each keeps its own labels"),
        ({"b.example": "a.example"}, "http://x.b.example/", "a name is no suffix"),
    ],
    "www_numbers": [
        (True, "http://www.a.example/", "no number"),
        (True, "http://www2.com/", "public suffix"),
        (True, "http://wwwx2.a.example/", "letters"),
    ],
    "www": [
        ("remove", "http://www.com/", "public suffix"),
        ("remove", "http://www.co.uk/", "public suffix of two labels"),
        ("remove", "http://www.github.io/", "private suffix"),
        ("remove", "http://www2.a.example/", "a numbered server"),
        ("remove", "http://wwwa.example/", "a name that begins like it"),
        ("add", "http://m.a.example/", "a subdomain"),
        ("add", "http://192.0.2.1/", "an IPv4 address"),
        ("add", "http://[2001:db8::1]/", "an IPv6 address"),
        ("add", "http://localhost/", "a single label"),
    ],
    "remove_subdomains": [
        (["m"], "http://m.com/", "public suffix"),
        (["alice"], "http://alice.github.io/", "private suffix"),
        (["m"], "http://x.m.a.example/", "not the first label"),
        (["1"], "http://1.2.3.4/", "an address"),
    ],
    "unicode_nfc": [
        (True, "/%C3%A9?q=%C3%A9", "composed already"),
        (True, "/%E9%CC%81", "octets that are not UTF-8"),
        (False, "/e%CC%81", "off"),
    ],
    "path_params": [
        (["jsessionid"], "/p;xjsessionid=1", "another name that ends alike"),
        (["jsessionid"], "/p?jsessionid=1", "a query parameter"),
        (["jsessionid"], "/p%3Bjsessionid=1", "an escaped semicolon is data where no shape says otherwise"),
        ([{"name": "v", "value": r"\d{4,}"}], "/p%3Bv=12", "an escaped semicolon before another shape"),
        (["v"], "/p?a=b;v=1", "in a query, without a shape"),
        ([{"name": "v", "value": r"\d{4,}"}], "/p?a=b;v=12&v=1234", "in a query, of another shape"),
        ([{"name": "v", "value": r"\d+"}], "/p;v=12a", "value pattern that does not hold in full"),
    ],
    "aspnet_session": [
        (True, "/(draft)/p", "other parentheses"),
        (True, "/x(S(1))/p", "not a segment of its own"),
        (True, "/(s(1))/p", "lower case: it may be about mathematics"),
        (True, "/wiki/(S(n))/p", "and so may capitals"),
        (True, "/(A(1)F(2))/p", "no value is as long as a session's"),
        (True, "/(lit3py55t21z5v55vlm25s55)/p", "the bare form without a page"),
        (True, "/p.aspx/(lit3py55t21z5v55vlm25s55)/", "the bare form after the page"),
        (True, "/(lit3py55t21z5v55vlm25s99)/p.aspx", "digits that no session id has"),
        (True, "/(lit3py55t21z5v55vlm25s5)/p.aspx", "23 characters"),
        (True, "/(lit3py55t21z5v55vlm25s55)/p.aspxx", "another extension"),
    ],
    "remove_segments": [
        (["print"], "/blueprint/print.html", "part of a segment"),
        ([{"name": "sid", "next": "[0-9a-f]{16,}"}], "/sid/0123456789abcde/b", "a value that does not match"),
        ([{"name": "sid", "next": "[0-9a-f]{16,}"}], "/sid/x/0123456789abcdef", "a segment between name and value"),
        ([{"name": "sid", "next": ".*"}], "/a/sid", "a name at the end"),
        ([{"index": -1, "of": 3}], "/a/b/c/d", "another number of segments"),
        (["print"], "/Print", "case"),
        (["a"], "/%2Fa", "an escaped slash"),
    ],
    "duplicate_slashes": [
        ("remove", "/a?b=//c", "in a query"),
        ("remove", "/go/https://b.example/x", "an address in the path"),
        ("remove", "/a%2F%2Fb", "escaped"),
        ("keep", "/a//b", "keep"),
    ],
    "lowercase_path": [(True, "/a?B=C", "the query"), (True, "/%C3%89", "escaped capitals")],
    "directory_index": [
        (["index.html"], "/index.html/x", "not the last segment"),
        (["index.html"], "/myindex.html", "a longer name"),
        (["index.html"], "/?f=index.html", "in a query"),
    ],
    "remove_extensions": [(["html"], "/.html", "a hidden file"), (["html"], "/...html", "dots would be left"), (["html"], "/a.html/b", "not the last segment")],
    "trailing_slash": [
        ("remove", "/", "the root"),
        ("remove", "/a//", "several: another page"),
        ("add", "/a.html", "a file"),
        ("keep", "/a/", "keep"),
    ],
    "semicolon_separators": [(True, "/a;b?x=1", "in the path"), (True, "/?a=1%3Bb=2", "escaped"), (False, "/?a=1;b=2", "off")],
    "amp_entities": [(True, "/?a=x%26amp;b", "an escaped ampersand"), (True, "/?a=amp;b", "no field of its own"), (False, "/?a&amp;b", "off")],
    "plus_space": [("space", "/?q=a+b", "the default"), ("literal", "/?q=a%20b", "an escaped space"), ("literal", "/a+b", "in the path")],
    "stray_percent": [("encode", "/%25?q=%2Fb", "whole escapes"), ("keep", "/100%?q=100%", "keep")],
    "blank_values": [("distinct", "/?a&b=", "distinct"), ("equal", "/?a=", "equal already")],
    "rename_params": [({"page_id": "p"}, "/?page_id2=7", "a longer name"), ({"a": "b"}, "/?x=a", "a value")],
    "lowercase_params": [(["lang"], "/?q=EN", "another name"), (["q"], "/?q=%C3%A9", "lower case already")],
    "lowercase_names": [(["page"], "/?Pages=1", "another name"), (["q"], "/?q=A", "a value")],
    "numeric_params": [
        (["page"], "/?id=007", "another name"),
        (["page"], "/?page=0x7&page=-07&page=07.0&page=", "no whole number"),
        (["page"], "/?page=%D9%A0%D9%A7", "digits of another script"),
    ],
    "map_params": [({"hb": [["HEAD", "master"]]}, "/?hb=dev", "another value"), ({"hb": [["HEAD", "master"]]}, "/", "absence not said")],
    "rewrite_params": [({"id": {"pattern": "x", "replace": ""}}, "/?q=x", "another name")],
    "unordered_values": [({"cols": ","}, "/?cols=a,b", "sorted already"), ({"cols": ","}, "/?q=b,a", "another name")],
    "collapse_nested": [
        (["next"], "/login?next=/x", "another page"),
        (["next"], "/login?next=login", "no address"),
        (["next"], "/login?q=/login", "another name"),
    ],
    "remove_params": [
        (["sid"], "/?msid=1&sidx=2&a=sid", "parts of names, values"),
        ([{"name": "s", "value": "[0-9a-f]{32}"}], "/?s=shoes", "value that does not match"),
        ([{"name": "S", "case_sensitive": True}], "/?s=1", "case-sensitive"),
        (["k"], "/?%E2%84%AA=1", "the Kelvin sign folds to k in Unicode, not in ASCII"),
        ([{"name": "v", "value": "a"}], "/?v=ab&v=ba", "a value pattern matches in full"),
        ([{"pattern": "s[0-9]"}], "/?s12=1&as1=1&s=1", "a name pattern matches in full"),
        ([{"pattern": "[A-Z]id", "case_sensitive": True}], "/?sid=1", "a case-sensitive pattern"),
        ([{"pattern": "k"}], "/?%E2%84%AA=1", "a pattern folds case in ASCII alone"),
    ],
    "except_params": [(["utm_content"], "/?utm_content=1", "nothing to take back")],
    "keep_params": [(["id"], "/?id=1&id=2", "repeated names")],
    "default_params": [
        ({"page": "1"}, "/?page=01", "another spelling of the value"),
        ({"page": "1"}, "/?page=", "no value"),
    ],
    "remove_empty_params": [(["q"], "/?q=0&x=", "zero is a value; another name")],
    "dedupe_params": [("pair", "/?a=1&a=2", "different values"), ("first", "/?a=1&A=2", "case of the name"), ("off", "/?a=1&a=1", "off")],
    "remove_query": [(False, "/?a=1", "off"), (True, "/a%3Fb", "an escaped question mark")],
    "sort_query": [("off", "/?b=1&a=2", "off"), ("key", "/?a=2&a=1", "repeated names keep their order")],
    "fragment": [
        ("route", "/#!/x", "hash-bang"), ("route", "/#/x", "hash route"), ("keep", "/#top", "keep"),
        ({"fragment": "keep", "remove_params": ["utm_*"], "except_params": ["utm_id"]}, "/#utm_id=7", "an excepted parameter in it"),
        ({"fragment": "keep", "remove_params": ["a"]}, "/#a", "an anchor is no parameter"),
        ({"fragment": "keep", "remove_params": ["a"]}, "/#/a=1/b", "a segment of a route is no parameter"),
        ({"fragment": "keep", "remove_params": ["a"]}, "/#b=1?a=2", "a question mark in a value"),
        ({"fragment": "keep", "keep_params": []}, "/#a=1", "keep_params is about the query"),
    ],
    "rewrite": [([{"pattern": "^/a$", "replace": "/b"}], "/a/", "an anchored pattern"), ([{"pattern": "#", "replace": "/"}], "/a#x", "the fragment")],
    "template": [
        ([{"from": "/i?a={x}", "to": "/{x}"}], "/i?a=1&b=2", "another parameter is present"),
        ([{"from": "/i?a={x}", "to": "/{x}"}], "/i?a=1%2F2", "a slash would make two segments"),
        ([{"from": "/i?a={x}", "to": "/{x}"}], "/i?a=", "an empty segment"),
        ([{"from": "/i?a={x}", "to": "/{x}"}], "/i?a=..", "a dot segment"),
        ([{"from": "/i?t=Special:{x}", "to": "/s/{x}"}], "/i?t=Talk:Log", "another prefix"),
        ([{"from": "/i?t=aba{x}aba", "to": "/s/{x}"}], "/i?t=aba", "prefix and suffix would share letters"),
        ([{"from": "/i?t={x}", "to": "/s/{x}", "rest": "keep"}], "/i?t=A&t=B", "which of the two is it?"),
        ([{"from": "/i?t={x}", "to": "/s?u={x}", "rest": "keep"}], "/i?t=A&u=B", "two of one name would be left"),
    ],
    "unwrap_params": [
        (["url"], "/out?url=/x", "a relative address"),
        (["url"], "/out?url=javascript:alert(1)", "another scheme"),
        ([{"name": "url", "paths": True}], "/out?url=//b.example/x", "a host without a scheme"),
        ([{"name": "url", "paths": True}], "/out?url=/%5Cb.example/x", "a host behind a backslash"),
        ([{"name": "url", "paths": True}], "/out?url=/%09/b.example/x", "a host behind a tab"),
        ([{"name": "url", "paths": True}], "/out?url=x", "a relative path"),
        ([{"name": "url", "paths": False}], "/out?url=/x", "paths are off"),
        (["url"], "/out?u=http%3A%2F%2Fa.example%2F", "another name"),
        (["url"], "/out?url=http%3A%2F%2Fb.example%2F", "another site"),
        (["url"], "/out?url=http%3A%2F%2Fa.example.evil.example%2F", "a site that begins with the name"),
        ([{"name": "url", "to": ["b.example"]}], "/out?url=http%3A%2F%2Fc.example%2F", "a site that is not named"),
        ([{"name": "url", "to": ["b.example"]}], "/out?url=http%3A%2F%2Fevilb.example%2F", "a site that ends with the name"),
    ],
    "amp_caches": [
        (True, "http://a.example/c/s/b.example/x", "no cache"),
        (True, "http://cdn.ampproject.org.evil.example/c/s/b.example/x", "a host that begins like one"),
        (True, "https://a-example.cdn.ampproject.org/i/s/a.example/x.png", "a picture, which the cache has changed"),
        (True, "https://a-example.cdn.ampproject.org/c/s/x", "no host"),
        (False, "https://a-example.cdn.ampproject.org/c/s/a.example/x", "off"),
    ],
    "skip": [(True, "/x", "the URL itself is not changed")],
    "defer": [(True, "/x", "the URL itself is not changed")],
    "max_params": [({"of": ["a", "b"], "at_most": 1}, "/x?a=1&b=2", "the URL itself is not changed")],
}  # fmt: skip

#: Rules that see a body or headers instead of a URL: tested below.
NO_URL = {"remove_body_params", "sort_body", "include_headers"}
#: Rules whose declared example is a verdict, or a rule that takes another one's effect back.
VERDICTS = {"skip", "defer", "max_params"}


def absolute(url: str) -> str:
    return url if "://" in url.partition("?")[0] and not url.startswith("/") else f"http://a.example{url}"


def rows(table: dict[str, list[Any]]) -> list[Any]:
    return [
        pytest.param(name, *row[:-1], id=f"{name}: {row[-1]}") for name, entries in table.items() for row in entries
    ]


def normalizer(rule: str, value: Any) -> Normalizer:
    rules = value if isinstance(value, dict) and rule in value else {rule: value, **CATALOGUE[rule].extra}
    return Normalizer({"rules": rules}, preset="safe")


@pytest.mark.parametrize(("rule", "value", "before", "after"), rows(CHANGE))
def test_a_rule_changes(rule: str, value: Any, before: str, after: str) -> None:
    n = normalizer(rule, value)
    before, after = absolute(before), absolute(after)
    assert n.normalize(before) == after
    assert n.normalize(after) == after
    assert n.key(before) == n.key(after)
    assert not n.counts


@pytest.mark.parametrize(("rule", "value", "url"), rows(NOOP))
def test_a_rule_leaves_alone(rule: str, value: Any, url: str) -> None:
    n = normalizer(rule, value)
    assert n.normalize(absolute(url)) == absolute(url)
    assert not n.counts


@pytest.mark.parametrize("rule", CATALOGUE)
def test_the_declared_example_runs(rule: str) -> None:
    declared = CATALOGUE[rule]
    if rule in NO_URL:
        return
    n = normalizer(rule, declared.value)
    assert n.normalize(declared.before) == declared.after
    assert n.key(declared.before) == n.key(declared.after)
    assert (declared.before == declared.after) is (rule in VERDICTS)


@pytest.mark.parametrize("rule", CATALOGUE)
def test_every_rule_is_documented(rule: str) -> None:
    declared = CATALOGUE[rule]
    assert declared.summary.endswith((".", ":", "``."))
    assert len(declared.summary) <= 140
    assert declared.kind.describe()
    assert declared.kind.schema()


def test_every_rule_has_rows() -> None:
    assert CHANGE.keys() | VERDICTS | NO_URL == CATALOGUE.keys()
    assert NOOP.keys() | NO_URL == CATALOGUE.keys()
    assert not [name for name, entries in NOOP.items() if not entries]


@pytest.mark.parametrize("verdict", ["skip", "defer"])
def test_a_verdict_is_a_decision(verdict: str) -> None:
    n = Normalizer({"site": {"a.example": {"where": [{"path": "/calendar/**", verdict: True}]}}})
    assert getattr(n.decide("http://a.example/calendar/1999"), verdict)
    assert not getattr(n.decide("http://a.example/p"), verdict)
    assert getattr(n.explain("http://a.example/calendar/1999"), verdict)


@pytest.mark.parametrize(
    ("query", "skipped"),
    [
        ("", False),
        ("brand=1", False),
        ("brand=1&page=2&sort=x", False),
        ("brand=1&size=42", True),
        ("size=42&page=3&brand=1", True),
        ("brand=1&brand=2", True),
        ("brand=1&size=", False),
        ("Brand=1&f%5Bcolour%5D=2", True),
        ("f[colour]=1&f[width]=2", True),
    ],
)
def test_limit_of_parameters(query: str, skipped: bool) -> None:
    limit = {"of": ["brand", "size", "f[*"], "at_most": 1}
    for rule, named in ((limit, "skip"), ({**limit, "defer": True}, "defer")):
        n = Normalizer({"site": {"a.example": {"where": [{"path": "/c/**", "max_params": rule}]}}})
        decision = n.decide(f"http://a.example/c/shoes?{query}")
        assert (decision.skip, decision.defer) == (skipped and named == "skip", skipped and named == "defer")
        assert not n.decide(f"http://a.example/p?{query}").skip


def test_an_exception_takes_a_name_back_from_a_wider_scope() -> None:
    n = Normalizer({"rules": {"remove_params": ["x_*"]}, "site": {"a.example": {"except_params": ["x_id"]}}})
    assert n.key("http://a.example/?x_id=1&x_b=2") == "http://a.example/?x_id=1"
    assert n.key("http://b.example/?x_id=1&x_b=2") == "http://b.example/"


# --- bodies -------------------------------------------------------------------------------------------------------------

BODIES = [
    ("remove_body_params", ["__VIEWSTATE"], "", b"a=1&__VIEWSTATE=x&b=2", b"a=1&b=2", "a form field"),
    ("remove_body_params", ["csrf*"], "", b"csrf%5Ftoken=x&a=1", b"a=1", "an escaped name, a glob"),
    ("remove_body_params", ["token"], "application/json", b'{"a":1,"token":"x"}', b'{"a":1}', "a JSON member"),
    ("remove_body_params", ["t"], "", b"a=1&u=2", b"a=1&u=2", "nothing to remove"),
    ("remove_body_params", ["t"], "application/json", b'{"b": 1.0, "a": 2}', b'{"b": 1.0, "a": 2}', "JSON: nothing to remove"),
    ("remove_body_params", ["t"], "", b"a&b=+%2B", b"a&b=+%2B", "a form's own spelling, nothing to remove"),
    ("remove_body_params", ["a"], "application/json", b'{"a":', b'{"a":', "broken JSON"),
    ("remove_body_params", ["a"], "application/json", b'[{"a":1}]', b'[{"a":1}]', "a JSON list"),
    ("remove_body_params", ["a"], "multipart/form-data; boundary=x", b"a=1", b"a=1", "another content type"),
    ("remove_body_params", ["a"], "", b"\xff=1", b"\xff=1", "octets that are no form"),
    ("sort_body", True, "", b"b=2&a=1&a=0", b"a=0&a=1&b=2", "form fields"),
    ("sort_body", True, "application/json", b'{"b":2,"a":{"d":1,"c":2}}', b'{"a":{"c":2,"d":1},"b":2}', "members, nested"),
    ("sort_body", True, "application/json", b"[2,1]", b"[2,1]", "a list keeps its order"),
    ("sort_body", False, "", b"b=2&a=1", b"b=2&a=1", "off"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "value", "content_type", "before", "after"), [pytest.param(*b[:-1], id=f"{b[0]}: {b[-1]}") for b in BODIES]
)
def test_bodies(rule: str, value: Any, content_type: str, before: bytes, after: bytes) -> None:
    functions, _ = Normalizer({"rules": {rule: value}}, preset="safe").body_rules("http://a.example/")

    def run(body: bytes) -> bytes:
        for function in functions:
            body = function(body, content_type=content_type)
        return body

    assert run(before) == after
    assert run(after) == after


def test_how_a_query_is_split_may_be_said_for_a_path() -> None:
    where = [
        {"path": ["/git/**", "/*.cgi"], "semicolon_separators": True, "remove_params": ["h"]},
        {"path": "/git/old/**", "semicolon_separators": False},
        {"path": "/git/**", "query": {"a": "tree"}, "remove_params": ["f"]},
    ]
    n = Normalizer({"site": {"a.example": {"where": where}}})
    whole = "?p=1%3Ba%3Dtree%3Bf%3Dx%3Bh%3D2"
    keys = {"/git/": "?a=tree&p=1", "/g.cgi": "?a=tree&f=x&p=1", "/": whole, "/git/old/x": whole, "/gitx/": whole}
    for path, query in keys.items():
        url = f"http://a.example{path}?p=1;a=tree;f=x;h=2"
        assert n.key(url) == n.key(n.normalize(url)) == f"http://a.example{path}{query}"
    assert "semicolon_separators" in n.explain("http://a.example/git/?a=1;b=2").notes[0]


def test_headers_count_where_a_site_says_so() -> None:
    n = Normalizer({"site": {"a.example": {"include_headers": ["Accept-Language"]}}})
    assert n.body_rules("http://a.example/")[1] == ("Accept-Language",)
    assert n.body_rules("http://b.example/")[1] == ()
