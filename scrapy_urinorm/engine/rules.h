/* What rules.c has: one URL under the rules of its site. */
#ifndef URINORM_RULES_H
#define URINORM_RULES_H

#include "spelling.h"

enum { MAX_FIELDS = 64 };

/* The tuples of native.py, which has the number of this layout too. */
enum { LAYOUT = 18 };
enum { SITE_ORIGIN = 0, SITE_FAST = 5, SITE_MOVED = 6, SITE_USUAL = 7, SITE_LENGTH = 8 };
enum { USUAL_HTTP = 0, USUAL_HTTPS = 2, USUAL_NEEDS = 4, USUAL_HOSTS = 5 };
enum { PLAN_WHERES = 0, PLAN_PROGRAMS = 1, PLAN_BASE = 2, PLAN_LENGTH = 3 };
enum { FAST_CONCERNS = 0, FAST_PATHS = 1, FAST_EDITS = 2, FAST_FLAGS = 3, FAST_VALUES = 4 };
enum { SORTS = 1, DROPS_FRAGMENT = 2, KEY_ONLY = 4, TIDIES = 8, ASKS_SEMICOLON = 16 };

/* YES: done; NO: leave it to the loop; FAULT: a Python error is set. */
typedef enum { FAULT = -1, NO = 0, YES = 1 } Verdict;

typedef struct {
    PyObject *text;      /* the name as Python has it, NULL until somebody asks */
    Span name, value;    /* in the spelling of the key */
    Span shown;          /* as the canonical URL has it */
    int gone;
} Field;

/* One URL on its way; about 30 kB on the stack, of which a usual one touches little. With the buffers of the edits and of
 * those who call it is 94 kB at the most (gcc -O3 -fstack-usage, x86-64): musl gives a thread 128. */
typedef struct {
    Form form;
    Span path;                /* in the spelling of the key, where `spelled` */
    Field fields[MAX_FIELDS];
    int count;
    int spelled, moved, dropped;
    int judged;               /* the program at hand has seen all fields */
    int recast;               /* this round has given a field another value */
    uint64_t touched;         /* the bits of the rules that changed something */
    octet path_text[SPELLED], key_text[SPELLED], safe_text[SPELLED], edited_text[MAX_URL];
    octet *safe_end;
} Url;

/* Take up path and query; forget_fields() in any case. */
Verdict read_url(Url *url, Span path, Span query, Form form, int spelled);
void forget_fields(Url *url);

/* Apply the rules of a plan until nothing changes; *program is a new reference to those that hold in the end. */
Verdict settle(PyObject *plan, Url *url, PyObject **program);

/* Where the rules lead a usual origin: its text written at *end (room for MAX_ORIGIN octets), the bits of the rules. */
Verdict move_usual(PyObject *usual, Span origin, octet **end, uint64_t *moved);

/* Sort the fields as the key has them. */
void sort_fields(Url *url);

long flags_of(PyObject *program);

/* Whether a Python function says so of an argument, whose reference it takes; NULL is an error that is set. */
Verdict says(PyObject *function, PyObject *argument);

static inline PyObject *
python_text(Span text)
{
    return PyUnicode_FromStringAndSize((const char *)text.start, text.end - text.start);
}

#endif
