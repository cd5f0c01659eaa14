"""The attention hop: one backend must meet all demands of a layer at once, and the engine's own priority picks among those that do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from infercompat.answer.backend_tables import Table, read, tables
from infercompat.answer.facts import PARTS, Resolved, own_word, platform_of
from infercompat.condition import ALWAYS, Reason, evaluate, parse
from infercompat.derive import Layer, Unknown
from infercompat.join import Hop, Joiner, Source
from infercompat.versions import versions_of

BACKEND = "attention.backend"
REFUSING = ("unsupported", "removed")
SAME = {"fp8": "fp8_e4m3"}
"""Two words for one type of the cache."""
OF_THE_MODEL = ("bf16", "fp16")
"""Types that a backend takes where it lists auto, which is the model's own."""
MOST_ALTERNATIVES = 5
"""How many values a reason lists; of more, it gives their number."""
MOST_CLASSES = 5
"""How many classes of hardware are named one by one."""
NOT_LISTED = "the catalog does not list what it accepts"


class Choice(Struct, frozen=True):
    """The backends of an order, as far as the first that surely takes the model: why others do not, and what leaves others open.

    `takes` is that backend, None where there is none. It is the one that resolves if nothing before it is open and `founded` says
    that the order is the engine's own.
    """

    takes: tuple[Mapping[str, Any], ...] = ()
    removed: Mapping[str, str] = field(default_factory=dict)
    open: Mapping[str, str] = field(default_factory=dict)
    founded: bool = True

    @property
    def chosen(self) -> str | None:
        return self.takes[0]["name"] if len(self.takes) == 1 and not self.open else None

    @property
    def state(self) -> str:
        return "holds" if self.takes else "unknown" if self.open else "fails"


def attention(resolved: Resolved, joiner: Joiner) -> tuple[Hop | None, str | None]:
    """The hop and the backend it resolves to; no hop for engines whose backends the catalog does not list."""
    engine, derived = resolved.question.engine, resolved.question.derived
    if not engine.data.get("attention_backends") or isinstance(derived, Unknown) or not any(layer.attends for layer in derived.layers):
        return None, None
    if not _place(resolved):
        return (_anywhere(resolved, joiner), None) if _narrows(resolved) else (None, None)
    carried = read(joiner)
    if carried.status is None:
        listed, wanted = ", ".join(versions_of(engine.data)), joiner.release.version
        return Hop("attention", "unknown", f"the backends of {listed} are on record, those of {wanted} are not", optional=not _narrows(resolved)), None
    of_versions = tables(joiner, carried.basis)
    choices = [_choose(resolved, joiner, one) for one in of_versions]
    hops = [_hop(choice, one, resolved, joiner) for choice, one in zip(choices, of_versions, strict=True)]
    hop = _with_another(hops[0], choices[0], of_versions[0], resolved, joiner) if len(hops) == 1 else _together(hops, choices, of_versions)
    return replace(hop, how=carried.how if hop.how == "exact" else hop.how, stale=carried.stale), hop.value


def said(reason: Reason) -> str:
    """A reason in words, turned round where its leaf is false; what is said of a version stands as it is."""
    text = _shortened(reason)
    of_version = reason.fact.endswith(".version") and reason.text.startswith(f"{reason.fact.removesuffix('.version')} ")
    if reason.kind != "false" or of_version:
        return text
    for positive, negative in ((" is one of ", " is none of "), (" is ", " is not "), (" requires ", " does not require ")):
        if positive in text:
            return text.replace(positive, negative, 1)
    return f"not so: {text}"


def _shortened(reason: Reason) -> str:
    """A reason's words, with a long row of alternatives counted instead of listed."""
    head, verb, row = reason.text.partition(" is ")
    count = row.count(" or ") + 1
    if not verb or count <= MOST_ALTERNATIVES or head != reason.fact:
        return reason.text
    return f"{head} is one of the {count} that are listed"


def _place(resolved: Resolved) -> set[str]:
    return {name for fact in ("hardware.class", "platform") if (name := resolved.facts.get(fact))}


def _narrows(resolved: Resolved) -> bool:
    """Whether the person named something that decides among backends."""
    named = {"attention.backend", "cache.dtype", *PARTS, "block_size"} & resolved.question.given.keys()
    return any(resolved.question.given[fact] != "auto" for fact in named)


