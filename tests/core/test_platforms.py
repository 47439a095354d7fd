"""Packs of platforms: what their lines say of themselves, how a table names them, and what they must leave alone."""
# ruff: noqa: E501  a row of a table is a line

from __future__ import annotations

import functools
import random
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.errors import RuleFileError
from scrapy_urinorm.lint.packs import pack_problems
from scrapy_urinorm.rules import CATALOGUE
from scrapy_urinorm.rulesets import platforms
from scrapy_urinorm.rulesets.platforms import PackError, Use, read_pack

SITE = "http://a.example"
REAL_LISTS = Path(__file__).resolve().parents[3] / "shared" / "data" / "urls"
NAMES = platforms.names()
#: Programs that the documentation promises a pack for.
PROMISED = """
aspnet autoindex b2evolution bigcommerce bitrix bugzilla cgit coldfusion commercecloud coppermine cubecart discourse
discuz dokuwiki drupal dspace e107 eprints flarum fluxbb foswiki geeklog gitea gitlab gitweb invision joomla liferay
listings litecart logins magento mailman mediawiki moinmoin moodle mybb mylittleforum nopcommerce ojs opencart osclass
oscommerce patchwork phpbb phpmyfaq piwigo plone pmwiki prestashop question2answer redmine roundup serendipity
servlets sharepoint shopify shopware smf squarespace trac typo3 vbulletin viewvc wackowiki webcalendar wikkawiki wix
woocommerce wordpress xenforo zencart
""".split()


def bindable(name: str) -> str:
    """A pack's name; the test is left out where one of its rules cannot be said for a part of a site."""
    for line in platforms.pack(name).lines:
        for rule in line.table.keys() & CATALOGUE.keys():
            if not CATALOGUE[rule].may_stand_in(("path",)):
                pytest.skip(f"{rule} cannot be said for a part of a site")
    return name


@functools.cache
def with_packs(*said: str, path: str = "/", **more: Any) -> Normalizer:
    return Normalizer(
        {"site": {"a.example": {"platform": [{"name": name, "path": path, **more} for name in said]}}}, preset="safe"
    )


def verdict(n: Normalizer) -> Any:
    def put_off(url: str) -> bool:
        decision = n.decide(url)
        return decision.skip or decision.defer

    return put_off


def test_every_promised_program_has_a_pack() -> None:
    assert set(NAMES) >= set(PROMISED)
    assert len(NAMES) >= 55


@pytest.mark.parametrize("path", ["/", "/sub/x.y/"])
@pytest.mark.parametrize("name", NAMES)
def test_lines_do_what_they_say(name: str, path: str) -> None:
    n = with_packs(name if path == "/" else bindable(name), path=path, all=True)
    assert platforms.wrong(Use(platforms.pack(name), path, True), n.key, verdict(n), SITE) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_pack_is_bound_to_its_path(name: str) -> None:
    """Below another directory no line acts, whatever it would do on its own."""
    n, bare = with_packs(bindable(name), path="/elsewhere/", all=True), Normalizer(preset="safe")
    for line in platforms.pack(name).lines:
        for url in [url for one, other, _ in line.pairs for url in (one, other)] + [url for url, _ in line.urls]:
            assert n.key(SITE + url) == bare.key(SITE + url), line.id
            assert not verdict(n)(SITE + url), line.id


@pytest.mark.parametrize("name", NAMES)
def test_lines_leave_the_front_page_and_settle(name: str) -> None:
    n = with_packs(name, all=True)
    assert n.key(f"{SITE}/") == f"{SITE}/"
    assert not verdict(n)(f"{SITE}/")
    for line in platforms.pack(name).lines:
        for one, other, _ in line.pairs:
            for url in (SITE + one, SITE + other):
                canonical = n.normalize(url)
                assert (n.normalize(canonical), n.key(canonical)) == (canonical, n.key(url))
    assert n.counts["unstable"] == 0


@pytest.mark.parametrize("name", NAMES)
def test_only_lines_that_put_off_are_of_the_classes_that_do(name: str) -> None:
    for line in platforms.pack(name).lines:
        assert line.folds is (line.kind in platforms.HARMLESS) or line.kind == "order", line.id
        if line.kind == "narrow":
            assert "defer" in line.table, line.id
        if line.kind in ("skip", "never"):
            assert line.table.get("skip") is True, line.id
        assert len(line.why) > 15, line.id
        assert len(line.source) > 8, line.id


@pytest.mark.parametrize("name", NAMES)
def test_proof_is_an_installation(name: str) -> None:
    pack = platforms.pack(name)
    assert any(line.proof == "proven" for line in pack.lines) is bool(pack.tested)


