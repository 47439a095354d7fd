"""Claims without a good outcome, kept in a job's folder from one run to the next."""

from __future__ import annotations

import base64
import json
import pickle
from typing import TYPE_CHECKING

from scrapy.utils.request import request_from_dict

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.claims import Claim
from scrapy_urinorm.crawl.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from scrapy import Request, Spider

FILE_NAME = "urinorm.pending"


def save(directory: Path, claims: Iterable[tuple[bytes, Claim]], spider: Spider) -> None:
    """Write the claims, a JSON object a line; what cannot be written is logged and left out."""
    rows = []
    for fp, claim in claims:
        held = []
        for request in claim.held:
            try:
                held.append(base64.b64encode(_dumped(request, spider)).decode())
            except Exception:  # noqa: BLE001  a callback that is no method of the spider cannot be written down
                own.logger.warning("A variant in hand cannot be kept for the next run: %s", shown(request))
        rows.append(
            {
                "fp": fp.hex(),
                "last": claim.last,
                "tried": claim.tried,
                "chances": claim.chances,
                "failed": claim.failed,
                "followers": [[follower.hex(), url] for follower, url in claim.followers],
                "held": held,
            }
        )
    try:
        (directory / FILE_NAME).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    except OSError as error:
        own.logger.warning("%s not written: %s", FILE_NAME, error)


def restored(directory: Path, spider: Spider | None) -> list[tuple[bytes, Claim]]:
    """The claims that the run before has left, taken from the folder; empty where there are none."""
    path = directory / FILE_NAME
    if not path.exists():
        return []
    rows = []
    for line in path.read_text("utf-8").splitlines():
        try:
            row = json.loads(line)
            claim = Claim(row["last"])
            claim.tried, claim.chances, claim.failed = row["tried"], row["chances"], row["failed"]
            claim.followers = [(bytes.fromhex(follower), url) for follower, url in row["followers"]]
            if spider is not None:
                claim.held = [_loaded(base64.b64decode(text), spider) for text in row["held"]]
            rows.append((bytes.fromhex(row["fp"]), claim))
        except Exception:  # noqa: BLE001  a torn line of a killed run, a spider that was changed
            own.logger.warning("%s: a line cannot be read and is left out", path)
    path.unlink()
    return rows


def _dumped(request: Request, spider: Spider) -> bytes:
    return pickle.dumps(request.to_dict(spider=spider), protocol=4)


def _loaded(data: bytes, spider: Spider) -> Request:
    return request_from_dict(pickle.loads(data), spider=spider)
