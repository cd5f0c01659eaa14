"""Which attention path an engine takes for models of different kinds, worked out by hand from the source that each entry cites."""

from __future__ import annotations

import pytest


def resolved(ask_real, model: str, engine: str, hardware: str | None, *settings: str, **options) -> tuple[str, str | None]:
    """The state of the attention hop and the backend that it comes to. Many devices and a short context keep memory out of it."""
    found = ask_real(model, engine, hardware=hardware, gpus=16, length=8192, settings=list(settings), **options).hop("attention")
    return found.state, found.value


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("qwen3-8b", "sdpa"),
        ("deepseek-v3", "sdpa"),
        ("qwen3-next-80b-a3b", "sdpa"),
        ("gemma-3-27b", "sdpa"),
        ("llama-4-scout", "sdpa"),
        ("gpt-oss-20b", "eager"),  # its class has no SDPA, for want of sinks
        ("gemma-2-9b", "eager"),  # nor has this one, for want of a cap
        ("mimo-v2-flash", "eager"),
    ],
)
def test_transformers_takes_sdpa_unless_the_class_has_none(ask_real, model, expected):
    assert resolved(ask_real, model, "transformers@5.24.0", "h100-sxm") == ("holds", expected)
    assert resolved(ask_real, model, "transformers@5.24.0", "xeon-amx") == ("holds", expected)


@pytest.mark.parametrize(
    ("model", "hardware", "backend", "state"),
    [
        ("qwen3-8b", "h100-sxm", "flash_attention_2", "holds"),
        ("qwen3-8b", "v100-sxm2-32gb", "flash_attention_2", "fails"),  # the package asks for 8.0
        ("qwen3-8b", "mi300x", "flash_attention_2", "holds"),
        ("qwen3-8b", "m3-max", "flash_attention_2", "fails"),
        ("qwen3-8b", "a100-sxm-80gb", "flash_attention_4", "fails"),  # 9.0 at least
        ("qwen3-8b", "b200", "flash_attention_4", "holds"),
        ("gpt-oss-20b", "h100-sxm", "flash_attention_2", "holds"),  # replaced by a kernel with sinks
        ("gpt-oss-20b", "h100-sxm", "sdpa", "fails"),
        ("gemma-3-27b", "h100-sxm", "flash_attention_2", "fails"),  # _supports_flash_attn is off for the class with images
        ("llama-4-scout", "h100-sxm", "flex_attention", "holds"),
        ("qwen3-next-80b-a3b", "h100-sxm", "flex_attention", "fails"),  # the class does not declare it
        ("gpt-oss-20b", "xeon-amx", "flex_attention", "fails"),  # sinks are refused on a processor
    ],
)
def test_what_transformers_is_asked_for(ask_real, model, hardware, backend, state):
    asked = resolved(ask_real, model, "transformers@5.24.0", hardware, f"attention.backend={backend}")
    assert asked == (state, backend if state == "holds" else None)


@pytest.mark.parametrize(
    ("settings", "dtype", "expected"),
    [
        ([], None, ("holds", "--flash-attn on")),  # auto, which every layer's device has
        ([], "q8_0", ("holds", "--flash-attn on")),
        (["setting.flash_attn=off"], None, ("holds", "--flash-attn off")),
        (["setting.flash_attn=off"], "q8_0", ("fails", None)),  # llama-server refuses quantized values without it
        ([], "fp8", ("fails", None)),  # no type of llama.cpp
    ],
)
@pytest.mark.parametrize("engine", ["ollama-gguf@0.32.15", "ollama@0.32.15"])
def test_ollama_quantizes_its_cache_with_flash_attention_alone(ask_real, engine, settings, dtype, expected):
    assert resolved(ask_real, "gpt-oss-20b", engine, "rtx-3090", *settings, cache_dtype=dtype) == expected


