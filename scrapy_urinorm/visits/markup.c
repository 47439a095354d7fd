/* A page in C, in one pass over its tree as the parser writes it out: visits/markup.py (`walked`), visits/walk.py and
 * visits/links.py (`page_links`) are the reference, tests/visits compares.
 *
 * What a parser writes is well formed: each element is closed, each value stands in quotes, four characters are escaped.
 * Where it could mean two trees, and where a page is deeper or larger than any that somebody wrote, the module takes none.
 */
#include "ages.h"
#include "states.h"
#include "viewers.h"

enum { LINE_CAP = 512, DEEPEST = 960, MOST_OPEN = 4096, MOST_COUNTERS = 1 << 17, MOST_PROBES = 64, LONGEST_LINK = 8192 };
static const uint64_t mix = 0x9E3779B97F4A7C15u; /* walk.py: _MIX */
static const uint64_t title_slot = 0xED2ACEF963A6DD87u; /* content/frame.py: TITLE_SLOT */
static const uint64_t beside = 0x6A09E667F3BCC908u; /* shown.py: BESIDE */

/* What is summed up of a page: the slot of the first is 5. shown.py: TIPS_SLOT */
enum { TIPS, CELLS, DRAWINGS, SUMS, FIRST_SUM = 5 };

enum { BLOCK_KIND, INLINE_KIND, EMBEDDED_KIND, HIDDEN_KIND, LINK_KIND, BREAK_KIND };
enum { VOID = 1, RAW = 2, FOREIGN = 4, INERT = 8, ANCHOR = 16, BASE = 32, META = 64, UNSURE = 128 };

typedef struct {
    const char *name;
    octet kind, flags;
} Known;

/* Tags that are no plain blocks: visits/walk.py (`_NAMES`); VOID and RAW as in the HTML standard, 13.3. */
static const Known known_tags[] = {
    {"a", INLINE_KIND, ANCHOR}, {"abbr", INLINE_KIND, 0}, {"acronym", INLINE_KIND, 0}, {"b", INLINE_KIND, 0},
    {"bdi", INLINE_KIND, 0}, {"bdo", INLINE_KIND, 0}, {"big", INLINE_KIND, 0}, {"cite", INLINE_KIND, 0},
    {"code", INLINE_KIND, 0}, {"data", INLINE_KIND, 0}, {"del", INLINE_KIND, 0}, {"dfn", INLINE_KIND, 0},
    {"em", INLINE_KIND, 0}, {"font", INLINE_KIND, 0}, {"i", INLINE_KIND, 0}, {"ins", INLINE_KIND, 0},
    {"kbd", INLINE_KIND, 0}, {"label", INLINE_KIND, 0}, {"mark", INLINE_KIND, 0}, {"q", INLINE_KIND, 0},
    {"s", INLINE_KIND, 0}, {"samp", INLINE_KIND, 0}, {"small", INLINE_KIND, 0}, {"span", INLINE_KIND, 0},
    {"strike", INLINE_KIND, 0}, {"strong", INLINE_KIND, 0}, {"sub", INLINE_KIND, 0}, {"sup", INLINE_KIND, 0},
    {"time", INLINE_KIND, 0}, {"tt", INLINE_KIND, 0}, {"u", INLINE_KIND, 0}, {"var", INLINE_KIND, 0},
    {"wbr", INLINE_KIND, VOID}, {"img", EMBEDDED_KIND, VOID}, {"iframe", EMBEDDED_KIND, RAW}, {"video", EMBEDDED_KIND, 0},
    {"audio", EMBEDDED_KIND, 0}, {"source", EMBEDDED_KIND, VOID}, {"embed", EMBEDDED_KIND, VOID},
    {"input", EMBEDDED_KIND, VOID}, {"script", HIDDEN_KIND, RAW}, {"style", HIDDEN_KIND, RAW}, {"noscript", HIDDEN_KIND, 0},
    {"template", HIDDEN_KIND, INERT}, {"svg", BLOCK_KIND, FOREIGN}, {"math", BLOCK_KIND, FOREIGN},
    {"meta", HIDDEN_KIND, VOID | META}, {"base", HIDDEN_KIND, VOID | BASE}, {"object", EMBEDDED_KIND, 0},
    {"canvas", HIDDEN_KIND, 0}, {"link", LINK_KIND, VOID}, {"br", BREAK_KIND, VOID}, {"area", EMBEDDED_KIND, VOID | ANCHOR},
    {"amp-img", EMBEDDED_KIND, 0}, {"amp-anim", EMBEDDED_KIND, 0}, {"amp-video", EMBEDDED_KIND, 0},
    {"amp-audio", EMBEDDED_KIND, 0}, {"amp-iframe", EMBEDDED_KIND, 0},
    {"basefont", BLOCK_KIND, VOID}, {"bgsound", BLOCK_KIND, VOID}, {"col", BLOCK_KIND, VOID}, {"frame", EMBEDDED_KIND, VOID},
    {"hr", BLOCK_KIND, VOID}, {"keygen", BLOCK_KIND, VOID}, {"param", BLOCK_KIND, VOID}, {"track", BLOCK_KIND, VOID},
    {"xmp", BLOCK_KIND, RAW}, {"noembed", BLOCK_KIND, RAW}, {"noframes", BLOCK_KIND, RAW}, {"plaintext", BLOCK_KIND, UNSURE},
};

/* A tag of the page: what it is, and the hash of its name. */
typedef struct {
    Piece name;
    uint64_t hash;
    octet kind, flags, viewer, state, dated;
} Tag;

enum { TAGS = 128 };

/* An element that is open. */
typedef struct {
    Piece name;
    uint64_t slot;
    uint32_t serial;
    octet kind, flags;
    octet walked, waits; /* for the first source of a player */
    octet late; /* in what is there for those without scripts */
} Frame;

/* How many elements of one tag an element has had so far. */
typedef struct {
    uint64_t tag;
    uint32_t serial, count;
} Counter;

enum {
    /* the usual ones first: what is read of a tag is forgotten up to the last of them */
    CLASS, HREF, ID, TITLE, SRC, ALT, STYLE, TYPE, NAME, VALUE, REL, CONTENT, DATA_SRC, DATA, SRCSET, POSTER, DATA_ORIGINAL,
    DATA_LAZY_SRC, DATA_LAZY, DATA_SRCSET, DATA_BG, DATA_BACKGROUND, DATA_VIDEO_ID, DATA_VIDEOID, DATA_YOUTUBE_ID, DATA_ID, WIDTH, HEIGHT,
    VIEW_BOX, ARIA_HIDDEN, BGCOLOR, DATETIME, MOMENT, ATTRIBUTES
};

/* `given` has a bit for each: with one more it needs a wider type. Not every compiler of C has static assertions. */
typedef char attributes_fit_into_given[ATTRIBUTES <= 64 ? 1 : -1];

