"""Configuration files of engines and of what deploys them."""

from __future__ import annotations

import pytest

from infercompat.answer.diagnose import understand

PRODUCTION_STACK = """servingEngineSpec:
  runtimeClassName: ""
  modelSpec:
  - name: "qwen"
    repository: "vllm/vllm-openai"
    tag: "v0.11.0"
    modelURL: "Qwen/Qwen3-8B"
    requestGPU: 2
    vllmConfig:
      enablePrefixCaching: false
      maxModelLen: 16384
      tensorParallelSize: 2
      extraArgs: ["--disable-log-requests", "--gpu-memory-utilization", "0.8"]
    hf_token: hf_AbCdEfGhIjKlMnOpQr
"""
KSERVE = """apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
spec:
  predictor:
    model:
      modelFormat:
        name: huggingface
      args:
        - --model_name=qwen
        - {}
        - --tensor-parallel-size=2
"""
RAY = """applications:
- name: llm_app
  import_path: ray.serve.llm:build_openai_app
  args:
    llm_configs:
    - model_loading_config:
        model_id: qwen3-8b
        model_source: Qwen/Qwen3-8B
      accelerator_type: H100
      engine_kwargs:
        tensor_parallel_size: 2
"""
LLAMA_SWAP = """macros:
  "server": /app/llama-server --port ${PORT}
models:
  qwen:
    cmd: |
      ${server}
      # the model
      -m /models/Qwen3-8B-Q4_K_M.gguf
      -c 8192
    ttl: 300
"""
LLM_D = """modelArtifacts:
  uri: "hf://Qwen/Qwen3-8B"
decode:
  parallelism: {tensor: 2}
  containers:
  - name: vllm
    image: ghcr.io/llm-d/llm-d-cuda:v0.3.0
    args: ["--max-model-len", "8192"]
"""
TABBY = """network:
  host: 127.0.0.1
model:
  model_dir: models
  model_name: Qwen3-8B-exl3-4bpw
  max_seq_len: 32768
  cache_mode: Q8
"""
VLLM = """model: Qwen/Qwen3-8B
host: "127.0.0.1"
tensor-parallel-size: 2
speculative-config: '{"method": "ngram", "num_speculative_tokens": 4}'
compilation-config:
  cudagraph_mode: FULL
"""


# Forms in use. The pages of KServe and Ray were opened; those of the production stack, llama-swap, llm-d, TabbyAPI and of --config of vLLM
# and SGLang are written from knowledge of the tools.
@pytest.mark.parametrize(
    ("text", "engine", "version", "facts"),
    [
        (
            PRODUCTION_STACK,
            "vllm",
            "0.11.0",
            {"prefix_caching": False, "max_model_len": 16384, "tensor_parallel": 2, "gpu_memory_utilization": 0.8},
        ),
        (KSERVE.format("--model_id=Qwen/Qwen3-8B"), "vllm", None, {"tensor_parallel": 2}),
        (KSERVE.format("--model_dir=/mnt/models") + "      storageUri: hf://Qwen/Qwen3-8B\n", "vllm", None, {"tensor_parallel": 2}),
        (RAY, "vllm", None, {"tensor_parallel": 2}),
        (LLAMA_SWAP, "llama.cpp", None, {"max_model_len": 8192}),
        (LLM_D, "vllm", None, {"tensor_parallel": 2, "max_model_len": 8192}),
        (TABBY, "exllamav3", None, {"max_model_len": 32768, "setting.cache_quant": "Q8"}),
        (VLLM, "vllm", None, {"tensor_parallel": 2, "speculation.method": "ngram", "speculation.tokens": 4, "cuda_graphs": "full"}),
        (f"vllm serve --config c.yaml -tp 4\n{VLLM}", "vllm", None, {"tensor_parallel": 4, "cuda_graphs": "full"}),
        ("model-path: Qwen/Qwen3-8B\ntensor-parallel-size: 2\nenable-metrics: true\n", "sglang", None, {"tensor_parallel": 2}),
        ('{"model": "Qwen/Qwen3-8B", "tensor_parallel_size": 2, "max_model_len": 8192}', "vllm", None, {"tensor_parallel": 2, "max_model_len": 8192}),
    ],
)
def test_a_configuration(real, text, engine, version, facts):
    found = understand(text, real.catalog)
    assert (found.engine.name, found.version and found.version.value, found.model_id) == (engine, version, "qwen3-8b")
    assert facts.items() <= found.facts.items()
    assert "hf_AbCd" not in repr(found)


@pytest.mark.parametrize(
    "text",
    [
        '{"model": "Qwen/Qwen3-8B", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 100}',
        "model_list:\n  - model_name: qwen\n    litellm_params:\n      model: hosted_vllm/Qwen/Qwen3-8B\n",
        KSERVE.format("--backend=huggingface"),
        "name: CI\non: push\njobs:\n  build:\n    runs-on: ubuntu\n    enable-cache: true\n",
    ],
)
def test_what_configures_no_engine(real, text):
    assert understand(text, real.catalog).engine is None
