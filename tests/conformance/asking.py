"""How these tests write to an API server, and what the server makes of it."""

from __future__ import annotations

from typing import Any

import httpx

from tests.support.kubeapi import Json, KubeApi, path_of

MERGE, JSON, STRATEGIC = (f"application/{form}+json" for form in ("merge-patch", "json-patch", "strategic-merge-patch"))
STATUS = {"kind": "Status", "apiVersion": "v1"}


def patch(api: KubeApi, thing: Json, body: Any, form: str = MERGE, sub: str = "", **query: str) -> httpx.Response:
    return api.http.patch(path_of(thing) + sub, json=body, params=query, headers={"Content-Type": form})


def outcome(answer: httpx.Response) -> tuple[int, str]:
    """Status code and reason; an error always comes as a Status object."""
    data = answer.json()
    assert {key: data[key] for key in STATUS} == STATUS
    assert data["code"] == answer.status_code
    return answer.status_code, data.get("reason", "")