/* The attributes that are read, by their first letters: all of a letter stand together, a test looks. */
static const struct {
    const char *name;
    octet length, place;
} names[] = {
    {"alt", 3, ALT}, {"aria-hidden", 11, ARIA_HIDDEN}, {"bgcolor", 7, BGCOLOR}, {"class", 5, CLASS}, {"content", 7, CONTENT}, {"data", 4, DATA},
    {"data-src", 8, DATA_SRC}, {"data-original", 13, DATA_ORIGINAL}, {"data-lazy-src", 13, DATA_LAZY_SRC},
    {"data-lazy", 9, DATA_LAZY}, {"data-srcset", 11, DATA_SRCSET}, {"data-bg", 7, DATA_BG},
    {"data-background", 15, DATA_BACKGROUND}, {"data-video-id", 13, DATA_VIDEO_ID}, {"data-videoid", 12, DATA_VIDEOID},
    {"data-youtube-id", 15, DATA_YOUTUBE_ID}, {"data-id", 7, DATA_ID},
    {"datetime", 8, DATETIME}, {"data-time", 9, MOMENT}, {"data-timestamp", 14, MOMENT}, {"data-utime", 10, MOMENT}, {"height", 6, HEIGHT}, {"href", 4, HREF}, {"id", 2, ID}, {"name", 4, NAME},
    {"poster", 6, POSTER}, {"rel", 3, REL}, {"src", 3, SRC}, {"srcset", 6, SRCSET}, {"style", 5, STYLE}, {"type", 4, TYPE},
    {"title", 5, TITLE}, {"value", 5, VALUE}, {"viewBox", 7, VIEW_BOX}, {"width", 5, WIDTH},
};
#define GIVEN(attribute) ((uint64_t)1 << (attribute))
static const uint64_t given_dates = GIVEN(DATETIME) | GIVEN(TITLE) | GIVEN(MOMENT);
enum { NAMES = sizeof names / sizeof *names, LONGEST_ATTRIBUTE = 15 };

typedef struct {
    const octet *s, *end;
    Text text;
    Room line, frames, hrefs, bases, canonical, generator, scratch, cells, grid, states, drawing, sources;
    size_t depth, walked;
    uint32_t serials;
    Counter *counters;
    size_t counters_used, counters_size;
    Tag tags[TAGS];
    uint64_t pairs[LINE_CAP + SUMS][2];
    octet counts[LINE_CAP + SUMS];
    size_t lines;
    uint64_t line_slot, sums[SUMS];
    uint32_t row, field, fields; /* of the cells and of the grid: in which element they are, and how many */
    size_t first_field;          /* the octets of the first one */
    Piece colour, classes; /* the last ones; what the classes tell is in `states` */
    Piece attributes[ATTRIBUTES]; /* of the tag that was read, and which there are */
    uint64_t given;
    octet firsts[256]; /* of `names`: where those of a letter begin, and one more; 0 = none */
    int open, draws, measured, placed, styled, mixed;
} Page;

static int
is(Piece piece, const char *text)
{
    size_t length = strlen(text);
    return piece.length == length && memcmp(piece.start, text, length) == 0;
}

/* The same in any case of its letters. */
static int
is_lower(Piece piece, const char *text)
{
    size_t n = 0;
    while (n < piece.length && text[n] && (octet)(piece.start[n] >= 'A' && piece.start[n] <= 'Z' ? piece.start[n] | 0x20 : piece.start[n]) == (octet)text[n])
        n++;
    return n == piece.length && !text[n];
}

/* What a tag is: looked up once, as a page has few. */
static const Tag *
tag_of(Page *page, Piece name)
{
    const octet *s = name.start;
    size_t at = (s[0] * 31u + s[name.length / 2] * 17u + s[name.length - 1] * 7u + name.length) % TAGS;
    Tag *tag = &page->tags[at];
    if (tag->name.length == name.length && memcmp(tag->name.start, s, name.length) == 0)
        return tag;
    tag->name = name;
    tag->hash = hash_of(s, name.length);
    tag->viewer = viewer_of(name);
    tag->state = state_of(name);
    tag->dated = dated_of(name);
    tag->kind = BLOCK_KIND;
    tag->flags = 0;
    for (size_t n = 0; n < sizeof known_tags / sizeof *known_tags; n++)
        if (is(name, known_tags[n].name)) {
            tag->kind = known_tags[n].kind;
            tag->flags = known_tags[n].flags;
            break;
        }
    return tag;
}

/* The number of an element among its likes in its parent; 0 where there are more elements than the module counts. */
static uint32_t
numbered(Page *page, uint32_t serial, uint64_t tag)
{
    if (page->counters_used * 2 >= page->counters_size) {
        size_t size = page->counters_size ? 4 * page->counters_size : 1024;
        Counter *old = page->counters, *fresh = size > MOST_COUNTERS ? NULL : PyMem_Calloc(size, sizeof *fresh);
        if (fresh == NULL)
            return 0;
        for (size_t n = 0; n < page->counters_size; n++) {
            size_t at = (size_t)(((old[n].tag ^ old[n].serial) * mix) >> 32) & (size - 1);
            if (!old[n].count)
                continue;
            while (fresh[at].count)
                at = (at + 1) & (size - 1);
            fresh[at] = old[n];
        }
        PyMem_Free(old);
        page->counters = fresh;
        page->counters_size = size;
    }
    for (size_t at = (size_t)(((tag ^ serial) * mix) >> 32), probes = 0; probes < MOST_PROBES; at++, probes++) {
        Counter *one = &page->counters[at & (page->counters_size - 1)];
        if (!one->count) {
            one->tag = tag;
            one->serial = serial;
            page->counters_used++;
        }
        else if (one->tag != tag || one->serial != serial)
            continue;
        return ++one->count;
    }
    return 0;
}

/* Text as it was before it was written: at the end of a room. */
static Taken
put_text(Room *room, Piece text)
{
    static const struct {
        const char *name;
        size_t length;
        const char *character;
        size_t octets;
    } escapes[] = {{"&amp;", 5, "&", 1}, {"&lt;", 4, "<", 1}, {"&gt;", 4, ">", 1}, {"&nbsp;", 6, "\xC2\xA0", 2}, {"&quot;", 6, "\"", 1}};
    const octet *s = text.start, *end = s + text.length;
    if (!reserve(room, text.length + 1))
        return FAULT;
    while (s < end) {
        const octet *escape = memchr(s, '&', (size_t)(end - s)), *stop = escape == NULL ? end : escape;
        size_t n = 0, count = sizeof escapes / sizeof *escapes;
        memcpy(room->start + room->used, s, (size_t)(stop - s));
        room->used += (size_t)(stop - s);
        if (escape == NULL)
            break;
        while (n < count && ((size_t)(end - escape) < escapes[n].length || memcmp(escape, escapes[n].name, escapes[n].length)))
            n++;
        if (n == count)
            return NO;
        memcpy(room->start + room->used, escapes[n].character, escapes[n].octets);
        room->used += escapes[n].octets;
        s = escape + escapes[n].length;
    }
    return YES;
}

