"""What a viewer shows: a film, a model, a scan, by its source in an attribute that its script reads.

Each viewer has attributes of its own, and most of what stands in such attributes is none of a page: tokens, numbers of
widgets, the page's own address to be shared. Read are therefore names that mean a medium, and values that end in one.
The module in C has the same lists (viewers.c).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

MEDIA = frozenset(
    """
    audio-src audio-url configid content-id dzi embed embed-url fen iiif iiif-manifest iiifresourceuri
    instgrm-permalink lat latitude lng lon longitude manifest manifest-id manifest-uri manifest-url media-id mediaid
    pdb pdf pdf-src pdf-url pgn playlistid plyr-embed-id public-id slug-hash smiles tile-source tile-sources
    tilesources tweet-id video video-id video-src video-url videoid vimeo vimeo-id vimeo-url youtube youtube-id
    youtube-url yt-id ytid zoomify
    """.split()
)
"""Names that mean a medium, behind `data-` or in an element that is not of HTML, whatever their value: those of IIIF
viewers (OpenSeadragon, Mirador, Universal Viewer), Zoomify, lite-youtube, lite-vimeo, Plyr, Wistia, Cloudinary, Issuu,
H5P, CodePen, Twitter and Instagram, of games of chess, molecules and places, and what people write in place of them.
Not `uri` (the page itself, to be shared), `uid` (drawn by lot), `track` (what is told to those who count visits)."""
VIEWERS = frozenset("audio iiif image img media model pdf photo picture player video viewer vimeo youtube".split())
"""Words of the names of elements (`model-viewer`, `hls-video`) whose `src` is a medium, whatever its value; that of
others (`turbo-frame`, `include-fragment`) is a part of the page, often with a token."""
READ_ELSEWHERE = frozenset("bg background id src video-id videoid youtube-id".split())
"""Behind `data-` what shown.py reads of any element, or of an empty one."""
LAZY = frozenset("lazy lazy-src original srcset".split())
"""Behind `data-` of an `img` what is read as its address (shown.py), not beside it."""
LINKED = frozenset("canonical clipboard-text href link permalink share share-url shareurl".split())
"""Where an element leads, or what it shares: of a page about a file that is an address of the page itself."""
LONGEST_NAME = 40
"""Letters of the name of an attribute or element that is looked at, chosen: most have ten to twenty."""
MOST_SELECTED = 64
"""Names that are sought one by one, chosen: each element of a page with more is looked at, in a linear time."""
EXTENSIONS = (
    "abc avif cif djvu dzi epub fen flac geojson gif glb gltf gpx jp2 jpeg jpg kml m3u8 m4a m4v mei mov mp3 mp4 mpd"
    " musicxml mxl obj ogg ogv pdb pdf pgn ply png stl tif tiff usdz wav webm webp"
)
"""Files of pictures, films, sounds, models, maps, tracks, books, scores, games of chess and molecules. Drawings (`svg`)
are not among them: most are icons, which say how the page is to look."""
FILES = "ImageProperties.xml info.json manifest manifest.json"
"""Names of the files that say what a viewer is to show: Zoomify, IIIF Image API 5, IIIF Presentation API."""

_ENDS = rf"[^/?#]\.(?:{'|'.join(EXTENSIONS.split())})|/(?:{'|'.join(map(re.escape, FILES.split()))})"
#: Of a value in which `&` may be written as `&amp;`, too: no escape ends in one of these.
_medium = re.compile(
    rf"([^?#]*(?:{_ENDS}))(?:[?#]|\Z)",
    re.IGNORECASE | re.ASCII,
).match
#: What stands behind it chooses a size. Cut where it may be written otherwise.
_resized = re.compile(r"[^&<>\"\u00a0]*?/_next/image\?url=[^&<>\"\u00a0]+").match
_attributes = re.compile(rf' data-([a-z0-9_-]{{1,{LONGEST_NAME - 5}}})="([^"]*)"').findall
_elements = re.compile(r"<([a-z][a-z0-9_]*-[a-z0-9_-]*)[ >]").findall
_is_element = re.compile(r"[a-z][a-z0-9_]*-[a-z0-9_-]*").fullmatch
_is_attribute = re.compile(r"[a-z0-9_-]+").fullmatch


def selector_of(html: str) -> str:
    """Return a selector, to be put behind another one, of all elements in a document that may have such a source."""
    names = {name for name, value in _attributes(html) if name in MEDIA or name == "src" or _medium(value)}
    tags = {tag for tag in _elements(html) if len(tag) <= LONGEST_NAME}
    if len(names) + len(tags) > MOST_SELECTED:
        return ", *"
    return "".join((*(f", [data-{name}]" for name in sorted(names)), *(f", {tag}" for tag in sorted(tags))))


def sources_of(tag: str, attributes: Mapping[str, str | None], *, bare: bool) -> list[str]:
    """Return the sources of a viewer: as they stand there by a name, without what follows by their ends alone.

    What follows a question mark may be a signature; the address of a film by its number stands behind one, too.
    """
    is_element = len(tag) <= LONGEST_NAME and _is_element(tag) is not None
    is_viewer = tag == "canvas" or (is_element and not VIEWERS.isdisjoint(tag.split("-")))
    found: list[str] = []
    for name, value in attributes.items():
        if not value or len(name) > LONGEST_NAME:
            continue
        data = name.startswith("data-")
        plain = name[5:] if data else name
        if (not data and not is_element) or _is_attribute(plain) is None:
            continue
        if is_viewer and plain == "src":
            found.append(value)
        elif data and (plain in READ_ELSEWHERE or (tag == "img" and plain in LAZY)):
            continue
        elif plain in MEDIA:
            found.append(value)
        elif not (data and plain in LINKED) and (source := _medium(value)):
            found.append(source[1])
    if not bare and not is_viewer and (source := _medium(attributes.get("data-src") or "")):
        found.append(source[1])
    return found


def picture_in(address: str) -> str | None:
    """Return the address of a picture without what may be its signature or its size; None for what may be a counter."""
    found = _medium(address)
    if found is not None:
        return found[1]
    resized = _resized(address)
    return None if resized is None else resized[0]
