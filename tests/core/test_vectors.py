"""Vectors of others: w3lib's own cases, the peers' outputs on tricky inputs, and the suites of `../shared/vectors`."""
# ruff: noqa: E501  a row of a table is a line

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from scrapy_urinorm import Normalizer, parser
from scrapy_urinorm.url import split
from tests.conformance import vectors
from tests.core.test_laws import scrapy_key

SAFE = Normalizer(preset="safe")
DATA = Path(__file__).parent / "data"
SHARED = Path(__file__).parents[3] / "shared"
MATRIX = SHARED / "reference" / "crosspeer_matrix.jsonl"

# --- w3lib ------------------------------------------------------------------------------------------------------------

#: URL -> what `w3lib.url.canonicalize_url` gives: recorded from a run of the tests of w3lib 2.5.0 (BSD-3-Clause).
W3LIB: dict[str, str] = json.loads((DATA / "w3lib_canonicalize.json").read_text("ascii"))
#: Where the key is another text, and why.
W3LIB_EXCEPTIONS = {
    "?b=1": "not absolute: a request has no such URL",
    "http://.éxamplé.com/résumé?q=résumé": "a host that w3lib cannot encode; the URL Standard can",
    f"http://www.{'éxamplé' * 11}.com/résumé?q=résumé": "a label that w3lib finds too long; the URL Standard lets DNS judge",
}  # fmt: skip


@pytest.mark.parametrize("url", [url for url in W3LIB if url not in W3LIB_EXCEPTIONS])
def test_w3libs_own_cases(url: str) -> None:
    assert SAFE.key(url) == W3LIB[url]


@pytest.mark.parametrize("url", W3LIB_EXCEPTIONS, ids=W3LIB_EXCEPTIONS.values())
def test_exceptions_among_w3libs_cases(url: str) -> None:
    assert SAFE.key(url) != W3LIB[url]


# --- tricky inputs, and what the peers make of them --------------------------------------------------------------------