/* One more of the texts that a NUL separates, which no value of a page has. */
static Taken
put_listed(Room *room, Piece text)
{
    size_t before = room->used;
    Taken taken;
    if (!reserve(room, 1))
        return FAULT;
    if (before)
        room->start[room->used++] = 0;
    taken = put_text(room, text);
    return taken == YES && memchr(room->start + before + (before > 0), 0, room->used - before - (before > 0)) ? NO : taken;
}

/* A line of the page; the last one of a long page stands for all that are left. */
static int
add_line(Page *page, uint64_t slot, const Room *line, int seen)
{
    octet count;
    size_t n = page->lines < LINE_CAP ? page->lines : LINE_CAP - 1;
    if (add_octets(&page->text, line->start, line->used, seen, &page->pairs[n][1], &count) < 0)
        return 0;
    page->pairs[n][0] = page->lines < LINE_CAP ? slot : 0;
    page->counts[n] = page->counts[n] < MOST_COUNTED - count ? page->counts[n] + count : MOST_COUNTED;
    page->lines++;
    return 1;
}

/* The text that is open becomes a line. */
static int
close_line(Page *page)
{
    int open = page->open;
    page->open = 0;
    return !open || add_line(page, page->line_slot, &page->line, 1);
}

static int
is_spaces(const octet *s, const octet *end)
{
    while (s < end) {
        int kind = octet_class[*s], wide = kind == SPACE ? 1 : kind == HIGH ? wide_space(s, end) : 0;
        if (wide == 0)
            return 0;
        s += wide;
    }
    return 1;
}

static Taken
shown_text(Page *page, const Frame *frame, Piece text, int raw)
{
    Taken taken = YES;
    if (!page->open)
        page->line.used = 0;
    if (raw) {
        if (!reserve(&page->line, text.length + 1))
            return FAULT;
        memcpy(page->line.start + page->line.used, text.start, text.length);
        page->line.used += text.length;
    }
    else
        taken = put_text(&page->line, text);
    if (taken == YES && !page->open && text.length && !is_spaces(page->line.start, page->line.start + page->line.used)) {
        page->open = 1;
        page->line_slot = frame->slot;
    }
    return taken;
}

/* Whether what stands in a field is words: shown.py (`is_worded`). */
static int
is_worded(const octet *s, size_t length)
{
    size_t letters = 0, small = 0, beyond = 0;
    int spaces = 0, marks = 0;
    for (size_t n = 0; n < length; n++) {
        octet lower = s[n] | 0x20;
        int is_letter = s[n] >= 0x80 || (lower >= 'a' && lower <= 'z');
        letters += is_letter;
        small += is_letter && (n == 0 || s[n] >= 'a');
        beyond += is_letter && (s[n] >= 0x80 || lower > 'f');
        spaces += s[n] == ' ';
        marks += s[n] == '<' || (length - n >= 3 && memcmp(s + n, "://", 3) == 0);
    }
    if (spaces)
        return letters >= 4 && 2 * letters > length && !marks;
    return small == length && length >= 4 && length <= 40 && beyond > 0;
}

/* Whether it may be an address: some write no more than `true` in its place. */
static int
is_addressed(Piece value)
{
    return value.length && (memchr(value.start, '/', value.length) || memchr(value.start, '.', value.length));
}

static int
is_within(Piece address)
{
    return address.length >= 5 && memcmp(address.start, "data:", 5) == 0;
}

/* The address of a picture, player or object: shown.py (`address_of`). */
static Piece
address_of(const Piece *attributes, int is_object)
{
    static const int lazy[] = {DATA_ORIGINAL, DATA_LAZY_SRC, DATA_LAZY, DATA_SRCSET};
    if (attributes[DATA_SRC].length)
        return attributes[DATA_SRC];
    for (size_t n = 0; n < sizeof lazy / sizeof *lazy; n++)
        if (is_addressed(attributes[lazy[n]]))
            return attributes[lazy[n]];
    if (attributes[SRC].length && !is_within(attributes[SRC]))
        return attributes[SRC];
    if (attributes[SRCSET].length)
        return attributes[SRCSET];
    if (is_object && attributes[DATA].length)
        return attributes[DATA];
    return attributes[POSTER].length ? attributes[POSTER] : attributes[SRC];
}

/* Whether what stands in a field is a number: shown.py (`is_number`). */
static int
is_number(const octet *s, size_t length)
{
    int digits = 0;
    if (length > 20)
        return 0;
    for (size_t n = 0; n < length; n++) {
        if (s[n] >= '0' && s[n] <= '9')
            digits = 1;
        else if (s[n] == 0 || strchr("-+.,% ", s[n]) == NULL)
            return 0;
    }
    return digits;
}

/* The line of something that nobody reads, by the name of its element. */
static Taken
put_address(Page *page, uint64_t slot, Piece name, Piece address)
{
    Room *room = &page->scratch;
    Taken taken;
    room->used = 0;
    if (!reserve(room, name.length + 1))
        return FAULT;
    memcpy(room->start, name.start, name.length);
    room->start[name.length] = ':';
    room->used = name.length + 1;
    taken = put_text(room, address);
    return taken == YES && !add_line(page, slot, room, 0) ? FAULT : taken;
}

/* Leaves of a style the addresses in it: shown.py (`urls_in`). */
static void
keep_urls(Room *room)
{
    octet *s = room->start, *end = s + room->used, *out = s;
    while (s < end && (s = memchr(s, '(', (size_t)(end - s))) != NULL) {
        octet *stop;
        if (s - room->start < 3 || s - 3 < out || memcmp(s - 3, "url", 3) != 0) {
            s++;
            continue;
        }
        s -= 3;
        stop = memchr(s, ')', (size_t)(end - s));
        stop = stop == NULL ? end : stop;
        memmove(out, s, (size_t)(stop - s));
        out += stop - s;
        s = stop;
    }
    room->used = (size_t)(out - room->start);
}

/* What an element shows besides its text: shown.py (`picture_of`); the room is empty where that is nothing. */
static Taken
put_picture(Room *room, const Piece *attributes, int bare)
{
    static const int all[] = {DATA_BG, DATA_BACKGROUND, DATA_VIDEO_ID, DATA_VIDEOID, DATA_YOUTUBE_ID, DATA_ID, DATA_SRC};
    Piece style = attributes[STYLE];
    Taken taken;
    room->used = 0;
    if (style.length && memchr(style.start, '(', style.length)) {
        if ((taken = put_text(room, style)) != YES)
            return taken;
        keep_urls(room);
        if (room->used)
            return YES;
    }
    for (size_t n = 0; n < sizeof all / sizeof *all - (bare ? 0 : 2); n++)
        if (attributes[all[n]].length)
            return put_text(room, attributes[all[n]]);
    return YES;
}

static void
end_row(Page *page)
{
    if (page->cells.used)
        page->sums[CELLS] += hash_of(page->cells.start, page->cells.used);
    page->cells.used = 0;
}

static void
end_grid(Page *page)
{
    if (page->fields >= FEWEST && page->mixed)
        page->sums[CELLS] += hash_of(page->grid.start, page->grid.used);
    page->grid.used = 0;
    page->fields = 0;
    page->mixed = 0;
}