@pytest.mark.parametrize("model", ["qwen3-8b", "deepseek-v3", "gpt-oss-20b", "qwen3-next-80b-a3b", "gemma-3-27b"])
def test_the_cache_decides_which_function_of_mlx_is_called(ask_real, model):
    fast, quantized = "mx.fast.scaled_dot_product_attention", "quantized_scaled_dot_product_attention"
    assert resolved(ask_real, model, "mlx-lm@0.32.2", "m3-max") == ("holds", fast)
    assert resolved(ask_real, model, "mlx-lm@0.32.2", "m3-max", "setting.kv_bits=8") == ("holds", quantized)
    assert resolved(ask_real, model, "mlx-vlm@0.7.10", "m3-max") == ("holds", fast)
    assert resolved(ask_real, model, "mlx-vlm@0.7.10", "m3-max", "setting.kv_bits=8") == ("holds", quantized)
    assert resolved(ask_real, model, "mlx-vlm@0.7.10", "m3-max", "setting.kv_bits=3.5", "setting.kv_quant_scheme=turboquant") == ("holds", "TurboQuant")
    assert resolved(ask_real, model, "mlx-lm@0.32.2", "m3-max", cache_dtype="fp8") == ("fails", None)  # no such cache


@pytest.mark.parametrize(
    ("model", "hardware", "state", "value"),
    [
        ("qwen3-8b", "v100-sxm2-32gb", "holds", "TritonAttentionImpl"),  # FA3 asks for 8.0
        ("gpt-oss-20b", "h100-sxm", "holds", "TritonAttentionImpl"),  # and takes no sinks
        ("deepseek-v3", "a100-sxm-80gb", "holds", "TritonAttentionImpl"),  # flash_mla asks for 9.0
        ("deepseek-v3.2", "h100-sxm", "holds", "FlashMLASparseImpl"),
        ("deepseek-v3.2", "a100-sxm-80gb", "fails", None),  # an assertion while the config is read
        ("deepseek-v3.2", "ascend-910b", "fails", None),
        ("qwen3-8b", "ascend-910b", "holds", "DlinferAttentionImpl"),
        ("qwen3-8b", "h100-sxm", "holds", None),  # FA3 or Triton, by what is installed
    ],
)
def test_lmdeploy_builds_what_is_installed_and_the_device_has(ask_real, model, hardware, state, value):
    assert resolved(ask_real, model, "lmdeploy-pytorch@0.18.0", hardware) == (state, value)


def test_what_is_installed_decides_between_kernels_of_lmdeploy(ask_real):
    assert resolved(ask_real, "qwen3-8b", "lmdeploy-pytorch@0.18.0", "h100-sxm", "flash-attention.version=3.0.0") == ("holds", "FA3Impl")
    assert resolved(ask_real, "deepseek-v3", "lmdeploy-pytorch@0.18.0", "h100-sxm", "flashmla.version=1.0.0") == ("holds", "FlashMLAImpl")


@pytest.mark.parametrize(
    ("model", "hardware", "dtype", "state"),
    [
        ("qwen3-8b", "v100-sxm2-32gb", None, "holds"),
        ("qwen3-8b", "h100-sxm", "int4", "holds"),
        ("gpt-oss-20b", "rtx-4090", "int8", "holds"),  # heads of 64
        ("qwen3-8b", "h100-sxm", "fp8", "fails"),  # an assertion names FP8
        ("glm-4.7-flash", "a100-sxm-80gb", None, "holds"),  # a latent of 576
    ],
)
def test_turbomind_has_kernels_of_its_own(ask_real, model, hardware, dtype, state):
    found = resolved(ask_real, model, "lmdeploy-turbomind@0.18.0", hardware, cache_dtype=dtype)
    assert found == (state, "TurboMind" if state == "holds" else None)


@pytest.mark.parametrize(
    ("model", "hardware", "settings", "expected"),
    [
        ("qwen3-8b", "h100-sxm", [], ("holds", "flashinfer")),  # heads of 128
        ("qwen3-8b", "t4", [], ("holds", "flashinfer")),
        ("qwen3-8b", "v100-sxm2-32gb", [], ("holds", "CausalLM")),  # flash attention cannot be imported
        ("qwen3-8b", "mi300x", [], ("holds", "paged")),  # set in the image
        ("qwen3-8b", "xeon-amx", [], ("holds", "flashdecoding-ipex")),
        ("qwen3-8b", "gaudi-3", [], ("holds", "paged")),
        ("deepseek-v3", "h100-sxm", [], ("holds", "flashdecoding")),  # 7168 by 128 heads is 56
        ("gemma-2-9b", "h100-sxm", [], ("holds", "flashinfer")),
        ("gemma-2-9b", "h100-sxm", ["attention.backend=paged"], ("fails", None)),  # an error names the cap
        ("qwen3-8b", "a100-sxm-80gb", ["attention.backend=flashdecoding"], ("holds", "flashdecoding")),
    ],
)
def test_tgi_goes_by_the_size_of_heads_and_by_its_image(ask_real, model, hardware, settings, expected):
    assert resolved(ask_real, model, "tgi@3.3.7", hardware, *settings) == expected


