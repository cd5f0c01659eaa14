"""llama.cpp: the caches of DeepSeek V4, counted by hand."""

from .configs import sized

AT = "0c1e57098"


def test_deepseek_v4_has_buffers_of_its_own_for_each_slot():
    # one slot of 65,536: 768 cells of the window in 43 layers, 16,384 of ratio 4 with index keys in 21, 512 of ratio 128 in 20, and states
    rows = 768 * 43 * 512 * 2 + 16384 * 21 * (512 + 128) * 2 + 512 * 20 * 512 * 2
    states = 21 * 2 * 8 * (1024 + 256) * 4 + 20 * 2 * 128 * 512 * 4
    request = {"architecture": "DeepseekV4ForCausalLM", "max_model_len": 65536}
    assert sized("llama.cpp", AT, "deepseek-v4-flash", max_num_seqs=1, **request).reserved == rows + states
    assert sized("llama.cpp", AT, "deepseek-v4-flash", **request).reserved == 4 * (rows + states)
