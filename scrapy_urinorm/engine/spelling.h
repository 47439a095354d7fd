/* What spelling.c has. Writers return the end of what they wrote, or NULL where a text holds what is left to the loop;
 * they write at most three octets for one. */
#ifndef URINORM_SPELLING_H
#define URINORM_SPELLING_H

#include "native.h"

enum { MAX_URL = 2048, MAX_ORIGIN = 512, MAX_USUAL = 253, SPELLED = 4 * MAX_URL + 8, MAX_RESULT = MAX_ORIGIN + SPELLED };

typedef enum { KEY, CANONICAL } Form;

typedef struct {
    const octet *start, *end;
} Span;

typedef struct {
    Span origin, path, query, fragment;
    int has_query, has_fragment;
} Parts;

void fill_spelling_tables(void);

/* The parts of a URL that is short and begins in the usual way; false for any other. */
int split(const octet *s, const octet *end, Parts *parts);

/* Whether any parser leaves an origin of http or https as it is: labels of lower-case letters, digits and single hyphens
 * between them, the last of which begins with a letter, so that it is no IPv4 address; no port. At most 253 octets. */
int is_usual_origin(Span origin);

octet *put_path(Span path, Form form, octet *out);
/* A name or a value in the spelling of the key; `stray`: a '%' that starts no escape is written %25, else refused. */
octet *put_item(Span text, int stray, octet *out);
octet *put_field(Span text, octet *out);
octet *put_fragment(Span text, octet *out);
/* A path in the spelling of the key, valid to send. */
octet *put_changed_path(Span path, octet *out);
/* Decoded text with ASCII letters in lower case; NULL where it is not ASCII. */
octet *put_folded(Span text, octet *out);

/* Whether a spelled path has a dot segment, or what may be the session of ASP.NET: a segment that begins with '('. */
int is_special_path(const octet *s, const octet *end);
/* Whether a text may stand as a path in the spelling of the key. */
int is_path_key(Span text);
/* Whether a spelled text has a ';', which is escaped there. */
int has_semicolon(Span text);
/* Order of two spelled texts by their decoded octets. */
int compare(Span one, Span other);

static inline size_t
length_of(Span text)
{
    return (size_t)(text.end - text.start);
}

#endif
