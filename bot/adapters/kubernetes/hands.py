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
from bot.adapters.kubernetes.live import Selected, Targets
from bot.adapters.kubernetes.mutations import MUTATIONS, Mutation, Params, check, uid_of
from bot.adapters.kubernetes.notdone import Gone, Unfit, Unreadable, cannot_prepare, result_of
from bot.adapters.kubernetes.once import NOBODY, Once
from bot.adapters.kubernetes.seen import seen
from bot.adapters.kubernetes.shown import fingerprint, of_each
from bot.app.repair.ports import CannotPrepare, Claimed, Draft, Prepared, Result
from bot.model.refs import Ref
from bot.remedy.decision import Freeze
from bot.remedy.events import Effect
from bot.remedy.plan import Action, Actor, Earlier, Holder, Target
from bot.remedy.rules import because
from bot.remedy.runbook import Verb

#: A write is never waited for longer than this: what became of it is then observed.
PATIENCE = Patience(connect=3, read=8, whole=10, attempts=2)
NAMESPACE = "gpu-autopsy"
#: Selections find nodes.
_SOME_NODE = Ref("node", "*")
_GOOD = frozenset({Effect.APPLIED, Effect.SATISFIED})


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
            raise CannotPrepare("hands-other-verb", {"verb": draft.verb.value})
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
            raise cannot_prepare(why) from why

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
            return result_of(why, Effect.REFUSED)
        if isinstance(found, Result):
            return found
        results: list[Result] = []
        for ref, uid in found.needing:
            results.append(self._once.do(exec_id, action, ref, uid))
            if results[-1].result not in _GOOD:
                break
        return _together(results, len(found.needing))

    def observe(self, exec_id: str, action: Action) -> Result:
        """See `Hands.observe`."""
        mutation, target = MUTATIONS[action.verb], action.target
        try:
            if target.select:
                left = self._targets.selected(target, mutation, action.params, exec_id).needing
                if not left:
                    return Result(result=Effect.APPLIED, why="hands-none-left")
                return Result(result=Effect.REFUSED, why="hands-some-left", values={"names": _names(left)})
            return seen(exec_id, action, self._targets.one(target.ref))
        except (Unfit, Unreadable, NoReply) as why:
            is_done = isinstance(why, Gone) and action.verb is Verb.EVICT_POD
            return result_of(why, Effect.APPLIED if is_done else Effect.UNCLEAR)

    def _guard(self, ref: Ref) -> None:
        """The executor must not saw off the branch that it sits on: its pods and theirs, Redis, the freeze."""
        if ref.namespace == self._namespace:
            raise Unfit("hands-own", namespace=self._namespace)

    def _prepare_each(self, target: Target, params: Params, mutation: Mutation) -> Prepared:
        found = self._targets.selected(target, mutation, params, NOBODY)
        if len(found.needing) > target.cap:
            raise _too_many(len(found.needing), target)
        for ref, uid in found.needing:
            self._try_one(mutation, ref, uid, params)
        bound = Target(ref=target.ref, uid=found.uid, select=target.select, cap=target.cap)
        return Prepared(target=bound, diff=of_each(mutation, params), earlier=self.earlier(bound))

    def _try_one(self, mutation: Mutation, ref: Ref, uid: str, params: Params) -> None:
        try:
            self._once.tried(mutation, ref, self._targets.one(ref, uid), params)
        except Gone:
            # One that went since it was listed needs nothing any longer.
            return

    def _selected(self, target: Target, mutation: Mutation, params: Params, exec_id: str) -> Selected | Result:
        found = self._targets.selected(target, mutation, params, exec_id)
        if target.uid != found.uid:
            return Result(result=Effect.DRIFTED, why="hands-other-uid", values={"uid": found.uid})
        if len(found.needing) + found.done > target.cap:
            raise _too_many(len(found.needing) + found.done, target)
        return found


def _together(results: Sequence[Result], wanted: int) -> Result:
    """One result of several objects: what went through, and where it stopped."""
    good = [one for one in results if one.result in _GOOD]
    if len(good) == wanted:
        result = Effect.APPLIED if any(one.result is Effect.APPLIED for one in good) else Effect.SATISFIED
        found = tuple(shown for one in good for shown in one.evidence)
        return Result(result=result, why="hands-all-done", values={"count": str(wanted)}, evidence=found)
    last = results[-1]
    if not any(one.result is Effect.APPLIED for one in good):
        return last
    values = because({"done": str(len(good)), "count": str(wanted)}, last.why, last.values)
    return Result(result=Effect.UNCLEAR, why="hands-some-done", values=values)


def _too_many(count: int, target: Target) -> Unfit:
    return Unfit("hands-too-many", count=str(count), cap=str(target.cap))


def _names(refs: Sequence[tuple[Ref, str]]) -> str:
    return ", ".join(str(ref) for ref, _ in refs)
