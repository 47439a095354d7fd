"""Where request fingerprints are kept: the record of what a crawl has already asked for.

`make_store` turns the setting `URINORM_SEEN` into one of three stores behind one small protocol, `SeenStore`:

- `memory` (the default): exact, 28 bytes per fingerprint, in a journal as well where there is a folder (JOBDIR);
- `disk`: exact, constant memory, remembers between runs, forgets after a time when asked;
- `redis://...`, `rediss://...`: one store for many processes and machines.

All of them keep the fingerprint's full 20 bytes; a fingerprint of another length is kept as its 20-byte BLAKE2b digest.
The package knows neither URLs nor Scrapy.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from scrapy_urinorm.seen.protocol import SeenStore, SeenStoreError, SeenStoreLostError
from scrapy_urinorm.seen.redis_address import SCHEMES
from scrapy_urinorm.seen.stamp import StampChange

__all__ = ["OnLost", "SeenStore", "SeenStoreError", "SeenStoreLostError", "StampChange", "make_store"]

OnLost = Literal["stop", "wait"]


def make_store(
    spec: str = "memory",
    *,
    directory: Path | None = None,
    stamp: Mapping[str, str] | None = None,
    prefix: str = "urinorm",
    ttl: float | None = None,
    on_lost: OnLost = "stop",
) -> SeenStore:
    """The store that a setting names, not yet opened. Nothing is imported, connected or written before `open`.

    `spec`: `memory`; `disk` (in `directory`, else in a temporary folder that `close` deletes) or
    `disk:FOLDER` (there, whatever the job: this is how runs share a memory); `redis://`, `rediss://` or
    `unix://` with whatever redis-py takes in a URL: user, password, database, TLS options; `redis+sentinel://` and
    `redis+cluster://` as `RedisAddress` says.
    `directory`: the job's folder, which must exist; None keeps nothing. Not used by Redis.
    `stamp`: what the fingerprints depend on, as names and values (the rules digest, the preset, sample keys). It
    is compared with that of the run before; `changes` and a warning in the log say what differs.
    `prefix`: start of every Redis key; name spider and job in it.
    `ttl`: seconds after which a fingerprint is forgotten, from when it was new; None: never. Not for `memory`.
    `on_lost`: when Redis cannot be reached, `stop`: `add` raises SeenStoreLostError after one new attempt, or
    `wait`: it tries again, with a warning, until Redis answers (the crawl stands still meanwhile).

    Raises SeenStoreError when the values make no sense together, all of it in one message.
    """
    kind, _, rest = spec.partition(":")
    problems = _problems(spec, kind, rest, ttl, on_lost)
    if problems:
        raise SeenStoreError("; ".join(problems))
    if kind == "memory":
        from scrapy_urinorm.seen.memory import MemoryStore

        return MemoryStore(directory, stamp=stamp)
    if kind == "disk":
        from scrapy_urinorm.seen.disk import FOLDER_NAME, DiskStore

        job_folder = None if directory is None else directory / FOLDER_NAME
        return DiskStore(Path(rest) if rest else job_folder, stamp=stamp, ttl=ttl)
    from scrapy_urinorm.seen.redis import RedisStore

    return RedisStore(spec, prefix=prefix, stamp=stamp, ttl=ttl, on_lost=on_lost)


def _problems(spec: str, kind: str, rest: str, ttl: float | None, on_lost: str) -> list[str]:
    problems = []
    if kind not in {"memory", "disk", *SCHEMES} or (kind == "memory" and rest):
        shown = spec if "@" not in spec else f"{kind}:..."
        problems.append(f"URINORM_SEEN = {shown!r}: expected 'memory', 'disk', 'disk:FOLDER' or 'redis://HOST:PORT/DB'")
    if ttl is not None and ttl <= 0:
        problems.append(f"URINORM_SEEN_TTL = {ttl}: expected a number of seconds above 0, or None")
    elif ttl is not None and kind == "memory":
        problems.append(
            "URINORM_SEEN_TTL needs a store that remembers times: set URINORM_SEEN to 'disk' or 'redis://...'"
        )
    if on_lost not in {"stop", "wait"}:
        problems.append(f"URINORM_SEEN_ON_LOST = {on_lost!r}: expected 'stop' or 'wait'")
    return problems
