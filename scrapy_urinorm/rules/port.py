"""Rules on the port; a default port is always absent (RFC 3986 6.2.3)."""

from __future__ import annotations

from scrapy_urinorm.rules.declaration import LOSSY, Stage, rule
from scrapy_urinorm.rules.kinds import Ports


@rule(LOSSY, "http://a.example:8080/", "http://a.example/", stage=Stage.PORT, kind=Ports(), value=[8080], scope="site")
def remove_ports(port: str, *, ports: frozenset[int]) -> str:
    """Remove the named ports: the same server answers on the default port."""
    return "" if port and int(port) in ports else port
