"""Rules on the scheme."""

from __future__ import annotations

from scrapy_urinorm.rules.declaration import LOSSY, Stage, rule
from scrapy_urinorm.rules.kinds import Choice


@rule(
    LOSSY,
    "http://a.example/",
    "https://a.example/",
    stage=Stage.SCHEME,
    kind=Choice(("keep", "http", "https"), inert="keep"),
    value="https",
    scope="site",
)
def scheme(scheme: str, *, to: str, port: str = "") -> str:
    """Give http and https URLs one scheme.

    Only URLs on a default port are folded: another port is another server. Safe where the site redirects one scheme
    to the other. (RFC 3986 6.2.3 keeps them apart; Nutch folds per host.)
    """
    return to if to != "keep" and not port and scheme in ("http", "https") else scheme
