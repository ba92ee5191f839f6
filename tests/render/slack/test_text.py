"""Axes: where the words stand (text, blocks, attachments), twice or once, marked up or plain, hostile or not."""

import pytest

from bot.render.slack.text import escaped, markup_of, plain, words_of


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("node omen2", "node omen2"),
        ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"),
        ("<http://ip-10-0-0-1.ec2.internal|ip-10-0-0-1.ec2.internal> down", "ip-10-0-0-1.ec2.internal down"),
        ("<https://grafana.example/d/1>", "https://grafana.example/d/1"),
        ("<mailto:a@b.example>", "a@b.example"),
        ("<@U1> <@U1|joe> <#C1|alerts> <#C1>", "@U1 @joe #alerts #C1"),
        ("<!channel> <!subteam^S1|@gpu> <!date^1^{date}|today>", "@channel @gpu today"),
        ("```\nE0710 running with swap on\n```", "\nE0710 running with swap on\n\n"),
        ("1 &lt; 2 <broken", "1 < 2 <broken"),
    ],
)
def test_markup_becomes_what_people_see(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_unescaping_comes_last_so_that_quoted_markup_stays_a_quote() -> None:
    assert plain("&lt;!channel&gt;") == "<!channel>"


SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "*KubeNodeNotReady* on `omen2`"}}
FIELDS = {
    "type": "section",
    "fields": [{"type": "mrkdwn", "text": "node: omen2"}, {"type": "plain_text", "text": "a<b"}],
}
RICH = {
    "type": "rich_text",
    "elements": [
        {
            "type": "rich_text_section",
            "elements": [
                {"type": "text", "text": "see "},
                {"type": "link", "url": "https://x.example", "text": "omen3"},
                {"type": "emoji", "name": "fire"},
            ],
        },
        {
            "type": "rich_text_list",
            "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "i"}]}],
        },
        {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "line 1\nline 2"}]},
    ],
}


@pytest.mark.parametrize(
    ("message", "lines"),
    [
        ({"text": "one\ntwo"}, ["one", "two"]),
        ({"text": "", "blocks": [SECTION]}, ["*KubeNodeNotReady* on `omen2`"]),
        ({"blocks": [FIELDS]}, ["node: omen2", "a<b"]),
        ({"blocks": [{"type": "header", "text": {"type": "plain_text", "text": "FIRING &lt;"}}]}, ["FIRING &lt;"]),
        (
            {"blocks": [{"type": "context", "elements": [{"type": "mrkdwn", "text": "lab"}, {"type": "image"}]}]},
            ["lab"],
        ),
        ({"blocks": [{"type": "markdown", "text": "**omen2**"}]}, ["**omen2**"]),
        ({"blocks": [RICH]}, ["see omen3:fire:", "i", "line 1", "line 2"]),
        ({"attachments": [{"fallback": "F", "title": "T", "text": "x"}]}, ["T", "x"]),
        ({"attachments": [{"fallback": "F"}]}, ["F"]),
        ({"attachments": [{"fields": [{"title": "node", "value": "omen2", "short": True}]}]}, ["node: omen2"]),
        (
            {"attachments": [{"blocks": [SECTION], "fallback": "[no preview available]"}]},
            ["*KubeNodeNotReady* on `omen2`"],
        ),
        ({"text": "same", "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "same"}}]}, ["same"]),
        ({"text": None, "blocks": None, "attachments": None}, []),
        ({"text": 5, "blocks": ["x", 1], "attachments": {"a": 1}}, []),
    ],
)
def test_the_words_of_a_message_are_found_wherever_it_puts_them(message: dict[str, object], lines: list[str]) -> None:
    assert words_of(message).splitlines() == lines


def test_blocks_as_one_text_keep_markup_and_let_no_plain_text_become_markup() -> None:
    plain_header = {"type": "header", "text": {"type": "plain_text", "text": "<!channel> & co"}}
    assert markup_of([plain_header, SECTION]) == "&lt;!channel&gt; &amp; co\n*KubeNodeNotReady* on `omen2`"


def test_escaping_is_undone_by_reading() -> None:
    hostile = "<!channel> &lt; <@U1|x> <https://x|y>"
    assert plain(escaped(hostile)) == hostile
