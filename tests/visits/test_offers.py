"""What a page offers besides its text and its links: which of it tells one page from another."""

from __future__ import annotations

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.content.titles import SHELL_WORDS
from scrapy_urinorm.learn import learn
from scrapy_urinorm.visits.features import page_features
from scrapy_urinorm.visits.offers import OFFERS_SLOT
from tests.content.test_telling import HOST, prose, visit

URL = "http://shop.example/get/{}"
OTHER = {
    "what a form asks for": "<form method=post action='/file/{}'><button>Download</button></form>",
    "a file by its SHA-1": f"<form action='/file/{'0' * 39}{{}}'></form>",
    "a file by its SHA-256": f"<form action='/file/{'0' * 63}{{}}'></form>",
    "a file by its SHA-512": f"<form action='/file/{'0' * 127}{{}}'></form>",
    "a file by its UUID": "<form action='/file/0b5f8c1e-5c1c-4c8e-9f0a-0123456789a{}'></form>",
    "a file by a long name": "<form action='/file/a-name-of-eight-words-as-a-manual-has-it-{}.zip'></form>",
    "a file by its name": "<form action='/download.php?f=frob-{}.zip'></form>",
    "a long number": "<form action='/download.php?f=9007199254740{}993'></form>",
    "a button of a script": "<button data-url='/file/{}'>Download</button>",
    "a button with a script": """<button onclick="window.location.href='/file/{}'">Download</button>""",
    "the number of a file": "<form action='/download.php?lang=de&amp;file={}'></form>",
    "a form that is written large": '<FORM ACTION="/file/{}?a=1&amp;b=2"></FORM>',
    "a magnet": '<a href="magnet:?xt=urn:btih:{}">Download</a>',
    "a magnet in large letters": '<A HREF="MAGNET:?xt=urn:btih:{}">Download</A>',
    "a magnet with spaces": '<a href = "magnet:?xt=urn:btih:{}">Download</a>',
    "a magnet to copy": '<a class=button data-clipboard-text="magnet:?xt=urn:btih:{}">Copy</a>',
    "a file on another server": "<a href=ftp://a.example/{}.zip>Download</a>",
    "a file within the page": '<a href="data:text/plain,{}">Download</a>',
    "the name of a file": '<a href="/blob" download="file-{}.txt">Download</a>',
}
SAME = {
    "the page itself": "<form action='/get/{}?do=login'></form>",
    "the same, from its place": "<form action='{}'></form>",
    "its host and all": "<form action='http://shop.example/get/{}'></form>",
    "what a form is to go back to": "<form action='/login?next={}'><input type=hidden name=from value={}></form>",
    "a number of the page itself": "<form action='/get/{}?item={}'></form>",
    "when it was sent": "<form action='/login?t=176722560{}'></form>",
    "when it was sent, in milliseconds": "<form action='/login?t=176722560012{}'></form>",
    "a page to go on with": "<form action='/login?page=frob-{}.html'></form>",
    "the page itself, to share": "<button data-href='/get/{}?by=mail'>share</button>",
    "the page to share": "<button data-url='/share?url=%2Fget%2F{}'>share</button>",
    "a session in the query": "<form action='/login?sid=0123456789abcdef0123456789abcde{}'></form>",
    "a token": f"<form action='/login/{'0' * 32}-{{}}'></form>",
    "a picture that a script loads": '<img data-src="data:image/gif;base64,{}">',
    "a session": "<form action='/login;jsessionid={}'></form>",
    "another": "<form action='/(S({}))/login'></form>",
    "the address of the page in base 64": "<form action='/cart/uenc/aHR0cHM6Ly9zaG9wLmV4YW1wbGUvZ2V0{}/add'></form>",
    "who is written to": '<a href="mailto:a{}@a.example">write</a>',
    "where the page is shared": '<a href="whatsapp://send?text=/get/{}">share</a>',
    "a program": '<a href="javascript:go({})" data-download="file-{}">go</a>',
    "a form without an aim": "<form data-action='/file/{}' action=''></form>",
    "a form of a longer text": f"<p>{'word ' * SHELL_WORDS}</p><form action='/file/{{}}'></form>",
}


def offers_of(page: str, n: int) -> int | None:
    url = URL.format(n)
    features = page_features(f"<p>a text{page.replace('{}', str(n))}".encode(), "text/html", url=url)
    lines = memoryview(features.lines or b"").cast("Q").tolist()
    return dict(zip(lines[::2], lines[1::2], strict=True)).get(OFFERS_SLOT)


@pytest.mark.parametrize("page", OTHER.values(), ids=OTHER)
def test_other_offers_are_another_page(page: str) -> None:
    assert offers_of(page, 7) == offers_of(page, 7) is not None
    assert offers_of(page, 7) != offers_of(page, 8)


@pytest.mark.parametrize("page", SAME.values(), ids=SAME)
def test_these_are_the_same(page: str) -> None:
    assert offers_of(page, 7) == offers_of(page, 8)


def test_the_order_of_offers_tells_no_pages_apart() -> None:
    magnets = [f'<a href="magnet:?xt={n}">Download</a>' for n in range(5)]
    assert offers_of("".join(magnets), 7) == offers_of("".join(reversed(magnets)), 7) is not None


@pytest.mark.parametrize(
    "offer",
    [
        '<form action="/file/{}"></form>',
        f'<form action="/file/{"a" * 38}{{}}"></form>',
        '<form action="/download.php?file={}"></form>',
        '<a href="magnet:?xt={}">Get it</a>',
    ],
)
def test_pages_that_say_the_same_and_offer_something_else(offer: str) -> None:
    said = "<h1>Download</h1><p>Thank you for your interest in our work, please press the button to get your file.</p>"
    visits = [visit(f"/get?id={n}", said + offer.format(n + 10)) for n in range(60)]
    visits += [visit(f"/about/{n}", f"<p>{prose(n)}</p>", f"About {n}") for n in range(30)]
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key(f"{HOST}/get?id=99") != normalizer.key(f"{HOST}/get?id=98")
