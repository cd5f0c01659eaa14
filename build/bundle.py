"""A hook of the wheel's build: checks the catalog and puts its compiled snapshot beside it, so that the first question is as fast as any."""

from __future__ import annotations

import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class SnapshotHook(BuildHookInterface):
    """Adds the snapshot to a wheel. An editable install has none: its catalog is the checkout's, and changes."""

    def initialize(self, version: str, build_data: dict) -> None:
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root, "build")))
        from infercompat import pipeline, snapshot

        products = pipeline.load(Path(self.root, "catalog"))
        if products.diagnostics:
            raise RuntimeError(f"the catalog has {len(products.diagnostics)} faults, the first: {products.diagnostics[0]}; see infercompat validate")
        self.path = Path(self.directory, snapshot.BUNDLED)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(snapshot.compiled(products))
        build_data["force_include"][str(self.path)] = f"infercompat/_data/{snapshot.BUNDLED}"

    def finalize(self, version: str, build_data: dict, artifact_path: str) -> None:
        if version != "editable":
            self.path.unlink()
