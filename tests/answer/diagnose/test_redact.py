"""Secrets, people and machines leave a text; everything that an answer needs stays, on the same line."""

from __future__ import annotations

import base64
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answer.diagnose.page import read_by_the_page
from answer.diagnose.test_masks import SECRET, TOLD
from infercompat.answer.diagnose import as_data, diagnose, print_data
from infercompat.answer.diagnose.masks import MASK
from infercompat.answer.diagnose.redact import redact

HOME = "/" + "home"
SECRETS = {
    "export HF_TOKEN=hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ012345": "hf_aBc",
    "token hf_abcdefghijklmnopqrstuvwx in a sentence": "hf_abc",
    "vllm serve x --api-key sk-proj-abcdefgh12345678": "sk-proj",
    "--api-key=plain-word-key": "plain-word-key",
    "--hf-token 'quoted secret'": "quoted",
    "--openai-key another1": "another1",
    "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE": "AKIA",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": "wJalr",
    "-H 'Authorization: Bearer abc.def-123456'": "abc.def",
    "Authorization: Basic dXNlcjpwYXNz": "dXNlc",
    "curl with bearer 0123456789abcdef": "0123456789abcdef",
    '"apiKey": "very-private-1"': "very-private",
    "password: hunter2": "hunter2",
    "MYSQL_PASSWORD=hunter3": "hunter3",
    "postgresql://admin:pa55w0rd@db.example.com:5432/x": "pa55w0rd",
    "https://user:p@ss@registry.example.com/v2/": "p@ss",
    "GITHUB_TOKEN=ghp_0123456789abcdefghij": "ghp_",
    "github_pat_11ABCDEFG0123456789_abcdef": "github_pat_11",
    "NGC_API_KEY=nvapi-abcdefghijklmnop": "nvapi-abc",
    "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_123": "eyJhbG",
    "WANDB_API_KEY: 0123456789abcdef0123456789abcdef01234567": "0123456789abcdef",
    "auth_token=abcdef123456": "abcdef123456",
    "client_secret='s3cr3t'": "s3cr3t",
    "xoxb-123456789012-abcdefghij": "xoxb-1",
    "--hf-token 'two words'": "words",
    'password = "two words"': "words",
    "{'password': 'two words', 'x': 1}": "words",
    'password: "open quote': "open",
    "secret: a,b&c;d": "b&c",
}
MACHINES = {
    "(Worker pid=7, ip=10.150.236.219) hello": "10.150.236.219",
    "listening on 192.168.1.20:8000": "192.168.1.20",
    "peer 203.0.113.7 closed": "203.0.113.7",
    "addr fe80::1ff:fe23:4567:890a up": "fe80",
    "addr 2001:db8:0:0:0:0:0:1 up": "2001:db8",
    "mac 0a:1b:2c:3d:4e:5f": "0a:1b",
    "curl http://gpu-node7:8000/v1/models": "gpu-node7",
    "curl https://llm.corp.example.com/v1": "corp.example",
    "s3://private-bucket/gemma": "private-bucket",
    "node gpu17.cluster.internal is ready": "gpu17",
    "joined ray at box.lan": "box.lan",
    "svc vllm.prod.svc is up": "vllm.prod",
    "--dist-init-addr headnode01:5000 --nnodes 2": "headnode01",
    "MASTER_ADDR=headnode02": "headnode02",
    "--host myserver --port 1": "myserver",
    "args: host='gpubox', port=8000": "gpubox",
    "nodeName: worker-17": "worker-17",
    "ip-172-31-5-6 joined": "172-31",
    "somebody@gpubox:~$ vllm serve x": "somebody",
    "mail somebody@example.com": "example.com",
    "connected to gpu01.cs.some.edu": "gpu01",
    "docker pull registry.some-place.de:5000/vllm/vllm-openai:v0.11.0": "some-place",
    "image: registry.some-place.de/vllm/vllm-openai:v0.11.0": "some-place",
    "Oct 14 12:00:00 gpubox vllm[99]: started": "gpubox",
    "Linux gpubox 6.8.0-57-generic": "gpubox",
    f"--model {HOME}/somebody/models/gemma": "somebody",
    r"C:\Users\somebody\models\gemma.gguf": "somebody",
}


