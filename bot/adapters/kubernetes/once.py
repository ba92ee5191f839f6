"""Changes one object: look, compare with what was approved, dry-run, and send exactly one request."""

from __future__ import annotations

import time
from collections.abc import Callable

from bot.adapters.kubernetes.classify import Meaning, meaning, words
from bot.adapters.kubernetes.client import Client, NoReply, Reply, Write
from bot.adapters.kubernetes.difference import changes, lines
from bot.adapters.kubernetes.live import Targets, Unreadable, decoded
from bot.adapters.kubernetes.mutations import MUTATIONS, Json, Mutation, Params, Unfit, uid_of
from bot.adapters.kubernetes.shown import evidence, fingerprint
from bot.app.repair.ports import Result
from bot.model.refs import Ref
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
            raise Unfit(f"the server refuses the dry run: {words(reply)}")
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
                return Result(result="refused", why=f"nothing was sent: {problem}")
            if result is not None:
                return result
        return Result(result="refused", why=f"nothing was changed in {TRIES} tries: {why}")

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
            return Result(result="refused", why=f"nothing was sent: {words(tried)}"), ""
        if drift := _unexpected(action, live, tried):
            return Result(result="drifted", why=drift), ""
        if self._monotonic() > ends:
            return Result(result="refused", why=f"nothing was sent: it took longer than {LATEST:g} s to get ready"), ""
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


def _compared(exec_id: str, action: Action, ref: Ref, uid: str, live: Json) -> Result | None:
    """Why there is nothing to send: the object is another one, is as wanted, or is not as it was approved."""
    if uid_of(live) != uid:
        if action.verb is Verb.EVICT_POD:
            return Result(result="satisfied", why="that pod is gone, another one has its name")
        return Result(result="drifted", why=f"it is another object than planned: uid {uid_of(live)}")
    mutation = MUTATIONS[action.verb]
    try:
        fields = mutation.fields(live, action.params)
        wanted = mutation.wanted(live, action.params, exec_id)
    except Unfit as why:
        return Result(result="drifted", why=str(why))
    if fields == wanted:
        return Result(result="satisfied", why="it is as wanted already", evidence=evidence(ref, fields))
    now = fingerprint(fields)
    for field, value in action.fingerprint.items():
        if now.get(field, "") != value:
            return Result(result="drifted", why=f"{field} is {now.get(field, '')!r}, and was {value!r} in the plan")
    return None


def _difference(mutation: Mutation, live: Json, reply: Reply) -> str:
    after = decoded(reply)
    # An eviction answers with a Status: there is no object to compare.
    shown = "" if after.get("kind") == "Status" else lines(changes(live, after))
    return "\n".join(filter(None, (shown, mutation.told)))


def _unexpected(action: Action, live: Json, tried: Reply) -> str:
    """Whether the dry run changes something else than what was approved."""
    mutation = MUTATIONS[action.verb]
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