/* One more of the texts that a NUL separates, as it is. */
static Taken
put_plain(Room *room, const octet *s, size_t length)
{
    if (!reserve(room, length + 1))
        return FAULT;
    if (room->used)
        room->start[room->used++] = 0;
    memcpy(room->start + room->used, s, length);
    room->used += length;
    return memchr(s, 0, length) == NULL ? YES : NO;
}

/* A cell that has neither text nor class, or a passing one: where its colour is another one than before. */
static Taken
see_colour(Page *page, Piece colour)
{
    Piece before = page->colour;
    page->colour = colour;
    if (before.length && (before.length != colour.length || memcmp(before.start, colour.start, colour.length)))
        return put_listed(&page->cells, colour);
    return put_plain(&page->cells, (const octet *)"-", 1);
}

/* One of a grid, by its states. */
static Taken
see_field(Page *page, Piece states, uint32_t field)
{
    if (field != page->field)
        end_grid(page);
    page->field = field;
    if (!page->fields++)
        page->first_field = states.length;
    else if (page->first_field != states.length || memcmp(page->grid.start, states.start, states.length))
        page->mixed = 1;
    return put_plain(&page->grid, states.start, states.length);
}

/* An empty element, or one of a day or a seat: its tip, and what its class tells. shown.py (`Sums.see`) */
static Taken
see_empty(Page *page, const Tag *tag, const Piece *attributes, uint32_t row, int bare)
{
    Taken taken;
    Piece states = {NULL, 0};
    if (bare && attributes[TITLE].length) {
        page->scratch.used = 0;
        if ((taken = put_text(&page->scratch, attributes[TITLE])) != YES)
            return taken;
        page->sums[TIPS] += hash_of(page->scratch.start, page->scratch.used);
    }
    if (!tag->state)
        return YES;
    if (attributes[CLASS].length && !(bare && tag->state == CELL)) {
        Piece classes = attributes[CLASS];
        if (classes.length != page->classes.length || memcmp(classes.start, page->classes.start, classes.length)) {
            page->states.used = 0;
            if ((taken = put_text(&page->states, classes)) != YES)
                return taken;
            page->states.used = keep_states(page->states.start, page->states.used);
            page->classes = classes;
        }
        states = (Piece){page->states.start, page->states.used};
    }
    if (tag->state == FIELD)
        return states.length ? see_field(page, states, row) : YES;
    bare = bare && attributes[CLASS].length;
    if (!bare && !states.length && !attributes[BGCOLOR].length)
        return YES;
    if (row != page->row) {
        end_row(page);
        page->colour.length = 0;
    }
    page->row = row;
    return bare            ? put_listed(&page->cells, attributes[CLASS])
           : states.length ? put_plain(&page->cells, states.start, states.length)
                           : see_colour(page, attributes[BGCOLOR]);
}

enum { SMALL = 64, PIXEL = 2 };

/* Whether a length begins with a number of at most so many pixels. */
static int
is_small(const octet *s, const octet *end, long most)
{
    const octet *start = s;
    long value = 0;
    while (s < end && *s >= '0' && *s <= '9' && s - start < 9)
        value = 10 * value + *s++ - '0';
    return s > start && value <= most && !(s < end && ((*s >= '0' && *s <= '9') || *s == '%'));
}

/* Whether a drawing belongs to what is around it: shown.py (`is_icon`). */
static int
is_icon(const Piece *attributes)
{
    Piece class = attributes[CLASS], style = attributes[STYLE], width = attributes[WIDTH], box = attributes[VIEW_BOX];
    const octet *last = box.start + box.length;
    if (attributes[ARIA_HIDDEN].start != NULL || (class.length && find_octets(class.start, class.start + class.length, "icon", 4)) ||
        (style.length && find_octets(style.start, style.start + style.length, "none", 4)))
        return 1;
    while (last > box.start && last[-1] != ' ' && last[-1] != ',')
        last--;
    return (width.length && is_small(width.start, width.start + width.length, SMALL)) ||
           (box.length && is_small(last, box.start + box.length, SMALL));
}

/* Whether a picture is there to count visits: shown.py (`is_counter`). */
static int
is_counter(const Piece *attributes, Piece address)
{
    Piece width = attributes[WIDTH], height = attributes[HEIGHT];
    return address.start == attributes[SRC].start && width.length && height.length &&
           is_small(width.start, width.start + width.length, PIXEL) && is_small(height.start, height.start + height.length, PIXEL) &&
           !picture_in(address);
}

/* A picture or player: its address is a line that nobody reads, the text for those who do not see it one that is read. */
static Taken
embedded(Page *page, const Tag *tag, uint64_t slot, const Piece *attributes)
{
    Piece address = address_of(attributes, is(tag->name, "object")), alt = attributes[ALT], type = attributes[TYPE];
    Room *room = &page->scratch;
    Taken taken;
    if (address.length && !(is(tag->name, "img") && is_counter(attributes, address)) &&
        (taken = put_address(page, slot, tag->name, address)) != YES)
        return taken;
    if (!alt.length && is(tag->name, "area"))
        alt = attributes[TITLE];
    if (alt.length) {
        room->used = 0;
        if ((taken = put_text(room, alt)) != YES)
            return taken;
        if (!is_spaces(room->start, room->start + room->used) && !add_line(page, slot, room, 1))
            return FAULT;
    }
    if (attributes[VALUE].length && is(tag->name, "input")) {
        int is_text = !type.length || is_lower(type, "text");
        if (!is_text && !is_lower(type, "number") && !is_lower(type, "range"))
            return YES;
        room->used = 0;
        if ((taken = put_text(room, attributes[VALUE])) != YES)
            return taken;
        if (is_text && is_worded(room->start, room->used))
            return add_line(page, slot, room, 1) ? YES : FAULT;
        if (is_number(room->start, room->used))
            return put_address(page, slot, tag->name, attributes[VALUE]);
    }
    return YES;
}

/* Whether an id is a name: letters alone. */
static int
is_name(Piece id)
{
    int wide = 0, all;
    PyObject *text, *answer;
    for (size_t n = 0; n < id.length; n++) {
        octet lower = id.start[n] | 0x20;
        if (id.start[n] >= 0x80)
            wide = 1;
        else if (lower < 'a' || lower > 'z')
            return 0;
    }
    if (!wide)
        return id.length > 0;
    text = PyUnicode_DecodeUTF8((const char *)id.start, (Py_ssize_t)id.length, NULL);
    answer = text == NULL ? NULL : PyObject_CallMethod(text, "isalpha", NULL);
    all = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(text);
    Py_XDECREF(answer);
    return all;
}

