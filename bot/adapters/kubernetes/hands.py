"""Carries a step out through the Kubernetes API: read, compare, dry-run, then one request with a precondition.

What a step is and whether it may run is decided elsewhere; which fields a verb sets stands in `mutations`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

from bot.adapters.kubernetes.claims import Claims
from bot.adapters.kubernetes.classify import Meaning, meaning, words
from bot.adapters.kubernetes.client import Client, NoReply, Patience, Reply, Write, connect
from bot.adapters.kubernetes.difference import changes, lines
from bot.adapters.kubernetes.live import Live, Selected, Targets, Unreadable, decoded
from bot.adapters.kubernetes.mutations import MUTATIONS, Fields, Mutation, Params, Unfit, marked, uid_of
from bot.adapters.kubernetes.shown import evidence, fingerprint, of_each
from bot.app.repair.ports import CannotPrepare, Draft, Prepared, Result
from bot.model.refs import Ref
from bot.remedy.decision import Freeze
from bot.remedy.plan import Action, Actor, Target
from bot.remedy.runbook import Verb

#: How often an object that changes under the step is read anew before the step gives up.
TRIES = 3
#: A write is never waited for longer than this: what became of it is then observed.
PATIENCE = Patience(connect=5, read=10, whole=15)
NAMESPACE = "gpu-autopsy"
#: Stands for the exec id in a dry run before the step has one.
_NOBODY = "dry-run"


class KubernetesHands:
    """Implements `app.repair.ports.Hands`. Retries are off: each write is sent once."""

    def __init__(self, client: Client, namespace: str = NAMESPACE) -> None:
        """Take the executor's client; `namespace` is the bot's own, with the claims and the freeze."""
        self._client = client
        self._namespace = namespace
        self._targets = Targets(client)
        self._claims = Claims(client, namespace)

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
            self._guard(draft.verb, draft.target)
            if draft.select:
                return self._prepare_each(target, draft.params, mutation)
            mutation.check(draft.target, draft.params)
            live = self._targets.one(draft.target)
            found = fingerprint(mutation.fields(live, draft.params))
            diff = self._tried(mutation, draft.target, live, draft.params)
        except (Unfit, Unreadable, NoReply) as why:
            raise CannotPrepare(f"{draft.target}: {why}") from why
        bound = Target(ref=draft.target, uid=uid_of(live), cap=draft.cap)
        return Prepared(target=bound, fingerprint=found, diff=diff)

    def claim(self, exec_id: str, action: Action, approvers: Sequence[Actor]) -> str:
        """See `Hands.claim`. Only an answer of the server is `ours` or `there`."""
        return self._claims.claim(exec_id, action, approvers).value

    def frozen(self) -> Freeze:
        """See `Hands.frozen`."""
        return self._claims.frozen()

    def earlier(self, target: Target) -> tuple[str, ...]:
        """The exec ids of earlier steps on this target, oldest first.

        Raises:
            NoReply: they cannot be listed.
        """
        return self._claims.earlier(target)

    def act(self, exec_id: str, action: Action) -> Result:
        """See `Hands.act`."""
        mutation, target = MUTATIONS[action.verb], action.target
        try:
            self._guard(action.verb, target.ref)
            if not target.select:
                mutation.check(target.ref, action.params)
                return self._do(exec_id, action, mutation, target.ref, target.uid)
            found = self._selected(target, mutation, action.params, exec_id)
        except (Unfit, Unreadable, NoReply) as why:
            return Result(result="refused", why=f"nothing was sent: {why}")
        if isinstance(found, Result):
            return found
        results: list[Result] = []
        for ref, uid in found.needing:
            results.append(self._do(exec_id, action, mutation, ref, uid))
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
            live = self._targets.one(target.ref)
            return _seen(exec_id, action, mutation, live)
        except Unreadable as why:
            if why.gone and action.verb is Verb.EVICT_POD:
                return Result(result="applied", why="the pod is gone")
            return Result(result="unclear", why=str(why))
        except (Unfit, NoReply) as why:
            return Result(result="unclear", why=str(why))

    def _guard(self, verb: Verb, ref: Ref) -> None:
        """The executor must not saw off the branch that it sits on."""
        if verb is Verb.EVICT_POD and ref.namespace == self._namespace:
            raise Unfit(f"the pods of {self._namespace} are the bot's own")

    def _prepare_each(self, target: Target, params: Params, mutation: Mutation) -> Prepared:
        found = self._targets.selected(target, mutation, params, _NOBODY)
        if len(found.needing) > target.cap:
            raise Unfit(f"{len(found.needing)} objects need it, the step may change {target.cap}")
        for ref, uid in found.needing:
            live = self._targets.one(ref, uid)
            self._tried(mutation, ref, live, params)
        return Prepared(
            target=Target(ref=target.ref, uid=found.uid, select=target.select, cap=target.cap),
            diff=of_each(target, mutation, params),
        )

    def _selected(self, target: Target, mutation: Mutation, params: Params, exec_id: str) -> Selected | Result:
        found = self._targets.selected(target, mutation, params, exec_id)
        if target.uid != found.uid:
            return Result(result="drifted", why=f"{target.select} is another object than planned: uid {found.uid}")
        if len(found.needing) + found.done > target.cap:
            count = len(found.needing) + found.done
            return Result(result="refused", why=f"nothing was sent: {count} objects, the step may change {target.cap}")
        return found

    def _tried(self, mutation: Mutation, ref: Ref, live: Live, params: Params) -> str:
        """The difference that a dry run shows.

        Raises:
            Unfit: the server refuses the dry run.
            NoReply: it does not answer.
        """
        if mutation.fields(live, params) == mutation.wanted(live, params, _NOBODY):
            return ""
        reply = self._client.send(mutation.request(ref, live, params, _NOBODY), dry_run=True)
        if meaning(reply) is not Meaning.DONE:
            raise Unfit(f"the server refuses the dry run: {words(reply)}")
        return _difference(mutation, live, reply)

    def _do(self, exec_id: str, action: Action, mutation: Mutation, ref: Ref, uid: str) -> Result:
        """One object: look, compare, dry-run and send; again only where the server says that it changed meanwhile."""
        why = ""
        for _ in range(TRIES):
            try:
                live = self._targets.one(ref)
                ready = self._compared(exec_id, action, mutation, live, uid)
            except Unreadable as problem:
                return _missing(action, problem)
            except (Unfit, NoReply) as problem:
                return Result(result="refused", why=f"nothing was sent: {problem}")
            if isinstance(ready, Result):
                return ready
            write = mutation.request(ref, live, action.params, exec_id)
            result, why = self._sent(write, action, mutation, live)
            if result is not None:
                return result
        return Result(result="refused", why=f"nothing was changed in {TRIES} tries: {why}")

    def _compared(self, exec_id: str, action: Action, mutation: Mutation, live: Live, uid: str) -> Fields | Result:
        """The fields as they are, or why there is nothing to send."""
        if uid_of(live) != uid:
            if action.verb is Verb.EVICT_POD:
                return Result(result="satisfied", why="that pod is gone, another one has its name")
            return Result(result="drifted", why=f"it is another object than planned: uid {uid_of(live)}")
        try:
            fields = mutation.fields(live, action.params)
            wanted = mutation.wanted(live, action.params, exec_id)
        except Unfit as why:
            return Result(result="drifted", why=str(why))
        if fields == wanted:
            return Result(result="satisfied", evidence=evidence(action.target.ref, fields))
        now = fingerprint(fields)
        for field, value in action.fingerprint.items():
            if now.get(field, "") != value:
                return Result(result="drifted", why=f"{field} is {now.get(field, '')!r}, was {value!r} in the plan")
        return fields

    def _sent(self, write: Write, action: Action, mutation: Mutation, live: Live) -> tuple[Result | None, str]:
        """Dry-run and send once; None where the object changed meanwhile, with the server's words."""
        try:
            tried = self._client.send(write, dry_run=True)
        except NoReply as why:
            return Result(result="refused", why=f"nothing was sent: the dry run was not answered: {why}"), ""
        if meaning(tried) is Meaning.CHANGED_SINCE:
            return None, words(tried)
        if meaning(tried) is not Meaning.DONE:
            return Result(result="refused", why=words(tried)), ""
        if drift := _unexpected(action, mutation, live, tried):
            return Result(result="drifted", why=drift), ""
        try:
            reply = self._client.send(write)
        except NoReply as why:
            return Result(result="unclear", why=str(why)), ""
        match meaning(reply):
            case Meaning.DONE:
                return Result(result="applied", why=f"HTTP {reply.status}"), ""
            case Meaning.CHANGED_SINCE:
                return None, words(reply)
            case Meaning.REFUSED:
                return Result(result="refused", why=words(reply)), ""
            case Meaning.UNCLEAR:
                return Result(result="unclear", why=words(reply)), ""


