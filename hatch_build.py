"""Build hook: compiles the module in C where a C compiler is at hand; else the package is pure Python.

``URINORM_PURE=1`` in the environment leaves it out. An editable install puts the module into the source tree.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = [
    *(f"scrapy_urinorm/engine/{name}.c" for name in ("native", "digest", "rules", "spelling")),
    *(
        f"scrapy_urinorm/visits/{name}.c"
        for name in ("hashes", "features", "markup", "written", "pairs", "marks", "values", "viewers", "states", "ages")
    ),
    "scrapy_urinorm/seen/table.c",
]
HEADERS = [
    *(f"scrapy_urinorm/engine/{name}.h" for name in ("native", "digest", "rules", "spelling")),
    *(f"scrapy_urinorm/visits/{name}.h" for name in ("hashes", "features", "markup", "viewers", "states", "ages")),
]


class NativeHook(BuildHookInterface[Any]):
    """Adds the compiled module to a wheel; no problem with it ever fails the build."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the module and hand it to the builder."""
        if self.target_name != "wheel":
            return
        lack = _lack()
        if lack is None:
            try:
                self._folder = tempfile.mkdtemp()
                built = _compile(Path(self.root), Path(self._folder))
            except (Exception, SystemExit) as error:  # noqa: BLE001  whatever a compiler may come up with
                lack = f"the C module does not compile: {error}"
        if lack is not None:
            print(f"scrapy-urinorm is built without its C module: {lack}", file=sys.stderr)
            return
        target = Path("scrapy_urinorm", "engine", built.name)
        if version == "editable":
            # moved into its place at once: a running process may have the old one open, another may build it, too
            moved = Path(f"{self.root}/{target}.{os.getpid()}.new")
            shutil.copy2(built, moved)
            moved.replace(f"{self.root}/{target}")
            return
        build_data["pure_python"] = False
        build_data["force_include"][str(built)] = target.as_posix()
        build_data["tag"] = f"cp311-abi3-{_platform()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled: the wheel has it now."""
        folder = getattr(self, "_folder", None)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _lack() -> str | None:
    """What is missing for a build, or None."""
    if os.environ.get("URINORM_PURE", "") not in ("", "0"):
        return "URINORM_PURE is set"
    if sys.implementation.name != "cpython":
        return f"it is for CPython, this is {sys.implementation.name}"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        # the import would switch the lock on again for the whole process, with a warning
        return "it relies on the lock that this Python does without"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "the headers of Python are not installed"
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "")
    if compiler and shutil.which(compiler[0]) is None:
        return f"no C compiler ({compiler[0]})"
    return None


def _compile(root: Path, folder: Path) -> Path:
    """Compile the module; returns its file."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    flags = ["/O2"] if os.name == "nt" else ["-O3", "-g0"]
    extension = Extension(
        "_native",
        SOURCES,
        depends=HEADERS,
        # one build for every version of Python from 3.11 on
        define_macros=[("Py_LIMITED_API", "0x030B0000")],
        py_limited_api=True,
        extra_compile_args=flags,
    )
    command = build_ext(Distribution({"name": "scrapy-urinorm", "ext_modules": [extension]}))
    command.build_lib = command.build_temp = str(folder)
    before = Path.cwd()
    os.chdir(root)
    try:
        command.ensure_finalized()
        command.run()
    finally:
        os.chdir(before)
    (built,) = map(Path, command.get_outputs())
    return built.rename(built.with_name(_for_all_pythons(built.name)))


def _for_all_pythons(name: str) -> str:
    """The name that Python 3.11 looks for, too: what Python 3.15 builds has the platform in its name."""
    return re.sub(r"\.abi3-[^.]+\.so$", ".abi3.so", name)


def _platform() -> str:
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
