"""The fingerprinter as Scrapy, its caches, pipelines and job directories see it."""

from __future__ import annotations

import gc
import json
import weakref
from hashlib import sha1
from typing import Any, ClassVar

import pytest
import scrapy
from scrapy import Request, Spider
from scrapy.http import FormRequest, JsonRequest, XmlRpcRequest
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.request import fingerprint as scrapy_fingerprint

from tests.crawl.components import crawler_with, fingerprinter_with

ORG = "https://example.org"
SCRAPY = tuple(int(part) for part in scrapy.__version__.split(".")[:2])
VERBATIM = pytest.mark.skipif(SCRAPY < (2, 17), reason="verbatim_url came with Scrapy 2.17")
SID = {"remove_params": ["sid"]}
FOLDING: dict[str, Any] = {
    "remove_params": ["sid"],
    "trailing_slash": "remove",
    "www": "remove",
    "scheme": "https",
    "duplicate_slashes": "remove",
    "directory_index": ["index.html"],
}


# What Scrapy's own tests expect (tests/test_utils_request.py of 2.19): caches and job directories stay valid.
KNOWN = {
    "no path": (Request("http://example.org"), "7873d70c33756a15fed7649ba909e064bf9c5844"),
    "https": (Request(ORG), "c03485502caa9106f874b4bd2ad9e98a3a6dc36c"),
    "no value": (Request(f"{ORG}?a"), "47adb8436b191ced83382c01c4de3beea594610c"),
    "a parameter": (Request(f"{ORG}?a=b"), "02344d59628ac21ebc3ed6ac2ada9c46c1727f17"),
    "twice, once without value": (Request(f"{ORG}?a=b&a"), "742be82afb84e3761a7d8870c0cc42d79dfe7a96"),
    "twice": (Request(f"{ORG}?a=b&a=c"), "da1e63d09c087360b49be2b652f86befea5147ef"),
    "POST": (Request(ORG, method="POST"), "9dcd410f54023acaa07d90da0542de648a4e371d"),
    "GET with a body": (Request(ORG, body=b"a"), "c3347a3ed8998bda3705729949a8a0783ba4315f"),
    "POST with a body": (Request(ORG, method="POST", body=b"a"), "3560e27934d09deee0ba74778751e84fd738fce7"),
    "fragment": (Request(f"{ORG}#a", headers={"A": "B"}), "c03485502caa9106f874b4bd2ad9e98a3a6dc36c"),
    "path": (Request(f"{ORG}/ab"), "4ee56cb812406977e2f31b70eaff702175e28ac6"),
    "path and body": (Request(f"{ORG}/a", body=b"b"), "5f4e4f76bc6f2436fc579fb234679fbbdda832c5"),
}


@pytest.mark.parametrize(("request_", "expected"), KNOWN.values(), ids=KNOWN.keys())
@pytest.mark.parametrize("preset", ["safe", "recommended"])
def test_scrapys_bytes_where_no_rule_applies(request_: Request, expected: str, preset: str) -> None:
    assert fingerprinter_with(settings={"URINORM_PRESET": preset}).fingerprint(request_).hex() == expected


ODD = {
    "data": "data:text/html;base64,PGI+",
    "about": "about:blank",
    "file": "file:///etc/hosts?sid=1",
    "s3": "s3://bucket/key?sid=1",
    "ftp": "ftp://ftp.example.org/a/../b",
    "IPv6": "http://[::1]:8000/?sid=1",
    "IPv6 zone": "http://[fe80::1%25eth0]/",
    "not an IPv6 address": "http://[::1/x",
    "IDN": "http://bücher.example/straße?q=ü&sid=1",
    "userinfo": "http://ann:secret@example.org/?sid=1",
    "no host": "http:///path",
    "no host but a port": "http://:80/",
    "port too large": "http://example.org:99999/",
    "port no number": "http://example.org:port/",
    "100 kB path": "http://example.org/" + "a/" * 50_000,
    "100 kB query": "http://example.org/?" + "&".join(f"p{n}={n}" for n in range(12_000)),
    "100 kB name": "http://" + "a" * 100_000 + ".example/",
    "non-UTF-8 escapes": "http://example.org/%ff?%fe=%fd",
    "stray percents": "http://example.org/%?%=%&%%=%zz",
    "NUL": "http://example.org/\0?\0=\0",
    "line breaks": "http://example.org/\r\n?a=\n",
    "emoji host": "http://💩.la/",
    "empty labels": "http://a..example/",
    "only a scheme": "http://",
    "dots": "http://example.org/%2e%2e/./..//.?sid",
    "colon in the path": "javascript:alert(1)",
    "a mail address": "mailto:ann@example.org",
}


