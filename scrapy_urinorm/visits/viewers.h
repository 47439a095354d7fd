/* What viewers.c says of elements and attributes to markup.c. */
#ifndef URINORM_VIEWERS_H
#define URINORM_VIEWERS_H

#include "markup.h"

/* An element of HTML, a picture, one that may be a viewer, one whose name says that it is, and the one of HTML that scripts draw on. */
enum { NO_VIEWER, IMAGE, MAY_VIEW, VIEWER, CANVAS };

octet viewer_of(Piece tag);

/* The octets of a value up to the end of the file of a medium; 0 where it is none. */
size_t medium_in(Piece value);

/* The octets of the address of a picture up to its signature or its size; 0 for what may be a counter. */
size_t picture_in(Piece address);

/* How much of the value of an attribute is the source of a viewer. */
size_t source_in(octet viewer, Piece name, Piece value);

#endif
