"""The use case of the optional LLM block: one grounded summary per state of an incident, or none.

It comes after the deterministic answer and takes nothing from it and gives nothing to it: whatever the LLM says, or
that it says nothing, leaves every other message as it is.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Lock

from bot.app.breaker import Breaker
from bot.app.ports import Clock
from bot.app.ports.writer import DailyCap, Writer, WriterFailed
from bot.model.diagnosis import Diagnosis, Verdict
from bot.model.message import Message
from bot.model.summary import Summary
from bot.narrate.grounding import grounded
from bot.narrate.prompt import Brief, brief

#: Summaries remembered; an incident has a handful of states.
_REMEMBERED = 256


class Summarise:
    """`app.ports.writer.Summariser` over a `Writer`.

    Safe for several worker threads; the same evidence is paid for once, also where nothing of the answer stood.
    """

    def __init__(
        self,
        writer: Writer,
        clock: Clock,
        cap: DailyCap,
        show: Callable[[Summary, Diagnosis], Message],
        *,
        instructions: str,
        lang: str,
        outcome: Callable[[str, Mapping[str, str]], None],
    ) -> None:
        """Take everything that is needed.

        Args:
            writer: the LLM.
            clock: decision time, for the breaker and the day.
            cap: how many calls a day, over all replicas.
            show: puts a summary into a message.
            instructions: the text of `prompts/summary.md`.
            lang: the language to write in.
            outcome: told what became of each request, for log and metrics (`shown`, `remembered`, `ungrounded`,
                `failed`, `open`, `capped`, `nothing`).
        """
        self._writer = writer
        self._clock = clock
        self._cap = cap
        self._show = show
        self._instructions = instructions
        self._lang = lang
        self._outcome = outcome
        self._breaker = Breaker()
        self._known: OrderedDict[str, Summary | None] = OrderedDict()
        self._lock = Lock()

    def summary(self, diagnosis: Diagnosis) -> Message | None:
        """A message of its own, or None where there is nothing grounded to say."""
        if diagnosis.verdict is not Verdict.BROKEN or not diagnosis.roots:
            self._outcome("nothing", {})
            return None
        evidence = brief(diagnosis, self._lang)
        fingerprint = hashlib.sha256(f"{self._instructions}\0{evidence.text}".encode()).hexdigest()
        with self._lock:
            remembered = fingerprint in self._known
            told = self._known.get(fingerprint)
        if remembered:
            self._outcome("remembered", {})
        else:
            told = self._ask(evidence, fingerprint)
        return self._show(told, diagnosis) if told else None

    def _ask(self, evidence: Brief, fingerprint: str) -> Summary | None:
        now = self._clock.now()
        with self._lock:
            allowed = self._breaker.allows(now)
        if not allowed:
            self._outcome("open", {})
            return None
        if not self._cap.take():
            self._outcome("capped", {})
            return None
        try:
            reply = self._writer.write(self._instructions, evidence.text)
        except WriterFailed as why:
            with self._lock:
                self._breaker = self._breaker.failed(self._clock.now())
            self._outcome("failed", {"why": str(why)})
            return None
        told = grounded(reply, evidence)
        with self._lock:
            self._breaker = self._breaker.succeeded()
            self._known[fingerprint] = told
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        self._outcome("shown" if told else "ungrounded", {})
        return told
