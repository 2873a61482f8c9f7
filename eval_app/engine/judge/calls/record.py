"""Evidence of the comparisons, collected call by call in the report's form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from eval_app.engine.contract.evidence import MAX_PLACE_CHARS, MAX_TRIALS
from eval_app.engine.judge.comparison import mismatch_maps
from eval_app.engine.judge.comparison.compare import Difference, Tolerance
from eval_app.engine.judge.task.cases import Case


@dataclass
class Compared:
    """Comparison of one call with the truth: the total, and each output by its place as (place, output,
    truth, difference)."""

    total: Difference = field(default_factory=Difference)
    outputs: list[tuple[str, torch.Tensor, torch.Tensor, Difference]] = field(default_factory=list)


class Record:
    """Collects evidence.Correctness."""

    def __init__(self) -> None:
        """Start empty."""
        self.compared = 0
        self.worst = Difference()
        self.kernelbench_allclose = True
        self.share = 0.0
        self.wrong = 0  # elements, in the comparison of the largest share
        self.dtypes: dict[str, float] = {}
        self.configs = ["own"]
        self.backward: dict[str, Any] | None = None
        self._trials: list[dict[str, Any]] = []
        self._map: dict[str, Any] | None = None
        self._decades = [0] * len(mismatch_maps.DECADES)

    def count(self, compared: Compared, tolerance: Tolerance) -> None:
        """Add one call."""
        total = compared.total
        self.compared += 1
        self.kernelbench_allclose &= total.allclose
        self.share, self.wrong = max((self.share, self.wrong), (share_of(total), total.wrong))
        self.worst.add(total)
        for _, _, truth, _ in compared.outputs:
            name, relative = str(truth.dtype).removeprefix("torch."), tolerance.relative(truth.dtype)
            self.dtypes[name] = min(self.dtypes.get(name, relative), relative)

    def list_trial(self, case: Case, compared: Compared, tolerance: Tolerance) -> None:
        """Add a row for one call, and count its errors by size."""
        self.list_row(case, compared.total)
        for _, got, truth, _ in compared.outputs:
            counts = mismatch_maps.decades(got, truth, tolerance)
            self._decades = [a + b for a, b in zip(self._decades, counts, strict=True)]

    def list_row(self, case: Case, total: Difference) -> None:
        """Add a row only, for a call whose outcome does not count."""
        if len(self._trials) < MAX_TRIALS:
            self._trials.append(
                {
                    "name": f"{case.name} {len(self._trials) + 1}"[:80], "family": case.name[:40],
                    "config": case.config[:200], "shape_note": case.shape_note[:200],
                    "max_abs": finite(total.max_abs), "max_rel": finite(total.max_rel),
                    "wrong_share": share_of(total),
                }
            )  # fmt: skip

    def add_mismatch_map(self, compared: Compared, tolerance: Tolerance) -> None:
        """Store the map of the worst output."""
        if compared.outputs:
            where, got, truth, _ = max(compared.outputs, key=lambda output: share_of(output[3]))
            self._map = mismatch_maps.mismatch_map(got, truth, tolerance, where[:MAX_PLACE_CHARS])

    def evidence(self) -> dict[str, Any]:
        """Return the fields of evidence.Correctness that come from comparisons."""
        worst = self.worst
        histogram = {"log10_from": mismatch_maps.DECADES, "counts": self._decades}
        return {
            "compared": self.compared, "max_abs_error": finite(worst.max_abs), "max_rel_error": finite(worst.max_rel),
            "tolerance": self.dtypes, "mismatches": worst.mismatches if worst.wrong else [],
            "mismatch_share": self.share, "mismatch_count": self.wrong,
            "kernelbench_allclose": self.kernelbench_allclose,
            "per_trial": self._trials, "mismatch_map": self._map,
            "error_histogram": histogram if any(self._decades) else None,
            "configs": self.configs, "backward": self.backward,
        }  # fmt: skip


def share_of(difference: Difference) -> float:
    """Return the share of wrong elements."""
    return difference.wrong / difference.total if difference.total else 0.0


def finite(value: float) -> float | None:
    """Return a number rounded to six digits, or None if JSON cannot represent it."""
    return float(f"{value:.6g}") if abs(value) < 1e300 else None