@pytest.mark.parametrize("url", ODD.values(), ids=ODD.keys())
@pytest.mark.parametrize("rules", [{}, FOLDING], ids=["no rules", "rules"])
def test_an_odd_url_has_a_fingerprint(url: str, rules: dict[str, Any]) -> None:
    try:
        request = Request(url)
    except ValueError:
        pytest.skip("Scrapy makes no request of it")
    fingerprinter = fingerprinter_with(rules)
    assert len(fingerprinter.fingerprint(request)) == 20
    assert fingerprinter.fingerprint(request) == fingerprinter.fingerprint(request.copy())


@VERBATIM
@pytest.mark.parametrize("url", [*ODD.values(), "http://example.org/\ud800?sid=1", "http://example.org/a b|c"])
def test_verbatim_urls_are_left_alone(url: str) -> None:
    try:
        request = Request(url, meta={"verbatim_url": True})
    except ValueError:
        pytest.skip("Scrapy makes no request of it")
    assert fingerprinter_with(FOLDING).fingerprint(request) == scrapy_fingerprint(request)


@VERBATIM
def test_verbatim_may_be_said_after_the_first_call() -> None:
    fingerprinter = fingerprinter_with(SID)
    request = Request(f"{ORG}/?sid=1#top")
    folded = fingerprinter.fingerprint(request)
    request.meta["verbatim_url"] = True
    assert fingerprinter.fingerprint(request) == scrapy_fingerprint(request) != folded


SAME = [
    ("a removed parameter", f"{ORG}/a?sid=1", f"{ORG}/a"),
    ("a slash", f"{ORG}/a/", f"{ORG}/a"),
    ("www", "https://www.example.org/a", f"{ORG}/a"),
    ("the scheme", "http://example.org/a", f"{ORG}/a"),
    ("slashes", f"{ORG}//a", f"{ORG}/a"),
    ("an index file", f"{ORG}/a/index.html", f"{ORG}/a/"),
    ("all at once", "http://www.example.org//a/index.html?b=1&sid=3&a=2", f"{ORG}/a?a=2&b=1"),
]
APART = [
    ("a parameter", f"{ORG}/?a=1", f"{ORG}/?a=2"),
    ("upper case in the path", f"{ORG}/A", f"{ORG}/a"),
    ("upper case in a value", f"{ORG}/?a=B", f"{ORG}/?a=b"),
    ("a parameter once and twice", f"{ORG}/?a=1&a=1", f"{ORG}/?a=1"),
    ("an array", f"{ORG}/?a[]=1", f"{ORG}/?a=1"),
    ("a port", "https://example.org:8443/", f"{ORG}/"),
    ("the scheme on another port", "http://example.org:8443/", "https://example.org:8443/"),
    ("an escaped slash", f"{ORG}/a%2Fb", f"{ORG}/a/b"),
    ("octets that are no UTF-8", f"{ORG}/?a=%ff", f"{ORG}/?a=%fe"),
    ("a user", "https://ann@example.org/", f"{ORG}/"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), [pair[1:] for pair in SAME], ids=[pair[0] for pair in SAME])
def test_variants_have_one_fingerprint(one: str, other: str) -> None:
    fingerprinter = fingerprinter_with(FOLDING)
    assert fingerprinter.fingerprint(Request(one)) == fingerprinter.fingerprint(Request(other))


@pytest.mark.parametrize(("one", "other"), [pair[1:] for pair in APART], ids=[pair[0] for pair in APART])
def test_pages_have_fingerprints_of_their_own(one: str, other: str) -> None:
    fingerprinter = fingerprinter_with(FOLDING)
    assert fingerprinter.fingerprint(Request(one)) != fingerprinter.fingerprint(Request(other))


def test_methods_and_bodies_stay_apart() -> None:
    fingerprinter = fingerprinter_with(SID)
    requests = [
        Request(f"{ORG}/?sid=1"),
        Request(f"{ORG}/?sid=2", method="HEAD"),
        Request(f"{ORG}/?sid=3", method="POST"),
        Request(f"{ORG}/?sid=4", method="POST", body="sid=1"),
        Request(f"{ORG}/?sid=5", method="POST", body="sid=2"),
        FormRequest(f"{ORG}/?sid=6", formdata={"a": "1"}),
        JsonRequest(f"{ORG}/?sid=7", data={"a": 1}),
        XmlRpcRequest(f"{ORG}/?sid=8", methodname="list", params=(1,)),
    ]
    assert len({fingerprinter.fingerprint(request) for request in requests}) == len(requests)
    variant = Request(f"{ORG}/?sid=9", method="POST", body="sid=1")
    assert fingerprinter.fingerprint(variant) == fingerprinter.fingerprint(requests[3])


