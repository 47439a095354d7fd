/* The texts of URLs: where their parts are, the two spellings of each, the order of items; url.py is the reference. */
#include "spelling.h"

/* What becomes of a raw octet. */
enum { REFUSE = 0, PLAIN = 1, ESCAPE = 2, PERCENT = 3, PLUS = 4 };

static octet path_key[256], query_key[256];             /* spellings of the key */
static octet path_safe[256], query_safe[256], fragment_safe[256];    /* spellings of the canonical URL */
static octet unreserved[256], path_plain[256];          /* octets whose escapes are decoded */
static octet in_origin[256], hex_value[256];
static const char HEX[] = "0123456789ABCDEF";

static void
mark(octet *table, const char *octets, octet what)
{
    for (; *octets; octets++)
        table[(octet)*octets] = what;
}

void
fill_spelling_tables(void)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    static const char path_more[] = "!$&'()*+,=:@[]|";
    octet *spellings[] = {path_key, query_key, path_safe, query_safe, fragment_safe};

    memset(hex_value, 0xFF, sizeof hex_value);
    for (int n = 0; n < 16; n++) {
        hex_value[(octet)HEX[n]] = (octet)n;
        hex_value[(octet)"0123456789abcdef"[n]] = (octet)n;
    }
    mark(unreserved, letters, 1);
    mark(path_plain, letters, 1);
    mark(path_plain, path_more, 1);
    mark(in_origin, letters, 1);
    mark(in_origin, ":/", 1);
    mark(in_origin, "_~", 0);
    for (size_t n = 0; n < sizeof spellings / sizeof *spellings; n++) {
        mark(spellings[n], letters, PLAIN);
        mark(spellings[n], "%", PERCENT);
        mark(spellings[n], " ", ESCAPE);
        memset(spellings[n] + 0x80, ESCAPE, 0x80);
    }
    mark(query_key, " ", PLUS);
    /* a ';' in a path divides it, a backslash is a slash there: both are left to the loop */
    mark(path_key, "\"<>^`{}", ESCAPE);
    mark(path_key, path_more, PLAIN);
    mark(path_key, "/", PLAIN);
    mark(path_safe, path_more, PLAIN);
    mark(path_safe, "/", PLAIN);
    mark(query_key, "!\"$&'()*,/:;<=>?@[\\]^`{|}", ESCAPE);
    mark(query_key, "+", PLAIN);
    /* URL Standard, special-query percent-encode set; '&' and '=' are seen before this table is asked */
    mark(query_safe, "!$&()*+,/:;=?@[\\]^`{|}", PLAIN);
    mark(query_safe, "'", ESCAPE);
    /* URL Standard, fragment percent-encode set */
    mark(fragment_safe, "!#$&'()*+,/:;=?@[\\]^{|}", PLAIN);
}

static octet *
put_escape(octet *out, octet c)
{
    *out++ = '%';
    *out++ = (octet)HEX[c >> 4];
    *out++ = (octet)HEX[c & 15];
    return out;
}

/* Spell text by a table; NULL where it holds what the table refuses. `stray` says that a '%' which starts no escape is
 * written %25, else it is refused. Writes at most three octets for one. */
static octet *
spell(const octet *s, const octet *end, octet *out, const octet *table, const octet *decoded, int plus, int stray)
{
    while (s < end) {
        octet c = *s++;
        switch (table[c]) {
        case PLAIN:
            *out++ = c;
            break;
        case ESCAPE:
            out = put_escape(out, c);
            break;
        case PLUS:
            *out++ = '+';
            break;
        case PERCENT:
            if (end - s >= 2 && (hex_value[s[0]] | hex_value[s[1]]) < 16) {
                octet escaped = (octet)(hex_value[s[0]] << 4 | hex_value[s[1]]);
                s += 2;
                if (decoded[escaped])
                    *out++ = escaped;
                else if (escaped == ';' && !plus)
                    return NULL; /* it may divide a path */
                else if (plus && escaped == ' ')
                    *out++ = '+';
                else
                    out = put_escape(out, escaped);
            }
            else if (stray)
                out = put_escape(out, '%');
            else
                return NULL;
            break;
        default:
            return NULL;
        }
    }
    return out;
}

/* Whether a spelled path has a dot segment, or what may be the session of ASP.NET: a segment that begins with '('. */
int
is_special_path(const octet *s, const octet *end)
{
    while (s < end) {
        const octet *slash = memchr(s, '/', (size_t)(end - s));
        if (slash == NULL)
            return 0;
        s = slash + 1;
        if (s == end)
            return 0;
        if (*s == '(' || (end - s >= 3 && memcmp(s, "%28", 3) == 0))
            return 1;
        if (*s == '.' && (s + 1 == end || s[1] == '/' || (s[1] == '.' && (s + 2 == end || s[2] == '/'))))
            return 1;
    }
    return 0;
}

