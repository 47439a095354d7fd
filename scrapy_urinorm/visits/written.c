/* A page as its parser writes it out, made in one pass where the tree is what stands there: selectolax is the reference,
 * tests/visits compares, octet by octet.
 *
 * Most pages leave a parser little to straighten out: elements that are closed where they should be, and those that the
 * HTML standard lets end by themselves (13.2.6). Of these the tree need not be built to be written. What would be moved,
 * copied or left out, and what is rare, is left to the parser: then the module takes none.
 */
#include "markup.h"

enum { MOST_ATTRIBUTES = 64, DEEPEST_OPEN = 200, LONGEST_NAME = 32, ROLES = 1 << 9 };

/* What an element is to the construction of a tree. */
typedef enum {
    ORDINARY, DIVISION, DOUBTFUL, HEADING, PARAGRAPH, ITEM, TERM, FORM, BUTTON, ANCHOR, TABLE, CAPTION, COLGROUP, COL, SECTION,
    ROW, CELL, SELECT, OPTION, OPTGROUP, EMPTY, RULE, META, RAW, TITLE, FIELD, PREFORMATTED, OBJECT, DRAWING, DRAWN, DOCUMENT, HEAD, BODY, NEVER
} Role;

/* What is around an element, as far as the standard asks. */
enum { IN_PARAGRAPH = 1, IN_ITEM = 2, IN_TERM = 4, IN_ANCHOR = 8, IN_BUTTON = 16, IN_SELECT = 32, ENCLOSED = 64 };

static const struct {
    Role role;
    const char *names;
} roles[] = {
    {DIVISION, "address article aside blockquote div figure figcaption footer header nav section center details summary main "
            "fieldset dl ol ul menu dir"},
    /* of the standard, but not of every parser */
    {DOUBTFUL, "search hgroup dialog"},
    {HEADING, "h1 h2 h3 h4 h5 h6"},
    {PARAGRAPH, "p"},
    {ITEM, "li"},
    {TERM, "dd dt"},
    {FORM, "form"},
    {BUTTON, "button"},
    {ANCHOR, "a"},
    {TABLE, "table"},
    {CAPTION, "caption"},
    {COLGROUP, "colgroup"},
    {COL, "col"},
    {SECTION, "tbody thead tfoot"},
    {ROW, "tr"},
    {CELL, "td th"},
    {SELECT, "select"},
    {OPTION, "option"},
    {OPTGROUP, "optgroup"},
    {EMPTY, "area br embed img input param source track wbr"},
    {RULE, "hr"},
    {META, "base link meta"},
    {RAW, "script style iframe"},
    {TITLE, "title"},
    {FIELD, "textarea"},
    {PREFORMATTED, "pre"},
    {OBJECT, "object"},
    {DRAWING, "svg"},
    {DOCUMENT, "html"},
    {HEAD, "head"},
    {BODY, "body"},
    {NEVER, "applet basefont bgsound command frame frameset image isindex keygen listing marquee math menuitem nobr noembed "
            "noframes plaintext rb rp rt rtc template xmp selectedcontent"},
};

/* Of drawings: elements that hold nothing but their like, and attributes without a hyphen; both in the one spelling that a
 * parser does not change. */
static const char drawn[] = " path g circle rect line polyline polygon ellipse use symbol defs stop clipPath mask linearGradient "
                            "radialGradient text tspan title ";
static const char drawn_attributes[] = " xmlns class id d fill stroke width height x y x1 x2 y1 y2 r rx ry cx cy points transform style "
                                       "role focusable opacity version href offset tabindex viewBox preserveAspectRatio "
                                       "gradientTransform gradientUnits clipPathUnits maskUnits xlink:href xml:space xmlns:xlink ";

typedef struct {
    Piece name;
    octet role;
} Known;

static Known known_roles[ROLES];

typedef struct {
    Piece name;
    octet role, within;
} Open;

typedef enum { BEFORE_HTML, BEFORE_HEAD, IN_HEAD, AFTER_HEAD, IN_BODY, AFTER_BODY, AFTER_HTML } Mode;

typedef struct {
    const octet *s, *end;
    Room out;
    Open open[DEEPEST_OPEN];
    size_t depth;
    Mode mode;
    int form;
} Source;

/* What an octet is in markup: a space, part of a name of a tag, something to escape in a text or in a value. */
enum { GAP = 1, NAMED = 2, ESCAPED = 4, QUOTED = 8, ATTRIBUTE = 16 };
static octet markup_class[256];

static size_t
place_of(Piece name)
{
    uint32_t hash = 0;
    for (size_t n = 0; n < name.length; n++)
        hash = (hash ^ name.start[n]) * 0x01000193u;
    return hash >> 16 ^ hash;
}

static int
same(Piece one, Piece other)
{
    return one.length == other.length && memcmp(one.start, other.start, one.length) == 0;
}

