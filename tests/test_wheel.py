"""The wheel, installed in an environment of its own and asked a question away from any checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = [pytest.mark.wheel]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_wheel_holds_the_package_and_its_data(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "infercompat/cli/__init__.py",
        "infercompat/_data/catalog/vocabulary.yaml",
        "infercompat/_data/catalog/models/google/gemma-3-27b.yaml",
        "infercompat/_data/schemas/model.schema.json",
        "infercompat/_data/site_templates/frame.md.j2",
        "infercompat/_data/snapshot.jsonl",
    } <= names
    assert {name.split("/")[0] for name in names if ".dist-info" not in name.split("/")[0]} == {"infercompat"}


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Runs the installed command in an empty home, away from any checkout."""
    folder = tmp_path_factory.mktemp("elsewhere")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    site_packages = next((folder / "venv").glob("lib/python*/site-packages"))
    zipfile.ZipFile(wheel).extractall(site_packages)
    # The dependencies come from this environment, so that the test needs no network; the package itself must not.
    here = next(path for path in sys.path if path.endswith("site-packages"))
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "SOURCE_DATE_EPOCH", "XDG_CACHE_HOME")} | {"HOME": str(folder)}

    def run(*words: str) -> str:
        program = f"import sys; sys.path.append({here!r}); from infercompat.cli import main; main({list(words)!r}, prog_name='infercompat')"
        answer = subprocess.run([folder / "venv/bin/python", "-c", program], cwd=folder, env=clean, capture_output=True, text=True)
        assert answer.returncode == 0, answer.stderr
        return answer.stdout

    return run, site_packages / "infercompat" / "_data", folder


def test_wheel_answers_away_from_a_checkout(installed):
    answer = installed[0]("show", "gemma-3-27b")
    # 62 layers, every sixth full: 10 full and 52 with a window; at 8,192 tokens (10 x 8,192 + 52 x 1,024) x 8,192 B = 1.03 GiB.
    assert "62: 10 full, 52 sliding" in answer
    assert "1.03 GiB" in answer


def test_wheel_answers_from_the_snapshot_that_it_brings(installed):
    run, data, home = installed
    question = ("check", "gemma-3-27b", "vllm@0.33.0", "--hardware", "h100-sxm", "--context", "8192")
    before = run(*question)
    shutil.move(data / "catalog" / "models", data / "models-elsewhere")
    try:
        assert run(*question) == before
    finally:
        shutil.move(data / "models-elsewhere", data / "catalog" / "models")
    assert not (home / ".cache").exists()  # nothing to keep: the catalog of an installed package does not change
