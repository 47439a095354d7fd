"""What programs name that others have written, to be shown: a film by its number, a scan, a game, a gauge, a place.

Each is looked for by the words with which such a program is called, in those blocks alone that have the word: `file`,
`src` or `value` mean anything elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import compress

from scrapy_urinorm.visits.data import QUOTE
from scrapy_urinorm.visits.marks import texts_in
from scrapy_urinorm.visits.viewers import EXTENSIONS

MOST_NAMED = 1_000
"""What is read of one block, chosen."""
_IS = rb"[\"']?\s{0,9}:\s{0,9}"
_TEXT = rb"[\"']([^\"'\s<>]{1,300})[\"']"
_MEDIA = {
    b"tilesources": rb"tileSources" + _IS + rb"(?:\[?\s{0,9}|[\[{][^;]{0,300}?\b[uU]rl" + _IS + rb")" + _TEXT,
    b"manifest": rb"[mM]anifest(?:U(?:ri|rl|RI|RL)|Id)?" + _IS + rb"\[?\s{0,9}" + _TEXT,
    b"contenturi": rb"contentUri" + _IS + _TEXT,
    b"videoid": rb"videoId" + _IS + rb"\[?\s{0,9}" + _TEXT,
    b"jwplayer(": rb"\b(?:file|playlist)" + _IS + _TEXT,
    b"videojs(": rb"\bsrc" + _IS + _TEXT,
    b"vimeo.player": rb"Vimeo\.Player\([^{;]{0,99}\{[^{}]{0,200}?\b(?:id|url)" + _IS + rb"[\"']?([^\"'\s<>,}]{1,300})",
    b"entry_id": rb"entry_id" + _IS + _TEXT,
    b"embedapi(": rb"EmbedApi\([^{;]{0,99}\{[^{}]{0,300}?\bsessionId" + _IS + _TEXT,
    b"getdocument(": rb"getDocument\(\s{0,9}(?:\{\s{0,9}[\"']?url" + _IS + rb")?" + _TEXT,
    b"renderto(": rb"ePub\(\s{0,9}" + _TEXT,
    b"pannellum": rb"\bpath" + _IS + _TEXT,
    b"embedpano": rb"\bxml" + _IS + _TEXT,
    b"vegaembed": rb"vegaEmbed\([^,;]{1,99},\s{0,9}" + _TEXT,
    b"rcsb://": rb"[\"'](rcsb://\w{1,20})",
    b"chessboard(": rb"[\"']((?:[pnbrqkPNBRQK1-8]{1,8}/){7}[pnbrqkPNBRQK1-8]{1,8})[ \"']",
    b"pgnviewer": rb"\b(?:pgn|fen)" + _IS + rb"[\"'`]([^\"'`<>]{1,4000})",
    b"renderabc": rb"renderAbc\([^,;]{1,99},\s{0,9}[\"'`]([^\"'`]{1,4000})",
}
"""By the word that the block must have, in small letters and of seven at least, which makes the search for all of them
one of few looks: OpenSeadragon; Mirador, Universal Viewer and others of IIIF; YouTube; JW Player; Video.js; Vimeo;
Kaltura; Panopto, to which a film is a session; pdf.js; epub.js; Pannellum; krpano; Vega; NGL and Mol*; chessboard.js;
viewers of PGN; abcjs. Their documentation calls them so."""
_NUMBERS = {
    b"justgage": rb"\bvalue" + _IS + rb"(-?[\d.]{1,40})",
    b"arraytodatatable": rb"arrayToDataTable\(\s{0,9}(\[[^;()]{1,4000})",
}
"""What is a number or two: of JustGage, and of Google's charts."""
_MAPS = (b"setview", b"fromlonlat", b"google.maps", b"mapboxgl", b"maplibregl", b"l.marker(", b"l.circle")
"""Leaflet, OpenLayers, Google, Mapbox and MapLibre."""
_PLACES = re.compile(
    rb"(?:setView|L\.marker|L\.circle(?:Marker)?|LatLng|fromLonLat|center[\"']?\s{0,9}:|lat[\"']?\s{0,9}:)[\s(\[]{0,9}"
    rb"-?\d{1,3}(?:\.\d{1,20})?\s{0,9},[\s\"'lngo]{0,9}:?\s{0,9}-?\d{1,3}(?:\.\d{1,20})?"
).findall
_WORDS = (*_MEDIA, *_NUMBERS, *_MAPS)
_media, _numbers = ([re.compile(one).findall for one in some.values()] for some in (_MEDIA, _NUMBERS))
#: Of an address what is another one on each visit.
_changing = re.compile(
    rb"(?<=[?&;])(?:[\w.-]{0,30}(?:sig|token|expire|hash|nonce|auth|policy|session|stamp|rand)[\w.-]{0,30}"
    rb"|exp|key|ts?|time|cb|_)=[^&]*+",
    re.IGNORECASE,
).sub
_is_file = re.compile(rb"\.(?:%b)$" % "|".join(EXTENSIONS.split()).encode(), re.IGNORECASE).search
_PLAYERS = (
    b"wistia.",
    b"jwplayer.com/players",
    b"jwplatform.com/players",
    b"gist.github.com",
    b"entry_id=",
    b"data-video",
    b"data-playlist",
)
_of_a_player = re.compile(
    rb"(?:(?:cdn|content)\.jw(?:player|platform)\.com/players|gist\.github\.com|fast\.wistia\.(?:com|net)/embed/medias)"
    rb"/[^\"'\s<>?#]{1,200}|\bentry_id=\w{1,40}|\bdata-(?:video|playlist)=[\"'][^\"'<>]{1,100}"
).findall
_of_wistia = re.compile(rb"wistia_async_\w{1,20}").findall
_source = re.compile(rb"\b(?:src|file)" + _IS + _TEXT).findall


def shown_by(block: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return the media and the numbers that a program names."""
    told = texts_in(block, _WORDS)
    if not any(told):
        return [], []
    named = [one for find in compress(_media, told) for one in find(block)[:MOST_NAMED]]
    numbers = [one for find in compress(_numbers, told[len(_media) :]) for one in find(block)[:MOST_NAMED]]
    if any(told[len(_media) + len(_numbers) :]):
        numbers += _PLACES(block)
    return list(map(_lasting, named)), numbers


def loaded_by(markup: bytes, heads: Iterable[bytes]) -> list[bytes]:
    """Return what the tags of scripts say that their programs are to show.

    The films of Wistia stand in classes, on a page that has its script.
    """
    tags = b"\n".join(heads)
    told = texts_in(tags, _PLAYERS) if tags else b""
    found = _of_a_player(tags) if any(told) else []
    return found + _of_wistia(markup) if told and told[0] else found


def sources_in(value: bytes) -> list[bytes]:
    """Return the sources of a player in the JSON of an attribute (Video.js)."""
    if b"sources" not in value:
        return []
    return list(map(_lasting, _source(QUOTE.sub(b'"', value))))


def _lasting(address: bytes) -> bytes:
    """Return an address without what is another one on each visit: of a file all that follows the question mark, which
    may be a signature.
    """
    path, _, query = address.partition(b"?")
    return path if query and _is_file(path) else _changing(b"", address)
