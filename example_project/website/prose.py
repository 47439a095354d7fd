"""Sentences for pages: many, varied, and the same on every machine."""

from __future__ import annotations

import random

WORDS = {
    "material": "ash,beech,brass,canvas,clay,copper,cork,felt,glass,linen,oak,porcelain,steel,walnut,wool",
    "place": "Aarhus,Bergen,Cork,Dundee,Faro,Ghent,Graz,Leeds,Lugano,Malmo,Nantes,Padua,Porto,Riga,Tartu,Turku,Vigo",
    "maker": "a family workshop,a retired engineer,a school of design,four sisters,two brothers,an old mill",
    "quality": "calm,careful,generous,honest,light,modest,plain,quiet,robust,simple,slender,sturdy,subtle,supple,warm",
    "use": "a boat,a long winter,a narrow hall,a night train,a picnic,a reading corner",
    "part": "base,edge,finish,foot,handle,hinge,joint,lining,rim,seam,shade,strap,surface,underside",
    "care": "keep it from frost,oil it twice a year,rinse it by hand,tighten the screws each spring",
    "person": "Ada,Bruno,Clara,Dario,Elif,Farid,Greta,Hugo,Ines,Jonas,Kaja,Lotte,Milan,Nadia,Otto,Petra,Rafael,Sanna",
    "tool": "a blunt knife,a bread tin,a file,a hand drill,a heat gun,a magnet,a pencil,a sewing kit",
    "time": "in April,last autumn,on a Sunday,over the holidays,since Tuesday,two years ago,when it snowed,yesterday",
    "verdict": "I would do it again,it failed twice,it held,it was worth the trouble,my neighbour disagrees",
    "number": "three,four,five,seven,nine,eleven,fourteen,twenty,thirty",
}
CHOICES = {name: text.split(",") for name, text in WORDS.items()}
PRODUCT = (
    "Made of {material} by {maker} in {place}.",
    "The {part} is {quality}, and the {part} of {material} wears in rather than out.",
    "We chose it for {use}; it also serves for {use}.",
    "To look after it, {care}.",
    "{person} of our shop in {place} has used one {time} and says: {verdict}.",
    "It comes with a spare {part} and a {quality} box.",
    "Each one takes {number} hours, most of them spent on the {part}.",
    "The first {number} were sold to a hotel in {place}.",
    "A {quality} thing for {use}, with a {part} that you can replace yourself.",
)
POST = (
    "I tried this {time} with {tool} and {tool}: {verdict}.",
    "{person} told me in {place} that {material} is the wrong choice for {use}.",
    "Has anyone here replaced the {part} without touching the {part}?",
    "My advice: {care}, and leave the {part} alone.",
    "After {number} attempts the {part} came off, and {verdict}.",
    "Use {material}, not {material}; it is more {quality}.",
    "There is a {quality} video from {place}, but {person} explains it better.",
    "We did ours {time} for {use}.",
    "Thank you {person}, the trick with {tool} worked {time}.",
)
ARTICLE = (
    "We are {quality} about this: {care}, and tell us within {number} days.",
    "Parcels to {place} take {number} days, those to {place} a little longer.",
    "Ask for {person}, who has worked here for {number} years.",
    "The {part} is covered, a {part} of {material} is not.",
    "Our house in {place} is open {number} days a month; bring {tool}.",
    "What is meant for {use} is tested for {number} weeks.",
    "The evening is led by {maker} from {place}, and {tool} is all you need.",
)


class _Draw(dict[str, str]):
    """A template's words, drawn anew at each mention."""

    def __init__(self, source: random.Random) -> None:
        self.source = source

    def __missing__(self, name: str) -> str:
        return self.source.choice(CHOICES[name])


def sentences(seed: str, templates: tuple[str, ...], count: int) -> list[str]:
    """`count` sentences that are a function of `seed` alone; no template twice in a row of `len(templates)`."""
    source = random.Random(seed)
    order: list[str] = []
    while len(order) < count:
        order += source.sample(templates, len(templates))
    drawn = [template.format_map(_Draw(source)) for template in order[:count]]
    return [text[0].upper() + text[1:] for text in drawn]


def text(seed: str, templates: tuple[str, ...], count: int) -> list[str]:
    """The same as paragraphs of up to three sentences."""
    drawn = sentences(seed, templates, count)
    return [" ".join(drawn[start : start + 3]) for start in range(0, count, 3)]