static Role
role_of(Piece name)
{
    for (size_t at = place_of(name);; at++) {
        const Known *known = &known_roles[at % ROLES];
        if (known->name.start == NULL)
            return ORDINARY;
        if (same(known->name, name))
            return known->role;
    }
}

void
fill_markup_tables(void)
{
    for (int n = 0x21; n < 0x80; n++)
        markup_class[n] = strchr("\"'<>/=", n) ? 0 : ATTRIBUTE;
    for (int n = '0'; n <= '9'; n++)
        markup_class[n] |= NAMED;
    for (int n = 'a'; n <= 'z'; n++)
        markup_class[n] |= NAMED;
    markup_class['-'] |= NAMED;
    markup_class[' '] = markup_class['\t'] = markup_class['\n'] = markup_class['\f'] = GAP;
    markup_class['&'] |= ESCAPED | QUOTED;
    markup_class['<'] |= ESCAPED | QUOTED;
    markup_class['>'] |= ESCAPED | QUOTED;
    markup_class['"'] |= QUOTED;
    markup_class[0xC2] |= ESCAPED | QUOTED; /* of U+00A0 */
    for (size_t n = 0; n < sizeof roles / sizeof *roles; n++)
        for (const char *s = roles[n].names, *stop; *s; s = *stop ? stop + 1 : stop) {
            Piece name = {(const octet *)s, 0};
            size_t at;
            stop = strchr(s, ' ') ? strchr(s, ' ') : s + strlen(s);
            name.length = (size_t)(stop - s);
            /* each interpreter that imports the module fills the table */
            for (at = place_of(name); known_roles[at % ROLES].name.start != NULL && !same(known_roles[at % ROLES].name, name); at++)
                ;
            known_roles[at % ROLES].name = name;
            known_roles[at % ROLES].role = (octet)roles[n].role;
        }
}

/* Writing. */

static int
put(Source *page, const void *octets, size_t length)
{
    if (!reserve(&page->out, length))
        return 0;
    memcpy(page->out.start + page->out.used, octets, length);
    page->out.used += length;
    return 1;
}

static int
put_end(Source *page, Piece name)
{
    octet *out;
    if (!reserve(&page->out, name.length + 3))
        return 0;
    out = page->out.start + page->out.used;
    out[0] = '<';
    out[1] = '/';
    memcpy(out + 2, name.start, name.length);
    out[2 + name.length] = '>';
    page->out.used += name.length + 3;
    return 1;
}

/* A character that is written as a number, or by a name. */
static int
put_character(Source *page, uint32_t code)
{
    octet octets[4];
    size_t length;
    if (code < 0x80) {
        octets[0] = (octet)code;
        length = 1;
    }
    else if (code < 0x800) {
        octets[0] = (octet)(0xC0 | code >> 6);
        length = 2;
    }
    else if (code < 0x10000) {
        octets[0] = (octet)(0xE0 | code >> 12);
        length = 3;
    }
    else {
        octets[0] = (octet)(0xF0 | code >> 18);
        length = 4;
    }
    for (size_t n = 1; n < length; n++)
        octets[n] = (octet)(0x80 | (code >> 6 * (length - 1 - n) & 0x3F));
    return put(page, octets, length);
}

/* Names of characters that are written often; what has another one is left to the parser. */
static const struct {
    const char *name;
    uint32_t code;
} characters[] = {
    {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}, {"nbsp", 0xA0}, {"copy", 0xA9}, {"reg", 0xAE},
    {"laquo", 0xAB}, {"raquo", 0xBB}, {"middot", 0xB7}, {"times", 0xD7}, {"deg", 0xB0}, {"sect", 0xA7}, {"para", 0xB6},
    {"auml", 0xE4}, {"ouml", 0xF6}, {"uuml", 0xFC}, {"Auml", 0xC4}, {"Ouml", 0xD6}, {"Uuml", 0xDC}, {"szlig", 0xDF},
    {"eacute", 0xE9}, {"egrave", 0xE8}, {"agrave", 0xE0}, {"ccedil", 0xE7}, {"aacute", 0xE1}, {"iacute", 0xED},
    {"oacute", 0xF3}, {"uacute", 0xFA}, {"ntilde", 0xF1}, {"ndash", 0x2013}, {"mdash", 0x2014}, {"lsquo", 0x2018},
    {"rsquo", 0x2019}, {"ldquo", 0x201C}, {"rdquo", 0x201D}, {"bull", 0x2022}, {"hellip", 0x2026}, {"lsaquo", 0x2039},
    {"rsaquo", 0x203A}, {"euro", 0x20AC}, {"trade", 0x2122}, {"larr", 0x2190}, {"uarr", 0x2191}, {"rarr", 0x2192},
    {"darr", 0x2193},
};

static int
is_letter_or_digit(octet one)
{
    octet lower = one | 0x20;
    return (lower >= 'a' && lower <= 'z') || (one >= '0' && one <= '9');
}

