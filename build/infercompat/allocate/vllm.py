"""vLLM: layers in groups that draw blocks of one size from one pool.

Decided by v1/core/kv_cache_planning.py (v1/core/kv_cache_utils.py before 0.33) and config/vllm.py. What changed between versions is
in the parameters of a policy.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from msgspec import Struct
from msgspec.structs import replace

from infercompat.allocate.allocation import Allocation
from infercompat.allocate.terms import Terms
from infercompat.allocate.vllm_compressed import LAYOUT, is_compressed, plan_compressed
from infercompat.allocate.vllm_figures import figures
from infercompat.allocate.vllm_layers import Spec, Specs, read_specs, stages
from infercompat.derive import Unknown

EAGLE = ("eagle", "eagle3", "mtp")


class Plan(Struct, frozen=True):
    """The groups of layers, each with its spec and number of layers. A block has `bytes_per_block` on the pipeline stage that holds
    most, and `bytes_over_stages` over all of them. Where the check at start-up counts other bytes for a block, they are `checked`; where
    blocks of some groups count for more or less than one in the concurrency, `shares` says what each counts for."""

    groups: tuple[tuple[Spec, int], ...]
    bytes_per_block: Fraction
    bytes_over_stages: Fraction
    block: int
    because: tuple[str, ...]
    checked: Fraction | None = None
    shares: tuple[Fraction, ...] = ()


def blocks(terms: Terms) -> Allocation | Unknown:
    """The figures of one rank for `vllm-blocks/1`."""
    if is_compressed(terms):
        packed = plan_compressed(terms, Plan)
        return packed if isinstance(packed, Unknown) else replace(figures(terms, Specs((), packed.block), packed), kept_as=LAYOUT)
    specs = read_specs(terms)
    if isinstance(specs, Specs) and not specs.of_layers:
        return Allocation(terms.algorithm, terms.title, (), reserved=0, needed_bytes=0, because=("no layer keeps a cache",))
    plan = specs if isinstance(specs, Unknown) else plan_groups(terms, without_hybrid_manager(terms, specs))
    return plan if isinstance(plan, Unknown) else figures(terms, specs, plan)


def without_hybrid_manager(terms: Terms, specs: Specs) -> Specs:
    """Windowed layers as full ones where the hybrid manager is off; a model without a full layer keeps its windows."""
    reason = _manager_off(terms, specs)
    if not reason or not any(spec.kind in ("full", "latent") for spec in specs.all):
        return specs
    widened = tuple((index, replace(spec, kind="full", window=0) if spec.window else spec) for index, spec in specs.of_layers)
    return replace(specs, of_layers=widened, because=(*specs.because, f"hybrid manager off: {reason}; windowed layers keep every token"))


def _manager_off(terms: Terms, specs: Specs) -> str:
    """Why the hybrid manager is off (config/vllm.py); empty where it is on. What a KV connector supports is not looked into."""
    if terms["setting.disable_hybrid_kv_cache_manager"]:
        return "--disable-hybrid-kv-cache-manager"
    if any(spec.kind == "chunked" for spec in specs.all):
        if terms["speculation.method"] in EAGLE:
            return "chunked attention with EAGLE"
        if not terms.parameters["chunks_in_hybrid_manager"]:
            return "chunked attention"
    return ""


def plan_groups(terms: Terms, specs: Specs) -> Plan | Unknown:
    """The groups. Layers of one type form one, whatever their widths; else pages are made equal and layers grouped by number."""
    if _one_type(specs.all):
        of_stage = [sum((spec.page for index, spec in specs.of_layers if index in stage), Fraction(0)) for stage in stages(terms)]
        return Plan(((specs.all[0], len(specs.all)),), max(of_stage), sum(of_stage, Fraction(0)), specs.block, specs.because)
    if _manager_off(terms, specs) and any(spec.kind == "state" for spec in specs.all):
        return Unknown(("setting.disable_hybrid_kv_cache_manager",), "a model with recurrent states does not start without the hybrid manager")
    unified = _unified(terms, specs)
    return unified if isinstance(unified, Unknown) else _grouped(terms, unified)


def _one_type(specs: list[Spec]) -> bool:
    """Whether all layers need the same number of token slots (UniformTypeKVCacheSpecs)."""
    types = {("full" if spec.kind == "latent" else spec.kind, spec.window, spec.block) for spec in specs}
    return len(types) == 1 and (specs[0].kind != "state" or len({spec.page for spec in specs}) == 1)


def _unified(terms: Terms, specs: Specs) -> Specs | Unknown:
    """All pages as large as the largest: by more tokens in a block where that fits, else by padding (unify_kv_cache_spec_page_size)."""
    largest, changed, because = max(spec.page for spec in specs.all), [], {}
    for index, spec in specs.of_layers:
        if spec.page != largest and spec.kind != "state" and (largest / spec.page).denominator == 1:
            spec = spec.with_block(spec.block * int(largest / spec.page))
            because[f"blocks of {spec.kind} layers hold {spec.block} tokens, so that all pages are equal"] = None
        elif spec.page != largest:
            if spec.kind == "latent" or (spec.kind != "state" and terms.parameters["uneven_pages"] != "pad"):
                return Unknown(("a common page",), "pages of different sizes cannot be made equal: the engine does not start")
            because[f"pages of {spec.kind} layers are padded, so that all pages are equal"] = None
            spec = replace(spec, page=largest)
        changed.append((index, spec))
    return replace(specs, of_layers=tuple(changed), because=(*specs.because, *because))


def _grouped(terms: Terms, specs: Specs) -> Plan:
    """Groups of equally many layers of one kind: as many as the rarest kind has, or as the commonest where that is little more."""
    kinds: dict[Spec, list[int]] = {}
    for index, spec in specs.of_layers:
        kinds.setdefault(spec, []).append(index)
    counts = [len(indexes) for indexes in kinds.values()]
    least, most = min(counts), max(counts)
    size = most if most < Fraction(str(terms.parameters["group_slack"])) * least else least
    groups = [(spec, members) for spec, indexes in kinds.items() for members in _split(indexes, size)]
    widest = max(sum(index in stage for index in members) for _, members in groups for stage in stages(terms))
    spread = ", ".join(f"{ceil(len(indexes) / size)} of {size} {spec.kind} layers" for spec, indexes in kinds.items())
    page, because = specs.all[0].page, (*specs.because, f"groups share one pool: {spread}")
    return Plan(tuple((spec, len(members)) for spec, members in groups), page * widest, page * size, specs.block, because)


def _split(indexes: list[int], size: int) -> list[list[int]]:
    """Layers in groups of at most `size`, each group with layers from every part of the model."""
    number = ceil(len(indexes) / size)
    return [indexes[start::number] for start in range(number)]
