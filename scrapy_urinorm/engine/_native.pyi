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
def column(
    known: dict[str, Any],
    learn: Callable[[str], object],
    unsubscribes: Callable[[str], bool],
    stems: bytes,
    other: Callable[[str], str],
    octets: Any,
    starts: Any,
    ends: Any,
    keys: bool,
    /,
) -> bytes: ...
def page(
    html: str | bytes, scheme: str, origin: str, folder: str, itself: str, /
) -> tuple[bytes, bytes, int, bytes, bytes, str, str, str, str | None, str | None] | None: ...
def written(markup: bytes, /) -> bytes | None: ...
def names(text: str, longest: int, /) -> tuple[str, ...] | None: ...
def found(octets: bytes, texts: tuple[bytes, ...], /) -> bytes: ...
def values(markup: bytes, most: int, /) -> list[bytes]: ...
def hash_by(most: int, /) -> int: ...
def text(texts: list[str], seen: bytes, /) -> tuple[bytes, bytes, int, bytes, bytes] | None: ...

SEGMENTS: int

class Table:
    def __init__(self, as_record: Callable[[bytes], bytes], /) -> None: ...
    def add(self, fp: bytes, /) -> bool: ...
    def fill(self, block: bytes, /) -> int: ...
    def on_new(self, act: Callable[[bytes], object] | None, /) -> None: ...
    def block(self, n: int, /) -> bytes: ...
    def memory_bytes(self) -> int: ...
    def __contains__(self, fp: bytes, /) -> bool: ...
    def __len__(self) -> int: ...