int
is_usual_origin(Span origin)
{
    static const char before[] = "https://";
    const octet *s = origin.start, *end = origin.end, *label;
    if (end - s > MAX_USUAL || end - s < 8 || memcmp(s, before, 4) != 0)
        return 0;
    s += s[4] == 's' ? 5 : 4;
    if (end - s < 4 || memcmp(s, "://", 3) != 0)
        return 0;
    s += 3;
    for (label = s; s < end; s++) {
        if ((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9'))
            continue;
        /* a dot or a hyphen, with a letter or digit on both sides */
        if ((*s != '.' && *s != '-') || s == label || s + 1 == end || s[1] == '.' || s[1] == '-')
            return 0;
        if (*s == '.')
            label = s + 1;
    }
    return label < end && *label >= 'a' && *label <= 'z';
}

int
split(const octet *s, const octet *end, Parts *parts)
{
    static const octet root[] = "/";
    const octet *at;

    /* the URL Standard drops spaces and controls around a URL */
    while (s < end && *s <= ' ')
        s++;
    while (s < end && end[-1] <= ' ')
        end--;
    if (end - s < 8 || end - s > MAX_URL || memcmp(s, "http", 4) != 0)
        return 0;
    at = memchr(s + 8, '/', (size_t)(end - s - 8));
    if (at == NULL)
        at = end;
    if (at - s >= MAX_ORIGIN)
        return 0;
    for (const octet *c = s; c < at; c++)
        if (!in_origin[*c])
            return 0;
    parts->origin = (Span){s, at};
    parts->path = (Span){root, root + 1};
    parts->query = parts->fragment = (Span){end, end};
    parts->has_query = parts->has_fragment = 0;
    if (at < end) {
        const octet *stop = end, *c = memchr(at, '#', (size_t)(end - at));
        if (c != NULL) {
            parts->has_fragment = 1;
            parts->fragment = (Span){c + 1, end};
            stop = c;
        }
        c = memchr(at, '?', (size_t)(stop - at));
        if (c != NULL) {
            parts->has_query = 1;
            parts->query = (Span){c + 1, stop};
            stop = c;
        }
        parts->path = (Span){at, stop};
    }
    return 1;
}

static octet
next_decoded(const octet **s)
{
    const octet *c = *s;
    if (*c == '%') {
        *s = c + 3;
        return (octet)(hex_value[c[1]] << 4 | hex_value[c[2]]);
    }
    *s = c + 1;
    return *c == '+' ? ' ' : *c;
}

/* Order of two spelled texts by their decoded octets. */
int
compare(Span one, Span other)
{
    while (one.start < one.end && other.start < other.end) {
        octet a = next_decoded(&one.start), b = next_decoded(&other.start);
        if (a != b)
            return a < b ? -1 : 1;
    }
    return (one.start < one.end) - (other.start < other.end);
}

/* Whether a spelled text has a ';', which is escaped there. */
int
has_semicolon(Span text)
{
    const octet *s = text.start;
    while ((s = memchr(s, '%', (size_t)(text.end - s))) != NULL) {
        if (s[1] == '3' && s[2] == 'B')
            return 1;
        s += 3;
    }
    return 0;
}

octet *
put_path(Span path, Form form, octet *out)
{
    return form == KEY ? spell(path.start, path.end, out, path_key, path_plain, 0, 0)
                       : spell(path.start, path.end, out, path_safe, unreserved, 0, 0);
}

octet *
put_item(Span text, int stray, octet *out)
{
    return spell(text.start, text.end, out, query_key, unreserved, 1, stray);
}

octet *
put_field(Span text, octet *out)
{
    return spell(text.start, text.end, out, query_safe, unreserved, 0, 0);
}

octet *
put_fragment(Span text, octet *out)
{
    return spell(text.start, text.end, out, fragment_safe, unreserved, 0, 0);
}

int
is_path_key(Span text)
{
    for (const octet *c = text.start; c < text.end; c++)
        if (path_key[*c] != PLAIN && *c != '%')
            return 0;
    return text.start < text.end && *text.start == '/';
}

octet *
put_changed_path(Span path, octet *out)
{
    for (const octet *c = path.start; c < path.end; c++)
        if (*c == '[' || *c == ']' || *c == '|')
            out = put_escape(out, *c);
        else
            *out++ = *c;
    return out;
}

octet *
put_folded(Span text, octet *out)
{
    const octet *s = text.start;
    while (s < text.end) {
        octet c = *s++;
        if (c == '%' && text.end - s >= 2 && (hex_value[s[0]] | hex_value[s[1]]) < 16) {
            c = (octet)(hex_value[s[0]] << 4 | hex_value[s[1]]);
            s += 2;
        }
        if (c >= 0x80)
            return NULL;
        *out++ = 'A' <= c && c <= 'Z' ? (octet)(c | 0x20) : c;
    }
    return out;
}
