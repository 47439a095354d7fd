/* The rules of a site on one URL: which `where` tables hold, the items that go, the steps on the path, the edits of path
 * and query as one text. pipeline.py is the reference; what is not certain to be as there is left to it.
 *
 * What is read of Python is checked when it is read: a tuple of another shape is an error and not a crash. References
 * that are borrowed from a tuple hold as long as the site does; what comes from a dict is held by a reference of our own,
 * as a call into Python may change the dict.
 */
#include "rules.h"

enum { MAX_ROUNDS = 4, MAX_CHOSEN = 64 };
/* the values of concerns.py */
enum { FREE = 0, CONCERNED = 1, DROPPED = 2 };
/* what a path glob asks for, and what a step on the path does: globs.py, declaration.py */
enum { EXACT = 0, SUBTREE = 1, GLOB = 2 };
enum { CALL = 0, TRIM_SLASH = 1, ADD_SLASH = 2, LAST_SEGMENT = 3 };

void
forget_fields(Url *url)
{
    for (int n = 0; n < url->count; n++)
        Py_CLEAR(url->fields[n].text);
    url->count = 0;
}

static Verdict
read_fields(Url *url, Span query)
{
    octet *key_end = url->key_text, *safe_end = url->safe_text;
    const octet *s = query.start, *end = query.end;

    for (;;) {
        const octet *stop = memchr(s, '&', (size_t)(end - s));
        if (stop == NULL)
            stop = end;
        if (stop > s) {
            Field *field = &url->fields[url->count];
            const octet *equals = memchr(s, '=', (size_t)(stop - s));
            if (url->count == MAX_FIELDS)
                return NO;
            if (equals == NULL)
                equals = stop;
            field->name.start = key_end;
            key_end = put_item((Span){s, equals}, url->form == KEY, key_end);
            if (key_end == NULL)
                return NO;
            field->name.end = key_end;
            *key_end++ = '=';
            field->value.start = key_end;
            if (equals < stop) {
                key_end = put_item((Span){equals + 1, stop}, url->form == KEY, key_end);
                if (key_end == NULL)
                    return NO;
            }
            field->value.end = key_end;
            field->shown = (Span){field->name.start, key_end};
            if (url->form == CANONICAL) {
                field->shown.start = safe_end;
                safe_end = put_field((Span){s, stop}, safe_end);
                if (safe_end == NULL)
                    return NO;
                field->shown.end = safe_end;
            }
            field->text = NULL;
            field->gone = 0;
            url->count++;
        }
        if (stop == end)
            break;
        if (url->form == CANONICAL)
            *safe_end++ = '&';
        s = stop + 1;
    }
    url->safe_end = safe_end;
    return YES;
}

static Verdict
read_path(Url *url, Span path)
{
    octet *end = put_path(path, KEY, url->path_text);
    if (end == NULL || is_special_path(url->path_text, end))
        return NO;
    url->path = (Span){url->path_text, end};
    return YES;
}

Verdict
read_url(Url *url, Span path, Span query, Form form, int spelled)
{
    url->form = form;
    url->count = 0;
    url->spelled = spelled;
    url->moved = url->dropped = url->judged = url->recast = 0;
    url->touched = 0;
    url->safe_end = url->safe_text;
    if (spelled && read_path(url, path) == NO)
        return NO;
    return query.start < query.end ? read_fields(url, query) : YES;
}

static int
is_after(const Field *one, const Field *other)
{
    int order = compare(one->name, other->name);
    return order > 0 || (order == 0 && compare(one->value, other->value) > 0);
}

void
sort_fields(Url *url)
{
    Field *fields = url->fields;
    /* few fields, mostly in order, and equal ones must stay in theirs */
    for (int n = 1; n < url->count; n++) {
        Field moving = fields[n];
        int at = n;
        while (at > 0 && is_after(&fields[at - 1], &moving)) {
            fields[at] = fields[at - 1];
            at--;
        }
        fields[at] = moving;
    }
}

/* The name of a field, borrowed; NULL with an error set. */
static PyObject *
name_of(Field *field)
{
    if (field->text == NULL)
        field->text = python_text(field->name);
    return field->text;
}