class TestMetaKey:
    """`meta["urinorm"]`: `False`, or rules of this request's own."""

    def test_false_turns_the_rules_off(self) -> None:
        fingerprinter = fingerprinter_with(FOLDING)
        request = Request("http://www.example.org//a/?sid=1", meta={"urinorm": False})
        assert fingerprinter.fingerprint(request) == scrapy_fingerprint(request)

    def test_false_is_inherited_by_a_redirect(self) -> None:
        fingerprinter = fingerprinter_with(FOLDING)
        request = Request(f"{ORG}/a/", meta={"urinorm": False, "redirect_urls": [f"{ORG}/a"]})
        assert fingerprinter.fingerprint(request) == scrapy_fingerprint(request)

    def test_false_may_be_said_after_the_first_call(self) -> None:
        fingerprinter = fingerprinter_with(SID)
        request = Request(f"{ORG}/?sid=1")
        folded = fingerprinter.fingerprint(request)
        request.meta["urinorm"] = False
        assert fingerprinter.fingerprint(request) == scrapy_fingerprint(request) != folded

    def test_rules_of_one_request(self) -> None:
        fingerprinter = fingerprinter_with(SID)
        request = Request(f"{ORG}/a/?sid=1&view=print", meta={"urinorm": {"rules": {"remove_params": ["view"]}}})
        assert fingerprinter.fingerprint(request) == fingerprinter.fingerprint(Request(f"{ORG}/a/"))
        assert fingerprinter.fingerprint(request.replace(meta={})) != fingerprinter.fingerprint(request)

    def test_rules_may_change_after_the_first_call(self) -> None:
        fingerprinter = fingerprinter_with()
        request = Request(f"{ORG}/?a=1&b=2", meta={"urinorm": {"rules": {"remove_params": ["a"]}}})
        first = fingerprinter.fingerprint(request)
        request.meta["urinorm"] = {"rules": {"remove_params": ["b"]}}
        assert first == fingerprinter.fingerprint(Request(f"{ORG}/?b=2"))
        assert fingerprinter.fingerprint(request) == fingerprinter.fingerprint(Request(f"{ORG}/?a=1"))

    def test_rules_changed_in_place_after_the_first_call(self) -> None:
        fingerprinter = fingerprinter_with()
        request = Request(f"{ORG}/?a=1&b=2", meta={"urinorm": {"rules": {"remove_params": ["a"]}}})
        fingerprinter.fingerprint(request)
        request.meta["urinorm"]["rules"]["remove_params"] = ["b"]
        assert fingerprinter.fingerprint(request) == fingerprinter.fingerprint(Request(f"{ORG}/?a=1"))

    def test_rules_are_not_inherited_by_a_redirect(self) -> None:
        """They were written for the URL that was asked."""
        fingerprinter = fingerprinter_with()
        meta = {"urinorm": {"rules": {"remove_params": ["a"]}}, "redirect_urls": [f"{ORG}/start"]}
        request = Request(f"{ORG}/?a=1", meta=meta)
        assert fingerprinter.fingerprint(request) == scrapy_fingerprint(request)

    @pytest.mark.parametrize(
        "wrong",
        [{"rules": {"remove_parms": ["a"]}}, {"rules": 3}, {"remove_params": "a"}, 3, "yes", [1], {1: 2}],
        ids=str,
    )
    def test_wrong_rules_are_told_and_not_raised_into_the_engine(
        self, wrong: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        fingerprinter = fingerprinter_with(SID)
        request = Request(f"{ORG}/?sid=1", meta={"urinorm": wrong})
        assert fingerprinter.fingerprint(request) == fingerprinter.fingerprint(Request(f"{ORG}/"))
        assert "Request meta `urinorm` is ignored: 1 problem in the rules" in caplog.text

    def test_verdicts_are_of_the_crawl_and_not_of_a_request(self, caplog: pytest.LogCaptureFixture) -> None:
        for given in (
            {"skip": True},
            {"rules": {"where": [{"path": "/x", "defer": True}]}},
            {"rules": {"www": "keep"}},
        ):
            fingerprinter_with(SID).fingerprint(Request(f"{ORG}/x", meta={"urinorm": given}))
        assert caplog.text.count("`skip` and `defer` are of the crawl's rules") == 2

    def test_what_cannot_be_rules_is_told_once(self, caplog: pytest.LogCaptureFixture) -> None:
        """An object says its address in memory: a rule file would be read again for each request."""
        fingerprinter, objects = fingerprinter_with(SID), [object(), object()]
        for n, one in enumerate(objects):
            fingerprinter.fingerprint(Request(f"{ORG}/{n}", meta={"urinorm": one}))
        assert caplog.text.count("is ignored") == 1


class TestRedirectGuard:
    """A redirect to an equal URL has a fingerprint of its own, three times at the most (scrapy issue 1225)."""

    def fingerprint(self, url: str, *came_from: str, **meta: Any) -> bytes:
        chain = {"redirect_urls": [ORG + u for u in came_from], "redirect_times": len(came_from)} if came_from else {}
        return fingerprinter_with(FOLDING).fingerprint(Request(ORG + url, meta={**chain, **meta}))

    def test_redirects_to_itself_differ(self) -> None:
        seen = {
            self.fingerprint("/a"),
            self.fingerprint("/a/", "/a"),
            self.fingerprint("/a/?sid=1", "/a", "/a/"),
            self.fingerprint("/a?sid=2", "/a", "/a/", "/a/?sid=1"),
        }
        assert len(seen) == 4

    def test_the_fourth_is_the_plain_one(self) -> None:
        assert self.fingerprint("/a", "/a", "/a", "/a", "/a") == self.fingerprint("/a")
        assert self.fingerprint("/a", *["/a"] * 19) == self.fingerprint("/a")

    def test_only_equal_urls_of_the_chain_count(self) -> None:
        assert self.fingerprint("/a/", "/start", "/b") == self.fingerprint("/a")
        assert self.fingerprint("/a/", "/start", "/a", "/b") == self.fingerprint("/a/", "/a")

    def test_every_variant_of_the_target_is_the_same_page(self) -> None:
        assert self.fingerprint("/a/", "/a") == self.fingerprint("/a/index.html", "/a?sid=5")

    def test_a_form_posted_to_itself(self) -> None:
        """The POST has another fingerprint, but the GET that it leads to is a new page."""
        assert self.fingerprint("/login", "/login") != self.fingerprint("/login")

    @pytest.mark.parametrize("wrong", [None, "no list", [None], [3], [b"bytes"], {"a": 1}, 7], ids=str)
    def test_a_wrong_chain_does_not_raise(self, wrong: Any) -> None:
        request = Request(f"{ORG}/a", meta={"redirect_urls": wrong})
        assert len(fingerprinter_with(FOLDING).fingerprint(request)) == 20

    def test_a_chain_of_many_urls(self) -> None:
        chain = tuple(f"/{n}" for n in range(5_000))
        assert self.fingerprint("/a", *chain) == self.fingerprint("/a")


class TestExemptions:
    """Media files and signed addresses: a fold would mix up files or break nothing less than the signature."""

    @pytest.mark.parametrize(
        "url",
        [
            f"{ORG}/photo.jpg?sid=1",
            f"{ORG}/photo.jpg/?sid=1",
            "http://www.example.org//photo.jpg",
            f"{ORG}/photo.jpg?utm_source=x",
        ],
    )
    def test_media_requests_keep_scrapys_fingerprint(self, url: str) -> None:
        request = Request(url, callback=NO_CALLBACK)
        assert fingerprinter_with(FOLDING).fingerprint(request) == scrapy_fingerprint(request)

    @pytest.mark.parametrize(
        "query",
        [
            f"X-Amz-Signature={'0a' * 32}&X-Amz-Expires=60&sid=1",
            f"x-amz-signature={'0a' * 32}&sid=1",
            f"Signature={'aB~_' * 10}&Expires=1&Key-Pair-Id=k&sid=1",
            f"X-Goog-Signature={'0a' * 64}&sid=1",
            "sv=2020-08-04&se=2030-01-01&sp=r&sig=abcdefghijklmnopqrstuvwxyz0123456789%2Babcdef%3D&sid=1",
        ],
    )
    def test_signed_urls_keep_scrapys_fingerprint(self, query: str) -> None:
        request = Request(f"{ORG}/file?{query}")
        assert fingerprinter_with(SID).fingerprint(request) == scrapy_fingerprint(request)


class TestCache:
    """Fingerprints are kept per request object, weakly."""

    def test_requests_are_not_kept_alive(self) -> None:
        fingerprinter = fingerprinter_with(FOLDING)
        request = Request(f"{ORG}/?sid=1", meta={"redirect_urls": [f"{ORG}/"], "urinorm": {"rules": {}}})
        fingerprinter.fingerprint(request)
        reference = weakref.ref(request)
        del request
        gc.collect()
        assert reference() is None

    def test_a_chain_that_grows_after_the_first_call(self) -> None:
        fingerprinter = fingerprinter_with(FOLDING)
        request = Request(f"{ORG}/a/", meta={"redirect_urls": []})
        first = fingerprinter.fingerprint(request)
        request.meta["redirect_urls"].append(f"{ORG}/a")
        assert fingerprinter.fingerprint(request) != first

    def test_a_replaced_request_is_another_one(self) -> None:
        fingerprinter = fingerprinter_with(SID)
        request = Request(f"{ORG}/?sid=1&a=1")
        assert fingerprinter.fingerprint(request) != fingerprinter.fingerprint(request.replace(url=f"{ORG}/?a=2"))


class WithRules(Spider):
    name = "with rules"
    urinorm_rules: ClassVar[dict[str, Any]] = {
        "rules": {"remove_params": ["ref"]},
        "site": {"example.org": {"trailing_slash": "remove"}},
    }


class TestWhereRulesComeFrom:
    def test_the_spider_class(self) -> None:
        fingerprinter = fingerprinter_with(SID, spider=WithRules)
        plain = fingerprinter.fingerprint(Request(f"{ORG}/a"))
        assert fingerprinter.fingerprint(Request(f"{ORG}/a/?ref=x&sid=1")) == plain
        assert fingerprinter.fingerprint(Request("https://other.example/a/")) != fingerprinter.fingerprint(
            Request("https://other.example/a")
        )

    def test_crawlers_of_one_process_do_not_share_rules(self) -> None:
        one, two = fingerprinter_with({"remove_params": ["a"]}), fingerprinter_with({"remove_params": ["b"]})
        request = Request(f"{ORG}/?a=1&b=2")
        first = one.fingerprint(request)
        assert first == one.fingerprint(Request(f"{ORG}/?b=2"))
        assert two.fingerprint(request) == two.fingerprint(Request(f"{ORG}/?a=1"))
        assert one.fingerprint(request) == first

    def test_custom_settings_of_a_spider(self) -> None:
        class Custom(Spider):
            name = "custom"
            custom_settings = {"URINORM_RULES": {"rules": {"remove_params": ["ref"]}}}

        fingerprinter = fingerprinter_with(spider=Custom)
        assert fingerprinter.fingerprint(Request(f"{ORG}/?ref=1")) == fingerprinter.fingerprint(Request(f"{ORG}/"))

    def test_a_file_and_a_dict_in_a_list(self, tmp_path: Any) -> None:
        file = tmp_path / "rules.toml"
        file.write_text('[rules]\nremove_params = ["a"]\n')
        settings = {"URINORM_RULES": [str(file), {"rules": {"remove_params": ["b"]}}]}
        fingerprinter = fingerprinter_with(settings=settings)
        assert fingerprinter.fingerprint(Request(f"{ORG}/?a=1&b=2")) == fingerprinter.fingerprint(Request(f"{ORG}/"))

    def test_the_preset_of_the_settings(self) -> None:
        tracked = Request(f"{ORG}/?utm_source=x")
        plain = scrapy_fingerprint(Request(f"{ORG}/"))
        assert fingerprinter_with().fingerprint(tracked) == plain
        assert fingerprinter_with(settings={"URINORM_PRESET": "safe"}).fingerprint(tracked) == scrapy_fingerprint(
            tracked
        )

    def test_a_spider_is_not_needed(self) -> None:
        """`scrapy shell` and tests have none."""
        crawler = crawler_with({"ADDONS": {"scrapy_urinorm.Addon": 600}})
        assert getattr(crawler, "spider", None) is None
        assert crawler.request_fingerprinter is not None
        assert len(crawler.request_fingerprinter.fingerprint(Request(ORG))) == 20


def test_the_recipe_is_scrapys() -> None:
    """SHA-1 of the sorted JSON of method, key, body and headers (DESIGN section 2)."""
    request = Request("http://www.example.org:80/%7eann/?b=2&a=1&sid=3", method="POST", body="x")
    data = {"method": "POST", "url": "https://example.org/~ann?a=1&b=2", "body": b"x".hex(), "headers": {}}
    expected = sha1(json.dumps(data, sort_keys=True).encode()).digest()
    assert fingerprinter_with(FOLDING).fingerprint(request) == expected