/* Whether one of the words of a `rel` is "canonical". */
static int
is_canonical(const octet *s, const octet *end)
{
    static const char word[] = "canonical";
    while (s < end) {
        size_t n = 0;
        int wide;
        while (s < end && (octet_class[*s] == SPACE || (octet_class[*s] == HIGH && wide_space(s, end))))
            s += octet_class[*s] == SPACE ? 1 : wide_space(s, end);
        while (s + n < end && n + 1 < sizeof word && (octet)(s[n] >= 'A' && s[n] <= 'Z' ? s[n] | 0x20 : s[n]) == (octet)word[n])
            n++;
        s += n;
        wide = s == end || octet_class[*s] == SPACE || (octet_class[*s] == HIGH && wide_space(s, end));
        if (n + 1 == sizeof word && wide)
            return 1;
        while (s < end && octet_class[*s] != SPACE && !(octet_class[*s] == HIGH && wide_space(s, end)))
            s++;
    }
    return 0;
}

static Taken
put_canonical(Page *page, const Piece *attributes)
{
    Taken taken;
    page->scratch.used = 0;
    if (page->canonical.used || !attributes[REL].length)
        return YES;
    taken = put_text(&page->scratch, attributes[REL]);
    if (taken != YES || !is_canonical(page->scratch.start, page->scratch.start + page->scratch.used))
        return taken;
    /* to the reference an empty value is another one than none, which is written in the same way */
    return attributes[HREF].length || attributes[HREF].start == NULL ? put_text(&page->canonical, attributes[HREF]) : NO;
}

/* What the elements by which a page says where it leads have to say. */
static Taken
put_link(Page *page, const Tag *tag, const Piece *attributes)
{
    if (tag->flags & META) {
        static const char generator[] = "generator";
        Piece name = attributes[NAME];
        if (page->generator.used || name.length != sizeof generator - 1)
            return YES;
        for (size_t n = 0; n < name.length; n++)
            if ((octet)(name.start[n] | 0x20) != (octet)generator[n])
                return YES;
        return put_text(&page->generator, attributes[CONTENT]);
    }
    if (!attributes[HREF].length)
        return YES;
    return put_listed(tag->flags & BASE ? &page->bases : &page->hrefs, attributes[HREF]);
}

/* Of an element of a drawing where it is, and its form: shown.py (`geometry_of`). */
static int
is_geometry(Piece name)
{
    static const char *const all[] = {"d", "points", "href", "xlink:href", "x", "y", "width", "height", "cx", "cy", "r", "x1", "y1",
                                      "x2", "y2", "transform"};
    if (name.length <= 10)
        for (size_t n = 0; n < sizeof all / sizeof *all; n++)
            if (*all[n] == (char)*name.start && is(name, all[n]))
                return 1;
    return 0;
}

/* The tag that begins at `s`, behind its bracket: its name and its attributes. */
static Taken
read_tag(Page *page, Piece *name, Piece *attributes, const Tag **tag)
{
    octet viewer;
    const octet *s = page->s, *end = page->end;
    name->start = s;
    for (size_t n = 0; page->given; n++, page->given >>= 1)
        attributes[n] = (Piece){NULL, 0};
    while (s < end && *s != ' ' && *s != '>')
        s++;
    name->length = (size_t)(s - name->start);
    if (name->length == 0)
        return NO;
    *tag = tag_of(page, *name);
    viewer = (*tag)->viewer;
    page->sources.used = 0;
    page->placed = 0;
    while (s < end && *s == ' ') {
        Piece attribute, value, source;
        const octet *quote;
        attribute.start = ++s;
        /* a name may begin with an equals sign, but has no other; a parser of before 2025 may write it without a value */
        for (s += s < end; s < end && *s != '=' && *s != ' ' && *s != '>'; s++)
            ;
        attribute.length = (size_t)(s - attribute.start);
        if (end - s < 2 || s[0] != '=' || s[1] != '"')
            return NO;
        value.start = s + 2;
        quote = memchr(value.start, '"', (size_t)(end - value.start));
        if (quote == NULL)
            return NO;
        value.length = (size_t)(quote - value.start);
        s = quote + 1;
        if (attribute.length <= LONGEST_ATTRIBUTE)
            for (size_t n = page->firsts[*attribute.start]; n && n <= NAMES && *names[n - 1].name == (char)*attribute.start; n++)
                if (names[n - 1].length == attribute.length && memcmp(names[n - 1].name, attribute.start, attribute.length) == 0) {
                    attributes[names[n - 1].place] = value;
                    page->given |= GIVEN(names[n - 1].place);
                    break;
                }
        if ((viewer >= MAY_VIEW || (attribute.length > 5 && memcmp(attribute.start, "data-", 5) == 0)) &&
            (source.length = source_in(viewer, attribute, value))) {
            Taken taken;
            source.start = value.start;
            if ((taken = put_listed(&page->sources, source)) != YES)
                return taken;
        }
        if (page->measured && value.length && is_geometry(attribute)) {
            Taken taken = put_listed(&page->drawing, value);
            page->placed |= (is(attribute, "x") || is(attribute, "y") || is(attribute, "transform")) && !is(value, "0");
            if (taken != YES)
                return taken;
        }
    }
    if (s == end || *s != '>')
        return NO;
    page->s = s + 1;
    return YES;
}

const octet *
find_octets(const octet *s, const octet *end, const char *text, size_t length)
{
    while ((size_t)(end - s) >= length && (s = memchr(s, text[0], (size_t)(end - s) - length + 1)) != NULL) {
        if (memcmp(s, text, length) == 0)
            return s;
        s++;
    }
    return NULL;
}

int
hides_an_end(const octet *s, const octet *end)
{
    static const char script[] = "<script";
    for (s = find_octets(s, end, "<!--", 4); s != NULL && (size_t)(end - s) >= sizeof script - 1; s++) {
        size_t n = 0;
        s = memchr(s, '<', (size_t)(end - s));
        if (s == NULL)
            return 0;
        while (n + 1 < sizeof script && s + n < end && (octet)(n ? s[n] | 0x20 : s[n]) == (octet)script[n])
            n++;
        if (n + 1 == sizeof script)
            return 1;
    }
    return 0;
}

/* The text of an element in which nothing is escaped; what follows is its end. */
static Taken
raw_text(Page *page, const Frame *frame)
{
    const octet *s = page->s, *stop = s;
    Piece text;
    for (;; stop++) {
        stop = find_octets(stop, page->end, "</", 2);
        if (stop == NULL || (size_t)(page->end - stop) < frame->name.length + 3)
            return NO;
        if (memcmp(stop + 2, frame->name.start, frame->name.length) == 0 && stop[2 + frame->name.length] == '>')
            break;
    }
    text.start = s;
    text.length = (size_t)(stop - s);
    page->s = stop;
    if (frame->flags & FOREIGN)
        return memchr(s, '<', text.length) == NULL ? YES : NO;
    if (is(frame->name, "script") && hides_an_end(s, stop))
        return NO;
    if (page->styled) {
        page->styled = 0;
        if (memchr(s, '(', text.length)) {
            page->scratch.used = 0;
            if (!reserve(&page->scratch, text.length))
                return FAULT;
            memcpy(page->scratch.start, s, text.length);
            page->scratch.used = text.length;
            keep_urls(&page->scratch);
            if (page->scratch.used && !add_line(page, frame->slot ^ beside, &page->scratch, 0))
                return FAULT;
        }
    }
    return frame->walked ? shown_text(page, frame, text, 1) : YES;
}

