"""What a resumed crawl goes on with: written in pieces, some at a time, rules before all that names them."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.crawl import engine_calls
from scrapy_urinorm.crawl.live_rules import parked as crawl_parked
from scrapy_urinorm.crawl.live_rules import state as live_state
from scrapy_urinorm.crawl.live_rules.parked import Parked
from scrapy_urinorm.crawl.live_rules.state import LiveState
from scrapy_urinorm.crawl.requests.file import RequestsFile
from scrapy_urinorm.live.desk import Desk
from tests.live.resumed import rows, state

if TYPE_CHECKING:
    from pathlib import Path


class _Held:
    """What is kept back, over a real file; how many pieces of the state each step writes."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.desk, self.file = Desk([], "recommended"), RequestsFile(folder)
        self.file.open()
        self.written: list[bytes] = []
        before = RequestsFile.piece

        def counted(one: RequestsFile, key: bytes, text: str | None) -> None:
            self.written.append(key)
            before(one, key, text)

        monkeypatch.setattr(RequestsFile, "piece", counted)
        scheduler: Any = SimpleNamespace(
            journal=SimpleNamespace(file=self.file, engine=None), poke=lambda: None, releases=None, gate=None
        )
        self.parked = Parked(scheduler, self.desk, lambda *_: None)

    def steps(self) -> list[int]:
        """Have all steps done that there are to do."""
        found = []
        while self.parked._state._steps is not None:
            before = len(self.written)
            self.parked.step()
            found.append(len(self.written) - before)
        return found

    def left(self) -> dict[str, Any]:
        """What a later run would take up."""
        return LiveState(self.file, Desk([], "recommended")).read()


@pytest.mark.parametrize(("patterns", "looks"), [(10, 6), (1_500, 2), (4_000, 0)])
def test_what_a_resume_needs_is_looked_for_the_less_often_the_more_it_is(
    patterns: int, looks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = _Held(tmp_path, monkeypatch)
    for n in range(patterns):
        held.desk.yields.learned(f"http://s.example/{n}/*", news=True)
    found = 0
    for _ in range(3_000):
        held.parked.kept()
        found += bool(held.steps())
    assert found == looks
    held.parked.save()
    assert held.left() == json.loads(json.dumps(state(held.desk)))
    held.file.close()


def test_of_what_a_resume_needs_the_changes_are_written_some_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crawl_parked, "_LOOK_SECONDS", 0)
    held = _Held(tmp_path, monkeypatch)
    yields = held.desk.yields
    names = [f"http://s.example/{n}\ud800/*" for n in range(1_000)]
    for name in names:
        yields.learned(name, news=True)
    held.parked._state.begin()
    assert max(held.steps()) <= live_state._PIECES
    assert set(held.left()["yields"]) == set(names)
    held.written.clear()
    yields.learned(names[7], news=False)
    yields.of[names[9]].kept += 1
    yields.doubt("http://s.example/*")
    held.parked._state.begin()
    assert sum(held.steps()) == 3
    assert held.left()["yields"] == json.loads(json.dumps(rows(yields)))
    for _ in range(1_000):
        yields.doubts.page()
    held.parked.save()
    assert held.left()["yields"] == json.loads(json.dumps(rows(yields)))
    held.file.close()


def test_rules_are_written_before_any_row_names_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first step a kill finds them; what patterns have brought may be older."""
    held = _Held(tmp_path, monkeypatch)
    held.desk.yields.learned("http://s.example/*", news=True)
    told = {"host": {"s.example": {"remove_params": ["from"]}}}
    rule = {"id": "r", "said": "x", "source": told}
    held.desk.take({"do": "rules", "site": "s.example", "source": told, "likely": {}, "rules": [rule], "rows": []})
    held.parked.ruled("s.example")
    left = held.left()
    assert (left["generations"], [*left["sites"]], left["yields"]) == (1, ["s.example"], {})
    held.steps()
    assert [*held.left()["yields"]] == ["http://s.example/*"]
    held.file.close()


def test_the_engine_asks_often_in_a_turn_of_the_reactor_and_a_step_is_done_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crawl_parked, "_LOOK_SECONDS", 0)
    turns: list[Any] = []
    monkeypatch.setattr(
        engine_calls, "CallLaterOnce", lambda call: SimpleNamespace(schedule=lambda: turns.append(call))
    )
    held = _Held(tmp_path, monkeypatch)
    monkeypatch.setattr(held.parked._scheduler.journal, "engine", SimpleNamespace(_slot=SimpleNamespace()))
    for n in range(1_000):
        held.desk.yields.learned(f"http://s.example/{n}/*", news=True)
    held.parked._state.begin()
    for turn in (1, 2):
        for _ in range(16):
            held.parked.step()
        assert 0 < len(held.written) <= turn * live_state._PIECES
        turns.pop()()
    assert not turns
    # while the downloader is full the engine asks for nothing, and a turn follows the other
    held.parked._scheduler.gate = SimpleNamespace(tick=held.parked.step)
    held.parked.step()
    while turns:
        turns.pop()()
    assert held.left()["yields"] == json.loads(json.dumps(rows(held.desk.yields)))
    held.file.close()


def ruled(desk: Desk, site: str, length: int = 0) -> None:
    """The student has found a rule on a site."""
    told = {"host": {site: {"remove_params": ["from"]}}}
    rule = {"id": "r", "said": "x" * length, "source": told}
    desk.take({"do": "rules", "site": site, "source": told, "likely": {}, "rules": [rule], "rows": []})


@pytest.mark.parametrize("steps", [0, 1])
def test_rules_that_come_while_changes_are_looked_for_stay(
    steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should their number be written as it was before, rules of two sites would have the same after a kill."""
    monkeypatch.setattr(crawl_parked, "_LOOK_SECONDS", 0)
    held = _Held(tmp_path, monkeypatch)
    ruled(held.desk, "s.example", live_state._LETTERS)
    held.parked._state.begin()
    for _ in range(steps):
        held.parked.step()
    ruled(held.desk, "t.example")
    held.desk.sites["t.example"].canaries.share(["r"], proven=False)
    held.parked.ruled("t.example")
    held.steps()
    left = held.left()
    assert left["generations"] == left["sites"]["t.example"]["generation"] == 2
    assert left["sites"]["t.example"]["counts"] == {"r": [1, 0]}
    held.file.close()


def test_what_the_run_before_has_left_goes_with_what_it_stood_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = _Held(tmp_path, monkeypatch)
    held.desk.yields.doubt("http://s.example/*")
    held.desk.yields.learned("http://s.example/a", news=True)
    held.parked.save()
    again = Desk([], "recommended")
    scheduler: Any = SimpleNamespace(journal=SimpleNamespace(file=held.file, engine=None), releases=None)
    parked = Parked(scheduler, again, lambda *_: None)
    parked.restore(None)
    assert again.yields.doubts.waiting
    again.yields.doubts.waiting.clear()
    parked.save()
    assert held.left()["yields"].keys() == {"http://s.example/a"}
    held.file.close()