/* An item of a tuple, borrowed; NULL with an error set. */
static PyObject *
item(PyObject *tuple, Py_ssize_t at)
{
    return PyTuple_GetItem(tuple, at);
}

static long
number(PyObject *tuple, Py_ssize_t at)
{
    PyObject *value = item(tuple, at);
    return value == NULL ? -1 : PyLong_AsLong(value);
}

static int
octets(PyObject *tuple, Py_ssize_t at, Span *text)
{
    char *start;
    Py_ssize_t length;
    PyObject *value = item(tuple, at);
    if (value == NULL || PyBytes_AsStringAndSize(value, &start, &length) < 0)
        return 0;
    *text = (Span){(const octet *)start, (const octet *)start + length};
    return 1;
}

static int
starts_with(Span text, Span head)
{
    return length_of(text) >= length_of(head) && memcmp(text.start, head.start, length_of(head)) == 0;
}

static int
contains(Span text, Span piece)
{
    size_t length = length_of(piece);
    if (length == 0)
        return 1;
    for (const octet *s = text.start; (size_t)(text.end - s) >= length; s++) {
        s = memchr(s, *piece.start, (size_t)(text.end - s) - length + 1);
        if (s == NULL)
            return 0;
        if (memcmp(s, piece.start, length) == 0)
            return 1;
    }
    return 0;
}

/* Whether one of some texts, or of none, is in a part of a URL: else what needs them leaves it alone. */
static Verdict
is_needed(PyObject *needs, Span part)
{
    Py_ssize_t count = needs == NULL ? -1 : PyTuple_Size(needs);
    if (count <= 0)
        return count == 0 ? YES : FAULT;
    for (Py_ssize_t n = 0; n < count; n++) {
        Span piece;
        if (!octets(needs, n, &piece))
            return FAULT;
        if (contains(part, piece))
            return YES;
    }
    return NO;
}

Verdict
says(PyObject *function, PyObject *argument)
{
    int truth;
    PyObject *answer = argument == NULL ? NULL : PyObject_CallFunctionObjArgs(function, argument, NULL);
    Py_XDECREF(argument);
    if (answer == NULL)
        return FAULT;
    truth = PyObject_IsTrue(answer);
    Py_DECREF(answer);
    return truth < 0 ? FAULT : truth ? YES : NO;
}

/* Whether a value is in a set, or a function says so of it; None is every value, False none. */
static Verdict
is_taken(PyObject *values, Span value)
{
    int found;
    PyObject *text;
    if (values == Py_None)
        return YES;
    if (values == Py_False)
        return NO;
    if (!PyAnySet_Check(values))
        return says(values, python_text(value));
    text = python_text(value);
    if (text == NULL)
        return FAULT;
    found = PySet_Contains(values, text);
    Py_DECREF(text);
    return found < 0 ? FAULT : found ? YES : NO;
}

/* --- the origin ----------------------------------------------------------------------------------------------------- */

static Verdict
add_bits(PyObject *tuple, Py_ssize_t at, uint64_t *bits)
{
    PyObject *value = item(tuple, at);
    unsigned long long more = value == NULL ? 0 : PyLong_AsUnsignedLongLong(value);
    if (value == NULL || (more == (unsigned long long)-1 && PyErr_Occurred()))
        return FAULT;
    *bits |= more;
    return YES;
}

/* The host that the rules make of another, a new reference to (host, bits); Py_None where the loop must say it, NULL
 * with an error set, or with *same where it stays. */
static PyObject *
moved_host(PyObject *usual, Span host, int *same)
{
    PyObject *found, *text, *hosts = item(usual, USUAL_HOSTS);
    Verdict needed = hosts == NULL ? FAULT : is_needed(item(usual, USUAL_NEEDS), host);
    *same = 0;
    if (needed == FAULT)
        return NULL;
    if (hosts == Py_None || needed == NO) {
        *same = 1;
        return NULL;
    }
    text = python_text(host);
    if (text == NULL)
        return NULL;
    found = PyObject_GetItem(hosts, text); /* __missing__ */
    Py_DECREF(text);
    return found;
}

