"""Commands of who is on duty: what is open, whose it is, its alerts, its story, and the freeze of everything."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.entry.language import Lang, Language
from bot.entry.terminal.options import Context, IncidentId, Kubeconfig, ended, in_words, open_session


def list_open(lang: Lang = Language.EN, context: Context = None, kubeconfig: Kubeconfig = None) -> None:
    """List open incidents: whose they are, what they wait for, which mitigations are to be taken back."""
    from bot.app.requests import PressKind

    # A look writes nothing that the store could lose, and is refused to nobody: there is no `ended` to it.
    open_session(lang, context, kubeconfig).press(PressKind.OPEN)


def take(
    incident: IncidentId, lang: Lang = Language.EN, context: Context = None, kubeconfig: Kubeconfig = None
) -> None:
    """Take an incident: whoever takes it last owns it, and is called from then on."""
    from bot.app.requests import PressKind

    session = open_session(lang, context, kubeconfig)
    session.press(PressKind.TAKE, incident=incident)
    ended(session)


def silence(
    incident: IncidentId, lang: Lang = Language.EN, context: Context = None, kubeconfig: Kubeconfig = None
) -> None:
    """Silence the alerts of an incident that still fire, for 8 hours, in the Alertmanager that is configured."""
    from bot.app.requests import PressKind

    session = open_session(lang, context, kubeconfig)
    session.press(PressKind.SILENCE, incident=incident)
    ended(session)


def postmortem(
    incident: IncidentId, lang: Lang = Language.EN, context: Context = None, kubeconfig: Kubeconfig = None
) -> None:
    """Show the post-mortem of an incident, and write down who asked. `audit export --md` writes the bare file."""
    from bot.app.requests import PressKind

    session = open_session(lang, context, kubeconfig)
    session.press(PressKind.POSTMORTEM, incident=incident)
    ended(session)


def freeze(
    reason: Annotated[str, typer.Argument(metavar="REASON", help="Why; it is shown and written down.")],
    lang: Lang = Language.EN,
    context: Context = None,
    kubeconfig: Kubeconfig = None,
) -> None:
    """Stop everything that the bot would change. One approver is enough."""
    from bot.app.requests import PressKind

    session = open_session(lang, context, kubeconfig)
    session.press(PressKind.FREEZE, reason=in_words(session, reason))
    ended(session)


def unfreeze(lang: Lang = Language.EN, context: Context = None, kubeconfig: Kubeconfig = None) -> None:
    """Let it go on. Takes two people, or one in a team of one."""
    from bot.app.requests import PressKind

    session = open_session(lang, context, kubeconfig)
    session.press(PressKind.UNFREEZE)
    ended(session)
