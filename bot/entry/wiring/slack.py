"""Puts Slack's ear and mouth together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import msgspec

from bot.app.ports import Incidents, Poster, Presenter, Queue
from bot.model.incident import Place

if TYPE_CHECKING:
    from slack_bolt import App

    from bot.adapters.slack.inside import InsidePoster
    from bot.app.ports.people import People
    from bot.entry.slack.approver_groups import ApproverGroups
    from bot.entry.slack.authority import SlackAuthority
    from bot.entry.slack.ear import Ear
    from bot.entry.slack.presses import Forms, Presses
    from bot.entry.slack.settings import SlackSettings
    from bot.entry.slack.sharing import SharedChannels
    from bot.entry.slack.socket import Socket
    from bot.entry.slack.sorting import Identity
    from bot.entry.slack.voice import Voice
    from bot.model.incident import Incident
    from bot.remedy.plan import Plan

#: Seconds for which an answer of Slack is good: who was removed from the approvers approves no longer than that, and
#: where a channel became shared nothing is said after it.
REMEMBER = 30.0


class SlackSecrets(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens, and the address that they are for. Its `repr` shows none of them.

    `signing_secret` signs requests over HTTP; `serve` speaks Socket Mode and sets none.
    """

    bot_token: str
    app_token: str
    api_url: str = "https://slack.com/api/"
    signing_secret: str = ""

    def __repr__(self) -> str:
        return f"SlackSecrets(api_url={self.api_url!r})"


class Repair(msgspec.Struct, frozen=True, kw_only=True):
    """What Slack's side needs of the repair.

    Attributes:
        find: a plan with its incident.
        forms_of: the forms in a channel's language.
        approvers: ids of the people who may approve.
        approver_groups: ids of the user groups whose members may approve.
        remember: seconds for which Slack's answer about a person or a channel is good.
    """

    find: Callable[[str], tuple[Plan, Incident] | None]
    forms_of: Callable[[str], Forms]
    approvers: tuple[str, ...] = ()
    approver_groups: tuple[str, ...] = ()
    remember: float = REMEMBER


def no_repair() -> Repair:
    """Where nothing is repaired: no plan is ever found."""
    return Repair(find=lambda _plan: None, forms_of=lambda _channel: _none())


def _none() -> Forms:
    raise LookupError("no plan has a form here")


class SlackSide(msgspec.Struct, frozen=True, kw_only=True):
    """Slack, put together: `socket` hears once it is connected, `poster` speaks, `authority` tells who may approve."""

    app: App
    socket: Socket
    poster: Poster
    executor: ThreadPoolExecutor
    authority: SlackAuthority
    team: str

    def close(self) -> None:
        """Stop hearing, then let what is being said be said."""
        self.socket.close()
        self.executor.shutdown(wait=True)


def slack_poster(secrets: SlackSecrets) -> Poster:
    """The mouth alone."""
    from bot.adapters.slack.client import lookup_client, web_client
    from bot.adapters.slack.inside import InsidePoster
    from bot.adapters.slack.people import SlackPeople
    from bot.adapters.slack.poster import SlackPoster

    people = SlackPeople(lookup_client(secrets.bot_token, secrets.api_url), remember=REMEMBER)
    return InsidePoster(SlackPoster(web_client(secrets.bot_token, secrets.api_url)), people)


