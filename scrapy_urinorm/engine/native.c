/* The way of nearly every link in C; the loop of pipeline.py is the reference, tests/speed compares the two.
 *
 * Every function takes any text and returns None wherever it is not certain to give what the loop gives: an unusual
 * character, a rule that may concern the URL, more than MAX_URL octets or MAX_FIELDS parameters. Only the limited API of
 * Python 3.11 is used, so one build serves every later version. Memory: buffers of fixed size on the stack, whose bounds
 * follow from MAX_URL (an octet in becomes at most three out, and a field one more for its '='), and one growing buffer
 * in lines().
 */
#include "native.h"

enum { MAX_URL = 2048, MAX_FIELDS = 64, MAX_ORIGIN = 512, SPELLED = 4 * MAX_URL + 8, MAX_RESULT = MAX_ORIGIN + SPELLED };

/* Site of plan.py and Fast of native.py, which has the number of this layout too. */
enum { LAYOUT = 5 };
enum { SITE_ORIGIN = 0, SITE_FAST = 5 };
enum { FAST_CONCERNS = 0, FAST_GUARD = 1, FAST_FLAGS = 2 };
enum { SORTS = 1, DROPS_FRAGMENT = 2, KEY_ONLY = 4, TIDIES = 8, NO_SEMICOLON = 16 };
/* the values of Concerns in program.py */
enum { FREE = 0, CONCERNED = 1, DROPPED = 2 };

/* What becomes of a raw octet. */
enum { REFUSE = 0, PLAIN = 1, ESCAPE = 2, PERCENT = 3 };

typedef enum { KEY, CANONICAL } Form;

/* YES: the result is written; NO: leave it to the loop; FAULT: a Python error is set. */
typedef enum { FAULT = -1, NO = 0, YES = 1 } Verdict;

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

static void
fill_tables(void)
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
        memset(spellings[n] + 0x80, ESCAPE, 0x80);
    }
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
static int
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

typedef struct {
    const octet *start, *end;
} Span;

typedef struct {
    Span origin, path, query, fragment;
    int has_query, has_fragment;
} Parts;

