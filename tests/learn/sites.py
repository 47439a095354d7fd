"""Invented sites whose every address has a known page, with the habits of real software."""

from __future__ import annotations

import base64
import hashlib
import random
from dataclasses import dataclass, field
from struct import pack, unpack
from typing import Any

from scrapy_urinorm.visits import Visit


def digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def sketch(text: str, changed: int = 0) -> bytes:
    """A minhash that only pages of equal text share; `changed` of its 32 bins are replaced."""
    data = b"".join(hashlib.blake2b(f"{text}{i}".encode(), digest_size=64).digest() for i in range(2))
    bins = list(unpack("<32I", data))
    other = list(unpack("<32I", sketch(text + "!"))) if changed else []
    return pack("<32I", *other[:changed], *bins[changed:])


@dataclass
class Site:
    """Pages by URL: `pages[url]` is (identity, version); versions of one identity differ a little."""

    origin: str
    pages: dict[str, tuple[str, int]] = field(default_factory=dict)
    canonicals: dict[str, str] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)

    def add(self, path: str, identity: str, version: int = 0, canonical: str | None = None, words: int = 120) -> str:
        url = path if "://" in path else self.origin + path
        self.pages.setdefault(url, (identity, version))
        self.words[identity] = words
        if canonical is not None:
            self.canonicals[url] = self.origin + canonical
        return url

    def rows(self) -> list[dict[str, Any]]:
        """The rows of a Parquet file of the evaluator."""
        return [
            {
                "site": self.origin.partition("://")[2],
                "url": url,
                "canonical": self.canonicals.get(url),
                "text_digest": digest(f"text {identity} {version}"),
                "main_digest": digest(f"main {identity} {version}"),
                "main_words": self.words[identity],
                "minhash": sketch(identity, 2 if version else 0),
            }
            for url, (identity, version) in self.pages.items()
        ]

    def visits(self) -> list[Visit]:
        return [
            Visit(
                url=row["url"],
                status=200,
                canonical=row["canonical"],
                text_digest=row["text_digest"],
                main_digest=row["main_digest"],
                words=row["main_words"],
                minhash=row["minhash"],
            )
            for row in self.rows()
        ]