Verdict
move_usual(PyObject *usual, Span origin, octet **end, uint64_t *moved)
{
    static const char root[] = "://";
    const octet *whole = *end;
    Span scheme, host;
    PyObject *found;
    Py_ssize_t at = origin.start[4] == 's' ? USUAL_HTTPS : USUAL_HTTP;
    Verdict verdict = YES;
    int same;

    if (!octets(usual, at, &scheme) || add_bits(usual, at + 1, moved) == FAULT)
        return FAULT;
    host = (Span){origin.start + (at == USUAL_HTTPS ? 5 : 4) + strlen(root), origin.end};
    found = moved_host(usual, host, &same);
    if (found == NULL && !same)
        return FAULT;
    if (found == Py_None)
        verdict = NO;
    else if (found != NULL) {
        Py_ssize_t length;
        PyObject *text = item(found, 0);
        const char *start = text == NULL ? NULL : PyUnicode_AsUTF8AndSize(text, &length);
        verdict = start == NULL ? FAULT : add_bits(found, 1, moved);
        if (start != NULL)
            host = (Span){(const octet *)start, (const octet *)start + length};
    }
    if (verdict == YES && length_of(scheme) + strlen(root) + length_of(host) > MAX_ORIGIN)
        verdict = NO;
    if (verdict == YES) {
        memcpy(*end, scheme.start, length_of(scheme));
        *end += length_of(scheme);
        memcpy(*end, root, strlen(root));
        *end += strlen(root);
        memcpy(*end, host.start, length_of(host));
        *end += length_of(host);
        /* what a rule has made of it may be read in another way */
        if (found != NULL && !is_usual_origin((Span){whole, *end}))
            verdict = NO;
    }
    Py_XDECREF(found);
    return verdict;
}

/* --- which tables hold ------------------------------------------------------------------------------------------- */

static Verdict
is_on_path(PyObject *paths, Span path)
{
    Py_ssize_t count = PyTuple_Size(paths);
    if (count < 0)
        return FAULT;
    for (Py_ssize_t n = 0; n < count; n++) {
        Span head;
        PyObject *one = item(paths, n);
        long kind = number(one, 0);
        if ((kind < 0 && PyErr_Occurred()) || !octets(one, 1, &head))
            return FAULT;
        if (!starts_with(path, head))
            continue;
        if (kind == GLOB) {
            PyObject *match = item(one, 2);
            Verdict said = match == NULL ? FAULT : says(match, python_text(path));
            if (said != NO)
                return said;
        }
        else if (length_of(path) == length_of(head) || (kind == SUBTREE && path.start[length_of(head)] == '/'))
            return YES;
    }
    return count ? NO : YES;
}

/* Whether one condition holds: (the names that it speaks of, values, what holds without the parameter). */
static Verdict
is_met(PyObject *condition, Url *url)
{
    int present = 0;
    PyObject *names = item(condition, 0), *values = item(condition, 1), *absent = item(condition, 2);
    if (names == NULL || values == NULL || absent == NULL)
        return FAULT;
    for (int n = 0; n < url->count; n++) {
        Verdict verdict;
        PyObject *found, *name = name_of(&url->fields[n]);
        if (name == NULL)
            return FAULT;
        found = PyObject_GetItem(names, name);
        if (found == NULL)
            return FAULT;
        verdict = found == Py_True ? YES : NO;
        Py_DECREF(found);
        if (verdict == NO)
            continue;
        present = 1;
        verdict = is_taken(values, url->fields[n].value);
        if (verdict != NO)
            return verdict;
    }
    return !present && absent == Py_True ? YES : NO;
}

static Verdict
holds(PyObject *where, Url *url)
{
    Py_ssize_t count;
    Verdict verdict;
    PyObject *paths = item(where, 0), *conditions;
    if (paths == NULL)
        return FAULT;
    verdict = is_on_path(paths, url->path);
    if (verdict != YES)
        return verdict;
    conditions = item(where, 1);
    count = conditions == NULL ? -1 : PyTuple_Size(conditions);
    if (count < 0)
        return FAULT;
    for (Py_ssize_t n = 0; n < count; n++) {
        verdict = is_met(item(conditions, n), url);
        if (verdict != YES)
            return verdict;
    }
    return YES;
}

