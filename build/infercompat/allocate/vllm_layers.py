"""From a model's layers to what each asks of vLLM's block pool on one rank: bytes of a token, tokens of a block, bytes of a page."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil, lcm

from msgspec import Struct
from msgspec.structs import replace

from infercompat.allocate.drafts import WITHOUT_CACHE, cached_layers
from infercompat.allocate.terms import Terms, divides, element_bytes, heads_on_rank, state_elements, whole
from infercompat.derive import Layer, Unknown

PER_TOKEN_HEAD = {"int8_per_token_head": Fraction(1), "fp8_per_token_head": Fraction(1), "int4_per_token_head": Fraction(1, 2)}
"""Bytes an element of types that keep an fp32 scale for each K and V of a head (v1/attention/backends/triton_attn.py customize_spec)."""

NVFP4 = Fraction(9, 16)
"""Half a byte an element, and a byte of scale for 16 (utils/torch_utils.py nvfp4_kv_cache_full_dim)."""

PACKED_LATENT = {"fp8_ds_mla": 656, "nvfp4_ds_mla": 352}
"""Bytes a token where a latent of 512 + 64 is packed with its scales (model_executor/layers/attention/mla_attention.py)."""

INDEX_TYPES = {None: Fraction(2), "auto": Fraction(2), "bf16": Fraction(2), "fp8": Fraction(1), "fp8_e4m3": Fraction(1)}
"""Bytes an element of index keys beside heads, by what is asked for (models/minimax_m3/common/indexer.py MiniMaxM3IndexerCache)."""

FULL_KINDS = {"full": "full", "recurrent+full": "full", "latent": "latent", "indexed": "latent"}


class Spec(Struct, frozen=True):
    """One layer's cache. Layers of one group agree in kind, window and `shape`; a state has a page, and no bytes for a token.

    `positions` are those of the other input that cross-attention holds.
    """

    kind: str
    token_bytes: Fraction
    block: int
    page: Fraction
    window: int = 0
    shape: tuple[int, ...] = ()
    positions: int = 0

    def with_block(self, block: int) -> Spec:
        return replace(self, block=block, page=self.token_bytes * block)


class Specs(Struct, frozen=True):
    """The specs with the index of their layer in the model, and what was decided on the way."""

    of_layers: tuple[tuple[int, Spec], ...]
    block: int
    because: tuple[str, ...] = ()

    @property
    def all(self) -> list[Spec]:
        return [spec for _, spec in self.of_layers]


def read_specs(terms: Terms) -> Specs | Unknown:
    """The specs of all layers that own a cache. A layer can have two: attention and state, or a latent and its index key."""
    if problem := _refusal(terms):
        return problem
    block = int(terms["block_size"] or terms.parameters["block_size"])
    if _indexes_heads(terms.layers):
        block = int(terms.request.given("block_size") or terms.parameters["index_beside_heads"])
    attending = [(index, spec) for index, layer in enumerate(terms.layers) for spec in _attention(terms, layer, block)]
    drafts = draft_layers(terms)
    attending += [(len(terms.layers) - 1, spec) for layer in drafts for spec in _attention(terms, layer, block)]
    states = [(index, size) for index, layer in enumerate(terms.layers) if (size := _state(terms, layer))]
    because: tuple[str, ...] = (f"{len(drafts)} more layers that attend: {'the draft' if terms.request.draft else 'the head that drafts'}",) if drafts else ()
    if states and attending:
        page, widest = max(size for _, size in states), max(spec.token_bytes for _, spec in attending)
        step = _alignment(terms, block)
        if isinstance(step, Unknown):
            return step
        aligned = step * ceil(page / (step * widest))
        if aligned > block:
            because = (*because, f"attention blocks grew from {block} to {aligned} tokens, so that a page holds a recurrent state")
            block, attending = aligned, [(index, spec.with_block(aligned)) for index, spec in attending]
    pages = [spec.page for _, spec in attending]
    padded = [(index, Spec("state", Fraction(0), block, max([size, *pages]))) for index, size in states]
    return Specs(tuple(sorted([*attending, *padded], key=lambda item: item[0])), block, because)


def draft_layers(terms: Terms) -> tuple[Layer, ...]:
    """The layers of a draft that keep a cache, on the last stage and in the pool of the others: of a model or head of its own as they
    are, of a multi-token prediction head like those that attend.

    None of such a head are counted where the model's attending layers differ, since the head's kind then follows the model's code (models/*_mtp.py).
    """
    if terms.request.draft is not None:
        return () if terms["speculation.method"] in WITHOUT_CACHE else cached_layers(terms.request.draft)
    count = whole(terms["model.draft_layers"]) if terms["speculation.method"] == "mtp" and terms.speculative_tokens else None
    if not count:
        return ()
    attending = [layer for layer in terms.layers if layer.attends and not layer.shares]
    alike = len({(layer.kind, layer.window, layer.kv_heads, layer.k_width, layer.v_width, layer.latent_width) for layer in attending}) == 1
    return tuple(attending[-1:] * count) if alike else ()


def _indexes_heads(layers: tuple[Layer, ...]) -> bool:
    """Whether layers keep index keys beside the heads of grouped-query attention."""
    return any(layer.index_width and not layer.latent_width for layer in layers)


def context_ranks(terms: Terms) -> int:
    """Ranks that share the tokens of each request among them (decode context parallelism)."""
    return max(1, int(terms["setting.decode_context_parallel_size"] or 1))


def _refusal(terms: Terms) -> Unknown | None:
    """What keeps the layers from being worked out."""
    ranks, layers, draft = terms.ranks("tensor_parallel"), (*terms.layers, *draft_layers(terms)), terms.request.draft
    if draft is not None and any(layer.conv_elements or layer.state_elements for layer in draft.layers):
        return Unknown(("a rule for this draft",), "a draft with recurrent states is not worked out")
    if draft is not None and not terms.speculative_tokens and any(layer.conv_elements or layer.state_elements for layer in terms.layers):
        return Unknown(("speculation.tokens",), "states are kept for each drafted token, and their number is not known")
    if any(layer.kind == "cross" for layer in layers):
        return Unknown(("an engine that serves these layers",), "layers that attend to an image alone are not served since 0.10.2")
    if any(layer.cross_tokens for layer in layers) and not terms.parameters.get("cross_attention"):
        return Unknown(("a rule for cross-attention",), "how this version counts cross-attention was not read")
    if _indexes_heads(layers) and "index_beside_heads" not in terms.parameters:
        return Unknown(("a rule for this index",), "how this version keeps index keys beside grouped-query attention was not read")
    if _indexes_heads(layers) and str(terms["hardware.class"] or "").startswith("gfx"):
        return Unknown(("a rule for this index",), "the heads of layers with index keys are kept apart on such a device, which is not worked out")
    if _indexes_heads(layers) and terms["setting.indexer_kv_dtype"] not in INDEX_TYPES:
        return Unknown(("setting.indexer_kv_dtype",), f"the size of index keys of {terms['setting.indexer_kv_dtype']} is not known")
    if not all(divides(0 if layer.latent_width else layer.kv_heads, ranks) for layer in layers):
        return Unknown(("tensor_parallel",), f"the KV heads cannot be spread evenly over {ranks} ranks")
    stateful = [layer for layer in layers if layer.conv_elements or layer.state_elements]
    if ranks > 1 and "mamba2" in terms.request.derived.requirements:
        return Unknown(("the number of Mamba-2 groups",), "groups of Mamba-2 that do not divide by the ranks are kept by several")
    if stateful and terms.speculative_tokens and not whole(terms["model.conv_kernel"]):
        return Unknown(("model.conv_kernel",), "convolutions keep a column more for each drafted token, and the kernel's length is not known")
    if context_ranks(terms) > 1 and any(layer.window or layer.conv_elements or layer.state_elements or layer.index_width for layer in layers):
        return Unknown(("a rule for shared contexts",), "how windows, states and index keys are kept where ranks share a context is not worked out")
    if _cache_width(terms, layers) is None:
        return Unknown(("cache.dtype",), f"the size of a cache of {terms['cache.dtype']} is not known for these layers")
    return None


def _cache_width(terms: Terms, layers: tuple[Layer, ...]) -> tuple[Fraction, int] | None:
    """Bytes of an element, and bytes of scales for a head of a token; None for a type that these layers cannot have."""
    dtype = terms["cache.dtype"] or "auto"
    if dtype in PER_TOKEN_HEAD:
        return PER_TOKEN_HEAD[dtype], 8
    if dtype in PACKED_LATENT:
        return (Fraction(1), 0) if all(layer.latent_width in (0, 576) for layer in layers) else None
    if dtype in ("nvfp4", "nvfp4_4over6"):
        return None if any(layer.latent_width for layer in layers) else (NVFP4, 0)
    # Sparse backends serve fp8 by the packed layout or as plain elements, so the type alone does not tell.
    if dtype.startswith("fp8") and any(layer.kind == "indexed" and layer.latent_width for layer in layers):
        return None
    size = element_bytes(dtype)
    return None if size is None or size not in (1, 2, 4) else (size, 0)


def _attention(terms: Terms, layer: Layer, block: int) -> Iterator[Spec]:
    """What a layer keeps of each token: K and V of its heads on this rank, or a latent, which every rank keeps, and an index key."""
    if not layer.attends or layer.shares:
        return
    size, scales = _cache_width(terms, (*terms.layers, *draft_layers(terms))) or (Fraction(0), 0)
    if layer.latent_width:
        packed = PACKED_LATENT.get(terms["cache.dtype"] or "")
        yield _spec("latent", Fraction(packed) if packed else layer.latent_width * size + scales, block, 0, (layer.latent_width,))
    elif layer.kind != "recurrent":
        heads = heads_on_rank(layer.kv_heads, terms.ranks("tensor_parallel"))
        token_bytes = heads * ((layer.k_width + layer.v_width) * size + scales)
        shape = (heads, layer.k_width, layer.v_width)
        yield _spec(FULL_KINDS.get(layer.kind, layer.kind), token_bytes, block, layer.window, shape)
        if layer.cross_tokens:
            yield replace(_spec("cross", token_bytes, block, 0, shape), positions=layer.cross_tokens)
    if layer.index_width and not layer.latent_width:
        yield _spec("latent", layer.index_width * INDEX_TYPES[terms["setting.indexer_kv_dtype"]], block, 0, (layer.index_width, 1))
    elif layer.index_width:
        # An index key is fp8 with an fp32 scale for 128 elements, whatever the cache's type (model_executor/models/deepseek_v2.py).
        yield _spec("latent", Fraction(layer.index_width + 4 * (layer.index_width // 128)), block, 0, (layer.index_width, 1))


def _spec(kind: str, token_bytes: Fraction, block: int, window: int, shape: tuple[int, ...]) -> Spec:
    return Spec(kind, Fraction(token_bytes), block, token_bytes * block, window, shape)


def _state(terms: Terms, layer: Layer) -> Fraction:
    """Bytes of one recurrent state: its own type where the config or the code has one, else that of the model, as convolutions have."""
    elements = state_elements(layer, terms.ranks("tensor_parallel"), terms.speculative_tokens, whole(terms["model.conv_kernel"]))
    convolution, recurrent = elements or (Fraction(0), Fraction(0))
    asked = terms["setting.mamba_ssm_cache_dtype"]
    return convolution * 2 + recurrent * (element_bytes(layer.state_dtype if asked in (None, "auto") else asked) or 0)


def _alignment(terms: Terms, block: int) -> int | Unknown:
    """Tokens that an attention block beside states is a multiple of (platforms/interface.py _align_hybrid_block_size)."""
    if any(layer.latent_width for layer in terms.layers):
        least = terms.parameters.get("latent_alignment")
        if least is None:
            return Unknown(("attention.backend",), "in this version the block of latent attention beside states follows the attention backend")
        block = max(block, least)
    if not caches_states(terms):
        return block
    checkpoint = prefill_checkpoint(terms)
    if checkpoint is None:
        return Unknown(("hardware.class",), "whether prefill leaves checkpoints of the state, on blocks of more tokens, follows its kernels")
    return lcm(block, checkpoint[1])


def caches_states(terms: Terms) -> bool:
    """Whether prefixes are cached beside recurrent states; where nothing is said, as the version does for models that also attend."""
    given = terms.request.given("prefix_caching")
    return bool(terms.parameters["state_prefix_caching"] and any(layer.attends for layer in terms.layers) if given is None else given)


def prefill_checkpoint(terms: Terms) -> tuple[int, int] | None:
    """State blocks that a prefill may leave as a checkpoint, and the tokens that blocks are then multiples of; None where not known."""
    for rule in terms.parameters["checkpoints"]:
        if rule["requirement"] in terms.request.derived.requirements:
            kernel, device = terms[rule["setting"]] if "setting" in rule else None, terms["hardware.class"]
            if "setting" not in rule or kernel == rule["kernel"] or (kernel is None and device in rule.get("hardware", ())):
                return rule["blocks"], rule["alignment"]
            return (0, 1) if kernel is not None or device in rule.get("not_hardware", ()) else None
    return 0, 1


def stages(terms: Terms) -> list[range]:
    """The layers of each pipeline stage: what is left over goes to the stages before the last, from the back (distributed/utils.py)."""
    count, ranks = len(terms.layers), terms.ranks("pipeline_parallel")
    sizes = [count // ranks + (ranks - 1 - count % ranks <= stage < ranks - 1) for stage in range(ranks)]
    return [range(start, end) for start, end in pairwise([0, *accumulate(sizes)])]
