/* Ages in words, and the dates in their attributes: visits/ages.py is the reference, tests/visits compares. */
#include "ages.h"

enum { LONGEST_DATE = 60, LONGEST_AGE = 40, WORDS_FIRST = 2, WORDS_WITHIN = 3, NUMBERS = 4, SECONDS = 10, MILLISECONDS = 13 };

/* The list of ages.py, sorted. */
#define W(text) text
static const char *const dated[] = {W("a"), W("abbr"), W("small"), W("span"), W("time"), NULL};

octet
dated_of(Piece tag)
{
    for (const char *const *all = dated; *all != NULL; all++)
        if (strlen(*all) == tag.length && memcmp(*all, tag.start, tag.length) == 0)
            return all[1] == NULL ? TIMED : MAY_AGE;
    return UNDATED;
}

static int
is_digit(octet one)
{
    return one >= '0' && one <= '9';
}

static int
is_space(octet one)
{
    return one == ' ' || one == '\t' || one == '\n' || one == '\r' || one == '\f';
}

static int
is_letter(octet one)
{
    return one >= 0x80 || ((one | 0x20) >= 'a' && (one | 0x20) <= 'z');
}

/* Whether a letter begins that is no sign of money: small, or from U+00C0 on but for U+2000 to U+2BFF. */
static int
begins_unit(const octet *s, const octet *end)
{
    if (*s < 0x80)
        return *s >= 'a' && *s <= 'z';
    return *s >= 0xC3 && !(*s == 0xE2 && end - s > 1 && s[1] < 0xB0);
}

int
find_age(const octet *s, size_t length, size_t *at, size_t *digits)
{
    const octet *start = s, *end = s + length, *first = s, *last = end;
    int unit = 0;
    while (first < last && is_space(*first))
        first++;
    while (last > first && is_space(last[-1]))
        last--;
    if (last - first > LONGEST_AGE)
        return 0;
    for (s = first; s < last && !is_digit(*s); s++)
        ;
    *at = (size_t)(s - start);
    while (s < last && is_digit(*s))
        s++;
    *digits = (size_t)(s - start) - *at;
    if (*digits < 1 || *digits > 2)
        return 0;
    for (; s < last; s++) {
        if (is_digit(*s))
            return 0;
        unit |= begins_unit(s, last);
    }
    return unit;
}

/* Whether it is a date to the minute, and nothing else. */
static int
is_date(const octet *s, const octet *end)
{
    const octet *start = s, *year = NULL;
    int numbers = 0, words = 0, minute = 0, alone = 1;
    while (s < end) {
        const octet *part = s;
        if (is_digit(*s)) {
            while (s < end && is_digit(*s))
                s++;
            numbers++;
            minute |= s - part == 2 && part - start >= 2 && part[-1] == ':' && is_digit(part[-2]);
            if (year == NULL && s - part == 4 && ((part[0] == '1' && part[1] == '9') || (part[0] == '2' && part[1] == '0'))) {
                year = part;
                alone = !((part > start && part[-1] && strchr("-/.", part[-1]) != NULL) || (s < end && *s && strchr("-/.", *s) != NULL));
            }
        }
        else if (is_letter(*s)) {
            while (s < end && is_letter(*s))
                s++;
            words += year == NULL;
        }
        else
            s++;
    }
    if (!minute || numbers < NUMBERS || year == NULL)
        return 0;
    while (start < end && is_space(*start))
        start++;
    return is_digit(*start) ? words <= WORDS_WITHIN : words <= WORDS_FIRST && alone;
}

size_t
keep_date(octet *s, size_t length)
{
    size_t kept = 0;
    if (length > LONGEST_DATE || !is_date(s, s + length))
        return 0;
    for (size_t n = 0; n < length; n++)
        if (!is_space(s[n]))
            s[kept++] = s[n];
    return kept;
}

size_t
moment_in(const octet *s, size_t length)
{
    if ((length != SECONDS && length != MILLISECONDS) || *s != '1')
        return 0;
    for (size_t n = 0; n < length; n++)
        if (!is_digit(s[n]))
            return 0;
    return length;
}