/* The character that an ampersand at `*at` means, 0 where the page is left to the parser; `*at` is then behind it. */
static uint32_t
character_at(const octet **at, const octet *end, int in_value)
{
    const octet *s = *at + 1, *name = s;
    uint32_t code = 0;
    if (s < end && *s == '#') {
        int base = 10, digits = 0;
        if (++s < end && (*s | 0x20) == 'x') {
            base = 16;
            s++;
        }
        for (; s < end && code < 0x110000 && is_letter_or_digit(*s); s++, digits++) {
            octet lower = *s | 0x20;
            int digit = *s <= '9' ? *s - '0' : lower - 'a' + 10;
            if (digit >= base)
                return 0;
            code = code * (uint32_t)base + (uint32_t)digit;
        }
        /* those that are replaced by others */
        if (!digits || s == end || *s != ';' || code >= 0x110000 || (code >= 0xD800 && code < 0xE000) || (code >= 0x7F && code < 0xA0) ||
            (code < 0x20 && code != '\n' && code != '\t'))
            return 0;
        *at = s + 1;
        return code;
    }
    while (s < end && is_letter_or_digit(*s))
        s++;
    /* a name has two letters and more; in a value, one without its end is none in front of an equals sign */
    if (s == name || (s == name + 1 && (s == end || *s != ';')) || (in_value && s < end && *s == '=')) {
        *at = name;
        return '&';
    }
    if (s == end || *s != ';')
        return 0;
    for (size_t n = 0; n < sizeof characters / sizeof *characters; n++)
        if (strlen(characters[n].name) == (size_t)(s - name) && memcmp(characters[n].name, name, (size_t)(s - name)) == 0) {
            *at = s + 1;
            return characters[n].code;
        }
    return 0;
}

/* The high bits of the octets that are zero; above the first of them others may be set as well. */
static uint64_t
zeros_in(uint64_t eight)
{
    const uint64_t each = 0x0101010101010101u;
    return (eight - each) & ~eight & 0x80 * each;
}

/* Where the first octet is that a text or a value does not have as it is, eight at a time up to it. */
static const octet *
first_special(const octet *s, const octet *end, int in_value)
{
    const uint64_t each = 0x0101010101010101u;
    const octet special = in_value ? QUOTED : ESCAPED;
    while (end - s >= 8) {
        uint64_t eight, found;
        memcpy(&eight, s, 8);
        /* both brackets, which one bit tells apart, an ampersand, with a quote, and what begins a space */
        found = zeros_in((eight | 0x02 * each) ^ '>' * each) | zeros_in(eight ^ '&' * each) | zeros_in(eight ^ 0xC2 * each);
        if (in_value)
            found |= zeros_in(eight ^ '"' * each);
        if (found)
            break;
        s += 8;
    }
    while (s < end && !(markup_class[*s] & special))
        s++;
    return s;
}

/* A text or a value, decoded and written again. */
static Taken
put_escaped(Source *page, const octet *s, const octet *end, int in_value)
{
    while (s < end) {
        const octet *start = s;
        uint32_t code;
        int good;
        s = first_special(s, end, in_value);
        if (s > start && !put(page, start, (size_t)(s - start)))
            return FAULT;
        if (s == end)
            break;
        code = *s;
        if (code == '&') {
            if ((code = character_at(&s, end, in_value)) == 0)
                return NO;
        }
        else if (code != 0xC2)
            s++;
        else if (s[1] == 0xA0) {
            /* no octet of this kind is the last one */
            code = 0xA0;
            s += 2;
        }
        else {
            if (!put(page, s, 2))
                return FAULT;
            s += 2;
            continue;
        }
        switch (code) {
        case '&':
            good = put(page, "&amp;", 5);
            break;
        case '<':
            good = put(page, "&lt;", 4);
            break;
        case '>':
            good = put(page, "&gt;", 4);
            break;
        case 0xA0:
            good = put(page, "&nbsp;", 6);
            break;
        case '"':
            good = in_value ? put(page, "&quot;", 6) : put(page, "\"", 1);
            break;
        default:
            good = put_character(page, code);
        }
        if (!good)
            return FAULT;
    }
    return YES;
}

/* Elements. */

static Open *
top(Source *page)
{
    return &page->open[page->depth - 1];
}

static int
pop(Source *page)
{
    page->depth--;
    return put_end(page, page->open[page->depth].name);
}

