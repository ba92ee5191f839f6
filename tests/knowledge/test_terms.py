"""One Korean word for one thing, as Kubernetes' own Korean documentation has it (kubernetes.io/ko, its glossary)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.adapters.files.knowledge import load_words

RUNBOOKS = Path(__file__).parent.parent.parent / "runbooks"
#: What is said, by what is not: another word, or the English one where it is no name in a command or a field.
TERMS: Mapping[str, str] = {
    "라벨": "레이블",
    "객체": "오브젝트",
    "포드": "파드",
    "pod": "파드",
    "taint": "테인트",
    "toleration": "톨러레이션",
    "condition": "컨디션",
    "heartbeat": "하트비트",
    "swap": "스왑",
    "gate": "게이트",
    "monitor": "모니터",
    "journal": "저널",
    "장비": "머신",
    "자원": "리소스",
    "사건": "인시던트",
    "오퍼랜드": "operand",
    "노드 복구": "node repair",
    "컨피그맵": "ConfigMap",
    "결재": "승인",
    "검증됨": "확인됨",
    "증언": "보고",
    "solo": "단독",
    "붙여넣": "붙여 넣",
}
#: Commands, blanks and quotations hold names.
_NAMES = re.compile(r"```.*?```|`[^`]*`|\{[^}]*\}", re.DOTALL)


def _texts() -> dict[str, str]:
    words = load_words("ko")
    texts = {**words.reasons, **words.labels, **words.links}
    texts |= {key: f"{one.title}\n{one.why}\n{one.open}" for key, one in words.codes.items()}
    # What a person types.
    texts["slack-help"] = "\n".join(line for line in texts["slack-help"].splitlines() if not line.startswith("{"))
    return texts | {
        path.name: path.read_text(encoding="utf-8").split("---\n", 2)[2] for path in RUNBOOKS.glob("*.ko.md")
    }


TEXTS = {place: _NAMES.sub(" ", text) for place, text in _texts().items()}


def found(term: str) -> list[str]:
    word = re.compile(rf"(?<![\w/.=-]){term}(?![A-Za-z0-9_/.=-])" if term.isascii() else re.escape(term))
    return [place for place, text in TEXTS.items() if word.search(text)]


@pytest.mark.parametrize("term", TERMS)
def test_a_thing_has_one_name(term: str) -> None:
    assert found(term) == [], f"say {TERMS[term]}"


def test_a_term_is_found() -> None:
    assert {"kubelet-swap.ko.md", "nfd-labels-gone"} <= set(found("레이블"))
    assert found("operand")
