from collections.abc import Callable
from typing import Any

LAYOUT: int

def key(
    known: dict[str, Any],
    learn: Callable[[str], object],
    unsubscribes: Callable[[str], bool],
    stems: bytes,
    url: str,
    /,
) -> str | None: ...
def request(
    known: dict[str, Any],
    learn: Callable[[str], object],
    unsubscribes: Callable[[str], bool],
    stems: bytes,
    digest: Callable[[bytes], bytes],
    url: str,
    method: str,
    body: bytes,
    /,
) -> tuple[bytes, int] | None: ...
def canonical(
    known: dict[str, Any],
    learn: Callable[[str], object],
    unsubscribes: Callable[[str], bool],
    stems: bytes,
    url: str,
    /,
) -> str | None: ...
def lines(
    known: dict[str, Any],
    learn: Callable[[str], object],
    unsubscribes: Callable[[str], bool],
    stems: bytes,
    other: Callable[[str], str],
    block: bytes,
    keys: bool,
    /,
) -> bytes: ...
def text(texts: list[str], seen: bytes, /) -> tuple[bytes, bytes, int, bytes, bytes] | None: ...
def place(buckets: list[bytes], mask: int, low: int, record: bytes, /) -> int: ...
def parted(bucket: bytes, bit: int, /) -> tuple[bytes, bytes]: ...
