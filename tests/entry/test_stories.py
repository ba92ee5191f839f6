"""What is kept at the offer, and the post-mortem from it. Axes: language of who asks; kept or not; edited or not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.adapters.files.knowledge import LANGUAGES, load_words
from bot.adapters.files.runbooks import load_runbooks, runbook_names
from bot.adapters.redis.reports import RedisReports
from bot.app.repair.together import Repairs
from bot.app.requests import PressKind
from bot.entry.stories import KeptReports, Stories
from bot.remedy.audit import AuditKey, details
from tests.app.repair.test_swap_kubelet import Lab
from tests.app.repair.world import KEY
from tests.support.redis import redis_server, redis_url
from tests.support.repair import ANA
from tests.support.servers import Simulated, shared_simulated_server, simulated

__all__ = ["redis_server", "redis_url", "shared_simulated_server", "simulated"]

WORDS = {lang: load_words(lang) for lang in LANGUAGES}
#: Languages by channel.
CHANNELS = {"C0GPU": "en", "C0SEOUL": "ko"}


class KeepingLab(Lab):
    """The lab, whose bot keeps what its plans were offered on."""

    def replica(self, name: str, **changes: object) -> Repairs:
        archive, keys = RedisReports(self.client, self.keys), (AuditKey(KEY),)
        self.archive = archive
        reports = KeptReports(archive, "lab", tuple(WORDS.values()), runbook_names())
        self.stories = Stories(
            self.journal, archive, keys, lambda channel: WORDS[CHANNELS[channel]], load_runbooks().text
        )
        return super().replica(name, keep_report=reports.keep, stories=self.stories, **changes)


@pytest.fixture
def lab(redis_url: str, simulated: Simulated) -> Iterator[KeepingLab]:
    one = KeepingLab(redis_url, simulated)
    one.diagnosed()
    yield one
    one.client.close()


def story(lab: KeepingLab, channel: str) -> str:
    (incident,) = lab.incidents.all_open()
    return lab.stories.markdown(incident, channel)


def test_an_offer_keeps_the_answer_in_every_language_and_the_audit_names_each(lab: KeepingLab) -> None:
    plan = lab.plan()
    (offered,) = [one for one in lab.journal.entries() if one["type"] == "plan-offered"]

    kept = [lab.archive.of(plan.id, lang) for lang in LANGUAGES]
    assert [one.sha256 for one in kept if one] == details(offered)["report"].split()
    assert [one.report.lang for one in kept if one] == list(LANGUAGES)


@pytest.mark.parametrize(
    ("channel", "said"),
    [
        ("C0GPU", ("# Post-mortem: swap is on", "The answer quoted above is the one that the audit names.")),
        ("C0SEOUL", ("omen2", WORDS["ko"].label("postmortem-report-fits"))),
    ],
)
def test_a_post_mortem_speaks_the_channels_language(lab: KeepingLab, channel: str, said: tuple[str, ...]) -> None:
    document = story(lab, channel)
    assert [one for one in said if one not in document] == []


def test_an_answer_that_was_edited_since_is_not_taken_for_the_kept_one(lab: KeepingLab) -> None:
    name = lab.keys("report", lab.plan().id, "en")
    stored = lab.client.get(name)
    assert isinstance(stored, bytes)
    lab.client.set(name, stored.replace(b"omen2", b"omen3"))

    assert WORDS["en"].label("postmortem-report-edited") in story(lab, "C0GPU")


def test_the_button_posts_it_and_the_audit_says_who_asked(lab: KeepingLab) -> None:
    (incident,) = lab.incidents.all_open()
    lab.press(PressKind.POSTMORTEM, ANA, incident=incident.id)

    assert any(one.startswith("repair-postmortem ") and "# Post-mortem" in one for one in lab.thread())
    assert [one["actor"] for one in lab.journal.entries() if one["type"] == "exported"] == [ANA.id]
