"""The judge's channel to the runner. The candidate may have chosen the bytes of its answers: every field is
checked."""

from __future__ import annotations

import select
import time
from dataclasses import dataclass
from typing import Any

from eval_app.engine.judge.verdicts import RejectedError, RunnerLostError
from eval_app.engine.sandbox.channel import (
    Channel,
    ChannelClosedError,
    ChannelTimeoutError,
    MalformedMessageError,
)

# Faults that a runner may report. None of them blames the reference or the machine.
FAULTS = {
    "runtime_error", "illegal_memory", "out_of_memory", "wrong_structure", "cheated", "unsupported", "build_needed",
}  # fmt: skip
# A shorter time is below the resolution of any clock, and a ratio to it may have no form as a number.
MIN_MS, MAX_MS = 1e-6, 1e8
# For a runner to read an order: it has answered the one before.
_READ_S = 30.0


@dataclass(frozen=True)
class Reply:
    """The runner's report on one call."""

    ms: float
    tail_ms: float
    wall_ms: float
    plain: list[Any]
    aliases_input: bool
    # Whether lists and dicts among the arguments hold what they held, and tensors have their shapes.
    keeps_arguments: bool
    threads: int
    threads_after: int
    # Whether the runner found its own functions unchanged. A tripwire: a candidate can forge it.
    intact: bool


class RunnerChannel:
    """Sends orders to the runner and reads its answers, each within a deadline."""

    def __init__(self, channel: Channel) -> None:
        """Store the private channel."""
        self._channel = channel

    def order(
        self, message: dict[str, Any], timeout_s: float, descriptors: list[int] | None = None
    ) -> tuple[dict[str, Any], float]:
        """Send an order; return the answer and its milliseconds. Raises RejectedError or RunnerLostError if
        there is none."""
        started = time.perf_counter_ns()
        self.post(message, descriptors)
        answer = self.answer(timeout_s)
        return answer, (time.perf_counter_ns() - started) / 1e6

    def post(self, message: dict[str, Any], descriptors: list[int] | None = None) -> None:
        """Send an order without waiting for its answer."""
        try:
            self._channel.send(message, descriptors, _READ_S)
        except ChannelTimeoutError:
            raise RejectedError("timeout", f"an order was not read for {_READ_S:g} s") from None
        except ChannelClosedError as error:
            raise RunnerLostError(str(error)) from None

    def is_answered(self, timeout_s: float) -> bool:
        """Return whether an answer begins to arrive within the time."""
        return bool(select.select([self._channel], [], [], timeout_s)[0])

    def answer(self, timeout_s: float) -> dict[str, Any]:
        """Return the next answer. Raises RejectedError or RunnerLostError if there is none."""
        try:
            answer = self._channel.receive(timeout_s)
        except ChannelTimeoutError:
            raise RejectedError("timeout", f"a call took longer than {timeout_s:g} s") from None
        except ChannelClosedError as error:
            raise RunnerLostError(str(error)) from None
        except MalformedMessageError as error:
            raise forged(str(error)) from None
        if answer.get("ok") is not True:
            raise _fault(answer)
        return answer

    def item(self, message: dict[str, Any], timeout_s: float) -> Reply:
        """Have one call made."""
        answer, wall_ms = self.order(message, timeout_s)
        plain = answer.get("plain")
        if not isinstance(plain, list) or len(plain) > 4096:
            raise forged("an answer without plain values")
        return Reply(
            _milliseconds(answer.get("ms")), _milliseconds(answer.get("tail_ms"), zero=True), wall_ms, plain,
            answer.get("aliases_input") is True, answer.get("keeps_arguments") is True,
            _count(answer.get("threads")), _count(answer.get("threads_after")), answer.get("intact") is True,
        )  # fmt: skip


def _milliseconds(value: Any, *, zero: bool = False) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not (MIN_MS <= value <= MAX_MS or (zero and value == 0)):
        raise forged("a time that is no number of milliseconds")
    return float(value)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 100_000:
        raise forged("a count that is not a number")
    return value


def forged(what: str) -> RejectedError:
    """Return the rejection of a message that no runner sends."""
    text = f"the runner's process sent {what}: the candidate tampered with its channel to the judge"
    return RejectedError("cheated", text, [("forged_message", text)])


def _fault(answer: dict[str, Any]) -> RejectedError:
    kind, code, detail = answer.get("kind"), answer.get("code"), answer.get("detail")
    if (
        answer.get("ok") is not False
        or not (isinstance(kind, str) and kind in FAULTS)
        or not isinstance(code, str)
        or not isinstance(detail, str)
    ):
        return forged("an answer of unknown kind")
    text = "".join(char if char.isprintable() or char == "\n" else "?" for char in detail[:3500])
    code = code[:60] if code.isidentifier() else kind
    return RejectedError(kind, text, [(code, text)] if kind == "cheated" else None)
