"""No secret of an adversarial set reaches an answer, as text or as JSON: keys, tokens, passwords, private names of people and machines.

The secrets are invented. What stands around them is how they are written in commands, manifests, services, logs, code and shells.
"""

from __future__ import annotations

import base64
import json

import pytest

from infercompat.answer.diagnose import as_data, diagnose, print_data

HOME = "/" + "home"
STORED = base64.b64encode(b"hf_QwErTyUiOpAsDfGhJkLz").decode()
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
    f"apiVersion: v1\nkind: Secret\ndata:\n  HF_TOKEN: {STORED}\n  token: {STORED}\n  password: aHVudGVyMg==": [STORED, "aHVudGVyMg"],
    f"apiVersion: v1\nkind: Secret\nmetadata: {{name: x}}\ndata:\n  hf: {STORED}\n": [STORED],
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
    r"llama-server -m C:/Users/somebody/models/x.gguf": ["somebody"],
    "vllm serve /Users/somebody/models/x-1b": ["somebody"],
    "vllm serve /data/home/somebody/models/x-1b": ["somebody"],
    "vllm serve /mnt/c/Users/somebody/models/x-1b": ["somebody"],
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
    "huggingface:\n  token: apSECRETtok": ["apSECRETtok"],
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