static int
split(const octet *s, const octet *end, Parts *parts)
{
    static const octet root[] = "/";
    const octet *at;

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

typedef struct {
    Span name, value;    /* in the spelling of the key */
    Span shown;          /* as the result has it */
} Field;

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
static int
compare(Span one, Span other)
{
    while (one.start < one.end && other.start < other.end) {
        octet a = next_decoded(&one.start), b = next_decoded(&other.start);
        if (a != b)
            return a < b ? -1 : 1;
    }
    return (one.start < one.end) - (other.start < other.end);
}

static int
is_after(const Field *one, const Field *other)
{
    int order = compare(one->name, other->name);
    return order > 0 || (order == 0 && compare(one->value, other->value) > 0);
}

/* Whether a spelled text has a ';', which is escaped there. */
static int
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

static void
sort(Field *fields, int count)
{
    /* few fields, mostly in order, and equal ones must stay in theirs */
    for (int n = 1; n < count; n++) {
        Field moving = fields[n];
        int at = n;
        while (at > 0 && is_after(&fields[at - 1], &moving)) {
            fields[at] = fields[at - 1];
            at--;
        }
        fields[at] = moving;
    }
}

/* What rules say of a name: FREE, CONCERNED or DROPPED; -1 with an error set. */
static long
concern(PyObject *concerns, Span name)
{
    long found;
    PyObject *value, *key = PyUnicode_FromStringAndSize((const char *)name.start, name.end - name.start);
    if (key == NULL)
        return -1;
    value = PyDict_GetItemWithError(concerns, key);
    if (value != NULL)
        Py_INCREF(value);
    else if (!PyErr_Occurred())
        value = PyObject_GetItem(concerns, key); /* __missing__ */
    Py_DECREF(key);
    if (value == NULL)
        return -1;
    found = PyLong_AsLong(value);
    Py_DECREF(value);
    return found == -1 && PyErr_Occurred() ? -1 : found & 3;
}

static Verdict
ask(PyObject *callable, const octet *start, const octet *end)
{
    int truth;
    PyObject *answer, *text = PyUnicode_DecodeUTF8((const char *)start, end - start, "replace");
    if (text == NULL)
        return FAULT;
    answer = PyObject_CallFunctionObjArgs(callable, text, NULL);
    Py_DECREF(text);
    if (answer == NULL)
        return FAULT;
    truth = PyObject_IsTrue(answer);
    Py_DECREF(answer);
    return truth < 0 ? FAULT : truth ? YES : NO;
}

typedef struct {
    PyObject *known;         /* dict: origin as it stands in URLs -> Site */
    PyObject *learn;         /* origin -> Site or None, where it is not known */
    PyObject *unsubscribes;  /* text -> bool */
    const octet *stems;      /* of STEM octets each: without any of them, ASCII text does not speak of unsubscribing */
    Py_ssize_t stems_length;
} Rules;

enum { RULES = 4, STEM = 4 };

/* Whether text of a URL speaks of unsubscribing. */
static Verdict
speaks(const Rules *rules, const octet *s, const octet *end)
{
    octet text[MAX_URL], first[256] = {0}, *out = text;
    const octet *start = s;
    for (Py_ssize_t at = 0; at + STEM <= rules->stems_length; at += STEM)
        first[rules->stems[at]] = 1;
    while (s < end) {
        octet c = *s++;
        if (c == '%' && end - s >= 2 && (hex_value[s[0]] | hex_value[s[1]]) < 16) {
            c = (octet)(hex_value[s[0]] << 4 | hex_value[s[1]]);
            s += 2;
        }
        if (c >= 0x80)
            return ask(rules->unsubscribes, start, end);
        *out++ = 'A' <= c && c <= 'Z' ? (octet)(c | 0x20) : c;
    }
    for (const octet *c = text; c + STEM <= out; c++) {
        if (!first[*c])
            continue;
        for (Py_ssize_t at = 0; at + STEM <= rules->stems_length; at += STEM)
            if (memcmp(c, rules->stems + at, STEM) == 0)
                return ask(rules->unsubscribes, start, end);
    }
    return NO;
}

/* The query after the rules, '?' included, appended to *result; `path` is the raw path. */
static Verdict
put_query(const Rules *rules, PyObject *concerns, long flags, Form form, const Parts *parts, octet **result)
{
    octet key_text[SPELLED], safe_text[SPELLED];
    octet *key_end = key_text, *safe_end = safe_text, *out = *result;
    Field fields[MAX_FIELDS];
    int count = 0, dropped = 0;
    const octet *s = parts->query.start, *end = parts->query.end;

    for (;;) {
        const octet *stop = memchr(s, '&', (size_t)(end - s));
        if (stop == NULL)
            stop = end;
        if (stop > s) {
            Field field;
            const octet *equals = memchr(s, '=', (size_t)(stop - s));
            long verdict;
            if (equals == NULL)
                equals = stop;
            field.name.start = key_end;
            key_end = spell(s, equals, key_end, query_key, unreserved, 1, form == KEY);
            if (key_end == NULL)
                return NO;
            field.name.end = key_end;
            *key_end++ = '=';
            field.value.start = key_end;
            if (equals < stop) {
                key_end = spell(equals + 1, stop, key_end, query_key, unreserved, 1, form == KEY);
                if (key_end == NULL)
                    return NO;
            }
            field.value.end = key_end;
            if (flags & NO_SEMICOLON && has_semicolon(field.value))
                return NO;
            field.shown = (Span){field.name.start, key_end};
            if (form == CANONICAL) {
                field.shown.start = safe_end;
                safe_end = spell(s, stop, safe_end, query_safe, unreserved, 0, 0);
                if (safe_end == NULL)
                    return NO;
                field.shown.end = safe_end;
            }
            verdict = concern(concerns, field.name);
            if (verdict < 0)
                return FAULT;
            if (verdict == CONCERNED)
                return NO;
            if (verdict == DROPPED)
                dropped = 1;
            else if (count == MAX_FIELDS)
                return NO;
            else
                fields[count++] = field;
        }
        if (stop == end)
            break;
        if (form == CANONICAL)
            *safe_end++ = '&';
        s = stop + 1;
    }
    if (dropped) {
        /* path and query stand side by side in the URL */
        Verdict verdict = speaks(rules, parts->path.start, parts->query.end);
        if (verdict != NO)
            return verdict == YES ? NO : FAULT;
    }
    if (form == CANONICAL && !(flags & (SORTS | TIDIES)) && !dropped) {
        *out++ = '?';
        memcpy(out, safe_text, (size_t)(safe_end - safe_text));
        *result = out + (safe_end - safe_text);
        return YES;
    }
    if (form == KEY || flags & SORTS)
        sort(fields, count);
    for (int n = 0; n < count; n++) {
        size_t length = (size_t)(fields[n].shown.end - fields[n].shown.start);
        *out++ = n ? '&' : '?';
        memcpy(out, fields[n].shown.start, length);
        out += length;
    }
    *result = out;
    return YES;
}

static octet *
put_path(Span path, Form form, octet *out)
{
    return form == KEY ? spell(path.start, path.end, out, path_key, path_plain, 0, 0)
                       : spell(path.start, path.end, out, path_safe, unreserved, 0, 0);
}

/* The result for a URL whose site is known, written at *result (room for MAX_RESULT octets). */
static Verdict
put_url(const Rules *rules, PyObject *site, Form form, const Parts *parts, octet **result)
{
    PyObject *fast, *concerns, *guard, *origin;
    const char *origin_text;
    Py_ssize_t origin_length;
    octet *out = *result, *path;
    long flags;
    Verdict verdict;

    if (!PyTuple_Check(site) || PyTuple_Size(site) <= SITE_FAST)
        return NO;
    fast = PyTuple_GetItem(site, SITE_FAST);
    if (fast == NULL || !PyTuple_Check(fast) || PyTuple_Size(fast) <= FAST_FLAGS)
        return PyErr_Occurred() ? FAULT : NO;
    concerns = PyTuple_GetItem(fast, FAST_CONCERNS);
    guard = PyTuple_GetItem(fast, FAST_GUARD);
    origin = PyTuple_GetItem(site, SITE_ORIGIN);
    if (!PyDict_Check(concerns) || !PyUnicode_Check(origin))
        return NO;
    flags = PyLong_AsLong(PyTuple_GetItem(fast, FAST_FLAGS));
    if (flags == -1 && PyErr_Occurred())
        return FAULT;
    if (form == CANONICAL && flags & KEY_ONLY)
        return NO;
    origin_text = PyUnicode_AsUTF8AndSize(origin, &origin_length);
    if (origin_text == NULL)
        return FAULT;
    if (origin_length > MAX_ORIGIN)
        return NO;
    memcpy(out, origin_text, (size_t)origin_length);
    path = out + origin_length;

    /* a guard wants the spelling of the key */
    out = put_path(parts->path, guard == Py_None ? form : KEY, path);
    if (out == NULL || is_special_path(path, out))
        return NO;
    if (guard != Py_None) {
        verdict = ask(guard, path, out);
        if (verdict != NO)
            return verdict == YES ? NO : FAULT;
        if (form == CANONICAL && (out = put_path(parts->path, form, path)) == NULL)
            return NO;
    }
    if (parts->query.start < parts->query.end) {
        verdict = put_query(rules, concerns, flags, form, parts, &out);
        if (verdict != YES)
            return verdict;
    }
    else if (form == CANONICAL && parts->has_query && !(flags & (SORTS | TIDIES)))
        *out++ = '?';
    if (form == CANONICAL && parts->has_fragment && !(flags & DROPS_FRAGMENT)) {
        *out++ = '#';
        out = spell(parts->fragment.start, parts->fragment.end, out, fragment_safe, unreserved, 0, 0);
        if (out == NULL)
            return NO;
    }
    *result = out;
    return YES;
}

/* A new reference to the site of an origin, Py_None where it has none, NULL with an error set. */
static PyObject *
site_of(const Rules *rules, Span origin)
{
    PyObject *site, *key = PyUnicode_FromStringAndSize((const char *)origin.start, origin.end - origin.start);
    if (key == NULL)
        return NULL;
    site = PyDict_GetItemWithError(rules->known, key);
    if (site != NULL)
        Py_INCREF(site);
    else if (!PyErr_Occurred())
        site = PyObject_CallFunctionObjArgs(rules->learn, key, NULL);
    Py_DECREF(key);
    return site;
}

static int
take_rules(PyObject *const *args, Rules *rules)
{
    char *stems;
    if (!PyDict_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "the known sites must be a dict");
        return 0;
    }
    *rules = (Rules){args[0], args[1], args[2], NULL, 0};
    if (PyBytes_AsStringAndSize(args[3], &stems, &rules->stems_length) < 0)
        return 0;
    rules->stems = (const octet *)stems;
    return 1;
}

