"""Rules on the userinfo."""

from __future__ import annotations

from scrapy_urinorm.rules.declaration import LOSSY, Stage, rule
from scrapy_urinorm.rules.kinds import Flag


@rule(
    LOSSY,
    "http://user:secret@a.example/",
    "http://a.example/",
    stage=Stage.USERINFO,
    kind=Flag(),
    value=True,
    scope="site",
    act={"gone": True},
)
def remove_userinfo(userinfo: str, *, remove: bool) -> str:
    """Remove user name and password.

    Right where they only log in and do not select the content (RFC 3986 3.2.1 calls them deprecated).
    """
    return "" if remove else userinfo
