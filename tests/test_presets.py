"""The presets as data: what `recommended` folds, what it must never fold, and what is exempt from it."""

from __future__ import annotations

import pickle
import re
import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.rules.patterns import PatternError, Shipped, compile_pattern
from scrapy_urinorm.rulesets.sources import preset_table

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = "http://a.example/p"
FOLDER = files("scrapy_urinorm.rulesets") / "presets"


PRESETS = sorted(file.name.removesuffix(".toml") for file in FOLDER.iterdir() if file.name.endswith(".toml"))


def load(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


RECOMMENDED = load("recommended")["rules"]
EXEMPTIONS = load("exemptions")

#: A token as the vendor writes it, for each parameter of `recommended` whose name alone is no proof.
TOKENS = {
    "pk_campaign": "spring-sale",
    "pk_cpn": "spring",
    "pk_keyword": "shoes",
    "pk_kwd": "shoes",
    "pk_source": "newsletter",
    "pk_medium": "email",
    "cm_mmc": "Email-_-Weekly-_-Top-_-Logo",
    "cm_sp": "Home-_-Hero-_-Sale",
    "cm_re": "Home-_-Body-_-Box",
    "ScCid": "8d4e8c5e-1234-4111-8111-0242ac110002",
    "cjevent": "8a8f0f1a1b2c11ee81f200fb0a18b8f9",
    "dicbo": "v2-1b0e8c5a7d-003f",
    "irgwc": "1",
    "fb_comment_id": "fbc_1015_2201_1015",
    "_ga": "2.217853412.1443254376.1550000000-99.1550000000",
    "_gl": "1*1x2y3z*_ga*MTIzNDU2Nzg5MC4xNTUwMDAwMDAw",
    "_gac": "1.195342.1550000000.EAIaIQobChMI",
    "hsa_acc": "1234567890",
    "hsa_cam": "987654321",
    "hsa_grp": "",
    "hsa_ad": "4242424242",
    "hsa_src": "g",
    "hsa_mt": "p",
    "hsa_la": "true",
    "hsa_ol": "false",
    "hsa_ver": "3",
    "xtor": "SEC-13-GOO-[free_cloud]-[437013752568]-S-[]",
    "CFTOKEN": "48630702",
    "CFID": "1169580",
    "elqat": "1",
    "et_rid": "12345678",
    "dm_i": "2PYD,1ABCD,8XYZ12,4QWE,1",
    "sc_eh": "a3f1c7d49be0a6f2c1",
    "sc_uid": "Xa1B2c3D4e",
    "sc_llid": "10293",
    "PHPSESSID": "h4qf3m0s9d2k5v7t1b8n6c0x2z",
    "jsessionid": "1A530637289A03B07199A44E8D531427.node1",
    "ASPSESSIONID*": "BCDEFGHIJKLMNOPQRSTUVWXY",
    "ASP.NET_SessionId": "lit3py55t21z5v55vlm25s55",
    "AspxAutoDetectCookieSupport": "1",
    "CGISESSID": "9e107d9d372bb6826bd81d3542a419d6",
    "osCsid": "b7k2m4p6q8r0s1t3u5v7w9x2y4",
    "zenid": "b7k2m4p6q8r0s1t3u5v7w9x2y4",
    "XTCsid": "b7k2m4p6q8r0s1t3u5v7w9x2y4",
    "MODsid": "b7k2m4p6q8r0s1t3u5v7w9x2y4",
    "BV_SessionID": "@@@@1234567890.0987654321@@@@",
    "___SID": "U",
}
#: A name for each glob.
NAMES = {"*": "anything", "ASPSESSIONID*": "ASPSESSIONIDQQQBADSA", "elqTrack*": "elqTrackId"}

SESSION = "9e107d9d372bb6826bd81d3542a419d6"
SEARCH_A, SEARCH_B = f"sid={SESSION}", "sid=0cc175b9c0f1b6a831c399e269772661"
JWT_A, JWT_B = "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl", "eyJhbGciOiJI.eyJzdWIiOiIy.c2lnbmF0dXJl"


@pytest.fixture(scope="module")
def recommended() -> Normalizer:
    return Normalizer()


@pytest.fixture(scope="module")
def safe() -> Normalizer:
    return Normalizer(preset="safe")


@pytest.fixture(scope="module")
def loose() -> Normalizer:
    return Normalizer(preset="loose")


# --- what is folded --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", RECOMMENDED["remove_params"], ids=lambda entry: entry["name"])
def test_every_parameter_of_recommended_is_folded_with_a_real_token(recommended: Normalizer, entry: Any) -> None:
    name = NAMES.get(entry["name"], entry["name"].replace("*", "source"))
    value = TOKENS[entry["name"]] if "value" in entry else "Ab1-x"
    assert recommended.key(f"{PAGE}?id=7&{name}={value}&z=1") == recommended.key(f"{PAGE}?id=7&z=1")
    assert recommended.key(f"{PAGE}?{name.upper()}={value}") == recommended.key(PAGE)


@pytest.mark.parametrize("entry", [e for e in RECOMMENDED["remove_params"] if "value" in e], ids=lambda e: e["name"])
def test_a_guarded_parameter_with_an_ordinary_value_is_content(recommended: Normalizer, entry: Any) -> None:
    name = NAMES.get(entry["name"], entry["name"])
    assert recommended.key(f"{PAGE}?{name}=%C2%A7%2012") != recommended.key(f"{PAGE}?{name}=%C2%A7%2013")


CHANGES = [
    ("ColdFusion session", "/p.cfm?id=7&CFID=975475&CFTOKEN=35520188", "/p.cfm?id=7"),
    (
        "ColdFusion session with a UUID for token",
        "/p.cfm?id=7&CFID=975475&CFTOKEN=2D89F5AF-3048-2957-DA4EE4B6B13661AB",
        "/p.cfm?id=7",
    ),
    (
        "ColdFusion session with a long token",
        "/p.cfm?CFID=9780600&CFTOKEN=a1b2c3d4e5f60718-2D89F5AF-3048-2957-DA4EE4B6B13661AB",
        "/p.cfm",
    ),
    ("Lucee session", "/p.cfm?cfid=0b6e1d1c-1111-4111-8111-0242ac110002", "/p.cfm"),
    ("AT Internet campaign in a feed", "/p.html?xtor=RSS-3208", "/p.html"),
    ("AT Internet campaign with a custom source", "/p?id=7&xtor=CS1-31-[facebook]", "/p?id=7"),
    ("a link shared by an app", "/p?id=100008807614921&mibextid=LQQJ4d", "/p?id=100008807614921"),
    ("campaign tags", "/p?utm_source=a&utm_medium=b&utm_campaign=c", "/p"),
    ("campaign tags that a tool invented", "/p?id=7&utm_foo=1", "/p?id=7"),
    ("capitals in the name", "/p?UTM_Source=a&GCLID=x", "/p"),
    ("an escaped name", "/p?utm%5Fsource=a&%66bclid=x", "/p"),
    ("an empty token", "/p?id=7&fbclid=&gclid", "/p?id=7"),
    ("campaign words", "/p?utm_source=Newsletter2024&itm_content=a", "/p"),
    ("a Snapchat click", "/p?ScCid=8d4e8c5e-1234-4111-8111-0242ac110002", "/p"),
    ("a JRun session", "/p;jsessionid=a63098d96360$B0$D9$A?jsessionid=f030d168da1c$3F$3F$3", "/p"),
    ("a click of an affiliate", "/p?cjevent=8a8f0f1a1b2c11ee81f200fb0a18b8f9&tgclid=x", "/p"),
    ("a repeated parameter", "/p?utm_source=a&id=7&utm_source=b", "/p?id=7"),
    ("parameters in another order", "/p?b=2&a=1", "/p?a=1&b=2"),
    ("equal names in another order", "/p?a=2&a=1", "/p?a=1&a=2"),
    ("Java session at the end of the path", "/p;jsessionid=1A530637289A03B07199A44E8D531427", "/p"),
    ("Java session before a query, capitals", "/p;JSESSIONID=1A53.tpdila09v_2?id=7", "/p?id=7"),
    ("Java session inside the path", "/a;jsessionid=0000Xy:12ab/p", "/a/p"),
    ("Java session beside another path parameter", "/p;v=2;jsessionid=1A53", "/p;v=2"),
    ("WebLogic session", "/p;jsessionid=LyTQ8fZG!-1062731416!NONE", "/p"),
    ("ASP.NET session segment", "/shop/(S(lit3py55t21z5v55vlm25s55))/p.aspx?id=7", "/shop/p.aspx?id=7"),
    ("ASP.NET session segment without .aspx", "/(S(lit3py55t21z5v55vlm25s55))/p", "/p"),
    ("ASP.NET cookie test", "/(X(1)S(lit3py55t21z5v55vlm25s55))/p?AspxAutoDetectCookieSupport=1", "/p"),
]


@pytest.mark.parametrize(("before", "after"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_recommended_folds(recommended: Normalizer, before: str, after: str) -> None:
    assert recommended.key("http://a.example" + before) == recommended.key("http://a.example" + after)


LOOSE = [
    ("scheme", "http://a.example/p", "https://a.example/p"),
    ("www", "https://www.a.example/p", "https://a.example/p"),
    ("trailing slash", "https://a.example/b/", "https://a.example/b"),
    ("index file", "https://a.example/b/index.html", "https://a.example/b/"),
    ("default file", "https://a.example/b/Default.aspx", "https://a.example/b"),
    ("duplicate slashes", "https://a.example//b///c", "https://a.example/b/c"),
    (
        "all at once, with what recommended does",
        "http://www.a.example//b/index.php?utm_source=x",
        "https://a.example/b",
    ),
]


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in LOOSE], ids=[row[0] for row in LOOSE])
def test_loose_folds_what_recommended_keeps(recommended: Normalizer, loose: Normalizer, one: str, other: str) -> None:
    assert loose.key(one) == loose.key(other)
    assert recommended.key(one) != recommended.key(other)


# --- what must never be folded ---------------------------------------------------------------------------------------

#: Words that name content on some site, whatever lists of trackers say.
CONTENT = """
sid s session sessionid session_id id ID _id uid cid pid tid eid aid nid gid token key hash code ref ref_ referrer
referer source src origin from campaign medium channel affiliate aff partner partnerid tag tags t p q query search
keyword keywords k term feature var v version rev z m c w page start offset limit lang hl locale sort order dir by
view mode type format print url next return redirect continue u link target media video list index date
year month day time category cat topic thread post f b d n store currency size color variant sku product item model
brand price location city trk spm scm si ncid icid mbid cmpid clickid at_campaign at_medium usqp awc ymid psc
mc gs pk kwd ga gl hsa utm _ref campaign_id source_id s_id msid jsid ssid osid user username name title action do
cmd task option module
""".split()


@pytest.mark.parametrize("name", CONTENT)
@pytest.mark.parametrize(
    "values", [("1", "2"), (SESSION, "0cc175b9c0f1b6a831c399e269772661")], ids=["numbers", "hexadecimal"]
)
def test_a_content_parameter_is_never_folded(recommended: Normalizer, name: str, values: tuple[str, str]) -> None:
    one, other = (recommended.key(f"{PAGE}?{name}={value}") for value in values)
    assert len({one, other, recommended.key(PAGE)}) == 3


DISTINCT = [
    ("primary keys are not campaigns", "/p?pk_campaign=1", "/p?pk_campaign=2"),
    ("primary keys are not campaigns, bare pk", "/p?pk=1&pk_content=4", "/p?pk=1&pk_content=5"),
    ("coordinates are not campaign tags", "/map?utm_zone=32&utm_x=1", "/map?utm_zone=33&utm_x=1"),
    ("coordinates in capitals", "/map?UTM_Easting=500000", "/map?UTM_Easting=500001"),
    ("coordinates under longer names", "/map?utm_zone_confirm=36N&utm_lat=1", "/map?utm_zone_confirm=37N&utm_lat=1"),
    ("a latitude named like a campaign", "/map?utm_lat=41.1", "/map?utm_lat=41.2"),
    ("a file by an id under utm_source", "/share?utm_source=v9p0ZMD", "/share?utm_source=CkMsvQm"),
    ("a file by a longer one", "/upload/?utm_source=igjvxR46m5I", "/upload/?utm_source=Tg7xBrzswYZ"),
    ("a file by date and id", "/dltransfer?utm_source=20230131crnynkwT", "/dltransfer?utm_source=20230131crnynkwU"),
    ("a mail on the web", "/index.php/email/emailWebview?mkt_tok=NzY5", "/index.php/email/emailWebview?mkt_tok=MTYx"),
    ("a number named like Snapchat's click", "/code/sccdetails?sccId=12", "/code/sccdetails?sccId=13"),
    ("parentheses within parentheses", "/wiki/(S(n))/", "/wiki/"),
    ("a name that ends in a session's", "/p?msid=9e107d9d372bb6826bd81d3542a419d6", "/p?msid=1"),
    ("a name that starts with a tracker's", "/p?gclidx=1", "/p?gclidx=2"),
    ("a search identifier of a forum", f"/search.php?{SEARCH_A}", f"/search.php?{SEARCH_B}"),
    ("a PHP session too short for one", "/p?PHPSESSID=1", "/p?PHPSESSID=2"),
    ("a short jsessionid in the query", "/p?jsessionid=1", "/p?jsessionid=2"),
    ("a short number named like ColdFusion's", "/p?cfid=12345", "/p?cfid=12346"),
    ("a year named like ColdFusion's token", "/p?cftoken=2024", "/p?cftoken=2025"),
    (
        "a UUID under the count's name, in capitals as no visitor has it",
        "/p?cfid=0B6E1D1C-1111-4111-8111-0242AC110002",
        "/p?cfid=0B6E1D1C-1111-4111-8111-0242AC110003",
    ),
    ("a word named like a campaign", "/p?xtor=alpha", "/p?xtor=beta"),
    ("a number named like a campaign", "/p?xtor=1-2", "/p?xtor=1-3"),
    ("a name that starts with an impression's", "/p?__twitter_impressions=1", "/p?__twitter_impressions=2"),
    ("a name that starts with HubSpot's", "/p?hsa_lang=en", "/p?hsa_lang=de"),
    ("another path parameter", "/p;v=1", "/p;v=2"),
    ("a path parameter that ends alike", "/p;xjsessionid=1", "/p;xjsessionid=2"),
    ("parentheses that are content", "/wiki/Foo_(S)", "/wiki/Foo_(T)"),
    ("a segment in parentheses", "/(S)/p", "/p"),
    ("the tracker's name in the value", "/p?q=utm_source%3Da", "/p?q=utm_source%3Db"),
    ("the tracker's name in the path", "/utm_source=a", "/utm_source=b"),
    ("scheme", "http://a.example/p", "https://a.example/p"),
    ("www", "http://www.a.example/p", "http://a.example/p"),
    ("trailing slash", "/b/", "/b"),
    ("index file", "/b/index.html", "/b/"),
    ("duplicate slashes", "/b//c", "/b/c"),
    ("capitals in the path", "/B", "/b"),
    ("an escaped slash", "/a%2Fb", "/a/b"),
    ("an escaped percent sign", "/a%252Fb", "/a%2Fb"),
    ("an escaped plus sign", "/p?q=a%2Bb", "/p?q=a+b"),
]


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in DISTINCT], ids=[row[0] for row in DISTINCT])
def test_recommended_keeps_apart(recommended: Normalizer, one: str, other: str) -> None:
    keys = [recommended.key(url if "://" in url else "http://a.example" + url) for url in (one, other)]
    assert keys[0] != keys[1]


