/* What markup.c, which reads pages that a parser has written, has for written.c, which writes them. */
#ifndef URINORM_MARKUP_H
#define URINORM_MARKUP_H

#include "features.h"

typedef struct {
    const octet *start;
    size_t length;
} Piece;

/* YES, NO: the module does not take this page; FAULT: an error is set. */
typedef enum { NO, YES, FAULT } Taken;

/* Where some octets first are in others, NULL where they are not. */
const octet *find_octets(const octet *s, const octet *end, const char *text, size_t length);

/* Whether a script may have the end of a script in it: in a comment that begins another one. */
int hides_an_end(const octet *s, const octet *end);

#endif