def _anywhere(resolved: Resolved, joiner: Joiner) -> Hop | None:
    """Where nobody named hardware: whether what the person did name leaves a backend, and on which classes."""
    carried = read(joiner)
    if carried.status is None:
        return None
    of_versions = tables(joiner, carried.basis)
    engine = resolved.question.engine.data
    classes = [word for word in joiner.ledger.catalog.words("hardware-class") if platform_of(word) in engine.get("platforms", (platform_of(word),))]
    choices = {word: [_choose(_at(resolved, word), joiner, one) for one in of_versions] for word in classes}
    fails = {word: [choice.state == "fails" for choice in choices[word]] for word in classes}
    good = [word for word in classes if not any(fails[word])]
    common = {"how": carried.how, "stale": carried.stale}
    changing = [word for word in classes if any(fails[word]) and not all(fails[word])]
    if changing and not good:
        finding = f"whether a backend is left changed in ({of_versions[0].version}, {of_versions[1].version}], of {_in_short(changing, classes)}"
        return Hop("attention", "unknown", finding, how="changed", stale=carried.stale)
    if not good:
        reasons = dict.fromkeys(_reasons(choice.removed) for choice, *_ in choices.values())
        sources = next(iter(_hop(choice, of_versions[0], resolved, joiner).sources for choice, *_ in choices.values()), ())
        finding = f"no class of hardware leaves a backend: {next(iter(reasons), '')}"
        return Hop("attention", "fails", finding, None, "refuses", sources=sources, **common)
    sources = _sources(choices[good[0]][0].takes[:1], joiner)
    lost = [word for word in classes if all(fails[word]) and not _fails(_at(_plain(resolved), word), joiner, of_versions)]
    if not lost:
        return Hop("attention", "holds", f"a backend is left on {_in_short(good, classes)}", sources=sources, **common)
    few = len(good) <= MOST_CLASSES < len(lost)
    finding = f"a backend is left on {', '.join(good)} alone" if few else f"no backend is left on {_in_short(lost, classes)}"
    avoided_by = f"Take hardware of class {_in_short(good, classes)}."
    return Hop("attention", "fails", finding, None, "refuses", avoided_by=avoided_by, sources=sources, **common)


def _fails(resolved: Resolved, joiner: Joiner, of_versions: list[Table]) -> bool:
    """Whether none of the tables leaves a backend."""
    return all(_choose(resolved, joiner, one).state == "fails" for one in of_versions)


def _in_short(some: list[str], classes: list[str]) -> str:
    """Classes of hardware one by one where they are few, else by platform: all of it, or from one class on."""
    if len(some) <= MOST_CLASSES:
        return ", ".join(some)
    parts = []
    for platform in dict.fromkeys(map(platform_of, some)):
        mine, all = ([word for word in words if platform_of(word) == platform] for words in (some, classes))
        whole, tail = mine == all and len(mine) > 1, mine == all[-len(mine) :] and len(mine) > 2
        parts.append(f"any {platform}" if whole else f"{platform} from {mine[0]} on" if tail else ", ".join(mine))
    return ", ".join(parts)


def _at(resolved: Resolved, hardware_class: str) -> Resolved:
    return replace(resolved, facts={**resolved.facts, "hardware.class": hardware_class, "platform": platform_of(hardware_class)})


def _plain(resolved: Resolved) -> Resolved:
    """The same stack with the engine's own choice of backend and type."""
    facts = {name: value for name, value in resolved.facts.items() if name not in ("attention.backend", "block_size")}
    question = replace(resolved.question, given={})
    return replace(resolved, question=question, facts=facts | {fact: "bf16" for fact in ("cache.dtype", *PARTS)})


def _choose(resolved: Resolved, joiner: Joiner, of_version: Table) -> Choice:
    backends = of_version.backends
    order, founded = _order(resolved, of_version)
    takes, removed, undecided = [], {}, {}
    for name in order:
        if name in of_version.elsewhere:
            removed[name] = f"is not among the backends of {of_version.version}"
            continue
        if name not in backends:
            undecided[name] = NOT_LISTED
            continue
        refusal, waits = next(_refusals(backends[name], resolved, joiner), ""), next(_waits(backends[name], resolved), "")
        if refusal:
            removed[name] = refusal
        elif waits:
            undecided[name] = waits
        else:
            takes.append(backends[name])
            if founded:
                break
    return Choice(tuple(takes), removed, undecided, founded)