/* The slot of an element in its parent. */
static Taken
find_slot(Page *page, const Frame *parent, const Tag *tag, Piece id, uint64_t *slot)
{
    int named = is_name(id);
    if (named < 0)
        return FAULT;
    if (named)
        *slot = hash_of(id.start, id.length);
    else if (is(tag->name, "title") && is(parent->name, "body"))
        *slot = title_slot;
    else {
        uint32_t number = numbered(page, parent->serial, tag->hash);
        if (number == 0)
            return NO;
        *slot = (parent->slot ^ tag->hash) * mix + number;
    }
    return YES;
}

/* What an element shows besides its text, whose slot is given but for one in a line: walk.py (`_marked`). */
static Taken
see_beside(Page *page, const Frame *parent, const Tag *tag, const Piece *attributes, const uint64_t *slot)
{
    const uint64_t beyond = GIVEN(STYLE) | GIVEN(TITLE) | GIVEN(CLASS) | GIVEN(DATA_BG) | GIVEN(DATA_BACKGROUND) | GIVEN(DATA_VIDEO_ID) |
                            GIVEN(DATA_VIDEOID) | GIVEN(DATA_YOUTUBE_ID) | GIVEN(DATA_ID) | GIVEN(DATA_SRC) | GIVEN(BGCOLOR);
    size_t left = (size_t)(page->end - page->s), length = tag->name.length;
    const uint64_t classed = GIVEN(CLASS) | GIVEN(BGCOLOR);
    int bare = tag->kind <= INLINE_KIND && !(tag->flags & FOREIGN), known = 0, day;
    uint64_t own;
    Taken taken;
    if (tag->kind == EMBEDDED_KIND) {
        Piece address = address_of(attributes, is(tag->name, "object"));
        known = address.length && !is_within(address);
        /* a picture with an address may be there in place of another one */
        if (known && tag->viewer != IMAGE)
            page->sources.used = 0;
    }
    /* a class or a colour alone is read of cells and grids */
    if (!page->sources.used && (!(page->given & beyond) || (!(page->given & beyond & ~classed) && !tag->state)))
        return YES;
    /* a look at what most elements begin with saves most looks */
    day = tag->state && page->given & classed && left && (*page->s < 'A' || *page->s == 0xC2) && (*page->s != '<' || (left > 1 && page->s[1] == '/')) && is_day(page->s, page->end, tag->name);
    if (!page->sources.used && !(page->given & beyond & ~classed) && !day)
        return YES;
    if (bare && !(tag->flags & VOID))
        bare = left >= length + 3 && page->s[0] == '<' && page->s[1] == '/' && memcmp(page->s + 2, tag->name.start, length) == 0 &&
               page->s[2 + length] == '>';
    if ((taken = put_picture(&page->scratch, attributes, bare)) != YES)
        return taken;
    if (!bare && !known && tag->viewer < VIEWER && attributes[DATA_SRC].length) {
        Piece source = {attributes[DATA_SRC].start, medium_in(attributes[DATA_SRC])};
        if (source.length && (taken = put_listed(&page->sources, source)) != YES)
            return taken;
    }
    if (page->sources.used) {
        if (!reserve(&page->scratch, page->sources.used + 1))
            return FAULT;
        if (page->scratch.used)
            page->scratch.start[page->scratch.used++] = 0;
        memcpy(page->scratch.start + page->scratch.used, page->sources.start, page->sources.used);
        page->scratch.used += page->sources.used;
    }
    if (page->scratch.used) {
        if (slot == NULL) {
            if ((taken = find_slot(page, parent, tag, attributes[ID], &own)) != YES)
                return taken;
            slot = &own;
        }
        if (!add_line(page, *slot ^ beside, &page->scratch, 0))
            return FAULT;
    }
    return bare || day ? see_empty(page, tag, attributes, parent->serial, bare) : YES;
}

/* The first source of a player that has no address. */
static Taken
put_source(Page *page, Piece name, const Piece *attributes)
{
    Frame *player = (Frame *)page->frames.start + page->depth - 1;
    Piece address = address_of(attributes, 0);
    if (!address.length)
        return YES;
    player->waits = 0;
    return put_address(page, player->slot ^ beside, name, address);
}

/* The picture of those who have no scripts: shown.py (`late_picture`). */
static Taken
put_late(Page *page, const Frame *parent, Piece name, const Piece *attributes)
{
    static const char *const hidden[] = {"display:none", "display: none", "visibility:hidden",
                                         "visibility: hidden", "left:-", "left: -"};
    Piece width = attributes[WIDTH], style = attributes[STYLE], picture = attributes[SRC];
    if (width.length && is_small(width.start, width.start + width.length, PIXEL))
        return YES;
    for (size_t n = 0; style.length && n < sizeof hidden / sizeof *hidden; n++)
        if (find_octets(style.start, style.start + style.length, hidden[n], strlen(hidden[n])) != NULL)
            return YES;
    picture.length = picture_in(picture);
    return picture.length ? put_address(page, parent->slot ^ beside, name, picture) : YES;
}

/* The text that begins an element and is all of it, where it is an age: with the date in place of its number. ages.py
 * (`aged_text`) */
static Taken
put_aged(Page *page, const Tag *tag)
{
    static const int dates[] = {DATETIME, TITLE, MOMENT};
    const octet *stop = memchr(page->s, '<', (size_t)(page->end - page->s));
    Room *room = &page->scratch, *date = &page->sources;
    Piece text = {page->s, 0}, all;
    size_t at, digits, length = tag->name.length, kept;
    Taken taken = YES;
    if (stop == NULL || (size_t)(page->end - stop) < length + 3 || stop[1] != '/' || memcmp(stop + 2, tag->name.start, length) != 0 ||
        stop[2 + length] != '>')
        return YES;
    text.length = (size_t)(stop - text.start);
    /* most texts have no number */
    for (at = 0; at < text.length && !(text.start[at] >= '0' && text.start[at] <= '9'); at++)
        ;
    if (at == text.length)
        return YES;
    room->used = date->used = 0;
    if ((taken = put_text(room, text)) != YES)
        return taken;
    if (!find_age(room->start, room->used, &at, &digits))
        return YES;
    for (size_t n = tag->dated == TIMED ? 0 : 1; !date->used && n < sizeof dates / sizeof *dates; n++) {
        if ((taken = put_text(date, page->attributes[dates[n]])) != YES)
            return taken;
        date->used = dates[n] == MOMENT ? moment_in(date->start, date->used) : keep_date(date->start, date->used);
    }
    if (!date->used)
        return YES;
    if (!reserve(room, date->used))
        return FAULT;
    kept = room->used - at - digits;
    memmove(room->start + at + date->used, room->start + at + digits, kept);
    memcpy(room->start + at, date->start, date->used);
    all = (Piece){room->start, at + date->used + kept};
    page->s = stop;
    return shown_text(page, (const Frame *)page->frames.start + page->depth - 1, all, 1);
}

