"""Whether a candidate works while no call is made: on a processor by what its processes use, on a device by the gaps
that it leaves between the judge's own kernels."""

from __future__ import annotations

import time
from typing import Any

import torch

from eval_app.engine.judge.calls.session import Session
from eval_app.engine.judge.clock.foreign_work import FOREIGN_MS, longest_gap_ms, stays_quiet
from eval_app.engine.judge.task.cases import Case
from eval_app.engine.judge.verdicts import DeviceSharedError, RejectedError
from eval_app.engine.sandbox.channel import Channel

_IDLE_S = 0.05
_BUSY_SHARE = 0.3


class Idleness:
    """Has the orchestrator, which alone sees and stops the candidate's processes, show that they rest."""

    def __init__(self, control: Channel, order: dict[str, Any], device: torch.device) -> None:
        """Store the channel to the orchestrator, and whether others used the device when the lane was measured."""
        self._control, self._device = control, device
        self._alone = (order.get("order_cost") or {}).get("gap_ms", FOREIGN_MS) < FOREIGN_MS

    def busy_s(self) -> float:
        """Return the processor seconds of the runner's sandbox, read by the orchestrator."""
        return float(self._ask("idle", phase="begin").get("busy_s", 0.0))

    def check(self, session: Session, case: Case) -> None:
        """Show the runner inputs without an order, which only a candidate that works unasked would touch, and have the
        orchestrator measure whether it computes. Raises as `check_device` does."""
        session.put_inputs(case)
        time.sleep(_IDLE_S / 2)
        self._ask("idle", phase="begin")
        time.sleep(_IDLE_S)
        share = float(self._ask("idle", phase="end").get("busy_share", 0.0))
        if share > _BUSY_SHARE:
            text = f"the candidate's process used {share:.0%} of a processor while no call was in progress"
            raise RejectedError("cheated", text, [("background_work", text)])
        self.check_device(session)

    def check_device(self, session: Session) -> None:
        """Look for kernels of the candidate's while its processes are frozen, on a device that nobody else used.

        Somebody may by now, so only work that ends with the candidate's processes is theirs. Raises RejectedError for
        such work, and DeviceSharedError for another's.
        """
        if not self._alone:
            return
        with session.frozen():
            gap_ms = longest_gap_ms(self._device)
        if gap_ms <= FOREIGN_MS:
            return
        has_ended = self._ask("end").get("done") is True
        if has_ended and not stays_quiet(self._device):
            raise DeviceSharedError("the device worked on after the candidate's processes had ended")
        text = f"the device worked for {gap_ms:.2f} ms between the judge's own kernels while no call was made"
        raise RejectedError("cheated", text, [("background_work", text)])

    def _ask(self, kind: str, **more: Any) -> dict[str, Any]:
        self._control.send({"type": kind, **more})
        return self._control.receive()
