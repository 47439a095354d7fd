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
    "points": lambda size: "." * size,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("page", ["<script>{}</script>", "<script>{}</script>" * 500, "<p a='[{}'>"])
def test_the_time_is_linear(page: str, text: Callable[[int], str]) -> None:
    """A quadratic one would not end."""
    lines_of(page.replace("{}", text(400_000 // page.count("{}"))))