def test_tgi_has_no_fp8_cache_under_flashdecoding(ask_real):
    assert resolved(ask_real, "qwen3-8b", "tgi@3.3.7", "h100-sxm", "attention.backend=flashdecoding", cache_dtype="fp8") == ("fails", None)
    assert resolved(ask_real, "qwen3-8b", "tgi@3.3.7", "h100-sxm", cache_dtype="fp8") == ("holds", "flashinfer")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ([], ("holds", "--flash-attn on")),
        (["setting.flash_attn=false"], ("holds", "--flash-attn off")),
        (["cache.v.dtype=q8_0"], ("holds", "--flash-attn on")),
        (["setting.flash_attn=false", "cache.k.dtype=q8_0"], ("holds", "--flash-attn off")),  # keys may be
        (["setting.flash_attn=false", "cache.v.dtype=q8_0"], ("fails", None)),  # values may not
    ],
)
def test_ik_llama_cpp_quantizes_values_with_flash_attention_alone(ask_real, settings, expected):
    assert resolved(ask_real, "deepseek-v3", "ik-llama.cpp@8337e4cd3", "rtx-3090", *settings) == expected


@pytest.mark.parametrize(
    ("model", "hardware", "expected"),
    [
        ("qwen3-235b-a22b", "h100-sxm", "fa3"),
        ("qwen3-235b-a22b", "rtx-4090", "flashinfer"),
        ("qwen3-235b-a22b", "b200", "trtllm_mha"),
        ("qwen3.5-397b-a17b", "b200", "triton"),  # gated DeltaNet
        ("deepseek-v3", "rtx-4090", "triton"),  # latent attention outside of Hopper and B200
        ("deepseek-v3", "h100-sxm", "fa3"),
        ("deepseek-v3", "b200", "trtllm_mla"),
        ("deepseek-v3.2", "h100-sxm", "nsa"),
        ("deepseek-v4-flash", "h100-sxm", "compressed"),
        ("minimax-m3", "b200", "fa4"),
        ("qwen3-235b-a22b", "xeon-amx", "intel_amx"),
    ],
)
def test_the_server_of_ktransformers_chooses_by_hardware_and_latents(ask_real, model, hardware, expected):
    assert resolved(ask_real, model, "ktransformers@0.7.2", hardware) == ("holds", expected)


def test_ktransformers_refuses_flashinfer_for_gated_deltanet_on_blackwell(ask_real):
    """What is chosen on compute capability 12 by itself, an assertion then refuses; triton has to be named."""
    assert resolved(ask_real, "qwen3.5-397b-a17b", "ktransformers@0.7.2", "rtx-pro-6000-blackwell") == ("fails", None)
    named = resolved(ask_real, "qwen3.5-397b-a17b", "ktransformers@0.7.2", "rtx-pro-6000-blackwell", "attention.backend=triton")
    assert named == ("holds", "triton")


@pytest.mark.parametrize("model", ["qwen3-8b", "gpt-oss-20b", "gemma-3-27b", "deepseek-v3"])
def test_exllamav3_has_one_dispatcher(ask_real, model):
    assert resolved(ask_real, model, "exllamav3@1.6.5", "rtx-3090") == ("holds", "triton")


