"""URLs as the learner sees them: parts, and a hash from which one part can be taken in constant time.

The hash of a URL is the XOR of the hashes of its parts: XOR is the same in every
engine, and the number of an item among its likes keeps repeated items from cancelling.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_urinorm.url import decoded
from scrapy_urinorm.visits.texts import Hashes

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.page import Page

Item = tuple[str, str]
_SLASH = "%2F"
"""In the key spelling."""
_WILD = frozenset("*<>")
"""What is special in a glob."""


hash_of = Hashes(1 << 19, signed=True)


class _Once(dict[str, str]):
    """The copy of a text that all keep, of the latest texts: `sys.intern` never lets go of one in Python 3.12."""

    _LIMIT = 1 << 16

    def __missing__(self, text: str) -> str:
        if len(self) >= self._LIMIT:
            self.clear()
        self[text] = text
        return text


_once = _Once()


@dataclass(slots=True, eq=False)
class View:
    """A key of the current rules, its parts in the key spelling, and the pages that have it."""

    key: str
    scheme: str
    host: str
    port: str
    path: str
    items: tuple[Item, ...]
    hash: int
    item_hashes: tuple[int, ...]
    page: Page
    pages: list[Page]

    @property
    def only_leads_on(self) -> bool:
        """Whether all of its addresses were only seen to redirect elsewhere: what that shows is not to be had here."""
        return all(page.final is not None for page in self.pages)

    @property
    def segments(self) -> list[str]:
        """The segments of its path."""
        return self.path[1:].split("/")

    @property
    def query_path(self) -> str:
        """The path that a program has in its query (`index.php?/shop/7`), decoded; empty where there is none, or
        several, or one that no rule can name.
        """
        found = [text for name, value in self.items if not value and _SLASH in name and (text := decoded(name))]
        return found[0] if len(found) == 1 and not _WILD.intersection(found[0]) else ""

    @property
    def parameters(self) -> Sequence[Item]:
        """The items of its query, without such a path."""
        path = self.query_path
        return [item for item in self.items if item[1] or decoded(item[0]) != path] if path else self.items

    def values_of(self, name: str) -> list[str]:
        """Return the values of a parameter (key spelling), none where it has it not."""
        return [value for one, value in self.items if one == name]

    def with_path(self, path: str) -> int:
        """Return the hash of the URL with another path."""
        return self.hash ^ hash_of["p" + self.path] ^ hash_of["p" + path]

    def with_items(self, items: Iterable[Item]) -> int:
        """Return the hash of the URL with another query."""
        total = self.hash
        for value in self.item_hashes:
            total ^= value
        for value in item_hashes(items):
            total ^= value
        return total

    def without(self, names: Container[str]) -> str:
        """Return the address without some parameters."""
        query = "&".join(f"{name}={value}" for name, value in self.items if name not in names)
        return self.key.partition("?")[0] + (f"?{query}" if query else "")

    def with_origin(self, scheme: str, host: str, port: str) -> int:
        """Return the hash of the URL at another origin."""
        return self.hash ^ hash_of[f"o{self.scheme}://{self.host}:{self.port}"] ^ hash_of[f"o{scheme}://{host}:{port}"]


def says_one(one: View, two: View, *, lasting: bool) -> bool:
    """Whether a redirect or a canonical link says that two views are one page, `lasting` for good.

    What is not translated yet redirects to another language for the time being (302), and so does the newest version;
    and where other versions name it as canonical, too, this is no word on the one that is equal today.
    """
    keys = ({one.key, one.page.key}, {two.key, two.page.key})
    return any(
        said in keys[1 - n]
        for n, view in enumerate((one, two))
        for said in (
            None if lasting and view.page.passing else view.page.final,
            None if lasting and view.page.contested else view.page.canonical,
        )
        if said is not None and said not in keys[n]
    )


def item_hashes(items: Iterable[Item]) -> list[int]:
    """Return the hash of each item, with its number where the item is repeated."""
    hashes = []
    seen: dict[Item, int] = {}
    for item in items:
        n = seen[item] = seen.get(item, 0) + 1
        hashes.append(hash_of[f"q{item[0]}={item[1]}" if n == 1 else f"q{item[0]}={item[1]}#{n}"])
    return hashes


def view_of(key: str, pages: list[Page]) -> View | None:
    """Return the view of a key, or None where it is no http(s) URL.

    The parts of the views of a site are mostly the same few texts: each is kept once.
    """
    scheme, separator, rest = key.partition("://")
    if not separator or scheme not in ("http", "https"):
        return None
    head, question, query = rest.partition("?")
    authority, slash, path = head.partition("/")
    host, port = authority.rpartition("@")[2], ""
    if ":" in host and not host.endswith("]"):
        host, _, port = host.rpartition(":")
    path = slash + path
    scheme, host, path = _once[scheme], _once[host], _once[path]
    fields = (field.partition("=") for field in query.split("&")) if question else ()
    items = tuple((_once[name], _once[value]) for name, _, value in fields)
    hashes = tuple(item_hashes(items))
    total = hash_of[f"o{scheme}://{host}:{port}"] ^ hash_of["p" + path]
    for hashed in hashes:
        total ^= hashed
    return View(key, scheme, host, port, path, items, total, hashes, _representative(pages), pages)


def _representative(pages: Sequence[Page]) -> Page:
    """The page that stands for its likes: of the commonest known content, its own key first."""
    if len(pages) == 1:
        return pages[0]
    counts: dict[int, int] = {}
    for page in pages:
        if page.label >= 0:
            counts[page.label] = counts.get(page.label, 0) + 1
    if not counts:
        return min(pages, key=lambda page: (len(page.key), page.key))
    best = max(counts, key=lambda label: (counts[label], -label))
    return min((p for p in pages if p.label == best), key=lambda page: (len(page.key), page.key))


class Views:
    """The views of a site as its rules grow: what a rule did not change is not read again."""

    def __init__(self) -> None:
        self._known: dict[str, View] = {}
        self._latest: list[View] = []
        self._moves = -1

    def of(self, moves: int, keys: Iterable[str], pages: Iterable[Page]) -> list[View]:
        """Return one view per key of the pages, in the order of first appearance; the same list while nothing has
        changed. `moves` counts how often keys have.
        """
        if self._moves == moves:
            return self._latest
        self._moves = moves
        groups: dict[str, list[Page]] = {}
        for key, page in zip(keys, pages, strict=True):
            groups.setdefault(key, []).append(page)
        views = []
        changed = len(groups) != len(self._known)
        for key, members in groups.items():
            known = self._known.get(key)
            if known is None or known.pages != members:
                known = view_of(key, members)
                if known is None:
                    continue
                self._known[key] = known
                changed = True
            views.append(known)
        if changed:
            self._known = {key: known for key, known in self._known.items() if key in groups}
            self._latest = views
        return self._latest
