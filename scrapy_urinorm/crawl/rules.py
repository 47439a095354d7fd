"""The rules of a crawl: where they come from, and the one normalizer of a crawler."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy.utils.conf import closest_scrapy_cfg
from scrapy.utils.misc import load_object

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.start_errors import said_readably
from scrapy_urinorm.errors import RuleFileError
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.rulesets.sources import RULE_FILE

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

_normalizers: WeakKeyDictionary[Crawler, Normalizer] = WeakKeyDictionary()
_under_test: WeakKeyDictionary[Crawler, list[dict[str, Any]]] = WeakKeyDictionary()


class NamedRules(dict[str, Any]):
    """Rules given as a dict, with the name of the place that gave them, for messages."""

    def __init__(self, rules: Any, name: str):
        super().__init__(rules.items())
        self.name = name


def rule_sources(settings: BaseSettings, spidercls: type) -> list[Any]:
    """The sources of the rules of a project and a spider, in the order of merging."""
    given = own.value(settings, "URINORM_RULES")
    if isinstance(given, str) and given.lstrip()[:1] == "{":
        try:
            given = json.loads(given)
        except ValueError as error:
            raise ValueError(f"URINORM_RULES: not JSON: {error}") from None
    if given is None or given == "":
        sources: list[Any] = []
        cfg = closest_scrapy_cfg()
        beside = Path(cfg).parent / RULE_FILE if cfg else Path(RULE_FILE)
        if cfg and beside.exists():
            sources.append(str(beside))
    elif isinstance(given, (list, tuple)):
        sources = [_located(source) for source in given]
    else:
        sources = [_located(given)]
    of_spider = getattr(spidercls, "urinorm_rules", None)
    if of_spider is not None:
        spider = f"urinorm_rules of {spidercls.__name__}"
        several = of_spider if isinstance(of_spider, (list, tuple)) else [of_spider]
        sources += [_located(source, spider) for source in several]
    return sources


def _located(source: Any, name: str = "URINORM_RULES") -> Any:
    """A source that the loader takes: a dict with its name, a path as it is or beside scrapy.cfg where it is there."""
    if hasattr(source, "items"):
        return NamedRules(source, name)
    if isinstance(source, Path):
        source = str(source)
    if not isinstance(source, str):
        raise ValueError(f"{name}: {source!r} is neither a path nor a dict, nor a list of these")
    if not Path(source).exists() and not Path(source).is_absolute():
        cfg = closest_scrapy_cfg()
        if cfg and (beside := Path(cfg).parent / source).exists():
            return str(beside)
    return source


def make_normalizer(settings: BaseSettings, spidercls: type) -> Normalizer:
    """The normalizer that settings and a spider class ask for; raises RuleFileError with every problem."""
    preset = own.text(settings, "URINORM_PRESET") or None
    try:
        return Normalizer(RuleSet.load(*rule_sources(settings, spidercls), preset=preset))
    except RuleFileError as error:
        origin = "URINORM_RULES, urinorm.toml, urinorm_rules of the spider"
        raise RuleFileError(error.problems, origin if preset is None else f"URINORM_PRESET, {origin}") from None


def normalizer_of(crawler: Crawler) -> Normalizer:
    """The one normalizer of a crawler, made and announced on first use; its rules stay as they are until the end.

    Learned rules that live rules test are none of its rules.
    """
    normalizer = _normalizers.get(crawler)
    if normalizer is None:
        with said_readably():
            own.require_extras(crawler.settings)
            normalizer = make_normalizer(crawler.settings, crawler.spidercls)
            _is_not_written_over(crawler.settings, normalizer.ruleset.files)
            if _are_tested(crawler.settings):
                from scrapy_urinorm.live.learned import set_aside  # brings the learner

                left, rows = set_aside(normalizer.ruleset)
                try:
                    normalizer, _under_test[crawler] = Normalizer(left), rows
                except RuleFileError:
                    own.logger.warning("Live rules do not test learned rules: `examples` of yours hold by these alone")
            _normalizers[crawler] = normalizer
        for name, meant in own.misspelt(crawler.settings):
            hint = f": did you mean {meant}?" if meant else ""
            own.logger.warning("%s is not a setting of scrapy-urinorm%s", name, hint)
        rules = normalizer.ruleset
        files = ", ".join(rules.files) or "none"
        own.logger.info(
            "Rules: preset %s; files: %s; rules: %d; sites: %d; digest: %s",
            *(rules.preset, files, rules.count(), len(rules.sites) + len(rules.hosts), rules.digest()),
        )
    return normalizer


def under_test(crawler: Crawler) -> list[dict[str, Any]]:
    """The learned rules of a crawler that live rules test, as rows of evidence."""
    normalizer_of(crawler)
    return _under_test.get(crawler, [])


def _are_tested(settings: BaseSettings) -> bool:
    """Whether live rules can test learned ones: in a fleet they hold for all workers, tested or not."""
    if not own.switch(settings, "URINORM_LIVE") or not own.switch(settings, "URINORM_LIVE_TEST"):
        return False
    ours = getattr(load_object(settings["SCHEDULER"]), "of_fleet", None) is False
    return ours and not settings.getint("DEPTH_LIMIT")


def _is_not_written_over(settings: BaseSettings, files: Iterable[str]) -> None:
    """Raise ValueError where live rules would write what they find in the place of rules that are in force."""
    output = own.text(settings, "URINORM_LIVE_OUTPUT") if own.switch(settings, "URINORM_LIVE") else ""
    if output and Path(output).resolve() in map(Path.resolve, map(Path, files)):
        raise ValueError(
            f"URINORM_LIVE_OUTPUT: {output}: has rules of this crawl, and would be written over: name another"
        )
