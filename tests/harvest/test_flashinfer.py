"""FlashInfer's marks and head sizes."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.flashinfer import HEADER, read

from .trees import grow

TREE = {
    HEADER[0]: """\
#define DISPATCH_HEAD_DIM(head_dim, HEAD_DIM, ...)     \\
  switch (head_dim) {                                  \\
    case 64: {                                         \\
      break;                                           \\
    }                                                  \\
    case 256: {                                        \\
    }                                                  \\
  }

  case 7: not one of them
""",
    "flashinfer/gemm/core.py": """\
NEW = [100, 103]
@supported_compute_capability([80, 90, *NEW])
def run_it(): ...
class A:
    @utils.supported_compute_capability(NEW + [120])
    def check(self): ...
@supported_compute_capability(found())
def other(): ...
@unmarked([1])
def plain(): ...
""",
}


def test_head_sizes_and_marks(tmp_path):
    found = [(item.about[0][1], item.at, dict(item.fields)["value"]) for item in read(grow(tmp_path, TREE))]
    assert found[:2] == [("dispatch-head-dim.64", f"{HEADER[0]} L3", 64), ("dispatch-head-dim.256", f"{HEADER[0]} L6", 256)]
    assert sorted(found[2:]) == [
        ("kernel.gemm.core.check", "flashinfer/gemm/core.py L5", "10.0, 10.3, 12.0"),
        ("kernel.gemm.core.other", "flashinfer/gemm/core.py L7", "worked out at run time"),
        ("kernel.gemm.core.run-it", "flashinfer/gemm/core.py L2", "8.0, 9.0, 10.0, 10.3"),
    ]


def test_a_header_without_sizes_is_refused(tmp_path):
    with pytest.raises(Refused, match="no head size is dispatched"):
        list(read(grow(tmp_path, TREE | {HEADER[0]: "#define OTHER(x) x\n"})))
