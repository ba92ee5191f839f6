"""What the live object shows of a step: that it was done, that it was not, or that nobody can say."""

from __future__ import annotations

from bot.adapters.kubernetes.mutations import MUTATIONS, Json, marked, uid_of
from bot.adapters.kubernetes.shown import evidence
from bot.app.repair.ports import Result
from bot.remedy.plan import Action
from bot.remedy.runbook import Verb


def seen(exec_id: str, action: Action, live: Json) -> Result:
    """What became of an earlier try, of which no answer is known.

    `refused` means that it did not happen so far. A request that is still on its way cannot take effect beside a
    second one, since both carry the resourceVersion that was read, or the uid of the pod to evict.

    Raises:
        Unfit: the object is no longer one that this can be done to.
    """
    mutation, target = MUTATIONS[action.verb], action.target
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
