"""What is learned from invented sites, and what must not be: the regressions of dust-learning section 8."""

from __future__ import annotations

import functools
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scrapy_urinorm import Normalizer, RuleSet
from scrapy_urinorm.learn import LearnResult, Options, learn, to_toml
from scrapy_urinorm.learn.earlier import Earlier
from scrapy_urinorm.learn.families.declared import MAX_DECLARED
from scrapy_urinorm.learn.output import anonymized
from scrapy_urinorm.visits import Visit
from scrapy_urinorm.visits.redaction import Redaction
from tests.learn.sites import SITES, Site, blog, forum, wiki


class Learned:
    """Rules learned from a site, and what they do to its addresses."""

    def __init__(self, site: Site, options: Options | None = None) -> None:
        self.site = site
        self.result = learn(site.visits(), options or Options())
        self.normalizer = Normalizer(self.result.rules)

    def equal(self, one: str, other: str) -> bool:
        return self.normalizer.key(self.site.origin + one) == self.normalizer.key(self.site.origin + other)

    def skipped(self, path: str) -> bool:
        return self.normalizer.decide(self.site.origin + path).skip

    def lost(self) -> list[str]:
        """Pages that a crawl would never see, whichever address of a key it fetches."""
        by_key: dict[str, set[str]] = {}
        for url, (identity, _) in self.site.pages.items():
            decision = self.normalizer.decide(url)
            if not decision.skip:
                by_key.setdefault(decision.key, set()).add(identity)
        safe = {identity for identities in by_key.values() if len(identities) == 1 for identity in identities}
        return sorted({identity for identity, _ in self.site.pages.values()} - safe)

    def requests(self) -> int:
        decisions = [self.normalizer.decide(url) for url in self.site.pages]
        return len({d.key for d in decisions if not d.skip})


@pytest.fixture(scope="module")
def learned() -> dict[str, Learned]:
    # a third of the two largest shows the same
    smaller = {"forum": functools.partial(forum, threads=100), "wiki": functools.partial(wiki, pages=80)}
    return {name: Learned(make()) for name, make in (SITES | smaller).items()}


@pytest.mark.parametrize("name", SITES)
def test_no_page_is_lost(learned: dict[str, Learned], name: str) -> None:
    assert learned[name].lost() == []


def test_a_search_id_stays_though_it_looks_like_a_session(learned: dict[str, Learned]) -> None:
    result = learned["forum"].result
    assert not [c for c in result.active if c.rule == "remove_params" and "sid" in c.value]
    row = next(c for c in result.others if c.value == ["sid"])
    assert row.status == "rejected"
    assert "changes the page" in row.why
    assert row.counterexamples


def test_the_file_says_why_a_search_id_stays(learned: dict[str, Learned]) -> None:
    text = to_toml(learned["forum"].result)
    rows = [row for row in text.split("[[evidence]]") if 'value = ["sid"]' in row]
    (row,) = rows
    assert 'status = "rejected"' in row
    assert "`sid` changes the page in" in row
    assert "counterexamples" in row
    assert '"sid"' not in text.partition("[[evidence]]")[0]


def test_a_sort_key_that_matters_on_long_lists_stays_there(learned: dict[str, Learned]) -> None:
    forum = learned["forum"]
    assert not forum.equal(
        "/forumdisplay.php?fid=1&sortby=subject&order=asc&page=2",
        "/forumdisplay.php?fid=1&sortby=subject&order=desc&page=2",
    )