static Taken
push(Source *page, Piece name, Role role)
{
    octet within = page->depth ? top(page)->within : 0;
    if (page->depth == DEEPEST_OPEN)
        return NO;
    switch (role) {
    case PARAGRAPH:
        within |= IN_PARAGRAPH;
        break;
    case ITEM:
        within |= IN_ITEM;
        break;
    case TERM:
        within |= IN_TERM;
        break;
    case ANCHOR:
        within |= IN_ANCHOR;
        break;
    case BUTTON:
        within = (octet)((within & ~IN_PARAGRAPH) | IN_BUTTON | ENCLOSED);
        break;
    case SELECT:
        within |= IN_SELECT | ENCLOSED;
        break;
    case TABLE:
        within = (octet)((within & IN_ANCHOR) | ENCLOSED);
        break;
    case CELL:
    case CAPTION:
    case OBJECT:
        within = ENCLOSED;
        break;
    case DIVISION:
        /* lists begin anew */
        if (name.start[name.length - 1] == 'l' || same(name, (Piece){(const octet *)"menu", 4}) || same(name, (Piece){(const octet *)"dir", 3}))
            within &= (octet) ~(IN_ITEM | IN_TERM);
        break;
    default:
        break;
    }
    page->open[page->depth++] = (Open){name, (octet)role, within};
    return YES;
}

static int
is_listed(const char *list, Piece name)
{
    for (const char *s = list; (s = strchr(s, ' ')) != NULL && *++s;)
        if (strncmp(s, (const char *)name.start, name.length) == 0 && s[name.length] == ' ')
            return 1;
    return 0;
}

static int
is_drawn_attribute(Piece name)
{
    int hyphens = 0;
    for (size_t n = 0; n < name.length; n++) {
        if (name.start[n] >= 'A' && name.start[n] <= 'Z')
            return is_listed(drawn_attributes, name);
        hyphens += name.start[n] == '-';
    }
    return hyphens || is_listed(drawn_attributes, name);
}

/* The tag whose name has been read: its attributes, as they are written out. `closed`, for the tag of a drawing: whether it
 * ends itself. */
static Taken
put_tag_of(Source *page, Piece name, int *closed)
{
    Piece names[MOST_ATTRIBUTES];
    size_t count = 0;
    const octet *s = page->s, *end = page->end;
    if (!put(page, "<", 1) || !put(page, name.start, name.length))
        return FAULT;
    for (;;) {
        const octet *start, *stop;
        Taken taken;
        size_t at;
        while (s < end && (markup_class[*s] & GAP || (*s == '/' && s + 1 < end && s[1] == '>'))) {
            if (*s == '/' && closed != NULL)
                *closed = 1;
            s++;
        }
        if (s == end)
            return NO;
        if (*s == '>')
            break;
        start = s;
        while (s < end && markup_class[*s] & ATTRIBUTE)
            s++;
        if (s == start || s == end || count == MOST_ATTRIBUTES)
            return NO;
        if (!reserve(&page->out, (size_t)(s - start) + 3))
            return FAULT;
        at = page->out.used;
        page->out.start[at++] = ' ';
        names[count].start = start;
        names[count].length = (size_t)(s - start);
        for (const octet *one = start; one < s; one++)
            page->out.start[at++] = *one >= 'A' && *one <= 'Z' && closed == NULL ? *one | 0x20 : *one;
        if (closed != NULL && !is_drawn_attribute(names[count]))
            return NO;
        for (size_t n = 0; n < count; n++)
            if (names[n].length == names[count].length) {
                size_t same_so_far = 0;
                while (same_so_far < names[n].length &&
                       (names[n].start[same_so_far] | 0x20) == (start[same_so_far] | 0x20))
                    same_so_far++;
                if (same_so_far == names[n].length)
                    return NO;
            }
        count++;
        page->out.start[at++] = '=';
        page->out.start[at++] = '"';
        page->out.used = at;
        while (s < end && markup_class[*s] & GAP)
            s++;
        if (s < end && *s == '=') {
            for (s++; s < end && markup_class[*s] & GAP; s++)
                ;
            if (s == end || *s == '>')
                return NO;
            if (*s == '"' || *s == '\'') {
                start = s + 1;
                stop = memchr(start, *s, (size_t)(end - start));
                if (stop == NULL)
                    return NO;
                s = stop + 1;
                if (s < end && !(markup_class[*s] & GAP) && *s != '>' && *s != '/')
                    return NO;
            }
            else {
                for (start = s; s < end && !(markup_class[*s] & GAP) && *s != '>'; s++)
                    ;
                stop = s;
            }
            if ((taken = put_escaped(page, start, stop, 1)) != YES)
                return taken;
        }
        else if (s < end && *s != '>' && *s != '/' && !(markup_class[s[-1]] & GAP))
            return NO;
        if (!put(page, "\"", 1))
            return FAULT;
    }
    page->s = s + 1;
    return put(page, ">", 1) ? YES : FAULT;
}

static Taken
put_tag(Source *page, Piece name)
{
    return put_tag_of(page, name, NULL);
}

/* An element of a drawing, or the drawing itself. */
static Taken
put_drawn(Source *page, Piece name, Role role)
{
    int closed = 0;
    Taken taken = put_tag_of(page, name, &closed);
    if (taken == YES && closed)
        return put_end(page, name) ? YES : FAULT;
    return taken == YES ? push(page, name, role) : taken;
}

