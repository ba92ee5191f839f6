"""What an approval binds to: one number over everything that a step will do.

Canonical bytes are those of RFC 8785, so that any reader in any language comes to the same digest.
"""

from __future__ import annotations

import base64
import hashlib

import msgspec
import rfc8785

from bot.remedy.plan import Action

#: Stands in the bytes: a digest of one form never equals one of another.
_FORM = "gpu-autopsy.action/1"
_ID_LETTERS = 26
#: The annotation by which an object says which step changed it last.
MARKER = "autopsy.io/exec-id"


def digest_of(action: Action) -> str:
    """Hex SHA-256 over the whole action, its predecessors and its nonce included.

    Raises:
        ValueError: a text of the action cannot be written as UTF-8, or a number is too large for JSON.
    """
    return _sha256({"form": _FORM, "action": msgspec.to_builtins(action)}).hexdigest()


def exec_id_of(plan_id: str, step_id: str, digest: str) -> str:
    """The name of the one execution of one approved step: 26 lower-case letters and digits.

    Fits the name of a Kubernetes object, which upper case does not (422 on a real API server).
    """
    named = _sha256([plan_id, step_id, digest]).digest()
    return base64.b32encode(named).decode("ascii").lower()[:_ID_LETTERS]


def _sha256(value: object) -> hashlib._Hash:
    try:
        return hashlib.sha256(rfc8785.dumps(value))  # type: ignore[arg-type]
    except rfc8785.CanonicalizationError as why:
        raise ValueError(f"no canonical form: {why}") from why
