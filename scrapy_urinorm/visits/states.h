/* What states.c says of days, seats and squares to markup.c. */
#ifndef URINORM_STATES_H
#define URINORM_STATES_H

#include "markup.h"

/* An element whose class may tell its state: a cell, or one of a grid; and how many such make a grid. */
enum { NO_STATE, CELL, FIELD, FEWEST = 20 };

octet state_of(Piece tag);

/* Whether the number of a day alone, or spaces, stand before the end of an element of this name. */
int is_day(const octet *s, const octet *end, Piece name);

/* Leaves of a class the words that tell a state: how many octets there are. */
size_t keep_states(octet *s, size_t length);

#endif
