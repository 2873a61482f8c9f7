"""Trace of the kernels that a call runs, after the judgement: a claim by the runner that affects no outcome."""

from __future__ import annotations

from typing import Any

import torch

from eval_app.engine.judge.calls.session import Session
from eval_app.engine.judge.task.cases import CaseMaker
from eval_app.engine.judge.task.reference import form_bytes
from eval_app.engine.judge.verdicts import ReferenceFaultError, RejectedError, RunnerLostError
from eval_app.engine.sandbox.channel import MAX_MESSAGE_BYTES

_TIMEOUT_S = 30.0
# After these outcomes the runner is not used again.
_BROKEN = ("timeout", "cheated", "illegal_memory")


def take(session: Session, maker: CaseMaker, *, code: bool) -> tuple[dict[str, Any], bool]:
    """Return the runner's answer to a `trace` order, or `{"missing": reason}`, and whether the runner is still usable.

    `code` requests Triton's compiled kernels too. Nothing here changes a verdict: a profiler may fail on a
    correct candidate.
    """
    try:
        answer = session.trace(maker.make(), code=code, timeout_s=_TIMEOUT_S)
    except RejectedError as error:
        return {"missing": f"the profiler did not work in the candidate's process: {error.detail}"[:500]}, (
            error.outcome not in _BROKEN
        )
    except RunnerLostError:
        return {"missing": "the candidate's process ended while its kernels were traced"}, False
    except (ReferenceFaultError, torch.OutOfMemoryError) as error:
        return {"missing": f"no inputs to trace a call with: {error}"[:500]}, True
    fields = {name: answer[name] for name in ("kernels", "triton", "missing") if answer.get(name) is not None}
    if form_bytes(fields) > MAX_MESSAGE_BYTES * 7 // 8:  # the verdict holds it, and more
        return {"missing": "the list of its kernels is longer than the runner makes one"}, True
    return fields, True
