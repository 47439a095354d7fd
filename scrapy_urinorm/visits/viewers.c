/* What a viewer shows, by its source in an attribute: visits/viewers.py is the reference, tests/visits compares. */
#include "viewers.h"

enum { LONGEST_NAME = 40, DATA = 5 };

/* The lists of viewers.py, each sorted. */
typedef struct {
    const char *text;
    size_t length;
} Word;

#define W(text) {text, sizeof text - 1}
static const Word media[] = {
    W("audio-src"), W("audio-url"), W("configid"), W("content-id"), W("dzi"), W("embed"), W("embed-url"), W("fen"),
    W("iiif"), W("iiif-manifest"), W("iiifresourceuri"), W("instgrm-permalink"), W("lat"), W("latitude"), W("lng"),
    W("lon"), W("longitude"), W("manifest"), W("manifest-id"), W("manifest-uri"), W("manifest-url"), W("media-id"),
    W("mediaid"), W("pdb"), W("pdf"), W("pdf-src"), W("pdf-url"), W("pgn"), W("playlistid"), W("plyr-embed-id"),
    W("public-id"), W("slug-hash"), W("smiles"), W("tile-source"), W("tile-sources"), W("tilesources"),
    W("tweet-id"), W("video"), W("video-id"), W("video-src"), W("video-url"), W("videoid"), W("vimeo"),
    W("vimeo-id"), W("vimeo-url"), W("youtube"), W("youtube-id"), W("youtube-url"), W("yt-id"), W("ytid"),
    W("zoomify"),
    {NULL, 0},
};
static const Word viewers[] = {
    W("audio"), W("iiif"), W("image"), W("img"), W("media"), W("model"), W("pdf"), W("photo"), W("picture"),
    W("player"), W("video"), W("viewer"), W("vimeo"), W("youtube"),
    {NULL, 0},
};
static const Word read_elsewhere[] = {
    W("background"), W("bg"), W("id"), W("src"), W("video-id"), W("videoid"), W("youtube-id"),
    {NULL, 0},
};
static const Word lazy[] = {
    W("lazy"), W("lazy-src"), W("original"), W("srcset"),
    {NULL, 0},
};
static const Word linked[] = {
    W("canonical"), W("clipboard-text"), W("href"), W("link"), W("permalink"), W("share"), W("share-url"),
    W("shareurl"),
    {NULL, 0},
};
static const Word extensions[] = {
    W("abc"), W("avif"), W("cif"), W("djvu"), W("dzi"), W("epub"), W("fen"), W("flac"), W("geojson"), W("gif"),
    W("glb"), W("gltf"), W("gpx"), W("jp2"), W("jpeg"), W("jpg"), W("kml"), W("m3u8"), W("m4a"), W("m4v"),
    W("mei"), W("mov"), W("mp3"), W("mp4"), W("mpd"), W("musicxml"), W("mxl"), W("obj"), W("ogg"), W("ogv"),
    W("pdb"), W("pdf"), W("pgn"), W("ply"), W("png"), W("stl"), W("tif"), W("tiff"), W("usdz"), W("wav"),
    W("webm"), W("webp"),
    {NULL, 0},
};
static const Word files[] = {
    W("imageproperties.xml"), W("info.json"), W("manifest"), W("manifest.json"),
    {NULL, 0},
};
enum { LONGEST_EXTENSION = 8, LONGEST_FILE = 19, SHORTEST_MEDIUM = 5 };

static int
is_among(const Word *all, const octet *s, size_t length)
{
    for (; length && all->text != NULL && *all->text <= (char)*s; all++)
        if (*all->text == (char)*s && all->length == length && memcmp(all->text, s, length) == 0)
            return 1;
    return 0;
}

/* The same of a short one in any case of its letters. */
static int
is_among_in_any_case(const Word *all, const octet *s, size_t length)
{
    octet small[LONGEST_FILE];
    if (length > LONGEST_FILE)
        return 0;
    for (size_t n = 0; n < length; n++)
        small[n] = s[n] >= 'A' && s[n] <= 'Z' ? s[n] | 0x20 : s[n];
    return is_among(all, small, length);
}

