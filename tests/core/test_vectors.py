"""Vectors of others: w3lib's own cases, the peers' outputs on tricky inputs, and the suites of `../shared/vectors`."""
# ruff: noqa: E501  a row of a table is a line

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.url import split
from tests.core.test_laws import scrapy_key

SAFE = Normalizer(preset="safe")
DATA = Path(__file__).parent / "data"
SHARED = Path(__file__).parents[3] / "shared"
VECTORS = SHARED / "vectors"
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


@pytest.mark.skipif(not VECTORS.is_dir(), reason=f"needs {VECTORS}: the suites of standards and peers")
def test_no_pair_that_must_stay_distinct_is_merged() -> None:
    merged, judged = [], 0
    for line in (VECTORS / "equivalence.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        pair = [
            value for value in record.values() if isinstance(value, str) and re.match("[a-z]+://", value, re.IGNORECASE)
        ]
        if record.get("expected") is not False or len(pair) != 2:
            continue
        judged += 1
        if SAFE.key(pair[0]) == SAFE.key(pair[1]) and scrapy_key(pair[0]) != scrapy_key(pair[1]):
            merged.append(pair)
    assert judged > 20, "the records are not as expected"
    assert not merged


@pytest.mark.skipif(not VECTORS.is_dir(), reason=f"needs {VECTORS}: the suites of standards and peers")
@pytest.mark.parametrize("suite", ["rfc", "wikipedia", "whatwg-spec", "wpt-urltestdata", "wpt-toascii"])
def test_suites_of_the_standards_are_total_and_idempotent(suite: str) -> None:
    for line in (VECTORS / f"{suite}.jsonl").read_text("utf-8").splitlines():
        for text in json.loads(line).values():
            if isinstance(text, str) and split(text) is not None:
                canonical = SAFE.normalize(text)
                assert SAFE.normalize(canonical) == canonical