SIGNATURES = {
    "X-Amz-Signature": "ab" * 32,
    "X-Goog-Signature": "ab" * 256,
    "q-signature": "ab" * 20,
    "sig": "q2ZkJH3xV9yLrQ4mW8sT1uB6nE5cA7dF0gK2pX4zYhI%3D",
    "temp_url_sig": "ab" * 20,
    "Policy": "eyJTdGF0ZW1lbnQiOlt7IlJlc291cmNlIjoiaHR0cDovL2EuZXhhbXBsZS8qIn1dfQ__",
    "Signature": "nitfHRCrtziwO2HwPfWw~yYDhUF5EwRunQA-j19DzZrvDh6hQ73lDx",
    "X-Signature": "ab" * 20,
    "URLPrefix": "aHR0cDovL2EuZXhhbXBsZS9w",
    "hdnts": "exp=1700000000~acl=/*~hmac=" + "ab" * 32,
    "hdnea": "exp=1700000000~acl=/*~hmac=" + "ab" * 32,
    "__token__": "exp=1700000000~acl=/*~hmac=" + "ab" * 32,
    "__gda__": "1700000000_" + "ab" * 16,
    "__cld_token__": "exp=1700000000~hmac=" + "ab" * 32,
    "verify": "1700000000-q2ZkJH3xV9yLrQ4mW8sT1uB6nE5cA7dF0gK2pX4zYhI%3D",
    "oh": "00_AfDk3vWq8Zr5Tb1Yx7Lm2Np9",
    "md5": "PmJ2tKp0jQrVw4XyZa1b2c",
    "secure_link": "PmJ2tKp0jQrVw4XyZa1b2c",
    "hmac": "ab" * 32,
    "hmac_*": "ab" * 32,
    "token": JWT_A,
    "jwt": JWT_A,
    "access_token": JWT_A,
    "id_token": JWT_A,
}


