"""Read by PyInstaller: modules that are named as texts, and files that are read beside them."""

from importlib.util import find_spec
from pathlib import Path


def _folder(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def _name(module: Path) -> str:
    inside = module.relative_to(_ours.parent).with_suffix("")
    # the module in C has the ABI in its name
    return ".".join((*inside.parent.parts, inside.name.partition(".")[0])).removesuffix(".__init__")


_CODE = (".py", ".pyi", ".pyc", ".so", ".pyd", ".c", ".h")
_ours = _folder("scrapy_urinorm")
_files = [path for path in sorted(_ours.rglob("*")) if path.is_file()]
# settings and add-ons are named as texts; the hook itself is no module
hiddenimports = [_name(path) for path in _files if path.suffix in (".py", ".so", ".pyd") and "-" not in path.name]
datas = [(str(path), str(path.parent.relative_to(_ours.parent))) for path in _files if path.suffix not in _CODE]
# the list of public suffixes: without it every look-up of one fails
datas.append((str(_folder("tldextract") / ".tld_set_snapshot"), "tldextract"))
