"""vLLM's backends: inherited answers beside what upstream's own table can see."""

from __future__ import annotations

import ast

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.vllmattention import GENERATORS, REGISTRY, capability, read, table

from .trees import grow

TREE = {
    REGISTRY[0]: """\
class AttentionBackendEnum(Enum):
    PLAIN = "vllm.attn.Plain"
    HEIR = (
        "vllm.attn.Heir"
    )
    TORCH_SDPA = ""
    MADE = "vllm.made.Made"
    ROCM_HEIR = "vllm.attn.Heir"
    CUSTOM = None
""",
    "vllm/attn.py": """\
from vllm.base import Base
class Plain(Base):
    supported_kv_cache_dtypes = ["auto", "fp8"]
    @classmethod
    def supports_sink(cls): return True
    @classmethod
    def supports_compute_capability(cls, capability): return capability.major in [9, 10]
class Heir(Plain):
    @classmethod
    def supports_non_causal(cls): return flag()
""",
    "vllm/base.py": """\
class Base:
    @classmethod
    def supports_sink(cls): return False
    @classmethod
    def is_mla(cls): return False
    @classmethod
    def supports_compute_capability(cls, capability): return True
""",
    "vllm/made.py": "Made = compose()\n",
    GENERATORS[0]: "".join(
        f"def {name}(node): ...\n" for name in ("check_method_overrides", "parse_compute_capability", "analyze_backend", "parse_kv_cache_dtypes")
    )
    + 'BACKEND_KV_DTYPE_EXCLUDES: dict[str, set[str]] = {"HEIR_MLA": {"fp8"}}\n',
}


def told(claims) -> dict[tuple[str, ...], str]:
    return {tuple(value for _, value in item.about): f"{item.holds} {dict(item.fields).get('value', '')}".strip() for item in claims}


def test_what_a_backend_inherits(tmp_path):
    found = told(read(grow(tmp_path, TREE)))
    assert found[("HEIR", "attention-sinks")] == "native"
    assert found[("HEIR", "latent-attention")] == "unsupported"
    assert found[("HEIR", "non-causal")] == "partial"
    assert found[("HEIR", "compute-capability")] == "partial 9.x, 10.x"
    assert found[("HEIR", "cache-types")] == "partial auto, fp8"
    assert {about for about in found if len(about) == 1} == {("PLAIN",), ("HEIR",), ("TORCH_SDPA",), ("MADE",), ("ROCM_HEIR",), ("CUSTOM",)}
    [sink] = [item for item in read(grow(tmp_path, TREE)) if dict(item.about) == {"backend": "HEIR", "feature": "attention-sinks"}]
    assert sink.at == "vllm/attn.py L5"


def test_what_the_table_can_see(tmp_path):
    found = told(table(grow(tmp_path, TREE)))
    assert found[("PLAIN", "attention-sinks")] == "native"
    assert found[("HEIR", "attention-sinks")] == "unsupported"
    assert found[("HEIR", "compute-capability")] == "native any"
    assert ("ROCM_HEIR", "compute-capability") not in found
    assert not {"MADE", "TORCH_SDPA", "CUSTOM"} & {about[0] for about in found}


def with_class(body: str, name: str = "MORE", path: str = "vllm.attn.More") -> dict[str, str]:
    """The tree with one backend more, which inherits from the one that has its own list of cache types."""
    registry = TREE[REGISTRY[0]].replace("    CUSTOM", f'    {name} = "{path}"\n    CUSTOM')
    return TREE | {REGISTRY[0]: registry, "vllm/attn.py": f'FP8 = ("fp8", "fp8_e4m3")\nTYPES: tuple = ("auto", *FP8)\n{TREE["vllm/attn.py"]}{body}'}


@pytest.mark.parametrize(
    ("body", "code", "shown"),
    [
        ("class More(Plain): ...\n", "auto, fp8", "auto"),
        ('class More(Plain):\n    supported_kv_cache_dtypes: ClassVar[list] = ["nvfp4"]\n', "nvfp4", "nvfp4"),
        ("class More(Plain):\n    supported_kv_cache_dtypes: ClassVar[list] = list(TYPES)\n", "auto, fp8, fp8_e4m3", "auto"),
        ("class More(Plain):\n    supported_kv_cache_dtypes: ClassVar[list] = list(made())\n", None, "auto"),
        ("class More(Plain):\n    @classmethod\n    def supports_kv_cache_dtype(cls, kind): return True\n", "auto, fp8", None),
    ],
)
def test_cache_types_that_a_list_of_the_module_holds(tmp_path, body, code, shown):
    """As B12X of 0.33.0: upstream's program reads a list that is written out, and nothing else."""
    tree = grow(tmp_path, with_class(body))
    for claims, value in ((read(tree), code), (table(tree), shown)):
        assert told(claims).get(("MORE", "cache-types")) == (f"partial {value}" if value else None)


@pytest.mark.parametrize(
    ("name", "body", "holds"),
    [
        ("MORE", "class More(Plain): ...\n", "unsupported"),
        ("MORE_MLA", "class More(Plain): ...\n", "native"),
        ("MORE_DSV4", "class More(Plain): ...\n", "native"),
        ("MORE_DSV41", "class More(Plain): ...\n", "unsupported"),
        ("MORE", "class More(MLACommonBackend[Metadata]): ...\n", "native"),
        ("MORE", "class More(Plain):\n    @classmethod\n    def is_mla(cls): return True\n", "native"),
    ],
)
def test_which_table_a_backend_stands_in(tmp_path, name, body, holds):
    assert told(table(grow(tmp_path, with_class(body, name))))[(name, "latent-attention")] == holds


@pytest.mark.parametrize(
    ("returns", "full", "plain"),
    [
        ("True", "any", "any"),
        ("capability.major == 10", "10.x", "10.x"),
        ("capability.major in [10, 9]", "9.x, 10.x", "9.x, 10.x"),
        ("capability >= DeviceCapability(8, 0)", "8.0 and up", "8.0 and up"),
        ("capability >= DeviceCapability(8, 0) and capability <= DeviceCapability(9, 0)", "8.0 to 9.0", "8.0 to 9.0"),
        ("capability == DeviceCapability(9, 0)", "9.0", "any"),
        ("(capability.major, capability.minor) in ((12, 0), (12, 1))", "12.0, 12.1", "any"),
        ("capability in (DeviceCapability(9, 0), DeviceCapability(10, 3))", "9.0, 10.3", "any"),
        ("somewhere()", "worked out at run time", "any"),
    ],
)
def test_capabilities_in_short(returns, full, plain):
    method = ast.parse(f"def supports_compute_capability(cls, capability): return {returns}").body[0]
    assert (capability(method), capability(method, plain=True)) == (full, plain)


@pytest.mark.parametrize(
    ("name", "old", "new", "fault"),
    [
        (REGISTRY[0], "AttentionBackendEnum", "Backends", "there is no AttentionBackendEnum"),
        (GENERATORS[0], "parse_compute_capability", "parse_cc", "there is no parse_compute_capability, by which the table is made"),
    ],
)
def test_a_place_that_moved_is_refused(tmp_path, name, old, new, fault):
    tree = grow(tmp_path, TREE | {name: TREE[name].replace(old, new)})
    with pytest.raises(Refused, match=fault):
        list(table(tree))
