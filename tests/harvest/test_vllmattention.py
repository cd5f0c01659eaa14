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
    GENERATORS[0]: "def check_method_overrides(node, name): ...\ndef parse_compute_capability(node): ...\n",
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