static Taken
put_open(Source *page, Piece name, Role role)
{
    Taken taken = put_tag(page, name);
    return taken == YES ? push(page, name, role) : taken;
}

/* An element that a page need not name. */
static Taken
put_implied(Source *page, const char *text, Role role)
{
    Piece name = {(const octet *)text, strlen(text)};
    if (!put(page, "<", 1) || !put(page, name.start, name.length) || !put(page, ">", 1))
        return FAULT;
    return push(page, name, role);
}

/* The line break that begins some elements is none of theirs, however it is written: one with a number is rare. */
static Taken
skip_break(Source *page)
{
    const octet *at = page->s;
    if (at == page->end)
        return YES;
    if (*at == '\n')
        page->s++;
    return *at == '&' && character_at(&at, page->end, 0) == '\n' ? NO : YES;
}

/* The element whose text is none of markup: its tag, the text, its end. */
static Taken
put_whole(Source *page, Piece name, Role role)
{
    const octet *start, *stop;
    Taken taken = put_tag(page, name);
    if (taken != YES)
        return taken;
    if (role == FIELD && (taken = skip_break(page)) != YES)
        return taken;
    for (start = stop = page->s;; stop += 2) {
        size_t n = 0;
        stop = find_octets(stop, page->end, "</", 2);
        if (stop == NULL || (size_t)(page->end - stop) < name.length + 3)
            return NO;
        while (n < name.length && (stop[2 + n] | 0x20) == name.start[n])
            n++;
        if (n < name.length)
            continue;
        if (stop[2 + n] == '>')
            break;
        if (markup_class[stop[2 + n]] & GAP || stop[2 + n] == '/')
            return NO;
    }
    page->s = stop + 3 + name.length;
    if (role != RAW)
        taken = put_escaped(page, start, stop, 0);
    else if (name.length == 6 && name.start[1] == 'c' && hides_an_end(start, stop))
        return NO;
    else
        taken = put(page, start, (size_t)(stop - start)) ? YES : FAULT;
    return taken == YES && !put_end(page, name) ? FAULT : taken;
}

/* Ends what needs no end of its own (13.2.6.3), but for options. */
static int
end_implied(Source *page)
{
    while (top(page)->role == PARAGRAPH || top(page)->role == ITEM || top(page)->role == TERM)
        if (!pop(page))
            return 0;
    return 1;
}

/* A block begins: a paragraph around it ends. */
static Taken
end_paragraph(Source *page)
{
    if (!(top(page)->within & IN_PARAGRAPH))
        return YES;
    while (top(page)->role == ITEM || top(page)->role == TERM)
        if (!pop(page))
            return FAULT;
    if (top(page)->role != PARAGRAPH)
        return NO;
    return pop(page) ? YES : FAULT;
}

/* An item or term begins: the one before it ends. */
static Taken
end_item(Source *page, Role role, octet within)
{
    if (top(page)->within & within) {
        while (top(page)->role == PARAGRAPH)
            if (!pop(page))
                return FAULT;
        if (top(page)->role != role)
            return NO;
        if (!pop(page))
            return FAULT;
    }
    return end_paragraph(page);
}

/* A part of a table begins: what is not around it ends, what has to be begins. */
static Taken
begin_part(Source *page, Piece name, Role role)
{
    for (;;) {
        Taken taken = YES;
        switch (top(page)->role) {
        case TABLE:
            if (role == CAPTION || role == COLGROUP || role == SECTION)
                return put_open(page, name, role);
            taken = role == COL ? put_implied(page, "colgroup", COLGROUP) : put_implied(page, "tbody", SECTION);
            break;
        case COLGROUP:
            if (role == COL)
                return put_tag(page, name);
            taken = pop(page) ? YES : FAULT;
            break;
        case SECTION:
            if (role == ROW)
                return put_open(page, name, role);
            if (role == CELL)
                taken = put_implied(page, "tr", ROW);
            else
                taken = role == SECTION ? pop(page) ? YES : FAULT : NO;
            break;
        case ROW:
            if (role == CELL)
                return put_open(page, name, role);
            taken = role == SECTION || role == ROW ? pop(page) ? YES : FAULT : NO;
            break;
        case CELL:
            taken = role == SECTION || role == ROW || role == CELL ? pop(page) ? YES : FAULT : NO;
            break;
        case PARAGRAPH:
        case ITEM:
        case TERM:
            taken = end_implied(page) ? YES : FAULT;
            if (taken == YES && top(page)->role != CELL)
                return NO;
            break;
        default:
            return NO;
        }
        if (taken != YES)
            return taken;
    }
}

