"""The report of `make peers` on made-up records: verdicts, reasons, laws and tables; no peer's tests, no network."""
# ruff: noqa: E501  a row of a table is a line

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance import peers_plugin
from tests.conformance.peers_reasons import REASONS, reasons
from tests.conformance.peers_report import Record, broken_laws, judge, judged, table, table_of_reasons

A = "http://a.example"


def record(given: str, output: str | None, suite: str = "peer", operation: str = "f", **options: Any) -> Record:
    return Record(suite, operation, given, options, output)


VERDICTS: dict[str, tuple[Record, str, set[str]]] = {
    "the same text": (record("HTTP://A.example/b", f"{A}/b"), "equal", set()),
    "no result": (record(f"{A}:x/", None), "refused", set()),
    "another text for the same page": (record(f"{A}:80/b", f"{A}:80/b"), "same page", {"default port kept"}),
    "another page": (record(f"{A}/b?c=1", f"{A}/b"), "different", {"query dropped"}),
    "a guessed scheme": (record("a.example", "https://a.example/"), "different", {"not absolute"}),
    "a guessed scheme before a port": (record("a.example:80", "https://a.example/"), "different", {"not absolute"}),
    "a port out of range": (record(f"{A}:99999", A), "different", {"refused"}),
    "another scheme": (record("urn:A?b=1", "urn:a"), "different", {"another scheme"}),
    "a reference": (record("../c", f"{A}/c", base=f"{A}/b/"), "equal", set()),
    "a reference resolved wrongly": (record("//b.example", "http://b.example/c", base=f"{A}/c"), "different", {"resolved otherwise"}),
    "a reference below no URL": (record("b", "b/c", base="c"), "different", {"not absolute"}),
    "w3lib is compared with the key": (record(f"{A}?b=2&a=1#c", f"{A}/?a=1&b=2", "w3lib", "canonicalize_url"), "equal", set()),
    "an option is a rule of ours": (
        record(f"{A}/b?c=1&d=2", f"{A}/b?c=1", "w3lib", "url_query_cleaner", **{"1": ["c"]}), "equal", set(),
    ),
    "a function of parts": (record("b?c=1&d=2", "b?d=2", "w3lib", "url_query_cleaner", **{"1": ["c"], "remove": True}), "equal", set()),
    "a preset is the counterpart": (record(f"{A}/?utm_source=1&b=2", f"{A}/?b=2", "courlan", "normalize_url"), "equal", set()),
    "an imported rule": (
        record(f"{A}/b?c=1", f"{A}/b", "duplicate-url-discarder", "process_url",
               rules=[{"processor": "queryRemoval", "args": ["c"], "urlPattern": {"include": []}}]),
        "equal", set(),
    ),
    "a rule that the import leaves out": (
        record(f"{A}/b/c", f"{A}/c", "duplicate-url-discarder", "process_url",
               rules=[{"processor": "subpathRemoval", "args": [0], "urlPattern": {"include": []}}]),
        "different", {"left out on import"},
    ),
    "an option that is a reason": (
        record(f"{A}/?b=é", f"{A}/?b=%E9", "w3lib", "canonicalize_url", encoding="latin1"), "different", {"page's encoding"},
    ),
    "no reason": (record(f"{A}/b", f"{A}/z"), "different", set()),
}  # fmt: skip


@pytest.mark.parametrize(("one", "verdict", "why"), VERDICTS.values(), ids=VERDICTS)
def test_a_call_is_judged(one: Record, verdict: str, why: set[str]) -> None:
    assert judge(one) == (verdict, why)


