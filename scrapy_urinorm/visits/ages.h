/* What ages.c says of ages in words to markup.c. */
#ifndef URINORM_AGES_H
#define URINORM_AGES_H

#include "markup.h"

/* An element whose text may be an age; the last one is HTML's own, whose `datetime` is the date of its text. */
enum { UNDATED, MAY_AGE, TIMED };

octet dated_of(Piece tag);

/* Where the number of an age stands in its text, and its digits. */
int find_age(const octet *s, size_t length, size_t *at, size_t *digits);

/* Leaves of a date to the minute all but its spaces: how many octets there are, 0 where it is none. */
size_t keep_date(octet *s, size_t length);

/* All octets of a number of seconds or milliseconds since 1970, 0 where it is none. */
size_t moment_in(const octet *s, size_t length);

#endif
