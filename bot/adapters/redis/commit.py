"""The one script of the bot's: compare some keys, and if all are as expected, write, atomically.

It holds no rule. Who calls it read the keys, decided, and says what the decision rested on; on a conflict the caller
reads and decides again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import redis

#: A command as redis-py's `execute_command` takes it.
Command = tuple[str | bytes | int, ...]

_SCRIPT = """
local at = 2
for _ = 1, tonumber(ARGV[1]) do
  if redis.call('GET', ARGV[at]) ~= (ARGV[at + 1] == '1' and ARGV[at + 2]) then
    return 0
  end
  at = at + 3
end
while at <= #ARGV do
  local length = tonumber(ARGV[at])
  redis.call(unpack(ARGV, at + 1, at + length))
  at = at + length + 1
end
return 1
"""


class Commit:
    """Compare and write. Sent again after a lost reply it answers False, so callers look whether it was theirs."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._script = client.register_script(_SCRIPT)

    def __call__(self, expected: Mapping[str, bytes | None], commands: Sequence[Command]) -> bool:
        """Run the commands if every key holds what is expected (None: is not there).

        Args:
            expected: string keys and their values.
            commands: each begins with its name and the key that it writes.

        Raises:
            redis.RedisError: the server is out of reach, or a command is wrong.
        """
        keys, arguments = _call(expected, commands)
        return bool(self._script(keys=keys, args=arguments))

    def confirmed(
        self, expected: Mapping[str, bytes | None], commands: Sequence[Command], confirm: Sequence[Command]
    ) -> tuple[bool, list[Any]]:
        """The same, and then, on the same connection, commands that tell whether it is written for good.

        Returns:
            whether it was written, and the replies to `confirm`, which may be errors.

        Raises:
            redis.RedisError: the server is out of reach, or a command is wrong.
        """
        keys, arguments = _call(expected, commands)
        evalsha: Command = ("EVALSHA", self._script.sha, len(keys), *keys, *arguments)
        written, *replies = self._one_after_another([evalsha, *confirm])
        if isinstance(written, redis.exceptions.NoScriptError):
            written, *replies = self._one_after_another([("EVAL", _SCRIPT, *evalsha[2:]), *confirm])
        if isinstance(written, redis.RedisError):
            raise written
        return bool(written), replies

    def _one_after_another(self, commands: Sequence[Command]) -> list[Any]:
        with self._redis.pipeline(transaction=False) as pipe:
            for command in commands:
                pipe.execute_command(*command)  # type: ignore[no-untyped-call]
            return pipe.execute(raise_on_error=False)


def _call(
    expected: Mapping[str, bytes | None], commands: Sequence[Command]
) -> tuple[list[str], list[str | bytes | int]]:
    arguments: list[str | bytes | int] = [len(expected)]
    for key, value in expected.items():
        arguments += (key, "0", "") if value is None else (key, "1", value)
    for command in commands:
        arguments += (len(command), *command)
    return list(dict.fromkeys([*expected, *(str(command[1]) for command in commands)])), arguments
