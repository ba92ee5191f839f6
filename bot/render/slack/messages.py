"""The messages of an incident: its root message, the replies in its thread, and the answer outside any thread."""

from __future__ import annotations

from collections.abc import Sequence

from bot.knowledge.words import Words
from bot.model.incident import Incident
from bot.model.message import Message
from bot.model.report import Report
from bot.render.lines import Lines
from bot.render.slack.parts import Item, Parts
from bot.render.slack.push import push_text
from bot.render.slack.sheet import Sheet, context, section
from bot.render.slack.standing import duty_lines, standing_words, stands, take_it

#: So many of each are named in a message that has to be read at a glance.
_AT_A_GLANCE = 3
_CIRCUMSTANCES = 2
_IN_ONE_MESSAGE = 5

#: Lists of a message: the label of each heading, and its lines.
Group = Sequence[tuple[str, list[str]]]


def root_message(report: Report, incident: Incident, words: Words) -> Message:
    """The incident's own message: what not to touch, the cause, what is down since when, the next step, the count."""
    # What is repaired has no root any more; the incident knows what it was about.
    parts = Parts(report, words, incident.keys[0].rpartition(" ")[2] if incident.keys else "")
    sheet = parts.sheet(kept=1)
    state = standing_words(incident, words)
    sheet.add(parts.title(state, incident.cluster))
    sheet.add(section(*(parts.pen.prose(one) for one in duty_lines(incident, words))))
    _add(sheet, [parts.first_hazard()], 1)
    if report.roots:
        first, *others = report.roots[:_AT_A_GLANCE]
        roots = [parts.witnessed(first), *(parts.root(one, source=False) for one in others)]
        sheet.add_list("", [*roots, *parts.down(), *parts.titles(parts.facts())[:_CIRCUMSTANCES]])
    else:
        sheet.add(section(parts.pen.prose(report.headline)))
    _add(sheet, [parts.next_step()], 1)
    _add(sheet, parts.reporters(), _AT_A_GLANCE)
    count = parts.lines.label("count", count=incident.count)
    sheet.add(context(parts.pen.prose(f"{count} · {parts.lines.at(report)}")))
    return Message(
        _push(parts, state, " · ".join(duty_lines(incident, words))), (*sheet.blocks(), *take_it(incident, words))
    )


def thread_messages(report: Report, words: Words) -> tuple[Message, ...]:
    """The replies below it: the chain; what is ruled out or proves nothing; what was not seen or not examined."""
    parts = Parts(report, words)
    groups = (_chain(parts), _checked(parts), _open(parts))
    return tuple(_reply(parts, group) for group in groups if any(items for _, items in group))


def answer_message(report: Report, words: Words, incident: Incident | None = None) -> Message:
    """The whole answer in one message, for someone who asked; above it where the incident stands, once it has plans."""
    parts = Parts(report, words)
    sheet = parts.sheet(kept=1)
    on_duty = incident if incident is not None and stands(incident) else None
    state = standing_words(on_duty, words) if on_duty else parts.lines.verdict(report)
    duty = duty_lines(on_duty, words) if on_duty else ()
    sheet.add(parts.title(state, report.cluster))
    if duty:
        sheet.add(section(*(parts.pen.prose(one) for one in duty)))
    _add(sheet, [parts.first_hazard()], 1)
    sheet.add(section(parts.pen.prose(report.headline)))
    _add(sheet, [parts.next_step()], 1)
    for key, items in (*_chain(parts), *_checked(parts), *_open(parts)):
        sheet.add_list(parts.heading(key), items[: 2 * _IN_ONE_MESSAGE])
    _add(sheet, parts.reporters(), _AT_A_GLANCE)
    sheet.add(context(parts.pen.prose(parts.lines.at(report))))
    buttons = take_it(on_duty, words) if on_duty else ()
    return Message(_push(parts, state, " · ".join(duty)), (*sheet.blocks(), *buttons))


def changed_message(before: Report | None, after: Report, unrecognised: Sequence[str], words: Words) -> Message:
    """What a paste changed, on top; then what must not be touched, the next step, and what was not understood."""
    parts = Parts(after, words)
    sheet = parts.sheet()
    sheet.add(parts.title(parts.lines.label("open"), after.cluster))
    changes = _changes(before, after, parts.lines)
    sheet.add_list("", (parts.pen.prose(line) for line in changes[: 2 * _IN_ONE_MESSAGE]))
    _add(sheet, [parts.first_hazard()], 1)
    _add(sheet, parts.reporters(), _AT_A_GLANCE)
    _add(sheet, [parts.next_step()], 1)
    if unrecognised:
        heading = parts.lines.label("not_understood", count=len(unrecognised))
        quote = parts.pen.code("\n".join(unrecognised[:_IN_ONE_MESSAGE]))
        sheet.add(section(parts.pen.bold(heading), quote))
    push = push_text(parts.lines.label("open"), after.cluster, parts.about(), parts.urgent(), changes)
    return Message(push, sheet.blocks())


def _changes(before: Report | None, after: Report, lines: Lines) -> list[str]:
    """The root before and now, then every finding that came or went."""
    old = {(one.code, one.subject): one for one in before.findings} if before else {}
    new = {(one.code, one.subject): one for one in after.findings}
    roots = {(one.code, one.subject) for one in after.roots}  # told by the headline
    fresh = [one for key, one in new.items() if key not in old and key not in roots] if before else []
    found = [lines.label("new", title=lines.said(one)) for one in fresh]
    gone = [lines.label("gone", title=lines.said(one)) for key, one in old.items() if key not in new]
    if before and before.headline == after.headline:
        return [lines.label("changed_same_root"), *found, *gone] if found or gone else [lines.label("changed_none")]
    top = [f"{lines.label('changed_now')}: {after.headline}"]
    top += [f"{lines.label('changed_before')}: {before.headline}"] if before else []
    return [*top, *found, *gone]


def _chain(parts: Parts) -> Group:
    """From the root to the leaves, and what belongs to it."""
    report = parts.report
    return (
        ("", parts.other_hazards()),
        ("chain", parts.chain()),
        ("facts", parts.explained(parts.facts())),
        ("others_acting", parts.explained(report.others_acting)),
        ("affected", parts.titles(report.affected)),
    )


def _checked(parts: Parts) -> Group:
    """What was looked at and leads nowhere."""
    report = parts.report
    return (
        ("ruled_out", parts.explained(report.ruled_out, quoted=True)),
        ("proves_nothing", parts.explained(report.proves_nothing, quoted=True)),
    )


def _open(parts: Parts) -> Group:
    """What nobody looked at."""
    return ("not_seen", parts.gaps(parts.report.not_seen)), ("not_examined", parts.not_examined())


def _reply(parts: Parts, group: Group) -> Message:
    sheet = parts.sheet()
    headings = []
    for key, items in group:
        sheet.add_list(parts.heading(key), items)
        headings += [parts.lines.label(key)] if key and items else []
    if any(key == "chain" and items for key, items in group):
        for item in (*parts.reporters(), parts.all_evidence()):
            sheet.add(*item)
    return Message(_push(parts, parts.lines.verdict(parts.report), " · ".join(headings)), sheet.blocks())


def _add(sheet: Sheet, items: Sequence[Item], most: int) -> None:
    for item in items[:most]:
        if item:
            sheet.add(*item)


def _push(parts: Parts, state: str, told: str = "") -> str:
    report = parts.report
    rest = (told, report.headline, report.next_step)
    return push_text(state, report.cluster, parts.about(), parts.urgent(), rest)