@pytest.mark.parametrize("name", NAMES)
def test_a_program_can_be_recognized_without_its_addresses(name: str) -> None:
    kinds = {mark.kind for mark in platforms.pack(name).marks}
    assert kinds - {"url"}
    assert not [mark for mark in platforms.pack(name).marks if mark.kind == "url" and mark.strong]


# --- what a table says --------------------------------------------------------------------------------------------------


def test_only_proven_lines_act_unless_all_are_wanted() -> None:
    url = f"{SITE}/wp-login.php"
    assert not with_packs("wordpress").decide(url).skip
    assert with_packs("wordpress", all=True).decide(url).skip
    assert with_packs("wordpress").key(f"{SITE}/?p=7&replytocom=3") == f"{SITE}/?p=7"


@pytest.mark.parametrize("more", [{}, {"all": True}], ids=["proven", "all"])
@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("wordpress", "/2021/08/cracking/comment-page-1/", "/2021/08/cracking/"),
        ("autoindex", "/manuals/index.html", "/manuals/"),
    ],
)
def test_what_a_setting_of_the_program_decides_acts_on_no_word(
    name: str, one: str, other: str, more: dict[str, bool]
) -> None:
    """WordPress shows the newest comments first unless told otherwise, so that the post shows the last page of them."""
    n = with_packs(name, **more)
    assert n.key(SITE + one) != n.key(SITE + other)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_tried_does_what_it_says_as_well(name: str) -> None:
    pack = platforms.pack(name)
    assert pack_problems(pack) == []
    tried = Use(pack, all=True, tried=True).lines()
    assert [line.id for line in tried] == [line.id for line in pack.lines]


def test_a_line_can_be_taken_out() -> None:
    n = Normalizer(
        {"site": {"a.example": {"platform": {"name": "wordpress", "without": ["replytocom"]}}}}, preset="safe"
    )
    assert n.key(f"{SITE}/?p=7&replytocom=3") == f"{SITE}/?p=7&replytocom=3"


def test_own_rules_stand_above_a_pack() -> None:
    n = Normalizer({"site": {"a.example": {"platform": "wordpress", "except_params": ["replytocom"]}}}, preset="safe")
    assert n.key(f"{SITE}/?p=7&replytocom=3") == f"{SITE}/?p=7&replytocom=3"


def test_a_name_is_enough_and_other_sites_are_left_alone() -> None:
    n = Normalizer({"site": {"a.example": {"platform": "wordpress"}}}, preset="safe")
    assert n.key(f"{SITE}/?replytocom=3") == f"{SITE}/"
    assert n.key("http://b.example/?replytocom=3") == "http://b.example/?replytocom=3"


def test_explain_names_the_pack_and_the_line() -> None:
    line = next(line for line in platforms.pack("dokuwiki").lines if line.id == "forms")
    text = str(with_packs("dokuwiki").explain(f"{SITE}/doku.php?id=a&do=login"))
    assert f"platform dokuwiki:{line.number}" in text


WRONG = {
    "no such platform": ("wordpres", "there is no platform 'wordpres'"),
    "no platform at all": (7, "is no platform"),
    "an unknown key": ({"name": "wordpress", "paths": "/"}, "unknown key 'paths'"),
    "no directory": ({"name": "wordpress", "path": "blog"}, "is no directory"),
    "a glob": ({"name": "wordpress", "path": "/*/blog/"}, "is no directory"),
    "no such line": ({"name": "wordpress", "without": ["x"]}, "has no line 'x'"),
    "lines that are no list": ({"name": "wordpress", "without": "x"}, "is no list of lines"),
    "a file that is not there": ("./none.toml", "cannot be read"),
}


@pytest.mark.parametrize(("said", "message"), WRONG.values(), ids=WRONG)
def test_what_a_table_cannot_say(said: Any, message: str) -> None:
    with pytest.raises(RuleFileError, match=message):
        Normalizer({"site": {"a.example": {"platform": said}}})


def test_a_platform_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(OWN)
    n = Normalizer({"site": {"a.example": {"platform": {"name": str(file), "path": "/x/"}}}}, preset="safe")
    assert n.key(f"{SITE}/x/p?tick=3") == f"{SITE}/x/p"
    assert n.key(f"{SITE}/p?tick=3") == f"{SITE}/p?tick=3"


OWN = """
title = "Own"
about = "A program."
tested = "here"
[[mark]]
generator = '^Own'
strong = true
[[line]]
id = "ticks"
class = "drop"
proof = "proven"
why = "a count of requests"
source = "its source"
remove_params = ["tick"]
examples = [["/p?tick=1", "/p"]]
distinct = [["/p", "/q"]]
"""

