"""Where the program's data lies: in a checkout, or bundled beside the installed package."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
BUNDLED = PACKAGE / "_data"


def _is_checkout(folder: Path) -> bool:
    return (folder / "catalog" / "vocabulary.yaml").is_file() and (folder / "schemas").is_dir()


def checkout_around_package() -> Path | None:
    """The checkout whose build/ folder holds this package, if it does."""
    folder = PACKAGE.parent.parent
    return folder if PACKAGE.parent.name == "build" and _is_checkout(folder) else None


def _data(name: str) -> Path:
    checkout = checkout_around_package()
    return checkout / name if checkout else BUNDLED / name


SCHEMAS = _data("schemas")
TEMPLATES = _data("site_templates")
BENCH = _data("bench")
QUESTIONS = _data("tests") / "questions" / "questions.yaml"


def find_catalog(option: Path | None = None) -> Path:
    """The catalog in use: the one named, else a checkout's above the current folder, else the package's own checkout's, else the bundled."""
    if option is not None:
        return option
    here = Path.cwd()
    for folder in (here, *here.parents):
        if _is_checkout(folder):
            return folder / "catalog"
    checkout = checkout_around_package()
    return (checkout or BUNDLED) / "catalog"
