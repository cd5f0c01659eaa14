"""The wheel, installed in an environment of its own and asked a question away from any checkout."""

from __future__ import annotations

import os
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
    } <= names
    assert {name.split("/")[0] for name in names if ".dist-info" not in name.split("/")[0]} == {"infercompat"}


def test_wheel_answers_away_from_a_checkout(wheel, tmp_path):
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    site_packages = next(environment.glob("lib/python*/site-packages"))
    zipfile.ZipFile(wheel).extractall(site_packages)
    # The dependencies come from this environment, so that the test needs no network; the package itself must not.
    here = next(path for path in sys.path if path.endswith("site-packages"))
    program = f"import sys; sys.path.append({here!r}); from infercompat.cli import main; main(['show', 'gemma-3-27b'], prog_name='infercompat')"
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "SOURCE_DATE_EPOCH")}
    answer = subprocess.run([environment / "bin/python", "-c", program], cwd=tmp_path, env=clean, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    # 62 layers, every sixth full: 10 full and 52 with a window; at 8,192 tokens (10 x 8,192 + 52 x 1,024) x 8,192 B = 1.03 GiB.
    assert "62: 10 full, 52 sliding" in answer.stdout
    assert "1.03 GiB" in answer.stdout
