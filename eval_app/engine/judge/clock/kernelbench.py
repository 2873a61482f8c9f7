"""What KernelBench's own protocol says of a candidate: allclose on five draws, then the ratio of mean times by events.

It stands beside the verdict, so that a reader sees where the two part. It knows no value families, does not look at
inputs and memory, has the inputs ready before the call, waits for the device after it, and believes the candidate's
own clock.
"""

from __future__ import annotations

import time
from statistics import fmean
from typing import Any

import torch

from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.verdicts import ReferenceFaultError, RejectedError, RunnerLostError

TRIALS = 5
_TIMINGS = 20
_WARMUP_CALLS = 3
# Such ends say nothing of the candidate.
_UNTOLD = {"unsupported", "build_needed", "invalid_reference", "infra_error"}
# After such ends there is nobody to call.
_LAST_CALLS = {"timeout", "runner_lost"}
_INCORRECT = {"correct": False, "speedup": None}


def tell(
    outcome: str, trials: Trials, pairs: dict[str, list[float]] | None, until: float
) -> dict[str, Any] | None:
    """Return evidence.KernelBench in its JSON form, None where it cannot be told.

    `outcome` is the verdict's. Calls that are still needed are made, until `time.monotonic()` is `until`; `pairs` are
    the timing's, if there was one.
    """
    if outcome in _UNTOLD or not trials.session.is_open:
        return None
    if outcome in _LAST_CALLS:
        until = 0.0
        if len(trials.own_agreement) < TRIALS:
            return dict(_INCORRECT) if outcome == "runner_lost" else None
    try:
        correct = _is_correct(trials, until)
    except RejectedError as error:
        # An answer that KernelBench would have taken on trust says nothing of the values.
        return None if error.outcome in _UNTOLD | {"timeout", "cheated"} else dict(_INCORRECT)
    except RunnerLostError:
        return dict(_INCORRECT)
    except (ReferenceFaultError, torch.OutOfMemoryError):
        return None
    if correct is None:
        return None
    return {"correct": correct, "speedup": _speedup(trials, pairs, until) if correct else None}


def _is_correct(trials: Trials, until: float) -> bool | None:
    """Return whether the outputs of five calls are close to the truth, None if there is no time for them."""
    agreed = trials.own_agreement[:TRIALS]
    while len(agreed) < TRIALS and all(agreed):
        if time.monotonic() > until:
            return None
        case = trials.maker.make()
        agreed.append(trials.difference(case, trials.session.run(case, early=True)).total.allclose)
    return all(agreed)


def _speedup(trials: Trials, pairs: dict[str, list[float]] | None, until: float) -> float | None:
    pairs = pairs or {"reference": [], "candidate": []}
    try:
        if not pairs["candidate"] and trials.is_timed:
            _add_pairs(trials, pairs, until)
    except (RejectedError, RunnerLostError, ReferenceFaultError, torch.OutOfMemoryError):
        return None
    return fmean(pairs["reference"]) / fmean(pairs["candidate"]) if pairs["candidate"] else None


def _add_pairs(trials: Trials, pairs: dict[str, list[float]], until: float) -> None:
    for number in range(_WARMUP_CALLS + _TIMINGS):
        if time.monotonic() > until:
            return
        with trials.session.frozen():
            case = trials.maker.make()
        result = trials.session.run(case, early=True)
        if number >= _WARMUP_CALLS:
            pairs["reference"].append(case.reference_ms)
            pairs["candidate"].append(result.reply.ms)
