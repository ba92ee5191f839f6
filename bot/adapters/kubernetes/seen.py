"""What the live object shows of a step: that it was done, that it was not, or that nobody can say."""

from __future__ import annotations

from bot.adapters.kubernetes.mutations import MUTATIONS, Json, marked, uid_of
from bot.adapters.kubernetes.shown import evidence
from bot.app.repair.ports import Result
from bot.remedy.events import Effect
from bot.remedy.plan import Action
from bot.remedy.runbook import Verb


def seen(exec_id: str, action: Action, live: Json) -> Result:
    """What became of an earlier try, of which no answer is known.

    Refused means that it did not happen so far. A request that is still on its way cannot take effect beside a
    second one, since both carry the resourceVersion that was read, or the uid of the pod to evict.

    Raises:
        Unfit: the object is no longer one that this can be done to.
    """
    mutation, target = MUTATIONS[action.verb], action.target
    if uid_of(live) != target.uid:
        if action.verb is Verb.EVICT_POD:
            return Result(result=Effect.APPLIED, why="hands-pod-replaced")
        return Result(result=Effect.UNCLEAR, why="hands-other-uid", values={"uid": uid_of(live)})
    fields = mutation.fields(live, action.params)
    shown = evidence(target.ref, fields)
    if fields == mutation.wanted(live, action.params, exec_id):
        why = "hands-marked" if marked(live) == exec_id else "hands-unmarked"
        return Result(result=Effect.APPLIED, why=why, evidence=shown)
    if marked(live) == exec_id:
        return Result(result=Effect.APPLIED, why="hands-changed-again", evidence=shown)
    return Result(result=Effect.REFUSED, why="hands-not-done", evidence=shown)
