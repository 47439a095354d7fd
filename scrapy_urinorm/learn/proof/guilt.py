"""Which rule is to blame for what a crawl under all rules would not meet, and what of it can stay.

The guilty rule is narrowed to a part of the site where nothing speaks against it, or dropped; the others stay.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from scrapy_urinorm.learn.evidence.candidate import DECLARED, REJECTED, Candidate, signature
from scrapy_urinorm.learn.links.linked import keys_are_listed
from scrapy_urinorm.learn.pages.contexts import BELOW, FILES, Atom
from scrapy_urinorm.learn.pages.values import is_volatile
from scrapy_urinorm.learn.proof.proof import BLIND_FEW, Hidden, Loss, Proof
from scrapy_urinorm.learn.proof.remainder import THIN, Remainder
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.proof.replay import Replay

    Form = frozenset[str]
    """The form of a path, as globs."""

ASKED = 60
"""Losses looked at to tell which of several rules is to blame: enough for each to stand out."""
MAX_DROPPED = 200
"""Rules narrowed or dropped in one go at the most: each takes three crawls."""
WAYS_BACK = ("/", "http://", "https://")
"""What the address of a page begins with, as a parameter has it."""
ASTRAY_SHARE = 0.1
"""Share of the links that only one of two pages has which a rule makes one, as far as it is known where they lead, that
may lead elsewhere, where a record has gaps. Chosen: a repository browser's wrong rule had 1, right ones 0."""


def _is_thin(candidate: Candidate) -> bool:
    """Whether a rule drops a parameter with whatever value, and few pages speak for it."""
    value = candidate.value if candidate.names and isinstance(candidate.value, list) else []
    return any(isinstance(one, str) for one in value) and 0 < candidate.evidence.agree < THIN