def _order(resolved: Resolved, of_version: Table) -> tuple[list[str], bool]:
    """The backends to try, and whether their order is on record: the one that was asked for, else the engine's priorities.

    Those of the first entry whose condition holds; entries before it that are undecided leave the order open.
    """
    asked = resolved.facts.get("attention.backend")
    if asked not in (None, "auto"):
        return [asked], True
    order: dict[str, None] = {}
    founded = True
    for entry in of_version.selection:
        truth = evaluate(parse(entry["when"])[0] if "when" in entry else ALWAYS, resolved.stack)
        if not truth.no:
            order |= dict.fromkeys(entry["order"])
            founded = founded and truth.yes
        if truth.yes:
            return list(order), founded
    return list(order) or list(of_version.backends), False


def _refusals(entry: Mapping[str, Any], resolved: Resolved, joiner: Joiner) -> Iterator[str]:
    """Why a backend cannot run this model on this stack, the first reason first."""
    facts = resolved.facts
    if not _place(resolved) & set(entry["classes"]) and facts.get("hardware.class"):
        yield f"does not run on {facts['hardware.class']}"
    if "when" in entry and (truth := evaluate(parse(entry["when"])[0], resolved.stack)).no:
        yield f"is ruled out: {'; '.join(map(said, truth.because))}"
    for dtype in dict.fromkeys(facts.get(part) or facts.get("cache.dtype") for part in PARTS):
        if dtype and entry.get("cache_dtypes") and not _takes_dtype(entry["cache_dtypes"], dtype):
            yield f"does not take a {dtype} cache"
    for layer in dict.fromkeys(layer for layer in resolved.question.derived.layers if layer.attends):
        yield from _layer_refusals(entry, layer)
    size = resolved.question.given.get("block_size")
    if size and not _takes_block(entry.get("block_sizes"), size):
        yield f"does not take blocks of {size}"
    for requirement in resolved.question.derived.requirements:
        if joiner.backend_offer(requirement, entry["name"], resolved.stack) in REFUSING:
            yield f"lacks {requirement}"


def _waits(entry: Mapping[str, Any], resolved: Resolved) -> Iterator[str]:
    """What leaves it open whether a backend can run this model, where nothing rules it out."""
    if not _place(resolved) & set(entry["classes"]):
        yield "depends on hardware.class"
    if "when" in entry and (truth := evaluate(parse(entry["when"])[0], resolved.stack)).maybe:
        yield f"depends on {', '.join(truth.missing) or '; '.join(reason.text for reason in truth.because)}"


def _takes_dtype(words: list[str], dtype: str) -> bool:
    listed = {SAME.get(own_word(word), own_word(word)) for word in words}
    return SAME.get(dtype, dtype) in listed or (dtype in OF_THE_MODEL and "auto" in listed)


def _layer_refusals(entry: Mapping[str, Any], layer: Layer) -> Iterator[str]:
    kind = "full" if layer.kind == "recurrent+full" else layer.kind
    if entry.get("kinds") and kind not in entry["kinds"]:
        yield f"does not run {kind} layers"
    if not _takes_head(entry.get("head_dims"), layer.latent_width or layer.head_dim):
        yield f"does not take a latent of {layer.latent_width}" if layer.latent_width else f"does not take a head size of {layer.head_dim}"


def _takes_head(rule: Mapping[str, Any] | None, head_dim: int) -> bool:
    if rule is None or rule.get("any"):
        return True
    if "list" in rule:
        return head_dim in rule["list"]
    return head_dim <= rule.get("max", head_dim) and head_dim % rule.get("multiple_of", 1) == 0


def _takes_block(rule: Mapping[str, int] | list[int] | None, size: int) -> bool:
    """Whether blocks of a size pass; a kernel may split a larger one, so multiples of what is listed do."""
    sizes = [rule["multiple_of"]] if isinstance(rule, Mapping) else rule or [1]
    return any(size % one == 0 for one in sizes)


