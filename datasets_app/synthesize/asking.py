"""Asks for one candidate in a thread: it waits its turn, tries again what may pass, and touches no database."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from datasets_app.synthesize.answers import Answer, advice_of
from datasets_app.synthesize.errors import EndpointError, RequestRefusedError, TryAgainError
from datasets_app.synthesize.templates import Messages

MOST_TRIES = 6
FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 60.0
STOPPED = "stopped"  # the reason of what was not answered because everything ended
NO_ADVICE = "there is no text in the judge's answer after its reasoning"

Ask = Callable[[Messages, int], Answer]


@dataclass(frozen=True)
class Request:
    """A candidate that is asked for. `judge`: the messages to which a judge writes advice first; None: without."""

    pk: int
    messages: Callable[[str], Messages]  # of the judge's advice, which may be empty
    seed: int
    judge: Messages | None = None
    advice: str = ""  # that an earlier attempt got already


@dataclass(frozen=True)
class Asked:
    """What came of a request: an answer, or the name of the last fault. `judged`: the judge's answer, if any."""

    pk: int
    tries: int
    answer: Answer | None = None
    reason: str = ""
    detail: str = ""
    judged: Answer | None = None
    fault: EndpointError | None = None  # of every request, after the judge had answered

    @property
    def answers(self) -> list[Answer]:
        """Return what was answered: the judge's answer, the model's, or neither."""
        return [one for one in (self.judged, self.answer) if one]

    @property
    def tokens(self) -> int:
        """Return the tokens of prompts and answers, the judge's included."""
        return sum(one.tokens for one in self.answers)

    @property
    def cost(self) -> float:
        """Return what the answers cost, as far as it is known."""
        return sum(one.cost or 0.0 for one in self.answers)


class Pace:
    """Spreads requests evenly over the minute, for all threads together."""

    def __init__(self, requests_a_minute: int) -> None:
        """Allow so many requests in a minute; 0: any number."""
        self._every_s = 60 / requests_a_minute if requests_a_minute else 0.0
        self._next = time.monotonic()
        self._lock = threading.Lock()

    def wait(self, ended: threading.Event) -> None:
        """Return when the next request may be sent, or everything has ended."""
        if not self._every_s:
            return
        with self._lock:
            turn = max(self._next, time.monotonic())
            self._next = turn + self._every_s
        ended.wait(max(0.0, turn - time.monotonic()))


def asked(
    request: Request, ask: Ask, pace: Pace, ended: threading.Event, ask_judge: Ask | None = None
) -> Asked:
    """Ask until there is an answer, the request is refused, or it has failed MOST_TRIES times; the judge first.

    Raises EndpointError where no request can succeed; after a judge's answer, which is paid for, it is returned.
    """
    judged, advice = None, request.advice
    if ask_judge and request.judge is not None and not advice:
        by_judge = answered(request.pk, request.judge, request.seed, ask_judge, pace, ended)
        judged = by_judge.answer
        advice = advice_of(judged) if judged else ""
        if judged is None:
            return replace(by_judge, reason=named_of_judge(by_judge.reason))
        if not advice:
            return Asked(request.pk, 0, reason="judge_empty", detail=NO_ADVICE, judged=judged)
    try:
        found = answered(request.pk, request.messages(advice), request.seed, ask, pace, ended)
    except EndpointError as error:
        if judged is None:
            raise
        return Asked(request.pk, 1, reason=STOPPED, detail=str(error), judged=judged, fault=error)
    return replace(found, judged=judged)


def named_of_judge(reason: str) -> str:
    return reason if reason == STOPPED else f"judge_{reason}"


def answered(pk: int, messages: Messages, seed: int, ask: Ask, pace: Pace, ended: threading.Event) -> Asked:
    tries, fault = 0, TryAgainError(STOPPED, "the synthesis ended meanwhile")
    while tries < MOST_TRIES and not ended.is_set():
        pace.wait(ended)
        if ended.is_set():
            break
        tries += 1
        try:
            return Asked(pk, tries, ask(messages, seed))
        except RequestRefusedError as error:
            return Asked(pk, tries, reason="request_refused", detail=str(error))
        except TryAgainError as error:
            fault = error
            if tries < MOST_TRIES:
                ended.wait(waiting_s(error, tries))
    reason = STOPPED if ended.is_set() else fault.reason
    return Asked(pk, tries, reason=reason, detail=fault.detail)


def waiting_s(error: TryAgainError, tries: int) -> float:
    """Return the seconds until the next try: what the endpoint asks for, else twice as long each time, spread."""
    if error.wait_s is not None:
        return error.wait_s
    longest: Any = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (tries - 1))
    return float(longest) * random.uniform(0.5, 1.0)  # noqa: S311  (spreads load, hides nothing)
