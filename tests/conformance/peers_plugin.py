"""pytest plugin of the peers' run: what a peer's own tests put into its normalization, and what came out.

The functions work as ever; a call that another recorded call makes is not written down. The suite is named by
URINORM_PEERS_SUITE, and the records go to URINORM_PEERS_RECORDS, a JSON line each.
"""
# ruff: noqa: E501  a row of a table is a line

from __future__ import annotations

import functools
import importlib
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


class Operation(NamedTuple):
    """A function or method of a peer.

    ``read`` has its arguments, before the call, and gives the URL, and options where a counterpart depends on them;
    ``write`` has the object of the first argument, and the result, and gives a URL.
    """

    name: str
    target: str
    read: Callable[..., Any]
    write: Callable[[Any, Any], Any] = lambda _, result: result


def first(url: Any, *args: Any, **options: Any) -> Any:
    """Read a function of a URL; what else it was given are options, by position as `1`, `2` ..."""
    return url, {**{str(n): value for n, value in enumerate(args, 1)}, **options}


def reference(url: Any, base: Any) -> Any:
    return url, {"base": base}


def discarder(url: str, *processors: tuple[Any, Any]) -> Any:
    """Read duplicate-url-discarder: the processors and their patterns, as its rule files have them."""
    names = {
        "QueryRemovalProcessor": "queryRemoval",
        "QueryRemovalExceptProcessor": "queryRemovalExcept",
        "SubpathRemovalProcessor": "subpathRemoval",
        "NormalizerProcessor": "normalizer",
    }
    rows = [
        {
            "processor": names[type(processor).__name__],
            "args": list(processor.args),
            "order": order,
            "urlPattern": {"include": list(pattern.include or []), "exclude": list(pattern.exclude or [])}
            if pattern
            else {"include": []},
        }
        for order, (processor, pattern) in enumerate(processors)
    ]
    return url, {"rules": rows}


def of_canonicalizer(peer: Any, url: str) -> Any:
    return discarder(url, *((one, peer.url_matcher.patterns[n]) for n, one in peer.processors.items()))


def password(url: Any) -> str:
    return str(url.to_text(with_password=True))


