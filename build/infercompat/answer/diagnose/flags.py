"""From an engine's flags to facts, by the settings table of its record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from infercompat.answer.diagnose.seen import Seen
from infercompat.answer.diagnose.spellings import DTYPES, FLAGS_AS_VARIABLES, FORMATS, LONG_FORMS, SPELLINGS, VARIABLES, Facts
from infercompat.answer.diagnose.words import Flag
from infercompat.answer.question import RANKS
from infercompat.condition import lookup
from infercompat.link import Catalog
from infercompat.records import Record, walk

SWITCHED_ON = re.compile(
    r"(?:no|enable|disable|trust|enforce|skip|allow|use|force|return|log(?!-(?:level|verbosity|file|config|format|dir|colors)\b))-|.*-only$"
)
ON_OFF = {"true": True, "1": True, "on": True, "yes": True, "false": False, "0": False, "off": False, "no": False}
LENGTH = re.compile(r"(\d+(?:\.\d+)?)([kKmMgG]?)")
SCALES = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "K": 1024, "M": 1024**2, "G": 1024**3}


def normal(name: str) -> str:
    """One spelling for a flag: without dashes in front, `-` for `_`; names of environment variables stay."""
    name = name.lstrip("-")
    for short, long in LONG_FORMS.items():
        if name.startswith(short):
            name = long + name.removeprefix(short)
    return name if re.fullmatch(r"[A-Z][A-Z0-9_]+", name) else name.lower().replace("_", "-")


class FlagTable:
    """What an engine's flags say, as facts."""

    def __init__(self, engine: Record, catalog: Catalog) -> None:
        self.engine, self.catalog = engine, catalog
        self.settings: Mapping[str, dict[str, Any]] = engine.data.get("settings") or {}

    @cached_property
    def targets(self) -> dict[str, Facts | str]:
        """Flag to the fact that it sets, or to facts with the values that it fixes."""
        return {**self.own, **SPELLINGS.get(self.engine.id, {})}

    @cached_property
    def own(self) -> dict[str, str]:
        """Flag to fact, as the engine's record has them, and the settings that gotchas ask for by their own names.

        Of facts that share a flag, as keys of one JSON value, the first has the bare flag.
        """
        asked = {
            path[-1]
            for gotcha in self.catalog.of_kind("gotcha")
            if gotcha.data["engine"] == self.engine.id
            for path, _ in walk(gotcha.data.get("when"))
            if path and str(path[-1]).startswith("setting.")
        }
        by_name = {normal(fact.removeprefix("setting.")): fact for fact in sorted(asked)}
        members = {normal(f"{setting['flag']}.{setting['json_key']}"): fact for fact, setting in self.settings.items() if "json_key" in setting}
        return {**by_name, **{normal(setting["flag"]): fact for fact, setting in reversed(self.settings.items())}, **members}

    def variable(self, name: str) -> str | None:
        """The flag that an environment variable stands for, often itself; None for one that is not the engine's."""
        if name.startswith(VARIABLES.get(self.engine.id, ())) or (name.isupper() and name in self.targets):
            return name
        flag = name.lower().replace("_", "-")
        return f"--{flag}" if self.engine.id in FLAGS_AS_VARIABLES and name.isupper() and flag in self.targets else None

    @property
    def names_methods(self) -> bool:
        """Whether the engine takes vLLM's speculative config, whose methods may be of a single family."""
        return "speculative-config.method" in self.targets

    @property
    def file_keys(self) -> frozenset[str]:
        """The flags that are keys of a configuration file, by their first part."""
        return frozenset(setting["flag"].partition(".")[0] for setting in self.settings.values() if re.match(r"[a-z]", setting["flag"]))

    def default(self, fact: str) -> Any:
        """What holds where the flag of a fact is left out, as the record has it."""
        return self.settings.get(fact, {}).get("default")

    def bare(self, name: str) -> bool:
        """Whether a flag stands alone, so that the word behind it is no value of it."""
        target = self.targets.get(normal(name))
        if isinstance(target, str):
            setting = self.settings.get(target, {})
            unknown = setting.get("default", ...) is None and lookup(target).type == "any"
            return (self._is_switch(target) and "argument" not in setting) or (unknown and bool(SWITCHED_ON.match(normal(name))))
        return not (target and normal(name) in self.own) and bool(SWITCHED_ON.match(normal(name)))

    def fixes(self, name: str) -> bool:
        """Whether a flag decides a fact whatever other flags say of it, as --enforce-eager does."""
        target = self.targets.get(normal(name))
        return target is not None and not isinstance(target, str) and normal(name) not in self.own

    def _is_switch(self, fact: str) -> bool:
        declared = lookup(fact)
        return isinstance(self.settings.get(fact, {}).get("default"), bool) or bool(declared and declared.type == "bool")

    def read(self, flag: Flag) -> Iterator[Seen]:
        """The facts that a flag sets; where there are none, the flag itself, and why its value is none."""
        name, value = normal(flag.name), flag.value
        negated = name not in self.targets and name.startswith("no-")
        exact = f"{name}={value}"
        target = self.targets.get(exact, self.targets.get(name.removeprefix("no-") if negated else name))
        if target is None or str(value).startswith("{"):
            yield Seen("flag", flag.name, value, flag.line)
            return
        if not isinstance(target, str):
            if exact in self.targets or (not negated and str(value).lower() != "false"):
                yield from (Seen("fact", fact, fixed, flag.line) for fact, fixed in target.items())
            target = own if (own := self.own.get(name)) not in target else None
        if target and not isinstance(value, (list, dict)) and str(value).lower() not in ("null", ""):
            word = str(value).lower() in ON_OFF and (self._on_off(target) or flag.name.isupper())
            turned = value is None or word or self._is_switch(target)
            yield from self._checked(target, self._switched(target, name, value, negated) if turned else self._value(target, value), flag)

    def _checked(self, fact: str, value: Any, flag: Flag) -> Iterator[Seen]:
        """The fact, where it can have the value; a length of zero or -1 is left to the engine and says nothing."""
        declared = lookup(fact)
        complaint = declared.complaint(value, self.catalog.words(declared.vocabulary) if declared.vocabulary else ()) if declared else "unknown"
        if complaint and value is True and declared and declared.type == "int":
            yield Seen("fact", fact, value, flag.line)  # a switch for what other flags count
        elif complaint or (fact in RANKS and value < 1):
            if str(value).lower() not in ("auto", "none"):
                yield Seen("flag", flag.name, flag.value, flag.line)
        elif not (declared.type == "int" and value < (1 if fact == "max_model_len" else 0)):
            yield Seen("fact", fact, value, flag.line)

    def _on_off(self, fact: str) -> bool:
        return {"on", "off"} <= set(self.settings.get(fact, {}).get("values", ()))

    def _switched(self, fact: str, name: str, value: Any, negated: bool) -> Any:
        """What a switch says: `--disable-x` turns off a fact that is not named so, and a word behind may turn it round."""
        on = value is None or ON_OFF.get(str(value).lower(), True)
        on = on is not (negated or ("disable" in name and "disable" not in fact))
        return ("on" if on else "off") if self._on_off(fact) else on

    def _value(self, fact: str, value: Any) -> Any:
        declared, text = lookup(fact), str(value).strip()
        words = self.settings.get(fact, {}).get("words", {})
        if ours := next((ours for ours, theirs in words.items() if theirs.lower() == text.lower()), None):
            return ours
        same = [word for word in self.settings.get(fact, {}).get("values", ()) if str(word).lower() == text.lower()]
        kind = declared.type if declared else "any"
        if fact.endswith("dtype"):
            return DTYPES.get(text.lower(), str(same[0]) if same else text)
        if fact == "weights.format":
            return FORMATS.get(text.lower(), text.lower())
        if fact == "speculation.method":
            return self._method(str(same[0]) if same else text)
        if fact == "cuda_graphs":
            return text.lower()
        if same:
            return same[0]
        if kind == "int" and (length := LENGTH.fullmatch(text)) and (length[2] or "." not in text):
            return int(float(length[1]) * SCALES[length[2]])
        return number(text) if kind in ("int", "float", "any") else text

    def _method(self, text: str) -> str:
        """vLLM treats the methods of single families, such as deepseek_mtp, as mtp."""
        return "mtp" if self.names_methods and text.endswith("_mtp") else text


def plain(value: Any) -> str:
    """A value as people write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def number(text: str) -> Any:
    """A number or a truth value from its text, else the text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for read in (int, float):
        try:
            found = read(text)
        except ValueError:
            continue
        return found if abs(found) < 1e18 else text
    return text
