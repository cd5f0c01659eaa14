"""Secrets on other lines than their names leave, and the lines around them stay what they were."""

from __future__ import annotations

import pytest

from infercompat.answer.diagnose.redact import redact

SECRET = "zQ7pWm2LsXk9"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("args:\n- --api-key\n- SECRET\n- --port\n- '1'", "args:\n- --api-key\n- REDACTED\n- --port\n- '1'"),
        ('[\n  "--api-key",\n  "SECRET",\n  "--port"\n]', '[\n  "--api-key",\n  REDACTED,\n  "--port"\n]'),
        ("serve --api-key \\\n  # mine\n  SECRET \\\n  --port 1", "serve --api-key \\\n  # mine\n  REDACTED \\\n  --port 1"),
        ("serve --api-key\nINFO started", "serve --api-key\nINFO started"),
        ("- name: HF_TOKEN\n  value: SECRET\n- name: A\n  value: b", '- name: HF_TOKEN\n  value: "REDACTED"\n- name: A\n  value: b'),
        ("- name: HF_TOKEN\n  value: $(B)\n", "- name: HF_TOKEN\n  value: $(B)\n"),
        ("- name: HF_TOKEN\n- name: A\n  value: b", "- name: HF_TOKEN\n- name: A\n  value: b"),
        ("- value: SECRET\n  name: HF_TOKEN", '- value: "REDACTED"\n  name: HF_TOKEN'),
        ("api_keys:\n  - SECRET\n  # SECRET\nmodel: a/b", "api_keys:\n  - REDACTED\n  # REDACTED\nmodel: a/b"),
        ("api_key: |\n  SECRET\n\n  SECRET\nx: y", "api_key: |\n  REDACTED\n\n  REDACTED\nx: y"),
        ("INFO api_key=[\n'SECRET'\n]\nmore", "INFO api_key=REDACTED\n'REDACTED'\n]\nmore"),
        (
            "kind: Secret\nmetadata:\n  name: x\nstringData:\n  a: SECRET\n  b: |\n    one SECRET\n---\nkind: ConfigMap\ndata:\n  a: b",
            "kind: Secret\nmetadata:\n  name: x\nstringData:\n  a: REDACTED\n  b: |\n    REDACTED\n---\nkind: ConfigMap\ndata:\n  a: b",
        ),
        ("data: {a: SECRET}\nkind: Secret", 'data: "REDACTED"\nkind: Secret'),
        (
            "-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\nvllm serve x",
            "-----BEGIN PRIVATE KEY-----\nREDACTED\n-----END PRIVATE KEY-----\nvllm serve x",
        ),
        ("-----BEGIN PRIVATE KEY-----\nSECRET\nthe log goes on", "-----BEGIN PRIVATE KEY-----\nREDACTED\nthe log goes on"),
    ],
)
def test_the_lines_around_a_secret_stay(text, wanted):
    assert redact(text.replace("SECRET", SECRET).replace(f"kind: {SECRET}", "kind: Secret")) == wanted
