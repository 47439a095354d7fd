"""Programs that make their pages: repositories, a wiki, an archive of mail."""

from __future__ import annotations

import mailbox
import shutil
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tests.platforms.listings import lighttpd_with
from tests.platforms.starting import PYTHON, WORDS, done, text

if TYPE_CHECKING:
    from collections.abc import Sequence


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


def hgweb(folder: Path, port: int) -> Sequence[str]:
    """Nine changes of eight files, one of them on a branch of its own."""
    work = folder / "work"
    work.mkdir()
    done("hg", "init", cwd=work)
    for n in range(9):
        below = work / "src" / WORDS[n % 3]
        below.mkdir(parents=True, exist_ok=True)
        (below / f"{WORDS[n % 4]}.txt").write_text(text(n))
        if n == 8:
            done("hg", "branch", "stable", cwd=work)
        date = f"{1_704_067_200 + n * 86_400} 0"
        done("hg", "commit", "-A", "-m", f"Change {WORDS[n]}", "-u", "Ada <ada@a.example>", "-d", date, cwd=work)
    done("hg", "tag", "-r", "3", "v1", "-u", "Ada", "-d", "1705067200 0", cwd=work)
    return ["hg", "-R", str(work), "serve", "-p", str(port), "-a", "127.0.0.1", "--prefix", "/hg", "-n", "demo"]


LIST = "dev@lists.example.com"


def mail(file: Path) -> None:
    """Twenty threads of three messages."""
    box = mailbox.mbox(file)
    for n in range(60):
        thread, message = n % 20, EmailMessage()
        message["From"] = f"{WORDS[n % 7].title()} <{WORDS[n % 7]}@a.example>"
        message["To"] = LIST
        message["Subject"] = f"About {WORDS[thread]} {thread}"
        sent = datetime(2024, 1, 3, 9, tzinfo=UTC) + timedelta(days=2 * thread + n // 20, hours=n)
        message["Date"] = format_datetime(sent)
        message["Message-ID"] = f"<{n}@a.example>"
        if n >= 20:
            message["In-Reply-To"] = message["References"] = f"<{n - 20}@a.example>"
        # so many paragraphs that the line that names the other order makes no other page
        message.set_content("\n\n".join(text(n * 40 + k + 1, 12) for k in range(40)))
        box.add(message)
    box.close()


def hyperkitty(folder: Path, port: int) -> Sequence[str]:
    mail(folder / "dev.mbox")
    own = {
        "DJANGO_SETTINGS_MODULE": "archive_settings",
        "PYTHONPATH": str(Path(__file__).parent),
        "ARCHIVE": str(folder),
    }
    done(PYTHON, "-m", "django", "migrate", cwd=folder, **own)
    done(PYTHON, "-m", "django", "hyperkitty_import", "-l", LIST, "dev.mbox", cwd=folder, **own)
    application = "django.core.wsgi:get_wsgi_application()"
    serve = [str(PYTHON), "-m", "gunicorn", "-b", f"127.0.0.1:{port}", "--threads", "4", application]
    return ["env", *(f"{name}={value}" for name, value in own.items()), *serve]
