"""What people and the bot do in incident A, one thing at a time, and the sets that the orders are made of."""

from __future__ import annotations

from typing import NamedTuple


class Move(NamedTuple):
    """One thing that happens: what, about which step or option, by whom, how."""

    what: str
    about: str = ""
    who: str = ""
    how: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.who, self.what, self.about, self.how)))


CHOOSE = Move("choose", "host-cuda", "ana")
APPROVE = Move("approve", "guard-card", "ben")
WORKS = Move("bot works")
WAIT = Move("wait", "a moment")
OFF = Move("report", "host-off", "cai", "good")
START = Move("report", "start-kubelet", "ana", "good")
LATER = Move("wait and work", "three minutes")
#: What the repair takes until the kubelet lives: the bot labels, the operator reacts, the bot sees it.
ESSENTIAL = (CHOOSE, APPROVE, WORKS, WAIT, WORKS, OFF, START)
NOISE = (
    Move("choose", "host-cuda", "eve"),
    Move("choose", "no-card", "ben"),
    Move("approve", "guard-card", "eve"),
    Move("approve", "guard-card", "cai", "old"),
    Move("approve", "host-off", "ben"),
    Move("report", "host-off", "ana", "bad paste"),
    Move("report", "start-kubelet", "ana", "bad paste"),
)
MORE = (
    Move("choose", "dont-know", "ben"),
    Move("approve", "guard-card", "ana"),
    Move("approve", "guard-card", "cai"),
    Move("deny", "guard-card", "cai"),
    Move("break glass", "guard-card", "cai"),
    Move("break glass", "guard-card", "ana", "no reason"),
    LATER,
    Move("wait", "three minutes"),
    Move("wait and work", "twenty minutes"),
    Move("wait and work", "seventy minutes"),
    Move("report", "host-off", "ana", "half"),
    Move("report", "host-off", "ana", "no paste"),
    Move("report", "host-off", "ben", "no paste"),
    Move("report", "host-off", "eve", "good"),
    Move("report", "start-kubelet", "ana", "no paste"),
    Move("report", "start-kubelet", "cai", "no paste"),
    Move("report", "guard-card", "ana", "good"),
    Move("report", "guard-card", "ben", "no paste"),
)
GIVE_UP = (Move("give up", "", "cai"), Move("give up", "", "eve"), Move("ask"))
VMS = (
    Move("choose", "vms", "ben"),
    Move("approve", "stop-cuda", "ana"),
    Move("approve", "stop-cuda", "cai"),
    Move("report", "stop-cuda", "ana", "good"),
    Move("approve", "card-to-vms", "cai"),
)
STOPS = (
    Move("report", "stop-cuda", "ana", "bad paste"),
    Move("report", "stop-cuda", "eve", "good"),
)
MORE_VMS = (
    *STOPS,
    Move("report", "stop-cuda", "ana", "half"),
    Move("report", "stop-cuda", "ana", "no paste"),
    Move("report", "stop-cuda", "ben", "no paste"),
    Move("break glass", "card-to-vms", "ana"),
    Move("deny", "card-to-vms", "ben"),
)
#: Every press of the repair by each of the three who may; what no cast lets happen; what they do where a host's step
#: takes approvals too.
_ANYBODY = ("ana", "ben", "cai")
BY_ANYBODY = tuple(
    one._replace(who=who) for one in (CHOOSE, APPROVE, Move("deny", "guard-card"), OFF, START) for who in _ANYBODY
)
REFUSED_BY_ANYBODY = tuple(one._replace(who=who) for one in NOISE if one.who != "eve" for who in _ANYBODY)
AGREED_BY_ANYBODY = tuple(Move("approve", step, who) for step in ("host-off", "start-kubelet") for who in _ANYBODY)
FREEZE = (Move("freeze", "", "ana"), Move("unfreeze", "", "ben"), Move("unfreeze", "", "cai"))
ONWARD = Move("onward")
ANYTHING = (*ESSENTIAL, *NOISE, *MORE, *GIVE_UP, *FREEZE, *VMS, *MORE_VMS)
