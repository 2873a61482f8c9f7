"""Reading the runner's answers. They are bytes that the candidate may have chosen: every field is checked."""

from __future__ import annotations

import math
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

# What a runner may say of itself. Nothing here blames the reference or the machine.
FAULTS = {
    "runtime_error", "illegal_memory", "out_of_memory", "wrong_structure", "cheated", "unsupported", "build_needed",
}  # fmt: skip
MAX_MS = 1e8


@dataclass(frozen=True)
class Reply:
    """What the runner says of one call."""

    ms: float
    tail_ms: float
    wall_ms: float
    plain: list[Any]
    aliases_input: bool
    threads: int
    threads_after: int
    # Whether the runner found its own functions in their places. A tripwire: a candidate can lie about it.
    intact: bool


class RunnerChannel:
    """Orders to the runner and its answers, each within a deadline."""

    def __init__(self, channel: Channel) -> None:
        """`channel` is the private line."""
        self._channel = channel

    def order(
        self, message: dict[str, Any], timeout_s: float, descriptors: list[int] | None = None
    ) -> tuple[dict[str, Any], float]:
        """Send an order; the answer and the milliseconds it took. A refusal or silence ends the judgement."""
        started = time.perf_counter_ns()
        try:
            self._channel.send(message, descriptors)
            answer = self._channel.receive(timeout_s)
        except ChannelTimeoutError:
            raise RejectedError("timeout", f"a call took longer than {timeout_s:g} s") from None
        except ChannelClosedError as error:
            raise RunnerLostError(str(error)) from None
        except MalformedMessageError as error:
            raise _forged(str(error)) from None
        wall_ms = (time.perf_counter_ns() - started) / 1e6
        if answer.get("ok") is not True:
            raise _fault(answer)
        return answer, wall_ms

    def item(self, message: dict[str, Any], timeout_s: float) -> Reply:
        """Have one call made."""
        answer, wall_ms = self.order(message, timeout_s)
        plain = answer.get("plain")
        if not isinstance(plain, list) or len(plain) > 4096:
            raise _forged("an answer without its plain values")
        return Reply(
            _milliseconds(answer.get("ms")), _milliseconds(answer.get("tail_ms"), zero=True), wall_ms, plain,
            answer.get("aliases_input") is True, _count(answer.get("threads")),
            _count(answer.get("threads_after")), answer.get("intact") is True,
        )  # fmt: skip


def _milliseconds(value: Any, *, zero: bool = False) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _forged("a time that is no number")
    if value < 0 or value > MAX_MS or (value == 0 and not zero):
        raise _forged(f"a time of {value:g} ms")
    return float(value)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 100_000:
        raise _forged("a count that is no number")
    return value


def _forged(what: str) -> RejectedError:
    text = f"the runner's process sent {what}: the candidate tampered with its line to the judge"
    return RejectedError("cheated", text, [("forged_message", text)])


def _fault(answer: dict[str, Any]) -> RejectedError:
    kind, code, detail = answer.get("kind"), answer.get("code"), answer.get("detail")
    if (
        answer.get("ok") is not False
        or not (isinstance(kind, str) and kind in FAULTS)
        or not isinstance(code, str)
        or not isinstance(detail, str)
    ):
        return _forged("an answer of no known kind")
    text = "".join(char if char.isprintable() or char == "\n" else "?" for char in detail[:3500])
    code = code[:60] if code.isidentifier() else kind
    return RejectedError(kind, text, [(code, text)] if kind == "cheated" else None)
