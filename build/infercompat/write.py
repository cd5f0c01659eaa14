"""The one module that writes to disk: whole files, only when their bytes change, so that a second build touches nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path


def write_file(path: Path, content: bytes) -> bool:
    """Writes a file through a temporary one beside it; says whether its bytes changed."""
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_bytes(content)
    os.replace(temporary, path)
    return True


def write_tree(root: Path, files: Mapping[str, bytes], keep: frozenset[str] = frozenset()) -> None:
    """Makes a generated folder hold exactly these files: writes what changed and removes what is left over, `keep` excepted."""
    root.mkdir(parents=True, exist_ok=True)
    wanted = {Path(name) for name in files}
    for path in sorted(root.rglob("*")):
        inner = path.relative_to(root)
        if path.is_file() and inner not in wanted and inner.as_posix() not in keep:
            path.unlink()
    for name, content in files.items():
        target = root / name
        if target.is_dir():
            shutil.rmtree(target)
        write_file(target, content)
    for path in sorted(root.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
