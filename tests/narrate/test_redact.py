"""Axes: the form of the secret, what stands around it, what must not be lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.narrate.redact import REDACTED, redact

# Made up and put together here, so that no scanner takes them for real ones.
BODY = "aB3" * 14
SECRETS = {
    "Slack bot token": "xoxb" + "-123456789012-" + BODY,
    "Slack app token": "xapp" + "-1-A0B1C2D3E-" + BODY,
    "Slack webhook": "https://hooks.slack.com" + "/services/T000/B000/" + BODY,
    "Hugging Face": "hf" + "_" + BODY,
    "W&B": "wandb: login key " + "0a1b" * 10,
    "NGC": "nvapi" + "-" + BODY,
    "NGC old": "Zm9v" * 21,
    "OpenAI": "sk" + "-proj-" + BODY,
    "AWS": "AKIA" + "ABCDEFGH12345678",
    "GitHub": "ghp" + "_" + BODY,
    "JWT": "eyJhbGciOiJSUzI1NiJ9" + ".eyJpc3MiOiJrdWJlIn0." + BODY,
    "PEM": "-----BEGIN RSA PRIVATE KEY-----\nMIIE" + BODY + "\n-----END RSA PRIVATE KEY-----",
    "PEM without an end": "-----BEGIN PRIVATE KEY-----\nMIIE" + BODY,
    "password": "password=" + BODY,
    "quoted password": '"db_password": "two words ' + BODY + '"',
    "yaml": "client_secret: " + BODY,
    "flag": "--api-key " + BODY,
    "header": "Authorization: Bearer " + BODY,
    "header without a scheme": "authorization=" + BODY,
    "user in an address": "postgres://admin:" + BODY + "@db:5432/x",
    "environment": "REGISTRY_LOGIN=" + BODY,
    "environment as Kubernetes has it": '{"name": "ANY", "value": "' + BODY + '"}',
}


@pytest.mark.parametrize("around", ["{}", "before {} after", 'msg="{}" level=info', "[{}]\n"])
@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_secrets_go(secret: str, around: str) -> None:
    shown = redact(around.format(secret))
    assert REDACTED in shown
    assert BODY not in shown
    assert "0a1b0a1b" not in shown
    assert "Zm9vZm9v" not in shown
    assert "ABCDEFGH12345678" not in shown


@pytest.mark.parametrize(
    "text",
    [
        "GPU-8f6d0f2e-1c1d-4b59-9a3e-3b6c0d9e7a11",
        "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', GPU has fallen off the bus.",
        "0000:01:00.0 10de:2b85",
        "nvcr.io/nvidia/driver@sha256:" + "0123456789abcdef" * 4,
        "commit 0123456789abcdef0123456789abcdef01234567",
        "nvidia.com/gpu.workload.config=container",
        "nvidia-sandbox-device-plugin-daemonset-x7k2p",
        'E0710 15:39:51 run.go:72] "command failed" err="running with swap on is not supported"',
        "http://10.0.0.1:9400/metrics",
        "2026-07-10T15:40:00Z",
    ],
)
def test_what_a_diagnosis_needs_stays(text: str) -> None:
    assert redact(text) == text


PIECES = [
    *SECRETS.values(),
    "password",
    "token=",
    '"',
    "'",
    ": ",
    "=",
    " ",
    "\n",
    "://",
    "@",
    "[redacted]",
    "wandb",
    "A" * 40,
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=10).map("".join))
def test_twice_is_once(text: str) -> None:
    assert redact(redact(text)) == redact(text)
