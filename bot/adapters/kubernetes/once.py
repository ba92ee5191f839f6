"""Changes one object: look, compare with what was approved, dry-run, and send exactly one request."""

from __future__ import annotations

import time
from collections.abc import Callable

from bot.adapters.kubernetes.classify import Meaning, meaning, words
from bot.adapters.kubernetes.client import Client, NoReply, Reply, Write
from bot.adapters.kubernetes.difference import changes, lines
from bot.adapters.kubernetes.live import Targets, decoded
from bot.adapters.kubernetes.mutations import MUTATIONS, Json, Mutation, Params, uid_of
from bot.adapters.kubernetes.notdone import Gone, Unfit, Unreadable, result_of
from bot.adapters.kubernetes.shown import evidence, fingerprint
from bot.app.repair.ports import Result
from bot.model.refs import Ref
from bot.remedy.events import Effect
from bot.remedy.plan import Action
from bot.remedy.runbook import Verb

#: How often an object that changes under the step is read anew before the step gives up.
TRIES = 3
#: Seconds after the first look from which nothing is sent any longer: whoever takes a silent executor's step over
#: waits a minute, and then nothing of it may be on its way.
LATEST = 30.0
#: Stands for the exec id in a dry run before the step has one.
NOBODY = "dry-run"


class Once:
    """Sends writes with the executor's client, whose retries are off."""

    def __init__(self, client: Client, targets: Targets, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._targets = targets
        self._monotonic = monotonic

    def tried(self, mutation: Mutation, ref: Ref, live: Json, params: Params) -> str:
        """The difference that a dry run shows; empty where the object is as wanted already.

        Raises:
            Unfit: the server refuses the dry run.
            Unreadable: its reply cannot be read.
            NoReply: it does not answer.
        """
        if mutation.fields(live, params) == mutation.wanted(live, params, NOBODY):
            return ""
        reply = self._client.send(mutation.request(ref, live, params, NOBODY), dry_run=True)
        if meaning(reply) is not Meaning.DONE:
            raise Unfit("hands-dry-run-refused", detail=words(reply))
        return _difference(mutation, live, reply)

    def do(self, exec_id: str, action: Action, ref: Ref, uid: str) -> Result:
        """Do it. Only where the server says that the object changed, so that it stored nothing, is it tried again."""
        mutation, why, ends = MUTATIONS[action.verb], "", self._monotonic() + LATEST
        for _ in range(TRIES):
            try:
                live = self._targets.one(ref)
                nothing_to_send = _compared(exec_id, action, ref, uid, live)
                if nothing_to_send is not None:
                    return nothing_to_send
                result, why = self._sent(mutation.request(ref, live, action.params, exec_id), action, live, ends)
            except Unreadable as problem:
                return _missing(action, problem)
            except NoReply as problem:
                return result_of(problem, Effect.REFUSED)
            if result is not None:
                return result
        values = {"tries": str(TRIES), "detail": why}
        return Result(result=Effect.REFUSED, why="hands-never-still", values=values)

    def _sent(self, write: Write, action: Action, live: Json, ends: float) -> tuple[Result | None, str]:
        """Dry-run and send once; None where the object changed meanwhile, with the server's words.

        Raises:
            Unreadable: the dry run's reply cannot be read.
            NoReply: the dry run was not answered.
        """
        tried = self._client.send(write, dry_run=True)
        if meaning(tried) is Meaning.CHANGED_SINCE:
            return None, words(tried)
        if meaning(tried) is not Meaning.DONE:
            return Result(result=Effect.REFUSED, why=words(tried)), ""
        if drift := _unexpected(action, live, tried):
            return drift, ""
        if self._monotonic() > ends:
            return Result(result=Effect.REFUSED, why="hands-too-slow", values={"seconds": f"{LATEST:g}"}), ""
        try:
            reply = self._client.send(write)
        except NoReply as why:
            return result_of(why, Effect.UNCLEAR), ""
        match meaning(reply):
            case Meaning.DONE:
                return Result(result=Effect.APPLIED, why=f"HTTP {reply.status}"), ""
            case Meaning.CHANGED_SINCE:
                return None, words(reply)
            case Meaning.REFUSED:
                return Result(result=Effect.REFUSED, why=words(reply)), ""
            case Meaning.UNCLEAR:
                return Result(result=Effect.UNCLEAR, why=words(reply)), ""


def _compared(exec_id: str, action: Action, ref: Ref, uid: str, live: Json) -> Result | None:
    """Why there is nothing to send: the object is another one, is as wanted, or is not as it was approved."""
    if uid_of(live) != uid:
        if action.verb is Verb.EVICT_POD:
            return Result(result=Effect.SATISFIED, why="hands-pod-replaced")
        return Result(result=Effect.DRIFTED, why="hands-other-uid", values={"uid": uid_of(live)})
    mutation = MUTATIONS[action.verb]
    try:
        fields = mutation.fields(live, action.params)
        wanted = mutation.wanted(live, action.params, exec_id)
    except Unfit as why:
        return result_of(why, Effect.DRIFTED)
    if fields == wanted:
        return Result(result=Effect.SATISFIED, why="hands-as-wanted", evidence=evidence(ref, fields))
    now = fingerprint(fields)
    for field, value in action.fingerprint.items():
        if now.get(field, "") != value:
            values = {"subject": str(ref), "field": field, "seen": now.get(field) or "-", "wanted": value or "-"}
            return Result(result=Effect.DRIFTED, why="repair-sees-other", values=values)
    return None


def _difference(mutation: Mutation, live: Json, reply: Reply) -> str:
    after = decoded(reply)
    # An eviction answers with a Status: there is no object to compare.
    shown = "" if after.get("kind") == "Status" else lines(changes(live, after))
    return "\n".join(filter(None, (shown, mutation.told)))


def _unexpected(action: Action, live: Json, tried: Reply) -> Result | None:
    """Whether the dry run changes something else than what was approved."""
    mutation = MUTATIONS[action.verb]
    if not action.target.select:
        shown = _difference(mutation, live, tried)
        drifted = Result(result=Effect.DRIFTED, why="hands-other-difference", values={"detail": shown})
        return None if shown == action.diff else drifted
    fields = tuple(mutation.fields(live, action.params))
    other = [path for path in changes(live, decoded(tried)) if not path.startswith(fields)]
    more = Result(result=Effect.DRIFTED, why="hands-more-than-approved", values={"fields": ", ".join(other)})
    return more if other else None


def _missing(action: Action, problem: Unreadable) -> Result:
    if not isinstance(problem, Gone):
        return result_of(problem, Effect.REFUSED)
    # A pod that went is what was wanted. Objects that were found by a selection a moment ago may go; the others are
    # what was approved.
    may_go = action.verb is Verb.EVICT_POD or action.target.select
    return result_of(problem, Effect.SATISFIED if may_go else Effect.DRIFTED)
