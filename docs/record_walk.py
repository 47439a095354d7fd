"""Run the commands of docs/cli.md and write their output below them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

WALK = Path(__file__).resolve().parent / "cli.md"
_BLOCK = re.compile(
    r"^```(?:\{code-block\} \w+\n:caption: (?P<file>\S+)|(?P<console>console))\n(?P<text>.*?)^```$", re.M | re.S
)


def recorded(text: str, folder: Path) -> str:
    """The walk with the output that its commands give now, run one after the other in a folder with its files."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # unbuffered, what a command says comes in the order of a terminal
    shown = {"LC_ALL": "C.UTF-8", "COLUMNS": "100", "PYTHONUNBUFFERED": "1"}
    environment = {**os.environ, "PATH": path, **shown}
    for name in ("FORCE_COLOR", "NO_COLOR"):
        environment.pop(name, None)

    def run(block: re.Match[str]) -> str:
        if block["file"]:
            (folder / block["file"]).write_text(block["text"], encoding="utf-8")
            return block.group()
        out = []
        for line in block["text"].splitlines():
            if not line.startswith("$ "):
                continue
            done = subprocess.run(
                ["/bin/bash", "-c", line.removeprefix("$ ")],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                check=False,  # errors are part of the walk
            )
            out.append(f"{line}\n{done.stdout}")
        return "```console\n" + "".join(out) + "```"

    return _BLOCK.sub(run, text)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        WALK.write_text(recorded(WALK.read_text("utf-8"), Path(folder)), encoding="utf-8")
