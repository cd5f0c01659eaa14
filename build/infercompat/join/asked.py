"""The hops of the features that a person asks for: one for each, and one for any two that a source says do not go together."""

from __future__ import annotations

from itertools import combinations

from msgspec.structs import replace

from infercompat.join.features import FEATURE, FEATURES, Feature
from infercompat.join.hops import Hop, Joiner, newest_release
from infercompat.join.stack import Stack
from infercompat.versions import compare, parse_version


def features(joiner: Joiner, asked: tuple[str, ...], stack: Stack) -> list[Hop]:
    """The hops of features by their ids. Two together are a hop only where a source says what they lack."""
    found = [_feature(joiner, id, stack) for id in asked]
    for one, other in combinations(asked, 2):
        names = f"{FEATURES[one].name} with {FEATURES[other].name}"
        hop = joiner.feature(f"{FEATURE}{one}+{other}", names, stack)
        if hop is not None and hop.state != "holds":
            untested = hop.state == "unknown"
            settings = (FEATURES[one].fact, FEATURES[other].fact)
            found.append(replace(hop, name=f"{one} with {other}", finding=f"{names}: {hop.finding}", optional=untested, settings=settings))
    return found


def _feature(joiner: Joiner, id: str, stack: Stack) -> Hop:
    """What is said of it where the model is named and of any model, the worse of both; else what the engine has a setting for."""
    feature = FEATURES[id]
    hop = joiner.feature(FEATURE + id, feature.name, stack)
    statements = joiner.ledger.on_offer(joiner.engine.id, FEATURE + id, stack.names)
    earlier = hop is not None and hop.how == "before"  # than what any source speaks of
    by_setting = _by_setting(joiner, feature) if earlier or not statements else None
    if by_setting is not None or hop is None:
        return by_setting or _silent(joiner, feature, stack)
    return replace(hop, name=id, finding=f"{feature.name}: {hop.finding}", settings=(feature.fact,))


def _by_setting(joiner: Joiner, feature: Feature) -> Hop | None:
    """That the engine has a setting for it; None where it has none that this version is known to have."""
    engine = joiner.engine.data
    setting = (engine.get("settings") or {}).get(feature.fact)
    if setting is None:
        return None
    here, since = (parse_version(engine["scheme"], text) if text else None for text in (joiner.release.version, setting.get("since")))
    if since and (here is None or compare(since, here) not in ("less", "equal")):
        return None
    carried = since is None and joiner.release.version != newest_release(joiner.engine).version
    sources = tuple(joiner.ledger.source_of(cite["id"], cite.get("at", "")) for cite in setting["cites"])
    finding = f"{feature.name}: {engine['name']} has {setting['flag']} for it"
    return Hop(feature.id, "holds", finding, "native", stale=carried, sources=sources, settings=(feature.fact,))


def _silent(joiner: Joiner, feature: Feature, stack: Stack) -> Hop:
    value = stack.get(feature.fact)
    which = f" by {value}" if isinstance(value, str) else ""
    finding = f"no source of {joiner.engine.data['name']} in the catalog speaks of {feature.name}{which} here"
    return Hop(feature.id, "unknown", finding, settings=(feature.fact,))
