"""A line to a server that breaks at the worst moment: what was asked has arrived, and the answer has not."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

_PIECE = 1 << 20


class CutLine:
    """A port that passes all on to a server; after `cut` the next answer is kept, and its connection ends."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._cut = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}/0"
        self.cuts = 0

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._listener.close()

    def cut(self) -> None:
        """Lose the next answer."""
        self._cut.set()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near = self._listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", self._to))
                threading.Thread(target=self._pass, args=(near, far, False), daemon=True).start()
                threading.Thread(target=self._pass, args=(far, near, True), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, answers: bool) -> None:
        with source, target, contextlib.suppress(OSError):
            while piece := source.recv(_PIECE):
                if answers and self._cut.is_set():
                    self._cut.clear()
                    self.cuts += 1
                    break
                target.sendall(piece)
            for one in (source, target):
                one.shutdown(socket.SHUT_RDWR)