#: The part after `http://a.example` as it came, as ours is, and as theirs is; the reason is the id.
TAILS = {
    "empty path kept": ("", "/", ""),
    "dot segments kept": ("/b/../c", "/c", "/b/../c"),
    "slashes merged": ("//b", "//b", "/b"),
    "backslash": ("/b\\c", "/b/c", "/b%5Cc"),
    "path cut short": ("/b<c", "/b%3Cc", "/b"),
    "sorted": ("/?b&a", "/?b&a", "/?a&b"),
    "empty fields kept": ("/?b&", "/?b", "/?b&"),
    "blank values": ("/?a=&b", "/?a=&b", "/?a&b"),
    "parameters dropped": ("/?a=1&b=2", "/?a=1&b=2", "/?b=2"),
    "query dropped": ("/?", "/?", "/"),
    "plus and space": ("/?a=b%20c", "/?a=b%20c", "/?a=b+c"),
    "fragment dropped": ("/#a", "/#a", "/"),
    "fragment edited": ("/#a=1&b=2", "/#a=1&b=2", "/#b=2"),
    "escaped fragment": ("/#!a", "/#!a", "/?_escaped_fragment_=a"),
    "stray percent": ("/%", "/%", "/%25"),
    "unreserved escaped": ("/%41", "/A", "/%41"),
    "hex case": ("/%2f", "/%2F", "/%2f"),
    "escapes more": ("/!", "/!", "/%21"),
    "escapes less": ('/"', "/%22", '/"'),
    "decodes more": ("/?a=%26", "/?a=%26", "/?a=&"),
    "non-ASCII shown": ("/é", "/%C3%A9", "/é"),
    "page's encoding": ("/é", "/%C3%A9", "/%E9"),
    "Unicode composed": ("/e\u0301", "/e%CC%81", "/%C3%A9"),
    "white space": ("/a b", "/ab", "/a%20b"),
    "default port kept": (":80/", "/", ":80/"),
    "port dropped": (":8080/", ":8080/", "/"),
}
WHOLE = {
    "scheme": ("HTTP://a.example/", "http://a.example/", "https://a.example/"),
    "userinfo dropped": ("http://u:p@a.example/", "http://u:p@a.example/", "http://a.example/"),
    "userinfo spelling": ("http://u:@a.example/", "http://u@a.example/", "http://u:@a.example/"),
    "host dropped": ("http:///a.example", "http://a.example", "http:///a.example"),
    "host case": ("http://A.example/", "http://a.example/", "http://A.example/"),
    "host in Unicode": ("http://ü.example/", "http://xn--tda.example/", "http://ü.example/"),
    "host by older IDNA": ("http://ß.example/", "http://xn--zca.example/", "http://ss.example/"),
    "host escaped": ("http://%61.example/", "http://a.example/", "http://%61.example/"),
    "address spelling": ("http://127.1/", "http://127.0.0.1/", "http://127.1/"),
    "trailing dot": ("http://a.example./", "http://a.example./", "http://a.example/"),
    "www": ("http://www.a.example/", "http://www.a.example/", "http://a.example/"),
    "another host": ("http://a.example/", "http://a.example/", "http://b.example/"),
    "result is no URL": ("http://a.example/", "http://a.example/", "a.example"),
}


@pytest.mark.parametrize(
    ("why", "texts"),
    [*WHOLE.items(), *((why, tuple(A + tail for tail in tails)) for why, tails in TAILS.items())],
    ids=[*WHOLE, *TAILS],
)
def test_a_reason_is_found(why: str, texts: tuple[str, str, str]) -> None:
    assert reasons(*texts) == {why}


def test_every_reason_has_a_text() -> None:
    found = {why for _, _, whole in VERDICTS.values() for why in whole} | TAILS.keys() | WHOLE.keys()
    assert found <= REASONS.keys()
    assert REASONS.keys() - found <= {"told otherwise", "names read otherwise"}


def test_tables() -> None:
    report = judged([record(f"{A}/", A), record(f"{A}/b", f"{A}/b"), record(f"{A}/b", f"{A}/z"), record("b", None)])
    assert "| peer | `f` | 4 | 1 | 1 | 1 | 1 |" in table(report)
    assert table_of_reasons(report).splitlines()[2:] == [f"| 1 | 0 | peer | {REASONS['empty path kept']} |"]
    assert report.unexplained == [record(f"{A}/b", f"{A}/z")]


def test_no_law_is_broken() -> None:
    texts = [f"{A}/%41?b=2&a=1", f"{A}/A?a=1&b=2#c", "b", f"{A}:99999/", "http://", "http://#c", f"{A}/\ud800"]
    assert broken_laws([record(text, None) for text in texts]) == []


class Peer:
    """A package to record: one of its functions calls the other."""

    @staticmethod
    def inner(url: str) -> str:
        return url.lower()

    def outer(self, url: str, *, strict: bool = False) -> str:
        if strict:
            raise ValueError(url)
        return self.inner(url)


def test_the_plugin_records_the_outermost_call_once_and_changes_nothing() -> None:
    wrapped = {
        name: peers_plugin.recorded(peers_plugin.Operation(name, "", read), getattr(Peer, name))
        for name, read in (("inner", peers_plugin.first), ("outer", lambda _, url, **options: (url, options)))
    }

    class Recorded(Peer):
        inner = staticmethod(wrapped["inner"])
        outer = wrapped["outer"]

    peers_plugin.records.clear()
    assert [Recorded().outer("A"), Recorded().outer("A"), Recorded.inner("A")] == ["a", "a", "a"]
    with pytest.raises(ValueError, match="A"):
        Recorded().outer("A", strict=True)
    assert list(peers_plugin.records) == [
        '{"error": null, "input": "A", "operation": "outer", "options": {}, "output": "a"}',
        '{"error": null, "input": "A", "operation": "inner", "options": {}, "output": "a"}',
        '{"error": "ValueError", "input": "A", "operation": "outer", "options": {"strict": true}, "output": null}',
    ]