@pytest.mark.parametrize("entry", EXEMPTIONS["signature_params"], ids=lambda entry: entry["name"])
def test_a_signed_address_is_left_alone(recommended: Normalizer, entry: Any) -> None:
    name = entry["name"].replace("*", "sha256")
    value = SIGNATURES[entry["name"]] if "value" in entry else "AKIDEXAMPLE"
    signed = f"{PAGE}?{name}={value}&utm_source="
    assert recommended.key(signed + "a") != recommended.key(signed + "b")
    assert recommended.key(f"{PAGE}?utm_source=a") == recommended.key(f"{PAGE}?utm_source=b")


@pytest.mark.parametrize(
    "url",
    [
        "/p?sig=short&utm_source=a",
        "/p?Policy=refunds&utm_source=a",
        "/p?token=abc&utm_source=a",
        "/p?verify=1&utm_source=a",
        "/p?oh=Ohio&utm_source=a",
        "/p?Expires=1700000000&utm_source=a",
    ],
)
def test_an_ordinary_parameter_is_no_signature(recommended: Normalizer, url: str) -> None:
    url = "http://a.example" + url
    assert recommended.key(url) == recommended.key(url.replace("&utm_source=a", ""))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/unsubscribe?mkt_tok=a", "/unsubscribe?mkt_tok=b"),
        ("/mail/UnSubscribe.aspx?mc_eid=a", "/mail/UnSubscribe.aspx?mc_eid=b"),
        ("/prefs?action=opt-out&vero_id=a", "/prefs?action=opt-out&vero_id=b"),
        ("/newsletter/abmelden?bsft_uid=a", "/newsletter/abmelden?bsft_uid=b"),
        ("/d%C3%A9sabonnement?mc_eid=a", "/d%C3%A9sabonnement?mc_eid=b"),
        (
            "/page?do=%D0%BE%D1%82%D0%BF%D0%B8%D1%81%D0%BA%D0%B0&_hsenc=a",
            "/page?do=%D0%BE%D1%82%D0%BF%D0%B8%D1%81%D0%BA%D0%B0&_hsenc=b",
        ),
    ],
)
def test_a_link_to_unsubscribe_keeps_its_recipient(recommended: Normalizer, one: str, other: str) -> None:
    assert recommended.key("http://a.example" + one) != recommended.key("http://a.example" + other)


