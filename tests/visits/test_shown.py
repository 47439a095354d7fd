"""What elements show besides texts: which of it tells one page from another."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scrapy_urinorm.visits import ages, states, viewers
from scrapy_urinorm.visits.features import page_features
from scrapy_urinorm.visits.viewers import LINKED, sources_of
from tests.visits.pages import lexbor, markup

OTHER = {
    "a picture that a script loads": "<img src=/blank.gif data-original=/{}.jpg>",
    "another such": "<img src=/blank.gif data-lazy-src=/{}.jpg>",
    "a picture of several sizes": "<img srcset='/{}.jpg 1x'>",
    "sources of a picture": "<picture><source srcset='/{}.webp 800w'><img></picture>",
    "the first picture of a film": "<video poster=/{}.jpg></video>",
    "the source of a film": "<video poster=/a.jpg><source src=/{}.mp4></video>",
    "a picture of a newer element": "<amp-img src=/{}.jpg></amp-img>",
    "a picture behind a text": "<div style='color: red; background: url(/{}.jpg)'>text</div>",
    "one within a line": "<p>a <b style='background: url(/{}.jpg)'>text</b></p>",
    "one that a script loads": "<div data-bg=/{}.jpg>text</div>",
    "one of a style": "<style>p {{ color: red }} .top {{ background: url('/{}.jpg') }}</style>",
    "the manifest of a scan": "<div id=osd data-manifest=/iiif/{}/manifest></div>",
    "one by a name behind a text": "<div data-manifest='https://i.example/get?id={}'>text</div>",
    "the scan of Zoomify": "<div data-zoomify='/z/{}/info.json'></div>",
    "the folder of Zoomify": "<div data-path=/z/{}/ImageProperties.xml></div>",
    "a film of an element of nobody's": "<lite-youtube videoid={}abcdefg></lite-youtube>",
    "a film that is loaded late": "<div class=youtube data-embed={}abcdefg></div>",
    "a model": "<model-viewer src=/m/{}.glb poster=/load.png></model-viewer>",
    "one that a program makes": "<model-viewer src='/model?id={}'></model-viewer>",
    "a picture of another element": "<image-viewer image=/{}.jpg></image-viewer>",
    "a stream": "<x-y stream='/{}.m3u8?token=1'></x-y>",
    "a picture on a canvas": "<canvas data-src=/{}.jpg></canvas>",
    "one of a program on a canvas": "<canvas data-src='/render?id={}'></canvas>",
    "a book": "<p>a <span data-book=/{}.EPUB>text</span>",
    "a film of a player that its script makes": "<video data-hls=/{}.m3u8></video>",
    "a picture in place of one within the page": "<img src='data:,x' data-large_image=/{}.jpg>",
    "a score": "<div data-score=/{}.MusicXML></div>",
    "a picture for those without scripts": "<img src=data:,x><noscript><b><img src='/{}.jpg?t=9' width=640></noscript>",
    "one beside nothing": "<noscript class=lazy><img src=/{}.webp style='width: 100%'></noscript>",
    "one that a framework lays over its place": (
        "<noscript><img src=/{}.jpg style='position:absolute;border:none;min-width:100%'></noscript>"
    ),
    "one in a size of its own": "<noscript><img src='/_next/image?url=%2Fp%2F{}.jpg&amp;w=1080&amp;q=75'></noscript>",
    "one without an extension in another size": "<noscript><img src='/_next/image?url=%2Fp%2F{}&w=9'></noscript>",
    "a picture in place of a blank one": "<img src=/blank.gif data-cfsrc='/{}.jpg?t=9'>",
    "another in place of one": "<img src=/blank.gif data-hi-res-src=/{}.JPG>",
    "a larger picture": "<img src=/a.jpg data-large=/{}.jpg>",
    "a dot with a file of its own": "<p>text<img src='/colour/{}.gif?t=9' width=1 height=1>",
    "a bar of a program": "<p>text<img src='/bar?id={}' width=1 height=40>",
    "a picture in place of a dot": "<p>text<img src='/blank?t=9' data-src='/picture?id={}' width=1 height=1>",
    **{
        f"data-{name}": f"<p><b data-{name}='{value}'>text</b>"
        for name, value in {
            "fen": "rnbqkbnr/pp{}",
            "pgn": "1. e4 e{}",
            "pdb": "1ab{}",
            "smiles": "CCO{}",
            "iiifresourceuri": "/api/manifest?id={}",
            "vimeo-url": "https://v.example/{}",
            "slug-hash": "a{}",
            "tweet-id": "1{}",
            "instgrm-permalink": "https://i.example/p/{}",
            "configid": "1/{}",
            "content-id": "{}",
            "lat": "51.{}",
            "lng": "7.{}",
        }.items()
    },
    "a film of Wistia": "<wistia-player media-id=a{}></wistia-player>",
    "a picture of Cloudinary": "<img src=/blank.gif data-public-id=photos/{}>",
    "a picture behind a link": "<a data-src=/{}.jpg>text</a>",
    "a film beside a picture": "<div style='background: url(/load.gif)' data-film=/{}.mp4>text</div>",
    "a film by its number": "<div class=youtube data-id={}></div>",
    "a picture in a drawing": "<svg><image href=/{}.jpg /></svg>",
    "a drawing": "<svg viewBox='0 0 100 100'><path d='M0 {}L3 3' /></svg>",
    "the bars of a chart": "<svg width=200><g><rect x=0 y=0 height={} /></g></svg>",
    "pieces on a board": "<svg viewBox='0 0 390 390'><use href=#pawn transform='translate({}, 15)' /></svg>",
    "other pieces": "<svg viewBox='0 0 390 390'><use xlink:href=#w{} x=45 y=90 /></svg>",
    "squares": "<table><tr><td class=a{}>&nbsp;<td class=b></td></table>",
    "days of a month": "<table><tr><td class=free>1<td class='day state{} today'> 2 <td>3</table>",
    "days by their colour": "<table><tr><td bgcolor=lime>1<td bgcolor='#{}00'>2</table>",
    "squares by their colour": "<table><tr><td bgcolor=lime>&nbsp;<td bgcolor='#{}00'>&nbsp;</table>",
    "days of no table": f"<div>{'<div class=free>1</div>' * 19}<div class='day state{{}}'>20</div></div>",
    "seats": f"<p>{'<a class=free>1</a>' * 19}<a class=state{{}} href=/20>20</a></p>",
    "squares of no table": f"<p>{'<span class=a></span>' * 19}<span class=b{{}}></span></p>",
    "cells": "<table><tr><td class=a{}></td><td class=b></td></table>",
    "tips of empty elements": "<i title='tip {}'></i>",
    "places on a map": "<map><area alt='place {}'></map>",
    "tips of places": "<map><area title='place {}'></map>",
    "numbers in fields": "<input type=number value={}>",
    "such numbers in words": "<input value='1,00{}.5 %'>",
    **{
        f"what is no age: {text}": f"<p><a title='2026-11-27 13:49'>{text}</a>"
        for text in ("{}", " {} ", "Chapter {}", "$ {}", "{} EUR", "{} €", "1.{} hours", "12{} replies", "\u0667{}")
    },
    **{
        f"an age beside what is no date to the minute: {date}": f"<p><a title='{date}'>{{}} minutes</a> ago"
        for date in (
            "2026-11-27",
            "27 November 2026",
            "13:49",
            "27.11. 13:49",
            "2026 at 13:49",
            "Price on 2026-11-27 13:49",
            "Seen by John 27 November 2026 13:49",
            "2026-11-27 13:491",
            f"2026-11-27 13:49{' ' * 60}",
        )
    },
    "what was struck out": "<p><del datetime=2026-11-27T13:49Z>{} apples</del>",
    "the date of an age": "<p><time datetime=2026-11-27T13:4{}Z>20 minutes ago</time>",
    "such a date for a script": "<p><span data-utime=176425134{}>20 minutes</span> ago",
    "an age with more in it": "<p><a title='2026-11-27 13:49'>{} minutes <b>ago</b></a>",
    "a text that is longer": f"<p><a title='2026-11-27 13:49'>{{}} people {'like this ' * 4}</a>",
}
SAME = {
    "an icon": "<svg viewBox='0 0 24 24'><path d='M0 {}L3 3' /></svg>",
    "another": "<svg class=icon-{}><path d='M0 {}L3 3' /></svg>",
    "one that is not said": "<svg aria-hidden=true><path d='M0 {}L3 3' /></svg>",
    "one from a collection": "<svg><use href=#a{} /></svg>",
    "what is not shown": "<svg style='display: none'><path d='M0 {}L3 3' /></svg>",
    "the style of a text": "<p style='width: {}px'>text",
    **{
        f"{name} of an element": f"<div {name}='{value}'>text</div>"
        for name, value in {
            "data-permalink": "https://s.example/{}.pdf",
            "data-share-url": "/p/{}.html",
            "data-csrf": "a{}b",
            "data-nonce": "{}",
            "data-secret": "x{}",
            "data-controller": "menu-{}",
            "data-session-id": "{}",
            "data-time": "2026-11-25T10:0{}",
            "data-version": "1.{}",
            "data-analytics": "UA-1-{}",
            "data-widget-id": "w{}.mp",
            "data-icon": "/icons/{}.svg",
            "data-api": "/api/{}.json",
            "data-uri": "/p?sort={}",
            "data-uid": "a{}",
            "data-track": "{}",
            "data-entry-id": "{}",
            "data-latency": "{}",
            "lat": "51.{}",
            "data-export": "/export/{}.csv",
            "data-film": "/a.mp4?signature={}",
            "data-pages": "/a.pdf#page={}",
            "manifest": "/{}/manifest",
        }.items()
    },
    "the part of a page that an element loads": "<turbo-frame src='/part?token={}'></turbo-frame>",
    "the number of an element of nobody's": "<x-y id=x{} data-x={} key={} href=/{}></x-y>",
    "the token of a player": "<audio-player token={} src=/a></audio-player>",
    **{
        f"what {name} counts": f"<noscript><b><img {attributes}></b></noscript>"
        for name, attributes in {
            "a pixel": "src=/{}.gif width=1 height=1",
            "what is not shown": "src=/{}.gif style='display:none'",
            "what lies outside": "src=/{}.gif style='position:absolute; left:-9999px'",
            "a program": "src='https://c.example/matomo.php?idsite=1&amp;rand={}'",
            "a page's own address": "src='https://c.example/tr?id=1&amp;dl=/p/{}.html'",
            "a number": "src=https://c.example/watch/{}",
            "a program of pictures": "src='/hit.gif?t={}'",
            "a size": "src='/_next/image?url=%2Fp.jpg&amp;w={}'",
        }.items()
    },
    **{
        f"what {name} asks": f"<p>text<img {attributes}>"
        for name, attributes in {
            "a pixel of a program": "src='/app.php/cron/task?sid={}' width=1 height=1 alt=''",
            "a pixel with units": "src='https://c.example/tr?id={}&amp;ev=view' width=1px height=0",
        }.items()
    },
    "a text for those without scripts": "<noscript>please turn on scripts {}<a href=x>a</a></noscript>",
    "a picture in a template": "<noscript><template><img src=/{}.jpg></template></noscript>",
    **{
        f"{name} of a picture": f"<img src=/a.jpg {name}='{value}'>"
        for name, value in {
            "data-id": "{}",
            "data-token": "a{}",
            "data-srcset": "/a.jpg 1x",
            "data-pin-url": "/p/{}",
            "data-full": "/a.jpg?signature={}",
            "data-permalink": "/p/{}.jpg",
            "data-analytics": "img-{}.click",
        }.items()
    },
    "the token of a canvas": "<canvas data-id={} src=/{}.jpg></canvas>",
    "the tip of a text": "<p title='{} minutes ago'>text",
    "an icon at its place": "<svg viewBox='0 0 390 390'><use href=#a{} x=0 y=0 /></svg>",
    **{
        f"what {name} is": f"<table><tr><td class=a>1<td class='a {state}'>2<td class='a {state}'>&nbsp;</table>"
        f"<div>{'<i class=b>1</i>' * 19}<i class='a {state}'>20</i></div>"
        for name, state in {
            "today": "today{}",
            "past": "is-past-{}",
            "chosen": "Selected{}",
            "in turns": "row{}",
        }.items()
    },
    "colours in turns": "<table><tr><td bgcolor='#{}00'>1<td bgcolor='#{}00'>2<tr><td bgcolor=red>3</table>",
    "few stars": f"<p>{'<i class=full></i>' * 18}<i class=star{{}}></i></p>",
    "what all have": f"<p>{'<i class=css-{}></i>' * 40}</p>",
    "the class of a larger number": "<table><tr><td class=a{}>1234<td class=a{}>1.5<td class=a{}>1 2</table>",
    "the class of a link in a cell": "<table><tr><td class=a{}><a href=/a>7</a></table>",
    "the class of a text": "<table><td class=a{}>text</table>",
    "the number of an element with a text": "<p data-id={}>text",
    "a code in a field": "<input value=1234567890123456789012{}>",
    "numbers that nobody sees": "<input type=hidden value={}>",
    "what is chosen": "<select><option value={} selected>a</select>",
    **{
        f"an age beside {date}": f"<p>by <a href=/u>Ada</a> <a title='{date}' href=/a>\n 1{{}} minutes&nbsp;</a> ago"
        for date in (
            "11/27/2026 01:49 PM",
            "2026-11-27T13:49:00.123456+01:00",
            "2026-11-27 13:49:00Z",
            "27.11.2026, 13:49",
            "Fri, 27 Nov 2026 13:49:00 +0000",
            "Friday, November 27, 2026 1:49\u202fPM",
            "1:49 PM - 27 Nov 2026",
            "27 de noviembre de 2026, 13:49",
            "27 \u043d\u043e\u044f\u0431\u0440\u044f 2026 \u0433., 13:49",
            "2026\u5e7411\u670827\u65e5 13:49",
        )
    },
    **{
        f"an age in another language: {text}": f"<p><time datetime=2026-11-27T13:49Z title=x>{text}</time>"
        for text in (
            "{} minutes ago",
            "{}m",
            "vor {} Minuten",
            "il y a environ {} heures",
            "\u043e\u043a\u043e\u043b\u043e 1{} \u043c\u0438\u043d\u0443\u0442 \u043d\u0430\u0437\u0430\u0434",
            "{}\u5206\u949f\u524d",
            "\u0642\u0628\u0644 {} \u062f\u0642\u064a\u0642\u0629",
        )
    },
    **{
        f"an age beside {name} for scripts": f"<p><abbr title='' {name}={value}>{{}} minutes</abbr> ago"
        for name, value in {"data-utime": 1764251342, "data-time": 1764251342, "data-timestamp": 1764251342000}.items()
    },
}


def lines_of(page: str, n: int) -> bytes | None:
    return page_features(f"<p>a text{page.replace('{}', str(n))}".encode(), "text/html").lines


@pytest.mark.parametrize("page", OTHER.values(), ids=OTHER)
def test_another(page: str) -> None:
    assert lines_of(page, 7) == lines_of(page, 7) != lines_of(page, 8)


@pytest.mark.parametrize("page", SAME.values(), ids=SAME)
def test_the_same(page: str) -> None:
    assert lines_of(page, 7) == lines_of(page, 8)


ROWS = ["<tr><td class=a><td class=b><td>1", "<tr><td class=b><td class=a><td>2", "<tr><td><td><i title=a></i><td>3"]


def test_rows_in_another_order_have_the_same_sums() -> None:
    one, other = (lines_of("<table>" + "".join(rows), 7) or b"" for rows in (ROWS, ROWS[::-1]))
    assert one != other
    assert one[-32:] == other[-32:]


def test_cells_in_another_order_have_not() -> None:
    one, other = (lines_of(f"<table>{row}", 7) or b"" for row in ROWS[:2])
    assert one[-16:-8] == other[-16:-8]
    assert one[-16:] != other[-16:]


@pytest.mark.parametrize("name", sorted(LINKED))
def test_the_address_of_a_page_about_a_file_is_no_source(name: str) -> None:
    """What `offers` reads of it, it reads without what is drawn by lot."""
    assert not sources_of("div", {f"data-{name}": "https://s.example/wiki/a.jpg"}, bare=False)
    assert sources_of("div", {f"data-{name}x": "https://s.example/wiki/a.jpg"}, bare=False)


def test_lists_of_states_are_those_of_the_module_in_c() -> None:
    source = Path(states.__file__).with_suffix(".c").read_text(encoding="utf-8")
    lists = re.findall(r"static const char \*const \w+\[\] = \{(.*?)NULL", source, re.DOTALL)
    assert [re.findall(r'W\("([^"]+)"\)', one) for one in lists] == [sorted(states.GRID), sorted(states.PASSING)]


def test_the_words_of_an_age_stay() -> None:
    """They may be no age: in which language they are, nobody knows."""
    page = "<p><time datetime=2026-11-27T13:49Z>20 {}</time>"
    assert len({lines_of(page.format(words), 7) for words in ("minutes ago", "hours ago", "replies")}) == 3


@pytest.mark.parametrize("text", ["{} minutes ago", "on", "2 replies to 7"])
def test_an_age_has_as_many_words_as_before(text: str) -> None:
    one, other = (
        page_features(f"<p>a text<p><span{tip}>{text.format(5)}</span>".encode(), "text/html")
        for tip in ("", " title='11/27/2026 01:49 PM'")
    )
    assert one.words == other.words


def test_the_list_of_dated_elements_is_that_of_the_module_in_c() -> None:
    source = Path(ages.__file__).with_suffix(".c").read_text(encoding="utf-8")
    assert re.findall(r'W\("([^"]+)"\)', source) == sorted(ages.DATED)
    for name in ("LONGEST_DATE", "LONGEST_AGE", "WORDS_FIRST", "WORDS_WITHIN", "NUMBERS"):
        assert f"{name} = {getattr(ages, name)}," in source


@pytest.mark.parametrize("text", [" " * 400_000, "&nbsp;" * 60_000, "7" * 400_000, "<td class=a> " * 30_000])
def test_the_time_of_spaces_is_linear(text: str) -> None:
    """A quadratic one would not end."""
    page = f"<table><tr><td class=a>{text}"
    lines_of(page, 7)
    markup.walked(lexbor.LexborHTMLParser(page).root, "https://s.example/")


def test_lists_are_those_of_the_module_in_c() -> None:
    source = Path(viewers.__file__).with_suffix(".c").read_text(encoding="utf-8")
    lists = re.findall(r"static const Word \w+\[\] = \{(.*?)\{NULL", source, re.DOTALL)
    found = [re.findall(r'W\("([^"]+)"\)', one) for one in lists]
    names = (*map(sorted, (viewers.MEDIA, viewers.VIEWERS, viewers.READ_ELSEWHERE, viewers.LAZY, LINKED)),)
    assert found == [*names, viewers.EXTENSIONS.split(), viewers.FILES.lower().split()]
    assert all(one == sorted(one) for one in found)


@pytest.mark.parametrize("value", ["/" * 200_000, "a.png" * 40_000, "." * 200_000, "?" * 200_000, "/manifest" * 22_000])
def test_the_time_of_long_values_is_linear(value: str) -> None:
    """A quadratic one would not end."""
    page = f"<x-y a='{value}!'></x-y>" + "<p data-a='b' data-c>" * 5_000
    lines_of(page, 7)
    markup.walked(lexbor.LexborHTMLParser(page).root, "https://s.example/")


def test_the_time_of_many_names_is_linear() -> None:
    """A quadratic one would not end."""
    page = "".join(f"<p data-a{n}={n}.png>a</p><x-y{n} b={n}.png></x-y{n}>" for n in range(5_000))
    root = lexbor.LexborHTMLParser(page).root
    url = "https://s.example/"
    assert markup.walked(root, url) == markup.said_by(root, url)