def _reasons(whys: Mapping[str, str]) -> str:
    """Backends with what keeps each out; those with the same reason together."""
    together: dict[str, list[str]] = {}
    for name, why in whys.items():
        together.setdefault(why, []).append(name)
    return "; ".join(f"{', '.join(names)} {why if len(names) == 1 else _of_many(why)}" for why, names in together.items())


def _of_many(why: str) -> str:
    """A reason's words for one backend turned into those for several."""
    for one, many in (("does not ", "do not "), ("is ", "are "), ("lacks ", "lack "), ("depends ", "depend ")):
        if why.startswith(one):
            return many + why.removeprefix(one)
    return why


def _sources(entries: tuple[Mapping[str, Any], ...], joiner: Joiner) -> tuple[Source, ...]:
    return tuple(joiner.ledger.source_of(cite["id"], cite.get("at", "")) for entry in entries for cite in entry["cites"])


def _hop(choice: Choice, of_version: Table, resolved: Resolved, joiner: Joiner) -> Hop:
    if choice.chosen:
        asked = resolved.facts.get("attention.backend") not in (None, "auto")
        why = f", because {_reasons(choice.removed)}" if choice.removed else ""
        how = "as asked" if asked else f"auto resolves to it{why}" if choice.founded else "the only one that takes it"
        return Hop("attention", "holds", f"{choice.chosen}: {how}", choice.chosen, sources=_sources(choice.takes, joiner))
    if choice.takes:
        names = " or ".join([*choice.open, *(entry["name"] for entry in choice.takes)])
        which = _reasons(choice.open) or "which one the engine takes is not on record"
        return Hop("attention", "holds", f"{names}: {which}", sources=_sources(choice.takes[:1], joiner))
    refusing = tuple(of_version.listed if name in of_version.elsewhere else of_version.backends[name] for name in choice.removed)[:1]
    sources = _sources(refusing or tuple(of_version.selection[:1]), joiner)
    if choice.open:
        return Hop("attention", "unknown", _reasons({**choice.removed, **choice.open}), sources=sources)
    return Hop("attention", "fails", f"no backend is left: {_reasons(choice.removed)}", None, "refuses", sources=sources)


def _with_another(hop: Hop, choice: Choice, of_version: Table, resolved: Resolved, joiner: Joiner) -> Hop:
    """A choice that the engine makes by itself and that does not take the model can be changed, where a backend that it did not try does.

    Where the person named a type of the cache and the like, that is what can be taken back.
    """
    if hop.state != "fails" or _narrows(resolved) or BACKEND not in joiner.settings:
        return hop
    left = [name for name in of_version.backends if name not in choice.removed]
    named = {name: replace(resolved, facts={**resolved.facts, BACKEND: name}) for name in left}
    others = [name for name in left if _choose(named[name], joiner, of_version).chosen]
    return replace(hop, settings=(BACKEND,), when={"not": {BACKEND: others}}) if others else hop


def _together(hops: list[Hop], choices: list[Choice], of_versions: list[Table]) -> Hop:
    """The hop at a version between two that were read: theirs where they say the same, else what differs, with both named."""
    (one, other), (lower, upper) = hops, (read.version for read in of_versions)
    sources = tuple(dict.fromkeys(one.sources + other.sources))
    names = [[*choice.open, *(entry["name"] for entry in choice.takes)] for choice in choices]
    if one.state == other.state and (names[0] == names[1] or one.state != "holds"):
        both = f"{one.finding.split(', because')[0]}, at {lower} as at {upper}" if one.value else f"at {lower} {one.finding}; at {upper} {other.finding}"
        return replace(one, finding=one.finding if one.finding == other.finding else both, sources=sources)
    changed = f"changed in ({lower}, {upper}]"
    if one.state == other.state:
        first, second = (" or ".join(some) for some in names)
        return Hop("attention", "holds", f"{first} at {lower}, {second} at {upper}: which one it takes {changed}", sources=sources)
    return Hop("attention", "unknown", f"at {lower} {one.finding}; at {upper} {other.finding}; {changed}", how="changed", sources=sources)
