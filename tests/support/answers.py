"""Small diagnoses in the shape of the two founding outages, and words for them."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from bot.adapters.files.knowledge import load_words
from bot.knowledge.words import CodeWords, Words
from bot.model.diagnosis import Certainty, Diagnosis, Link, Root, Verdict
from bot.model.findings import Blind, Code, Evidence, Finding, Kind, Onset, Reporter, Severity
from bot.model.refs import CLUSTER, Ref, node
from bot.model.report import MomentSource, Report, Statement
from bot.model.sections import Section
from bot.narrate.report import report

AT = datetime(2026, 10, 30, 15, 39, 51, tzinfo=UTC)
DOWN_SINCE = datetime(2026, 7, 10, 15, 40, tzinfo=UTC)
OMEN2 = node("omen2")
VM = Ref("vm", "gpu-fedora", "vms")
SWAP, DOWN, NOT_READY, PENDING = (
    Code(text) for text in ("kubelet-swap-on", "kubelet-down", "node-not-ready", "vm-unschedulable")
)
SWAP_LINE = 'E0710 15:39:51 run.go:72] "command failed" err="running with swap on is not supported"'
JOURNAL = "journalctl -u kubelet --no-pager -n 200"

_EN = {
    SWAP: CodeWords(
        title="Swap is on at {name}",
        why="The kubelet refuses to start while swap is on.",
        open="whether swap is on",
    ),
    DOWN: CodeWords(title="The kubelet of {name} is down", why="It no longer renews its Lease."),
    NOT_READY: CodeWords(title="Node {name} is not ready"),
    PENDING: CodeWords(title="VM {name} cannot be scheduled", why="It needs {resource}, and {node} is down."),
    "vm-pinned": CodeWords(title="VM {name} is pinned to {node}"),
    "permitted-devices": CodeWords(title="permittedHostDevices name what the VMs ask for"),
    "clusterpolicy-ready": CodeWords(title="ClusterPolicy ready", why="A dead node lowers what it counts."),
    "do-not-start-kubelet": CodeWords(
        title="do not run swapoff or start the kubelet on {name} yet", why="vfio-manager would take the card."
    ),
    "karpenter-node-repair": CodeWords(title="Karpenter replaces nodes of {name}"),
    "next-deletion": CodeWords(title="Next deletion: {at}"),
    "kubelet-certificate-expired": CodeWords(
        title="The kubelet's certificate on {name} has expired", open="whether the certificate has expired"
    ),
}
_KO = {
    SWAP: CodeWords(title="{name}의 스왑이 켜져 있음", why="스왑이 켜져 있으면 kubelet이 시작을 거부합니다."),
    DOWN: CodeWords(title="{name}의 kubelet이 멈춤"),
    PENDING: CodeWords(title="VM {name} 스케줄 불가", why="{resource}가 필요하지만 {node}가 멈춰 있습니다."),
    "do-not-start-kubelet": CodeWords(title="아직 {name}에서 swapoff나 kubelet 시작 금지"),
}
_LINKS = {
    f"kubelet-certificate-expired>{DOWN}": "Without a certificate the kubelet reaches nobody.",
    f"{SWAP}>{DOWN}": "The kubelet exits at start while swap is on.",
    f"{DOWN}>{NOT_READY}": "Without a Lease the node controller marks {name} Unknown.",
    f"{NOT_READY}>{PENDING}": "Only {node} has ever offered {resource}.",
}


def words(lang: str = "en") -> Words:
    """The shipped catalogue, with the words of this module's findings on top."""
    shipped = load_words(lang)
    ours = _KO if lang == "ko" else _EN
    return msgspec.structs.replace(
        shipped, codes={**shipped.codes, **{str(key): value for key, value in ours.items()}}, links=_LINKS
    )


def seen(
    about: Ref, field: str, quote: str, *, source: str = "kubernetes", reporter: Reporter | None = None
) -> Evidence:
    return Evidence(source=source, object=about, field=field, quote=quote, last_seen=AT, reporter=reporter)


def finding(code: str, subject: Ref, kind: Kind = Kind.FAULT, **more: object) -> Finding:
    severity = Severity.CRITICAL if kind is Kind.FAULT else Severity.INFO
    made = Finding(code=Code(code), subject=subject, kind=kind, severity=severity)
    return msgspec.structs.replace(made, **more)


