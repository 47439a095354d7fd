"""Fixtures of the crawl tests: one web server on loopback for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.site import SiteServer

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteServer]:
    """A web server for any number of sites."""
    with SiteServer(tmp_path_factory.mktemp("server")) as server:
        yield server
        server.shutdown()