/* The end of a table or of a part of it. */
static Taken
end_part(Source *page, Piece name, Role role)
{
    if (!end_implied(page))
        return FAULT;
    for (;;) {
        Role inner = top(page)->role;
        if (inner == role) {
            if (!same(top(page)->name, name))
                return NO;
            return pop(page) ? YES : FAULT;
        }
        if (!(inner == COLGROUP && role == TABLE) && !(inner == SECTION && role == TABLE) &&
            !(inner == ROW && (role == TABLE || role == SECTION)) &&
            !(inner == CELL && (role == TABLE || role == SECTION || role == ROW)))
            return NO;
        if (!pop(page))
            return FAULT;
    }
}

static int
is_structure(Role role)
{
    return role == TABLE || role == SECTION || role == ROW || role == COLGROUP;
}

static Taken
begin_in_body(Source *page, Piece name, Role role)
{
    Taken taken = YES;
    if (role >= CAPTION && role <= CELL)
        return begin_part(page, name, role);
    if (top(page)->within & IN_SELECT) {
        if (role != OPTION && role != OPTGROUP)
            return NO;
        if (top(page)->role == OPTION && !pop(page))
            return FAULT;
        if (role == OPTGROUP && top(page)->role == OPTGROUP && !pop(page))
            return FAULT;
        return put_open(page, name, role);
    }
    if (is_structure(top(page)->role)) {
        /* in front of a table goes what has no place in it, but for these */
        if (role != RAW || name.start[0] == 'i')
            return NO;
        if (top(page)->role == COLGROUP && !pop(page))
            return FAULT;
    }
    switch (role) {
    case DIVISION:
    case PREFORMATTED:
    case PARAGRAPH:
        taken = end_paragraph(page);
        break;
    case HEADING:
        taken = end_paragraph(page);
        if (taken == YES && top(page)->role == HEADING)
            return NO;
        break;
    case FORM:
        if (page->form)
            return NO;
        taken = end_paragraph(page);
        page->form = 1;
        break;
    case ITEM:
        taken = end_item(page, ITEM, IN_ITEM);
        break;
    case TERM:
        taken = end_item(page, TERM, IN_TERM);
        break;
    case DOUBTFUL:
    case TABLE:
        if (top(page)->within & IN_PARAGRAPH)
            return NO;
        break;
    case ANCHOR:
        if (top(page)->within & IN_ANCHOR)
            return NO;
        break;
    case BUTTON:
        if (top(page)->within & IN_BUTTON)
            return NO;
        break;
    case DRAWING:
        return put_drawn(page, name, role);
    case RULE:
        taken = end_paragraph(page);
        return taken == YES ? put_tag(page, name) : taken;
    case EMPTY:
    case META:
        return put_tag(page, name);
    case RAW:
    case TITLE:
    case FIELD:
        return put_whole(page, name, role);
    case OPTION:
    case OPTGROUP:
    case DOCUMENT:
    case HEAD:
    case BODY:
    case NEVER:
        return NO;
    default:
        break;
    }
    if (taken == YES)
        taken = put_open(page, name, role);
    return taken == YES && role == PREFORMATTED ? skip_break(page) : taken;
}

static int
is_drawing(Role role)
{
    return role == DRAWING || role == DRAWN;
}

/* A tag in a drawing, behind its bracket, or its bracket and slash. */
static Taken
tag_in_drawing(Source *page, int ends)
{
    Piece name = {page->s, 0};
    while (page->s < page->end && (markup_class[*page->s | 0x20] & NAMED) && *page->s != '-')
        page->s++;
    name.length = (size_t)(page->s - name.start);
    if (page->s == page->end || !name.length)
        return NO;
    if (ends) {
        if (*page->s != '>' || !same(name, top(page)->name))
            return NO;
        page->s++;
        return pop(page) ? YES : FAULT;
    }
    /* in a title is HTML again */
    if (!(markup_class[*page->s] & GAP || *page->s == '>' || *page->s == '/') || !is_listed(drawn, name) ||
        same(top(page)->name, (Piece){(const octet *)"title", 5}))
        return NO;
    return put_drawn(page, name, DRAWN);
}