/* Whether it is small letters, digits and what joins them. */
static int
is_plain(Piece name)
{
    for (size_t n = 0; n < name.length; n++) {
        octet one = name.start[n];
        if (!((one >= 'a' && one <= 'z') || (one >= '0' && one <= '9') || one == '_' || one == '-'))
            return 0;
    }
    return name.length > 0;
}

octet
viewer_of(Piece tag)
{
    const octet *s = tag.start, *end = s + tag.length, *stop;
    if (tag.length == 6 && memcmp(s, "canvas", 6) == 0)
        return CANVAS;
    if (tag.length == 3 && memcmp(s, "img", 3) == 0)
        return IMAGE;
    if (tag.length > LONGEST_NAME || *s < 'a' || *s > 'z' || memchr(s, '-', tag.length) == NULL || !is_plain(tag))
        return NO_VIEWER;
    for (; s < end; s = stop + 1) {
        stop = memchr(s, '-', (size_t)(end - s));
        stop = stop == NULL ? end : stop;
        if (is_among(viewers, s, (size_t)(stop - s)))
            return VIEWER;
    }
    return MAY_VIEW;
}

size_t
medium_in(Piece value)
{
    const octet *s = value.start, *end = s, *all = s + value.length, *slash = NULL, *point = NULL;
    if (value.length < SHORTEST_MEDIUM)
        return 0;
    for (; end < all && *end != '?' && *end != '#'; end++)
        ;
    for (const octet *at = end; at > s && end - at <= LONGEST_FILE && slash == NULL; at--) {
        if (at[-1] == '/')
            slash = at;
        else if (at[-1] == '.' && point == NULL)
            point = at;
    }
    /* something stands before the point */
    if (point != NULL && end - point <= LONGEST_EXTENSION && point - s >= 2 && point[-2] != '/' &&
        is_among_in_any_case(extensions, point, (size_t)(end - point)))
        return (size_t)(end - s);
    return slash != NULL && is_among_in_any_case(files, slash, (size_t)(end - slash)) ? (size_t)(end - s) : 0;
}

/* Where an address stops that may be written in two ways. */
static const octet *
plain_end(const octet *s, const octet *end)
{
    while (s < end && *s != '&' && *s != '<' && *s != '>' && *s != '"' && !(*s == 0xC2 && end - s > 1 && s[1] == 0xA0))
        s++;
    return s;
}

size_t
picture_in(Piece address)
{
    static const char resized[] = "/_next/image?url=";
    const octet *s = address.start, *end, *found;
    size_t length = medium_in(address);
    if (length || !address.length)
        return length;
    end = plain_end(s, s + address.length);
    found = find_octets(s, end, resized, sizeof resized - 1);
    return found != NULL && (size_t)(end - found) > sizeof resized - 1 ? (size_t)(end - s) : 0;
}

size_t
source_in(octet viewer, Piece name, Piece value)
{
    int data = name.length > DATA && memcmp(name.start, "data-", DATA) == 0;
    Piece plain = data ? (Piece){name.start + DATA, name.length - DATA} : name;
    size_t length;
    if (!value.length || name.length > LONGEST_NAME || (!data && (viewer < MAY_VIEW || viewer == CANVAS)))
        return 0;
    if (viewer >= VIEWER && plain.length == 3 && memcmp(plain.start, "src", 3) == 0)
        return value.length;
    if (data && (is_among(read_elsewhere, plain.start, plain.length) || (viewer == IMAGE && is_among(lazy, plain.start, plain.length))))
        return 0;
    if (is_among(media, plain.start, plain.length))
        return value.length;
    length = medium_in(value);
    return length && is_plain(plain) && !(data && is_among(linked, plain.start, plain.length)) ? length : 0;
}