static PyObject *
one_url(PyObject *const *args, Py_ssize_t count, Form form)
{
    octet result[MAX_RESULT], *end = result;
    const char *text;
    Py_ssize_t length;
    Parts parts;
    Rules rules;
    PyObject *site;
    Verdict verdict;

    if (count != RULES + 1) {
        PyErr_SetString(PyExc_TypeError, "expected (known, learn, unsubscribes, stems, url)");
        return NULL;
    }
    if (!take_rules(args, &rules))
        return NULL;
    if (!PyUnicode_Check(args[RULES]))
        return Py_NewRef(Py_None);
    text = PyUnicode_AsUTF8AndSize(args[RULES], &length);
    if (text == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeError))
            return NULL;
        PyErr_Clear(); /* a lone surrogate */
        return Py_NewRef(Py_None);
    }
    if (!split((const octet *)text, (const octet *)text + length, &parts))
        return Py_NewRef(Py_None);
    site = site_of(&rules, parts.origin);
    if (site == NULL)
        return NULL;
    verdict = put_url(&rules, site, form, &parts, &end);
    Py_DECREF(site);
    if (verdict == FAULT)
        return NULL;
    if (verdict == NO)
        return Py_NewRef(Py_None);
    return PyUnicode_FromStringAndSize((const char *)result, end - result);
}