def forum(seed: int = 1, threads: int = 300) -> Site:
    """A PHP forum: `sid` is a search id, sort keys matter on long lists only, much is behind a log-in."""
    rng = random.Random(seed)
    site = Site("http://forum.example.net")
    users = threads // 3
    for t in range(1, threads + 1):
        replies = rng.choice([1, 1, 2, 3, 8, 25])
        pages = (replies + 9) // 10
        base = f"/showthread.php?tid={t}"
        site.add(base, f"thread {t} 1")
        if rng.random() < 0.6:
            site.add(base + "&page=1", f"thread {t} 1")
        for page in range(2, pages + 1):
            site.add(f"{base}&page={page}", f"thread {t} {page}")
        site.add(base + "&action=lastpost", f"thread {t} {pages}")
        site.add(base + "&mode=linear", f"thread {t} 1")
        if rng.random() < 0.5:
            site.add(base + "&mode=threaded", f"thread {t} threaded")
        if rng.random() < 0.7:
            site.add(f"/printthread.php?tid={t}", f"print {t}")
        for r in range(min(replies, 3)):
            pid = t * 100 + r
            site.add(f"{base}&pid={pid}", f"thread {t} {1 + r // 10}")
            site.add(f"/newreply.php?tid={t}&pid={pid}", "no permission", words=40)
            site.add(f"/reputation.php?uid={rng.randrange(users)}&pid={pid}", "no permission", words=40)
        site.add(f"/sendthread.php?tid={t}", "no permission", words=40)
    for u in range(users):
        public = rng.random() < 0.4
        site.add(f"/member.php?action=profile&uid={u}", f"user {u}" if public else "no permission", words=60)
        site.add(f"/search.php?action=finduser&uid={u}", f"posts of {u}" if u % 3 else "nothing found", words=60)
    _forum_lists(site)
    _forum_searches(site, rng, threads // 3)
    return site


def _forum_lists(site: Site) -> None:
    for f in range(1, 13):
        short = f > 8
        for page in range(1, 2 if short else 6):
            for sort in ("subject", "lastpost", "replies"):
                for order in ("asc", "desc"):
                    slice_ = f"forum {f}" if short else f"forum {f} {page} {sort} {order}"
                    tail = "" if page == 1 else f"&page={page}"
                    site.add(f"/forumdisplay.php?fid={f}&sortby={sort}&order={order}{tail}", slice_)
        first = f"forum {f}" if short else f"forum {f} 1 lastpost desc"
        site.add(f"/forumdisplay.php?fid={f}", first)
        site.add(f"/forumdisplay.php?fid={f}&datecut=0", first)
        site.add(f"/forumdisplay.php?fid={f}&datecut=9999", first)


def _forum_searches(site: Site, rng: random.Random, count: int) -> None:
    for s in range(count):
        sid = digest(f"search {s}")
        results = rng.choice([1, 1, 12, 40])
        for sort in ("", "dateline", "subject"):
            for order in ("", "asc", "desc"):
                same = results == 1 or (sort in ("", "dateline") and order in ("", "desc"))
                query = (
                    f"/search.php?action=results&sid={sid}"
                    + (f"&sortby={sort}" if sort else "")
                    + (f"&order={order}" if order else "")
                )
                site.add(query, f"search {s}" if same else f"search {s} {sort or 'dateline'} {order or 'desc'}")


def blog(seed: int = 1, posts: int = 150) -> Site:
    """A WordPress blog: `?p=N` beside the slug, reply links, campaign tags, feeds, archives."""
    rng = random.Random(seed)
    site = Site("http://blog.example.org")
    for n in range(1, posts + 1):
        slug = f"/20{10 + n % 8}/{1 + n % 12:02}/post-{n}-{digest(str(n))[:5]}/"
        canonical = slug
        post = site.add(slug, f"post {n}", canonical=canonical)
        site.add(f"/?p={n}", f"post {n}", canonical=canonical)
        if n % 5 == 0:
            site.add(f"/?page_id={n}", f"post {n}", canonical=canonical)
        for c in range(rng.choice([0, 1, 2, 4])):
            site.add(f"{slug}?replytocom={n * 10 + c}", f"post {n}", version=1 + c, canonical=canonical)
        if n % 3 == 0:
            site.add(f"{slug}?utm_source=feed&utm_medium=rss&utm_campaign=c{n}", f"post {n}", canonical=canonical)
        site.add(f"{slug}?share=twitter", f"post {n}", canonical=canonical)
        site.add(f"{slug}?share=facebook", f"post {n}", canonical=canonical)
        site.add(f"{slug}feed/", f"comments of {n}" if n % 4 == 0 else "no comments", words=30)
        assert post
    for year in range(2010, 2018):
        for month in range(1, 13):
            for page in (1, 2):
                path = f"/{year}/{month:02}/" + ("" if page == 1 else "page/2/")
                site.add(path, f"archive {year} {month} {page}")
    for tag in range(40):
        site.add(f"/tag/t{tag}/", f"tag {tag}")
        site.add(f"/tag/t{tag}/page/1/", f"tag {tag}")
        site.add(f"/?tag=t{tag}", f"tag {tag}")
    return site


def wiki(seed: int = 1, pages: int = 250) -> Site:
    """A MediaWiki: path and query addresses of one page, default values, printable versions, old revisions."""
    rng = random.Random(seed)
    site = Site("http://wiki.example.com")
    for n in range(pages):
        title = f"{rng.choice(['Talk:', '', '', 'User:'])}Page_{digest(str(n))[:6]}"
        site.add(f"/wiki/{title}", f"page {n}")
        index = f"/w/index.php?title={title}"
        if rng.random() < 0.5:
            site.add(index, f"page {n}")
        site.add(f"{index}&redirect=no", f"page {n}")
        if rng.random() < 0.5:
            site.add(f"{index}&printable=yes", f"page {n}", version=1)
        site.add(f"{index}&action=edit", f"source {n}")
        site.add(f"{index}&action=edit&section=1", f"source {n} 1")
        site.add(f"{index}&action=history", f"history {n}")
        for limit in (20, 50, 100):
            same = limit == 50 or n % 2
            site.add(f"{index}&action=history&limit={limit}", f"history {n}" if same else f"history {n} {limit}")
        for old in range(rng.choice([0, 1, 3])):
            site.add(f"{index}&oldid={n * 10 + old}", f"page {n} old {old}")
        site.add(f"/w/index.php?title=Special:UserLogin&returnto={title}", "log in", words=50)
        site.add(f"/wiki/Special:WhatLinksHere/{title}", f"links {n}")
        site.add(f"/wiki/Special:WhatLinksHere/{title}?limit=50", f"links {n}")
        site.add(f"/wiki/Special:WhatLinksHere/{title}?limit=20", f"links {n}" if n % 3 else f"links {n} 20")
    return site


def docs(versions: int = 4, pages: int = 120) -> Site:
    """The documentation of several versions: most pages changed a little or much, a few did not at all."""
    site = Site("http://docs.example.dev")
    for v in range(1, versions + 1):
        for n in range(pages):
            same = n % 25 == 0
            identity = f"doc {n}" if same else f"doc {n} version {v if n % 3 else min(v, 3)}"
            site.add(f"/{v}.0/guide/page{n}.html", identity)
    return site


def shop(seed: int = 1, products: int = 200) -> Site:
    """A shop: facets that narrow, orders that do not matter on one page, trackers, variants, default pages."""
    rng = random.Random(seed)
    site = Site("https://www.shop.example")
    for n in range(products):
        path = f"/p/{digest(f'product {n}')[:8]}"
        site.add(path, f"product {n}", canonical=path)
        site.add(f"{path}?ref=list{n % 7}", f"product {n}", canonical=path)
        if n % 2:
            site.add(f"{path}?ref=home&pos={n % 9}", f"product {n}", canonical=path)
        for variant in range(rng.choice([0, 2, 3])):
            site.add(f"{path}?variant={n * 10 + variant}", f"product {n} variant {variant}")
    for c in range(12):
        for colour in ("", "red", "blue", "green"):
            for page in (1, 2, 3):
                for order in ("", "price", "name"):
                    items = {"colour": colour, "order": order, "page": str(page)}
                    query = "&".join(f"{k}={v}" for k, v in items.items() if v)
                    site.add(f"/c/cat{c}?{query}", f"list {c} {colour} {order} {page}")
            if colour:
                site.add(f"/c/cat{c}?colour={colour}", f"list {c} {colour}  1")
        site.add(f"/c/cat{c}", f"list {c}   1")
    return site


def tables(seed: int = 1, rows: int = 150, size: int = 20) -> Site:
    """A database on the web: lists show the first `size` rows in any order, and filters leave few, mostly one."""
    rng = random.Random(seed)
    site = Site("http://data.example.org")
    for table in ("books", "films"):
        data = [
            {"": n, "title": rng.random(), "year": rng.randrange(1900, 2000)}
            | {filtered: rng.randrange(rows) for filtered in ("author", "shelf")}
            for n in range(rows)
        ]
        filters = [{}, *({name: row[name]} for name in ("author", "shelf") for row in data)]
        for asked in filters:
            found = [row for row in data if asked.items() <= row.items()]
            for sort in ("", "title", "year"):
                shown = sorted(row[""] for row in sorted(found, key=lambda row: row[sort])[:size])
                query = "&".join(f"{k}={v}" for k, v in {**asked, "_sort": sort}.items() if v != "")
                site.add(f"/{table}?{query}".rstrip("?"), f"{table} {asked} {shown}", words=20 + 8 * len(shown))
        for n in range(rows):
            site.add(f"/{table}/{n}", f"{table} row {n}")
    return site


SITES = {"forum": forum, "blog": blog, "wiki": wiki, "docs": docs, "shop": shop}


def encoded(row: dict[str, Any]) -> str:
    return base64.b64encode(row["minhash"]).decode()