/* *program: a new reference to the program for a URL as it is now; None is for the loop. */
static Verdict
choose(PyObject *plan, Url *url, PyObject **program)
{
    PyObject *wheres = item(plan, PLAN_WHERES), *programs, *numbers, *found;
    Py_ssize_t count = wheres == NULL ? -1 : PyTuple_Size(wheres);
    long chosen[MAX_CHOSEN];
    int many = 0;
    if (count < 0)
        return FAULT;
    for (Py_ssize_t n = 0; n < count; n++) {
        Verdict verdict = holds(item(wheres, n), url);
        if (verdict == FAULT || (verdict == YES && many == MAX_CHOSEN))
            return verdict == FAULT ? FAULT : NO;
        if (verdict == YES)
            chosen[many++] = (long)n;
    }
    if (many == 0) {
        found = item(plan, PLAN_BASE);
        if (found == NULL)
            return FAULT;
        *program = Py_NewRef(found);
        return found == Py_None ? NO : YES;
    }
    programs = item(plan, PLAN_PROGRAMS);
    numbers = programs == NULL ? NULL : PyTuple_New(many);
    if (numbers == NULL)
        return FAULT;
    for (int n = 0; n < many; n++) {
        PyObject *value = PyLong_FromLong(chosen[n]);
        if (value == NULL || PyTuple_SetItem(numbers, n, value) < 0) {
            Py_DECREF(numbers);
            return FAULT;
        }
    }
    found = PyObject_GetItem(programs, numbers);
    Py_DECREF(numbers);
    *program = found;
    return found == NULL ? FAULT : found == Py_None ? NO : YES;
}

/* --- the items ----------------------------------------------------------------------------------------------------- */

static void
drop(Url *url, Field *field, long bit)
{
    field->gone = 1;
    url->dropped = 1;
    url->touched |= (uint64_t)1 << (bit & 63);
}

/* Take over what rules have made of a value: it is written in the place of the one that it is no longer than. */
static Verdict
take_value(PyObject *made, Url *url, Field *field)
{
    Py_ssize_t length;
    PyObject *text = item(made, 0);
    const char *start;
    if (text == NULL || add_bits(made, 1, &url->touched) == FAULT)
        return FAULT;
    /* a canonical URL has another spelling */
    if (url->form != KEY)
        return NO;
    url->dropped = 1;
    if (text == Py_None) {
        field->gone = 1;
        return YES;
    }
    start = PyUnicode_Check(text) ? PyUnicode_AsUTF8AndSize(text, &length) : NULL;
    if (start == NULL) {
        PyErr_Clear(); /* a lone surrogate */
        return NO;
    }
    if ((size_t)length > length_of(field->value))
        return NO;
    /* its octets are in key_text, and no other field has them */
    memcpy(url->key_text + (field->value.start - url->key_text), start, (size_t)length);
    field->value.end = field->value.start + length;
    field->shown.end = field->value.end;
    url->recast = 1;
    return YES;
}

/* Ask the rules that may give a field another value: None where they leave it, False where the loop must say. */
static Verdict
change(PyObject *said, Url *url, Field *field)
{
    Verdict verdict;
    PyObject *made, *name = name_of(field), *value = name == NULL ? NULL : python_text(field->value);
    if (value == NULL)
        return FAULT;
    made = PyObject_CallFunctionObjArgs(said, name, value, NULL);
    Py_DECREF(value);
    if (made == NULL)
        return FAULT;
    verdict = made == Py_None ? YES : made == Py_False ? NO : take_value(made, url, field);
    Py_DECREF(made);
    return verdict;
}

/* Ask what rules say of one field. A number says it of the name: CONCERNED, or DROPPED with the bit of the rule above;
 * a tuple has (values, bit) of each rule that looks at the value too; a function is for `change`. */