PyDoc_STRVAR(key_doc, "key(known, learn, unsubscribes, stems, url) -> str | None: the key of a URL that no rule but filters "
                      "of names concerns.");

static PyObject *
native_key(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    return one_url(args, count, KEY);
}

PyDoc_STRVAR(canonical_doc, "canonical(known, learn, unsubscribes, stems, url) -> str | None: the canonical URL, as key().");

static PyObject *
native_canonical(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    return one_url(args, count, CANONICAL);
}

typedef struct {
    octet *start, *at;
    size_t size;
} Growing;

static int
reserve(Growing *out, size_t more)
{
    size_t used = (size_t)(out->at - out->start);
    if (out->size - used < more) {
        size_t size = out->size + out->size / 2 + more;
        octet *moved = PyMem_Realloc(out->start, size);
        if (moved == NULL) {
            PyErr_NoMemory();
            return 0;
        }
        *out = (Growing){moved, moved + used, size};
    }
    return 1;
}

/* A line by the loop: `other` gets its text and gives text. */
static int
put_other(PyObject *other, const octet *start, const octet *end, Growing *out)
{
    char *octets;
    Py_ssize_t length;
    int good = 0;
    PyObject *encoded = NULL, *answer = NULL;
    PyObject *text = PyUnicode_DecodeUTF8((const char *)start, end - start, "surrogateescape");
    if (text == NULL)
        return 0;
    answer = PyObject_CallFunctionObjArgs(other, text, NULL);
    Py_DECREF(text);
    if (answer == NULL)
        return 0;
    encoded = PyUnicode_AsEncodedString(answer, "utf-8", "surrogatepass");
    Py_DECREF(answer);
    if (encoded == NULL)
        return 0;
    if (PyBytes_AsStringAndSize(encoded, &octets, &length) == 0 && reserve(out, (size_t)length + 1)) {
        memcpy(out->at, octets, (size_t)length);
        out->at += length;
        good = 1;
    }
    Py_DECREF(encoded);
    return good;
}

