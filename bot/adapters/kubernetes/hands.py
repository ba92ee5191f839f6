"""Carries a step out through the Kubernetes API: read, compare, dry-run, then one request with a precondition.

What a step is and whether it may run is decided elsewhere; which fields a verb sets stands in `mutations`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

from bot.adapters.kubernetes.budgets import noted
from bot.adapters.kubernetes.claims import Claims
from bot.adapters.kubernetes.client import Client, NoReply, Patience, connect
from bot.adapters.kubernetes.configmaps import KubernetesConfigMaps
from bot.adapters.kubernetes.live import Selected, Targets, Unreadable
from bot.adapters.kubernetes.mutations import MUTATIONS, Mutation, Params, Unfit, check, uid_of
from bot.adapters.kubernetes.once import NOBODY, Once
from bot.adapters.kubernetes.seen import seen
from bot.adapters.kubernetes.shown import fingerprint, of_each
from bot.app.repair.ports import CannotPrepare, Claimed, Draft, Prepared, Result
from bot.model.refs import Ref
from bot.remedy.decision import Freeze
from bot.remedy.plan import Action, Actor, Earlier, Holder, Target
from bot.remedy.runbook import Verb

#: A write is never waited for longer than this: what became of it is then observed.
PATIENCE = Patience(connect=3, read=8, whole=10, attempts=2)
NAMESPACE = "gpu-autopsy"
#: Selections find nodes.
_SOME_NODE = Ref("node", "*")


class KubernetesHands:
    """Implements `app.repair.ports.Hands`. Retries are off: each write is sent once."""

    def __init__(self, client: Client, namespace: str = NAMESPACE) -> None:
        """Take the executor's client; `namespace` is the bot's own, with the claims and the freeze."""
        self._client = client
        self._namespace = namespace
        self._targets = Targets(client)
        self._once = Once(client, self._targets)
        self._claims = Claims(client, namespace)
        self.configmaps = KubernetesConfigMaps(client)

    @classmethod
    def connect(
        cls,
        kubeconfig: Path | None = None,
        context: str | None = None,
        namespace: str = NAMESPACE,
        patience: Patience = PATIENCE,
    ) -> Self:
        """Prepare the connection as the executor's own account; nothing is sent yet.

        In a pod, without a kubeconfig, the pod's service account is used: the executor has a pod of its own.

        Raises:
            NoClusterConfiguration: there is no usable configuration.
        """
        client, _ = connect(kubeconfig, context, patience)
        return cls(client, namespace)

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._client.close()

    def prepare(self, draft: Draft) -> Prepared:
        """See `Hands.prepare`."""
        mutation = MUTATIONS.get(draft.verb)
        if mutation is None:
            raise CannotPrepare(f"{draft.verb} is not done through the Kubernetes API")
        target = Target(ref=draft.target, select=draft.select, cap=draft.cap)
        try:
            self._guard(draft.target)
            if draft.select:
                check(draft.verb, _SOME_NODE, draft.params)
                return self._prepare_each(target, draft.params, mutation)
            check(draft.verb, draft.target, draft.params)
            live = self._targets.one(draft.target)
            found = fingerprint(mutation.fields(live, draft.params))
            diff = self._once.tried(mutation, draft.target, live, draft.params)
            bound = Target(ref=draft.target, uid=uid_of(live), cap=draft.cap)
            notes = (noted(self._client, draft.target, live),) if draft.verb is Verb.EVICT_POD else ()
            return Prepared(target=bound, fingerprint=found, diff=diff, earlier=self.earlier(bound), notes=notes)
        except (Unfit, Unreadable, NoReply) as why:
            raise CannotPrepare(f"{draft.target}: {why}") from why

    def claim(self, exec_id: str, action: Action, approvers: Sequence[Actor], holder: Holder) -> Claimed:
        """See `Hands.claim`. Only an answer of the server is `ours` or `there`."""
        return self._claims.claim(exec_id, action, approvers, holder)

    def frozen(self) -> Freeze:
        """See `Hands.frozen`."""
        return self._claims.frozen()

    def earlier(self, target: Target) -> tuple[Earlier, ...]:
        """The bot's earlier steps on this target, oldest first.

        Raises:
            NoReply: they cannot be listed.
        """
        return self._claims.earlier(target)

    def act(self, exec_id: str, action: Action) -> Result:
        """See `Hands.act`."""
        mutation, target = MUTATIONS[action.verb], action.target
        try:
            self._guard(target.ref)
            if not target.select:
                check(action.verb, target.ref, action.params)
                return self._once.do(exec_id, action, target.ref, target.uid)
            check(action.verb, _SOME_NODE, action.params)
            found = self._selected(target, mutation, action.params, exec_id)
        except (Unfit, Unreadable, NoReply) as why:
            return Result(result="refused", why=f"nothing was sent: {why}")
        if isinstance(found, Result):
            return found
        results: list[Result] = []
        for ref, uid in found.needing:
            results.append(self._once.do(exec_id, action, ref, uid))
            if results[-1].result not in ("applied", "satisfied"):
                break
        return _together(results, len(found.needing))

    def observe(self, exec_id: str, action: Action) -> Result:
        """See `Hands.observe`."""
        mutation, target = MUTATIONS[action.verb], action.target
        try:
            if target.select:
                left = self._targets.selected(target, mutation, action.params, exec_id).needing
                if not left:
                    return Result(result="applied", why="none of the selected objects needs it any longer")
                return Result(result="refused", why=f"it is still to be done on {_names(left)}")
            return seen(exec_id, action, self._targets.one(target.ref))
        except Unreadable as why:
            if why.gone and action.verb is Verb.EVICT_POD:
                return Result(result="applied", why="the pod is gone")
            return Result(result="unclear", why=str(why))
        except (Unfit, NoReply) as why:
            return Result(result="unclear", why=str(why))

    def _guard(self, ref: Ref) -> None:
        """The executor must not saw off the branch that it sits on: its pods and theirs, Redis, the freeze."""
        if ref.namespace == self._namespace:
            raise Unfit(f"what is in {self._namespace} is the bot's own")

    def _prepare_each(self, target: Target, params: Params, mutation: Mutation) -> Prepared:
        found = self._targets.selected(target, mutation, params, NOBODY)
        if len(found.needing) > target.cap:
            raise Unfit(f"{len(found.needing)} objects need it, the step may change {target.cap}")
        for ref, uid in found.needing:
            self._try_one(mutation, ref, uid, params)
        bound = Target(ref=target.ref, uid=found.uid, select=target.select, cap=target.cap)
        return Prepared(target=bound, diff=of_each(target, mutation, params), earlier=self.earlier(bound))

    def _try_one(self, mutation: Mutation, ref: Ref, uid: str, params: Params) -> None:
        try:
            self._once.tried(mutation, ref, self._targets.one(ref, uid), params)
        except Unreadable as why:
            # One that went since it was listed needs nothing any longer.
            if not why.gone:
                raise

    def _selected(self, target: Target, mutation: Mutation, params: Params, exec_id: str) -> Selected | Result:
        found = self._targets.selected(target, mutation, params, exec_id)
        if target.uid != found.uid:
            return Result(result="drifted", why=f"{target.select} is another object than planned: uid {found.uid}")
        if len(found.needing) + found.done > target.cap:
            count = len(found.needing) + found.done
            return Result(result="refused", why=f"nothing was sent: {count} objects, the step may change {target.cap}")
        return found


def _together(results: Sequence[Result], wanted: int) -> Result:
    """One result of several objects: what went through, and where it stopped."""
    good = [one for one in results if one.result in ("applied", "satisfied")]
    if len(good) == wanted:
        applied = any(one.result == "applied" for one in good)
        found = tuple(shown for one in good for shown in one.evidence)
        return Result(result="applied" if applied else "satisfied", why=f"{wanted} objects", evidence=found)
    last = results[-1]
    if not any(one.result == "applied" for one in good):
        return last
    return Result(result="unclear", why=f"{len(good)} of {wanted} objects are done, then: {last.result}: {last.why}")


def _names(refs: Sequence[tuple[Ref, str]]) -> str:
    return ", ".join(str(ref) for ref, _ in refs)
