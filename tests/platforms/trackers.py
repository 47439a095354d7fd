"""Trackers: Redmine, from Debian, on SQLite."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tests.platforms.dynamic import repository
from tests.platforms.starting import done

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent


def redmine(folder: Path, port: int) -> Sequence[str]:
    """An instance of its own, from the files of the package; what the package's configuration does is not needed."""
    application = folder / "redmine"
    shutil.copytree("/usr/share/redmine", application, symlinks=True)
    (application / "instances").unlink()
    (application / "Gemfile.lock").unlink(missing_ok=True)
    here = application / "instances" / "default"
    for name in ("config", "tmp", "log", "files"):
        (here / name).mkdir(parents=True)
    (application / "tmp").mkdir()
    (here / "config" / "database.yml").write_text(
        f"production:\n  adapter: sqlite3\n  database: {folder}/redmine.sqlite\n"
    )
    (here / "config" / "secret_key.txt").write_text("demo" * 20)
    # it looks where the package keeps its databases for which gems they need
    gems = application / "Gemfile"
    gems.write_text(gems.read_text("utf-8").replace("/usr/share/redmine", str(application)), "utf-8")
    (application / "Gemfile.local").write_text('gem "puma"\n')
    environment = {
        "BUNDLE_GEMFILE": str(application / "Gemfile"),
        "BUNDLE_WITHOUT": "test",
        "RUBYOPT": f"-r{HERE / 'redmine_gems.rb'}",
        "RAILS_ENV": "production",
        "REDMINE_LANG": "en",
        "DEMO_REPOSITORY": str(repository(folder)),
        "HOME": str(folder),
    }
    done("bundle", "install", "--local", cwd=application, **environment)
    # one after the other: the second does nothing in the process of the first
    for task in ("db:migrate", "redmine:load_default_data"):
        done("bundle", "exec", "rake", task, cwd=application, **environment)
    done("bundle", "exec", "rails", "runner", HERE / "redmine_seed.rb", cwd=application, **environment)
    serve = ["bundle", "exec", "puma", "-C", "-", "-b", f"tcp://127.0.0.1:{port}", "-t", "4:4", "config.ru"]
    return ["env", "-C", str(application), *(f"{name}={value}" for name, value in environment.items()), *serve]
