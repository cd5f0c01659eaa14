"""Boundaries of conditions over lists and versions, worked out by hand; the command line and the page's script decide each of them alike."""

from types import SimpleNamespace

import pytest
from msgspec import Struct, field

from infercompat.condition import MISSING, KnownFacts, Range, evaluate, parse
from infercompat.export.check_trees import tree_of
from scripts import same_in_the_script


class Row(Struct):
    """A condition, what is known, whether it holds, and the facts that would have to be known."""

    when: dict | str
    facts: dict = field(default_factory=dict)
    wanted: bool | None = None
    missing: tuple[str, ...] = ()
    linears: list | None = None
    layers: list | None = None
    always: bool = False


def linear(n, k, name="q_proj", part="attention", cut="rows"):
    return {name: value for name, value in {"n": n, "k": k, "name": name, "part": part, "cut": cut}.items() if value is not None}


def layer(kind, head_dim, window=0):
    return {"kind": kind, "head_dim": head_dim, "window": window, "kv_heads": 4, "k_width": head_dim, "v_width": head_dim}


# The widths of gpt-oss-20b: 2,880 = 90 * 32, 4,096 = 128 * 32.
WIDE = [linear(4096, 2880), linear(2880, 4096, "o_proj", cut="columns"), linear(2880, 2880, "down_proj", "experts", "columns")]
ODD = [linear(5760, 1000, "down_proj", "mlp", "columns")]
HALF_KNOWN = [linear(64, 64), linear(None, None, None, "mlp", None)]
SHARE = "any(model.linears, k / tensor_parallel % 32 != 0)"
TWO = [layer("sliding", 256, 1024), layer("full", 512)]


def tp(ranks):
    return {"tensor_parallel": ranks}