PyDoc_STRVAR(lines_doc, "lines(known, learn, unsubscribes, stems, other, block, keys) -> bytes: canonical URLs, or keys, of "
                        "the lines of UTF-8 octets; other(line) has those that need the loop.");

static PyObject *
native_lines(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    char *octets;
    Py_ssize_t length;
    const octet *s, *end;
    Form form;
    Rules rules;
    Span origin = {NULL, NULL};
    PyObject *site = NULL, *result = NULL;
    Growing out;
    int keys;

    if (count != RULES + 3) {
        PyErr_SetString(PyExc_TypeError, "expected (known, learn, unsubscribes, stems, other, block, keys)");
        return NULL;
    }
    if (!take_rules(args, &rules) || PyBytes_AsStringAndSize(args[RULES + 1], &octets, &length) < 0)
        return NULL;
    keys = PyObject_IsTrue(args[RULES + 2]);
    if (keys < 0)
        return NULL;
    form = keys ? KEY : CANONICAL;
    out.size = (size_t)length + (size_t)length / 8 + MAX_RESULT + 1;
    out.start = out.at = PyMem_Malloc(out.size);
    if (out.start == NULL)
        return PyErr_NoMemory();
    s = (const octet *)octets;
    end = s + length;
    while (s < end) {
        Parts parts;
        Verdict verdict = NO;
        const octet *newline = memchr(s, '\n', (size_t)(end - s));
        const octet *next = newline == NULL ? end : newline + 1, *stop = newline == NULL ? end : newline;
        if (stop > s && stop[-1] == '\r')
            stop--;
        if (!reserve(&out, MAX_RESULT + 1))
            goto done;
        if (split(s, stop, &parts)) {
            if (site == NULL || parts.origin.end - parts.origin.start != origin.end - origin.start ||
                memcmp(parts.origin.start, origin.start, (size_t)(origin.end - origin.start)) != 0) {
                Py_XDECREF(site);
                site = site_of(&rules, parts.origin);
                if (site == NULL)
                    goto done;
                origin = parts.origin;
            }
            verdict = put_url(&rules, site, form, &parts, &out.at);
        }
        if (verdict == FAULT || (verdict == NO && !put_other(args[RULES], s, stop, &out)))
            goto done;
        if (newline != NULL)
            *out.at++ = '\n';
        s = next;
    }
    result = PyBytes_FromStringAndSize((const char *)out.start, out.at - out.start);
done:
    Py_XDECREF(site);
    PyMem_Free(out.start);
    return result;
}

/* The cast that METH_FASTCALL asks for; by way of void (*)(void), so that no compiler warns of it. */
#define FUNCTION(name) ((PyCFunction)(void (*)(void))(name))

static PyMethodDef methods[] = {
    {"key", FUNCTION(native_key), METH_FASTCALL, key_doc},
    {"canonical", FUNCTION(native_canonical), METH_FASTCALL, canonical_doc},
    {"lines", FUNCTION(native_lines), METH_FASTCALL, lines_doc},
    {"text", FUNCTION(native_text), METH_FASTCALL, text_doc},
    {NULL, NULL, 0, NULL},
};

static int
execute(PyObject *module)
{
    fill_tables();
    fill_text_tables();
    return PyModule_AddIntConstant(module, "LAYOUT", LAYOUT);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)execute},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_native",
    .m_doc = "The hot paths of scrapy_urinorm.engine.pipeline and scrapy_urinorm.visits.features.",
    .m_size = 0,
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC
PyInit__native(void)
{
    return PyModuleDef_Init(&definition);
}