LOGIN = "/w/index.php?title=Special:UserLogin"
EQUAL = [
    ("blog", "/2011/02/post-1-cea38/?replytocom=7", "/2011/02/post-1-cea38/", "reply links of every post"),
    ("blog", "/2011/02/post-1-cea38/?share=twitter", "/2011/02/post-1-cea38/", "a parameter that never matters"),
    ("blog", "/?page_id=77", "/?p=77", "two names of one parameter"),
    ("blog", "/?tag=new", "/tag/new/", "query and path of one list"),
    ("blog", "/tag/new/page/1/", "/tag/new/", "the first page said explicitly"),
    ("wiki", "/w/index.php?title=New", "/wiki/New", "query and path of one page"),
    ("wiki", "/w/index.php?title=New&redirect=no", "/wiki/New", "a default value, then the template"),
    ("wiki", "/w/index.php?title=New&action=history&limit=50", "/w/index.php?title=New&action=history", "a default"),
    ("wiki", LOGIN + "&returnto=A", LOGIN + "&returnto=B", "a constant view"),
    ("forum", "/showthread.php?tid=9999&page=1", "/showthread.php?tid=9999", "the first page of a thread"),
    ("forum", "/newreply.php?tid=9998&pid=1", "/newreply.php?tid=9999&pid=2", "a form behind a log-in"),
    ("shop", "/p/new?ref=mail&pos=3", "/p/new", "where the visitor came from"),
    ("shop", "/c/cat1?colour=red&page=1", "/c/cat1?colour=red", "the first page of a list"),
]  # fmt: skip
DIFFERENT = [
    ("blog", "/?p=1", "/?p=2", "the number of a post"),
    ("blog", "/2011/02/post-1-cea38/?share=counts", "/2011/02/post-1-cea38/", "a word that nobody has seen"),
    ("wiki", "/w/index.php?title=A&oldid=1", "/w/index.php?title=A&oldid=2", "old revisions"),
    ("wiki", "/w/index.php?title=A&oldid=1", "/wiki/A", "an old revision is not the page"),
    ("wiki", "/w/index.php?title=A&action=history&limit=20", "/w/index.php?title=A&action=history", "another limit"),
    ("wiki", "/w/index.php?title=A&action=edit&section=1", "/w/index.php?title=A&action=edit", "a section"),
    ("docs", "/3.0/guide/page7.html", "/4.0/guide/page7.html", "two versions of a page"),
    ("shop", "/p/new?variant=1", "/p/new?variant=2", "variants"),
    ("shop", "/c/cat1?order=price&page=2", "/c/cat1?order=name&page=2", "slices of a list in another order"),
    ("forum", "/member.php?action=profile&uid=1", "/member.php?action=profile&uid=2", "users, some behind a log-in"),
]  # fmt: skip


@pytest.mark.parametrize(("site", "one", "other"), [row[:3] for row in EQUAL], ids=[row[3] for row in EQUAL])
def test_learned_to_be_equal(learned: dict[str, Learned], site: str, one: str, other: str) -> None:
    assert learned[site].equal(one, other)


@pytest.mark.parametrize(("site", "one", "other"), [row[:3] for row in DIFFERENT], ids=[row[3] for row in DIFFERENT])
def test_kept_apart(learned: dict[str, Learned], site: str, one: str, other: str) -> None:
    assert not learned[site].equal(one, other)


def test_versions_of_documentation_teach_nothing(learned: dict[str, Learned]) -> None:
    assert learned["docs"].result.active == []


def test_a_shape_whose_pages_are_found_elsewhere_is_skipped(learned: dict[str, Learned]) -> None:
    assert learned["blog"].skipped("/?p=77")
    assert not learned["blog"].skipped("/?p=77&tag=t1")
    assert not learned["blog"].skipped("/?p=last")
    assert not learned["blog"].skipped("/2011/02/post-1-cea38/")


@pytest.mark.parametrize(("name", "most"), [("forum", 0.65), ("blog", 0.65), ("wiki", 0.75), ("shop", 0.80)])
def test_the_crawl_gets_smaller(learned: dict[str, Learned], name: str, most: float) -> None:
    assert learned[name].requests() <= most * len(learned[name].site.pages)


@pytest.mark.slow
def test_strict_is_stricter(learned: dict[str, Learned]) -> None:
    strict = Learned(forum(), Options().strict())
    assert strict.lost() == []
    assert strict.requests() >= learned["forum"].requests()


@pytest.mark.thorough
def test_the_order_of_visits_does_not_matter() -> None:
    visits = blog(posts=60).visits()
    random.Random(5).shuffle(visits)
    assert to_toml_rules(learn(visits)) == to_toml_rules(learn(blog(posts=60).visits()))


LEARN = """
from scrapy_urinorm.learn import learn, to_toml
from tests.learn.sites import SITES
for make in SITES.values():
    print(to_toml(learn(make().visits())))
"""


