"""Words that engines have for a backend or a way to draft, and their settings: a slip is told, and refused where the engine's own list is closed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from msgspec import Struct

from infercompat.answer.facts import DRAFT_KINDS, UNDECIDED, as_written
from infercompat.answer.question import Question, Refused, newest_before
from infercompat.condition import in_words, lookup
from infercompat.join import newest_release
from infercompat.join.gates import gotchas_about
from infercompat.join.paths import parts
from infercompat.link import Catalog
from infercompat.records import Record, walk
from infercompat.versions import Observation, carry

SPOKEN = ("attention.backend", "speculation.method", "cuda_graphs", "kv_connector")
"""Facts whose words are the engines' own, so that no list of the vocabulary closes them."""
_NONE = frozenset({"auto", "none", "null"})
ALWAYS = dict.fromkeys(SPOKEN, _NONE) | {"speculation.method": _NONE | {*DRAFT_KINDS, "mtp", "eagle", "eagle3", "medusa"}}
"""Words that are taken whether or not a record has them."""
MOST_KNOWN = 12
_SETTING = re.compile(r"setting\.[a-z][a-z0-9_]*")


def check_words(catalog: Catalog, question: Question) -> None:
    """Raises Refused for a word that no record knows, where the engine's words are a closed list at that version."""
    for told in (*_unknown(catalog, question), *_of_settings_given(catalog, question)):
        if told.closed:
            raise Refused(told.words)


def notes(catalog: Catalog, question: Question) -> list[str]:
    """What a reader has to know of words that no record knows, or that are none of the engine's list, and of a pre-release that is newer."""
    return [*_newer(question), *(told.words for told in (*_unknown(catalog, question), *_of_settings_given(catalog, question)))]


def _newer(question: Question) -> Iterator[str]:
    """Where nobody named a version: the pre-release that is newer than the one that is meant, which the matrix shows."""
    engine, newest = question.engine, newest_release(question.engine).version
    if question.release.assumed and newest != question.release.version:
        yield f"{question.release.version} is the newest final release on record; {engine.id}@{newest} asks of the pre-release that the matrix shows"


class _Told(Struct, frozen=True):
    """A word that is not known, said with the nearest that are."""

    words: str
    closed: bool


def _unknown(catalog: Catalog, question: Question) -> Iterator[_Told]:
    engine, version = question.engine, question.release.version
    for name, value in question.given.items():
        fact = found.name if (found := lookup(name)) and found.name in SPOKEN else None
        if fact is None or not isinstance(value, str):
            continue
        own = _of_settings(engine, fact)
        listed = _read_here(question) and own
        for word in (part.partition(":")[0].strip() for part in value.split(",")):
            if word.lower() in {one.lower() for one in own} | ALWAYS[fact]:
                continue
            known = _is_known(catalog, fact, word)
            if known and not (listed and fact != "speculation.method"):
                continue
            close = nearest(word, own if listed else known_words(catalog, fact))
            rest = f"; nearest: {', '.join(close)}" if close else _all(own) if listed else ""
            if listed and not known:
                yield _Told(f"{name} is never {word} on {engine.id} {version}{rest}", closed=True)
            elif listed:
                yield _Told(f"{word} is none of the words of {engine.id} {version} for {name}{rest}", closed=False)
            else:
                # No engine of any version has the word, and one that is nearly the same is there: only what is newer than all may have it.
                slip = fact == "speculation.method" and bool(close) and newest_before(engine, question.release) is None
                yield _Told(f"no record knows {word} as a word for {name}{rest}", closed=slip)


def _of_settings_given(catalog: Catalog, question: Question) -> Iterator[_Told]:
    """Settings by the engine's own name that nothing on record of it knows, and values that are none of a closed list."""
    engine, version = question.engine, question.release.version
    for name, value in question.given.items():
        fact = found.name if (found := lookup(name)) else ""
        if not fact.startswith("setting."):
            continue
        setting = (engine.data.get("settings") or {}).get(fact)
        if setting is None:
            known = known_settings(catalog, engine)
            if fact not in known:
                close = nearest(fact.removeprefix("setting."), [one.removeprefix("setting.") for one in known])
                rest = f"; nearest: {', '.join(f'setting.{one}' for one in close)}" if close else ""
                yield _Told(f"nothing on record of {engine.id} knows {name}, so that it decides nothing here{rest}", closed=False)
            continue
        own, written = setting.get("values", ()), as_written(setting, value)
        if not own or written in UNDECIDED or _is_among(written, own) or written in setting.get("words", ()) or written == setting.get("default"):
            continue
        words = [in_words(one) for one in own]
        close = nearest(written, words) if isinstance(written, str) else []
        rest = f"; nearest: {', '.join(close)}" if close else f"; known: {', '.join(words)}"
        if _read_here(question):
            yield _Told(f"{name} is never {in_words(written)} on {engine.id} {version}{rest}", closed=True)
        else:
            yield _Told(f"{in_words(written)} is none of the words of {engine.id} {newest_release(engine).version} for {name}{rest}", closed=False)