KUBELET = finding(
    DOWN,
    OMEN2,
    onset=Onset(DOWN_SINCE, "lease spec.renewTime"),
    evidence=(seen(OMEN2, "lease spec.renewTime", "2026-07-10T15:40:00Z"),),
)
NODE = finding(
    NOT_READY,
    OMEN2,
    onset=Onset(DOWN_SINCE, "status.conditions[Ready].lastTransitionTime"),
    evidence=(seen(OMEN2, "status.conditions[Ready].status", "Unknown"),),
)
STUCK = finding(
    PENDING,
    VM,
    values={"resource": "nvidia.com/GB202_GEFORCE_RTX_5090"},
    refs={"node": (OMEN2,)},
    evidence=(seen(VM, "status.printableStatus", "ErrorUnschedulable"),),
)
AROUND = (
    finding("vm-pinned", VM, Kind.FACT, refs={"node": (OMEN2,)}),
    finding("permitted-devices", Ref("kubevirt", "kubevirt", "kubevirt"), Kind.RULED_OUT),
    finding("clusterpolicy-ready", Ref("clusterpolicy", "cluster-policy"), Kind.PROVES_NOTHING),
    finding("do-not-start-kubelet", OMEN2, Kind.DO_NOT),
    finding("do-not-start-kubelet", node("omen9"), Kind.DO_NOT),
    finding("karpenter-node-repair", Ref("nodepool", "far"), Kind.ACTING),
)
OTHER = finding(DOWN, node("omen3"), evidence=(seen(node("omen3"), "lease spec.renewTime", "2026-08-01T00:00:00Z"),))
LINKS = (
    Link((NOT_READY, OMEN2), (PENDING, VM), Certainty.OBSERVED),
    Link((DOWN, OMEN2), (NOT_READY, OMEN2), Certainty.OBSERVED),
)
GAPS = (
    Blind(
        check="nodepools", codes=(Code("node-repair-deletes"),), subject=CLUSTER, why="section-forbidden",
        command="kubectl get nodepools -A -o yaml", values={"section": "nodepools", "detail": "403"},
        sections=(Section.NODEPOOLS,),
    ),
    Blind(
        check="journal:kubelet", codes=(SWAP,), subject=OMEN2, why="text-missing", command=JOURNAL,
        values={"source": "journal:kubelet"},
    ),
    Blind(
        check="journal:kubelet", codes=(Code("kubelet-certificate-expired"),), subject=OMEN2, why="text-missing",
        command=JOURNAL, values={"source": "journal:kubelet"},
    ),
)  # fmt: skip


def without_journal(scope: tuple[Ref, ...] = (CLUSTER,)) -> Diagnosis:
    """The dead kubelet leads, its cause is not seen."""
    return Diagnosis(
        at=AT,
        scope=scope,
        verdict=Verdict.BROKEN,
        roots=(Root(finding=KUBELET, open_causes=(SWAP, Code("kubelet-certificate-expired"))),),
        links=LINKS,
        findings=(KUBELET, NODE, STUCK, OTHER, *AROUND),
        blind=GAPS,
        affected=(STUCK.key,),
        not_examined=(OTHER.key,),
    )


def with_journal(scope: tuple[Ref, ...] = (CLUSTER,), reporter: str = "U0ONCALL") -> Diagnosis:
    """The pasted journal says swap."""
    pasted = seen(OMEN2, "", SWAP_LINE, source="journal:kubelet", reporter=Reporter(reporter, AT))
    swap = finding(SWAP, OMEN2, evidence=(pasted,))
    before = without_journal(scope)
    return msgspec.structs.replace(
        before,
        roots=(Root(finding=swap),),
        links=(*LINKS, Link(swap.key, KUBELET.key, Certainty.OBSERVED)),
        findings=(swap, *before.findings),
        blind=GAPS[:1],
    )


def told(diagnosis: Diagnosis, lang: str = "en") -> Report:
    """The report of a diagnosis of the cluster `lab`."""
    return report(diagnosis, words(lang), cluster="lab", at_source=MomentSource.NOW, runbooks={})


def codes(statements: tuple[Statement, ...]) -> list[str]:
    return [f"{one.code} {one.subject}" for one in statements]
