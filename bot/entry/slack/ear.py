"""What is done with what was heard: refused with a reason, or put into the queue. No work is done here.

Every method returns before Slack gets its acknowledgement: what raises is not acknowledged, and Slack sends it again.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import structlog

from bot.app.alerts import names_in
from bot.app.pasting import looks_pasted
from bot.app.ports import Clock, Incidents, Queue
from bot.app.ports.people import Files
from bot.app.requests import AlertMessage, Ask, Paste, Press, PressKind
from bot.entry.slack.guard import Asker, Guard, Reason, Refused
from bot.entry.slack.pastes import read_files
from bot.entry.slack.payloads import DroppedFile, Event, Shortcut, SlashCommand
from bot.entry.slack.presses import take_press
from bot.entry.slack.settings import SlackSettings
from bot.entry.slack.sorting import Addressed, Alerted, Identity, Replied, Unlisted, is_mention, sort
from bot.entry.slack.voice import Voice
from bot.entry.slack.words import Command, Help, Look, Order, Unclear, parse
from bot.model.incident import Place
from bot.model.message import Message
from bot.model.refs import CLUSTER
from bot.remedy.plan import Actor
from bot.render.slack.text import plain, words_of

COMMAND = "/autopsy"

_log = structlog.get_logger(__name__)


class Ear:
    """Takes Slack's payloads, as values."""

    def __init__(
        self,
        *,
        settings: SlackSettings,
        identity: Identity,
        queue: Queue,
        incidents: Incidents,
        guard: Guard,
        files: Files,
        voice: Voice,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._identity = identity
        self._queue = queue
        self._incidents = incidents
        self._guard = guard
        self._files = files
        self._voice = voice
        self._clock = clock

    def command(self, command: SlashCommand) -> Message:
        """Take a slash command; the answer is shown to who gave it, and to nobody else."""
        channel, user = command.channel_id, command.user_id
        asker = Asker(user=user, channel=channel, team=command.team_id, channel_name=command.channel_name)
        refused = self._refused(asker)
        if refused is not None:
            self._note_refused_order(plain(command.text), command.trigger_id, user, refused)
            return self._voice.words(channel, refused.reason, refused.values)
        try:
            asked = parse(plain(command.text))
        except Unclear as why:
            return self._voice.words(channel, why.reason, why.values)
        if isinstance(asked, Help):
            return self._voice.words(channel, "slack-help", self._help_values())
        if isinstance(asked, Order):
            press = self._ordered(asked, command.trigger_id, user, Place(channel), command.response_url)
            take_press(self._queue, press, (f"trigger:{command.trigger_id}",))
            return self._voice.words(
                channel, "slack-ordered", {"order": asked.kind.value, "cluster": self._settings.cluster}
            )
        ask = Ask(
            id=command.trigger_id,
            words=str(asked),
            place=Place(channel),
            user=user,
            response_url=command.response_url,
        )
        self._queue.enqueue(ask, dedupe=(f"trigger:{command.trigger_id}",))
        return self._looking(channel, asked)

    def shortcut(self, shortcut: Shortcut) -> None:
        """Take "Diagnose this": the names in the message that it was pressed on, answered in that message's thread.

        Nobody wrote the message for the bot, so nothing of it is kept but what may be a name.
        """
        channel, user = shortcut.channel.id, shortcut.user.id
        team = shortcut.user.team_id or (shortcut.team.id if shortcut.team else "")
        refused = self._refused(Asker(user=user, channel=channel, team=team))
        if refused is not None:
            self._voice.respond(shortcut.response_url, channel, refused.reason, refused.values)
            return
        ask = Ask(
            id=shortcut.trigger_id,
            words=" ".join(names_in(words_of(shortcut.raw))),
            place=Place(channel, shortcut.message.thread_ts or shortcut.message.ts),
            user=user,
            response_url=shortcut.response_url,
        )
        self._queue.enqueue(ask, dedupe=(f"trigger:{shortcut.trigger_id}",))

    def message(self, heard: Event) -> None:
        """Take a message or a mention. Slack sends a mention as both; whichever comes first counts."""
        sorted_ = sort(heard, self._identity, self._settings)
        if isinstance(sorted_, Alerted):
            alert = AlertMessage(id=_id(heard), text=sorted_.text, place=sorted_.place)
            self._queue.enqueue(alert, dedupe=_dedupe(heard))
        elif isinstance(sorted_, Unlisted):
            _log.info("slack_app_not_listed", channel=sorted_.channel, app=sorted_.app_id, bot=sorted_.bot_id)
        elif isinstance(sorted_, Addressed):
            self._addressed(heard, sorted_)
        elif isinstance(sorted_, Replied) and self._incidents.by_place(sorted_.place) is not None:
            self._pasted(heard, sorted_)

    def _addressed(self, heard: Event, told: Addressed) -> None:
        is_paste = told.files or looks_pasted(told.words) or _has_code(heard)
        if is_paste and told.is_reply and self._incidents.by_place(told.place) is not None:
            self._pasted(heard, Replied(told.words, told.place, told.files))
            return
        if refused := self._refuses(heard, told.place):
            self._note_refused_order(told.words, _id(heard), heard.event.user or "", refused)
            return
        try:
            asked = parse(told.words)
        except Unclear as why:
            self._say(heard, told.place, why.reason, why.values)
            return
        if isinstance(asked, Help) and not told.files:
            self._say(heard, told.place, "slack-help", self._help_values())
            return
        if isinstance(asked, Order):
            press = self._ordered(asked, _id(heard), heard.event.user or "", told.place)
            self._queue.enqueue(press, dedupe=_dedupe(heard))
        elif not isinstance(asked, Help):
            ask = Ask(id=_id(heard), words=str(asked), place=told.place, user=heard.event.user or "")
            self._queue.enqueue(ask, dedupe=_dedupe(heard))
        if told.files:
            self._paste(heard, "", told.place, told.files, part=":files")

    def _ordered(self, order: Order, order_id: str, user: str, place: Place, response_url: str = "") -> Press:
        return Press(
            id=f"order:{order_id}",
            kind=order.kind,
            actor=Actor(f"slack:{self._identity.team_id}/{user}"),
            place=place,
            at=self._clock.now(),
            reason=order.reason,
            cluster=self._settings.cluster,
            response_url=response_url,
        )

    def _note_refused_order(self, words: str, order_id: str, user: str, refused: Refused) -> None:
        """An order that is refused goes into the audit, as a refused button does; it has been answered here."""
        try:
            asked = parse(words)
        except Unclear:
            return
        if isinstance(asked, Order) and asked.kind is not PressKind.OPEN:
            press = self._ordered(asked, order_id, user, Place(""))
            press = msgspec.structs.replace(press, refused=refused.reason.value, values=refused.values)
            self._queue.enqueue(press, dedupe=(press.id,))

    def _pasted(self, heard: Event, reply: Replied) -> None:
        if not self._refuses(heard, reply.place):
            self._paste(heard, reply.text, reply.place, reply.files)

    def _paste(self, heard: Event, text: str, place: Place, files: tuple[DroppedFile, ...], *, part: str = "") -> None:
        read, unread = read_files(files, self._files, self._settings.file_limit)
        whole = "\n".join(one for one in (text, *read) if one.strip())
        taken = True
        if whole:
            message = heard.event
            paste = Paste(
                id=_id(heard) + part,
                text=whole,
                place=place,
                user=message.user or "",
                at=message.at,
                addressed=bool(files) or _has_code(heard) or is_mention(heard, self._identity),
            )
            taken = self._queue.enqueue(paste, dedupe=tuple(key + part for key in _dedupe(heard)))
        for problem in unread if taken else ():
            self._say(heard, place, problem.reason, problem.values)

    def _refuses(self, heard: Event, place: Place) -> Refused | None:
        message = heard.event
        refused = self._refused(
            Asker(
                user=message.user or "",
                channel=message.channel,
                team=message.writer_team,
                is_external=bool(heard.is_ext_shared_channel),
                is_bot=bool(message.bot_id),
            )
        )
        # Where strangers read, not even the refusal is said.
        if refused is not None and refused.reason is not Reason.SHARED_CHANNEL:
            self._say(heard, place, refused.reason, refused.values, whom=message.user or message.bot_id or "")
        return refused

    def _say(self, heard: Event, place: Place, reason: str, values: Mapping[str, str], *, whom: str = "") -> None:
        """Say it once: to a person in a thread, or (without `whom`) to a message, that comes as two events.

        The two may reach two replicas. So a message that comes as a mention too stays unanswered here, unless it has
        files: of those Slack has been seen to send no mention (slackapi/bolt-python#925).
        """
        message = heard.event
        is_twin = message.type == "message" and is_mention(heard, self._identity)
        if not is_twin or message.files:
            self._voice.say_once(place, whom or " ".join((message.ts, reason, *values.values())), reason, values)

    def _refused(self, asker: Asker) -> Refused | None:
        refused = self._guard.refusal(asker)
        if refused is not None:
            _log.info("slack_refused", reason=refused.reason.value, user=asker.user, channel=asker.channel)
        return refused

    def _help_values(self) -> Mapping[str, str]:
        return {"command": COMMAND, "cluster": self._settings.cluster}

    def _looking(self, channel: str, asked: Command) -> Message:
        cluster = self._settings.cluster
        if isinstance(asked, Look):
            key = "slack-looking-at-cluster" if asked.ref == CLUSTER else "slack-looking-at"
            return self._voice.words(channel, key, {"subject": str(asked.ref), "cluster": cluster})
        return self._voice.words(channel, "slack-looking-for", {"words": str(asked)[:200], "cluster": cluster})


def _id(heard: Event) -> str:
    return f"{heard.event.channel}:{heard.event.ts}"


def _has_code(heard: Event) -> bool:
    return "```" in (heard.event.text or "")


def _dedupe(heard: Event) -> tuple[str, str]:
    # The id of the delivery for a redelivered event, place and time for the two events of one mention.
    return f"event:{heard.event_id}", f"message:{heard.event.channel}:{heard.event.ts}"