@pytest.mark.parametrize("text", [*SECRETS, *MACHINES])
def test_what_is_private_leaves(text):
    private = {**SECRETS, **MACHINES}[text]
    cleaned = redact(f"before\n{text}\nafter")
    assert private not in cleaned
    assert MASK in cleaned
    assert cleaned.split("\n")[0] == "before"
    assert cleaned.split("\n")[-1] == "after"


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve google/gemma-3-27b-it --max-num-batched-tokens 8192 --kv-cache-dtype fp8_e4m3",
        "--hf-overrides '{\"max_position_embeddings\": 8192}' --hf_config_path x",
        "--tokenizer Qwen/Qwen3-8B --tokenizer-mode auto",
        "#new-token: 8192, #cached-token: 10, token usage: 0.49, #running-req: 42",
        "eos_token='<|im_end|>', pad_token: <pad>, bos_token=None",
        "HF_TOKEN=$HF_TOKEN --api-key ${KEY}",
        "Uvicorn running on http://0.0.0.0:8000 and http://localhost:8000 and http://127.0.0.1:1",
        "see https://github.com/vllm-project/vllm/issues/1 and https://docs.vllm.ai/en/latest",
        "vllm==0.10.1.1",
        "vllm 0.10.1.1 and nvidia-cublas-cu12==12.8.4.1",
        "image: vllm/vllm-openai@sha256:0123456789abcdef",
        "c10::Error at std::vector<int>::at",
        "10:15:30 INFO 00000000:18:00.0 Off",
        "python-3.11.7 CUDA 12.8 driver 570.86.15",
        "hf://google/gemma-3-27b-it",
        "image: vllm/vllm-openai:v0.11.0 ghcr.io/ggml-org/llama.cpp:server nvcr.io/nvidia/tensorrt-llm/release:1.2.0",
        "torch.nn.modules.module.Module docs.vllm.ai www.github.com 0.1.dev20073",
        "gemma-3-27b-it-Q4_K_M.gguf",
        "mlx_lm.server --kv-bits 8",
        "disk-sk-learn hf_overrides hf_config hf_transfer",
        "host memory: 12 GiB, server started, --host 0.0.0.0 --host localhost",
    ],
)
def test_what_an_answer_needs_stays(text):
    assert redact(text) == text


def test_a_private_key_leaves_whole_and_its_lines_stay():
    text = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAK\nabc/def+==\n-----END RSA PRIVATE KEY-----\nvllm serve x"
    cleaned = redact(text)
    assert "MIIB" not in cleaned
    assert cleaned.split("\n")[5] == "vllm serve x"


def test_the_value_below_a_name_leaves():
    cleaned = redact("env:\n  - name: HUGGING_FACE_HUB_TOKEN\n    value: abcdef\n  - name: VLLM_USE_V1\n    value: '1'")
    assert "abcdef" not in cleaned
    assert "value: '1'" in cleaned


@given(st.text())
def test_any_text_keeps_its_lines(text):
    assert redact(text).count("\n") == text.count("\n")


