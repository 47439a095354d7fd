"""Rules on the host. They run first and are not allowed under `where`: the scope of a URL is its canonical host."""

from __future__ import annotations

from collections.abc import Mapping

from scrapy_urinorm.rules.declaration import LOSSY, USUALLY_SAFE, Stage, rule
from scrapy_urinorm.rules.kinds import Choice, Flag, Hosts, Names, NameTable
from scrapy_urinorm.suffixes import registrable_labels


@rule(
    USUALLY_SAFE, "http://a.example./x", "http://a.example/x", stage=Stage.HOST, kind=Flag(), value=True, scope="site"
)
def remove_trailing_dot(host: str, *, remove: bool) -> str:
    """Remove the dot that ends a fully qualified host name.

    DNS resolves both alike (RFC 1034 3.1); a few servers answer the dotted name with another virtual host.
    """
    return host[:-1] if remove and host.endswith(".") and len(host) > 1 and not host.endswith("..") else host


@rule(
    LOSSY,
    "http://192.0.2.1/x",
    "http://a.example/x",
    stage=Stage.HOST,
    kind=Hosts(),
    value={"192.0.2.1": "a.example"},
    scope="site",
)
def ip_hosts(host: str, *, names: Mapping[str, str]) -> str:
    """Replace IP addresses by the host names of a fixed map; nothing is ever looked up in DNS."""
    return names.get(host, host)


@rule(
    LOSSY,
    "http://mirror.example.net/x",
    "http://a.example/x",
    stage=Stage.HOST,
    kind=Hosts(),
    value={"mirror.example.net": "a.example"},
    scope="site",
)
def host_aliases(host: str, *, names: Mapping[str, str]) -> str:
    """Replace a host by the one that it is another name of.

    In a site or host table a list of aliases will do; elsewhere it is a table `{ alias = host }`. `*.example.net`
    stands for every subdomain; with `{ "*.m.example.net" = "*.example.net" }` each keeps its own labels. Cycles are
    an error when the file is loaded.
    """
    if host in names:
        return names[host]
    at = host.find(".")
    while at > 0:
        if (wild := "*" + host[at:]) in names:
            target = names[wild]
            return host[:at] + target[1:] if target.startswith("*.") else target
        at = host.find(".", at + 1)
    return host


@rule(LOSSY, "http://www2.a.example/", "http://www.a.example/", stage=Stage.HOST, kind=Flag(), value=True, scope="site")
def www_numbers(host: str, *, remove: bool) -> str:
    """Treat `www2.`, `www3.` ... as `www.`: numbered servers of one site.

    Not where `www2` is a site of its own, as on some government domains.
    """
    first, dot, rest = host.partition(".")
    if remove and dot and first[:3] == "www" and first[3:].isdigit() and first.isascii() and _may_cut(host):
        return "www." + rest
    return host


@rule(
    LOSSY,
    "http://www.a.example/",
    "http://a.example/",
    stage=Stage.HOST,
    kind=Choice(("keep", "remove", "add"), inert="keep"),
    value="remove",
    scope="site",
    act={"needs_of": lambda mode: ("www.",) if mode == "remove" else ()},
)
def www(host: str, *, mode: str) -> str:
    """Remove or add the label `www.`.

    Never cuts into a public suffix: `www.com` and `www.github.io` stay. `add` touches registrable domains only.
    """
    if mode == "remove":
        while host.startswith("www.") and _may_cut(host):
            host = host[4:]
    elif mode == "add" and not host.startswith("www.") and registrable_labels(host) == host.count(".") + 1:
        return "www." + host
    return host


@rule(
    LOSSY,
    "http://m.a.example/x",
    "http://a.example/x",
    stage=Stage.HOST,
    kind=Names(),
    value=["m", "mobile", "amp"],
    scope="site",
)
def remove_subdomains(host: str, *, names: NameTable) -> str:
    """Cut leading labels such as `m`, `mobile` or `amp` off the host, never into a public suffix."""
    first, dot, rest = host.partition(".")
    while dot and names[first] and _may_cut(host):
        host = rest
        first, dot, rest = host.partition(".")
    return host


def _may_cut(host: str) -> bool:
    """Whether the first label may go: what is left still holds a registrable domain (private suffixes count)."""
    labels = registrable_labels(host)
    return 0 < labels <= host.count(".")
