"""The pages of the packs, a page for each and a list of all, from the packs themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_urinorm.importers.document import toml_value
from scrapy_urinorm.rulesets import platforms

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.platforms import Line, Mark, Pack

NOTICE = "<!-- made by docs/generate_reference.py from the packs: do not edit -->\n"
INTRODUCTION = """
A pack is what is known of the URLs of one program that many sites run. A site's table names it, and its lines come
below the table's own rules: [how to use and to write them](../../howto/platforms.md). *Proven* lines were on while a
real installation was crawled and nothing was lost; `platform = "name"` turns on these alone, `all = true` the
*documented* ones too. What a *setting* of the program decides acts for nobody: `learn` and live rules try it
on the pages of the site.
"""


def pages() -> dict[str, str]:
    """File name -> text."""
    return {"index.md": _index(), **{f"{pack.name}.md": _page(pack) for pack in platforms.packs()}}


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _index() -> str:
    out = [f"{NOTICE}\n# Platforms\n{INTRODUCTION}"]
    out += ["| platform | program | lines | proven | tested on |", "| --- | --- | ---: | ---: | --- |"]
    for pack in platforms.packs():
        proven = sum(line.proof == "proven" for line in pack.lines)
        cells = (f"[`{pack.name}`]({pack.name}.md)", pack.title, len(pack.lines), proven, pack.tested)
        out.append("| " + " | ".join(_cell(str(cell)) for cell in cells) + " |")
    out += ["", "Classes of a line:\n", "| class | meaning |", "| --- | --- |"]
    out += [f"| {name} | {_cell(text)} |" for name, text in platforms.CLASSES.items()]
    names = "\n".join(platforms.names())
    return "\n".join([*out, f"\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"])


def _page(pack: Pack) -> str:
    out = [f"{NOTICE}\n# {pack.title}\n", f"{pack.about}\n"]
    out.append(f'```toml\n[site."example.com"]\nplatform = "{pack.name}"\n```\n')
    out.append(f"Tested on {pack.tested}.\n" if pack.tested else "Not yet tested on an installation of ours.\n")
    out.append(f"See <{pack.source}>.\n")
    out.append("Recognized by " + "; ".join(map(_mark, pack.marks)) + ". One strong mark is enough, or two others.\n")
    out += ["## Lines\n", "| line | class | | what it is about |", "| --- | --- | --- | --- |"]
    out += [f"| [`{one.id}`](#{one.id}) | {one.kind} | {one.proof} | {_cell(one.why)} |" for one in pack.lines]
    for line in pack.lines:
        out.append("\n" + _line(line))
    return "\n".join(out)


def _mark(mark: Mark) -> str:
    strong = " (strong)" if mark.strong else ""
    if mark.kind == "marker":
        return f"`` {mark.text} `` in the page{strong}"
    names = {"generator": "a generator", "header": "a header", "cookie": "a cookie", "url": "an address"}
    return f"{names[mark.kind]} like `` {mark.pattern} ``{strong}"


def _line(line: Line) -> str:
    rules = "\n".join(f"{key} = {toml_value(value)}" for key, value in line.table.items())
    about = f"{line.why[0].upper()}{line.why[1:]}. Source: {line.source}.\n"
    out = [f"### {line.id}\n", about, f"```text\n{rules}\n```\n"]
    shown = [f"{one}  =  {other}" for one, other, same in line.pairs if same]
    shown += [f"{one}  |  {other}" for one, other, same in line.pairs if not same]
    taken = "not requested" if line.table.get("skip") else "requested last"
    shown += [f"{url}  {taken if is_taken else 'left alone'}" for url, is_taken in line.urls]
    return "\n".join([*out, "```text\n" + "\n".join(shown) + "\n```\n"])
