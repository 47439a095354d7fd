"""Values that will be another tomorrow: the newest season of a series that goes on, today's day, the round of now.

A team's page shows the season that is played, and its archive names that one as well: today both are one page. Next
season the address that names none shows the next one, and what was merged is nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from scrapy_urinorm.importers.facets import FIRST

LONGEST = 40
"""Characters of a value that is looked at: no season, day or issue has a longer name. Chosen."""
SERIES = 3
"""Numbers of one form from which they are a series whose newest is not the last; two are a switch. Chosen, as for
versions."""
NEAR_THE_END = 4
"""Numbers of a series without gaps from which the last but one is no lasting value either: the next issue is announced,
or the round of next week."""
A_WEEK = 7
"""Numbers from the first one on and without gaps that are days, weeks or months, whichever is today's: levels are
fewer. Chosen."""
DENSE = 2
"""Numbers without gaps are more than every second one between the first and the last: issues are, sizes (12, 24, 48)
are not."""
_DIGITS = re.compile("[0-9]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_ASKS_WHEN = re.compile(
    r"(?i)(?:.*[^a-z])?(?:day|week|weekday|dow|month|year|date|season|term|semester|quarter|issue|edition|volume|vol"
    r"|round|matchday|matchweek|gameweek"
    r"|woche|kw|monat|jahr|saison|spieltag|ausgabe|runde|jour|semaine|mois|annee|journee|dia|semana|mes|ano"
    r"|temporada|jornada|giorno|settimana|mese|anno|stagione|giornata)(?:[_-]?(?:id|no|nr|number))?"
).fullmatch
"""Names whose numbers are those of a time or an issue, in English, German, French, Spanish and Italian; without `days`,
which are how many, and letters, which are anything. Of those of an id alone the number says nothing else. Chosen."""
_SAYS_HOW_MANY = re.compile(
    r"(?i)(?:.*[^a-z])?(?:limit|(?:page|list)?[-_]?size|rows|cols|columns|show|per[-_]?page|ppp|count|width|height|res"
    r"|quality|level|zoom|scale|portions|servings)"
).fullmatch
"""Names whose numbers are sizes, of which a site's default may well be the largest; chosen."""
_DAYS = frozenset(
    "mon tue tues wed thu thur thurs fri sat sun monday tuesday wednesday thursday friday saturday sunday"
    " mo di mi do fr sa so montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag"
    " lun mar mer jeu ven sam dim lundi mardi mercredi jeudi vendredi samedi dimanche"
    " mie jue vie sab dom lunes martes miercoles jueves viernes sabado domingo"
    " gio lunedi martedi mercoledi giovedi venerdi sabato domenica".split()
)
_MONTHS = frozenset(
    "jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july august september"
    " october november december mrz mai okt dez januar februar marz märz maerz juni juli oktober dezember"
    " janv fev avr juin juil aou janvier fevrier mars avril juillet aout septembre octobre novembre decembre"
    " ene abr ago dic enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
    " gen mag giu lug set ott gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre".split()
)
_SEASONS = frozenset(
    "spring summer autumn fall winter fruehling frühling sommer herbst printemps ete automne hiver"
    " primavera verano otono invierno estate autunno inverno".split()
)
_CYCLES = (_DAYS, _MONTHS, _SEASONS)
"""Days of the week, months and seasons in the same five languages: after the last comes the first, so each is today's
in its turn."""
_EVER = frozenset("all any none current latest newest now today this last next default".split())
"""Words that mean tomorrow what they do today, under whatever name; chosen."""
_BEGUN = frozenset("original enacted made adopted".split())
"""How a law was made, which is what is in force until it is amended."""


def moves(value: str, others: Iterable[str], name: str = "", year: int = 0) -> bool:
    """Whether a value (decoded) may be today's alone: one of those that stand in the same place is tomorrow's.

    `name` is that of the parameter, `year` that of the crawl, 0 where it is not known. The first page is the first one
    tomorrow as well.
    """
    low = value.lower()
    if len(low) > LONGEST or low in FIRST:
        return low == "1" and asks_when(name)
    different = {other.lower() for other in others if len(other) <= LONGEST} | {low}
    if low in _BEGUN or _in_cycle(low, different, name):
        return True
    if asks_when(name) and low not in _EVER:
        return True
    if _DIGITS.search(low) is None:
        return False
    if any(abs(int(one) - year) <= 1 for one in _YEAR.findall(low)):
        return True
    return _SAYS_HOW_MANY(name) is None and _goes_on(low, different)


def asks_when(name: str) -> bool:
    """Whether a name of a parameter is that of a time or an issue."""
    return _ASKS_WHEN(name) is not None


def may_move(value: str) -> bool:
    """Whether a value (decoded) may be one of those that `moves` is about at all."""
    low = value.lower()
    return low in _BEGUN or names_time(low) or any(map(str.isdecimal, low))


def is_alone(value: str, others: Iterable[str]) -> bool:
    """Whether no other value has the form of one: a month beside the next, `round-4` beside `round-5`."""
    low = value.lower()
    if low in _BEGUN:
        return True
    form = _form(low)
    mine = [cycle for cycle in _CYCLES if low in cycle]
    return not any(
        _form(other) == form if not mine else any(other in cycle for cycle in mine)
        for other in (one.lower() for one in others)
        if other != low
    )


def said_in_words(value: str) -> str:
    """What speaks against a rule that takes a value for none."""
    return f"`{value}` may be what is newest or today's, and another will be tomorrow"


def names_time(word: str) -> bool:
    """Whether a word is the name of a day of the week, of a month, or of a season of the year."""
    return any(word.lower() in cycle for cycle in _CYCLES)


def _in_cycle(low: str, different: set[str], name: str) -> bool:
    """Whether a word is one of several days or months, or the only one of a parameter that asks when."""
    return any(low in cycle and (len(different & cycle) > 1 or asks_when(name)) for cycle in _CYCLES)


def _form(text: str) -> str:
    """A text without its numbers and words: `ws23` and `ss24` are of one form."""
    return _DIGITS.sub("0", _LETTERS.sub("a", text))


def _goes_on(low: str, different: set[str]) -> bool:
    """Whether a text with numbers is the newest of a series, or stands in one that began before and has no gaps."""
    form, own = _form(low), _numbers(low)
    alike = [one for one in different if _form(one) == form]
    rows = sorted(set(map(_numbers, alike)))
    if len(rows) > 1 and own == rows[-1] and (len(alike) >= SERIES or _YEAR.search(low) is not None):
        return True
    if len(rows) < SERIES:
        return False
    at = next(n for n, (one, other) in enumerate(zip(rows[0], rows[-1], strict=True)) if one != other)
    first, last = rows[0][at], rows[-1][at]
    if last - first >= DENSE * (len(rows) - 1):
        return False
    if first > 1 or (len(rows) >= A_WEEK and own[at] > 1):
        return True
    return own == rows[-2] and len(rows) >= NEAR_THE_END


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(one) for one in _DIGITS.findall(text))