class Court:
    """Finds the guilty among the rules of a replay; `atoms` gives the conditions that hold for a page by its number."""

    def __init__(self, replay: Replay, proof: Proof, atoms: Callable[[int], frozenset[Atom]]) -> None:
        self.replay = replay
        self.proof = proof
        self.atoms = atoms
        self.forbidden: set[str] = set()
        self._remainder = Remainder(replay, atoms)
        self._forms: dict[int, Form] = {}
        self._listed: dict[str, bool] = {}
        self._settled: tuple[int, list[Candidate]] = -1, []

    def forbids(self, candidate: Candidate) -> bool:
        """Whether a rule was taken out before, or is for a view in which it was not left in force."""
        return signature(candidate) in self.forbidden or self._remainder.is_doubted(candidate)

    def settle(self) -> list[Candidate]:
        """Narrow or drop rules until a crawl under the rest meets everything; return those that were dropped."""
        dropped: list[Candidate] = []
        if self._is_settled():
            return dropped
        for _ in range(MAX_DROPPED):
            losses = self.proof.losses(self.replay.keys) if self.replay.accepted else []
            blamed, said = self._blamed(losses), "no longer meets {} pages"
            if not blamed:
                blamed, said = self._blind(), "hides ways of which too little was seen"
            if not blamed:
                if not (broken := self._broken()):
                    self._settled = self.replay.moves, list(self.replay.accepted)
                    break
                for candidate, losses in broken.items():
                    self._sentence(candidate, losses, "takes addresses for one of which one alone leads to errors")
                dropped += broken
                continue
            guilty = max(blamed, key=lambda c: (len(blamed[c]), -c.saved, str(c.value)))
            self._sentence(guilty, blamed[guilty], said)
            dropped.append(guilty)
        return dropped

    def _is_settled(self) -> bool:
        """Whether these very rules were looked at last, and nothing was found: each look is a crawl."""
        moves, rules = self._settled
        return moves == self.replay.moves and list(map(id, rules)) == list(map(id, self.replay.accepted))

    def _blind(self) -> dict[Candidate, list[Loss]]:
        """Return the rules of which a crawl that was cut short does not say enough.

        Their pages lead to many others, each page to its own, which were known otherwise this time, or never followed.
        What earlier crawls or the site itself have said is not asked again.
        """
        behind: dict[Candidate, list[Loss]] = {}
        total: dict[Candidate, Hidden] = {}
        hidden = self.proof.hidden(self.replay.keys) if self.replay.accepted else {}
        for (node, stand_in), found in hidden.items():
            for candidate in self.replay.movers(node, stand_in):
                if not candidate.earlier and candidate.family != DECLARED:
                    known = total.setdefault(candidate, Hidden([], [], set(), set()))
                    known.unseen.extend(found.unseen)
                    known.seen.extend(found.seen)
                    known.labels.update(found.labels)
                    known.by_luck.update(found.by_luck)
                    behind.setdefault(candidate, []).append(Loss(node, node, stand_in))
        blind = {c: losses for c, losses in behind.items() if self._is_blind(c, total[c])}
        if blind and not self.proof.has_gaps:
            blind = self._unexplained(blind, total)
        return blind or self._astray() or self._untold()

    def _astray(self) -> dict[Candidate, list[Loss]]:
        """Return the rules that make one what says the same and leads elsewhere; asked where the record has gaps, and
        where it was cut short of rules that few pages speak for.

        What it leads to may be met by luck there, and most of what lies behind is not on record.
        """
        found: dict[Candidate, list[Loss]] = {}
        ways = self.proof.ways(self.replay.keys)
        for candidate in self.replay.accepted:
            asked = self.proof.has_gaps or (not self.proof.is_finished and _is_thin(candidate))
            if asked and not candidate.earlier and candidate.family != DECLARED:
                pairs, apart, same = ways.apart(self.replay.moved(candidate))
                if apart > ASTRAY_SHARE * (apart + same):
                    found[candidate] = [Loss(node, node, stand_in) for node, stand_in in pairs]
        return found

    def _untold(self) -> dict[Candidate, list[Loss]]:
        """Return the rules that move data of which too many may have more behind them that never came."""
        found: dict[Candidate, list[Loss]] = {}
        for candidate in self.replay.accepted if self.proof.untold else ():
            if self.proof.is_untold(moved := self.replay.moved(candidate)):
                if not candidate.earlier and candidate.family != DECLARED:
                    found[candidate] = [Loss(node, node, -1) for node in sorted(moved & self.proof.untold)]
        return found

    def _broken(self) -> dict[Candidate, list[Loss]]:
        """Return the rules that make addresses in two folders one, whose relative links work in one of these alone.

        Whichever is met first is fetched: `/x` and `/x/` may show one page whose links are written for the second.
        """
        found: dict[Candidate, list[Loss]] = {}
        ways = self.proof.ways(self.replay.keys)
        for candidate in self.replay.accepted:
            if not candidate.earlier and candidate.family != DECLARED:
                broken, pairs = ways.broken(self.replay.moved(candidate))
                if len(broken) > max(1, ASTRAY_SHARE * pairs):
                    found[candidate] = [Loss(node, node, stand_in) for node, stand_in in broken]
        return found

    def _unexplained(
        self, blind: Mapping[Candidate, list[Loss]], total: Mapping[Candidate, Hidden]
    ) -> dict[Candidate, list[Loss]]:
        """Return those of which still too little is known without what the rules make one with what a crawl meets.

        What many pages speak for is believed of further ones, and so is what was proven on other installations; of what
        few speak for, as of a repository browser's hashes, that is a guess.
        """
        key = self.replay.normalizer(self.replay.accepted, "safe").key
        explained = self.proof.explained(self.replay.keys, key)
        found = {}
        for candidate, losses in blind.items():
            hidden = total[candidate]
            if candidate.evidence.agree >= THIN or candidate.proven or self._drops_sessions(candidate):
                labels = set() if all(map(explained.is_same, hidden.seen)) else hidden.labels
                unseen = explained.left(hidden.unseen, self.proof.parents, guessed=self._tells_the_way(candidate))
                hidden = hidden._replace(labels=labels, unseen=unseen)
            if self._is_blind(candidate, hidden):
                found[candidate] = losses
        return found

    def _drops_sessions(self, candidate: Candidate) -> bool:
        """Whether a rule drops what is in nearly every address of the site, as it says who comes.

        A crawl that begins another session at a few places meets the frame of the site alone under both: fewer pages
        than would speak for another rule, and all links of those pages have the session of their page.
        """
        return bool(candidate.names) and self.replay.site.sessions.issuperset(map(decoded, candidate.names))

    def _tells_the_way(self, candidate: Candidate) -> bool:
        """Whether what a rule drops says where one comes from, or who comes: addresses, and tokens, but not the keys of
        what pages list: the schools of a portal.
        """
        if self._drops_sessions(candidate):
            # one in thirty drawn by chance does not look like it
            return True
        keys = (self.replay.site.pages[node].key for node in self.replay.moved(candidate))
        items = (item.partition("=") for key in keys for item in key.partition("?")[2].split("&"))
        values = {decoded(value) for name, _, value in items if name in candidate.names}
        if not values or not all(value.startswith(WAYS_BACK) or is_volatile(value) for value in values):
            return False
        drawn = (name for name in candidate.names if any(map(is_volatile, values)))
        return not any(map(self._are_listed, drawn))

    def _are_listed(self, name: str) -> bool:
        """Ask of a parameter once: each round asks again, and it takes a look at all links."""
        if (known := self._listed.get(name)) is None:
            known = self._listed[name] = keys_are_listed(name, self.replay.site.pages)
        return known

    def _is_blind(self, candidate: Candidate, hidden: Hidden) -> bool:
        """Whether too much may lie behind what a rule makes one.

        Of what was not seen as much is known otherwise by luck alone as of what was (Laplace's estimate). What lists
        lead to says nothing of what the records behind them do, unless all that a rule takes away is the way back, or a
        token.
        """
        labels, parents = self.proof.labels, self.proof.parents
        tells_all = self._tells_the_way(candidate)

        def form_of(parent: int) -> Form:
            return frozenset() if tells_all else self._form_of(parent)

        seen: Counter[Form] = Counter()
        luck: dict[Form, set[int]] = defaultdict(set)
        for node in hidden.seen if hidden.unseen else ():
            seen[form := form_of(parents.get(node, -1))] += 1
            luck[form] |= {labels[node]} & hidden.by_luck
        # of all that was never requested each page has named many
        unseen = [(form_of(at), n) for at, n in Counter(parents.get(node, -1) for node in hidden.unseen).items()]
        expected = len(hidden.labels) + sum((len(luck[form]) + 1) / (seen[form] + 1) * n for form, n in unseen)
        return expected > BLIND_FEW + self.proof.blind_share * len(self.replay.moved(candidate))

    def _form_of(self, node: int) -> Form:
        """Return the form of the address of a page: its path, where segments may vary.

        A tracker's lists by other filters lead to what its lists lead to.
        """
        if (known := self._forms.get(node)) is None:
            atoms = self.atoms(node) if node >= 0 else ()
            paths = {atom.name for atom in atoms if atom.kind == "path"}
            open_ones = {path for path in paths if "*" in path and not path.endswith(BELOW)} - {FILES}
            known = self._forms[node] = frozenset(open_ones or paths)
        return known

    def _blamed(self, losses: Sequence[Loss]) -> dict[Candidate, list[Loss]]:
        """Return the losses that each rule is to blame for."""
        blamed: dict[Candidate, list[Loss]] = {}
        without: dict[int, Callable[[str], str]] = {}
        ends = [(loss.node, loss.stand_in) if loss.stand_in >= 0 else (loss.node,) for loss in losses]
        self.replay.credit({node for nodes in ends if not self.replay.movers(*nodes) for node in nodes})
        for n, (loss, nodes) in enumerate(zip(losses, ends, strict=True)):
            suspects = self.replay.movers(*nodes)
            if len(suspects) > 1 and n < ASKED:
                suspects = [c for c in suspects if self._parts(c, loss, without)] or suspects
            for candidate in suspects:
                blamed.setdefault(candidate, []).append(loss)
        return blamed

    def _parts(self, candidate: Candidate, loss: Loss, without: dict[int, Callable[[str], str]]) -> bool:
        """Whether the two addresses of a loss are two again without a rule."""
        key = without.get(id(candidate))
        if key is None:
            rest = [c for c in self.replay.accepted if c is not candidate]
            key = without[id(candidate)] = self.replay.normalizer(rest, "safe").key
        pages = self.replay.site.pages
        return key(pages[loss.node].key) != key(pages[loss.stand_in].key)

    def _sentence(self, guilty: Candidate, losses: Sequence[Loss], said: str) -> None:
        """Take a rule out, and what is left of it under one more condition in again."""
        replay = self.replay
        pages = replay.site.pages
        moved = replay.moved(guilty)
        bad = {node for loss in losses for node in (loss.node, loss.stand_in)} & moved
        classes = len({loss.label for loss in losses})
        guilty.status = REJECTED
        guilty.why += f"; but a crawl of the recorded links under it {said.format(classes)}"
        guilty.counterexamples = [
            (pages[loss.node].url, pages[loss.stand_in].url) for loss in losses[:3] if loss.stand_in >= 0
        ]
        self.forbidden.add(signature(guilty))
        alike = self._remainder.alike(moved)
        replay.remove(guilty)
        narrowed = self._remainder.of(guilty, moved, bad, alike)
        if narrowed is not None and not self.forbids(narrowed):
            trial = replay.trial(narrowed)
            if replay.accepts(trial, replay.least(narrowed)):
                replay.add(narrowed, trial)
