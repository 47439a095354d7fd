"""What a person sees when a command cannot go on: one clear message on standard error, and an exit code."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from scrapy_urinorm.errors import ProblemsError, RuleFileError, UrinormError
from scrapy_urinorm.report.inert import visible as inert

FINDINGS = 1
ERROR = 2
# what a shell gives for SIGINT and SIGPIPE: 128 and the number of the signal
INTERRUPTED = 130
CLOSED_PIPE = 141


class Run:
    """The exit code of a run."""

    code = 0


@contextlib.contextmanager
def outputs_open() -> Iterator[None]:
    """Let anything be written to standard output and standard error.

    Where the shell has closed one (`>&-`) it goes nowhere: Python has None in its place, to which nothing can be
    written, and the next file that is opened has its number. Letters that its encoding lacks, which is that of the
    locale in a pipe on Windows, are written as escapes.
    """
    with contextlib.ExitStack() as stack:
        for name, redirected in (("stdout", contextlib.redirect_stdout), ("stderr", contextlib.redirect_stderr)):
            stream = getattr(sys, name)
            if stream is None:
                nowhere = stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))
                stack.enter_context(redirected(nowhere))
            elif isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
                stream.reconfigure(errors="backslashreplace")
                stack.callback(stream.reconfigure, errors="strict")
        yield


@contextlib.contextmanager
def reported() -> Iterator[Run]:
    """Turn what a user can cause into a message and an exit code; other exceptions are defects and pass."""
    outcome = Run()
    try:
        try:
            yield outcome
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # the reader has had enough (`| head`): the interpreter's last flush must not complain either
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        outcome.code = CLOSED_PIPE
    except KeyboardInterrupt:
        complain("interrupted")
        outcome.code = INTERRUPTED
    except RuleFileError as error:
        for problem in error.problems:
            complain(str(problem))
        outcome.code = ERROR
    except ProblemsError as error:
        for line in error.lines:
            complain(line)
        outcome.code = ERROR
    except UrinormError as error:
        complain(str(error))
        outcome.code = ERROR
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        complain(f"{name}{error.strerror or error}")
        outcome.code = ERROR
    except MemoryError:
        complain("out of memory")
        outcome.code = ERROR


class Commands(TyperGroup):
    """The group of commands, in which an error of a command ends it with a message."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that the arguments name."""
        with reported() as outcome:
            return super().invoke(ctx)
        raise typer.Exit(outcome.code)


def complain(message: str) -> None:
    """Write a message to standard error; what a hostile URL or file put into it is made inert."""
    with contextlib.suppress(OSError):
        print(f"urinorm: {inert(message)}", file=sys.stderr, flush=True)
