"""A run turn by turn, and its first turn's candidates drawn N at a time: what more answers bring, told or not told."""

from __future__ import annotations

from dataclasses import dataclass

from datasets_app.analysis.evaluation import MISSING
from datasets_app.analysis.metrics import best_at, fast_p, fast_p_at
from datasets_app.analysis.runs.judged import JudgedRun

MOST_N = 64  # of best-of-N that are drawn


@dataclass(frozen=True)
class Turn:
    """What a run has come to after a turn. `answers`: those that were asked for by then, per candidate."""

    number: int
    answers: float
    tokens: int
    right: float  # fast_0
    faster: float  # fast_1
    best: float  # mean speedup of each candidate's fastest kernel, 0 for one that did not pass

    @property
    def tokens_per_right(self) -> float | None:
        """Return the tokens per share of candidates that are right; None before any is."""
        return self.tokens / self.right if self.right and self.tokens else None


@dataclass(frozen=True)
class Best:
    """The chance that one of `n` candidates of the first turn is right, or right and faster; and the expected best."""

    n: int
    right: float
    faster: float
    best: float


def by_turn(judged: JudgedRun) -> list[Turn]:
    """Return the run after each of its turns."""
    candidates = len(judged.levels) * judged.per_task
    made = []
    for turn in range(judged.turns):
        results = judged.evaluation(turn).results
        answers = [one for one in judged.all_answers(turn) if one.outcome != MISSING]
        made.append(
            Turn(
                turn,
                len(answers) / candidates,
                sum(one.tokens for one in answers),
                fast_p(results, 0),
                fast_p(results, 1),
                best_at(1, results),
            )
        )
    return made


def best_of_n(judged: JudgedRun) -> list[Best]:
    """Return best-of-N of the first turn's candidates, without bias, for every N up to their number."""
    results = judged.evaluation(0).results
    return [
        Best(n, fast_p_at(n, results, 0), fast_p_at(n, results, 1), best_at(n, results))
        for n in range(1, min(judged.per_task, MOST_N) + 1)
    ]