@pytest.mark.parametrize("unit", ["a.", "1.", "key", "token ", "host", "a@", "::", "name:\n", "://", "-----BEGIN PRIVATE KEY-----", "eyJ", "--"])
def test_repetition_costs_no_more_than_its_length(unit):
    began = time.process_time()
    redact(unit * (1_000_000 // len(unit)))
    assert time.process_time() - began < 5


USERS = "/" + "Users"
KEPT = base64.b64encode(b"hf_QwErTyUiOpAsDfGhJkLz").decode()
CASES = {
    "export HF_TOKEN=hf_QwErTyUiOpAsDfGhJkLz": ["hf_QwEr"],
    "HUGGING_FACE_HUB_TOKEN: hf_QwErTyUiOpAsDfGhJkLz": ["hf_QwEr"],
    "docker run -e HF_TOKEN=abcdefSECRET123 vllm/vllm-openai:v0.11.0 --model Qwen/Qwen3-8B": ["abcdefSECRET123"],
    "docker run --env HUGGING_FACE_HUB_TOKEN=abcSECRETdef vllm/vllm-openai:v0.11.0 --model Qwen/Qwen3-8B": ["abcSECRETdef"],
    'docker run --env "HUGGING_FACE_HUB_TOKEN=abcSECRETdef" vllm/vllm-openai:v0.11.0 --model Qwen/Qwen3-8B': ["abcSECRETdef"],
    'docker run -e "OPENAI_API_KEY=plainkeySECRET" x': ["plainkeySECRET"],
    "vllm serve Qwen/Qwen3-8B --api-key plainkeySECRET": ["plainkeySECRET"],
    "vllm serve Qwen/Qwen3-8B --api-key=plainkeySECRET --port 1": ["plainkeySECRET"],
    "vllm serve Qwen/Qwen3-8B --api-key 'plain key SECRET' --port 1": ["SECRET"],
    "vllm serve Qwen/Qwen3-8B --api-key keyONEsecret keyTWOsecret --port 1": ["keyONEsecret", "keyTWOsecret"],
    "vllm serve Qwen/Qwen3-8B --api-key \\\n  plainkeySECRET \\\n  --port 1": ["plainkeySECRET"],
    "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --api-key sSECRETs --admin-api-key aSECRETa": ["sSECRETs", "aSECRETa"],
    "llama-server -m x.gguf --api-key kSECRETk --api-key-file /x": ["kSECRETk"],
    "text-generation-launcher --model-id Qwen/Qwen3-8B --ngrok-authtoken tokSECRETtok --api-key kkSECRETkk": ["tokSECRETtok", "kkSECRETkk"],
    "OPENAI_API_KEY=sk-proj-abcDEF1234567890_xyz": ["sk-proj"],
    "sk-ant-api03-abcdefghijk": ["sk-ant"],
    "aws_access_key_id = AKIAIOSFODNN7EXAMPLE": ["AKIA"],
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": ["wJalr"],
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": ["wJalr"],
    "AWS_SESSION_TOKEN=FwoGZXIvYXdzEBYaDHqa0AP": ["FwoGZX"],
    "curl -H 'Authorization: Bearer abcdef123456SECRET' http://h": ["abcdef123456"],
    'curl -H "Authorization: Bearer abcdef" x': ["abcdef"],
    "headers={'Authorization': 'Bearer tokentokenSECRET'}": ["tokentoken"],
    '{"Authorization": "Bearer tokentokenSECRET"}': ["tokentoken"],
    "curl -u admin:hunter2SECRET http://x/": ["hunter2SECRET"],
    "curl --user admin:hunter2SECRET http://x/": ["hunter2SECRET"],
    "curl -H 'X-API-Key: hdrSECRET99' http://x": ["hdrSECRET99"],
    "curl -H 'api-key: hdrSECRET99' http://x": ["hdrSECRET99"],
    "pip install --index-url https://user:pipSECRETpw@pypi.corp.example.com/simple vllm==0.11.0": ["pipSECRETpw", "corp.example"],
    "pip install --extra-index-url https://__token__:glpat-abcdefghijklmnop@gitlab.example.com/api/v4 x": ["glpat", "gitlab.example"],
    "git clone https://ghp_0123456789abcdefghij@github.com/x/y": ["ghp_"],
    "https://user:p%40ss@host/x": ["p%40ss"],
    "redis://:redisSECRETpw@10.0.0.5:6379/0": ["redisSECRETpw", "10.0.0.5"],
    "postgres://u:pgSECRET@db:5432/x": ["pgSECRET"],
    f"apiVersion: v1\nkind: Secret\ndata:\n  HF_TOKEN: {KEPT}\n  token: {KEPT}\n  password: aHVudGVyMg==": [KEPT, "aHVudGVyMg"],
    f"apiVersion: v1\nkind: Secret\nmetadata: {{name: x}}\ndata:\n  hf: {KEPT}\n": [KEPT],
    "apiVersion: v1\nkind: Secret\nstringData:\n  hf: plainSTRINGsecret\n": ["plainSTRINGsecret"],
    'env:\n- name: HF_TOKEN\n  value: "plainVALsecret"': ["plainVALsecret"],
    "env:\n- name: HF_TOKEN\n  value: >-\n    plainVALsecret": ["plainVALsecret"],
    "env:\n- {name: HF_TOKEN, value: plainVALsecret}": ["plainVALsecret"],
    "environment:\n  - HF_TOKEN=plainVALsecret\n  - VLLM_API_KEY=otherVALsecret": ["plainVALsecret", "otherVALsecret"],
    "environment:\n  HF_TOKEN: plainVALsecret\n  WANDB_API_KEY: 'wVALsecret'": ["plainVALsecret", "wVALsecret"],
    'Environment="HF_TOKEN=plainVALsecret" "OPENAI_API_KEY=oVALsecret"': ["plainVALsecret", "oVALsecret"],
    '$env:HF_TOKEN = "plainVALsecret"': ["plainVALsecret"],
    "set HF_TOKEN=plainVALsecret": ["plainVALsecret"],
    "huggingface-cli login --token plainVALsecret": ["plainVALsecret"],
    "hf auth login --token hf_QwErTyUiOpAsDfGhJkLz": ["hf_QwEr"],
    'login(token="plainVALsecret")': ["plainVALsecret"],
    "login('hf_QwErTyUiOpAsDfGhJkLz')": ["hf_QwEr"],
    'os.environ["HF_TOKEN"] = "plainVALsecret"': ["plainVALsecret"],
    "os.environ['OPENAI_API_KEY']='plainVALsecret'": ["plainVALsecret"],
    'client = OpenAI(api_key="plainVALsecret", base_url="http://10.1.2.3:8000/v1")': ["plainVALsecret", "10.1.2.3"],
    "llm = LLM(model='Qwen/Qwen3-8B', hf_token='plainVALsecret', tensor_parallel_size=2)": ["plainVALsecret"],
    "llm = LLM(model='Qwen/Qwen3-8B', hf_token=TOK, tensor_parallel_size=2)\nTOK = 'plainVALsecret'": ["plainVALsecret"],
    "T=plainVALsecret\nvllm serve Qwen/Qwen3-8B --api-key $T --hf-token $T": ["plainVALsecret"],
    'A=(--api-key plainVALsecret)\nvllm serve Qwen/Qwen3-8B "${A[@]}"': ["plainVALsecret"],
    'A="--api-key plainVALsecret --port 1"\nvllm serve Qwen/Qwen3-8B $A': ["plainVALsecret"],
    "ssh somebody@gpu-node-07.cluster.example.org": ["somebody", "gpu-node-07"],
    "ssh -p 22 gpu-node-07": ["gpu-node-07"],
    "ssh -i ~/.ssh/id_rsa root@192.168.10.20": ["192.168.10.20"],
    "scp somebody@box:/x .": ["somebody", "box"],
    "somebody@gpu-node-07:~$ vllm serve Qwen/Qwen3-8B": ["somebody", "gpu-node-07"],
    "[somebody@gpu-node-07 vllm]$ vllm serve Qwen/Qwen3-8B": ["somebody", "gpu-node-07"],
    "(base) [somebody@gpunode07 ~]$ vllm serve Qwen/Qwen3-8B": ["somebody", "gpunode07"],
    f"vllm serve {HOME}/somebody/models/Qwen3-8B": ["somebody"],
    f'File "{HOME}/somebody/miniconda3/lib/python3.12/site-packages/vllm/engine/x.py"': ["somebody"],
    r"llama-server -m C:\Users\somebody\models\x.gguf": ["somebody"],
    f"llama-server -m C:{USERS}/somebody/models/x.gguf": ["somebody"],
    f"vllm serve {USERS}/somebody/models/x-1b": ["somebody"],
    "vllm serve /data/home/somebody/models/x-1b": ["somebody"],
    f"vllm serve /mnt/c{USERS}/somebody/models/x-1b": ["somebody"],
    "vllm serve ~somebody/models/x-1b": ["somebody"],
    "--dist-init-addr 10.1.2.3:5000 --master-addr node-a --node-ip 10.9.8.7": ["10.1.2.3", "node-a", "10.9.8.7"],
    "ray start --address=head-node-3:6379": ["head-node-3"],
    "MASTER_ADDR=node-a": ["node-a"],
    "hostname: gpu-node-07": ["gpu-node-07"],
    "Hostname            : gpu-node-07": ["gpu-node-07"],
    "VLLM_HOST_IP=10.1.2.3": ["10.1.2.3"],
    "listening on [fe80::1ff:fe23:4567:890a]:8000": ["fe80"],
    'INFO:     10.1.2.3:52344 - "POST /v1"': ["10.1.2.3"],
    "nodeName: gpu-node-07": ["gpu-node-07"],
    "Name:               gpu-node-07\nLabels: x": ["gpu-node-07"],
    "NGC_API_KEY=nvapi-abcdefghijklmnop": ["nvapi"],
    "docker login -u u -p dockerSECRETpw registry.example.com": ["dockerSECRETpw"],
    "docker login --password dockerSECRETpw": ["dockerSECRETpw"],
    "sshpass -p sshSECRETpw ssh x": ["sshSECRETpw"],
    "SG.abcdefghijklmnopqrstuv.wxyz0123456789abcdefghij": ["SG.abc"],
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n-----END OPENSSH PRIVATE KEY-----": ["b3Blbn"],
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7 somebody@box": ["AAAAB3", "somebody"],
    "Cookie: session=cookieSECRETval": ["cookieSECRETval"],
    "Set-Cookie: sid=cookieSECRETval; Path=/": ["cookieSECRETval"],
    "https://x.blob.core.windows.net/c?sv=2020&sig=sasSECRETsig%3D": ["sasSECRETsig"],
    "https://hooks.slack.com/services/T000/B000/slackSECRET": ["slackSECRET"],
    "https://bucket.s3.amazonaws.com/x?X-Amz-Signature=amzSECRETsig&X-Amz-Credential=AKIAABCDEFGHIJKLMNOP": ["amzSECRETsig", "AKIAABC"],
    "AccountKey=azSECRETkeyvalue==;EndpointSuffix": ["azSECRETkey"],
    "modelscope login --token msSECRETtok": ["msSECRETtok"],
    "MODELSCOPE_API_TOKEN=msSECRETtok": ["msSECRETtok"],
    "api_token: apSECRETtok": ["apSECRETtok"],
    "hf_token: apSECRETtok": ["apSECRETtok"],
    "huggingface:\n  token: apSECRETtok1": ["apSECRETtok1"],
    "2026-01-01 non-default args: {'model': 'Qwen/Qwen3-8B', 'api_key': ['lSECRETk1', 'lSECRETk2'], 'hf_token': 'lSECRETk3'}": [
        "lSECRETk1",
        "lSECRETk2",
        "lSECRETk3",
    ],
    "server_args=ServerArgs(model_path='Qwen/Qwen3-8B', api_key='lSECRETk1', admin_api_key='lSECRETk2', host='gpu-node-07', tp_size=2)": [
        "lSECRETk1",
        "lSECRETk2",
        "gpu-node-07",
    ],
    "args: Namespace(model='Qwen/Qwen3-8B', api_key=['lSECRETk1'], ssl_keyfile=None)": ["lSECRETk1"],
    "Falling back to http://gpu-node-07:8000 with user somebody@box and token=abSECRETcd1": ["gpu-node-07", "somebody", "abSECRETcd1"],
}


@pytest.mark.parametrize("text", CASES)
@pytest.mark.parametrize("around", ["{}", "vllm serve google/gemma-3-27b-it\n{}\nRuntimeError: falling back to {}"])
def test_no_secret_is_told(real, capsys, text, around):
    pasted = around.replace("{}", text)
    data = as_data(diagnose(real, [(f"{HOME}/somebody/serve.log", pasted)]))
    print_data(data, verbose=True)
    told = json.dumps(data) + capsys.readouterr().out
    assert [secret for secret in (*CASES[text], "somebody") if secret in told] == []
    assert [secret for secret in CASES[text] if secret in redact(text)] == []  # whatever of the text the answer shows


@pytest.mark.parametrize(
    "text",
    [
        "S={secret}\nMODEL=$S/x-1\nvllm serve $MODEL --api-key $S",
        "A={secret}\nB=$A\nvllm serve a/b-1 --api-key $B --foo $A",
        "A={secret}\ndocker run registry.io/$A/vllm/vllm-openai:v0.11.0 --model a/b-1 --api-key $A",
        "K=--api-key\nvllm serve a/b-1 $K {secret}",
        "X=hf_\nY=AbCdEfGh{secret}\nvllm serve $X$Y/model-1",
        f"X={HOME}\nvllm serve $X/{{secret}}/m",
        f"X={HOME}\ndocker run -v $X:/x $X/{{secret}}/vllm/vllm-openai:v0.11.0 --model a/b-1",
        "P=https://u\nQ={secret}@h/x\nvllm serve $P:$Q",
        "K='{secret}/x-1'\nLLM(model=K, hf_token=K)",
        "LLM(model='a/b-1', foo=['--api-key', '{secret}'], bar={{'token': '{secret}'}})",
        "K=('a/b-1')\nLLM(model='a/b-1', foo=dict(a=dict(hf_token='{secret}')))",
    ],
)
def test_a_secret_that_a_variable_brings_is_not_told(real, capsys, tmp_path, text):
    pasted = text.format(secret=SECRET)
    data = as_data(diagnose(real, [("", pasted)]))
    print_data(data, verbose=True)
    assert SECRET not in json.dumps(data) + capsys.readouterr().out
    (by_page,) = read_by_the_page(real, [pasted], tmp_path)
    assert SECRET not in json.dumps({name: one for name, one in by_page.items() if name != "text"})


def test_the_page_takes_out_the_same(real, tmp_path):
    texts = [*TOLD, *SECRETS, *MACHINES, *CASES]
    found = read_by_the_page(real, texts, tmp_path)
    assert [(one["text"], here) for one, text in zip(found, texts, strict=True) if one["text"] != (here := redact(text))] == []