/* What of a drawing is not shown. */
static int
is_not_drawn(Piece name)
{
    static const char *const all[] = {"script", "style", "title", "desc", "metadata", "template", "noscript"};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
        if (is(name, all[n]))
            return 1;
    return 0;
}

/* The element that begins at `s`, behind its bracket. */
static Taken
begin(Page *page)
{
    Piece name, *attributes = page->attributes;
    const Tag *tag;
    const Frame *parent = page->depth ? (const Frame *)page->frames.start + page->depth - 1 : NULL;
    Frame fresh = {{NULL, 0}, 1, 0, BLOCK_KIND, 0, 0, 0, 0};
    uint64_t slot;
    int drawn = parent != NULL && (parent->flags & FOREIGN) != 0;
    size_t measured = page->drawing.used;
    Taken taken;
    page->measured = drawn && parent->walked && page->draws;
    taken = read_tag(page, &name, attributes, &tag);
    if (taken != YES)
        return taken;
    if (page->measured && (is_not_drawn(name) || (is(name, "use") && !page->placed)))
        page->drawing.used = measured;
    fresh.name = name;
    /* a drawing is one line, whatever it is made of */
    fresh.kind = !drawn ? tag->kind : is_not_drawn(name) ? HIDDEN_KIND : INLINE_KIND;
    if (parent == NULL) {
        if (!is(name, "html"))
            return NO;
        fresh.walked = 1;
    }
    else {
        fresh.flags = (parent->flags & (FOREIGN | INERT)) | tag->flags;
        if (tag->flags & UNSURE)
            return NO;
        if (drawn && (tag->flags & (VOID | RAW)) && !is(name, "style") && !is(name, "script"))
            return NO;
        if ((tag->flags & (ANCHOR | BASE | META)) && !(fresh.flags & INERT) && (taken = put_link(page, tag, attributes)) != YES)
            return taken;
        if (parent->waits && is(name, "source") && (taken = put_source(page, name, attributes)) != YES)
            return taken;
        fresh.late = parent->late && !(fresh.flags & INERT);
        if (fresh.late && tag->viewer == IMAGE && (taken = put_late(page, parent, name, attributes)) != YES)
            return taken;
        slot = parent->slot;
        fresh.walked = parent->walked && fresh.kind <= INLINE_KIND;
        if (parent->walked && tag->kind == INLINE_KIND && !drawn) {
            if ((taken = see_beside(page, parent, tag, attributes, NULL)) != YES)
                return taken;
        }
        else if (parent->walked && !drawn) {
            if (!close_line(page))
                return FAULT;
            if (tag->kind <= EMBEDDED_KIND) {
                if ((taken = find_slot(page, parent, tag, attributes[ID], &slot)) != YES ||
                    (taken = see_beside(page, parent, tag, attributes, &slot)) != YES)
                    return taken;
                if (tag->kind == EMBEDDED_KIND && (taken = embedded(page, tag, slot, attributes)) != YES)
                    return taken;
                fresh.waits = tag->kind == EMBEDDED_KIND && (is(name, "video") || is(name, "audio")) && !attributes[SRC].length;
                if (is(name, "svg")) {
                    page->draws = !is_icon(attributes);
                    page->drawing.used = 0;
                }
                else if (tag->flags & FOREIGN)
                    page->draws = 0;
            }
            else if (is(name, "style")) {
                if ((taken = find_slot(page, parent, tag, attributes[ID], &slot)) != YES)
                    return taken;
                page->styled = 1;
            }
            else if (tag->viewer == CANVAS) {
                if ((taken = see_beside(page, parent, tag, attributes, NULL)) != YES)
                    return taken;
            }
            else if (is(name, "noscript"))
                fresh.late = 1;
            else if (tag->kind == LINK_KIND && (taken = put_canonical(page, attributes)) != YES)
                return taken;
        }
        fresh.slot = slot;
    }
    if (fresh.walked && page->walked >= DEEPEST)
        return NO;
    if (tag->flags & VOID)
        return YES;
    if (page->depth == MOST_OPEN)
        return NO;
    if (!reserve(&page->frames, sizeof fresh))
        return FAULT;
    fresh.serial = ++page->serials;
    page->walked += fresh.walked;
    memcpy((Frame *)page->frames.start + page->depth++, &fresh, sizeof fresh);
    page->frames.used = page->depth * sizeof fresh;
    if (tag->dated && page->given & given_dates && fresh.walked && !drawn)
        return put_aged(page, tag);
    return tag->flags & RAW ? raw_text(page, (const Frame *)page->frames.start + page->depth - 1) : YES;
}

/* The end of the element that is open, at `s`. */
static Taken
finish_element(Page *page)
{
    const Frame *frame = (const Frame *)page->frames.start + page->depth - 1;
    const octet *s = page->s + 2;
    size_t length = frame->name.length;
    if ((size_t)(page->end - s) <= length || memcmp(s, frame->name.start, length) != 0 || s[length] != '>')
        return NO;
    page->s = s + length + 1;
    page->depth--;
    page->frames.used = page->depth * sizeof *frame;
    page->walked -= frame->walked;
    if (page->draws && is(frame->name, "svg") && frame->walked && !(frame[-1].flags & FOREIGN)) {
        if (page->drawing.used)
            page->sums[DRAWINGS] += hash_of(page->drawing.start, page->drawing.used);
        page->draws = 0;
        page->drawing.used = 0;
    }
    return frame->walked && frame->kind == BLOCK_KIND && !close_line(page) ? FAULT : YES;
}

static Taken
read_page(Page *page)
{
    const octet *stop;
    Taken taken;
    if (page->s == page->end || *page->s++ != '<')
        return NO;
    taken = begin(page);
    while (taken == YES && page->depth && page->s < page->end) {
        const octet *s = page->s;
        size_t left = (size_t)(page->end - s);
        if (*s != '<') {
            const Frame *frame = (const Frame *)page->frames.start + page->depth - 1;
            Piece text = {s, 0};
            stop = memchr(s, '<', left);
            if (stop == NULL)
                return NO;
            text.length = (size_t)(stop - s);
            page->s = stop;
            if (frame->walked)
                taken = shown_text(page, frame, text, 0);
        }
        else if (left >= 4 && memcmp(s, "<!--", 4) == 0) {
            stop = find_octets(s + 4, page->end, "-->", 3);
            if (stop == NULL)
                return NO;
            page->s = stop + 3;
        }
        else if (left >= 2 && (s[1] == '!' || s[1] == '?')) {
            /* an instruction has no bracket before its end */
            stop = s[1] == '?' ? memchr(s, '>', left) : NULL;
            if (stop == NULL)
                return NO;
            page->s = stop + 1;
        }
        else if (left >= 2 && s[1] == '/')
            taken = finish_element(page);
        else {
            page->s++;
            taken = begin(page);
        }
    }
    if (taken == YES)
        taken = page->depth == 0 && page->s == page->end ? YES : NO;
    return taken == YES && !close_line(page) ? FAULT : taken;
}