def _is_among(value: Any, listed: Collection[Any]) -> bool:
    """Whether a list has the value itself: 1 is not true."""
    return any(one == value and isinstance(one, bool) == isinstance(value, bool) for one in listed)


def known_settings(catalog: Catalog, engine: Record) -> frozenset[str]:
    """The settings that the engine's record has, or what is on record of it, of its paths and of what it runs speaks of; found once."""
    key = ("known settings", engine.id)
    if key not in catalog.memo:
        inner = [run for one in (engine, *parts(catalog, engine)) if "runs" in one.data and (run := catalog.resolve(one.data["runs"]))]
        paths = [engine, *parts(catalog, engine), *inner]
        ids = {one.id for one in paths}
        others = (one for kind in ("support", "recipe") for one in catalog.of_kind(kind) if one.engine in ids)
        records = [*paths, *others, *(gotcha for one in paths for gotcha in gotchas_about(catalog, one))]
        catalog.memo[key] = frozenset(name for one in records for name in _settings_in(one.data))
    return catalog.memo[key]


def _settings_in(data: Any) -> Iterator[str]:
    for path, value in walk(data):
        for text in (path[-1] if path else None, value):
            if isinstance(text, str) and "setting." in text:
                yield from _SETTING.findall(text)


def _all(words: Collection[str]) -> str:
    return f"; known: {', '.join(sorted(words))}" if len(words) <= MOST_KNOWN else ""


def nearest(word: str, known: Collection[str]) -> list[str]:
    """The known words that come nearest, whatever their letters' case."""
    spelled: dict[str, str] = {}
    for one in sorted(known):
        spelled.setdefault(one.lower(), one)
    return [spelled[one] for one in difflib.get_close_matches(word.lower(), spelled, n=3)]


def _read_here(question: Question) -> bool:
    """Whether the engine's list, which was read at its newest release, is that of the version in question: of the same X.Y."""
    newest, release, scheme = newest_release(question.engine), question.release, question.engine.data["scheme"]
    seen = [Observation(newest.version, newest.date, "native")]
    found = carry(scheme, seen, release.version, release.date, carry_minor_releases=0, carry_days=0)
    return found.status is not None and found.how in ("exact", "same-minor")


def _is_known(catalog: Catalog, fact: str, word: str) -> bool:
    """Whether any record has the word; those of engines are looked at first, since the others take longer."""
    return any(word.lower() in {one.lower() for one in words(catalog, fact)} for words in (words_of_engines, known_words))


def words_of_engines(catalog: Catalog, fact: str) -> frozenset[str]:
    """The words that engine records list for a fact, found once."""
    key = ("words of engines", fact)
    if key not in catalog.memo:
        catalog.memo[key] = frozenset(word for engine in catalog.of_kind("engine") for word in _of_engine(engine, fact))
    return catalog.memo[key]


def known_words(catalog: Catalog, fact: str) -> frozenset[str]:
    """The words that any record has for a fact, found once."""
    key = ("known words", fact)
    if key not in catalog.memo:
        others = (record for record in catalog.records.values() if record.kind not in ("citation", "model", "hardware"))
        catalog.memo[key] = words_of_engines(catalog, fact) | {word for record in others for _, word in words_in(record.data, fact)}
    return catalog.memo[key]


def words_in(data: Any, fact: str) -> Iterator[tuple[tuple, str]]:
    """The words that conditions and settings in a record's data have for a fact, with their places."""
    for path, value in walk(data):
        if isinstance(value, str) and fact in (path[-1:] + path[-2:-1]) and path[0] != "settings":
            yield tuple(path), value


def _of_settings(engine: Record, fact: str) -> frozenset[str]:
    """The closed list of an engine's setting, with its own words for them; empty where it has none."""
    setting: Mapping[str, Any] = (engine.data.get("settings") or {}).get(fact, {})
    own = frozenset(map(str, setting.get("values", ())))
    return own | frozenset(setting.get("words", ())) | frozenset(setting.get("words", {}).values()) if own else own


def _of_engine(engine: Record, fact: str) -> frozenset[str]:
    backends = engine.data.get("attention_backends") or () if fact == "attention.backend" else ()
    return _of_settings(engine, fact) | {entry["name"] for entry in backends}
