"""What scripts show: which of it tells one page from another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.visits.features import page_features
from scrapy_urinorm.visits.scripts import DATA_FILES, MEDIA_SLOT, NUMBERS_SLOT
from scrapy_urinorm.visits.viewers import EXTENSIONS

if TYPE_CHECKING:
    from collections.abc import Callable

OTHER: dict[str, tuple[str, int]] = {
    "numbers of a chart": (
        "<script>new Chart(at, {{data: {{datasets: [{{data: [1, 2.5, {}7]}}]}}}})</script>",
        NUMBERS_SLOT,
    ),
    "numbers of a variable": ("<script>var data = [{}, 2, 3]; draw(data)</script>", NUMBERS_SLOT),
    "rows of numbers": ("<script>draw([[1, {}], [2, 3e5], [3, null]])</script>", NUMBERS_SLOT),
    "numbers in an attribute": ("<canvas data-points='[-1,{},.5]'></canvas>", NUMBERS_SLOT),
    "a formula": ('<script type="math/tex; mode=display">x^{{{}}}</script>', NUMBERS_SLOT),
    "a film": ("<script>jwplayer('at').setup({{file: '/media/{}.mp4?t=9'}})</script>", MEDIA_SLOT),
    "tiles of a scan": (
        "<script>OpenSeadragon({{id: 'v', tileSources: '/iiif/{}/info.json?t=9'}})</script>",
        MEDIA_SLOT,
    ),
    "such a scan by a name": ("<script>OpenSeadragon({{tileSources: ['/scan/{}']}})</script>", MEDIA_SLOT),
    "the file of Zoomify": ("<script>show('/z/{}/ImageProperties.xml')</script>", MEDIA_SLOT),
    "a manifest": (
        "<script>Mirador.viewer({{windows: [{{manifestId: 'https://i.example/{}'}}]}})</script>",
        MEDIA_SLOT,
    ),
    "a manifest of before": ('<script>new M({{"manifestUri": "/iiif/{}/manifest"}})</script>', MEDIA_SLOT),
    "a film by its number": ("<script>new YT.Player('p', {{videoId: 'M7lc1U{}'}})</script>", MEDIA_SLOT),
    "a model": ("<script>new GLTFLoader().load('/m/{}.gltf')</script>", MEDIA_SLOT),
    "a place": ("<script>L.map('m').setView([51.5{}, -0.09], 13)</script>", NUMBERS_SLOT),
    "a place of Google's": (
        "<script>new google.maps.Map(e, {{zoom: 4, center: {{lat: -25.{}, lng: 131.044}}}})</script>",
        NUMBERS_SLOT,
    ),
    "another": ("<script>p = new google.maps.LatLng(48.1{}, 11)</script>", NUMBERS_SLOT),
    "one of Mapbox": ("<script>new mapboxgl.Map({{center: [-74.{}, 40]}})</script>", NUMBERS_SLOT),
    "one of OpenLayers": ("<script>ol.proj.fromLonLat([37.4{}, 8.82])</script>", NUMBERS_SLOT),
    **{
        f"a file of {name}": (f"<script>load('/{name}/{{}}.{name}?t=9')</script>", MEDIA_SLOT)
        for name in (*EXTENSIONS.split(), *DATA_FILES.split())
    },
    "a picture in the data of a page with hardly a text": (
        '<script id=__NEXT_DATA__ type="application/json">{{"photo": {{"id": 1, "src": "/p/{}.jpg"}}}}</script>',
        MEDIA_SLOT,
    ),
    "one in such a variable": ('<script>window.__STATE__ = {{"src": "\\/p\\/{}.jpg?t=9"}}</script>', MEDIA_SLOT),
    "one in an attribute": ("<div data-images='[\"/p/{}.jpg\"]'></div>", MEDIA_SLOT),
    "one in a written attribute": ('<div data-x="{{&quot;uri&quot;:&quot;a{}~mv2.jpg&quot;}}"></div>', MEDIA_SLOT),
    **{
        name: (f"<script>{text}</script>", MEDIA_SLOT)
        for name, text in {
            "a picture of a scan": "OpenSeadragon({{tileSources: [{{type: 'image', url: '/img/{}'}}]}})",
            "tiles in a folder": "OpenSeadragon({{tileSources: {{Image: {{xmlns: 'x', Url: '/t/{}_files/'}}}}}})",
            "a manifest of the Universal Viewer": "UV.init('uv', {{iiifManifestId: '/api/{}'}})",
            "a manifest of Mirador": "Mirador.viewer({{windows: [{{loadedManifest: '/p/{}'}}]}})",
            "what Mirador is to load": "new M({{contentUri: '/p/{}'}})",
            "what JW Player plays": "jwplayer('p').setup({{file: '/stream?id={}&token=a'}})",
            "a list of JW Player": "jwplayer('p').setup({{\"playlist\": 'https://cdn.example/v2/media/{}'}})",
            "what Video.js plays": "videojs('v').src({{type: 'x', src: '/stream/{}/playlist'}})",
            "a film of Vimeo": "new Vimeo.Player('p', {{id: 70{}, width: 640}})",
            "a film of Kaltura": "kWidget.embed({{targetId: 'k', entry_id: '1_{}'}})",
            "a film of Panopto": "new EmbedApi('p', {{sessionId: 'a-b-{}'}})",
            "a document": "pdfjsLib.getDocument('/download/{}').promise.then(show)",
            "a document with options": "pdfjsLib.getDocument({{url: '/download?id={}'}})",
            "a book": "book = ePub('/books/{}/'); book.renderTo('area')",
            "a panorama": "pannellum.viewer('p', {{multiRes: {{path: '/multires/{}/%l/%s%y_%x'}}}})",
            "a tour": "embedpano({{xml: '/tours/{}/tour.xml', target: 'p'}})",
            "a chart by its file": "vegaEmbed('#v', '/specs/{}.json')",
            "a protein": "stage.loadFile('rcsb://1ab{}')",
            "a game": "Chessboard('b', 'rnbqkbnr/pppppppp/8/{}/8/8/PPPPPPPP/RNBQKBNR')",
            "moves": "new PgnViewer('b', {{pgn: '1. e4 e5 2. Nf3 Nc{}'}})",
            "a tune": "ABCJS.renderAbc('score', 'X:1\\nK:G\\n|:Gd{} e:|')",
        }.items()
    },
    "a player by its script": ("<script src=https://cdn.jwplayer.com/players/a{}-b.js></script>", MEDIA_SLOT),
    "a gist": ("<script src='https://gist.github.com/x/{}.js'></script>", MEDIA_SLOT),
    "a film of Kaltura by its script": (
        "<script src='https://k.example/p/1?a=b&amp;entry_id=1_{}'></script>",
        MEDIA_SLOT,
    ),
    "a film of Dailymotion": ("<script src=/player.js data-video='x{}'></script>", MEDIA_SLOT),
    "a film of Wistia": (
        "<script src=https://fast.wistia.com/assets/external/E-v1.js></script><i class='a wistia_async_a{}'></i>",
        MEDIA_SLOT,
    ),
    "a film in the set-up of Video.js": (
        '<video data-setup=\'{{"sources": [{{"src": "https://y.example/watch?v={}"}}]}}\'></video>',
        MEDIA_SLOT,
    ),
    "a gauge": ("<script>new JustGage({{id: 'g', value: {}, min: 0}})</script>", NUMBERS_SLOT),
    "a chart of few numbers": ("<script>arrayToDataTable([['Yes', {}], ['No', 3]])</script>", NUMBERS_SLOT),
    "a marker": ("<script>L.marker([51.5{}, -0.09]).addTo(map)</script>", NUMBERS_SLOT),
    "a track": ("<script>new L.GPX('/tracks/{}.gpx', {{async: true}})</script>", MEDIA_SLOT),
    "a picture": ('<script>show("\\/media\\/{}.JPG")</script>', MEDIA_SLOT),
}
SAME: dict[str, str] = {
    "a number": "<script>var id = {};</script>",
    "the size of a picture": "<script>size([3, {}])</script>",
    "a place in no map": "<script>var visitor = {{lat: 51.{}, lng: -0.1}}</script>",
    "what is no manifest": "<script>new M({{manifest: isManifest, token: 'x{}'}})</script>",
    "the token of a film": "<script>new P({{videoId: 'a', token: 'x{}'}})</script>",
    "other files of JSON and XML": "<script>get('/data/{}.json'); get('/{}/my-info.json'); get('/{}.xml')</script>",
    "codes": "<script>var codes = ['{}a', '{}b', '{}c']</script>",
    "numbers that a framework hands to its programs": "<script>window.__STATE__ = {{ids: [{}, 2, 3]}}</script>",
    "such data": '<script type="application/json">{{"ids": [{}, 2, 3], "file": "/{}.json"}}</script>',
    "the signature of a film": "<script>play('/a.mp4?signature={}')</script>",
    "the signature of a scan": "<script>OpenSeadragon({{tileSources: '/a/info.json?signature={}'}})</script>",
    "the signature of a picture in such data": (
        '<script type="application/json">{{"image": "/a.jpg?signature={}"}}</script>'
    ),
    "pictures in such data of a page with a text": (
        f"<p>{'text ' * 40}<script>window.__STATE__ = {{{{image: '/{{}}.jpg'}}}}</script><p data-a='[\"/{{}}.jpg\"]'>"
    ),
    **{
        f"a token of {name}": f"<script>{text}</script>"
        for name, text in {
            "JW Player": "jwplayer('p').setup({{file: '/stream?id=7&token={}', key: 'x{}'}})",
            "such a list": "jwplayer('p').setup({{playlist: '/media/a?exp={}&sig=a{}'}})",
            "a film's file": "jwplayer('p').setup({{file: 'https://cdn.example/v/7.mp4?st=a{}&e={}&X-Amz-Date=7'}})",
            "Video.js": "videojs('v').src({{src: '/stream?hdnts_token=exp~{}', nonce: '{}'}})",
            "a document": "pdfjsLib.getDocument('/download?id=7&X-Amz-Signature={}&X-Amz-Expires={}')",
            "a viewer": "OpenSeadragon({{tileSources: '/scan?id=7&_={}', token: '{}'}})",
            "a session": "track({{sessionId: '{}', entryId: '{}', file: '/{}', src: '/{}', value: {}, path: '/{}'}})",
            "Panopto": "new EmbedApi('p', {{sessionId: 'a', token: '{}'}})",
            "Vimeo": "new Vimeo.Player('p', {{id: 7, hash: '{}'}})",
            "a map": "L.map('m'); L.tileLayer('/t?access_token=x{}', {{maxZoom: {}}})",
            "a program": "gist('https://g.example/{}'); load('/players/{}')",
        }.items()
    },
    "the token of a script": "<script nonce=x{} src='/players/a.js?v={}' data-id={} data-token=a{}></script>",
    "the token of a set-up": (
        '<video data-setup=\'{{"sources": [{{"src": "/watch?v=7&token={}"}}], "nonce": "{}"}}\'></video>'
    ),
    "the token of a film in such a set-up": (
        '<video data-setup=\'{{"sources": [{{"src": "/7.m3u8?hdnts=exp={}~hmac=a{}"}}]}}\'></video>'
    ),
    "the set-up of a widget": '<div data-setup=\'{{"src": "/part?n={}"}}\'></div>',
    "the signature of rows": "<script>d3.csv('/a.csv?signature={}')</script>",
    "a style": "<script>load('/{}.css'); load('/{}.mjs'); load('/{}.wasm'); load('/{}.svg')</script>",
    "names of programs": "<script>a['x{}.objects']; b['x{}.stlx']; on('x{}.pd')</script>",
    "a program": "<script src='/{}.js'></script><script>load('/{}.js')</script>",
}


def lines_of(page: str) -> dict[int, int]:
    lines = memoryview(page_features(f"<p>a text{page}".encode(), "text/html").lines or b"").cast("Q").tolist()
    return dict(zip(lines[::2], lines[1::2], strict=True))


@pytest.mark.parametrize(("page", "slot"), OTHER.values(), ids=OTHER)
def test_another(page: str, slot: int) -> None:
    one, other = (lines_of(page.format(n)) for n in (7, 8))
    assert {place for place in one if one[place] != other[place]} == {slot}


@pytest.mark.parametrize("page", SAME.values(), ids=SAME)
def test_the_same(page: str) -> None:
    one, other = (lines_of(page.format(*[n] * page.count("{}"))) for n in (7, 8))
    assert one == other


HOSTILE: dict[str, Callable[[int], str]] = {
    "brackets": lambda size: "[" * size,
    "digits": lambda size: "[" + "1" * size,
    "numbers": lambda size: "[1,2" * (size // 4),
    "spaces": lambda size: "[1" + " " * size,
    "ends of addresses": lambda size: ".png'" * (size // 5),
    "places": lambda size: "google.maps" + "lat: 1," * (size // 7),
    "places without an end": lambda size: "setview setView(" + "[" * size,
    "scans": lambda size: "tileSources:[" * (size // 13),
    "spaces of an address": lambda size: "getDocument(" + " " * size,
    "documents": lambda size: "getDocument({url:" * (size // 17),
    "films": lambda size: "new Vimeo.Player(a,{id" * (size // 22),
    "games": lambda size: "chessboard('" + "pppppppp/" * (size // 9),
    "tunes": lambda size: "renderAbc(" * (size // 10),
    "rows of numbers": lambda size: "arrayToDataTable([" * (size // 18),
    "sessions": lambda size: "EmbedApi({sessionId:" * (size // 20),
    "tokens": lambda size: "jwplayer( file: '" + "&sig" * 70 + "'" * (size // 9),
    "points": lambda size: "." * size,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize(
    "page",
    [
        "<script>{}</script>",
        pytest.param("<script>{}</script>" * 500, id="many", marks=pytest.mark.thorough),
        "<p a='[{}'>",
    ],
)
def test_the_time_is_linear(page: str, text: Callable[[int], str]) -> None:
    """A quadratic one would not end."""
    lines_of(page.replace("{}", text(400_000 // page.count("{}"))))
