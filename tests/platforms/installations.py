"""Programs from Debian, started on loopback with a little content of their own: each in a folder, on a free port.

Nothing is installed here (`make test-platforms` does, as root); what is not there is left out.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

WORDS = """
ada babbage compiler daemon emacs foo grep hacker inode jargon kernel lisp modem newline octal parser quine recursion
shell tape unix vector wizard xor yacc zork
""".split()  # noqa: SIM905
#: Seconds that a program is given to answer: a Rails application takes 20 on a busy machine.
PATIENCE = 120
#: The author and the dates of all content: the same pages, with the same hashes, at each start.
WHO = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@a.example", "TZ": "UTC", "LC_ALL": "C.UTF-8"}


@dataclass
class Installation:
    """A program: the Debian `packages` it is from, which `pack` is meant for it in which `path`, and how it starts.

    `start(folder, port)` fills the folder and gives the command to run. `most` is how many requests a crawl under the
    pack may take, `first` where it begins.
    """

    packages: tuple[str, ...]
    pack: str | None
    path: str
    start: Callable[[Path, int], Sequence[str]]
    most: int
    first: str = "/"
    environment: dict[str, str] = field(default_factory=dict)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(one: Installation, folder: Path) -> Iterator[str]:
    """Start a program; gives the URL at which a crawl of it begins."""
    lacking = [name for name in one.packages if not Path("/var/lib/dpkg/info", f"{name}.list").exists()]
    if lacking:
        pytest.skip(f"not installed: {', '.join(lacking)} (make test-platforms, as root)")
    port = free_port()
    command = one.start(folder, port)
    environment = {**os.environ, "HOME": str(folder), **WHO, **one.environment}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    url = f"http://127.0.0.1:{port}{one.first}"
    try:
        wait_for(url, process, folder)
        yield url
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, 15)
        process.wait(30)


def wait_for(url: str, process: subprocess.Popen[bytes], folder: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=60) as answer:
            if answer.status == 200:
                return
        time.sleep(0.2)
    raise AssertionError(f"{url} did not answer: {(folder / 'log').read_text('utf-8', 'replace')[-2000:]}")


def done(*command: str | Path, cwd: Path, **environment: str) -> None:
    subprocess.run(
        list(map(str, command)), cwd=cwd, env={**os.environ, **WHO, **environment}, check=True, capture_output=True
    )


def text(n: int, length: int = 60) -> str:
    """Words that differ from one number to the next."""
    return " ".join(f"{WORDS[(n * 7 + k * (n % 5 + 1)) % len(WORDS)]}{n * k % 11}" for k in range(length))


# --- listings -------------------------------------------------------------------------------------------------------


def tree(folder: Path) -> Path:
    """Twelve directories with six files each."""
    root = folder / "root"
    for n in range(12):
        below = root / ("pub" if n % 2 else "src") / WORDS[n]
        below.mkdir(parents=True)
        for k in range(6):
            (below / f"{WORDS[n + k]}.txt").write_text(text(n * 6 + k, 20 + k * 9))
    return root


def caddy(folder: Path, port: int) -> Sequence[str]:
    return ["caddy", "file-server", "--browse", "--listen", f"127.0.0.1:{port}", "--root", str(tree(folder))]


def nginx(folder: Path, port: int, head: str = "", listing: str = "autoindex on") -> Sequence[str]:
    (folder / "conf").write_text(
        f"{head} daemon off; user root; pid {folder}/pid; error_log {folder}/error; events {{}}\n"
        f"http {{ access_log off; default_type text/plain;"
        f" client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2;"
        f" fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;\n"
        f"server {{ listen 127.0.0.1:{port}; root {tree(folder)}; {listing}; }} }}\n"
    )
    return ["nginx", "-c", str(folder / "conf"), "-e", str(folder / "error")]


def fancyindex(folder: Path, port: int) -> Sequence[str]:
    module = "load_module /usr/lib/nginx/modules/ngx_http_fancyindex_module.so;"
    return nginx(folder, port, module, "fancyindex on")


def lighttpd(folder: Path, port: int) -> Sequence[str]:
    return lighttpd_with(folder, port, tree(folder), ["mod_dirlisting"], 'dir-listing.activate = "enable"')


def lighttpd_with(folder: Path, port: int, root: Path, modules: Sequence[str], *lines: str) -> Sequence[str]:
    named = ", ".join(f'"{name}"' for name in modules)
    head = [f"server.modules = ({named})", f'server.document-root = "{root}"', f"server.port = {port}"]
    more = ['server.bind = "127.0.0.1"', 'mimetype.assign = (".txt" => "text/plain", ".css" => "text/css")']
    (folder / "lighttpd.conf").write_text("\n".join([*head, *more, *lines]) + "\n")
    return ["lighttpd", "-D", "-f", str(folder / "lighttpd.conf")]


# --- repositories ---------------------------------------------------------------------------------------------------


def repository(folder: Path) -> Path:
    """Two branches, two tags, eight commits of eight files."""
    work = folder / "work"
    work.mkdir()
    done("git", "init", "-q", "-b", "master", cwd=work)
    for n in range(8):
        for k in range(3):
            file = work / ("lib" if k else ".") / f"{WORDS[(n + k * 4) % 8]}.c"
            file.parent.mkdir(exist_ok=True)
            file.write_text("\n".join(text(n + line, 6) for line in range(12)))
        done("git", "add", "-A", cwd=work)
        date = f"2024-01-{n + 1:02}T12:00:00Z"
        names = {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@a.example", "GIT_COMMITTER_DATE": date}
        done("git", "commit", "-qm", f"Change {WORDS[n]}", cwd=work, GIT_AUTHOR_DATE=date, **names)
        if n % 4 == 3:
            done("git", "tag", f"v{n // 4}", cwd=work)
    done("git", "branch", "stable", "v0", cwd=work)
    done("git", "clone", "-q", "--bare", "work", "demo.git", cwd=folder)
    (folder / "demo.git" / "description").write_text("A demonstration")
    return folder / "demo.git"


def cgit(folder: Path, port: int) -> Sequence[str]:
    # its own footer has the second in which a page was made
    (folder / "footer").write_text("<p>A footer</p>")
    (folder / "cgitrc").write_text(
        f"footer={folder}/footer\n"
        "virtual-root=/code/\ncss=/static/cgit.css\nenable-blame=1\nenable-commit-graph=1\nenable-log-filecount=1\n"
        f"snapshots=tar.gz\nenable-http-clone=0\nrepo.url=demo\nrepo.path={repository(folder)}\n"
        "repo.desc=A demonstration\n"
    )
    git = '"GIT_CONFIG_COUNT" => "1", "GIT_CONFIG_KEY_0" => "safe.directory", "GIT_CONFIG_VALUE_0" => "*"'
    return lighttpd_with(
        folder,
        port,
        folder,
        ["mod_rewrite", "mod_alias", "mod_setenv", "mod_cgi"],
        'url.rewrite-once = ("^/code/(.*)$" => "/cgi/cgit.cgi/$1")',
        'alias.url = ("/cgi/" => "/usr/lib/cgit/", "/static/" => "/usr/share/cgit/")',
        'cgi.assign = ("cgit.cgi" => "")',
        f'setenv.add-environment = ("CGIT_CONFIG" => "{folder}/cgitrc", {git})',
    )


# --- a wiki ---------------------------------------------------------------------------------------------------------


ARTICLES = WORDS[:8]


def mediawiki(folder: Path, port: int) -> Sequence[str]:
    (folder / "root").mkdir()
    (folder / "root" / "w").symlink_to("/var/lib/mediawiki")
    maintenance = Path("/var/lib/mediawiki/maintenance")
    said = [
        "--dbtype=sqlite",
        f"--dbpath={folder}",
        f"--confpath={folder}",
        "--scriptpath=/w",
        "--pass=correct-horse-1",
    ]
    php = shutil.which("php") or "php"
    config = {"MW_CONFIG_FILE": str(folder / "LocalSettings.php")}
    # the installer refuses where a configuration is named that is there already
    install: list[str | Path] = [
        php,
        maintenance / "install.php",
        *said,
        f"--server=http://127.0.0.1:{port}",
        "Demo",
        "Ada",
    ]
    done(*install, cwd=folder, MW_CONFIG_FILE=str(folder / "absent.php"))
    with (folder / "LocalSettings.php").open("a") as settings:
        settings.write("\n$wgJobRunRate = 0;\n$wgEnableUploads = false;\n$wgCacheDirectory = false;\n")
    for version in range(2):
        pages = folder / f"pages{version}"
        pages.mkdir()
        for n, word in enumerate(ARTICLES[: 8 >> version]):
            links = " ".join(f"[[{ARTICLES[(n * k + 1) % 8].title()}]]" for k in range(1, 4))
            (pages / f"{word.title()}.txt").write_text(
                f"== {word} ==\n{text(n + version)} {links}\n[[Category:Words {n % 2}]]"
            )
        if not version:
            (pages / "Main Page.txt").write_text(" ".join(f"[[{word.title()}]]" for word in ARTICLES))
        files = sorted(pages.iterdir())
        done(php, maintenance / "importTextFiles.php", "--overwrite", "-u", "Ada", *files, cwd=folder, **config)
    return ["env", f"MW_CONFIG_FILE={folder}/LocalSettings.php", "PHP_CLI_SERVER_WORKERS=2", php,
            "-S", f"127.0.0.1:{port}", "-t", str(folder / "root")]  # fmt: skip


INSTALLATIONS = {
    "nginx": Installation(("nginx",), None, "/", nginx, 90),
    "fancyindex": Installation(("nginx", "libnginx-mod-http-fancyindex"), "listings", "/", fancyindex, 90),
    "lighttpd": Installation(("lighttpd",), "listings", "/", lighttpd, 90),
    "caddy": Installation(("caddy",), "listings", "/", caddy, 90),
    "cgit": Installation(("cgit", "lighttpd"), "cgit", "/code/", cgit, 1200, "/code/"),
    "mediawiki": Installation(("mediawiki", "php-sqlite3"), "mediawiki", "/w/", mediawiki, 1400, "/w/index.php"),
}
