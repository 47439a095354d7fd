"""What a list of URLs says about its sites: the start of a rule file, as comments for a person to decide on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.importers.document import toml_text, toml_value
from scrapy_urinorm.importers.facets import FacetCount
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.rules.kinds import NameTable
from scrapy_urinorm.rulesets.platforms import pack
from scrapy_urinorm.rulesets.schema import SCHEMA_ID
from scrapy_urinorm.url import Item, decoded, path_key, query_items, split
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from scrapy_urinorm.recognition import Found

# bounds of memory, far above what a reader of the survey looks at: values of a name, names, paths of a site, and so on
_MAX_VALUES = 1000
_MAX_COUNTED = 500
_MAX_PATHS = 20_000
_MAX_NAMES = 30
_MAX_FORMS = 2_000
_MAX_SHOWN = 5
_MIN_ADDRESSES, _MAX_ADDRESSES = 25, 100
_PORT = re.compile(r":\d+$")
_INDEX = re.compile(r"(?:index|default|home)\.[A-Za-z0-9]{2,5}").fullmatch
_TOKEN = re.compile(r"[0-9a-fA-F]{16,}|[0-9A-Za-z_-]{22,}").fullmatch
_VIEW = {"sort", "order", "orderby", "sortby", "dir", "direction", "view", "display", "layout", "print", "style"}


class SurveyedSite:
    """What was seen of one site, `www.` aside; every count is bounded."""

    def __init__(self) -> None:
        self.urls = 0
        self.hosts: Counter[str] = Counter()
        self.schemes: Counter[str] = Counter()
        self.indexes: Counter[str] = Counter()
        self.params: dict[str, tuple[Counter[str], list[int]]] = {}
        self._paths: dict[str, int] = {}
        self._facets = FacetCount()
        self._forms: dict[str, dict[str, set[str]]] = {}

    def add(self, scheme: str, host: str, path: str, query: str | None) -> None:
        """Count a URL."""
        self.urls += 1
        self.hosts[host] += 1
        self.schemes[scheme] += 1
        last = path.rpartition("/")[2]
        if _INDEX(last):
            self.indexes[last] += 1
        if len(self._paths) < _MAX_PATHS or path.rstrip("/") in self._paths:
            bare = path.rstrip("/")
            self._paths[bare] = self._paths.get(bare, 0) | (2 if path.endswith("/") else 1)
        items = query_items(query) if query else []
        for name, value in items:
            shown, text = decoded(name), decoded(value)
            if len(self.params) >= _MAX_COUNTED and shown not in self.params:
                continue
            values, count = self.params.setdefault(shown, (Counter(), [0]))
            count[0] += 1
            if len(values) < _MAX_VALUES or text in values:
                values[text] += 1
        if query:
            self._add_endless(path_key(path), items)

    def _add_endless(self, path: str, items: list[Item]) -> None:
        self._facets.add(path, [item for item in items if item[1]])
        for name, value in items:
            # a form that carries the page that it came from
            if value[:3] == "%2F" or value[:4] == "http":
                form = self._forms.setdefault(path, {}) if len(self._forms) < _MAX_FORMS else self._forms.get(path, {})
                known = form.setdefault(name, set())
                if len(known) < _MAX_ADDRESSES:
                    known.add(value)

    def endless(self) -> list[tuple[str, dict[str, Any]]]:
        """`where` tables that end what multiplies, each with what was seen: log-in forms, then filters."""
        forms = sorted(
            ((len(values), path, decoded(name)) for path, form in self._forms.items() for name, values in form.items()),
            reverse=True,
        )
        return [
            *(
                (f"{count:,}{'+' * (count >= _MAX_ADDRESSES)} values of `{name}` that are addresses", table)
                for count, path, name in forms[:_MAX_SHOWN]
                if count >= _MIN_ADDRESSES and "*" not in path
                for table in [{"path": path, "remove_params": [name]}]
            ),
            *((str(facets), facets.table()) for facets in self._facets.found()[:_MAX_SHOWN]),
        ]

    @property
    def twins(self) -> int:
        """Paths that were seen with and without a slash at the end."""
        return sum(both == 3 for bare, both in self._paths.items() if bare)


def survey(urls: Iterable[str], sites: dict[str, SurveyedSite] | None = None) -> dict[str, SurveyedSite]:
    """Count URLs by site; those that rules do not apply to are left out."""
    sites = {} if sites is None else sites
    for text in urls:
        url = split(text)
        if url is not None and url.host:
            # a link to nowhere, as in `http://www.`, has no name behind it
            site = sites.setdefault(url.host.removeprefix("www.") or url.host, SurveyedSite())
            site.add(url.scheme, url.host, url.path, url.query)
    return sites


def starter(sites: dict[str, SurveyedSite], limit: int, programs: Iterable[Found] = ()) -> str:
    """The text of a rule file for the `limit` largest sites, in which every rule is still a comment.

    What `programs` were recognized is said by name; of a pack only the lines act that have been proved.
    """
    packs: dict[str, list[Found]] = {}
    for found in programs:
        packs.setdefault(_PORT.sub("", found.site).removeprefix("www."), []).append(found)
    preset = Normalizer().ruleset.everywhere
    removed = NameTable(tuple(n for layer in preset for n in layer.body.rules.get("remove_params", ())))
    total = sum(site.urls for site in sites.values())
    lines = [
        f"#:schema {SCHEMA_ID}",
        "# Rules for scrapy-urinorm. A comment that looks like a rule is a proposal: remove the `# ` when it is right.",
        "# `urinorm rules` lists all rules, `urinorm check` finds mistakes, `urinorm groups` shows what becomes one.",
        'preset = "recommended"',
    ]
    ranked = sorted(sites.items(), key=lambda item: (-item[1].urls, item[0]))
    if ranked:
        more = f"; the {limit} largest of {len(ranked):,}" if len(ranked) > limit else ""
        lines.insert(3, f"# Made from {_urls(total)} of {len(ranked):,} site{'s' if len(ranked) > 1 else ''}{more}.")
    else:
        lines += ["", "[rules]", '# remove_params = ["ref"]']
        lines += ["", '# [site."shop.example.com"]', '# www = "remove"', '# default_params = { page = "1" }']
    for name, site in ranked[:limit]:
        lines += ["", f"# {name}: {_urls(site.urls)}", f"[site.{toml_text(name)}]", *_platform(packs.get(name, ()))]
        lines += [*_proposals(name, site, removed), *_endless(name, site)]
    return "\n".join(lines) + "\n"


def _endless(name: str, site: SurveyedSite) -> list[str]:
    lines = []
    for seen, table in site.endless():
        said = [f"{key} = {toml_value(value)}" for key, value in table.items()]
        lines += ["#", f"# [[site.{toml_text(name)}.where]]  # {seen}", *(f"# {line}" for line in said)]
    return lines


def _platform(found: Sequence[Found]) -> list[str]:
    if not found:
        return []
    marks = ", ".join(dict.fromkeys(mark for one in found for mark in one.marks))
    of_program = [one for one in found if not pack(one.platform).anywhere]
    lines = [f"# recognized by {marks}"]
    if of_program:
        lines.append(f"platform = {_settings(of_program)}")
    if common := [one for one in found if one not in of_program]:
        # what is of no program is a proposal
        what = ", ".join(pack(one.platform).title.lower() for one in common)
        lines.append(f"# platform = {_settings([*of_program, *common])}  # {what}")
    return lines


def _settings(found: Sequence[Found]) -> str:
    said = [setting_of(one) for one in found]
    return toml_value(said[0] if len(said) == 1 else said)


def setting_of(found: Found) -> str | dict[str, str]:
    """What the key `platform` of a table says of a program."""
    return found.platform if found.path == "/" else {"name": found.platform, "path": found.path}


def _proposals(name: str, site: SurveyedSite, removed: NameTable) -> list[str]:
    lines = []
    if len({"http", "https"} & site.schemes.keys()) == 2:
        plain, safe = (_urls(site.schemes[scheme]) for scheme in ("http", "https"))
        lines.append(f'# scheme = "https"  # {plain} with http, {safe} with https')
    if f"www.{name}" in site.hosts and name in site.hosts:
        with_www, without = (_urls(site.hosts[host]) for host in (f"www.{name}", name))
        lines.append(f'# www = "remove"  # {with_www} with www., {without} without')
    if site.twins:
        paths = "1 path was" if site.twins == 1 else f"{site.twins:,} paths were"
        lines.append(f'# trailing_slash = "remove"  # {paths} seen with and without it')
    if site.indexes:
        names = [n for n, _ in site.indexes.most_common(5)]
        lines.append(f"# directory_index = {toml_value(names)}  # {_urls(site.indexes.total())}")
    return lines + _parameters(site, removed)


def _urls(number: int) -> str:
    return count(number, "URL")


def _parameters(site: SurveyedSite, removed: NameTable) -> list[str]:
    rows = sorted(site.params.items(), key=lambda item: -item[1][1][0])[:_MAX_NAMES]
    if not rows:
        return []
    notes = {name: note for name, (values, _) in rows if (note := _note(name, values, removed))}
    lines = []
    if proposed := [name for name, note in notes.items() if note.endswith("?")]:
        lines.append(f"# remove_params = {toml_value(proposed)}")
    lines.append("# parameters: share of the URLs, different values, the most frequent")
    width = min(max(len(toml_text(n)) for n, _ in rows), 30)
    for name, (values, met) in rows:
        number = f"{len(values):,}{'+' if len(values) >= _MAX_VALUES else ''}"
        common = ", ".join(toml_text(v[:30]) for v, _ in values.most_common(3))
        note = f"  ({notes[name]})" if name in notes else ""
        lines.append(f"#   {toml_text(name):<{width}} {met[0] / site.urls:>6.1%} {number:>7}  {common}{note}")
    return lines


def _note(name: str, values: Counter[str], removed: NameTable) -> str:
    """What a name or its values suggest; questions are proposals."""
    if all(removed.removes(name, value) for value in list(values)[:20]):
        return "the preset removes it"
    if all(map(_TOKEN, list(values)[:20])):
        return "a session id?"
    if name.lower() in _VIEW:
        return "the same content in another order or dress?"
    return ""
