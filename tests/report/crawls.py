"""Crawls whose every response is known: addresses, the lines of their pages, and what a report has to say of them."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.report.findings import findings
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.visits import Visit, page_features
from scrapy_urinorm.visits.links import link_hashes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from scrapy_urinorm.visits import PageFeatures

ORIGIN = "http://shop.test"
_MENU = "".join(f"<li>{word}</li>" for word in "Home Catalogue Offers Contact Imprint Basket".split())


def html(lines: Iterable[str], title: str = "Shop") -> str:
    """A page of the site: a frame that is the same everywhere, around these lines."""
    body = "".join(f"<p>{line}</p>" for line in lines)
    return f"<title>{title}</title><ul id=menu>{_MENU}</ul><main>{body}</main><footer>All rights reserved</footer>"


def prose(name: str, count: int = 12) -> list[str]:
    """Lines that no page of another name has."""
    return [f"{name} line {n} tells of {name}{n} and of nothing that {n + len(name)} others tell" for n in range(count)]


@functools.cache
def _features(text: str) -> PageFeatures:
    return page_features(text.encode(), "text/html; charset=utf-8")


_FEATURES = ("text_digest", "words", "lines", "line_words", "minhash")


@dataclass
class Crawl:
    """Responses in the order of the crawl."""

    rows: list[Visit] = field(default_factory=list)

    def page(self, path: str, lines: Iterable[str], title: str = "Shop", **more: Any) -> Crawl:
        """Add a page."""
        features = _features(html(lines, title))
        url = path if "://" in path else ORIGIN + path
        links, count = link_hashes(features.links or [])
        known = {name: getattr(features, name) for name in ("body_digest", *_FEATURES)}
        known |= {"links": links, "links_count": count}
        values = {"status": 200, "size": 1000, "content_type": "text/html", **known, **more}
        self.rows.append(Visit(url=url, **values))
        return self

    def redirect(self, path: str, target: str) -> Crawl:
        """Add a redirect, as the extension for visits records it."""
        self.rows.append(
            Visit(url=ORIGIN + path, final_url=ORIGIN + target, redirects=((301, ORIGIN + path),), status=301)
        )
        return self

    def other_pages(self, count: int = 30) -> Crawl:
        """Add unlike pages, by which the frame of the site is known."""
        for n in range(count):
            self.page(f"/about/page-{n}", prose(f"about{n}"))
        return self

    def write(self, path: Path) -> Path:
        """Write the visits as JSON lines."""
        text = "".join(visit.to_json() + "\n" for visit in self.rows)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return path


def found(crawl: Crawl, folder: Path, rules: Sequence[Any] = (), **options: Any) -> dict[str, Any]:
    """What a report says of a crawl."""
    path = crawl.write(folder / "visits.jsonl")
    return findings([path], RuleSet.load(*rules), **{"learn": False, "jobs": 1, **options})