/* A tag begins at `s`, behind its bracket. */
static Taken
begin_tag(Source *page)
{
    Piece name = {page->s, 0};
    Role role;
    Taken taken;
    if (page->depth && is_drawing(top(page)->role))
        return tag_in_drawing(page, 0);
    while (page->s < page->end && markup_class[*page->s] & NAMED)
        page->s++;
    name.length = (size_t)(page->s - name.start);
    if (page->s == page->end || *name.start < 'a' || *name.start > 'z' || name.length > LONGEST_NAME ||
        !(markup_class[*page->s] & GAP || *page->s == '>' || *page->s == '/'))
        return NO;
    role = role_of(name);
    for (;;) {
        taken = YES;
        switch (page->mode) {
        case BEFORE_HTML:
            page->mode = BEFORE_HEAD;
            if (role == DOCUMENT)
                return put_open(page, name, role);
            taken = put_implied(page, "html", DOCUMENT);
            break;
        case BEFORE_HEAD:
            if (role == DOCUMENT)
                return NO;
            page->mode = IN_HEAD;
            if (role == HEAD)
                return put_open(page, name, role);
            taken = put_implied(page, "head", HEAD);
            break;
        case IN_HEAD:
            if (role == META)
                return put_tag(page, name);
            if (role == TITLE || (role == RAW && name.start[0] == 's'))
                return put_whole(page, name, role);
            if (role == DOCUMENT || role == HEAD || role == NEVER || (name.length == 8 && memcmp(name.start, "noscript", 8) == 0))
                return NO;
            page->mode = AFTER_HEAD;
            taken = pop(page) ? YES : FAULT;
            break;
        case AFTER_HEAD:
            if (role == DOCUMENT || role == HEAD || role == NEVER || role == META || role == TITLE || (role == RAW && name.start[0] == 's'))
                return NO;
            page->mode = IN_BODY;
            if (role == BODY)
                return put_open(page, name, role);
            taken = put_implied(page, "body", BODY);
            break;
        case IN_BODY:
            return begin_in_body(page, name, role);
        default:
            return NO;
        }
        if (taken != YES)
            return taken;
    }
}

/* The end of an element, behind its bracket and slash. */
static Taken
end_tag(Source *page)
{
    Piece name = {page->s, 0};
    Role role;
    if (page->depth && is_drawing(top(page)->role))
        return tag_in_drawing(page, 1);
    while (page->s < page->end && markup_class[*page->s] & NAMED)
        page->s++;
    name.length = (size_t)(page->s - name.start);
    while (page->s < page->end && markup_class[*page->s] & GAP)
        page->s++;
    if (page->s == page->end || *page->s != '>' || name.length == 0 || name.length > LONGEST_NAME || *name.start < 'a')
        return NO;
    page->s++;
    role = role_of(name);
    if (page->mode == IN_HEAD && role == HEAD) {
        page->mode = AFTER_HEAD;
        return pop(page) ? YES : FAULT;
    }
    if (role == DOCUMENT && page->mode == AFTER_BODY) {
        page->mode = AFTER_HTML;
        return YES;
    }
    if (page->mode != IN_BODY)
        return NO;
    switch (role) {
    case DOCUMENT:
    case BODY:
        /* what is open stays so, for the spaces that follow */
        if (top(page)->within & ENCLOSED)
            return NO;
        page->mode = role == BODY ? AFTER_BODY : AFTER_HTML;
        return YES;
    case TABLE:
    case CAPTION:
    case COLGROUP:
    case SECTION:
    case ROW:
    case CELL:
        return end_part(page, name, role);
    case FORM:
        page->form = 0;
        /* falls through */
    case DIVISION:
    case PREFORMATTED:
    case HEADING:
    case BUTTON:
    case OBJECT:
        if (!end_implied(page))
            return FAULT;
        break;
    case PARAGRAPH:
        if (!(top(page)->within & (IN_PARAGRAPH | IN_SELECT)) && !is_structure(top(page)->role))
            /* the end of none is one */
            return put(page, "<p></p>", 7) ? YES : FAULT;
        break;
    case ITEM:
    case TERM:
        while (top(page)->role == PARAGRAPH)
            if (!pop(page))
                return FAULT;
        break;
    case SELECT:
        while (top(page)->role == OPTION || top(page)->role == OPTGROUP)
            if (!pop(page))
                return FAULT;
        break;
    case OPTGROUP:
        if (top(page)->role == OPTION && !pop(page))
            return FAULT;
        break;
    case COL:
    case EMPTY:
    case RULE:
    case META:
    case RAW:
    case TITLE:
    case FIELD:
    case HEAD:
    case NEVER:
        return NO;
    default:
        break;
    }
    if (!same(top(page)->name, name))
        return NO;
    return pop(page) ? YES : FAULT;
}

/* What begins with a bracket and an exclamation mark: comments, and what says of which kind a page is. */
static Taken
declaration(Source *page)
{
    static const char doctype[] = "doctype";
    const octet *s = page->s, *end = page->end, *stop;
    if (end - s >= 3 && memcmp(s, "!--", 3) == 0) {
        const octet *start = s + 3, *other;
        if (start < end && (*start == '>' || (*start == '-' && start + 1 < end && start[1] == '>')))
            return NO;
        stop = find_octets(start, end, "-->", 3);
        if (stop == NULL)
            return NO;
        other = find_octets(start, stop + 2, "--!>", 4);
        if (other != NULL || page->mode == AFTER_BODY)
            return NO;
        page->s = stop + 3;
        /* beside the document, not in it */
        if (page->mode == BEFORE_HTML || page->mode == AFTER_HTML)
            return YES;
        return put(page, s - 1, (size_t)(page->s - s) + 1) ? YES : FAULT;
    }
    if (page->mode != BEFORE_HTML)
        return NO;
    s++;
    for (size_t n = 0; n + 1 < sizeof doctype; n++, s++)
        if (s == end || (*s | 0x20) != (octet)doctype[n])
            return NO;
    stop = memchr(s, '>', (size_t)(end - s));
    if (stop == NULL)
        return NO;
    page->s = stop + 1;
    return YES;
}

