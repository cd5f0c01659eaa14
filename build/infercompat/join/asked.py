"""The hops of the features that a person asks for: one for each, and one for any two that a source says do not go together."""

from __future__ import annotations

from itertools import combinations

from msgspec.structs import replace

from infercompat.condition import lookup, parse
from infercompat.condition.nodes import leaves
from infercompat.join.features import FEATURE, FEATURES, Feature
from infercompat.join.hops import Hop, Joiner, newest_release
from infercompat.join.stack import Stack
from infercompat.versions import compare, parse_version

GENERATING = ("speculation", "structured-output")
"""Features of servers that generate: a claim that does not speak of the task says nothing of one that only pools."""

POOLED = ("embed", "rerank")


def features(joiner: Joiner, asked: tuple[str, ...], stack: Stack) -> list[Hop]:
    """The hops of features by their ids. Two together are a hop only where a source says what they lack."""
    found = [_feature(joiner, id, stack) for id in asked]
    for one, other in combinations(asked, 2):
        names = f"{FEATURES[one].name} with {FEATURES[other].name}"
        hop = joiner.feature(f"{FEATURE}{one}+{other}", names, stack)
        if hop is not None and hop.state != "holds" and hop.how not in ("before", "none"):
            untested = hop.state == "unknown"
            settings = (FEATURES[one].fact, FEATURES[other].fact)
            found.append(replace(hop, name=f"{one} with {other}", finding=f"{names}: {hop.finding}", optional=untested, settings=settings))
    return found


def _feature(joiner: Joiner, id: str, stack: Stack) -> Hop:
    """What sources say of it; else what the engine has a setting for. What speaks of later versions alone decides nothing.

    Where sources speak of other values alone, or of none, the setting's closed list refuses one that is not on it, and says nothing of one
    that is.
    """
    feature = FEATURES[id]
    hop = joiner.feature(FEATURE + id, feature.name, stack)
    if hop is None:
        silent = not joiner.ledger.on_offer(joiner.engine.id, FEATURE + id, stack.names)
        said = _by_setting(joiner, feature, stack)
        return said if said is not None and (silent or said.state == "fails") else _silent(joiner, feature, stack)
    if hop.state in ("holds", "gap") and not _speaks_of(hop, feature.fact) and not lookup(feature.fact).values:
        said = _by_setting(joiner, feature, stack)
        if said is not None and said.state == "fails":
            return said
    if id in GENERATING and stack.get("task") in POOLED and hop.state in ("holds", "gap") and not _speaks_of(hop, "task"):
        finding = f"{feature.name}: what is said of it is said of generation, and this server is to {stack.get('task')}"
        return replace(hop, name=id, state="unknown", finding=finding, value=None, settings=(feature.fact,))
    later = hop.how == "before" and feature.fact in joiner.settings
    return replace(hop, name=id, finding=f"{feature.name}: {hop.finding}", optional=later, settings=(feature.fact,))


def _speaks_of(hop: Hop, fact: str) -> bool:
    condition = parse(hop.when)[0] if hop.when else None
    return condition is not None and any(fact in leaf.facts for leaf in leaves(condition))


def _by_setting(joiner: Joiner, feature: Feature, stack: Stack) -> Hop | None:
    """That the engine has a setting for it, or takes other words there in its newest release, whose list is on record; None where it has none."""
    setting, engine = joiner.settings.get(feature.fact), joiner.engine.data
    if setting is None:
        return None
    sources = tuple(joiner.ledger.source_of(cite["id"], cite.get("at", "")) for cite in setting["cites"])
    finding = f"{feature.name}: {engine['name']} has {setting['flag']} for it"
    common = dict(sources=sources, settings=(feature.fact,))
    value, listed = stack.get(feature.fact), [*map(str, setting.get("values", ())), *setting.get("words", ())]
    newest = joiner.release.version == newest_release(joiner.engine).version
    if isinstance(value, str) and listed and value not in listed:
        finding += f", which does not take {value}"
        refused = Hop(feature.id, "fails", finding, "unsupported", "refuses", **common)
        return refused if newest else Hop(feature.id, "unknown", f"{finding} in the newest release on record", **common)
    here, since = (parse_version(engine["scheme"], text) if text else None for text in (joiner.release.version, setting.get("since")))
    if newest or (since and here and compare(since, here) in ("less", "equal")):
        return Hop(feature.id, "holds", finding, "native", **common)
    when = f"from {since.text} on" if since else "in the newest release on record"
    return Hop(feature.id, "unknown", f"{finding} {when}", optional=since is None, **common)


def _silent(joiner: Joiner, feature: Feature, stack: Stack) -> Hop:
    value = stack.get(feature.fact)
    which = f" by {value}" if isinstance(value, str) else ""
    finding = f"no source of {joiner.engine.data['name']} in the catalog speaks of {feature.name}{which} here"
    return Hop(feature.id, "unknown", finding, settings=(feature.fact,))
