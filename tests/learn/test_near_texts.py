"""Of two long pages that are all but the same one may have a text of its own: no rule makes them one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.content.compare import OWN_WORDS
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.visits.page import Crawl, visit_of
from tests.content.test_telling import HOST, prose, visit
from tests.live.sites import record
from tests.live.test_near import ARTICLES, Magazine

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

NOTED = [f"/mirror/f{n}" for n in range(13, 120, 20)]


@pytest.mark.parametrize("options", [Options(), Options().strict()], ids=["default", "strict"])
@pytest.mark.parametrize("every", [20, pytest.param(50, marks=pytest.mark.slow), 0])
def test_a_view_with_a_paragraph_more_is_kept(every: int, options: Options) -> None:
    visits, identities = record(Magazine(every))
    normalizer = Normalizer(learn(visits, options).rules)
    fetched = [url for url in identities if not normalizer.decide(url).skip]
    # whichever of a key is fetched, it shows what all of them show
    assert len({(normalizer.key(url), identities[url]) for url in fetched}) == len({*map(normalizer.key, fetched)})
    views = {normalizer.key(url) for url in fetched if "/article/" in url}
    assert (len(views) == ARTICLES) is (every == 0)


def test_the_text_is_of_each_address_that_shows_it() -> None:
    """Whichever came first: of two addresses with one text the second resembles nothing but the first."""
    site = Site("shop.example")
    for n in range(60):
        text = "".join(f"<p>{prose((n, part), 20)}</p>" for part in range(30))
        views = {"?view=full": text + f"<p>{prose((n, 'more'), 15)}</p>", "": text}
        for query, shown in (*views.items(), ("?view=all", views["?view=full"])):
            site.add(visit(f"/article/{n}{query}", f"<h1>Article {n}</h1><div>{shown}</div>"), "shop.example")
    site.build("safe", split=False)
    own = {page.url.removeprefix(f"{HOST}/article/7"): page.own for page in site.pages if "/article/7" in page.url}
    assert own[""] == 0
    assert own["?view=full"] == own["?view=all"] >= OWN_WORDS


@pytest.mark.parametrize("kind", ["text/plain", "text/csv", "application/json", "text/html"])
def test_of_files_that_differ_in_a_paragraph_none_is_another(kind: str) -> None:
    """No lines of them are recorded: what differs may be of one alone, as two copies of a manual have other notes."""
    crawl = Crawl("one", b"salt")
    visits: list[Visit] = []

    def add(path: str, shown: str, of: str) -> None:
        header = {"url": f"{HOST}{path}", "status": 200, "time": 1_790_000_000 + len(visits), "type": of}
        visits.append(visit_of(crawl, header, shown.encode()))

    paths = [f"/{folder}/f{n}" for folder in ("pub", "mirror") for n in range(120)]
    add("/", "".join(f"<p><a href='{path}'>{path}</a></p>" for path in paths), "text/html")
    for path in paths:
        texts = [prose((path.rpartition("/")[2], part), 10) for part in range(100)]
        if path in NOTED:
            texts.append(prose((path, "note"), 25))
        add(path, "\n".join(f"<p>{one}</p>" if kind == "text/html" else one for one in texts), kind)
    key = Normalizer(learn(visits).rules).key
    assert not [path for path in NOTED if key(HOST + path) == key(HOST + path.replace("mirror", "pub"))]
