"""Where a Redis store is: on the server of a URL, or on the one that Sentinels or the nodes of a cluster name now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

if TYPE_CHECKING:
    import redis as redis_py

SCHEMES = (
    "redis", "rediss", "unix", "redis+sentinel", "rediss+sentinel", "redis+cluster", "rediss+cluster",
)  # fmt: skip
_SENTINEL_PORT, _PORT = 26379, 6379  # those that Redis takes where none is said
_SLOTS = 16_384  # of every cluster (Redis cluster specification)


def is_redis(place: str) -> bool:
    """Whether a text is the address of a Redis store."""
    return place.partition("://")[0] in SCHEMES and "://" in place


class RedisAddress:
    """The address of a store. `moves` says that another server may have it after a failure.

    `redis+sentinel://[USER:PASSWORD@]HOST[:PORT],.../SERVICE[/DB]`: Sentinels, asked in turn for the primary of a
    service; `sentinel_username` and `sentinel_password` in the query are theirs. `redis+cluster://HOST[:PORT],...`:
    nodes of a cluster, where a store has one slot: its keys have the `prefix` as their hash tag. `rediss+...` is TLS.
    All else is a URL of redis-py, whose options the others take, too. Raises ValueError for one that cannot be.
    """

    def __init__(self, url: str, prefix: str) -> None:
        parts = urlsplit(url)
        self.scheme, _, self._way = parts.scheme.partition("+")
        self.moves = bool(self._way)
        self.prefix = f"{{{prefix}}}" if self._way == "cluster" and "{" not in prefix else prefix
        user, _, hosts = parts.netloc.rpartition("@")
        self.place = f"{parts.scheme}://{hosts}{parts.path} ({prefix})"
        """The address without user and password, and the prefix."""
        self._url = url
        self._user = f"{user}@" if user else ""
        self._hosts = [self._host(one) for one in hosts.split(",")] if self.moves else []
        self._query = dict(parse_qsl(parts.query))
        if "decode_responses" in self._query:
            raise ValueError("the option decode_responses has to go: a store holds octets, and no texts")
        self._of_sentinels = {
            name: self._query.pop(f"sentinel_{name}", None) for name in ("username", "password")
        }  # fmt: skip
        self._service, _, self._database = parts.path.strip("/").partition("/")
        self._service = unquote(self._service)
        if self._way == "sentinel" and not self._service:
            raise ValueError("which service? redis+sentinel://HOST:26379/SERVICE/0")

    def _host(self, text: str) -> tuple[str, int]:
        parts = urlsplit(f"//{text}")
        if not parts.hostname:
            raise ValueError(f"no host in {text!r}")
        return parts.hostname, parts.port or (_SENTINEL_PORT if self._way == "sentinel" else _PORT)

    def client(self, **options: Any) -> redis_py.Redis:
        """Return a client of the server that has the store now. Raises redis-py's errors where none can be found."""
        import redis

        if not self.moves:
            return redis.Redis.from_url(self._url, **options)
        found = self._found(options)
        return redis.Redis.from_url(self._url_of(*found, f"/{self._database or 0}", self._user), **options)

    def _url_of(self, host: str, port: int, path: str = "", user: str = "") -> str:
        name = f"[{host}]" if ":" in host else host
        path = "" if self._way == "cluster" else path
        return f"{self.scheme}://{user}{name}:{port}{path}?{urlencode(self._query)}"

    def _found(self, options: dict[str, Any]) -> tuple[str, int]:
        """Ask one after the other who has the store."""
        import redis

        failed = []
        for number, (host, port) in enumerate(self._hosts):
            try:
                found = self._asked(host, port, options)
            except redis.AuthenticationError:
                raise
            except (redis.RedisError, OSError) as error:
                failed.append(f"{host}:{port}: {error}")
                continue
            if found is not None:
                # who has answered is asked first the next time
                self._hosts.insert(0, self._hosts.pop(number))
                return found
            failed.append(f"{host}:{port} knows no primary{f' of {self._service!r}' if self._service else ''}")
        raise redis.ConnectionError("; ".join(failed))

    def _asked(self, host: str, port: int, options: dict[str, Any]) -> tuple[str, int] | None:
        import redis

        if self._way == "sentinel":
            with redis.Redis.from_url(self._url_of(host, port), **options, **self._of_sentinels) as sentinel:
                answer: Any = sentinel.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._service)
            return None if answer is None else (_text(answer[0]), int(answer[1]))
        from redis.crc import key_slot

        slot = key_slot(self.prefix.encode(), _SLOTS)
        with redis.Redis.from_url(self._url_of(host, port, user=self._user), **options) as node:
            ranges: Any = node.execute_command("CLUSTER", "SLOTS")
        found = None
        for first, last, *servers in ranges:
            # a node that does not know its own name says none
            known = [(_text(one[0] or b"") or host, int(one[1])) for one in servers]
            if first <= slot <= last:
                found = known[0]
            self._hosts += [one for one in known if one not in self._hosts]
        return found


def _text(octets: bytes | str) -> str:
    return octets if isinstance(octets, str) else octets.decode()
