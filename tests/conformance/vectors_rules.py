"""What the suites of test vectors call a normalization, as rules of ours; and what has no rule, with the reason."""
# ruff: noqa: E501  a row of a table is a line

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Rules = dict[str, Any]

_HEX = "[0-9A-Za-z]"
#: The patterns that Heritrix, surt and Norconex have for session ids, as their sources state them.
_SESSIONS = {
    "remove_params": [
        {"name": "jsessionid", "value": _HEX + "{32}"},
        {"name": "phpsessid", "value": _HEX + "+"},
        {"name": "sid", "value": _HEX + "{32}"},
        {"name": "aspsessionid*", "value": "[A-Za-z]+"},
        {"name": "cfid", "value": r"\d+\s*"},
        {"name": "cftoken", "value": r"[0-9A-Fa-f\-]+\s*"},
    ],
    "path_params": ["jsessionid", "sid"],
    "aspnet_session": True,
}
_INDEX = ["index.*", "default.*", "home.*"]

#: Neutral name -> the rules that do it. A name in neither table is what every canonical URL of ours has had done to it.
RULES: dict[str, Rules] = {
    "add_trailing_slash": {"trailing_slash": "add"},
    "add_trailing_slash(no_extension)": {"trailing_slash": "add"},
    "add_www": {"www": "add"},
    "dedupe_params(by=first)": {"dedupe_params": "first"},
    "force_http": {"scheme": "http"},
    "force_https": {"scheme": "https"},
    "fragment_route": {"fragment": "route"},
    "lowercase_names": {"lowercase_names": ["*"]},
    "lowercase_path": {"lowercase_path": True},
    "lowercase_url": {"lowercase_path": True, "lowercase_names": ["*"], "lowercase_params": ["*"]},
    "lowercase_values": {"lowercase_params": ["*"]},
    "remove_amp": {"remove_subdomains": ["amp"], "remove_params": ["amp"]},
    "remove_directory_index": {"directory_index": _INDEX},
    "remove_duplicate_slashes": {"duplicate_slashes": "remove"},
    "remove_empty_params": {"remove_empty_params": ["*"]},
    "remove_empty_query": {"sort_query": "pair"},
    "remove_fragment": {"fragment": "remove"},
    "remove_hash_values": {
        "remove_params": [{"pattern": ".*", "value": "[0-9A-Fa-f]{32}"}],
        "path_params": ["jsessionid"],
    },
    "remove_host_dots": {"remove_trailing_dot": True},
    "remove_query": {"remove_query": True},
    "remove_redundant_ampersands": {"sort_query": "pair"},
    "remove_session_ids": _SESSIONS,
    "remove_session_ids(path)": _SESSIONS,
    "remove_session_ids(query)": _SESSIONS,
    "remove_subdomains(m,mobile)": {"remove_subdomains": ["m", "mobile"]},
    "remove_trailing_slash": {"trailing_slash": "remove"},
    "remove_userinfo": {"remove_userinfo": True},
    "remove_www": {"www": "remove"},
    r"remove_www(www\d*)": {"www": "remove", "www_numbers": True},
    "sort_query": {"sort_query": "pair"},
    "strip_trailing_host_dot": {"remove_trailing_dot": True},
    "fix_invalid_percent": {"stray_percent": "encode"},
    "unicode_nfc": {"unicode_nfc": True},
    "unwrap_redirect": {"unwrap_params": [{"name": "*", "to": ["*"]}]},
}
#: The same where the options of the record say which names or patterns.
RULES_OF_OPTIONS: dict[str, Callable[[dict[str, Any]], Rules]] = {
    "force_scheme": lambda o: {"scheme": o.get("1", "http")} if o.get("1", "http") in ("http", "https") else {},
    "ip_to_host": lambda o: {"ip_hosts": o.get("hosts", {})},
    "lowercase_query": lambda o: (
        {"lowercase_names": ["*"], "lowercase_params": ["*"]} if o.get("query_lowercase", True) else {}
    ),
    "keep_params": lambda o: {"keep_params": o["keep"]} if "keep" in o else {},
    "remove_default_params": lambda o: {"default_params": o.get("defaults", {})},
    "remove_directory_index": lambda o: {"directory_index": o["names"]} if "names" in o else {},
    "remove_params": lambda o: {"remove_params": o.get("queryElementsToRemove", [])},
    "rewrite": lambda o: {"rewrite": [{"pattern": o["pattern"], "replace": o["replace"]}]},
}
#: The preset that a name asks for.
PRESET_OF = {"remove_tracking_params": "recommended"}

#: Neutral names for which there is no rule: why. They explain a difference only where comparing the parts does not.
NO_RULE = {
    "decode_repeatedly": "decodes escapes until none is left, which makes different URLs one (RFC 3986 2.4: never twice)",
    "decode_unnecessary(path)": "decodes escapes of reserved characters, which RFC 3986 2.2 keeps",
    "filter(language)": "filters by language; ours says which page, not whether it is wanted",
    "keep_params(allowlist)": "keeps the names of a list of its own",
    "platform_rules(facebook,youtube)": "knows single sites; ours are rule files",
    "remove_language_params": "drops the language, which is another page nearly everywhere",
    "remove_port(any)": "drops any port; ours are named (`remove_ports`)",
    "remove_public_suffix": "drops the public suffix: another site",
    "remove_subdomains(language)": "drops the language, which is another page nearly everywhere",
    "remove_fragment(only_after_last_path)": "drops a fragment by where it stands; ours drops all, keeps all or keeps routes",
    "surt_key": "writes a sort key with the host reversed; ours is a URL",
    "strip_scheme": "gives a text without scheme; ours is a URL",
    "strip_markup_rests": "cuts HTML that was scraped along with a link",
    "regex_replace": "edits the whole text by a regular expression; ours (`rewrite`) edits path and query",
    "unmangle_query(&to?)": "reads `&` in a path as the `?` that is missing",
    "unicode_escapes(%u)": "decodes `%u2122`, which is no escape (RFC 3986 2.1)",
    "remove_amp": "finds AMP by many more shapes, also in paths where they are other words",
    "remove_tracking_params": "drops parameters of a list of its own",
    "remove_tracking_in_fragment": "drops parameters from a fragment that looks like a query",
    "unwrap_redirect": "finds the wrapped address in paths and in values that are no URLs",
    "remove_session_ids": "takes any value for a session id",
    "remove_session_ids(path)": "takes other spellings of a segment for a session id",
    "remove_directory_index": "takes other file names for an index",
    "force_scheme": "writes a scheme before whatever it is given",
    "drop_empty_params": "drops empty parameters where asked",
    "default_host": "guesses a host",
}  # fmt: skip

#: Of these the ones that make the whole text something else: a vector that asks for one is not expressible.
ALONE = frozenset({"surt_key", "strip_scheme", "regex_replace", "unmangle_query(&to?)", "remove_public_suffix"})
