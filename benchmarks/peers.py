"""What a user would pick instead, each called as its documentation says; one that is not installed is left out."""

from __future__ import annotations

import functools
import importlib
import warnings
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Contestant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: The distributions that are compared (the extra ``bench``).
PACKAGES = (
    "scrapy", "w3lib", "can_ada", "duplicate-url-discarder", "duplicate-url-discarder-rules", "ada-url", "courlan",
    "hyperlink", "rfc3986", "surt", "ural", "url-normalize", "url-py", "urlcanon", "yarl",
)  # fmt: skip


def installed() -> tuple[dict[str, str], list[str]]:
    """The versions of what is compared, and the names of what is not installed."""
    found, missing = {}, []
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            missing.append(name)
    return found, missing


def _module(name: str) -> Any:
    with warnings.catch_warnings():
        # what a peer warns of on import is its own affair
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except ImportError:
            return None


def _total(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that refuses some URLs: a refusal is its answer."""

    def call(url: Any) -> Any:
        try:
            return function(url)
        except Exception:  # noqa: BLE001  a peer's own errors are many
            return None

    return call


def requests(urls: Sequence[str]) -> Sequence[Any]:
    """Fresh requests."""
    from scrapy import Request

    return [Request(url) for url in urls]


def used_requests(fingerprint: Callable[[Any], Any], urls: Sequence[str]) -> Sequence[Any]:
    """Requests that have been asked for their fingerprint before."""
    made = requests(urls)
    for request in made:
        fingerprint(request)
    return made


def scrapy_fingerprinter() -> Any:
    """Scrapy's own fingerprinter."""
    from scrapy.utils.request import RequestFingerprinter

    return RequestFingerprinter()


def dud_fingerprinter() -> Any | None:
    """The fingerprinter of duplicate-url-discarder with all rules of its rules package."""
    module = _module("duplicate_url_discarder")
    rules = _module("duplicate_url_discarder_rules")
    if module is None or rules is None:
        return None
    _stay_offline()
    from scrapy.spiders import Spider
    from scrapy.utils.test import get_crawler

    crawler = get_crawler(Spider, {"DUD_LOAD_RULE_PATHS": list(rules.RULE_PATHS), "TWISTED_REACTOR": None})
    return module.Fingerprinter.from_crawler(crawler)


def normalizers() -> Iterator[Contestant]:
    """Functions from a URL to a normalized one; can_ada's bare parse is the floor."""
    _stay_offline()
    for name, module_name, make, refuses in _FUNCTIONS:
        module = _module(module_name)
        if module is not None:
            function = make(module)
            made = _total(function) if refuses else function
            yield Contestant(name, lambda made=made: made)  # type: ignore[misc]  # mypy takes no default of a lambda


def _stay_offline() -> None:
    """Let peers that ask for public suffixes read the bundled list: by default they fetch a newer one."""
    from tldextract import TLDExtract, tldextract

    tldextract.TLD_EXTRACTOR = TLDExtract(suffix_list_urls=(), cache_dir=None)


def _named(path: str) -> Callable[[Any], Callable[[Any], Any]]:
    return lambda module: functools.reduce(getattr, path.split("."), module)


# name, module, how its function is made, whether it refuses some of the URLs
_FUNCTIONS: list[tuple[str, str, Callable[[Any], Callable[[Any], Any]], bool]] = [
    ("can_ada parse", "can_ada", _named("parse"), True),
    ("ada_url", "ada_url", _named("normalize_url"), True),
    ("url-py (parse and print)", "url", lambda module: lambda url: str(module.URL.parse(url)), True),
    ("yarl", "yarl", lambda module: lambda url: str(module.URL(url)), True),
    ("w3lib", "w3lib.url", _named("canonicalize_url"), True),
    ("courlan", "courlan", _named("normalize_url"), True),
    ("hyperlink", "hyperlink", lambda module: lambda url: module.parse(url).normalize().to_text(), True),
    ("rfc3986", "rfc3986", _named("normalize_uri"), True),
    ("ural", "ural", _named("canonicalize_url"), True),
    ("surt", "surt", _named("surt"), True),
    ("url-normalize", "url_normalize", _named("url_normalize"), True),
    ("urlcanon", "urlcanon", lambda module: lambda url: str(module.whatwg(url)), True),
]
