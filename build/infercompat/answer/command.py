"""The serve command for a question: what to start, with which flags, and why each is there."""

from __future__ import annotations

from typing import Any

from infercompat.answer.facts import Resolved
from infercompat.answer.repairs import Repair

SKIPPED = ("sequence_length", "hardware.", "platform", "weights.format", "task")


def command(resolved: Resolved, repair: Repair | None) -> dict[str, Any] | None:
    """`argv` and `because`, one reason a flag; None for engines whose way of serving the catalog does not hold."""
    question = repair.after.question if repair else resolved.question
    serve = question.engine.data.get("serve")
    if serve is None:
        return None
    checkpoint = question.model.data["checkpoints"][0]["hub"]
    argv = [part.replace("{checkpoint}", checkpoint) for part in serve["argv"]]
    because = [f"{' '.join(argv)}: the engine's own way to serve {checkpoint}"]
    settings = question.engine.data.get("settings") or {}
    wanted = dict(question.given)
    if question.gpus > 1:
        wanted.setdefault("tensor_parallel", question.gpus)
    repaired = {name for change in repair.changes for name, _ in change.set} if repair else set()
    unsaid = []
    for name, value in wanted.items():
        setting = settings.get(name)
        if name.startswith(SKIPPED):
            continue
        if setting is None or not setting["flag"].startswith("-"):
            unsaid.append(f"{name} = {value}")
            continue
        argv += _flag(setting, value)
        because.append(f"{setting['flag']}: {'the repair' if name in repaired else 'asked for'}")
    return {"argv": argv, "because": because, "without_flag": unsaid}


def _flag(setting: dict[str, Any], value: Any) -> list[str]:
    """A flag as the engine takes it: bare for what is switched on, --no-… for what is switched off."""
    flag = setting["flag"]
    if not isinstance(value, bool):
        return [flag, str(value)]
    negated = "disable" in flag
    if value is not negated:
        return [] if negated else [flag]
    return [flag] if negated else [flag.replace("--", "--no-", 1)]
