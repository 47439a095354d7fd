"""Write `urls.txt`: 20,000 invented URLs with the habits of real ones.

    python benchmarks/corpus/generate.py [--check]

Every host is invented, under names reserved by RFC 2606 and RFC 6761 or documentation addresses of RFC 5737 and RFC 3849.
The same seed gives the same file on every machine; `--check` compares instead of writing. About 48 % have a query, 7 % tracking
parameters, 8 % a fragment and 10 % an escape, on 400 hosts of which a few give most of the pages.
"""

# ruff: noqa: E501 -- one template a line and running words read best
# fmt: off
from __future__ import annotations

import argparse
import random
import string
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

if TYPE_CHECKING:
    from collections.abc import Callable

TARGET = Path(__file__).with_name("urls.txt")
COUNT = 20_000
SEED = 1738  # RFC 1738, Uniform Resource Locators

WORDS = """
account advance air annual archive article autumn back balance bank base beach bicycle big black blue board book
border bottle bread bridge bright budget build business button camera canal castle center chair change cheap city
classic clean climate coast coffee cold color common compact council country course cream crisis culture data deep
design digital dinner district double dream early earth east economy election energy engine evening event expert
express extra factory family farm fashion field film final finance fire first fish flower forest forum free fresh
future gallery game garden general glass global gold grand green ground group guide hand harbor health heavy high
history home hotel house human ice image income index industry interview island jacket journey kitchen lake land large
leather letter light line list little local long low machine main market master material meeting member memory metal
minister mobile modern money morning mountain museum music national natural network new night north notice number
ocean office oil old open opinion orange order paint paper park partner people photo piano plan planet plastic player
pocket poem policy port power price print private problem product profile project public quality question quick radio
rain record red region release report research result review river road rock roman room round royal rule safety sale
salt school science sea season second secret series service shadow sharp shirt shoe short silver simple small smart
snow social soft song south space special spring square stage station stone store storm story street strong student
study summer sun supply surface sweet system table team technical theatre thin ticket time title tool total tower town
track trade traffic train travel tree trial union university update valley vegetable video view village vintage visit
voice wall warm watch water weather week west white wide wild wind window wine winter wood world yellow young zone
""".split()
UNICODE_WORDS = """
straße größe überblick café crème naïve señor mañana niño coração informação smörgåsbord ærø łódź žluťoučký kůň
новости погода москва книга дорога ελλάδα καφές 東京 天気 料理 新闻 北京 图书 한국 날씨 서울 עברית ספרים العربية كتاب हिन्दी ไทย việt
""".split()
IDN_LABELS = """
bücher müller-kaffee señal københavn россия ελλάδα 東京案内 中文网 한국어 łódź-info
""".split()
TRACKING_SOURCES = ("newsletter", "facebook", "twitter", "google", "rss", "linkedin", "bing", "push", "partner-site", "qr")
TRACKING_MEDIA = ("email", "social", "cpc", "feed", "referral", "banner", "organic", "affiliate")
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "pt-br", "ja", "zh-cn", "ru", "sv")
EXTENSIONS = ("jpg", "jpg", "jpg", "png", "webp", "gif", "pdf", "css", "js", "svg", "mp4", "zip", "xml", "woff2")


