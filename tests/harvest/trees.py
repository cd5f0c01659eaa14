"""Small trees in the shape of each upstream, and what a harvester reads out of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec.structs import replace

from infercompat.harvest import HARVESTERS, Harvester, Tree
from infercompat.harvest.base import Claim

Files = Mapping[str, str | bytes]


def grow(folder: Path, files: Files) -> Tree:
    """A tree of files below a folder, byte for byte as given."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Tree(folder)


def small(engine: str) -> Harvester:
    """The harvester of an engine, content with a tree of a few claims."""
    return replace(HARVESTERS[engine], least=1)


def said(claims: Iterable[Claim]) -> list[str]:
    """Claims as subject, status and place, such as `LlamaForCausalLM native L3`."""
    return [f"{' '.join(value for _, value in item.about)} {item.holds} {item.at}" for item in claims]


VLLM = {
    "vllm/model_executor/models/registry.py": """\
_TEXT_GENERATION_MODELS = {
    # [Decoder-only]
    "LlamaForCausalLM": ("llama", "LlamaForCausalLM"),
    "BrokenForCausalLM": ("broken", "BrokenForCausalLM"),
}

_EMBEDDING_MODELS: dict[str, tuple[str, str]] = {
    "BertModel": ("bert", "BertEmbeddingModel"),
    "LlamaForCausalLM": ("llama", "LlamaForCausalLM"),
    **{k: v for k, v in _TEXT_GENERATION_MODELS.items() if v[0] == "llama"},
    **{"GritLM": ("gritlm", "GritLM")},
}

_SPECULATIVE_DECODING_MODELS = {"EagleModel": ("eagle", "Eagle")}

_TRANSFORMERS_SUPPORTED_MODELS = {"SmolLM3ForCausalLM": ("transformers", "TransformersForCausalLM")}

_TRANSFORMERS_BACKEND_MODELS = {"TransformersForCausalLM": ("transformers", "TransformersForCausalLM")}

_VLLM_MODELS = {
    **_TEXT_GENERATION_MODELS,
    **_EMBEDDING_MODELS,
    **_SPECULATIVE_DECODING_MODELS,
    **_TRANSFORMERS_SUPPORTED_MODELS,
    **_TRANSFORMERS_BACKEND_MODELS,
}

_PREVIOUSLY_SUPPORTED_MODELS = {"BrokenForCausalLM": "0.9.2", "PairForCausalLM": ("0.8", "0.9")}

_OOT_SUPPORTED_MODELS = {"BartForConditionalGeneration": "https://example.com/plugin"}


class _ModelRegistry:
    def _try_resolve_transformers(self, architecture):
        return None
"""
}

SGLANG = {
    "sglang/srt/models/registry.py": 'if hasattr(module, "EntryClass"):\n    entry = module.EntryClass\n',
    "sglang/srt/models/llama.py": "class LlamaForCausalLM: ...\n\n\nEntryClass = [\n    LlamaForCausalLM,\n    Phi3ForCausalLM,\n]\n",
    "sglang/srt/models/qwen2.py": "EntryClass = Qwen2ForCausalLM\n",
    "sglang/srt/models/utils.py": "# No EntryClass here.\n",
    "sglang/srt/models/common/inner.py": "EntryClass = InnerForCausalLM\n",
}

LLAMACPP = {
    "conversion/__init__.py": "",
    "conversion/llama.py": """\
@ModelBase.register("LLaMAForCausalLM", "LlamaForCausalLM", "skt.A.X")
class LlamaModel(TextModel):
    @classmethod
    def register(cls, *names): ...


@ModelBase.register(
    "Gemma3ForConditionalGeneration",
)
@ModelBase.register("Gemma3TextModel")
@ModelBase.example("NotRegistered")
class Gemma3Model(TextModel): ...


@register("Nameless")
class Other: ...


ModelBase.register("CalledOutright")(Other)
""",
}

MLX = {
    "mlx_lm/models/__init__.py": "",
    "mlx_lm/models/base.py": "class BaseModelArgs: ...\n",
    "mlx_lm/models/llama.py": "import mlx.nn as nn\n\n\nclass Model(nn.Module):\n    class Model: ...\n",
    "mlx_lm/models/solar_open.py": "from .glm4_moe import Model  # noqa: F401\n",
    "mlx_lm/models/alias.py": "class LM: ...\n\n\nModel = LM\n",
    "mlx_lm/utils.py": 'MODEL_REMAPPING = {\n    "mistral": "llama",\n    "phi-msft": "phixtral",\n    "odd": compute(),\n}\n',
}

TRANSFORMERS = {
    "transformers/models/auto/modeling_auto.py": """\
MODEL_MAPPING_NAMES = OrderedDict(
    [
        # Base models
        ("llama", "LlamaModel"),
        ("funnel", ("FunnelModel", "FunnelBaseModel")),
        ("timm", None),
    ]
)

MODEL_FOR_CAUSAL_LM_MAPPING_NAMES: OrderedDict[str, str] = OrderedDict([("llama", "LlamaForCausalLM"), ("base", "LlamaModel")])

MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES = OrderedDict(
    [
        *list(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.items()),
        ("voxtral", "VoxtralForConditionalGeneration"),
    ]
)

MODEL_FOR_PLAIN_MAPPING_NAMES = {"plain": "PlainForAudio"}

CONFIG_MAPPING_NAMES = OrderedDict([("llama", "LlamaConfig")])
MODEL_MAPPING = _LazyAutoMapping(CONFIG_MAPPING_NAMES, MODEL_MAPPING_NAMES)
"""
}
