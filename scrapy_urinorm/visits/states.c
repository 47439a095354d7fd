/* What the class of a day, a seat or a square tells: visits/states.py is the reference, tests/visits compares. */
#include "states.h"

enum { LONGEST_PASSING = 9, MOST_DIGITS = 3 };

/* The lists of states.py, each sorted. */
#define W(text) text
static const char *const fields[] = {W("a"), W("b"), W("button"), W("div"), W("i"), W("li"), W("span"), NULL};
static const char *const passing[] = {
    W("active"), W("alt"), W("alternate"), W("current"), W("even"), W("first"), W("focus"), W("future"), W("highlight"),
    W("hover"), W("last"), W("now"), W("odd"), W("passed"), W("past"), W("row"), W("selected"), W("sorted"), W("sorting"),
    W("today"),
    NULL,
};

static int
is_among(const char *const *all, const octet *s, size_t length)
{
    for (; *all != NULL; all++)
        if (**all == (char)*s && strlen(*all) == length && memcmp(*all, s, length) == 0)
            return 1;
    return 0;
}

octet
state_of(Piece tag)
{
    if (tag.length == 2 && tag.start[0] == 't' && (tag.start[1] == 'd' || tag.start[1] == 'h'))
        return CELL;
    return is_among(fields, tag.start, tag.length) ? FIELD : NO_STATE;
}

static int
is_space(octet one)
{
    return one == ' ' || one == '\t' || one == '\n' || one == '\r' || one == '\f';
}

static const octet *
skip_spaces(const octet *s, const octet *end)
{
    static const char written[] = "&nbsp;";
    for (;;) {
        size_t left = (size_t)(end - s);
        if (left && is_space(*s))
            s++;
        else if (left >= 2 && s[0] == 0xC2 && s[1] == 0xA0)
            s += 2;
        else if (left >= sizeof written - 1 && memcmp(s, written, sizeof written - 1) == 0)
            s += sizeof written - 1;
        else
            return s;
    }
}

int
is_day(const octet *s, const octet *end, Piece name)
{
    const octet *start;
    s = start = skip_spaces(s, end);
    while (s < end && *s >= '0' && *s <= '9')
        s++;
    if (s - start > MOST_DIGITS)
        return 0;
    s = skip_spaces(s, end);
    return (size_t)(end - s) >= name.length + 3 && s[0] == '<' && s[1] == '/' && memcmp(s + 2, name.start, name.length) == 0 &&
           s[2 + name.length] == '>';
}

/* Whether one of the words of a class is passing. */
static int
passes(const octet *s, const octet *end)
{
    octet small[LONGEST_PASSING];
    while (s < end) {
        size_t length = 0;
        for (; s < end && ((*s | 0x20) >= 'a' && (*s | 0x20) <= 'z'); s++, length++)
            if (length < LONGEST_PASSING)
                small[length] = *s | 0x20;
        if (length && length <= LONGEST_PASSING && is_among(passing, small, length))
            return 1;
        if (s < end)
            s++;
    }
    return 0;
}

size_t
keep_states(octet *s, size_t length)
{
    octet *out = s, *start = s;
    const octet *end = s + length;
    while (s < end) {
        const octet *word;
        while (s < end && is_space(*s))
            s++;
        word = s;
        while (s < end && !is_space(*s))
            s++;
        if (s == word || passes(word, s))
            continue;
        if (out > start)
            *out++ = ' ';
        memmove(out, word, (size_t)(s - word));
        out += s - word;
    }
    return (size_t)(out - start);
}
