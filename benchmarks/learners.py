"""Two published ways to learn which URLs are one page, to measure ours against.

Small re-implementations after what was published, not the programs of their authors. Each is a baseline of
`scrapy_urinorm.learn.evaluation`: a function from the pages that may be learned from to a decision.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from scrapy_urinorm.content import DIFFERENT, EXACT, NEAR, compare
from scrapy_urinorm.learn.baselines import without

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_urinorm.learn.baselines import Baseline, Decide
    from scrapy_urinorm.learn.pages.page import Page
    from scrapy_urinorm.normalizer import Normalizer

CONFIRMATIONS = 2
_TOKEN = re.compile(r"[^\W_]+|[\W_]")

MAX_PAGES = 6_000
MAX_URL_TOKENS = 40
MAX_TOKENS = 8
BUCKET = 11
MIN_SUPPORT = 3
MAX_RULES = 2_000
WINDOW = 1_100
VALID = 0.95
ROUNDS = 10
"""Of DustBuster: pages and tokens looked at, tokens of a substring, substrings of an envelope, envelopes of a rule,
rules validated, the window for rules that refine others, the share of pairs that must agree, rounds of rewriting."""


def two_confirmations(pages: Sequence[Page], normalizer: Normalizer) -> Decide:
    """Drop `key=value` after two pages were the same without it, and the key after two of its values; nothing is
    counted against, which is what this baseline is here to show.
    """
    labels = {page.key: page.label for page in pages}
    confirmed: Counter[str] = Counter()
    for page in pages:
        head, _, query = page.key.partition("?")
        items = query.split("&") if query else []
        for n, item in enumerate(items):
            rest = "&".join([*items[:n], *items[n + 1 :]])
            if page.label >= 0 and labels.get(head + ("?" + rest if rest else "")) == page.label:
                confirmed[item] += 1
    active = {item for item, n in confirmed.items() if n >= CONFIRMATIONS}
    values = Counter(item.partition("=")[0] for item in active)
    names = {name for name, n in values.items() if n >= CONFIRMATIONS}

    def decide(url: str) -> tuple[str, bool]:
        return without(normalizer.key(url), lambda n, v: n in names or f"{n}={v}" in active), False

    return decide


def dustbuster(pages: Sequence[Page], normalizer: Normalizer) -> Decide:
    """Substring substitutions after DustBuster (Bar-Yossef, Keidar and Schonfeld, TWEB 2009).

    Rules a -> b with many common envelopes in small buckets, those that refine others dropped, validated on pairs of
    the crawl, the shortening ones applied until nothing changes.
    """
    pages = [page for page in pages if len(_TOKEN.findall(page.key)) <= MAX_URL_TOKENS]
    if len(pages) > MAX_PAGES:
        pages = random.Random(0).sample(pages, MAX_PAGES)
    rules = _validated(_unrefined(_likely(pages)), pages)

    def decide(url: str) -> tuple[str, bool]:
        key = normalizer.key(url)
        for _ in range(ROUNDS):
            before = key
            for old, new in rules:
                if old in key:
                    key = key.replace(old, new)
            if key == before:
                break
        return key, False

    return decide


def _likely(pages: Sequence[Page]) -> list[tuple[str, str, int]]:
    """Return the likely rules (from, to, support), the best first; only those that shorten."""
    envelopes: dict[int, dict[str, Page]] = defaultdict(dict)
    for page in pages:
        key = page.key
        ends = [0]
        for token in _TOKEN.findall(key):
            ends.append(ends[-1] + len(token))
        for i, start in enumerate(ends):
            for end in ends[i : i + MAX_TOKENS + 1]:
                envelopes[hash((key[:start], key[end:]))][key[start:end]] = page
    support: Counter[tuple[str, str]] = Counter()
    for bucket in envelopes.values():
        if 2 <= len(bucket) <= BUCKET:
            found = sorted(bucket, key=lambda text: (-len(text), text))
            for i, old in enumerate(found):
                for new in found[i + 1 :]:
                    if compare(bucket[old], bucket[new]) >= NEAR:
                        support[old, new] += 1
    ranked = sorted(((*rule, n) for rule, n in support.items() if n >= MIN_SUPPORT), key=lambda r: (-r[2], r[:2]))
    return ranked[:MAX_RULES]


def _unrefined(rules: list[tuple[str, str, int]]) -> list[tuple[str, str]]:
    """Of rules of about equal support keep the more general one."""
    gone: set[int] = set()
    for i, (old, new, n) in enumerate(rules):
        if i in gone:
            continue
        for j in range(i + 1, min(len(rules), i + WINDOW)):
            if n - rules[j][2] > max(0.05 * n, 1):
                break
            if j in gone:
                continue
            if _refines(rules[j][:2], (old, new)):
                gone.add(j)
            elif _refines((old, new), rules[j][:2]):
                gone.add(i)
                break
    return [rule[:2] for i, rule in enumerate(rules) if i not in gone]


def _refines(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether the first rule is the second with the same text around both sides."""
    at = one[0].find(other[0])
    if at < 0:
        return False
    head, tail = one[0][:at], one[0][at + len(other[0]) :]
    return one[1] == head + other[1] + tail


def _validated(rules: Iterable[tuple[str, str]], pages: Sequence[Page]) -> list[tuple[str, str]]:
    """Return the rules of which nearly all pairs in the crawl agree, none that refines one already taken."""
    by_key = {page.key: page for page in pages}
    accepted: list[tuple[str, str]] = []
    for rule in rules:
        if any(_refines(rule, other) for other in accepted):
            continue
        outcomes: Counter[int] = Counter()
        for page in pages:
            if rule[0] in page.key:
                other = by_key.get(page.key.replace(*rule, 1))
                if other is not None and other is not page:
                    outcomes[compare(page, other)] += 1
        agree = outcomes[EXACT] + outcomes[NEAR]
        known = agree + outcomes[DIFFERENT]
        if known >= MIN_SUPPORT and agree >= VALID * known:
            accepted.append(rule)
    return accepted


LEARNERS: dict[str, Baseline] = {"two confirmations": two_confirmations, "DustBuster": dustbuster}
