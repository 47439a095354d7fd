"""What a job keeps of failed and waiting variants: never erased by a start that failed, whole, private, no pickle."""

from __future__ import annotations

import base64
import json
import logging
import pickle
import stat
import sys
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, Spider

from scrapy_urinorm.crawl.filtering import pending
from scrapy_urinorm.crawl.filtering.lasting_claims import LastingClaims
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.seen import SeenStoreError
from tests.crawl.components import ADDON, crawler_with, dupefilter_of
from tests.crawl.crawling import Job, crawl
from tests.crawl.site import SiteServer, page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SID = {"URINORM_RULES": {"rules": {"remove_params": ["sid"]}}}
ORG = "http://a.example"


class Pages(Spider):
    name = "pages"

    def parse_page(self, response: Any) -> None: ...


def kept(directory: Path, *held: Request, limit: int = 100) -> Path:
    """The file that a run leaves which stopped with these variants in hand, and one claim more."""
    made = LastingClaims(limit, str)
    made.claim(b"p" * 20, f"{ORG}/p?sid=1")
    made.claim(b"q" * 20, f"{ORG}/q")
    for request in held:
        made.repeated(b"p" * 20, request)
    pending.save(directory, made, Pages())
    return directory / pending.FILE_NAME


def taken_up(directory: Path, limit: int = 100) -> LastingClaims:
    made = LastingClaims(limit, str)
    pending.restore(directory, made, Pages())
    return made


