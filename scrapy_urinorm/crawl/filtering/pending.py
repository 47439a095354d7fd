"""Claims without a good outcome, kept in a job's folder from one run to the next."""

from __future__ import annotations

import base64
import json
import os
import pickle
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scrapy.utils.request import request_from_dict

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.filtering.claims import Claim
from scrapy_urinorm.crawl.filtering.crowd import Entry
from scrapy_urinorm.crawl.requests.as_json import from_json, to_json
from scrapy_urinorm.crawl.shown import shown
from scrapy_urinorm.errors import UrinormError

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy import Request, Spider

    from scrapy_urinorm.crawl.filtering.lasting_claims import LastingClaims

FILE_NAME = "urinorm.pending"


def save(directory: Path, claims: LastingClaims, spider: Spider) -> None:
    """Write the claims, a JSON object a line, in place of what is there; what cannot be written is logged.

    The file is whole at any time, and nobody else may read it: it holds requests, with their headers.
    """
    path = directory / FILE_NAME
    fresh = path.with_name(f"{FILE_NAME}.new")
    try:
        fresh.unlink(missing_ok=True)
        fresh.touch(0o600, exist_ok=False)
        with fresh.open("w", encoding="utf-8") as file:
            for row in _rows(claims, spider):
                file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        own.logger.warning(
            "%s not written (%s): what was kept there before stays, spellings dropped in this run are forgotten",
            path,
            error.strerror or error,
        )


def restore(directory: Path, claims: LastingClaims, spider: Spider | None) -> None:
    """Take up the claims that the run before has left; the file stays until it is written anew.

    Raises UrinormError where the file is there and cannot be read. Lines that make no sense are logged and left out.
    """
    path = directory / FILE_NAME
    if spider is None:
        return
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise UrinormError(f"cannot read {path}: {error.strerror or error}") from error
    _take_up(path, data.splitlines(), claims, spider)


def noted(claims: LastingClaims, spider: Spider) -> Iterator[tuple[bytes, str | None]]:
    """What has changed since the last time and a kill must not lose: notes by key, None for one that is to go."""
    for fp, found in claims.changes():
        if found is None:
            yield fp, None
        elif isinstance(found, Claim):
            yield fp, json.dumps(_row(fp, found, spider))
        else:
            crowd, (digest, chances, tried) = found
            row = {"crowd": crowd, "fp": fp.hex(), "digest": digest.hex(), "chances": chances}
            yield fp, json.dumps({**row, "tried": [one.hex() for one in tried]} if tried else row)
    if (failed := claims.mixed()) is not None:
        for number, block in failed.blocks():
            yield f"failed {number}".encode(), json.dumps(_block("failed", number, block))


def restore_noted(where: str, notes: Iterable[tuple[bytes, str]], claims: LastingClaims, spider: Spider) -> None:
    """Take up what a killed run has noted, blocks of keys first: a note on one key knows better."""
    lines = [text for _, text in sorted(notes, key=lambda note: not note[0].startswith(b"failed "))]
    _take_up(where, lines, claims, spider)


def _take_up(where: object, lines: Iterable[str | bytes], claims: LastingClaims, spider: Spider) -> None:
    bad = lost = 0
    for line in lines:
        try:
            row = json.loads(line)
            if "block" in row:
                claims.crowds()[row["crowd"]].load([(row["block"], base64.b64decode(row["keys"]))])
                continue
            if "crowd" in row:
                tried = tuple(map(bytes.fromhex, row.get("tried", ())))
                entry = Entry(bytes.fromhex(row["digest"]), row["chances"], tried)
                claims.put(bytes.fromhex(row["fp"]), row["crowd"], entry)
                continue
            fp, claim = _claim(row)
        except Exception:  # noqa: BLE001  a torn line of a killed run, another encoding
            bad += 1
            continue
        for held in row["held"]:
            try:
                claim.held.append(_loaded(held, spider))
            except Exception:  # noqa: BLE001  a spider whose methods have other names now
                lost += 1
        claims.restore(fp, claim)
    if bad or lost:
        own.logger.warning("%s: %d lines and %d requests cannot be read and are left out", where, bad, lost)


def _rows(claims: LastingClaims, spider: Spider) -> Iterator[dict[str, Any]]:
    for fp, claim in claims.rows():
        yield _row(fp, claim, spider)
    for name, crowd in claims.crowds().items():
        for number, block in crowd.blocks():
            yield _block(name, number, block)


def _block(crowd: str, number: int, block: bytes) -> dict[str, Any]:
    return {"crowd": crowd, "block": number, "keys": base64.b64encode(block).decode()}


def _row(fp: bytes, claim: Claim, spider: Spider) -> dict[str, Any]:
    held = []
    for request in claim.held:
        try:
            held.append(_dumped(request, spider))
        except Exception:  # noqa: BLE001  a callback that is no method of the spider cannot be written down
            own.logger.warning("A variant in hand cannot be kept for the next run: %s", shown(request))
    return {
        "fp": fp.hex(),
        "last": _text(claim.last),
        "tried": [_text(one) for one in claim.tried],
        "chances": claim.chances,
        "failed": claim.failed,
        "followers": [[follower.hex(), url] for follower, url in claim.followers],
        "held": held,
    }


def _claim(row: dict[str, Any]) -> tuple[bytes, Claim]:
    claim = Claim(_last(row["last"]))
    claim.tried, claim.chances, claim.failed = [*map(_last, row["tried"])], row["chances"], row["failed"]
    claim.followers = [(bytes.fromhex(follower), url) for follower, url in row["followers"]]
    return bytes.fromhex(row["fp"]), claim


def _last(text: str | dict[str, str]) -> str | bytes:
    return text if isinstance(text, str) else bytes.fromhex(text["digest"])


def _text(last: str | bytes) -> str | dict[str, str]:
    return last if isinstance(last, str) else {"digest": last.hex()}


# What JSON cannot say, objects of a project's own in `meta` or `cb_kwargs`, is pickled, as Scrapy does in its queue in
# the same folder.


def _dumped(request: Request, spider: Spider) -> dict[str, Any]:
    try:
        return to_json(request, spider)
    except (TypeError, RecursionError):
        row = request.to_dict(spider=spider)
        return {"pickle": base64.b64encode(pickle.dumps(row, protocol=4)).decode()}


def _loaded(row: Any, spider: Spider) -> Request:
    if isinstance(row, str):  # files from before the first release
        row = {"pickle": row}
    if row.keys() == {"pickle"}:
        return request_from_dict(pickle.loads(base64.b64decode(row["pickle"])), spider=spider)
    return from_json(row, spider)
