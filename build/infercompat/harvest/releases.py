"""Which engines have released something that the catalog has no snapshot of, asked of the package index or the repository's tags."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable

from msgspec import Struct

from infercompat.harvest.base import Refused, Unreachable
from infercompat.harvest.run import told
from infercompat.link import Catalog
from infercompat.products import Products
from infercompat.records import Record
from infercompat.versions import Ordered, compare, minor, parse_version
from infercompat.write import write_file

Ask = Callable[[list[str]], str]
"""Runs a client and gives what it printed; raises Refused where it fails."""

_TAG = re.compile(r"refs/tags/(\S+?)(?:\^\{\})?$", re.M)
_UPSTREAM = re.compile(r"^upstream: \{.*\}\n", re.M)
_NUMBERED = re.compile(r"^v(?=\d)")


class Lag(Struct, frozen=True):
    """An engine's newest release upstream and in the catalog. `failed` says why upstream could not be asked."""

    engine: str
    snapshot: str | None
    upstream: str | None
    behind: tuple[str, ...] = ()
    failed: str = ""

    @property
    def newer(self) -> bool:
        return bool(self.behind)

    def __str__(self) -> str:
        if self.failed:
            return f"{self.engine}: not asked: {self.failed}"
        if self.snapshot is None:
            return f"{self.engine}: {self.upstream} is out; the catalog has no snapshot that can be ordered with it"
        if not self.newer:
            return f"{self.engine}: {self.snapshot} is the newest"
        return f"{self.engine}: {self.upstream} is out; the newest snapshot is {self.snapshot}, {_minors(self)} behind ({', '.join(self.behind)})"


def lags(catalog: Catalog, ask: Ask | None = None) -> list[Lag]:
    """Every engine with a snapshot or a release, by id, against what its own channel has."""
    return [_lag(catalog, engine, ask or run_client) for engine in catalog.of_kind("engine")]


def record(products: Products, found: list[Lag], today: str) -> list[str]:
    """Writes what upstream has into the records of engines that could be asked, where that is news; gives the paths that were written."""
    written = []
    for lag in found:
        engine = products.catalog.records[lag.engine]
        if lag.upstream is None or engine.data.get("upstream", {}).get("version") == lag.upstream:
            continue
        path = products.folder.parent / engine.path
        text = path.read_text("utf-8")
        line = f'upstream: {{version: "{lag.upstream}", seen: {today}}}\n'
        write_file(path, _UPSTREAM.sub("", text).replace("\nreleases:", f"\n{line}releases:", 1).encode())
        written.append(engine.path)
    return written


def newest(catalog: Catalog, engine: str, ask: Ask | None = None) -> str:
    """The newest release of an engine upstream. Raises Refused where none can be had."""
    if engine not in catalog.records:
        raise Refused(f"the record of {engine} is not there or has faults: infercompat validate shows them")
    versions = published(catalog.records[engine], ask or run_client)
    if not versions:
        raise Refused(f"{engine}: no release upstream is a version of its scheme")
    return versions[-1].text


def published(engine: Record, ask: Ask) -> list[Ordered]:
    """An engine's releases upstream that its scheme orders, oldest first. One published only as a pre-release counts where the catalog speaks of such."""
    scheme = "build" if engine.data["scheme"] == "commit" else engine.data["scheme"]
    package, early = engine.data.get("package"), any(not _final(scheme, entry["version"]) for entry in engine.data["releases"][:1])
    if package:
        printed = ask([sys.executable, "-m", "pip", "index", "versions", *(["--pre"] if early else []), package])
        line = next((line for line in printed.splitlines() if line.startswith("Available versions:")), "")
        texts = [text.strip() for text in line.partition(":")[2].split(",") if text.strip()]
    else:
        tags = _TAG.findall(ask(["git", "ls-remote", "--tags", engine.data["repository"]]))
        texts = [_NUMBERED.sub("", tag) for tag in tags]  # a harvester puts the letter before the number where the tag has one
        texts = [text for text in texts if early or _final(scheme, text)]
    found = {version.text: version for text in dict.fromkeys(texts) if isinstance(version := parse_version(scheme, text), Ordered)}
    return sorted(found.values(), key=lambda version: version.key)


def _final(scheme: str, text: str) -> bool:
    version = parse_version(scheme, text)
    return not isinstance(version, Ordered) or version.final


def _lag(catalog: Catalog, engine: Record, ask: Ask) -> Lag:
    scheme = "build" if engine.data["scheme"] == "commit" else engine.data["scheme"]
    snapshots = [s.data["version"] for s in catalog.of_kind("support") if s.data["engine"] == engine.id]
    known = snapshots or [entry["version"] for entry in engine.data["releases"]]
    ours = sorted((v for text in set(known) if isinstance(v := parse_version(scheme, text), Ordered)), key=lambda version: version.key)
    if not ours:  # snapshots at commits: the newest release that the record speaks of stands for them
        ours = [v for entry in engine.data["releases"] if isinstance(v := parse_version(scheme, entry["version"]), Ordered)][:1]
    try:
        theirs = published(engine, ask)
    except Refused as error:
        return Lag(engine.id, ours[-1].text if ours else None, None, failed=str(error))
    if not theirs:
        return Lag(engine.id, ours[-1].text if ours else None, None, failed="no release upstream is a version of its scheme")
    if not ours:
        return Lag(engine.id, None, theirs[-1].text, behind=(theirs[-1].text,))
    behind = tuple(version.text for version in theirs if compare(version, ours[-1]) == "greater")
    return Lag(engine.id, ours[-1].text, theirs[-1].text, behind)


def _minors(lag: Lag) -> str:
    numbers = {minor(version) for text in lag.behind if (version := parse_version("pep440", text))} - {None}
    own = parse_version("pep440", lag.snapshot or "")
    count = len(numbers - {minor(own) if own else None})
    return f"{count} minor release{'' if count == 1 else 's'}" if count else f"{len(lag.behind)} release{'' if len(lag.behind) == 1 else 's'}"


def run_client(command: list[str]) -> str:
    """What an ordinary client prints. Raises Unreachable with its last line where it fails or cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=300)
    except subprocess.TimeoutExpired:
        raise Unreachable(f"{' '.join(command[-3:])} did not answer") from None
    except OSError as error:
        raise Unreachable(f"{command[0]} cannot be run: {error.strerror}") from None
    if done.returncode:
        raise Unreachable(told(done.stderr))
    return done.stdout
