"""Keys and canonical URLs of real lists are, byte for byte, those of the version before the engine was made one."""

from __future__ import annotations

import hashlib
import json
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


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the lists of URLs are not at hand")
@pytest.mark.parametrize("rules", SETTLED["rules"])
def test_texts_stay(rules: str) -> None:
    normalizer = Normalizer(SETTLED["rules"][rules])
    for file, settled in SETTLED["digests"][rules].items():
        lines = (FOLDER / file).read_text("utf-8", "surrogateescape").split("\n")[:: 1 if rules == "recommended" else 9]
        for form, one in (("keys", normalizer.key), ("canonical", normalizer.normalize)):
            digest = hashlib.sha256()
            for line in lines:
                digest.update(one(line).encode("utf-8", "surrogatepass") + b"\n")
            assert (file, form, digest.hexdigest()[:32]) == (file, form, settled[form])
