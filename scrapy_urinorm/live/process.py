"""The students' process: `python -m scrapy_urinorm.live.process`, a child of the page reader, one for all its crawls.

Messages as those of `scrapy_urinorm.visits.messages`. To it: `open` (`crawl`, `preset`, `rules`, `folder`, and
`learned`, rows of evidence),
`visit` (`crawl`, `pattern`; the body is the line of JSON), `met` (`crawl`, `urls`), `judge` (`crawl`, `sites`,
`asked`) and `close` (`crawl`). In a fleet also `forget` (`crawl`, `site`), then `visit` with `old` for what others have
learned from, and `learn` (`crawl`, `site`, `struck`, and `had`: whether rules of the site are in force).
From it what `scrapy_urinorm.live.student` says, with `crawl`, `verdict` (`asked`) after a judgement, and `struck` after
a doubt, what a later student of the site must know; `failed` after what has gone wrong, and `live_died` where a crawl
gets no student at all.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import threading
import traceback
from collections.abc import Iterable
from typing import Any, BinaryIO

from scrapy_urinorm.learn.earlier import candidates_of
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live.folder import FolderStore
from scrapy_urinorm.live.student import Message, Student
from scrapy_urinorm.live.watched import FIRST_STUDY, octets_of
from scrapy_urinorm.live.work import Work, no_rules
from scrapy_urinorm.suffixes import site_at
from scrapy_urinorm.visits import messages
from scrapy_urinorm.visits.courtesy import Courtesy, output_of_server
from scrapy_urinorm.visits.links import url_hash
from scrapy_urinorm.visits.record import Visit, visit_from_row


class FleetStudent(Student):
    """A `Student` whose sites come and go."""

    def forget(self, name: str) -> None:
        """Another worker learns a site, or will tell what is known of it."""
        site = self._sites.pop(name, None)
        if site is not None:
            self._waiting -= sum(map(octets_of, site.waiting.values()))

    def recall(self, visit: Visit) -> list[Message]:
        """Take a visit that another worker has learned from: what it says of rules is known, or will be asked."""
        site = self._site(site_at(visit.url))
        if site is None:
            return []
        self._came(site, visit)
        self.store.add(site.name, visit)
        self.restore({}, [(site.name, visit)])
        # `again` is told whether there are rules
        site.unsaid = False
        return list(self._recognized(site, visit))

    def again(self, name: str, *, had: bool) -> list[Message]:
        """Study a site that was taken over; where it `had` rules, say what holds instead, whatever that is."""
        site = self._sites.setdefault(name, self._watched(name))
        if not had:
            return self.study(name) if site.pages >= FIRST_STUDY else []
        if not site.pages:
            return [no_rules(name, site.pages)]
        site.doubted = True
        said = self.study(name)
        return said if any(one["do"] == "rules" for one in said) else [*said, no_rules(name, site.pages)]


SWITCH = 0.001
"""Seconds after which a study lets the thread go on that takes pages: a page is heard of before the next is sent."""


class Students:
    """One student a crawl. What is due while pages come is studied in a thread: news of pages wait for no study."""

    def __init__(self, output: BinaryIO) -> None:
        self._output = output
        self._of: dict[int, tuple[FleetStudent, FolderStore]] = {}
        self._studies: dict[int, threading.Thread] = {}
        self._turn = threading.Lock()

    def take(self, header: dict[str, Any], body: bytes) -> None:
        """Do what a message says; what goes wrong is told, and ends nothing."""
        crawl = header["crawl"]
        if header["do"] == "close":
            # a study that still runs is for nobody
            self._studies.pop(crawl, None)
        elif crawl in self._studies and (header["do"] not in ("visit", "met") or header.get("old")):
            # what asks for a site as it is now
            self._studies.pop(crawl).join()
        with self._turn:
            try:
                if header["do"] == "open":
                    self._open(crawl, header)
                elif header["do"] == "close":
                    self._of.pop(crawl, None)
                elif crawl in self._of:
                    self._say(crawl, self._taken(header, body, *self._of[crawl]))
            except OSError as error:
                self._ended(crawl, error)
            except Exception:  # noqa: BLE001  told, see above
                self._failed(crawl)
                if header["do"] == "open":
                    self._say(crawl, [{"do": "live_died", "why": "the process that learns cannot start"}])

    def _failed(self, crawl: int) -> None:
        self._say(crawl, [{"do": "failed", "site": "", "text": traceback.format_exc(limit=-4)}])

    def _ended(self, crawl: int, error: OSError) -> None:
        """What a student knows cannot be kept, on a full disk nor later: it ends, and is not told a page at a time."""
        self._of.pop(crawl, None)
        where = f" ({error.filename})" if error.filename else ""
        why = f"the process that learns cannot keep what it reads: {error.strerror or error}{where}"
        self._say(crawl, [{"do": "live_died", "why": why}])

    def _starts(self, crawl: int, work: Work) -> None:
        thread = threading.Thread(target=self._study, args=(crawl, work), name="urinorm-study", daemon=True)
        thread.start()
        self._studies[crawl] = thread

    def _study(self, crawl: int, work: Work) -> None:
        try:
            work.run()
        except MemoryError:
            # nor was any left to say where
            work.failure = "no memory is left"
        with self._turn:
            if crawl not in self._of:
                return
            student, store = self._of[crawl]
            student.busy = False
            try:
                self._say(crawl, self._kept(student.ended(work), student, store))
            except BrokenPipeError:
                # nobody wants to know any more: the other thread finds the end of its input
                pass
            except OSError as error:
                self._ended(crawl, error)
            except Exception:  # noqa: BLE001  told, as above
                self._failed(crawl)

    def _open(self, crawl: int, header: dict[str, Any]) -> None:
        store = FolderStore(header["folder"])
        # what a study finds is only parked: it may be bolder than a rule file, and skips nothing
        learned = candidates_of(header.get("learned", ()))
        student = FleetStudent(Options(preset=header["preset"], skip=False), header["rules"], store, learned=learned)
        fetched = student.restore(store.kept(), store.all())
        student.met(url for url in store.noted() if url_hash(url) not in fetched)
        student.starts = functools.partial(self._starts, crawl)
        self._of[crawl] = student, store

    @staticmethod
    def _taken(header: dict[str, Any], body: bytes, student: FleetStudent, store: FolderStore) -> list[dict[str, Any]]:
        what = header["do"]
        if what == "visit" and header.get("old"):
            said = student.recall(visit_from_row(json.loads(body)))
        elif what == "visit":
            said = student.take(visit_from_row(json.loads(body)), header.get("pattern"))
            for one in said:
                if one["do"] == "news":
                    one["by"] = header.get("by")
        elif what == "forget":
            student.forget(header["site"])
            store.forget(header["site"])
            return []
        elif what == "learn":
            student.restore(header["struck"], ())
            said = student.again(header["site"], had=header["had"])
        elif what == "met":
            for site, urls in student.met(header["urls"]).items():
                store.note(site, urls)
            return []
        else:
            said = [one for site in header["sites"] for one in student.judge(site)]
            said.append({"do": "verdict", "asked": header["asked"]})
        return Students._kept(said, student, store)

    @staticmethod
    def _kept(said: list[dict[str, Any]], student: FleetStudent, store: FolderStore) -> list[dict[str, Any]]:
        """What is said, and where a rule is doubted what a later student must know: that is kept."""
        if any(one["do"] == "doubt" for one in said):
            store.keep(student.state())
            said.append({"do": "struck", "struck": student.state()})
        return said

    def _say(self, crawl: int, said: Iterable[dict[str, Any]]) -> None:
        for one in said:
            for piece in messages.packed({**one, "crawl": crawl}):
                self._output.write(piece)
            self._output.flush()


def main() -> None:
    """Serve until the page reader ends."""
    sys.setswitchinterval(SWITCH)
    students, courtesy = Students(output_of_server()), Courtesy()
    try:
        while (message := messages.received(sys.stdin.buffer.read)) is not None:
            students.take(*message)
            if message[0].get("do") == "visit":
                courtesy.page()
    except BrokenPipeError:
        # the reader is gone, and nobody wants to know any more
        pass


if __name__ == "__main__":
    main()
    # a study that still runs is for nobody, and its thread must not meet an interpreter that is being taken down
    os._exit(0)
