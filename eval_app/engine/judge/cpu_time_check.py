"""A second look on a CPU at a time that the judge's own clock does not confirm: what the calls cost the processor.

A neighbour can take the processor away from a call for as long as it lasts, and the clock around the call sees that.
Work that was hidden from the runner's clock took processor time, which the orchestrator reads from outside.
"""

from __future__ import annotations

from eval_app.engine.judge import timing
from eval_app.engine.judge.batch_timing import Busy
from eval_app.engine.judge.cases import CaseMaker
from eval_app.engine.judge.statistics import median
from eval_app.engine.judge.trials import Trials

_CALLS = 10


def measure(maker: CaseMaker, trials: Trials, busy_s: Busy) -> timing.Pairs:
    """A few more calls, every output compared. `wall` holds whichever is less, the clock's or the processor's time:
    a neighbour adds to the one, threads of the candidate's own to the other. `overhead` is the judge's shortest."""
    pairs = timing.Pairs()
    for case in [maker.make() for _ in range(_CALLS)]:
        before_s = busy_s()
        pairs.add(case, trials.check(case))
        pairs.wall[-1] = min(pairs.wall[-1], (busy_s() - before_s) * 1e3)
    pairs.overhead = [min(pairs.overhead)] * _CALLS
    return pairs


def remark(pairs: timing.Pairs, clock_text: str) -> str:
    """For a person, where the processor's time clears the candidate; `said` is what the clock found."""
    cpu_ms = median(pairs.wall)
    return f"by its processor time, {cpu_ms:.4f} ms with its handling, the candidate's time can be true; but {clock_text}"
