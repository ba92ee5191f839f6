"""Axes: title, prose over several lines, lists, code that is closed or not, marks."""

from bot.model.cards import Part
from bot.narrate.sections import paragraphs, prose, title

SECTION = """Turn `swap` off

The kubelet is stopped **first**,
or it comes back.

- one item
- another

```
free -m
cat /proc/swaps
```
At last."""


def test_the_first_line_is_the_title() -> None:
    assert title(SECTION) == "Turn swap off"
    assert title("") == ""


def test_lines_of_one_paragraph_are_joined_and_items_are_not() -> None:
    told = [part.text for part in prose(SECTION)]
    assert told == ["The kubelet is stopped first, or it comes back.", "- one item", "- another", "At last."]


def test_code_is_kept_line_by_line() -> None:
    assert Part(lines=("free -m", "cat /proc/swaps")) in paragraphs(SECTION)
    assert paragraphs("t\n```\nfree -m") == (Part(lines=("free -m",)),)


def test_a_title_alone_has_no_paragraphs() -> None:
    assert paragraphs("Only a title") == paragraphs("") == ()
