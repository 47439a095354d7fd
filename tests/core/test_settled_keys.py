"""Keys and canonical URLs of real lists are, byte for byte, those of the version before the engine was made one."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from scrapy_urinorm import Normalizer

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "urls"
#: Rule sets, and what that version (0.1.0, commit 987ed40) made of each file: of every line under the first rule set,
#: of every ninth under the others, which are for rules that no preset has.
SETTLED: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "settled_keys.json").read_text("utf-8")
)


#: What has been given another text since, on purpose: a session after an escaped semicolon, a `?` without a query.
is_settled = re.compile(r"(?!.*%3bjsessionid=).*(?<!\?)", re.IGNORECASE | re.DOTALL).fullmatch


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the lists of URLs are not at hand")
@pytest.mark.parametrize("rules", SETTLED["rules"])
def test_texts_stay(rules: str) -> None:
    normalizer = Normalizer(SETTLED["rules"][rules])
    for file, settled in SETTLED["digests"][rules].items():
        text = (FOLDER / file).read_text("utf-8", "surrogateescape")
        lines = [line for line in text.split("\n") if is_settled(line)][:: 1 if rules == "recommended" else 9]
        for form, one in (("keys", normalizer.key), ("canonical", normalizer.normalize)):
            digest = hashlib.sha256()
            for line in lines:
                digest.update(one(line).encode("utf-8", "surrogatepass") + b"\n")
            assert (file, form, digest.hexdigest()[:32]) == (file, form, settled[form])