DISCARDER = "duplicate_url_discarder.processors"
OPERATIONS: dict[str, list[Operation]] = {
    "w3lib": [
        Operation("canonicalize_url", "w3lib.url:canonicalize_url", first),
        Operation("safe_url_string", "w3lib.url:safe_url_string", first),
        Operation("url_query_cleaner", "w3lib.url:url_query_cleaner", first),
    ],
    "url-normalize": [Operation("url_normalize", "url_normalize.url_normalize:url_normalize", first)],
    "courlan": [
        Operation("normalize_url", "courlan.clean:normalize_url", first),
        Operation("clean_url", "courlan.clean:clean_url", first),
        Operation("fix_relative_urls", "courlan.urlutils:fix_relative_urls", lambda base, url: reference(url, base)),
    ],
    "hyperlink": [
        Operation("normalize", "hyperlink:URL.normalize", lambda url, **o: (password(url), o), lambda _, r: password(r)),
        Operation("to_uri", "hyperlink:URL.to_uri", lambda url: (password(url), {}), lambda _, r: password(r)),
        Operation(
            "click",
            "hyperlink:URL.click",
            lambda url, href="": reference(href if isinstance(href, str) else password(href), password(url)),
            lambda _, r: password(r),
        ),
    ],
    "rfc3986": [
        Operation("normalize_uri", "rfc3986.api:normalize_uri", first),
        Operation(
            "normalize",
            "rfc3986.uri:URIReference.normalize",
            lambda uri: (uri.unsplit(), {}),
            lambda _, r: r.unsplit(),
        ),
        Operation(
            "normalize_host",
            "rfc3986.normalizers:normalize_host",
            lambda host: (host and f"http://{host}/", {}),
            lambda _, r: r and f"http://{r}/",
        ),
        Operation(
            "remove_dot_segments",
            "rfc3986.normalizers:remove_dot_segments",
            lambda path: (f"http://a.example{path}" if path.startswith("/") else None, {}),
            lambda _, r: f"http://a.example{r}",
        ),
        Operation(
            "resolve_with",
            "rfc3986.uri:URIReference.resolve_with",
            lambda uri, base, **_: reference(uri.unsplit(), base if isinstance(base, str) else base.unsplit()),
            lambda _, r: r.unsplit(),
        ),
    ],
    "yarl": [
        Operation(
            "URL",
            "yarl:URL.__new__",
            lambda _, url="", **options: (url if isinstance(url, str) else None, options),
            lambda _, result: str(result),
        ),
        Operation("join", "yarl:URL.join", lambda url, other: reference(str(other), str(url)), lambda _, r: str(r)),
    ],
    "furl": [
        Operation("furl", "furl:furl.__init__", lambda _, url="", *a, **o: (url, {**first(url, *a, **o)[1]}), lambda self, _: self.url),
        Operation(
            "Path.normalize",
            "furl:Path.normalize",
            lambda path: (f"http://a.example{path}" if str(path).startswith("/") else None, {}),
            lambda _, r: f"http://a.example{r}",
        ),
        Operation("join", "furl:furl.join", lambda url, *urls: reference(urls[0] if len(urls) == 1 else None, url.url), lambda _, r: r.url),
    ],
    "boltons": [
        Operation("normalize", "boltons.urlutils:URL.normalize", lambda url, **o: (url.to_text(), o), lambda url, _: url.to_text()),
        Operation("navigate", "boltons.urlutils:URL.navigate", lambda url, dest: reference(dest, url.to_text()), lambda _, r: r.to_text()),
    ],
    "urllib3": [Operation("parse_url", "urllib3.util.url:parse_url", first, lambda _, r: r.url)],
    "ada-url": [
        Operation("URL", "ada_url:URL.__init__", lambda _, url, base=None: (url, {"base": base} if base else {}), lambda self, _: self.href),
        Operation("normalize_url", "ada_url:normalize_url", first),
        Operation("join_url", "ada_url:join_url", lambda base, url: reference(url, base)),
    ],
    "duplicate-url-discarder": [
        Operation("process_url", "duplicate_url_discarder.url_canonicalizer:UrlCanonicalizer.process_url", of_canonicalizer),
        *(
            Operation(name, f"{DISCARDER}:{name}.process", lambda peer, url: discarder(url, (peer, None)))
            for name in ("QueryRemovalProcessor", "QueryRemovalExceptProcessor", "SubpathRemovalProcessor", "NormalizerProcessor")
        ),
    ],
}  # fmt: skip

records: dict[str, None] = {}
depth = 0


def text_of(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def note(operation: Operation, read: Any, output: Any, error: str | None) -> None:
    url, options = read
    if text_of(url) is None:
        return
    row = {"operation": operation.name, "input": url, "options": options, "output": text_of(output), "error": error}
    # the same call made by many tests is one record
    records.setdefault(json.dumps(row, default=repr, sort_keys=True))


def recorded(operation: Operation, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        global depth
        if depth:
            return function(*args, **kwargs)
        depth += 1
        try:
            try:
                read = operation.read(*args, **kwargs)
            except Exception:  # noqa: BLE001  a wrong call is what some tests are about
                read = (None, {})
            try:
                result = function(*args, **kwargs)
            except Exception as error:
                note(operation, read, None, type(error).__name__)
                raise
            try:
                output = operation.write(args[0], result)
            except Exception as error:  # noqa: BLE001  so is a result without text
                note(operation, read, None, type(error).__name__)
            else:
                note(operation, read, output, None)
            return result
        finally:
            depth -= 1

    return wrapper


def install(operation: Operation) -> None:
    """Put the wrapper where the function is, and wherever its package has imported it already."""
    module_name, _, path = operation.target.partition(":")
    owner: Any = importlib.import_module(module_name)
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    original = getattr(owner, name)
    wrapper = recorded(operation, original)
    if parents:
        setattr(owner, name, staticmethod(wrapper) if name == "__new__" else wrapper)
        return
    package = module_name.partition(".")[0]
    for loaded_name, loaded in list(sys.modules.items()):
        if loaded_name.partition(".")[0] == package:
            for attribute, value in list(vars(loaded).items()):
                if value is original:
                    setattr(loaded, attribute, wrapper)


def pytest_configure(config: pytest.Config) -> None:
    for operation in OPERATIONS[os.environ["URINORM_PEERS_SUITE"]]:
        install(operation)


def pytest_sessionfinish(session: pytest.Session) -> None:
    Path(os.environ["URINORM_PEERS_RECORDS"]).write_text("".join(f"{row}\n" for row in records), encoding="utf-8")