static Taken
put_shown(Source *page, const octet *s, const octet *end)
{
    const octet *at = s;
    int in_table = page->mode == IN_BODY && is_structure(top(page)->role);
    if (page->mode != IN_BODY || in_table) {
        while (at < end && markup_class[*at] & GAP)
            at++;
        if (at < end)
            return NO;
        if (page->mode == BEFORE_HTML || page->mode == BEFORE_HEAD)
            return YES;
    }
    return put_escaped(page, s, end, 0);
}

static Taken
read_source(Source *page)
{
    Taken taken = YES;
    while (taken == YES && page->s < page->end) {
        const octet *s = page->s, *stop;
        if (*s != '<') {
            stop = memchr(s, '<', (size_t)(page->end - s));
            page->s = stop ? stop : page->end;
            taken = put_shown(page, s, page->s);
            continue;
        }
        if (++page->s == page->end)
            return NO;
        if (*page->s == '?' && (page->mode == BEFORE_HTML || page->mode == AFTER_HTML)) {
            /* an instruction is a comment beside the document, until its first bracket */
            stop = memchr(page->s, '>', (size_t)(page->end - page->s));
            if (stop == NULL)
                return NO;
            page->s = stop + 1;
        }
        else if (*page->s == '!')
            taken = declaration(page);
        else if (*page->s == '/') {
            page->s++;
            taken = end_tag(page);
        }
        else
            taken = begin_tag(page);
    }
    if (taken != YES)
        return taken;
    if (page->mode < IN_BODY)
        return NO;
    while (page->depth)
        if (!pop(page))
            return FAULT;
    return YES;
}

/* Whether octets are UTF-8 (RFC 3629), without what a parser replaces. */
static int
is_utf8(const octet *s, const octet *end)
{
    while (s < end) {
        uint64_t eight;
        if (end - s >= 8) {
            memcpy(&eight, s, 8);
            if (!(eight & 0x8080808080808080u)) {
                s += 8;
                continue;
            }
        }
        if (*s < 0x80) {
            s++;
            continue;
        }
        int more = *s >= 0xF0 ? 3 : *s >= 0xE0 ? 2 : 1;
        if (*s < 0xC2 || *s > 0xF4 || end - s <= more)
            return 0;
        if ((*s == 0xE0 && s[1] < 0xA0) || (*s == 0xED && s[1] > 0x9F) || (*s == 0xF0 && s[1] < 0x90) || (*s == 0xF4 && s[1] > 0x8F))
            return 0;
        for (s++; more; more--, s++)
            if ((*s & 0xC0) != 0x80)
                return 0;
    }
    return 1;
}

/* Breaks of lines as the standard has them: 13.2.3.5. */
static int
with_plain_breaks(Room *room, const octet *s, const octet *end)
{
    octet *out;
    if (!reserve(room, (size_t)(end - s)))
        return 0;
    for (out = room->start; s < end; s++) {
        if (*s != '\r')
            *out++ = *s;
        else if (s + 1 == end || s[1] != '\n')
            *out++ = '\n';
    }
    room->used = (size_t)(out - room->start);
    return 1;
}

const char written_doc[] = "written(markup) -> the octets of a page as its parser writes its document; None where it is not taken.";

PyObject *
native_written(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    PyObject *result = NULL;
    Room broken = {NULL, 0, 0};
    Source *page;
    char *start;
    Py_ssize_t length;
    Taken taken = NO;

    if (count != 1 || !PyBytes_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "expected bytes");
        return NULL;
    }
    if (PyBytes_AsStringAndSize(args[0], &start, &length) < 0)
        return NULL;
    page = PyMem_Calloc(1, sizeof *page);
    if (page == NULL)
        return PyErr_NoMemory();
    page->s = (const octet *)start;
    page->end = page->s + length;
    if (memchr(start, 0, (size_t)length) == NULL && is_utf8(page->s, page->end)) {
        taken = YES;
        if (memchr(start, '\r', (size_t)length) != NULL) {
            taken = with_plain_breaks(&broken, page->s, page->end) ? YES : FAULT;
            page->s = broken.start;
            page->end = broken.start + broken.used;
        }
        /* most pages grow by what ends no element of theirs */
        if (taken == YES && !reserve(&page->out, (size_t)length / 2 + 1024))
            taken = FAULT;
        if (taken == YES)
            taken = read_source(page);
    }
    if (taken == YES)
        result = PyBytes_FromStringAndSize((const char *)page->out.start, (Py_ssize_t)page->out.used);
    else if (taken == NO)
        result = Py_NewRef(Py_None);
    PyMem_Free(page->out.start);
    PyMem_Free(broken.start);
    PyMem_Free(page);
    return result;
}