# --- the files -------------------------------------------------------------------------------------------------------


def test_safe_has_no_rule(safe: Normalizer) -> None:
    assert load("safe") == {"version": 1}
    assert safe.key(f"{PAGE}?utm_source=a") != safe.key(f"{PAGE}?utm_source=b")


@pytest.mark.parametrize("name", ["safe", "recommended", "loose", "exemptions"])
def test_every_preset_is_versioned(name: str) -> None:
    assert load(name)["version"] == {"recommended": 2, "loose": 2}.get(name, 1)


@pytest.mark.parametrize(
    "entries",
    [RECOMMENDED["remove_params"], RECOMMENDED["path_params"], EXEMPTIONS["signature_params"]],
    ids=["remove_params", "path_params", "signature_params"],
)
def test_every_name_has_its_provenance_and_stands_once(entries: list[dict[str, str]]) -> None:
    assert all(len(entry["why"]) > 10 for entry in entries)
    names = [entry["name"].lower() for entry in entries]
    assert len(set(names)) == len(names)
    assert not [name for name in names if name.startswith("*")]


def test_no_content_word_is_in_the_list() -> None:
    assert not {entry["name"].lower() for entry in RECOMMENDED["remove_params"]} & set(CONTENT)


def patterns(table: Any) -> Iterator[tuple[str, re.RegexFlag]]:
    """The patterns in a preset, with the flags that they are compiled with."""
    if isinstance(table, list):
        for one in table:
            yield from patterns(one)
    elif isinstance(table, dict):
        for key, one in table.items():
            if key == "value":
                yield one, re.NOFLAG
            elif key == "pattern":
                yield one, re.NOFLAG if table.get("case_sensitive") else re.IGNORECASE | re.ASCII
            else:
                yield from patterns(one)


@pytest.mark.parametrize("name", PRESETS)
def test_every_shipped_pattern_passes_the_check_that_no_crawl_makes_at_its_start(name: str) -> None:
    for text, flags in patterns(load(name)):
        assert compile_pattern(text, flags=flags).limit > 400
    assert list(patterns(preset_table(name))) == list(patterns(load(name)))
    assert all(type(text) is Shipped for text, _ in patterns(preset_table(name)))


def test_a_shipped_pattern_is_compiled_when_it_is_first_tried() -> None:
    shipped = compile_pattern(Shipped("[0-9]+"))
    assert shipped == compile_pattern("[0-9]+")
    assert shipped != compile_pattern("[0-9]+", full=False)
    assert pickle.loads(pickle.dumps(shipped)) == shipped
    assert shipped.match("12")
    assert not shipped.match("1a")
    assert shipped.limit == compile_pattern("[0-9]+").limit
    # used, it is as any other: `__getattr__` would slow it down
    assert type(shipped) is type(compile_pattern("[0-9]+"))
    # what a test has not looked at would be found out here
    with pytest.raises(PatternError):
        compile_pattern(Shipped("(a+)+$")).match("a")