/* What the addresses of a page are joined to: its scheme with a colon, its origin, its folder, and itself without query. */
enum { SCHEME, ORIGIN, FOLDER, ITSELF, STEMS };

static int
is_one_of(octet one, const char *all)
{
    return one != 0 && strchr(all, one) != NULL;
}

static int
has_scheme(const octet *s, const octet *end)
{
    octet lower = s < end ? *s | 0x20 : 0;
    if (lower < 'a' || lower > 'z')
        return 0;
    for (; s < end && *s != ':'; s++)
        if (!((*s | 0x20) >= 'a' && (*s | 0x20) <= 'z') && !(*s >= '0' && *s <= '9') && !is_one_of(*s, "+.-"))
            return 0;
    return s < end;
}

/* Whether it is an address of HTTP with something behind its slashes. */
static int
is_http(const octet *s, const octet *end)
{
    static const char http[] = "http";
    for (size_t n = 0; n < 4; n++, s++)
        if (s == end || (*s | 0x20) != http[n])
            return 0;
    if (s < end && (*s | 0x20) == 's')
        s++;
    return end - s >= 4 && memcmp(s, "://", 3) == 0 && s[3] != '/' && s[3] != '\\';
}

/* The addresses that the `href` of a page mean, a line each: links.py (`page_links`). NO where one is unusual. */
static Taken
resolve(const Room *hrefs, const Piece *stems, Room *out)
{
    const octet *s = hrefs->start, *all = s + hrefs->used;
    for (const octet *next; s < all; s = next + 1) {
        const octet *end = next = memchr(s, 0, (size_t)(all - s)) ? memchr(s, 0, (size_t)(all - s)) : all;
        Piece stem = {NULL, 0};
        size_t before = out->used;
        if (end - s > LONGEST_LINK)
            return NO;
        while (s < end && is_one_of(*s, " \t\n\r\f"))
            s++;
        while (s < end && is_one_of(end[-1], " \t\n\r\f"))
            end--;
        for (const octet *at = s; at < end; at++)
            if (*at < 0x20 || *at == '\\')
                return NO;
        if (s == end || *s == '#')
            continue;
        if (*s == '/')
            stem = stems[end - s > 1 && s[1] == '/' ? SCHEME : ORIGIN];
        else if (*s == '?')
            stem = stems[ITSELF];
        else if (!has_scheme(s, end))
            stem = stems[FOLDER];
        if (!reserve(out, stem.length + (size_t)(end - s) + 1))
            return FAULT;
        if (stem.length)
            memcpy(out->start + before, stem.start, stem.length);
        memcpy(out->start + before + stem.length, s, (size_t)(end - s));
        if (!is_http(out->start + before, out->start + before + stem.length + (size_t)(end - s)))
            continue;
        out->used += stem.length + (size_t)(end - s);
        out->start[out->used++] = '\n';
    }
    return YES;
}

const char page_doc[] = "page(html, scheme, origin, folder, itself) -> (lines, counts, words, digest, minhash, canonical, bases, "
                        "generator, hrefs, links) of a page as the parser wrote it; None where it is not taken.";

static PyObject *
as_text(const Room *room)
{
    return PyUnicode_DecodeUTF8(room->used ? (const char *)room->start : "", (Py_ssize_t)room->used, NULL);
}

static PyObject *
result_of(Page *page, const Piece *stems)
{
    Room links = {NULL, 0, 0};
    PyObject *lines, *resolved = NULL, *hrefs = NULL;
    size_t count = page->lines < LINE_CAP ? page->lines : LINE_CAP;
    octet digest[TEXT_DIGEST], minima[4 * BINS];
    Taken taken = page->bases.used ? NO : resolve(&page->hrefs, stems, &links);
    if (taken != FAULT) {
        resolved = taken == YES ? as_text(&links) : Py_NewRef(Py_None);
        hrefs = taken == NO ? as_text(&page->hrefs) : Py_NewRef(Py_None);
    }
    PyMem_Free(links.start);
    if (taken == FAULT)
        return NULL;
    finish_text(&page->text, digest, minima);
    end_row(page);
    end_grid(page);
    for (size_t n = 0; n < SUMS; n++)
        if (page->sums[n]) {
            page->pairs[count][0] = FIRST_SUM + n;
            page->pairs[count][1] = page->sums[n];
            page->counts[count++] = 0;
        }
    lines = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(sizeof *page->pairs * count));
    if (lines != NULL)
        put_numbers(*page->pairs, 2 * count, (octet *)PyBytes_AsString(lines));
    return Py_BuildValue(
        "NNnNNNNNNN", lines, PyBytes_FromStringAndSize((const char *)page->counts, (Py_ssize_t)count),
        (Py_ssize_t)page->text.sketch.words, PyBytes_FromStringAndSize((const char *)digest, TEXT_DIGEST),
        PyBytes_FromStringAndSize((const char *)minima, (Py_ssize_t)sizeof minima), as_text(&page->canonical),
        as_text(&page->bases), as_text(&page->generator), hrefs, resolved);
}

PyObject *
native_page(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    Piece pieces[1 + STEMS];
    PyObject *result = NULL;
    Page *page;
    Taken taken;

    if (count != 1 + STEMS) {
        PyErr_SetString(PyExc_TypeError, "expected (html, scheme, origin, folder, itself)");
        return NULL;
    }
    for (int n = 0; n < 1 + STEMS; n++) {
        Py_ssize_t length = 0;
        char *octets = NULL;
        if (n == 0 && PyBytes_Check(args[0]))
            PyBytes_AsStringAndSize(args[0], &octets, &length);
        pieces[n].start = octets ? (const octet *)octets : (const octet *)PyUnicode_AsUTF8AndSize(args[n], &length);
        if (pieces[n].start == NULL) {
            if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
                return NULL;
            PyErr_Clear();
            return Py_NewRef(Py_None);
        }
        pieces[n].length = (size_t)length;
    }
    page = PyMem_Calloc(1, sizeof *page);
    if (page == NULL)
        return PyErr_NoMemory();
    page->s = pieces[0].start;
    page->end = page->s + pieces[0].length;
    for (size_t n = NAMES; n > 0; n--)
        page->firsts[(octet)*names[n - 1].name] = (octet)n;
    begin_text(&page->text);
    taken = read_page(page);
    if (taken == YES)
        result = result_of(page, pieces + 1);
    else if (taken == NO)
        result = Py_NewRef(Py_None);
    end_text(&page->text);
    Room *rooms[] = {&page->line, &page->frames, &page->hrefs, &page->bases, &page->canonical, &page->generator, &page->scratch,
                     &page->cells, &page->grid, &page->states, &page->drawing, &page->sources};
    for (size_t n = 0; n < sizeof rooms / sizeof *rooms; n++)
        PyMem_Free(rooms[n]->start);
    PyMem_Free(page->counters);
    PyMem_Free(page);
    return result;
}
