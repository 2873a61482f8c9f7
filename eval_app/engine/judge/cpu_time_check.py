"""Check of a CPU time that the judge's clock does not confirm: the processor time of the calls.

Other processes can delay a call, which the clock around it includes. Work hidden from the runner's clock uses
processor time, which the orchestrator reads from outside.
"""

from __future__ import annotations

from eval_app.engine.judge import timing
from eval_app.engine.judge.batch_timing import Busy
from eval_app.engine.judge.cases import CaseMaker
from eval_app.engine.judge.statistics import median
from eval_app.engine.judge.trials import Trials

_CALLS = 10


def measure(maker: CaseMaker, trials: Trials, busy_s: Busy) -> timing.Pairs:
    """Time a few more calls, every output compared. `wall` holds the smaller of clock and processor time:
    other processes add to the former, the candidate's own threads to the latter. `overhead` is the judge's
    shortest."""
    pairs = timing.Pairs()
    for case in [maker.make() for _ in range(_CALLS)]:
        before_s = busy_s()
        pairs.add(case, trials.check(case))
        pairs.wall[-1] = min(pairs.wall[-1], (busy_s() - before_s) * 1e3)
    pairs.overhead = [min(pairs.overhead)] * _CALLS
    return pairs


def remark(pairs: timing.Pairs, clock_text: str) -> str:
    """Describe how the processor time clears the candidate; `clock_text` is the finding of the clock."""
    cpu_ms = median(pairs.wall)
    return f"by processor time, {cpu_ms:.4f} ms including handling, the candidate's time is plausible; but {clock_text}"
