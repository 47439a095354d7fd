"""What a site is asked and what it answers; the mark-up all its pages share."""

from __future__ import annotations

import hashlib
import re
from html import escape
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DEFAULT_PORTS = {"http": 80, "https": 443}


class Address(NamedTuple):
    """The parts of a requested URL that a site looks at; `path` is decoded and without its `;` parameters."""

    url: str
    scheme: str
    host: str
    port: int
    path: str
    path_param: str
    query: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, url: str) -> Address:
        """Read an absolute URL; raises ValueError when it has no valid port or host."""
        parts = urlsplit(url)
        path, _, path_param = parts.path.partition(";")
        return cls(
            url=url,
            scheme=parts.scheme,
            host=parts.hostname or "",
            port=parts.port or DEFAULT_PORTS[parts.scheme],
            path=re.sub("//+", "/", unquote(path)) or "/",
            path_param=path_param,
            query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
        )

    @property
    def target(self) -> str:
        """Path and query as sent, for a link back to this very URL."""
        parts = urlsplit(self.url)
        return parts._replace(scheme="", netloc="", fragment="").geturl() or "/"

    def get(self, name: str, default: str = "") -> str:
        """The first value of a query parameter."""
        return next((value for key, value in self.query if key == name), default)

    def token(self) -> str:
        """32 hex digits that differ from URL to URL: the session a visitor without one is given."""
        return hashlib.md5(self.url.encode(), usedforsecurity=False).hexdigest()


def advertisements(address: Address, products: Sequence[str]) -> list[str]:
    """Links to three of the products' pages, with a click id that no two pages share."""
    token = address.token()
    start = int(token[:4], 16)
    chosen = [products[(start + place * 29) % len(products)] for place in range(3)]
    return [
        link(f"{target}?utm_source=ad&gclid={token}{place}", "Advertisement") for place, target in enumerate(chosen)
    ]


class Answer(NamedTuple):
    """A response. `page` is the identity of what it shows: two answers of one page are duplicates."""

    status: int
    page: str | None = None
    body: str = ""
    location: str | None = None
    content_type: str = "text/html; charset=utf-8"


NOT_FOUND = Answer(404, body="<!doctype html><title>Not found</title><h1>404: there is no such page</h1>")


def redirect(location: str, status: int = 301) -> Answer:
    return Answer(status, location=location)


def href(path: str, *pairs: tuple[str, str | int], fragment: str = "") -> str:
    """A link as the sites write it: path escaped, parameters in the order given."""
    query = urlencode([(name, str(value)) for name, value in pairs])
    return quote(path, safe="/;=%") + (f"?{query}" if query else "") + (f"#{fragment}" if fragment else "")


def link(target: str, text: str) -> str:
    return f'<a href="{escape(target)}">{escape(text)}</a>'


def bullets(items: Iterable[str]) -> str:
    return "<ul>\n" + "\n".join(f"  <li>{item}</li>" for item in items) + "\n</ul>"


def paragraphs(texts: Iterable[str]) -> str:
    return "\n".join(f"<p>{escape(text)}</p>" for text in texts)


def login_form(action: str) -> str:
    """What a visitor fills in who has a name here."""
    return (
        f'<form method="post" action="{escape(action)}"><input name="name">'
        '<input type="password" name="password"><button>Log in</button></form>'
    )


def document(*, title: str, main: str, header: str = "", footer: str = "", canonical: str = "") -> str:
    """A whole page. `main` is what it is about; header and footer are the frame that every page of a site shares."""
    relation = f'\n<link rel="canonical" href="{escape(canonical)}">' if canonical else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{escape(title)}</title>{relation}
</head>
<body>
<header>
{header}
</header>
<main>
<h1>{escape(title)}</h1>
{main}
</main>
<footer>
{footer}
</footer>
</body>
</html>
"""