def matrix() -> list[Any]:
    if not MATRIX.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"needs {MATRIX}"))]
    rows = [json.loads(line) for line in MATRIX.read_text("utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows]


def output_of(row: dict[str, Any], peer: str) -> str | None:
    found: list[str | None] = [one["output"] for one in row["outputs"] if peer in one["peers"]]
    return found[0] if found else None


#: Inputs that the URL Standard refuses: the canonical URL is the input.
REFUSED = {"port-65536", "ipv4-overflow", "ipv6-zone", "nbsp-trim", "no-scheme", "scheme-relative"}
#: The recorded parser is older than the URL Standard of today.
STANDARD_MOVED = {"illegal-chars": "^ in a path is escaped"}


@pytest.mark.parametrize("row", matrix())
def test_the_canonical_url_is_the_url_standards_with_unreserved_octets_decoded(row: dict[str, Any]) -> None:
    whatwg = output_of(row, "WHATWG (ada)")
    if row["id"] in REFUSED:
        assert whatwg is None
        assert SAFE.normalize(row["input"]) == row["input"]
        return
    assert whatwg is not None
    if row["id"] in STANDARD_MOVED:
        whatwg = whatwg.replace("^", "%5E")
    # the text of `split` differs from the parser's in escapes alone, so parsing it again must change nothing else
    assert SAFE.normalize(row["input"]) == SAFE.normalize(whatwg)
    assert rough(SAFE.normalize(row["input"])) == rough(whatwg)


def rough(url: str) -> str:
    """A URL with what no standard calls a difference taken away: escapes of unreserved octets, case of hex digits."""
    head, *tail = url.split("%")
    out = head
    for part in tail:
        digits, rest = part[:2], part[2:]
        try:
            character = chr(int(digits, 16)) if len(digits) == 2 else ""
        except ValueError:
            character = ""
        plain = character.isascii() and (character.isalnum() or character in "-._~")
        out += (character if plain and character else "%" + digits.upper()) + rest
    return out


#: Inputs whose key is another text than w3lib 2.5 gives for the raw input; each merges more (DESIGN section 2).
KEY_EXCEPTIONS = {
    **dict.fromkeys(("default-port", "https-443", "port-leading-zero", "ipv6-compress", "ftp"), "default port"),
    **dict.fromkeys(("empty-userinfo", "user-only-empty-pass"), "userinfo without password"),
    **dict.fromkeys(("ipv4-short", "ipv4-dword", "ipv4-hex", "ipv4-octal", "ipv4-trailing-dot"), "an address that Request.url leaves raw"),
    "pct-host": "an escaped host that Request.url leaves raw",
    "idn-sharp-s": "UTS 46 nontransitional; Request.url has made fass.de of it before",
    "idn-zwj": "UTS 46 nontransitional; Request.url has dropped the joiner before",
    "one-slash": "slashes that the URL Standard repairs",
    "three-slashes": "slashes that the URL Standard repairs",
    "file": "a drive letter in the URL Standard's spelling",
    "port-65536": "w3lib raises",
}  # fmt: skip


@pytest.mark.parametrize("row", matrix())
def test_the_key_is_w3libs_text(row: dict[str, Any]) -> None:
    w3lib = output_of(row, "w3lib-2.5.0 canonicalize_url")
    assert (SAFE.key(row["input"]) == w3lib) is (row["id"] not in KEY_EXCEPTIONS)


@pytest.mark.parametrize("row", matrix())
def test_tricky_inputs_are_idempotent(row: dict[str, Any]) -> None:
    for n in (SAFE, Normalizer(preset="loose")):
        canonical = n.normalize(row["input"])
        assert n.normalize(canonical) == canonical
        assert n.key(canonical) == n.key(row["input"])


# --- the shared suites ---------------------------------------------------------------------------------------------------

SUITES = vectors.suites()
needs_suites = pytest.mark.skipif(not SUITES, reason=f"needs {vectors.VECTORS}: the suites of standards and peers")
each_suite = pytest.mark.parametrize("suite", SUITES or [pytest.param("none", marks=needs_suites)])

#: What the canonical URL is not as a standard's own tests have it: suite -> reason -> how many records, and why.
EXCEPTIONS: dict[str, dict[str, int]] = {
    "rfc": {
        "merged by Scrapy's own fingerprint": 4,  # `/?` and `/`: a fingerprint that told them apart would cost requests
        "empty path kept": 2,  # the URL Standard writes the root's slash where RFC 3986 5.4 leaves it out
        "another scheme": 1,  # escapes under a scheme of no known semantics stay; the key has them decoded
        "non-ASCII shown": 1,  # the display form of an IRI, ours is for the wire
    },
    "wpt-percent-encoding": {"page's encoding": 8},  # `Request` has encoded the query before: a URL is text without one
    "wpt-urltestdata": {
        "unreserved escaped": 5,  # RFC 3986 6.2.2.2 decodes what the URL Standard leaves as it came
        "hex case": 3,  # RFC 3986 6.2.2.1
        "lone surrogate": 1,  # no request can hold one; written as U+FFFD, two pages would be one
    },
}


@needs_suites
@pytest.mark.parametrize("suite", vectors.STANDARDS)
def test_a_standards_own_tests(suite: str) -> None:
    found: Counter[str] = Counter()
    for one in vectors.judged(suite):
        if one.verdict != "equal":
            assert one.why, one
            found.update(one.why)
    assert found == EXCEPTIONS.get(suite, {})


@each_suite
def test_no_difference_without_a_reason(suite: str) -> None:
    for one in vectors.judged(suite):
        assert one.verdict == "equal" or (one.why and all(map(vectors.explained, one.why))), one


@each_suite
def test_suites_are_total_and_idempotent(suite: str) -> None:
    for record in vectors.records(suite):
        for name in ("input", "base", "expected", "other"):
            text = record.get(name)
            if isinstance(text, str):
                canonical = SAFE.normalize(text)
                assert SAFE.normalize(canonical) == canonical
                assert SAFE.key(canonical) == SAFE.key(text)


@needs_suites
def test_no_pair_that_must_stay_distinct_is_merged() -> None:
    merged, judged = [], 0
    for record in vectors.records("equivalence"):
        if record["expected"] or not {split(record["input"]), split(record["other"])} - {None}:
            continue
        judged += 1
        one, other = record["input"], record["other"]
        if SAFE.key(one) == SAFE.key(other) and scrapy_key(one) != scrapy_key(other):
            merged.append((one, other))
    assert judged > 20, "the records are not as expected"
    assert not [pair for pair in merged if SAFE.normalize(pair[0]) != SAFE.normalize(pair[1])]


@needs_suites
def test_the_documentation_has_the_tables_of_today() -> None:
    assert vectors.tables() in vectors.PAGE.read_text("utf-8")


# --- international hosts -------------------------------------------------------------------------------------------------

#: The newer rules of UTS 46 and of the URL Standard's host parser. (spelling, canonical URL, reason)
HOSTS = {
    "capital sharp s is another name than ss": ("http://STRA\u1e9eE.example/", "http://xn--strae-oqa.example/"),
    "the same, escaped": ("http://stra%E1%BA%9Ee.example/", "http://xn--strae-oqa.example/"),
    "the same, behind a tab and a path that has the other": ("ht\ttp://stra\u1e9ee.example/strasse.example", "http://xn--strae-oqa.example/strasse.example"),
    "an ASCII label with broken Punycode": ("http://a.b.c.XN--pokxncvks/x", "http://a.b.c.xn--pokxncvks/x"),
    "the parts beside an international host": ("http://U:p%40@B\u00fccher.example:81/\u00e9^?q=\u00fc#\u00e4", "http://U:p%40@xn--bcher-kva.example:81/%C3%A9%5E?q=%C3%BC#%C3%A4"),
    "a default port and an empty query": ("https://b\u00fccher.example:443?", "https://xn--bcher-kva.example/?"),
    "non-ASCII after a plain host": ("http://a.example/\u1e9e?\u1e9e", "http://a.example/%E1%BA%9E?%E1%BA%9E"),
}  # fmt: skip


@pytest.mark.parametrize(("spelling", "canonical"), HOSTS.values(), ids=HOSTS)
def test_international_hosts(spelling: str, canonical: str) -> None:
    assert SAFE.normalize(spelling) == canonical
    assert SAFE.normalize(canonical) == canonical
    assert SAFE.key(spelling) == SAFE.key(canonical)


#: (reference, base, target)
REFERENCES = [
    ("//stra\u1e9ee.example/x", "http://a.example/", "http://xn--strae-oqa.example/x"),
    ("/\\stra\u1e9ee.example/x", "http://a.example/", "http://xn--strae-oqa.example/x"),
    ("/\t/stra%E1%BA%9Ee.example/x", "http://a.example/", "http://xn--strae-oqa.example/x"),
    ("http:stra\u1e9ee.example", "https://a.example/", "http://xn--strae-oqa.example/"),
    ("x\u1e9e?y", "http://stra\u1e9ee.example/b", "http://xn--strae-oqa.example/x%E1%BA%9E?y"),
    ("/x", "http://xn--pokxncvks/b", "http://xn--pokxncvks/x"),
    ("x\u1e9e", "http://a.example/b", "http://a.example/x%E1%BA%9E"),
]


@pytest.mark.parametrize(("reference", "base", "target"), REFERENCES)
def test_references_to_international_hosts(reference: str, base: str, target: str) -> None:
    assert SAFE.normalize(reference, base) == target


def test_a_plain_host_needs_no_second_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("can_ada", reason="needs can_ada, which has no wheels for this Python")

    def refuse(*_: object) -> None:
        raise AssertionError("asked")

    monkeypatch.setattr(parser, "href", refuse)
    for url in (
        "http://a.example/x?y=1",
        "http://A.example:81/%7Eb%2F?c=%20",
        "https://a.example/\u00e9",
        "http://[::1]/%41",
    ):
        assert split(url) is not None