static Verdict
judge(PyObject *said, Url *url, Field *field)
{
    Py_ssize_t count;
    if (PyLong_Check(said)) {
        long what = PyLong_AsLong(said);
        if (what == -1 && PyErr_Occurred())
            return FAULT;
        if ((what & 3) == DROPPED)
            drop(url, field, what >> 2);
        return (what & 3) == CONCERNED ? NO : YES;
    }
    if (PyCallable_Check(said))
        return change(said, url, field);
    count = PyTuple_Size(said);
    if (count < 0)
        return FAULT;
    for (Py_ssize_t n = 0; n < count; n++) {
        PyObject *one = item(said, n), *values = item(one, 0);
        long bit = values == NULL ? -1 : number(one, 1);
        Verdict verdict;
        if (bit < 0)
            return FAULT;
        verdict = is_taken(values, field->value);
        if (verdict == FAULT)
            return FAULT;
        if (verdict == YES) {
            drop(url, field, bit);
            break;
        }
    }
    return YES;
}

static Verdict
judge_fields(PyObject *program, long flags, Url *url)
{
    PyObject *concerns = item(program, FAST_CONCERNS);
    if (concerns == NULL)
        return FAULT;
    if (!PyDict_Check(concerns))
        return NO;
    for (int n = 0; n < url->count; n++) {
        Field *field = &url->fields[n];
        Verdict verdict;
        PyObject *said, *name = name_of(field);
        if (name == NULL)
            return FAULT;
        if (flags & ASKS_SEMICOLON && has_semicolon(field->value)) {
            PyObject *changes = item(program, FAST_VALUES);
            verdict = changes == NULL ? FAULT : says(changes, python_text((Span){field->name.start, field->value.end}));
            if (verdict != NO)
                return verdict == YES ? NO : FAULT;
        }
        said = PyDict_GetItemWithError(concerns, name);
        if (said != NULL)
            Py_INCREF(said);
        else if (!PyErr_Occurred())
            said = PyObject_GetItem(concerns, name); /* __missing__ */
        if (said == NULL)
            return FAULT;
        verdict = judge(said, url, field);
        Py_DECREF(said);
        if (verdict != YES)
            return verdict;
    }
    return YES;
}

/* Take out the fields that are gone. */
static void
close_up(Url *url)
{
    int left = 0;
    for (int n = 0; n < url->count; n++)
        if (url->fields[n].gone)
            Py_CLEAR(url->fields[n].text);
        else if (left++ < n)
            url->fields[left - 1] = url->fields[n];
    url->count = left;
}

/* --- the path -------------------------------------------------------------------------------------------------------- */

static Verdict
take_path(Url *url, PyObject *text)
{
    Py_ssize_t length;
    Span made;
    const char *start = PyUnicode_Check(text) ? PyUnicode_AsUTF8AndSize(text, &length) : NULL;
    if (start == NULL) {
        PyErr_Clear();
        return NO;
    }
    made = (Span){(const octet *)start, (const octet *)start + length};
    if (length > MAX_URL || !is_path_key(made))
        return NO;
    memcpy(url->path_text, start, (size_t)length);
    url->path.end = url->path_text + length;
    return YES;
}

static Verdict
call_step(PyObject *step, Url *url, int *changed)
{
    Verdict verdict = YES;
    PyObject *run = item(step, 2), *text, *after;
    Verdict needed = run == NULL ? FAULT : is_needed(item(step, 1), url->path);
    if (needed != YES)
        return needed == NO ? YES : FAULT;
    text = python_text(url->path);
    if (text == NULL)
        return FAULT;
    after = PyObject_CallFunctionObjArgs(run, text, NULL);
    if (after == NULL)
        verdict = FAULT;
    else if (after != text) {
        int same = PyObject_RichCompareBool(after, text, Py_EQ);
        *changed = same == 0;
        verdict = same < 0 ? FAULT : same ? YES : take_path(url, after);
    }
    Py_XDECREF(after);
    Py_DECREF(text);
    return verdict;
}

