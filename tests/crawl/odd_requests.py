"""A spider whose requests carry what raises when it is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from scrapy import Request, Spider

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Response


class Loud:
    """Raises whatever is asked of it, but where it is copied or pickled."""

    __hash__ = None  # type: ignore[assignment]  # what Python itself does

    def _raise(self, *_: object) -> NoReturn:
        raise RuntimeError("loud")

    __repr__ = __str__ = __bool__ = __len__ = __iter__ = __eq__ = _raise


class NotCopied(Request):
    """A request that nobody can copy."""

    def replace(self, *_: Any, **__: Any) -> NoReturn:
        raise RuntimeError("loud")

    copy = replace


ODD: dict[str, dict[str, Any]] = {
    "rules that cannot be shown": {"meta": {"urinorm": {"rules": Loud()}}},
    "no rules at all": {"meta": {"urinorm": Loud()}},
    "redirects that are none": {"meta": {"redirect_urls": [Loud()], "redirect_reasons": Loud()}},
    "redirects that are no list": {"meta": {"redirect_urls": Loud()}},
    "a long number": {"meta": {"n": 10**5000}},
    "a high priority": {"priority": 10**30},
    "a low priority": {"priority": -(10**30)},
    "an object": {"meta": {"object": Loud()}, "cb_kwargs": {}},
    "a referer of no encoding": {"headers": {"Referer": b"\xff\xfe\x00"}},
    "not copied": {},
}


class Odd(Spider):
    """Requests three spellings of a page for each oddity; the first of them is missing. Then it goes on."""

    name = "odd"

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"page": response.css("title::text").get()}
        for number, (name, given) in enumerate(ODD.items()):
            kind: Any = NotCopied if name == "not copied" else Request
            for sid in (1, 2, 3):
                url = response.urljoin(f"/p{number}?sid={sid}")
                yield kind(url, self.parse_page, **{k: dict(v) if k == "meta" else v for k, v in given.items()})
        yield response.follow("/last", self.parse_page)

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield {"page": response.css("title::text").get()}
        yield response.follow("/more", self.parse_page, dont_filter=False)
