"""Whether a crawl that has left hardly a link came to its end, or was cut short."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

_digits = re.compile("[0-9]+")


def breaks_off(keys: Sequence[str], links: Iterable[Iterable[int]], left: Mapping[int, int]) -> bool:
    """Whether a link was left in a place where other pages of the form, if there are any, have one that was followed:
    most of them. What a crawl does not want, it wants on none.

    Pages are numbered by their `keys`, what was never requested on from these; `left` has such with the page that led
    to each. A crawl that goes from each page to the next has left hardly more than one wherever it is cut short.
    """
    forms = list(map(_form_of, keys))
    asked = {forms[parent] for parent in left.values() if parent >= 0}
    every, followed, places = Counter[tuple[str, int]](), Counter[tuple[str, int]](), set[tuple[str, int]]()
    for form, nodes in zip(forms, links, strict=True):
        for at, node in enumerate(nodes if form in asked else ()):
            every[form, at] += 1
            followed[form, at] += node < len(keys)
            if node in left:
                places.add((form, at))
    return any(2 * followed[one] >= every[one] - 1 for one in places)


def _form_of(key: str) -> str:
    """Return an address without its numbers and the values of its parameters."""
    path, _, query = key.partition("?")
    return _digits.sub("#", path) + "?" + "&".join(item.partition("=")[0] for item in query.split("&"))