@pytest.mark.slow
def test_the_seed_of_hashes_does_not_matter() -> None:
    root = Path(__file__).parents[2]
    texts = [
        subprocess.run(
            [sys.executable, "-c", LEARN],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert texts[0] == texts[1]
    assert "[[evidence]]" in texts[0]


def to_toml_rules(result: LearnResult) -> str:
    return to_toml(result).partition("[[evidence]]")[0]


def test_the_file_loads_and_says_what_the_result_says(learned: dict[str, Learned], tmp_path: Path) -> None:
    for name, one in learned.items():
        path = tmp_path / f"{name}.toml"
        path.write_text(to_toml(one.result), "utf-8")
        loaded = RuleSet.load(str(path))
        assert len(loaded.evidence) >= len(one.result.active)
        assert {row["status"] for row in loaded.evidence} <= {"active", "proposed", "rejected"}
        normalizer = Normalizer(loaded)
        for url in list(one.site.pages)[::37]:
            assert normalizer.decide(url) == one.normalizer.decide(url)


@pytest.mark.parametrize("make", ["forum", "blog", "wiki", "shop", "docs"])
def test_keys_are_fixed_points(learned: dict[str, Learned], make: str) -> None:
    one = learned[make]
    for url in one.site.pages:
        key = one.normalizer.key(url)
        assert one.normalizer.key(key) == key


# ------------------------------------------------------------------ small sites, one trap each


def site_of(rows: dict[str, str], origin: str = "http://a.example") -> Site:
    site = Site(origin)
    for path, identity in rows.items():
        site.add(path, identity)
    return site


def test_campaign_tags_that_come_together_are_dropped_together() -> None:
    site = Site("http://a.example")
    for n in range(30):
        site.add(f"/post/{n}", f"post {n}")
        site.add(f"/post/{n}?utm_source=a{n}&utm_medium=m&utm_campaign=c{n}", f"post {n}")
    one = Learned(site, Options(preset="safe"))
    assert one.equal("/post/3?utm_source=z&utm_medium=y&utm_campaign=x", "/post/3")


@pytest.mark.parametrize("bare", [True, False], ids=["with", "without"])
@pytest.mark.parametrize("elsewhere", [True, False], ids=["elsewhere", "nowhere"])
def test_a_parameter_of_one_value_is_not_dropped_with_its_company(bare: bool, elsewhere: bool) -> None:
    """The orders of open tickets agree where there is one of them; what was closed is another list.

    Of a crawl of Trac depth first `order` and `status` were dropped together, after lists of `status=!closed` alone.
    """
    site = Site("http://a.example")
    for n in range(40):
        if bare:
            site.add(f"/list/{n}", f"open {n}")
        for order in "abc":
            site.add(f"/list/{n}?status=open&order={order}", f"open {n}")
    if elsewhere:
        for n in range(60):
            site.add(f"/of/{n}?status=closed&order=a", f"closed {n}")
    one = Learned(site)
    assert one.equal("/list/3?status=open&order=b", "/list/3?status=open&order=c")
    assert not one.equal("/list/3?status=closed&order=b", "/list/3?status=open&order=b")
    assert not one.equal("/list/3?status=closed&order=b", "/list/3")
    assert one.requests() == 40 + 60 * elsewhere


@pytest.mark.parametrize("elsewhere", [True, False], ids=["elsewhere", "nowhere"])
def test_what_comes_together_is_dropped_without_what_has_one_value(elsewhere: bool) -> None:
    """Where `view` has another value elsewhere it belongs to the bundle, and nothing is known of that one here."""
    site = Site("http://a.example")
    for n in range(60):
        for token in (n + 7, n + 3_000):
            site.add(f"/p/{n}?sid={token}&sig={token * 3}&view=list", f"page {n}")
        if elsewhere:
            site.add(f"/q/{n}?sid={n}&sig={n * 3}&view=all", f"other {n}")
    one = Learned(site)
    assert one.equal("/p/3?sid=1&sig=2&view=list", "/p/3?sid=3&sig=4&view=list")
    assert not one.equal("/p/3?sid=1&sig=2&view=all", "/p/3?sid=1&sig=2&view=list")
    assert not one.equal("/p/3?sid=1&sig=2&view=all", "/p/3?sid=3&sig=4&view=all")


@pytest.mark.parametrize("origin", ["http://[2001:db8::7]:8080", "http://[::1]", "http://shop.example."])
def test_sites_that_have_no_usual_name(origin: str) -> None:
    site = Site(origin)
    for n in range(60):
        for query in ("", "?ref=a", "?ref=b"):
            site.add(f"/p/{n}{query}", f"page {n}")
    one = Learned(site)
    assert one.equal("/p/3?ref=a", "/p/3")
    assert not one.equal("/p/3", "/p/4")


def test_pages_of_few_words_agree_with_nothing() -> None:
    site = Site("http://a.example")
    for n in range(60):
        site.add(f"/app?view={n}", "please enable scripts", version=n, words=4)
    assert Learned(site).result.active == []


def test_values_that_begin_alike_say_nothing_of_others() -> None:
    """The upload form was seen from one namespace only, where it is one page; another may have its own."""
    site = Site("http://a.example")
    for n in range(60):
        for space in ("wiki", "talk"):
            site.add(f"/doku.php?id={space}:{n}", f"{space} {n}")
            site.add(f"/doku.php?id={space}:{n}&do=login", "log in")
        site.add(f"/doku.php?id=wiki:{n}&do=upload", "upload to wiki")
    one = Learned(site)
    assert one.equal("/doku.php?id=wiki:1&do=login", "/doku.php?id=talk:2&do=login")
    assert one.equal("/doku.php?id=wiki:1&do=upload", "/doku.php?id=wiki:2&do=upload")
    assert not one.equal("/doku.php?id=wiki:1&do=upload", "/doku.php?id=talk:1&do=upload")


def test_one_value_that_begins_otherwise_is_no_other_kind() -> None:
    site = Site("http://a.example")
    site.add("/doku.php?id=start", "start")
    for n in range(60):
        site.add(f"/doku.php?id=wiki:{n}", f"wiki {n}")
        site.add(f"/doku.php?id=wiki:{n}&do=login", "log in")
    assert Learned(site).equal("/doku.php?id=wiki:1&do=login", "/doku.php?id=wiki:new&do=login")


def test_one_error_page_does_not_vote_for_a_parameter() -> None:
    site = Site("http://a.example")
    for n in range(300):
        site.add(f"/attachment.php?aid={n}", "no permission" if n % 3 else f"file {n}", words=40)
        site.add(f"/thread.php?tid={n}", f"thread {n}")
    one = Learned(site)
    assert not one.equal("/attachment.php?aid=0", "/attachment.php?aid=3")
    assert one.lost() == []


def test_a_canonical_link_that_lies_is_not_believed() -> None:
    site = Site("http://a.example")
    for n in range(60):
        site.add(f"/p?id={n}", f"page {n}", canonical="/")
    site.add("/", "home", canonical="/")
    assert Learned(site).lost() == []


def test_a_canonical_link_of_similar_pages_is_believed() -> None:
    site = Site("http://a.example")
    for n in range(40):
        site.pages[f"http://a.example/p/{n}"] = (f"page {n}", 0)
        site.add(f"/p/{n}", f"page {n}", canonical=f"/p/{n}")
        site.add(f"/p/{n}?print=1", f"page {n}", version=1, canonical=f"/p/{n}")
    assert Learned(site).equal("/p/7?print=1", "/p/7")


def test_a_parameter_that_names_one_page_by_one_value_is_not_dropped() -> None:
    """Twenty pages of one revision, which `rev` names: nothing says what another revision would show."""
    site = Site("http://a.example")
    for n in range(20):
        site.add(f"/doku.php?do=diff&id=p{n}", f"change of {n}")
        site.add(f"/doku.php?do=diff&id=p{n}&rev=17{n:05}", f"change of {n}")
    learned = Learned(site)
    assert not learned.equal("/doku.php?do=diff&id=new&rev=1", "/doku.php?do=diff&id=new&rev=2")
    row = next(c for c in learned.result.others if c.value == ["rev"])
    assert "each value on one of them" in row.why


@pytest.mark.parametrize("values", [2, 5])
def test_a_parameter_of_several_values_per_page_is_dropped(values: int) -> None:
    site = Site("http://a.example")
    for n in range(20):
        site.add(f"/doku.php?id=p{n}", f"page {n}")
        for v in range(values):
            site.add(f"/doku.php?id=p{n}&from={n}-{v}", f"page {n}")
    assert Learned(site).equal("/doku.php?id=new&from=1", "/doku.php?id=new&from=2")


def test_many_pages_that_were_not_seen_do_not_vote() -> None:
    """The first page of each list was seen twice, the others answered 503: `offset` may be anything."""
    site = Site("http://a.example")
    for n in range(40):
        site.add(f"/list{n}", f"list {n}")
        site.add(f"/list{n}?offset=0", f"list {n}")
    visits = site.visits()
    visits += [Visit(url=f"http://a.example/list{n}?offset={o}", status=503) for n in range(40) for o in (10, 20, 30)]
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key("http://a.example/list3?offset=0") == normalizer.key("http://a.example/list3")
    assert normalizer.key("http://a.example/list3?offset=10") != normalizer.key("http://a.example/list3?offset=20")


def test_a_log_in_form_is_no_constant_view_where_few_addresses_were_seen() -> None:
    site = Site("http://a.example")
    for n in range(14):
        site.add(f"/login?next=/p{n}", "log in", words=30)
        site.add(f"/p{n}", f"page {n}")
    visits = site.visits()
    visits += [Visit(url=f"http://a.example/login?next=/q{n}", status=429) for n in range(40)]
    assert learn(visits).active == []


def test_a_block_page_is_no_constant_view() -> None:
    """After 200 pages the server shows a captcha with status 200, and reviews were only asked for after that."""
    site = Site("http://a.example")
    for n in range(200):
        site.add(f"/product?id={n}", f"product {n}")
    for n in range(200, 260):
        site.add(f"/product?id={n}", "unusual traffic", words=40)
        site.add(f"/review?id={n}", "unusual traffic", words=40)
    learned = Learned(site)
    assert learned.result.active == []
    assert learned.result.blocked == 120
    assert learned.result.blocked_like == "http://a.example/product?id=200"


def test_a_block_page_is_one_beside_pages_at_many_addresses_each() -> None:
    """It does not stand out beside twenty pages at sixty addresses each."""
    site = Site("http://a.example")
    for n in range(1_200):
        site.add(f"/shelf/{n % 20}?turn={n}", f"shelf {n % 20}")
    for n in range(100):
        site.add(f"/product?id={n}", f"product {n}")
    for n in range(100, 160):
        site.add(f"/product?id={n}", "unusual traffic", words=40)
        site.add(f"/review?id={n}", "unusual traffic", words=40)
    learned = Learned(site)
    assert learned.result.blocked == 120
    assert not learned.equal("/review?id=1000", "/review?id=1001")


def test_a_log_in_form_at_the_end_of_a_crawl_is_no_block_page() -> None:
    site = Site("http://a.example")
    for n in range(200):
        site.add(f"/product?id={n}", f"product {n}")
    for n in range(120):
        site.add(f"/review?id={n}", "log in", words=40)
    learned = Learned(site)
    assert learned.equal("/review?id=1000", "/review?id=1001")
    assert learned.result.blocked == 0


REASONS = [
    ([(f"/p?tag=T{n}X", f"/p?tag=t{n}x") for n in range(40)], "lowercase_params", "lower case in the value of `tag`"),
    ([(f"/p?a={n},1", f"/p?a=1,{n}") for n in range(2, 42)], "unordered_values", "the list in the value of `a`"),
    ([(f"/p?id={n}&page=1", f"/p?id={n}") for n in range(40)], "default_params", "`page=1` showed what its absence"),
    (
        [(f"/p?pid={n}", f"/p?p={n}") for n in range(40)],
        "rename_params",
        "`pid` and `p` with one value showed one page",
    ),
]


@pytest.mark.parametrize(("pairs", "rule", "reason"), REASONS, ids=[row[1] for row in REASONS])
def test_the_reason_says_what_the_rule_does(pairs: list[tuple[str, str]], rule: str, reason: str) -> None:
    site = Site("http://a.example")
    for n, pair in enumerate(pairs):
        for path in pair:
            site.add(path, f"page {n}")
        site.add(f"/p?id={n}&page=2", f"page {n} 2")
    (row,) = [c for c in Learned(site).result.active if c.rule == rule]
    assert reason in row.why
    assert "40 distinct pages" in row.why


def test_users_under_a_shared_suffix_share_no_rule() -> None:
    visits = []
    for n in range(40):
        for path, identity in ((f"/p/{n}", f"ann {n}"), (f"/p/{n}?v=1", f"ann {n}")):
            visits += site_of({path: identity}, "http://ann.github.io").visits()
        visits += site_of({f"/p/{n}?v={n % 5}": f"bob {n}"}, "http://bob.github.io").visits()
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key("http://ann.github.io/p/3?v=1") == normalizer.key("http://ann.github.io/p/3")
    assert normalizer.key("http://bob.github.io/p/3?v=1") != normalizer.key("http://bob.github.io/p/3")


def test_two_subdomains_of_which_one_differs() -> None:
    visits = []
    for n in range(40):
        for v in range(2):
            visits += site_of({f"/p/{n}?v={v}": f"one {n}"}, "http://one.a.example").visits()
            visits += site_of({f"/p/{n}?v={v}": f"two {n} {v}"}, "http://two.a.example").visits()
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key("http://one.a.example/p/3?v=1") == normalizer.key("http://one.a.example/p/3?v=0")
    assert normalizer.key("http://two.a.example/p/3?v=1") != normalizer.key("http://two.a.example/p/3?v=0")


def test_two_users_of_a_hosting_domain_do_not_speak_for_the_others() -> None:
    visits = []
    for n in range(60):
        for v in range(3):
            for user in ("evil1", "evil2"):
                visits += site_of({f"/p{n}?id={v}": f"{user} {n}"}, f"http://{user}.hosting.example").visits()
    for n in range(5):
        visits += site_of({f"/p?id={n}": f"honest {n}"}, "http://honest.hosting.example").visits()
    rules = learn(visits).rules
    assert set(rules["site"]) == {"evil1.hosting.example", "evil2.hosting.example"}
    normalizer = Normalizer(rules)
    assert len({normalizer.key(f"http://honest.hosting.example/p?id={n}") for n in range(9)}) == 9
    assert normalizer.key("http://evil1.hosting.example/q?id=7") == "http://evil1.hosting.example/q"


def test_the_domain_itself_does_not_speak_for_what_is_below_it(tmp_path: Path) -> None:
    visits = []
    for n in range(40):
        for v in range(3):
            visits += site_of({f"/p{n}?v={v}": f"own {n}"}, "http://a.example").visits()
        visits += site_of({f"/q{n}": f"other {n}"}, "http://user.a.example").visits()
    result = learn(visits)
    assert "site" not in result.rules
    normalizer = Normalizer(result.rules)
    assert normalizer.key("http://a.example/p1?v=9") == "http://a.example/p1"
    assert normalizer.key("http://user.a.example/p1?v=9") == "http://user.a.example/p1?v=9"
    path = tmp_path / "learned.toml"
    path.write_text(to_toml(result), "utf-8")
    assert learn([], earlier=Earlier(path).active).rules == result.rules


def test_a_mirror_host_www_and_https() -> None:
    visits = []
    for n in range(40):
        for origin in ("http://a.example", "http://www.a.example", "https://a.example", "http://mirror.a.example"):
            visits += site_of({f"/p/{n}": f"page {n}"}, origin).visits()
    normalizer = Normalizer(learn(visits).rules)
    keys = {normalizer.key(f"{o}/p/999") for o in ("http://a.example", "http://www.a.example", "https://a.example")}
    assert len(keys | {normalizer.key("http://mirror.a.example/p/999")}) == 1


def test_what_was_refused_of_the_origin_leaves_its_evidence() -> None:
    visits = []
    for n in range(20):
        visits += site_of({f"/p/{n}": f"page {n}"}, "http://a.example").visits()
        visits += site_of({f"/p/{n}": f"page {n} of the shop"}, "https://a.example").visits()
    (refused,) = [candidate for candidate in learn(visits).others if candidate.family == "origin"]
    assert (refused.rule, refused.status, refused.evidence.against) == ("scheme", "rejected", 20)


PATH_FOLDS = [
    ("/d{n}/", "/d{n}", "slash"),
    ("/d{n}/index.html", "/d{n}/", "directory index"),
    ("/d{n}.html", "/d{n}", "extension"),
    ("/D{n}X", "/d{n}x", "case"),
    ("/d{n}//x", "/d{n}/x", "doubled slash"),
    ("/d{n};jsessionid=A{n}", "/d{n}", "session in the path"),
    ("/print/d{n}", "/d{n}", "segment"),
    ("/shop/d{n}", "/store/d{n}", "two segments that mean the same"),
    ("/thread-{n}.html", "/showthread?tid={n}", "template with a part of a segment"),
]


@pytest.mark.parametrize(("one", "other"), [row[:2] for row in PATH_FOLDS], ids=[row[2] for row in PATH_FOLDS])
def test_path_folds(one: str, other: str) -> None:
    site = Site("http://a.example")
    for n in range(100, 160):
        site.add(one.format(n=n), f"page {n}")
        site.add(other.format(n=n), f"page {n}")
    learned = Learned(site)
    assert learned.equal(one.format(n=777), other.format(n=777)), learned.result.rules
    assert learned.lost() == []


def test_what_lies_in_two_folders_says_nothing_of_their_own_pages() -> None:
    site = Site("http://a.example")
    for n in range(40):
        site.add(f"/shoes/item{n}", f"item {n}")
        site.add(f"/sale/item{n}", f"item {n}")
    learned = Learned(site)
    assert learned.equal("/shoes/item777", "/sale/item777")
    assert not learned.equal("/shoes/", "/sale/")
    assert not learned.equal("/shoes", "/sale")
    assert not learned.equal("/shoes/page/2", "/sale/page/2")


def test_a_segment_that_never_matters_is_folded_into_one_address() -> None:
    site = Site("http://a.example")
    for n in range(40):
        site.add(f"/comment/{n}/publish/", "log in", words=30)
        site.add(f"/comment/{n}/", f"comment {n}")
    learned = Learned(site)
    assert learned.equal("/comment/888/publish/", "/comment/999/publish/")
    assert not learned.equal("/comment/888/", "/comment/999/")


def test_only_what_precedes_a_separator_matters() -> None:
    site = Site("http://a.example")
    for n in range(60):
        space = f"s{n % 4}"
        site.add(f"/doku.php?id={space}:p{n}", f"page {n}")
        site.add(f"/doku.php?id={space}:p{n}&do=index", f"index of {space}")
    learned = Learned(site)
    assert learned.equal("/doku.php?id=s1:p777&do=index", "/doku.php?id=s1:p888&do=index")
    assert not learned.equal("/doku.php?id=s1:p777&do=index", "/doku.php?id=s2:p777&do=index")
    assert not learned.equal("/doku.php?id=s1:p777", "/doku.php?id=s1:p888")


def test_semicolons_separate_where_all_queries_say_so() -> None:
    site = Site("http://a.example")
    for n in range(40):
        site.add(f"/d{n}/", f"dir {n}")
        for column in "NMSD":
            for order in "AD":
                site.add(f"/d{n}/?C={column};O={order}", f"dir {n}")
    learned = Learned(site)
    assert learned.equal("/d777/?C=N;O=D", "/d777/")
    assert learned.requests() == 40


def test_a_log_in_that_carries_its_own_address() -> None:
    site = Site("http://a.example")
    nested = "/login/?next=/a"
    for n in range(20):
        site.add(nested, "log in", words=30)
        nested = f"/login/?next={nested.replace('%', '%25').replace('?', '%3F').replace('=', '%3D')}"
        site.add(f"/p{n}", f"page {n}")
    assert Learned(site).equal(nested, "/login/?next=/login/%3Fnext%3D/zzz")


def test_the_order_of_repeated_values_stays() -> None:
    """Scrapy's own key sorts them; nothing is learned from that, and nothing more is merged."""
    site = site_of({f"/p?x={a}&x={b}": f"{min(a, b)} {max(a, b)}" for a in range(12) for b in range(12)})
    one = Learned(site)
    assert one.result.active == []
    assert one.lost() == []


# ------------------------------------------------------------------ what a site says itself


def test_clean_param_of_robots_txt() -> None:
    visits = [Visit(url="http://a.example/robots.txt", status=200, clean_param=("ref&from /shop/", "sid"))]
    visits += site_of({f"/shop/{n}?ref=1": f"page {n}" for n in range(5)}).visits()
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key("http://a.example/shop/9?ref=2&from=x") == "http://a.example/shop/9"
    assert normalizer.key("http://a.example/blog/9?sid=2") == "http://a.example/blog/9"
    assert normalizer.key("http://a.example/blog/9?ref=2") == "http://a.example/blog/9?ref=2"


def test_clean_param_that_the_pages_contradict() -> None:
    visits = [Visit(url="http://a.example/robots.txt", status=200, clean_param=("id",))]
    visits += site_of({f"/p?id={n}": f"page {n}" for n in range(30)}).visits()
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key("http://a.example/p?id=1") != normalizer.key("http://a.example/p?id=2")


HEADERS = [
    ('params=("utm" "ref")', "/p?q=1&ref=2", "/p?q=1", True),
    ('params=("utm" "ref")', "/p?q=1", "/p?q=2", False),
    ('params, except=("q")', "/p?q=1&any=2", "/p?q=1", True),
    ('params, except=("q")', "/p?q=1", "/p?q=2", False),
    ("params", "/p?q=1", "/p", True),
    ("params=?0", "/p?q=1", "/p", False),
    ("key-order", "/p?q=1", "/p", False),
    ("nonsense;;", "/p?q=1", "/p", False),
    ('params="q"', "/p?q=1", "/p", False),
    ("params=q", "/p?q=1", "/p", False),
    ('params=("%71%20x")', "/p?q+x=1", "/p", True),
    ('params=("Q")', "/p?q=1", "/p", False),
]


@pytest.mark.parametrize(("header", "one", "other", "equal"), HEADERS)
def test_no_vary_search(header: str, one: str, other: str, equal: bool) -> None:
    visits = [Visit(url=f"http://a.example/p?q={n}", status=200, no_vary_search=header) for n in range(5)]
    normalizer = Normalizer(learn(visits).rules)
    assert (normalizer.key("http://a.example" + one) == normalizer.key("http://a.example" + other)) is equal


# ------------------------------------------------------------------ redirects


def test_a_redirect_has_the_content_of_its_end() -> None:
    visits = []
    for n in range(40):
        target = f"http://a.example/topic/{n}/slug-{n}/"
        site = site_of({f"/topic/{n}/slug-{n}/": f"topic {n}"})
        visits += site.visits()
        url = f"http://a.example/go?to={n}&x=1"
        visits.append(Visit(url=url, final_url=target, redirects=((301, url),), status=301))
        url = f"http://a.example/go?to={n}"
        visits.append(Visit(url=url, final_url=target, redirects=((301, url),), status=301))
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key("http://a.example/go?to=9&x=1") == normalizer.key("http://a.example/go?to=9")
    assert normalizer.key("http://a.example/go?to=9") != normalizer.key("http://a.example/go?to=8")


def test_of_two_shapes_with_the_same_pages_that_with_several_addresses_for_each_goes() -> None:
    """A topic by its number and by each of its posts: either could do without the other one."""
    site = Site("http://forum.example")
    for topic in range(60):
        site.add(f"/viewtopic?t={topic}", f"topic {topic}")
        for post in range(topic % 4 + 1):
            site.add(f"/viewtopic?p={100 + 4 * topic + post}", f"topic {topic}")
    normalizer = Normalizer(learn(site.visits()).rules)
    by_post, by_number = (normalizer.decide(f"http://forum.example/viewtopic?{one}=777") for one in "pt")
    assert by_post.skip or by_post.defer
    assert not by_number.skip
    assert not by_number.defer


def test_a_shape_that_alone_leads_on_is_not_skipped() -> None:
    """Every page of `/go?n=` is found elsewhere too, but only by following one of them."""
    visits = [Visit(url="http://a.example/", status=200, main_digest="home", words=50)]
    for n in range(40):
        visits.append(
            Visit(
                url=f"http://a.example/go?n={n}", status=200, main_digest=f"page {n}", words=50,
                referer="http://a.example/" if n == 0 else f"http://a.example/p/{n - 1}/name-{n - 1}",
            )
        )  # fmt: skip
        visits.append(
            Visit(
                url=f"http://a.example/p/{n}/name-{n}", status=200, main_digest=f"page {n}", words=50,
                referer=f"http://a.example/go?n={n}",
            )
        )  # fmt: skip
    normalizer = Normalizer(learn(visits).rules)
    decision = normalizer.decide("http://a.example/go?n=3")
    assert (decision.skip, decision.defer) == (False, True)


def test_anonymized_keeps_the_structure() -> None:
    hidden = anonymized("http://a.example/people/ada.html?name=ada&page=2&lang=en#top", Redaction(b"salt"))
    assert re.fullmatch(r"http://a\.example/[0-9a-f]{12}/[0-9a-f]{12}\.html\?name=[0-9a-f]{12}&page=2&lang=en", hidden)


def test_anonymized_examples_keep_only_the_structure() -> None:
    visits = wiki(pages=60).visits()
    plain, hidden = (to_toml(learn(visits, Options(anonymize=hide))) for hide in (False, True))
    assert plain.partition("[[evidence]]")[0] == hidden.partition("[[evidence]]")[0]
    evidence = hidden.partition("[[evidence]]")[2]
    assert "title=" in evidence
    assert not [visit.url for visit in visits if visit.url in evidence and "Page_" in visit.url]


# ------------------------------------------------------------------ addresses alone


def test_addresses_alone_only_propose() -> None:
    visits = [Visit(url=url) for url in blog().pages]
    result = learn(visits)
    assert result.active == []
    proposed = {str(c.value) for c in result.others if c.status == "unverified"}
    assert "['share']" in proposed
    assert "['replytocom']" in proposed
    assert "['p']" not in proposed


def test_sizes_of_an_access_log_speak_against() -> None:
    visits = [Visit(url=f"http://a.example/p/{n}", size=1000 + n, status=200) for n in range(20)]
    visits += [Visit(url=f"http://a.example/p/{n}?a=1", size=1000 + n, status=200) for n in range(20)]
    visits += [Visit(url=f"http://a.example/p/{n}?b=1", size=9000 + n, status=200) for n in range(20)]
    proposed = {str(c.value) for c in learn(visits).others if c.status == "unverified"}
    assert proposed == {"['a']"}


@pytest.mark.slow
def test_what_a_hostile_robots_txt_declares_costs_no_more_than_an_honest_one() -> None:
    """1,600 lines, each of them true of a page: only so many are tried, and each is read once."""
    lines = tuple(f"p{n}&q{n} /d{n}/" for n in range(1600))
    visits = [Visit(url="http://a.example/robots.txt", status=200, clean_param=lines)]
    visits += [
        Visit(url=f"http://a.example/d{n}/?p{n}=1", status=200, main_digest=f"{n}", words=9) for n in range(1600)
    ]
    declared = [c for c in learn(visits).active if c.family == "declared"]
    assert 0 < len(declared) <= MAX_DECLARED


def test_names_that_a_site_declares_are_exact() -> None:
    visits = [Visit(url="http://a.example/robots.txt", status=200, clean_param=("ref /shop/",))]
    normalizer = Normalizer(learn(visits + site_of({"/shop/1": "one"}).visits()).rules)
    assert normalizer.key("http://a.example/shop/9?ref=2") == "http://a.example/shop/9"
    assert normalizer.key("http://a.example/shop/9?Ref=2") != "http://a.example/shop/9"