/* Drop the last segment where it is one of some names in lower case. */
static Verdict
drop_last_segment(PyObject *names, Url *url, int *changed)
{
    octet folded[SPELLED], *end;
    const octet *slash = url->path.end;
    Py_ssize_t count = PyTuple_Size(names);
    if (count < 0)
        return FAULT;
    while (slash[-1] != '/') /* the first octet is one */
        slash--;
    if (slash == url->path.end)
        return YES;
    end = put_folded((Span){slash, url->path.end}, folded);
    if (end == NULL)
        return YES; /* the names are ASCII */
    for (Py_ssize_t n = 0; n < count; n++) {
        Span name;
        if (!octets(names, n, &name))
            return FAULT;
        if (length_of(name) == (size_t)(end - folded) && memcmp(name.start, folded, length_of(name)) == 0) {
            url->path.end = slash;
            *changed = 1;
            return YES;
        }
    }
    return YES;
}

static Verdict
run_step(PyObject *step, Url *url, int *changed)
{
    const octet *end = url->path.end;
    PyObject *names;
    switch (number(step, 0)) {
    case CALL:
        return call_step(step, url, changed);
    case TRIM_SLASH:
        if (length_of(url->path) > 1 && end[-1] == '/' && end[-2] != '/') {
            url->path.end--;
            *changed = 1;
        }
        return YES;
    case ADD_SLASH:
        for (; end[-1] != '/'; end--)
            if (end[-1] == '.')
                return YES;
        if (end < url->path.end) {
            /* as for every path that a rule makes longer: see take_path */
            if (length_of(url->path) >= MAX_URL)
                return NO;
            url->path_text[length_of(url->path)] = '/';
            url->path.end++;
            *changed = 1;
        }
        return YES;
    case LAST_SEGMENT:
        names = item(step, 1);
        return names == NULL ? FAULT : drop_last_segment(names, url, changed);
    default:
        return PyErr_Occurred() ? FAULT : NO;
    }
}

static Verdict
run_steps(PyObject *program, Url *url, int *changed)
{
    PyObject *steps = item(program, FAST_PATHS);
    Py_ssize_t count = steps == NULL ? -1 : PyTuple_Size(steps);
    if (count < 0)
        return FAULT;
    for (Py_ssize_t n = 0; n < count; n++) {
        int this_one = 0;
        PyObject *step = item(steps, n);
        Verdict verdict = run_step(step, url, &this_one);
        if (verdict != YES)
            return verdict;
        if (this_one) {
            long bit = number(step, 3);
            if (bit < 0)
                return FAULT;
            url->touched |= (uint64_t)1 << (bit & 63);
            *changed = 1;
        }
    }
    return YES;
}

/* --- path and query as one text -------------------------------------------------------------------------------------- */

/* Path and sorted items as patterns see them; `all`: with those that are gone, too. */
static octet *
put_target(const Url *url, Span path, int all, octet *out)
{
    octet mark = '?';
    memcpy(out, path.start, length_of(path));
    out += length_of(path);
    for (int n = 0; n < url->count; n++) {
        const Field *field = &url->fields[n];
        size_t length = (size_t)(field->value.end - field->name.start);
        if (field->gone && !all)
            continue;
        *out++ = mark;
        mark = '&';
        memcpy(out, field->name.start, length);
        out += length;
    }
    return out;
}

/* Take up what an edit has made of path and query. */
static Verdict
take_target(Url *url, PyObject *text)
{
    Py_ssize_t length;
    const octet *end, *mark;
    const char *start = PyUnicode_Check(text) ? PyUnicode_AsUTF8AndSize(text, &length) : NULL;
    if (start == NULL) {
        PyErr_Clear(); /* a lone surrogate */
        return NO;
    }
    if (length < 1 || length > MAX_URL || *start != '/')
        return NO;
    memcpy(url->edited_text, start, (size_t)length);
    forget_fields(url);
    url->judged = 0;
    end = memchr(url->edited_text, '#', (size_t)length);
    if (end == NULL)
        end = url->edited_text + length;
    mark = memchr(url->edited_text, '?', (size_t)(end - url->edited_text));
    if (read_path(url, (Span){url->edited_text, mark == NULL ? end : mark}) == NO)
        return NO;
    return mark == NULL || mark + 1 == end ? YES : read_fields(url, (Span){mark + 1, end});
}