def slack_side(
    settings: SlackSettings,
    secrets: SlackSecrets,
    *,
    queue: Queue,
    incidents: Incidents,
    presenters: Mapping[str, Presenter],
    repair: Repair | None = None,
) -> SlackSide:
    """Ear and mouth, not yet connected. Asks Slack who the bot is.

    Args:
        settings: the workspace and its channels.
        secrets: tokens and base address.
        queue: takes what was heard.
        incidents: tells which threads are the bot's.
        presenters: words, by language.
        repair: plans and their forms; without it every button is refused.

    Raises:
        bot.entry.slack.socket.SlackRefused: a token is not good, or is of another workspace.
        ValueError: a language of the settings has no presenter.
    """
    from bot.adapters.slack.client import lookup_client, web_client
    from bot.adapters.slack.inside import InsidePoster
    from bot.adapters.slack.people import SlackPeople
    from bot.adapters.slack.poster import SlackPoster
    from bot.entry.slack.app import THREADS, build_app
    from bot.entry.slack.socket import Socket, identify
    from bot.entry.slack.voice import Voice

    client = web_client(secrets.bot_token, secrets.api_url)
    identity = identify(client, secrets.app_token, settings.team_id)
    repair = repair or no_repair()
    people = SlackPeople(lookup_client(secrets.bot_token, secrets.api_url), remember=repair.remember)
    poster = InsidePoster(SlackPoster(client, interval=settings.edit_interval), people)
    executor = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="slack")
    voice = Voice(settings, presenters, poster, executor)
    ear, presses = _listeners(
        settings, secrets, identity, voice, people, queue=queue, incidents=incidents, repair=repair
    )
    authority = slack_authority(
        secrets, identity.team_id, repair.approvers, repair.approver_groups, remember=repair.remember
    )
    groups = _approver_groups(settings, authority, identity.team_id, repair.approver_groups, queue)
    shared = _shared_channels(settings, poster, identity.team_id, people, queue)
    app = build_app(client, ear, presses, groups, shared, voice, executor, signing_secret=secrets.signing_secret)
    return SlackSide(
        app=app,
        socket=Socket(app, secrets.app_token, ping_interval=settings.ping_interval),
        poster=poster,
        executor=executor,
        authority=authority,
        team=identity.team_id,
    )


def _approver_groups(
    settings: SlackSettings, authority: SlackAuthority, team: str, groups: tuple[str, ...], queue: Queue
) -> ApproverGroups:
    """Who takes what becomes of approvers' user groups: without an incident it is told in the first channel."""
    from bot.adapters.clock import WallClock
    from bot.entry.slack.approver_groups import ApproverGroups

    return ApproverGroups(
        team=team,
        groups=groups,
        forget=authority.forget,
        queue=queue,
        clock=WallClock(),
        place=Place(settings.channels[0].id if settings.channels else ""),
    )


def _shared_channels(
    settings: SlackSettings, poster: InsidePoster, team: str, people: People, queue: Queue
) -> SharedChannels:
    """Who takes which channels are shared with other organisations."""
    from bot.adapters.clock import WallClock
    from bot.entry.slack.sharing import SharedChannels

    return SharedChannels(
        settings=settings, team=team, people=people, forget=poster.forget, queue=queue, clock=WallClock()
    )


def slack_authority(
    secrets: SlackSecrets, team: str, users: tuple[str, ...], groups: tuple[str, ...], *, remember: float = REMEMBER
) -> SlackAuthority:
    """Who may approve, as Slack says; an answer of it is good for `remember` seconds."""
    from bot.adapters.slack.client import lookup_client
    from bot.adapters.slack.groups import SlackGroups
    from bot.adapters.slack.people import SlackPeople
    from bot.entry.slack.authority import SlackAuthority

    lookups = lookup_client(secrets.bot_token, secrets.api_url)
    return SlackAuthority(
        team,
        SlackPeople(lookups, remember=remember),
        SlackGroups(lookups, remember=remember),
        users=users,
        approver_groups=groups,
    )


def _listeners(
    settings: SlackSettings,
    secrets: SlackSecrets,
    identity: Identity,
    voice: Voice,
    people: People,
    *,
    queue: Queue,
    incidents: Incidents,
    repair: Repair,
) -> tuple[Ear, Presses]:
    """Who takes what people write, and who takes what they press: both behind one guard."""
    from bot.adapters.clock import WallClock
    from bot.adapters.slack.client import lookup_client
    from bot.adapters.slack.files import SlackFiles
    from bot.adapters.slack.views import SlackViews
    from bot.entry.slack.ear import Ear
    from bot.entry.slack.guard import Guard
    from bot.entry.slack.presses import Presses, Shown

    lookups, clock = lookup_client(secrets.bot_token, secrets.api_url), WallClock()
    guard = Guard(identity.team_id, people)
    ear = Ear(
        settings=settings,
        identity=identity,
        queue=queue,
        incidents=incidents,
        guard=guard,
        files=SlackFiles(secrets.bot_token, secrets.api_url),
        voice=voice,
        clock=clock,
    )
    presses = Presses(
        cluster=settings.cluster,
        identity=identity,
        queue=queue,
        guard=guard,
        voice=voice,
        shown=Shown(find=repair.find, forms_of=repair.forms_of, views=SlackViews(lookups)),
        clock=clock,
    )
    return ear, presses
