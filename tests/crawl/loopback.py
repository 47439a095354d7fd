"""Every host name is 127.0.0.1, and nothing is asked of the network."""

from __future__ import annotations

import socket
from typing import Any

from scrapy.downloadermiddlewares import cookies
from scrapy.resolver import CachingThreadedResolver
from twisted.internet.defer import Deferred, succeed


class LoopbackResolver(CachingThreadedResolver):
    """For crawls with a Twisted reactor."""

    def getHostByName(self, name: str, timeout: Any = ()) -> Deferred[str]:  # noqa: N802  Twisted's name
        return succeed("127.0.0.1")


def resolve_all_to_loopback() -> None:
    """For crawls without one, and for anything else in the process that would look a name up."""
    original = socket.getaddrinfo

    def getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        return original("127.0.0.1", *args, **kwargs)

    socket.getaddrinfo = getaddrinfo


def read_the_bundled_suffixes() -> None:
    """Scrapy's cookies would download the public suffix list, and log a traceback where there is no network."""
    cookies._split_domain.suffix_list_urls = ()
