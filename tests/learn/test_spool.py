"""Many visits: sorted by site on disk, sampled so that neighbours stay together, the same rules as in memory."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.learn import Options, learn, to_toml
from scrapy_urinorm.learn.sites import spool
from scrapy_urinorm.learn.sites.spool import Sample, Spool, bucket_sites
from scrapy_urinorm.visits import Visit
from tests.learn.sites import blog, docs, shop

if TYPE_CHECKING:
    from pathlib import Path


def visits() -> list[Visit]:
    return [*blog(posts=25).visits(), *shop(products=30).visits(), *docs(pages=10).visits()]


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_same_rules_from_disk(monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    in_memory = to_toml(learn(visits(), Options(jobs=jobs)))
    monkeypatch.setattr(spool, "IN_MEMORY", 100)
    assert to_toml(learn(visits(), Options(jobs=jobs))) == in_memory


def test_every_visit_comes_back_with_its_site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(spool, "IN_MEMORY", 10)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store = Spool()
    given = [Visit(url=f"http://www.s{n % 7}.example/{n}", words=n, lines=b"x" * 16) for n in range(300)]
    for visit in [*given, Visit(url="mailto:nobody")]:
        store.add(visit)
    assert (store.count, store.skipped) == (301, 1)
    sites = [site for bucket in store.buckets() for site in bucket_sites(bucket, 1000)]
    assert sorted(site.name for site in sites) == [f"s{n}.example" for n in range(7)]
    found = [visit for site in sites for visit, _ in site.rows]
    assert sorted(found, key=lambda v: v.words or 0) == given
    store.close()
    assert not list(tmp_path.iterdir())


def test_a_failure_leaves_no_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(spool, "IN_MEMORY", 10)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def broken() -> object:
        yield from visits()[:50]
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        learn(broken())  # type: ignore[arg-type]  # what callers may do
    assert not list(tmp_path.iterdir())


def kept_of(urls: list[str], limit: int) -> list[str]:
    sample = Sample(urls, len(urls), limit)
    return [url for url in urls if sample.takes(url)]


def test_neighbours_of_a_path_stay_together() -> None:
    urls = [f"http://a.example/p/{n}?session={n}{k}" for n in range(2000) for k in range(5)]
    kept = kept_of(urls, 3000)
    assert 2000 < len(kept) < 4000
    assert set(Counter(url.partition("?")[0] for url in kept).values()) == {5}


def test_neighbours_of_an_id_stay_together_where_there_is_one_path() -> None:
    urls = [f"http://a.example/?id={n}&session={n}x{k}" for n in range(2000) for k in range(5)]
    kept = kept_of(urls, 3000)
    assert 2000 < len(kept) < 4000
    assert set(Counter(url.partition("id=")[2].partition("&")[0] for url in kept).values()) == {5}


def test_a_site_without_neighbours_is_sampled_by_address() -> None:
    assert 800 < len(kept_of([f"http://a.example/item?id={n}" for n in range(10_000)], 1000)) < 1200


@pytest.mark.thorough
def test_a_sample_is_bounded_where_one_value_has_most_addresses() -> None:
    urls = [f"http://a.example/?lang={n % 2}&id={n}" for n in range(10_000)]
    assert all(len(kept_of([url.replace("lang", name) for url in urls], 1000)) <= 2000 for name in "abcdefgh")


@pytest.mark.parametrize("limit", [700, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_sampled_site_is_still_learned(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    result = learn(blog(posts=150).visits(), Options(max_urls=limit))
    assert any(c.value == [{"name": "share", "value": "facebook|twitter"}] for c in result.active)
    monkeypatch.setattr(spool, "IN_MEMORY", 100)
    from_disk = learn(blog(posts=150).visits(), Options(max_urls=limit, jobs=1))
    assert from_disk.urls == result.urls
    sampled = {} if limit > 700 else {"example.org": len(blog(posts=150).visits())}
    assert result.sampled == from_disk.sampled == sampled
    assert to_toml(from_disk) == to_toml(result)


def test_no_more_than_the_sample_is_read_from_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "IN_MEMORY", 100)
    store = Spool()
    for n in range(6000):
        store.add(Visit(url=f"http://a.example/p/{n}"))
    (bucket,) = store.buckets()
    built = 0

    def counted(**row: Any) -> Visit:
        nonlocal built
        built += 1
        return Visit(**row)

    monkeypatch.setattr(spool, "Visit", counted)
    (site,) = bucket_sites(bucket, 500)
    assert len(site.rows) == built < 1000
    assert site.sampled_from == 6000
    store.close()
