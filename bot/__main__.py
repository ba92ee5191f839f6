"""`python -m bot` is `gpu-autopsy`."""

from bot.entry.cli import main

main()
