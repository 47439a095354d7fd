"""Servers that list directories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.platforms.starting import WORDS, text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


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
