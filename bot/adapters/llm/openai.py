"""`app.ports.writer.Writer` over an OpenAI-compatible endpoint.

The client's own timeout bounds each read, not the whole answer: a reply that drips never ends. So the call runs in a
thread of its own that is abandoned at the deadline, and the reply is read in pieces, at most so many.
"""

from __future__ import annotations

import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

import msgspec

from bot.app.ports.writer import WriterFailed

if TYPE_CHECKING:
    from openai import OpenAI

DEADLINE = 20.0
CONNECT = 3.0
LARGEST = 64_000
TOKENS = 800


class _Said(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Said


class _Completion(msgspec.Struct):
    choices: tuple[_Choice, ...]


class OpenAiWriter:
    """One request, no retries, no tools.

    Args:
        base_url: of the endpoint, such as `https://llm.example/v1`.
        key: its bearer token.
        model: the model's name.
        deadline: seconds for everything together.
    """

    def __init__(self, base_url: str, key: str, model: str, *, deadline: float = DEADLINE) -> None:
        self._base_url = base_url
        self._key = key
        self._model = model
        self._deadline = deadline

    def write(self, instructions: str, evidence: str) -> str:
        """What the model wrote.

        Raises:
            WriterFailed: the deadline passed, the endpoint refused, or the reply is none.
        """
        answers: SimpleQueue[str | WriterFailed] = SimpleQueue()
        over = threading.Event()

        def call() -> None:
            try:
                answers.put(self._content(self._request(instructions, evidence, over)))
            except WriterFailed as why:
                answers.put(why)
            except Exception as why:  # whatever a client raises ends this call and nothing else
                # Only the kind: an error's text may quote the key.
                answers.put(WriterFailed(type(why).__name__))

        # A daemon: an endpoint that hangs keeps neither the worker nor the process.
        threading.Thread(target=call, name="llm", daemon=True).start()
        try:
            answer = answers.get(timeout=self._deadline)
        except Empty:
            over.set()
            raise WriterFailed(f"no answer within {self._deadline:g} s") from None
        if isinstance(answer, WriterFailed):
            raise answer
        return answer

    def _request(self, instructions: str, evidence: str, over: threading.Event) -> bytes:
        import openai

        body = bytearray()
        with self._client() as client:
            try:
                with client.chat.completions.with_streaming_response.create(
                    model=self._model,
                    messages=[{"role": "system", "content": instructions}, {"role": "user", "content": evidence}],
                    max_tokens=TOKENS,
                    temperature=0,
                ) as response:
                    for piece in response.iter_bytes():
                        body += piece
                        if len(body) > LARGEST:
                            raise WriterFailed(f"more than {LARGEST} bytes")
                        if over.is_set():
                            raise WriterFailed("abandoned")
            except openai.APIStatusError as why:
                raise WriterFailed(f"status {why.status_code}") from None
        return bytes(body)

    def _client(self) -> OpenAI:
        from openai import OpenAI, Timeout

        timeout = Timeout(self._deadline, connect=min(CONNECT, self._deadline))
        return OpenAI(base_url=self._base_url, api_key=self._key, max_retries=0, timeout=timeout)

    @staticmethod
    def _content(body: bytes) -> str:
        try:
            completion = msgspec.json.decode(body, type=_Completion)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise WriterFailed("no chat completion") from None
        content = completion.choices[0].message.content if completion.choices else None
        if not content:
            raise WriterFailed("an empty chat completion")
        return content