class Opaque:
    """An object of the project's own, as spiders put into `meta`."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and other.n == self.n

    def __hash__(self) -> int:
        return self.n


PLAIN = {"depth": 1, "price": 1.5, "ok": None, "ids": [1, (2, b"\xff")], "names": {"a", "b"}, "by": {1: "x", "y": {}}}


def variant(**meta: Any) -> Request:
    return Request(
        f"{ORG}/p?sid=2",
        Pages().parse_page,
        headers={"X-Token": "s\xe9cret"},
        body=b"\x00\xff",
        cookies={"a": "b"},
        cb_kwargs={"items": {("a", 1): b"x"}},
        priority=-3,
        flags=["late"],
        meta=meta,
    )


@pytest.mark.parametrize("meta", [{}, PLAIN, {"own": Opaque(3)}], ids=["nothing", "plain values", "an object"])
def test_a_variant_in_hand_comes_back_as_it_was(meta: dict[str, Any], tmp_path: Path) -> None:
    kept(tmp_path, variant(**meta))
    spider = Pages()
    made = LastingClaims(100, str)
    pending.restore(tmp_path, made, spider)
    ((_, found, _),) = made.failed(b"p" * 20, f"{ORG}/p?sid=1")
    assert found.to_dict(spider=spider) == variant(**meta).to_dict(spider=Pages())


def test_what_json_can_say_is_not_pickled(tmp_path: Path) -> None:
    assert b"pickle" not in kept(tmp_path, variant(**PLAIN)).read_bytes()
    assert b"pickle" in kept(tmp_path, variant(own=Opaque(1))).read_bytes()


def test_a_file_of_the_first_version(tmp_path: Path) -> None:
    held = base64.b64encode(pickle.dumps(variant().to_dict(spider=Pages()))).decode()
    row = {"fp": "70" * 20, "last": f"{ORG}/p?sid=1", "tried": [f"{ORG}/p?sid=1"], "chances": 0, "failed": False}
    text = json.dumps({**row, "followers": [], "held": [held]})
    (tmp_path / pending.FILE_NAME).write_text(text + "\n")
    assert len(taken_up(tmp_path).failed(b"p" * 20, f"{ORG}/p?sid=1")) == 1


def test_claims_kept_in_short_come_back(tmp_path: Path) -> None:
    kept(tmp_path, limit=1)
    again = taken_up(tmp_path, limit=1)
    assert len(again) == 2
    assert again.speaks(b"q" * 20, f"{ORG}/q")
    again.failed(b"q" * 20, f"{ORG}/q")
    assert again.repeated(b"q" * 20, Request(f"{ORG}/q?other")) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / pending.FILE_NAME
    path.write_text("")
    path.chmod(0o644)
    assert stat.S_IMODE(kept(tmp_path, variant()).stat().st_mode) == 0o600


def test_it_is_never_half_written(tmp_path: Path) -> None:
    """A save that fails in the middle leaves the file of the run before, and says so."""
    before = kept(tmp_path, variant()).read_bytes()
    broken = LastingClaims(100, str)
    broken.claim(b"x" * 20, f"{ORG}/x")

    def rows() -> Any:
        yield from LastingClaims.rows(broken)
        raise OSError(28, "No space left on device")

    broken.rows = rows  # type: ignore[method-assign]  # one that fails
    pending.save(tmp_path, broken, Pages())
    assert (tmp_path / pending.FILE_NAME).read_bytes() == before


def test_a_callback_that_is_no_method_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def elsewhere(response: Any) -> None: ...

    kept(tmp_path, Request(f"{ORG}/p?sid=2", elsewhere))
    assert "cannot be kept" in caplog.text
    assert len(taken_up(tmp_path)) == 2


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: b"\xff\xfe\x00" + data, id="another encoding"),
        pytest.param(lambda data: data[:-9], id="torn"),
        pytest.param(lambda data: data + b"[1]\n{}\n\x80\n", id="lines of something else"),
        pytest.param(lambda data: data.replace(b"parse_page", b"parse_gone"), id="a callback that is gone"),
        pytest.param(lambda data: b"\x00" * 5000, id="zeros"),
    ],
)
def test_damage_is_said_with_the_name_of_the_file(
    damage: Callable[[bytes], bytes], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = kept(tmp_path, variant())
    path.write_bytes(damage(path.read_bytes()))
    with caplog.at_level(logging.WARNING):
        taken_up(tmp_path)
    assert str(path) in caplog.text


def test_a_file_that_cannot_be_read_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / pending.FILE_NAME).mkdir()
    with pytest.raises(UrinormError, match=pending.FILE_NAME):
        taken_up(tmp_path)


class TestAStartThatIsRefused:
    """Scrapy closes also what it could not open."""

    def check(self, directory: Path, **settings: Any) -> None:
        before = kept(directory, variant()).read_bytes()
        crawler = crawler_with({**ADDON, **SID, "JOBDIR": str(directory), **settings})
        crawler.spider = crawler._create_spider("pages")
        dupefilter = dupefilter_of(crawler)
        with pytest.raises(SeenStoreError):
            dupefilter.open()
        dupefilter.close("shutdown")
        assert (directory / pending.FILE_NAME).read_bytes() == before

    def test_the_folder_is_in_use(self, tmp_path: Path) -> None:
        other = dupefilter_of(crawler_with({**ADDON, **SID, "JOBDIR": str(tmp_path)}))
        other.open()
        self.check(tmp_path)
        other.close("finished")

    def test_redis_is_down(self, tmp_path: Path) -> None:
        pytest.importorskip("redis")
        self.check(tmp_path, URINORM_SEEN="redis://127.0.0.1:1/0")

    def test_the_journal_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "urinorm.seen").write_bytes(b"something else, and long enough to have a header" * 9)
        self.check(tmp_path)

    def test_in_a_crawl(self, server: SiteServer, tmp_path: Path) -> None:
        site = server.site({"/": page("home")})
        job = tmp_path / "job"
        job.mkdir()
        before = kept(job, variant()).read_bytes()
        (job / "urinorm.seen").write_bytes(b"something else, and long enough to have a header" * 9)
        outcome = crawl(Job("job", [site.url()], {**ADDON, **SID, "JOBDIR": str(job)}), tmp_path)
        assert site.fetched() == []
        assert outcome.error or outcome.lines("ERROR:") or outcome.lines("CRITICAL:")
        assert (job / pending.FILE_NAME).read_bytes() == before


def test_a_killed_run_leaves_what_the_one_before_kept(tmp_path: Path) -> None:
    """Taking it up does not unlink it: only the next save replaces it."""
    path = kept(tmp_path, variant())
    before = path.read_bytes()
    taken_up(tmp_path)
    assert path.read_bytes() == before