ROWS = [
    # Shares of a row: 1,440 = 45 * 32, 720 = 22 * 32 + 16, 960 = 30 * 32, 4,096 / 3 = 1,365 1/3.
    Row(SHARE, tp(1), False, linears=WIDE),
    Row(SHARE, tp(2), False, linears=WIDE),
    Row(SHARE, tp(4), True, linears=WIDE),
    Row("any(model.linears, k / tensor_parallel % 32 != 0 and part == 'experts')", tp(3), False, linears=WIDE),
    Row("any(model.linears, k / tensor_parallel % 32 != 0 and cut == 'columns' and part == 'attention')", tp(3), True, linears=WIDE),
    Row("any(model.linears, cut == 'columns' and part == 'attention' and k / tensor_parallel % 32 != 0)", tp(4), False, linears=WIDE),
    Row("all(model.linears, k / tensor_parallel % 32 != 0)", tp(4), False, linears=WIDE),  # 4,096 / 4 = 32 * 32
    Row("all(model.linears, k % 32 == 0)", {}, True, linears=WIDE),
    Row({"not": {"relation": SHARE}}, tp(4), False, linears=WIDE),
    Row({"not": {"relation": SHARE}}, tp(2), True, linears=WIDE),
    # A third stays a third; the whole part is another question.
    Row("any(model.linears, k / tensor_parallel * 3 == 1000)", tp(3), True, linears=ODD),
    Row("any(model.linears, k / tensor_parallel % 1 == 1 / 3)", tp(3), True, linears=ODD),
    Row("any(model.linears, k // tensor_parallel == 333)", tp(3), True, linears=ODD),
    Row("any(model.linears, k / tensor_parallel == 333)", tp(3), False, linears=ODD),
    Row("any(model.linears, n * k > 5759999)", {}, True, linears=ODD),
    Row("any(model.linears, n * k > 5760000)", {}, False, linears=ODD),
    # What is not known leaves it open, unless what is known decides.
    Row(SHARE, {}, None, ("tensor_parallel",), linears=WIDE),
    Row("any(model.linears, k == 4096 or k / tensor_parallel % 32 != 0)", {}, True, linears=WIDE),
    Row("any(model.linears, k < 64 and k / tensor_parallel % 32 != 0)", {}, False, linears=WIDE),
    Row("all(model.linears, k < 4096 and k / tensor_parallel % 32 == 0)", {}, False, linears=WIDE),
    Row(SHARE, tp(4), None),
    Row(SHARE, {}, None),
    Row("any(model.linears, k == 64)", {}, True, linears=HALF_KNOWN),
    Row("any(model.linears, k == 65)", {}, None, linears=HALF_KNOWN),
    Row("all(model.linears, k == 65)", {}, False, linears=HALF_KNOWN),
    Row("all(model.linears, k == 64)", {}, None, linears=HALF_KNOWN),
    Row("any(model.linears, part == 'output' and k == 65)", {}, False, linears=HALF_KNOWN),
    Row("any(model.linears, part == 'mlp' and k == 65)", {}, None, linears=HALF_KNOWN),
    Row("all(model.linears, part == 'attention' or k == 64)", {}, None, linears=HALF_KNOWN),
    Row("any(model.linears, k % setting.group_size != 0)", {"setting.group_size": "auto"}, None, ("setting.group_size",), linears=ODD),
    Row("any(model.linears, k % setting.group_size != 0)", {"setting.group_size": None}, False, linears=ODD),
    Row("any(model.linears, k % setting.group_size != 0)", {"setting.group_size": 64}, True, linears=ODD),
    Row("any(model.linears, k % setting.group_size != 0)", {"setting.group_size": 0}, False, linears=ODD),
    # Layers are a list like any other, and layer: asks the same of them.
    Row("any(model.layers, kind == 'full' and head_dim > 256)", {}, True, layers=TWO),
    Row("any(model.layers, kind == 'sliding' and head_dim > 256)", {}, False, layers=TWO),
    Row({"layer": {"kind": "sliding", "head_dim": {"above": 256}}}, {}, False, layers=TWO),
    Row("all(model.layers, head_dim % 64 == 0)", {}, True, layers=TWO),
    Row("any(model.layers, kind == 'full')", {}, None),
    # What the workload allows is asked as everywhere: can it happen, or does it always.
    Row("any(model.layers, window > 0 and sequence_length > window)", {"sequence_length": Range(1, 1025)}, True, layers=TWO),
    Row("any(model.layers, window > 0 and sequence_length > window)", {"sequence_length": Range(1, 1024)}, False, layers=TWO),
    Row("any(model.layers, window > 0 and sequence_length > window)", {"sequence_length": Range(1, 1025)}, False, layers=TWO, always=True),
    Row("any(model.layers, window > 0 and sequence_length > window)", {"sequence_length": Range(1025, 2048)}, True, layers=TWO, always=True),
    Row("any(model.layers, head_dim * batch_size > 5119)", {"batch_size": Range(1, float("inf"))}, True, layers=TWO),
    Row("any(model.layers, num_blocks > head_dim)", {"num_blocks": Range(400, 600)}, True, layers=TWO),  # 256 < 400
    Row("any(model.layers, kind == 'full' and num_blocks > head_dim)", {"num_blocks": Range(400, 600)}, None, ("num_blocks",), layers=TWO),
    Row("any(model.layers, kind == 'full' and num_blocks > head_dim)", {"num_blocks": Range(513, 600)}, True, layers=TWO),
    # Versions have an order of their own.
    Row("cuda.version < 13.0", {"cuda.version": "12.9"}, True),
    Row("cuda.version < 13.0", {"cuda.version": "13.0.1"}, False),
    Row("cuda.version < 13.0", {}, None, ("cuda.version",)),
    Row("torch.version >= 2.10", {"torch.version": "2.9.1"}, False),
    Row("torch.version >= 2.10", {"torch.version": "2.10.0+cu130"}, True),
    Row("torch.version == 2.10", {"torch.version": "2.10.0+cu130"}, True),
    Row({"torch.version": {"max": "2.10"}}, {"torch.version": "2.10.0+cu130"}, True),
    Row("torch.version > 2.11.0rc1", {"torch.version": "2.11.0"}, True),
    Row("flashinfer-cubin.version < flashinfer.version", {"flashinfer-cubin.version": "0.6.18", "flashinfer.version": "0.6.18.post1"}, True),
    Row("flashinfer-cubin.version < flashinfer.version", {"flashinfer-cubin.version": "0.6.18.post1", "flashinfer.version": "0.6.18"}, False),
    Row("flashinfer-cubin.version != flashinfer.version", {"flashinfer-cubin.version": "0.7.0", "flashinfer.version": "0.7"}, False),
    Row("flashinfer-cubin.version < flashinfer.version", {"flashinfer.version": "0.6.18"}, False),
    Row("torch.version < flashinfer.version", {"flashinfer.version": "0.6.18"}, None, ("torch.version",)),
    Row("flashinfer.version < 0.7", {"flashinfer.version": "nightly"}, None, ("flashinfer.version",)),
    Row("vllm.version > 0.30", {"vllm.version": "0.1.dev20073"}, None, ("vllm.version",)),
    Row("llama.cpp.version >= 'b9452'", {"llama.cpp.version": "b10488"}, True),
    # A change that was told of is there; of the others nothing is known.
    Row({"flashinfer.has_pr": 1234}, {"flashinfer.has_pr": (1234, 5)}, True),
    Row({"flashinfer.has_pr": 1234}, {"flashinfer.has_pr": (5,)}, None, ("flashinfer.has_pr",)),
    Row({"not": {"flashinfer.has_pr": 1234}}, {"flashinfer.has_pr": (1234,)}, False),
    # Words that are written out.
    Row("cache.dtype == 'fp8'", {"cache.dtype": "fp8"}, True),
    Row("cache.dtype != 'fp8'", {"cache.dtype": "bf16"}, True),
    Row("cache.dtype != 'fp8'", {}, None, ("cache.dtype",)),
]  # fmt: skip


def tree(row):
    condition, faults = parse({"relation": row.when} if isinstance(row.when, str) else row.when)
    assert faults == []
    return condition


def items(rows, fields):
    return rows and [SimpleNamespace(**{name: row.get(name, MISSING) for name in fields}) for row in rows]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_each_as_worked_out_by_hand(row):
    known = {"layer_list": row.layers and [SimpleNamespace(**one) for one in row.layers], "linear_list": items(row.linears, linear(1, 1))}
    truth = evaluate(tree(row), KnownFacts(row.facts, **known), row.always)
    assert (truth.value, truth.missing) == (row.wanted, row.missing)
    assert truth.untested is (row.wanted is None and not row.missing)


def test_the_script_decides_the_same(tmp_path):
    rows = [
        {
            **{"tree": tree_of(tree(row)), "facts": row.facts, "linears": row.linears, "layers": row.layers, "always": row.always},
            "wanted": [row.wanted, list(row.missing)],
        }
        for row in ROWS
    ]
    same_in_the_script({"conditions": rows}, tmp_path)