/* Apply the edits, after the steps on path and items that turned `before` into what it is now. *changed becomes whether
 * the whole round has changed the URL. */
static Verdict
run_edits(PyObject *edits, Url *url, Span before, int *changed)
{
    octet first[2 * SPELLED], text[2 * SPELLED], *first_end, *end;
    Verdict verdict = YES;
    PyObject *needs = item(edits, 0), *run = item(edits, 1), *given, *after;
    Py_ssize_t count = needs == NULL || run == NULL ? -1 : PyTuple_Size(needs);
    long bit = number(edits, 2);
    int needed = count == 0;

    if (count < 0 || bit < 0)
        return FAULT;
    sort_fields(url);
    end = put_target(url, url->path, 0, text);
    for (Py_ssize_t n = 0; n < count && !needed; n++) {
        Span piece;
        PyObject *need = item(needs, n);
        long at_start = number(need, 0);
        if (at_start < 0 || !octets(need, 1, &piece))
            return FAULT;
        needed = at_start ? starts_with((Span){text, end}, piece) : contains((Span){text, end}, piece);
    }
    if (!needed)
        return YES;
    given = python_text((Span){text, end});
    if (given == NULL)
        return FAULT;
    after = PyObject_CallFunctionObjArgs(run, given, NULL);
    if (after == NULL)
        verdict = FAULT;
    else if (after != given) {
        int same = PyObject_RichCompareBool(after, given, Py_EQ);
        verdict = same < 0 ? FAULT : YES;
        if (same == 0) {
            first_end = put_target(url, before, 1, first);
            verdict = take_target(url, after);
            if (verdict == YES) {
                /* Python has a copy of what was in `text` */
                sort_fields(url);
                end = put_target(url, url->path, 0, text);
                *changed = end - text != first_end - first || memcmp(text, first, (size_t)(end - text)) != 0;
                url->touched |= (uint64_t)1 << (bit & 63);
            }
        }
    }
    Py_XDECREF(after);
    Py_DECREF(given);
    return verdict;
}

/* --- all of it --------------------------------------------------------------------------------------------------------- */

long
flags_of(PyObject *program)
{
    return number(program, FAST_FLAGS);
}

/* One application of all rules of a program. */
static Verdict
run_round(PyObject *program, Url *url, int *changed)
{
    octet before_text[SPELLED];
    Span before = {before_text, before_text};
    Verdict verdict = YES;
    int moved = 0, dropped = url->dropped;
    long flags = flags_of(program);
    PyObject *edits = item(program, FAST_EDITS);

    if (edits == NULL || (flags == -1 && PyErr_Occurred()))
        return FAULT;
    if (edits != Py_None) {
        if (url->form != KEY)
            return NO;
        memcpy(before_text, url->path_text, length_of(url->path));
        before.end = before_text + length_of(url->path);
    }
    if (url->spelled)
        verdict = run_steps(program, url, &moved);
    url->moved |= moved;
    *changed = moved;
    if (verdict == YES && !url->judged) {
        url->dropped = url->recast = 0;
        verdict = judge_fields(program, flags, url);
        *changed |= url->dropped;
        url->dropped |= dropped;
        url->judged = !url->recast;
        /* the edits compare with what was there before */
        if (verdict == YES && url->recast && edits != Py_None)
            verdict = NO;
    }
    if (verdict == YES && edits != Py_None)
        verdict = run_edits(edits, url, before, changed);
    if (verdict == YES && *changed)
        close_up(url);
    return verdict;
}

Verdict
settle(PyObject *plan, Url *url, PyObject **program)
{
    PyObject *last = NULL;
    Verdict verdict = NO;
    *program = NULL;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        int changed = 0;
        verdict = choose(plan, url, program);
        if (verdict != YES)
            break;
        if (*program != last)
            url->judged = 0;
        Py_XDECREF(last);
        last = *program;
        *program = NULL;
        verdict = run_round(last, url, &changed);
        if (verdict != YES)
            break;
        if (!changed) {
            *program = last;
            return YES;
        }
        verdict = NO; /* not settled */
    }
    Py_XDECREF(last);
    Py_CLEAR(*program);
    return verdict;
}
