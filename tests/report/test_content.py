"""What tells the pages of many rows at once is what tells each by itself."""

from __future__ import annotations

from base64 import b64encode
from struct import pack
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm.content import MIN_WORDS
from scrapy_urinorm.content.compare import line_sketch
from scrapy_urinorm.content.frame import DATA_SLOT, UNKNOWN_WORDS
from scrapy_urinorm.report.columns import Columns, JsonLines, gathered
from scrapy_urinorm.report.content import NO_LABEL, labels
from scrapy_urinorm.rulesets.ruleset import RuleSet

if TYPE_CHECKING:
    from pathlib import Path

Line = tuple[int, int, int]
"""A slot, what stands in it, and how many words that is."""
SLOTS = [1, 2, 3, 1 << 63, (1 << 64) - 1]
TEXTS = [5, 1 << 40, (1 << 64) - 2]

pages = st.lists(
    st.tuples(
        st.lists(st.tuples(st.sampled_from(SLOTS), st.sampled_from(TEXTS), st.integers(0, 7)), min_size=1, max_size=5),
        st.booleans(),
        st.sampled_from([None, (), (1,), (2, 1 << 63)]),
    ),
    min_size=1,
    max_size=6,
)


def alone(lines: list[Line], frame: tuple[int, ...] | None) -> tuple[object, object, bytes, int]:
    """What tells a page: the set of its lines outside the frame, if they say enough, and of all that say something.

    What a page hands to its scripts is no line of it; where it says nothing beside that, it is unknown.
    """
    frame = (*(frame or ()), DATA_SLOT)
    outside = [(text, words) for slot, text, words in lines if slot not in frame]
    main = [text for text, _ in outside]
    shown = [text for slot, text, words in lines if words or slot not in frame]
    enough = sum(words for _, words in outside) >= MIN_WORDS
    if DATA_SLOT in {slot for slot, *_ in lines} and not enough:
        shown = []
    unordered = ("main", tuple(sorted(main))) if enough else ("all", tuple(sorted(shown))) if shown else None
    return unordered, ("main", tuple(main)) if enough else unordered, line_sketch(main), len(main)


@given(pages)
def test_pages_are_told_apart_as_each_by_itself(made: list[tuple[list[Line], bool, tuple[int, ...] | None]]) -> None:
    told = [
        [(slot, text, words if counted else UNKNOWN_WORDS) for slot, text, words in lines] for lines, counted, _ in made
    ]
    expected = [alone(lines, frame) for lines, (_, _, frame) in zip(told, made, strict=True)]
    frames = {frame: np.array(frame, "<u8") for _, _, frame in made if frame is not None}
    found = labels(
        pa.array([b"".join(pack("<QQ", slot, text) for slot, text, _ in lines) for lines, _, _ in made], pa.binary()),
        pa.array([bytes(n for _, _, n in lines) if counted else None for lines, counted, _ in made], pa.binary()),
        [None if frame is None else frames[frame] for _, _, frame in made],
    )
    assert [row.tobytes() for row in found.sketch] == [sketch for _, _, sketch, _ in expected]
    assert found.lines.tolist() == [count for *_, count in expected]
    for values, column in ((found.label, 0), (found.order, 1)):
        for value, one in zip(values.tolist(), expected, strict=True):
            assert (value == NO_LABEL) == (one[column] is None)
            for other_value, other in zip(values.tolist(), expected, strict=True):
                assert (value == other_value) == (one[column] == other[column])


LINES = b64encode(pack("<QQQQ", 1, 10, 3, 20)).decode()
WORDS = b64encode(b"\x09\x09").decode()


@pytest.mark.parametrize(
    ("damaged", "lines"),
    [
        pytest.param({"lines": LINES[:-3]}, None, id="cut off"),
        pytest.param({"lines": "?" + LINES[1:]}, None, id="another alphabet"),
        pytest.param({"lines": LINES[:12]}, None, id="half a line"),
        pytest.param({"lines": LINES, "line_words": WORDS[:-1]}, 2, id="words cut off"),
        pytest.param({"lines": LINES, "minhash": "?"}, 2, id="sketch"),
        *[
            pytest.param({"lines": LINES, "status": "x" * start + "é" * 300}, 2, id=f"no number, letters from {start}")
            for start in (0, 1)
        ],
        pytest.param({}, None, id="none"),
    ],
)
def test_what_is_damaged_is_unknown_and_the_rows_beside_it_are_not(
    damaged: dict[str, Any], lines: int | None, tmp_path: Path
) -> None:
    import json

    rows = [{"url": "http://a.test/"} | damaged, {"url": "http://a.test/b", "lines": LINES, "line_words": WORDS}]
    path = tmp_path / "0.json"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    found = JsonLines().table(path)
    made = Columns(RuleSet.load(), {}).table(gathered(rows) if found is None else found)
    assert made.column("lines").to_pylist() == [lines, 2]
    assert made.schema.equals(Columns(RuleSet.load(), {}).table(gathered([])).schema)
