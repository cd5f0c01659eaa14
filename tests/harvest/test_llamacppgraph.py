"""llama.cpp's graphs: names, states, windows and cache types, by the narrow patterns of each file."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.llamacppgraph import read

from .trees import grow

TREE = {
    "src/llama-arch.cpp": """\
static const std::map<llm_arch, const char *> LLM_ARCH_NAMES = {
    { LLM_ARCH_LLAMA,   "llama"   },
    { LLM_ARCH_GPT_OSS, "gpt_oss" },
    { LLM_ARCH_MAMBA,   "mamba"   },
    { LLM_ARCH_UNKNOWN, "(unknown)" },
};
bool llm_arch_is_recurrent(const llm_arch & arch) {
    switch (arch) {
        case LLM_ARCH_MAMBA:
            return true;
    }
}
void other() {
        case LLM_ARCH_LLAMA:
}
""",
    "src/models/gpt_oss.cpp": "    hparams.swa_type = LLAMA_SWA_TYPE_STANDARD;\n    if (hparams.swa_type == LLAMA_SWA_TYPE_STANDARD) {}\n",
    "src/models/llama.cpp": "    hparams.swa_type = LLAMA_SWA_TYPE_NONE;\n    hparams.swa_type = LLAMA_SWA_TYPE_CHUNKED;\n",
    "common/arg.cpp": "    GGML_TYPE_I8,\nconst std::vector<ggml_type> kv_cache_types = {\n    GGML_TYPE_F16,\n    GGML_TYPE_Q8_0,\n};\n    GGML_TYPE_F64,\n",
}


def told(tree) -> list[tuple[str, str, str]]:
    return [(item.about[0][1], item.at, str(dict(item.fields).get("value", ""))) for item in read(tree)]


def test_everything_on_its_line(tmp_path):
    assert told(grow(tmp_path, TREE)) == [
        ("gguf.llama", "src/llama-arch.cpp L2", ""),
        ("gguf.gpt-oss", "src/llama-arch.cpp L3", ""),
        ("gguf.mamba", "src/llama-arch.cpp L4", ""),
        ("state.mamba", "src/llama-arch.cpp L9", "recurrent"),
        ("window.gpt-oss", "src/models/gpt_oss.cpp L1", "standard"),
        ("window.llama", "src/models/llama.cpp L2", "chunked"),
        ("cache-type.f16", "common/arg.cpp L3", ""),
        ("cache-type.q8-0", "common/arg.cpp L4", ""),
    ]


@pytest.mark.parametrize(
    ("name", "old", "new", "fault"),
    [
        ("src/llama-arch.cpp", "{ LLM_ARCH_", "{ ARCH_", "LLM_ARCH_MAMBA has no name"),
        ("src/llama-arch.cpp", "LLM_ARCH_MAMBA,   ", "LLM_ARCH_MAMBA3,   ", "llama-arch.cpp:9: LLM_ARCH_MAMBA has no name"),
        ("common/arg.cpp", "kv_cache_types", "cache_types", "there is no list kv_cache_types that ends"),
    ],
)
def test_a_place_that_moved_is_refused(tmp_path, name, old, new, fault):
    with pytest.raises(Refused, match=fault):
        told(grow(tmp_path, TREE | {name: TREE[name].replace(old, new)}))