BROKEN = {
    "no TOML": ("x", "does not parse"),
    "an unknown key": ("surprise = 1", "unknown key 'surprise'"),
    "no title": ("about = 'x'", "title is missing"),
    "a key that is neither true nor false": (f"anywhere = 'yes'\n{OWN}", "anywhere is 'yes', not true or false"),
    "no source": (OWN.replace('source = "its source"\n', ""), "source is missing"),
    "an unknown class": (OWN.replace('class = "drop"', 'class = "maybe"'), "'maybe' is none of"),
    "an unknown proof": (OWN.replace('"proven"', '"hoped"'), "'hoped' is none of"),
    "nothing that stays apart": (OWN.replace('distinct = [["/p", "/q"]]\n', ""), "distinct is missing"),
    "no rule": (OWN.replace('remove_params = ["tick"]\n', ""), "has no rule"),
    "two lines of one id": (OWN + OWN[OWN.index("[[line]]") :], "two lines have the id 'ticks'"),
    "one table where a list is meant": ("title='x'\nabout='y'\n[line]\n", "double brackets"),
    "a mark of no kind": (OWN.replace("generator = '^Own'", "smell = 'x'"), "a mark has one of"),
    "a mark that is no pattern": (OWN.replace("'^Own'", "'('"), "is not a pattern"),
    "a marker without text": (OWN.replace("generator = '^Own'", "marker = 'x'"), "has no `text`"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN)
def test_what_a_pack_cannot_say(text: str, message: str) -> None:
    with pytest.raises(PackError, match=message):
        read_pack("own", text)


def test_a_rule_that_does_not_check_is_reported_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(OWN.replace('remove_params = ["tick"]', "query = { a = true }\nremove_param = 1"))
    with pytest.raises(RuleFileError, match=r"own\.toml:8: .*there is no rule 'remove_param'"):
        Normalizer({"site": {"a.example": {"platform": str(file)}}})


# --- harm ---------------------------------------------------------------------------------------------------------------

#: Pages that a wrong recognition must not cost: what the packs' names mean elsewhere.
ELSEWHERE = [
    "/search?s=frob", "/?s=7", "/?p=7", "/?p=8", "/?id=7", "/?order=7", "/?order=8", "/?sort=7", "/?page=2", "/?a=search", "/?a=7",
    "/?action=7", "/?view=7", "/?start=10", "/?f=2", "/?t=7", "/?u=lin", "/?lang=ruby", "/?sid=7", "/?q=a-b", "/?token=7", "/?hash=7",
    "/?title=Frob", "/?limit=50", "/?back=1", "/?share=7", "/?ref=7", "/?h=1", "/?C=x", "/?o=7", "/?n=7", "/?route=home", "/?format=a",
    "/login", "/news", "/products", "/about.html", "/forum/viewtopic", "/feed", "/sitemap.xml", "/robots.txt",
    "/?extra=7", "/?redirect=%2Fa", "/?type=0", "/?type=98", "/?no_cache=7", "/?do=7", "/?display=7", "/?m=1", "/?month=4", "/?tag=a",
    "/?orderby=price", "/?viewmode=7", "/?price=10", "/?specs=tall", "/?sortby=7", "/?sortdir=7", "/?limit_changes=7", "/?view=markup", "/?view=log",
    "/?manufacturer=7", "/?properties=7", "/?parent=7", "/?mode=3", "/?lightbox=7", "/?reversePaginate=7", "/?parameter=cHash", "/?clear_cache=7",
    "/2012", "/id/eprint/frob", "/view", "/a/view/b", "/d/7", "/d/7-a/b", "/thread-7-1-1.htm", "/picture/frob/category/3", "/?cPath=1", "/?products_id=7",
    "/?forcedownload=7", "/?b_start:int=20", "/?PAGEN_1=1", "/?PAGEN_1=2", "/?p_p_mode=view", "/?srule=7", "/?start=7&sz=12", "/?prefn1=color",
]  # fmt: skip


def test_all_packs_at_once_leave_other_sites_pages_apart() -> None:
    n = with_packs(*NAMES, all=True)
    keys = {n.key(SITE + url) for url in ELSEWHERE}
    assert len(keys) == len(ELSEWHERE)


#: Pages of real sites whose addresses look like forms of programs, from the lists of real URLs.
REAL_PAGES = """
/users/schwartz/ /users/bkrnvstsrv/index.html /admin/linuxlogo.html /admin/purchase/ /newsletter/index.html /customer/ /my/teri/
/register/docs/haplo.html /accounts/Mus_musculus/ /publications/login/login.html /processes/Not%20Used/CNC.pdf /submitted/
/sudoku/index.php?diff=DL&title=Tough%20Sudoku /embed/ /my/CoolSkinz/custom.html /posts.html /patches/?3479
/news/press/archive/2003/05/pr03033.html /report.php?ID=660092 /register.php?dir=a&file=b /games/login?game=Crossword
/showDoc.Fulltext?format=pdf&lang=en /diary/archive/2007/10/30/a.html /typo3/ /typo3-agency/features.html /account-help /customer/
/cgi/search /cgi/latest /view/subjects/QA.html /config /apis /online.html /login/index.html /calendar/view.php
/leaderboard.html /compareproducts /widgets/ /quickview /address_book.php /member.php?action=profile&uid=3 /sendto /folder/view
""".split()


def test_all_packs_at_once_leave_real_pages_requested() -> None:
    n = with_packs(*NAMES, all=True)
    assert [url for url in REAL_PAGES if verdict(n)(SITE + url)] == []


#: Packs of one program's ways: what either takes for one page, both do.
KIN = {frozenset(("autoindex", "listings"))}


@pytest.mark.parametrize("name", NAMES)
def test_a_pack_merges_nothing_that_another_keeps_apart(name: str) -> None:
    """A wrong recognition is harmless: lines act on the addresses of their own program, in both orders of packs."""
    others = [one for one in NAMES if one != name and frozenset((one, name)) not in KIN]
    alone, both = with_packs(name, all=True), [with_packs(*order, all=True) for order in (NAMES, NAMES[::-1])]
    pairs = [(SITE + one, SITE + other) for pack in others for line in platforms.pack(pack).lines
             for one, other, same in line.pairs if not same]  # fmt: skip
    own = [
        (SITE + one, SITE + other) for line in platforms.pack(name).lines for one, other, same in line.pairs if not same
    ]
    assert [pair for pair in pairs if alone.key(pair[0]) == alone.key(pair[1])] == []
    for n in both:
        merged = [pair for pair in own if n.key(pair[0]) == n.key(pair[1])]
        assert not merged or any(name in kin for kin in KIN), merged


def test_attachments_of_discuz_stay_apart_by_number() -> None:
    """Behind the number, all in Base64, stand eight hexadecimal digits, the second, the visitor and the topic."""
    pack, chance = Use(platforms.pack("discuz"), all=True, tried=True), random.Random(7)
    n = Normalizer({"site": {"a.example": platforms.bound(pack)[0]}}, preset="safe")
    numbers: dict[str, set[int]] = {}
    for number in (*range(1200), *range(12_345, 12_400), *range(10**7, 10**7 + 50)):
        for _ in range(3):
            text = f"{number}|{chance.getrandbits(32):08x}|{chance.randrange(10**9, 2 * 10**9)}|{chance.randrange(9)}|5"
            aid = quote(b64encode(text.encode()).decode(), safe="")
            numbers.setdefault(n.key(f"{SITE}/forum.php?mod=attachment&aid={aid}"), set()).add(number)
    assert [found for found in numbers.values() if len(found) > 1] == []
    assert len(numbers) < 1400  # the line acts: there are 3,915 addresses


@pytest.mark.slow
def test_all_packs_at_once_on_lists_of_real_urls() -> None:
    """The one merge was looked at: an address that is escaped twice, with a tracker in it."""
    lists = sorted(REAL_LISTS.glob("*.txt"))
    if not lists:
        pytest.skip(f"no lists of URLs in {REAL_LISTS}")
    urls = [url for file in lists for url in file.read_text("utf-8", "surrogateescape").split("\n") if url]
    bare = Normalizer()
    packed = Normalizer({"rules": {"platform": list(NAMES)}})
    merged: dict[str, set[str]] = {}
    skipped = 0
    for url in urls:
        key, skip, _ = packed.judge(url)
        merged.setdefault(key, set()).add(bare.key(url))
        skipped += skip
    assert len(urls) > 60_000
    assert sum(len(keys) - 1 for keys in merged.values()) <= 1
    assert skipped <= 10


def test_how_a_query_is_split_holds_below_the_path_of_a_program() -> None:
    said: dict[str, Any] = {"platform": {"name": "gitweb", "path": "/git/"}}
    n = Normalizer({"site": {"a.example": said}}, preset="safe")
    assert n.key(f"{SITE}/git/?p=a.git;a=tree;f=x;hb=HEAD") == n.key(f"{SITE}/git/?p=a.git&a=tree&f=x")
    assert n.key(f"{SITE}/?p=a.git;a=tree") != n.key(f"{SITE}/?p=a.git&a=tree")