@pytest.mark.parametrize(
    ("model", "engine", "hardware", "expected"),
    [
        ("qwen3-8b", "tpu-inference@0.32.0", "tpu-v6e", ("holds", "FLASH_ATTN")),
        ("gpt-oss-20b", "tpu-inference@0.32.0", "tpu-v6e", ("holds", "FLASH_ATTN")),
        ("deepseek-v3", "tpu-inference@0.32.0", "tpu-v6e", ("holds", "FLASH_ATTN_MLA")),
        ("qwen3-8b", "vllm-gaudi@0.26.0", "gaudi-3", ("holds", "HPUAttentionBackendV1")),
        ("gemma-4-31b", "vllm-gaudi@0.26.0", "gaudi-3", ("holds", "HPUAttentionBackendV1")),  # heads of 512
        ("deepseek-v3", "vllm-gaudi@0.26.0", "gaudi-3", ("holds", "HPUMLAAttentionBackend")),
        ("deepseek-v3.2", "vllm-gaudi@0.26.0", "gaudi-3", ("holds", "HPUMLAAttentionBackend")),  # run as dense
        ("qwen3-8b", "vllm-metal", "m3-max", ("holds", "SDPAPagedAttentionWrapper")),
        ("deepseek-v3", "vllm-metal", "m3-max", ("holds", "MLAPagedAttentionWrapper")),
        ("deepseek-v3.2", "vllm-metal", "m3-max", ("fails", None)),  # sparse attention raises NotImplementedError
        ("qwen3-8b", "optimum-intel@2.2.0", "xeon-amx", ("holds", "SDPA")),
    ],
)
def test_plugins_go_by_the_kind_of_attention(ask_real, model, engine, hardware, expected):
    assert resolved(ask_real, model, engine, hardware) == expected


def test_gaudi_takes_no_fp8_cache_but_that_of_inc(ask_real):
    assert resolved(ask_real, "qwen3-8b", "vllm-gaudi@0.26.0", "gaudi-3", cache_dtype="fp8") == ("fails", None)
    assert resolved(ask_real, "qwen3-8b", "vllm-gaudi@0.26.0", "gaudi-3", cache_dtype="fp8_inc") == ("holds", "HPUAttentionBackendV1")


def test_turboquant_of_vllm_metal_has_kernels_for_powers_of_two(ask_real):
    quantized = "setting.turboquant=true"
    assert resolved(ask_real, "qwen3-8b", "vllm-metal", "m3-max", quantized) == ("holds", "SDPAPagedAttentionWrapper")
    assert resolved(ask_real, "gpt-oss-20b", "vllm-metal", "m3-max", quantized) == ("fails", None)  # sinks


@pytest.mark.parametrize(
    ("hardware", "settings", "dtype", "expected"),
    [
        ("h100-sxm", ["setting.precision=int4"], None, ("holds", "GroupQueryAttention")),
        ("xeon-amx", ["setting.precision=int4"], None, ("holds", "GroupQueryAttention")),
        ("xeon-amx", ["setting.precision=fp16"], None, ("holds", "MultiHeadAttention")),
        ("h100-sxm", ["setting.precision=fp32"], "int8", ("fails", None)),  # a quantized cache asks for GQA or pages
        ("h100-sxm", ["setting.precision=fp16", "setting.use_paged_attention=true"], "int8", ("holds", "PagedAttention")),
        ("xeon-amx", ["setting.use_paged_attention=true"], None, ("fails", None)),
        ("h100-sxm", [], None, ("holds", None)),  # what the builder was told is not said
    ],
)
def test_the_builder_of_onnx_runtime_genai_writes_one_operator(ask_real, hardware, settings, dtype, expected):
    assert resolved(ask_real, "qwen3-8b", "onnxruntime-genai@0.18.0", hardware, *settings, cache_dtype=dtype) == expected


def test_a_default_that_does_not_take_the_model_can_be_named_away(ask_real):
    """Dockerfile_amd L303 sets paged, which attention/cuda.py L124-L125 refuses with a cap on the scores; flashdecoding takes one."""
    answer = ask_real("gemma-2-27b", "tgi@3.3.7", hardware="mi300x", length=4096)
    assert (answer.data["verdict"], answer.hop("attention").state) == ("only-with", "fails")
    assert answer.data["repairs"][0]["changes"] == ["set attention.backend = flashdecoding"]
    assert answer.data["command"]["environment"] == {"ATTENTION": "flashdecoding"}
    asked = ask_real("gemma-2-27b", "tgi@3.3.7", hardware="mi300x", length=4096, settings=["attention.backend=flashdecoding"])
    assert asked.hop("attention").state == "holds"
