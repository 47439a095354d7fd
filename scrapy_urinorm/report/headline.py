"""The few sentences and figures at the top of a report."""

from __future__ import annotations

from typing import Any, NamedTuple

from scrapy_urinorm.wording import count

# a shorter crawl gives no rate worth telling
MIN_SECONDS = 10
# chosen: a sentence, not a list
MOST_NAMED = 5


class Card(NamedTuple):
    """One figure: what it is, the section that tells more, the figure as text, what it means, and its tone.

    The tone is `good`, `bad` or nothing.
    """

    name: str
    section: str
    label: str
    value: str
    note: str
    tone: str = ""


def cards(found: dict[str, Any]) -> list[Card]:
    """The figures of the head: made, pages, wasted, avoided, left, saved, at risk."""
    totals, crawl = found["totals"], found["crawl"]
    made = totals["requests"]
    hosts = count(totals["hosts"], "host")
    spent = _seconds(found)
    out = [
        Card("requests", "curve", "Requests made", f"{made:,}", f"{hosts}{', ' + duration(spent) if spent else ''}"),
        Card("pages", "curve", "Pages", f"{totals['pages']:,}", "of distinct content"),
    ]
    wasted = totals["duplicates"]
    out.append(
        Card("duplicates", "groups", "Duplicates", f"{wasted:,}", f"{share(wasted, made)} of the requests, "
             f"{octets(totals['wasted_bytes'])}", "bad" if wasted > made / 20 else "")
    )  # fmt: skip
    avoided, note = _avoided(found)
    out.append(
        Card("avoided", "rules", "Avoided" if crawl else "Rules avoid", f"{avoided:,}", note, "good" if avoided else "")
    )
    left = totals["left_over"]
    out.append(
        Card("left", "proposals", "Still wasted", f"{left:,}",
             f"{share(left, totals['kept'])} of what the rules let pass",
             "bad" if left > totals["kept"] / 20 else "good")
    )  # fmt: skip
    saved = saved_bytes(found)
    time = spent / made * thanks_to_rules(found) if spent and made else 0
    if saved or time:
        out.append(Card("saved", "rules", "Saved", octets(saved), f"about {duration(time)}" if time else "", "good"))
    out.append(
        Card("lost", "suspicious", "Suspicious", f"{len(found['suspicious']):,}",
             "merges of pages that differ" if found["suspicious"] else "no merged pages differ",
             "bad" if found["suspicious"] else "good")
    )  # fmt: skip
    return out


def sentences(found: dict[str, Any]) -> list[str]:
    """The head in words."""
    totals, proposals = found["totals"], found["proposals"]
    made, wasted = totals["requests"], totals["duplicates"]
    if not made:
        return ["There are no visits in the input."]
    crawls, read = found["input"]["crawls"], found["input"]["read"]
    again = "fetched a page that was there already, under another address or the same one"
    said = []
    if crawls > 1:
        whose = f"crawl {read[0]}, the newest" if len(read) == 1 else f"{len(read)}"
        said.append(f"Read: {whose} of {crawls} crawls in the input (--crawl all, or an id).")
    if made == 1:
        said.append("There is one request in the input.")
    else:
        some = f"{wasted:,} ({share(wasted, made)})" if wasted else "none"
        said.append(f"Of {made:,} requests {some} {again}.")
    if found["platforms"]:
        places = [f"{one['platform']} at {one['site']}{one['path']}" for one in found["platforms"]]
        more = f" and {len(places) - MOST_NAMED:,} more" if len(places) > MOST_NAMED else ""
        said.append(
            f"Recognized: {', '.join(places[:MOST_NAMED])}{more}; `urinorm platforms` says what is known of them."
        )
    if totals["avoidable"]:
        said.append(
            f"The rules of this report let {count(totals['kept'], 'request')} pass and would have avoided"
            f" {totals['avoidable']:,}; {totals['left_over']:,} duplicates are left."
        )
    if totals["lost"]:
        said.append(
            f"Look at the suspicious merges first: at least {count(totals['lost'], 'page')}"
            " would not have been fetched at all."
        )
    if found["traps"]:
        largest = found["traps"][0]["requests"]
        said.append(
            f"{count(len(found['traps']), 'sign')} of traps, the largest in {largest:,} requests: see the traps."
        )
    if proposals and (active := sum(rule["active"] for rule in proposals["rules"])):
        said.append(_proposed(active, proposals))
    if totals["unknown_content"] > made / 2:
        said.append(
            "Most visits say nothing about content (no digests): such pages count as one when their keys are equal."
        )
    return said


def _proposed(active: int, proposals: dict[str, Any]) -> str:
    rules = count(active, "learned rule")
    if not proposals["trial"]:
        return f"{rules} would avoid more: see the proposals."
    _, now, then = proposals["trial"]
    met = "the same pages met" if then["lost"] <= now["lost"] else f"{count(then['lost'], 'page')} not met"
    return (
        f"{rules} would bring a crawl of the recorded links from {now['requests']:,} requests to"
        f" {then['requests']:,}, {met}: see the proposals."
    )


def _avoided(found: dict[str, Any]) -> tuple[int, str]:
    totals, crawl = found["totals"], found["crawl"]
    if crawl:
        count = crawl["filtered"] + crawl["skipped"]
        by_rules = crawl["by_rules"] + crawl["skipped"]
        return count, f"duplicates never requested, {by_rules:,} of them at addresses that rules change or skip"
    if totals["avoidable"]:
        part = share(totals["avoidable"], totals["requests"])
        return totals["avoidable"], f"{part} of the requests, had they been in force"
    return 0, "none of these requests; what a crawl avoided is in its stats"


def saved_bytes(found: dict[str, Any]) -> int:
    """Bytes that the rules saved, or would have: those of the visits, else an estimate by their mean size."""
    totals = found["totals"]
    if found["crawl"]:
        return int(thanks_to_rules(found) * totals["bytes"] / totals["sized"]) if totals["sized"] else 0
    size: int = totals["avoidable_bytes"]
    return size


def thanks_to_rules(found: dict[str, Any]) -> int:
    """Requests that the rules avoided in the crawl, where its stats are known, else would have avoided."""
    crawl = found["crawl"]
    count: int = crawl["by_rules"] + crawl["skipped"] if crawl else found["totals"]["avoidable"]
    return count


def _seconds(found: dict[str, Any]) -> float:
    totals, crawl = found["totals"], found["crawl"]
    if crawl and crawl["seconds"]:
        return float(crawl["seconds"])
    if not totals["timed"] or totals["timed"] < totals["requests"] / 2:
        return 0
    spent = float(totals["stop"] - totals["start"])
    return spent if spent >= MIN_SECONDS else 0


def share(part: float, whole: float) -> str:
    """`12 %`, `0.4 %`."""
    percent = 100 * part / whole if whole else 0
    return f"{percent:.0f} %" if percent >= 10 or not percent else f"{percent:.1f} %"


def octets(count: float) -> str:
    """`1.2 MB`; powers of 1000."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"


def duration(seconds: float) -> str:
    """`45 s`, `12 min`, `3.4 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 2 * 86400 else f"{seconds / 86400:.1f} days"