class Writer:
    """Draws hosts, paths and queries from one seeded source."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.hosts = {kind: [self.host(kind, rank) for rank in range(count)] for kind, (_, count, _) in KINDS.items()}

    # -- small parts ------------------------------------------------------------------------------------------------
    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, values: tuple[str, ...] | list[str]) -> str:
        return values[self.random.randrange(len(values))]

    def number(self, low: int, high: int) -> int:
        return self.random.randrange(low, high + 1)

    def skewed(self, high: int) -> int:
        """A number from 1 to `high`, small ones far more often, as page numbers are."""
        return 1 + int((high - 1) * self.random.random() ** 3)

    def word(self) -> str:
        return self.pick(WORDS)

    def hexadecimal(self, length: int) -> str:
        return "".join(self.random.choices("0123456789abcdef", k=length))

    def token(self, length: int) -> str:
        return "".join(self.random.choices(string.ascii_letters + string.digits + "_-", k=length))

    def slug(self, low: int = 2, high: int = 9) -> str:
        words = [self.word() for _ in range(self.number(low, high))]
        if self.chance(0.04):
            words[0] = self.text(self.pick(UNICODE_WORDS))
        return ("_" if self.chance(0.08) else "-").join(words)

    def text(self, word: str) -> str:
        """A word beyond ASCII: mostly escaped, as in a browser's request, else raw, as in a page's link."""
        if self.chance(0.5):
            return word
        escaped = quote(word, safe="")
        return escaped.lower() if self.chance(0.15) else escaped

    def phrase(self) -> str:
        """What somebody typed into a search field, encoded in one of the ways that occur."""
        words = [self.pick(UNICODE_WORDS) if self.chance(0.12) else self.word() for _ in range(self.skewed(5))]
        phrase = " ".join(words)
        if self.chance(0.06):
            phrase += self.pick([" & co", " 100%", " c++", " c#", " 24/7", ' "exact"', " a|b", " (new)", " 5'"])
        return self.pick([quote_plus, quote_plus, quote])(phrase)

    def day(self) -> tuple[int, int, int]:
        return self.number(2004, 2026), self.number(1, 12), self.number(1, 28)

    def host(self, kind: str, rank: int) -> str:
        """The site of this rank; the large ones have plain names, addresses and ports are for the small."""
        small = rank > 3
        name = self.pick([self.word(), self.word() + self.word(), f"{self.word()}-{self.word()}"])
        if self.chance(0.03):
            name = self.pick(IDN_LABELS)
            name = name if self.chance(0.5) else "xn--" + name.encode("punycode").decode("ascii")
        suffix = self.pick(["example", "example", "example", "example.com", "example.org", "example.net", "co.example", "test"])
        prefix = self.pick(["www.", "www.", "www.", "", "", f"{kind}.", "m.", f"{self.pick(list(LANGUAGES))}."])
        host = f"{prefix}{name}.{suffix}"
        if small and self.chance(0.04):
            host = self.pick([f"192.0.2.{self.number(1, 254)}", f"198.51.100.{self.number(1, 254)}", f"[2001:db8::{self.number(1, 999):x}]"])
        scheme = "http" if self.chance(0.16) else "https"
        port = f":{self.pick(['8080', '8000', '8443', '3000', '9200'])}" if small and self.chance(0.06) else ""
        return f"{scheme}://{host}{port}"

    def query(self, *pairs: tuple[str, object] | None) -> str:
        """Join the pairs that are there; sites do not always write them in one order."""
        given = [f"{name}={value}" for name, value in filter(None, pairs)]
        if self.chance(0.12):
            self.random.shuffle(given)
        return "?" + "&".join(given) if given else ""

    def maybe(self, share: float, name: str, value: object) -> tuple[str, object] | None:
        return (name, value) if self.chance(share) else None

    # -- kinds of sites ---------------------------------------------------------------------------------------------
    def news(self) -> str:
        year, month, ordinal = self.day()
        section = "/".join(self.word() for _ in range(self.number(1, 2)))
        slug = self.slug(4, 12)
        path = self.pick(
            [
                f"/{year}/{month:02}/{ordinal:02}/{slug}/",
                f"/{section}/{slug}-{self.number(10**5, 10**8)}.html",
                f"/{section}/{year}-{month:02}-{ordinal:02}/{slug}",
                f"/{section}/article{self.number(10**6, 10**8)}.ece",
                f"/{section}/story/{self.hexadecimal(24)}",
                f"/{section}/",
            ]
        )
        return path + self.query(self.maybe(0.06, "page", self.skewed(20)), self.maybe(0.03, "print", "1"), self.maybe(0.02, "outputType", "amp"))

    def blog(self) -> str:
        year, month, _ = self.day()
        slug = self.slug()
        path = self.pick([f"/{year}/{month:02}/{slug}/", f"/{slug}/", f"/tag/{self.word()}/", f"/category/{self.word()}/page/{self.skewed(30)}/", f"/author/{self.word()}/", "/"])
        return path + self.query(
            self.maybe(0.16, "replytocom", self.number(1, 90_000)), self.maybe(0.05, "p", self.number(1, 40_000)), self.maybe(0.03, "share", self.pick(["twitter", "facebook"]))
        )

    def shop(self) -> str:
        category = "/".join(self.slug(1, 2) for _ in range(self.number(1, 3)))
        if self.chance(0.45):
            path = self.pick(
                [
                    f"/p/{self.slug(3, 8)}-{self.number(1000, 10**7)}",
                    f"/{category}/{self.slug(3, 8)}.html",
                    f"/product/{self.slug(2, 6)}/dp/{self.token(10).upper()}",
                    f"/item/{self.number(10**5, 10**9)}",
                ]
            )
            return path + self.query(
                self.maybe(0.15, "variant", self.number(10**9, 10**10)),
                self.maybe(0.12, "color", self.word()),
                self.maybe(0.1, "size", self.pick(["S", "M", "L", "XL", "42", "10.5"])),
                self.maybe(0.05, "ref", self.word()),
            )
        return (
            f"/{category}"
            + self.pick(["", "/", ".html"])
            + self.query(
                self.maybe(0.35, "page", self.skewed(60)),
                self.maybe(0.2, "sort", self.pick(["price_asc", "price-desc", "newest", "popular"])),
                self.maybe(0.15, "color", "%2C".join(self.word() for _ in range(self.number(1, 3)))),
                self.maybe(0.2, "price", f"{self.number(1, 50)}-{self.number(51, 900)}"),
                self.maybe(0.2, "brand[]", self.word()),
                self.maybe(0.15, "per_page", self.pick(["24", "48", "96"])),
                self.maybe(0.08, "view", self.pick(["grid", "list"])),
            )
        )

    def forum(self) -> str:
        shape = self.number(1, 5)
        if shape == 1:
            return "/viewtopic.php" + self.query(
                self.maybe(0.6, "f", self.number(1, 90)),
                ("t", self.number(1, 400_000)),
                self.maybe(0.4, "start", 15 * self.skewed(80)),
                self.maybe(0.25, "sid", self.hexadecimal(32)),
                self.maybe(0.1, "view", "print"),
            )
        if shape == 2:
            return "/showthread.php" + self.query(
                ("t", self.number(1, 900_000)), self.maybe(0.4, "page", self.skewed(60)), self.maybe(0.15, "s", self.hexadecimal(32)), self.maybe(0.15, "p", self.number(1, 10**7))
            )
        if shape == 3:
            return f"/index.php?topic={self.number(1, 90_000)}.{self.pick(['0', '15', '30', f'msg{self.number(1, 10**6)}', 'new'])}" + self.pick(
                ["", "", ";wap2", ";prev_next=next", f"&PHPSESSID={self.hexadecimal(26)}"]
            )
        if shape == 4:
            return f"/threads/{self.slug(2, 8)}.{self.number(100, 999_999)}/" + self.pick(["", "", f"page-{self.skewed(40)}", "latest"])
        return f"/t/{self.slug(2, 8)}/{self.number(10, 99_999)}" + self.pick(["", "", f"/{self.skewed(90)}", f"?page={self.skewed(9)}"])

    def wiki(self) -> str:
        title = "_".join([self.word().capitalize(), *(self.word() for _ in range(self.number(0, 3)))])
        if self.chance(0.15):
            title = self.text(self.pick(UNICODE_WORDS).capitalize())
        if self.chance(0.08):
            title += self.pick(["_(band)", "_(film)", ",_Ohio", "%27s_law", "!", ":_part_2", "_%28disambiguation%29", "_%26_sons"])
        if self.chance(0.5):
            return f"/wiki/{title}"
        if self.chance(0.3):
            return "/doku.php" + self.query(
                ("id", f"{self.word()}:{self.word()}"),
                self.maybe(0.6, "do", self.pick(["edit", "index", "recent", "login", "diff", "media"])),
                self.maybe(0.15, "rev", self.number(10**9, 17 * 10**8)),
            )
        return "/w/index.php" + self.query(
            ("title", self.pick([title, f"Special:{self.word().capitalize()}", f"Talk:{title}"])),
            self.maybe(0.5, "action", self.pick(["edit", "history", "raw", "info"])),
            self.maybe(0.25, "oldid", self.number(10**5, 10**9)),
            self.maybe(0.15, "printable", "yes"),
            self.maybe(0.1, "redlink", 1),
        )

    def docs(self) -> str:
        version = self.pick(["latest", "stable", "v2", "3.11", "en/4.2", "1.0.x"])
        page = "/".join(self.slug(1, 2) for _ in range(self.number(1, 3)))
        path = self.pick([f"/{version}/{page}.html", f"/{version}/{page}/", f"/docs/{page}", f"/manual/{page}/index.html", f"/{version}/_modules/{page}.html"])
        return path + self.query(self.maybe(0.05, "highlight", self.word())) + (f"#{self.slug(1, 4)}" if self.chance(0.3) else "")

    def search(self) -> str:
        return self.pick(["/search", "/search/", "/suche", "/results", "/find.php", "/catalog"]) + self.query(
            (self.pick(["q", "q", "query", "s", "keyword", "k"]), self.phrase()),
            self.maybe(0.4, self.pick(["page", "p", "start", "offset"]), self.skewed(50)),
            self.maybe(0.2, "sort", self.pick(["relevance", "date", "-price"])),
            self.maybe(0.2, "lang", self.pick(LANGUAGES)),
            self.maybe(0.12, "type", self.word()),
            self.maybe(0.08, "filter[category]", self.word()),
            self.maybe(0.06, "category", ""),
            self.maybe(0.05, "exact", "true"),
        )

    def code(self) -> str:
        project = f"{self.word()}-{self.word()}"
        if self.chance(0.35):
            return (
                f"/gitweb/?p={project}.git;a={self.pick(['blob', 'tree', 'commit', 'shortlog', 'blobdiff'])}"
                + self.pick(["", f";f=src/{self.word()}.c"])
                + self.pick(["", f";h={self.hexadecimal(40)}", f";hb={self.hexadecimal(40)}", ";hb=HEAD", ";hb=refs/heads/master"])
            )
        path = self.pick(
            [
                f"blob/main/src/{self.word()}/{self.word()}.py",
                f"commit/{self.hexadecimal(40)}",
                "issues",
                f"issues/{self.number(1, 9000)}",
                "pulls",
                f"tree/v{self.number(0, 9)}.{self.number(0, 30)}/docs",
                f"releases/tag/{self.number(0, 9)}.{self.number(0, 30)}",
                f"compare/{self.hexadecimal(7)}...{self.hexadecimal(7)}",
            ]
        )
        fragment = f"#L{self.number(1, 900)}" if path.startswith("blob") and self.chance(0.4) else ""
        return f"/{self.word()}/{project}/{path}" + self.query(self.maybe(0.12, "q", self.phrase()), self.maybe(0.1, "page", self.skewed(30)), self.maybe(0.05, "w", 1)) + fragment

    def listing(self) -> str:
        path = "/pub/" + "/".join(f"{self.word()}-{self.number(0, 9)}.{self.number(0, 20)}" for _ in range(self.number(1, 3))) + "/"
        return path + self.pick(["", "", f"?C={self.pick(['N', 'M', 'S', 'D'])};O={self.pick(['A', 'D'])}", f"{self.word()}.html", "index.html", f"{self.word()}_{self.number(1, 9)}.tar.gz"])

    def government(self) -> str:
        page = self.pick(["Default", "ViewDocument", "Detail", "News", "Meeting", "Search_Result"])
        path = f"/{self.word().capitalize()}/{page}.{self.pick(['aspx', 'asp', 'jsp', 'do', 'cfm', 'action'])}"
        if path.endswith((".jsp", ".do", ".action")) and self.chance(0.3):
            path += f";jsessionid={self.hexadecimal(32).upper()}" + self.pick(["", ".node1", "!-123456789"])
        elif path.endswith(".aspx") and self.chance(0.1):
            path = f"/(S({''.join(self.random.choices(string.ascii_lowercase + '012345', k=24))})){path}"
        return path + self.query(
            self.maybe(0.7, self.pick(["id", "ID", "DocId", "nid", "guid"]), self.pick([str(self.number(1, 10**6)), f"{self.hexadecimal(8)}-{self.hexadecimal(4)}-{self.hexadecimal(12)}"])),
            self.maybe(0.3, "year", self.number(1996, 2026)),
            self.maybe(0.3, "lang", self.pick(["EN", "FR", "DE"])),
            self.maybe(0.2, "dept", self.phrase()),
            self.maybe(0.1, "month", f"{self.number(1, 12):02}"),
        )

    def media(self) -> str:
        path = f"/{self.pick(['wp-content/uploads', 'images', 'static', 'assets', 'media'])}/{self.number(2008, 2026)}/{self.number(1, 12):02}/{self.slug(1, 5)}"
        path += self.pick(["", f"-{self.number(100, 1600)}x{self.number(100, 1200)}", f".{self.hexadecimal(8)}", "%20%28" + str(self.number(1, 3)) + "%29"]) + "." + self.pick(EXTENSIONS)
        if self.chance(0.06):
            return path + self.query(
                ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
                ("X-Amz-Credential", f"{self.token(20).upper()}%2F20260101%2Fus-east-1%2Fs3%2Faws4_request"),
                ("X-Amz-Expires", 3600),
                ("X-Amz-Signature", self.hexadecimal(64)),
            )
        return path + self.query(
            self.maybe(0.12, "w", self.number(100, 2000)),
            self.maybe(0.08, "h", self.number(100, 2000)),
            self.maybe(0.1, "v", self.number(1, 999)),
            self.maybe(0.04, "ver", f"{self.number(1, 6)}.{self.number(0, 9)}"),
            self.maybe(0.03, "fit", "crop%2Ccenter"),
        )

    def interface(self) -> str:
        path = f"/api/v{self.number(1, 4)}/{self.word()}s" + self.pick(["", f"/{self.number(1, 10**6)}", f"/{self.hexadecimal(24)}/{self.word()}s"])
        return path + self.query(
            self.maybe(0.6, "limit", self.pick(["10", "20", "50", "100"])),
            self.maybe(0.5, "offset", 10 * self.skewed(90)),
            self.maybe(0.3, "fields", ",".join(self.word() for _ in range(self.number(1, 4)))),
            self.maybe(0.2, "ids[]", self.number(1, 10**5)),
            self.maybe(0.15, "cursor", self.token(32) + "%3D%3D"),
            self.maybe(0.15, "filter", quote(f'{{"{self.word()}":{self.number(1, 99)}}}', safe="")),
            self.maybe(0.1, "format", "json"),
        )

    def video(self) -> str:
        return self.pick(
            [
                f"/watch?v={self.token(11)}",
                f"/v/{self.token(11)}",
                f"/embed/{self.token(11)}",
                f"/playlist?list=PL{self.token(32)}",
                f"/@{self.word()}{self.number(1, 999)}/videos",
                f"/watch?v={self.token(11)}&t={self.number(1, 3000)}s",
            ]
        )

    def account(self) -> str:
        target = quote(
            self.pick([f"/{self.slug(1, 3)}/{self.number(1, 9999)}", f"/cart?step={self.number(1, 3)}", f"https://www.{self.word()}.example/{self.slug(1, 2)}"]), safe=self.pick(["", "/"])
        )
        return self.pick(["/login", "/user/login/", "/signin", "/account/register", "/oauth/authorize", "/out", "/redirect"]) + self.query(
            (self.pick(["next", "returnto", "return_url", "redirect", "url", "continue"]), target), self.maybe(0.15, "lang", self.pick(LANGUAGES)), self.maybe(0.1, "state", self.token(22))
        )

    def calendar(self) -> str:
        year, month, ordinal = self.day()
        return self.pick(
            [
                f"/calendar/{year}/{month:02}/",
                f"/events/{year}-{month:02}-{ordinal:02}/",
                f"/calendar.php?year={year}&month={month}",
                f"/events/?ical=1&tribe-bar-date={year}-{month:02}-{ordinal:02}",
                f"/calendar?date={year}{month:02}{ordinal:02}&view={self.pick(['day', 'week', 'month'])}",
            ]
        )

    # -- what is laid over every kind ---------------------------------------------------------------------------------
    def tracked(self, url: str) -> str:
        pairs = self.pick(
            [
                f"utm_source={self.pick(TRACKING_SOURCES)}&utm_medium={self.pick(TRACKING_MEDIA)}&utm_campaign={self.slug(1, 4)}",
                f"utm_source={self.pick(TRACKING_SOURCES)}&utm_medium={self.pick(TRACKING_MEDIA)}&utm_campaign={self.slug(1, 3)}&utm_content={self.word()}&utm_term={self.phrase()}",
                f"utm_source={self.pick(TRACKING_SOURCES)}",
                f"fbclid=IwAR{self.token(57)}",
                f"gclid=Cj0KCQ{self.token(60)}",
                f"msclkid={self.hexadecimal(32)}",
                f"mc_cid={self.hexadecimal(10)}&mc_eid={self.hexadecimal(10)}",
                f"_ga=2.{self.number(10**7, 10**9)}.{self.number(10**7, 10**9)}.{self.number(10**9, 17 * 10**8)}-{self.number(10**7, 10**9)}",
                f"srsltid=AfmBO{self.token(40)}",
                f"igshid={self.token(16)}",
                f"_hsenc=p2ANqtz-{self.token(40)}&_hsmi={self.number(10**7, 10**9)}",
                f"UTM_Source={self.pick(TRACKING_SOURCES)}",
            ]
        )
        body, mark, fragment = url.partition("#")
        return body + ("&" if "?" in body else "?") + pairs + mark + fragment

    def quirk(self, url: str) -> str:
        """One of the small irregularities that every larger crawl meets."""
        scheme, _, rest = url.partition("://")
        host, _, path = rest.partition("/")
        port = host.rpartition("]")[2].find(":") >= 0
        return self.pick(
            [
                f"{scheme}://{host.upper()}/{path}",
                f"{scheme.upper()}://{host}/{path}",
                f"{scheme}://{host}/{self.word()}/../{path}",
                f"{scheme}://{host}/./{path}",
                f"{scheme}://{host}//{path}",
                url if port else f"{scheme}://{host}:{80 if scheme == 'http' else 443}/{path}",
                f"{scheme}://{host}/%7E{self.word()}/{path}",
                f"{scheme}://{host}/{self.word()}%2f{self.word()}/{path}",
                url + ("&" if "?" in url else "?") + f"q=100%&x={self.word()}",
                url + ("&" if "?" in url else "?") + f"{self.word()}",
                url + ("&&" if "?" in url else "?&") + f"a={self.word()}&amp;b=1",
                url + ("&" if "?" in url else "?"),
                url + ("&" if "?" in url else "?") + f"name=%E9t%E9{self.number(1, 99)}",
                f"{scheme}://{host}/{self.word()} {self.word()}/{path}",
                f"{scheme}://{self.word()}:{self.word()}@{host}/{path}",
                f"{scheme}://{host}/{self.word()};v={self.number(1, 9)}/{path}",
            ]
        )

    def url(self) -> str:
        kind = self.random.choices(list(KINDS), weights=[weight for weight, _, _ in KINDS.values()])[0]
        hosts = self.hosts[kind]
        # A few large sites give most of the pages.
        url = hosts[self.skewed(len(hosts)) - 1] + KINDS[kind][2](self)
        if kind not in {"media", "code", "listing"} and self.chance(0.085):
            url = self.tracked(url)
        if "#" not in url and self.chance(0.045):
            url += self.pick(
                [f"#{self.slug(1, 3)}", "#comments", f"#comment-{self.number(1, 9999)}", "#top", f"#!/{self.word()}/{self.number(1, 99)}", f"#/{self.word()}", "#:~:text=" + self.word()]
            )
        elif "#" not in url and self.chance(0.02):
            url = self.quirk(url)
        return url


KINDS: dict[str, tuple[int, int, Callable[[Writer], str]]] = {
    # kind: (weight, hosts, how a path is made)
    "news": (19, 60, Writer.news),
    "blog": (14, 60, Writer.blog),
    "shop": (17, 50, Writer.shop),
    "forum": (9, 25, Writer.forum),
    "wiki": (8, 15, Writer.wiki),
    "docs": (11, 25, Writer.docs),
    "search": (5, 25, Writer.search),
    "code": (4, 8, Writer.code),
    "files": (2, 8, Writer.listing),
    "gov": (5, 25, Writer.government),
    "media": (8, 30, Writer.media),
    "api": (3, 12, Writer.interface),
    "video": (3, 8, Writer.video),
    "account": (3, 20, Writer.account),
    "events": (2, 12, Writer.calendar),
}


def generate(count: int = COUNT, seed: int = SEED) -> list[str]:
    """Return `count` distinct URLs, in a fixed order."""
    writer = Writer(seed)
    urls: dict[str, None] = {}
    while len(urls) < count:
        urls[writer.url()] = None
    return list(urls)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit 1 when urls.txt is not what the generator writes")
    arguments = parser.parse_args()
    text = "\n".join(generate()) + "\n"
    if arguments.check:
        return int(TARGET.read_text(encoding="utf-8") != text)
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