def _difference(mutation: Mutation, live: Live, reply: Reply) -> str:
    after = decoded(reply)
    shown = "" if after.get("kind") == "Status" else lines(changes(live, after))
    return "\n".join(filter(None, (shown, mutation.told)))


def _unexpected(action: Action, mutation: Mutation, live: Live, tried: Reply) -> str:
    """Whether the dry run changes something else than what was approved."""
    if not action.target.select:
        shown = _difference(mutation, live, tried)
        return "" if shown == action.diff else f"the dry run now shows another difference:\n{shown}"
    fields = tuple(mutation.fields(live, action.params))
    other = [path for path in changes(live, decoded(tried)) if not path.startswith(fields)]
    return f"the dry run changes more than was approved: {', '.join(other)}" if other else ""


def _missing(action: Action, problem: Unreadable) -> Result:
    if not problem.gone:
        return Result(result="refused", why=f"nothing was sent: {problem}")
    if action.verb is Verb.EVICT_POD:
        return Result(result="satisfied", why="the pod is gone")
    # Objects that were found by a selection a moment ago may go; the others are what was approved.
    return Result(result="satisfied" if action.target.select else "drifted", why=str(problem))


def _seen(exec_id: str, action: Action, mutation: Mutation, live: Live) -> Result:
    target = action.target
    if uid_of(live) != target.uid:
        if action.verb is Verb.EVICT_POD:
            return Result(result="applied", why="that pod is gone, another one has its name")
        return Result(result="unclear", why=f"another object has its name now: uid {uid_of(live)}")
    fields = mutation.fields(live, action.params)
    shown = evidence(target.ref, fields)
    if fields == mutation.wanted(live, action.params, exec_id):
        why = "it carries the step's mark" if marked(live) == exec_id else "it is as wanted, without the step's mark"
        return Result(result="applied", why=why, evidence=shown)
    if marked(live) == exec_id:
        return Result(result="applied", why="it carries the step's mark, and was changed again since", evidence=shown)
    return Result(result="refused", why="it is not as wanted and carries no mark of the step", evidence=shown)


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
