"""The judge's main program: prepare the reference, wait for the runner, run trials, time, give the verdict."""

from __future__ import annotations

import secrets
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from eval_app.engine.contract import schema
from eval_app.engine.contract.configs import read_configs
from eval_app.engine.contract.profiles import Profile
from eval_app.engine.judge import queries, trace, verdicts
from eval_app.engine.judge.admission import Admission
from eval_app.engine.judge.calls.runner_channel import RunnerChannel
from eval_app.engine.judge.calls.session import Session
from eval_app.engine.judge.checks import result_memory
from eval_app.engine.judge.checks.argument_trial import ArgumentTrial
from eval_app.engine.judge.checks.calibration import Calibration
from eval_app.engine.judge.checks.emptied import EmptyTrial
from eval_app.engine.judge.checks.kept_weights import look_at_weights
from eval_app.engine.judge.checks.one_sided import SignTrial
from eval_app.engine.judge.checks.other_mode import ModeTrial
from eval_app.engine.judge.checks.reweigh import Reweigh
from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.clock import kernelbench
from eval_app.engine.judge.clock.idleness import Idleness
from eval_app.engine.judge.clock.measurement import Measurement
from eval_app.engine.judge.comparison.compare import Tolerance, compare
from eval_app.engine.judge.gradients.backward import BackwardTrials
from eval_app.engine.judge.sizes.extra_shapes import ExtraShapes
from eval_app.engine.judge.sizes.shape_sweep import ShapeSweep
from eval_app.engine.judge.task.cases import Case, CaseMaker, each_has_same_bits
from eval_app.engine.judge.task.reference import Reference, guarded
from eval_app.engine.judge.verdicts import (
    DeviceSharedError,
    ReferenceFaultError,
    RejectedError,
    RunnerLostError,
    storable,
)
from eval_app.engine.sandbox.channel import Channel, ChannelClosedError
from eval_app.engine.shared.calls import use_ieee

# For what KernelBench's protocol needs beyond the calls that were made; never so late that the job's own time ends.
_KERNELBENCH_S = 2.0
_LATEST_SHARE = 0.5


def warm_up() -> None:
    """Import in the zygote what torch loads under a first dispatch mode and on the meta device, which takes seconds."""
    import_module("torch._dynamo")


def load_kernels() -> None:
    """Load what compares two tensors on a GPU: each process loads its own, which takes a tenth of a second."""
    tensor = torch.ones(2, device="cuda")
    compare(tensor, tensor, Tolerance(1e-4, 1e-2, 1e-6))
    each_has_same_bits([tensor], [tensor])


def main(device_name: str, folder: Path, channels: list[Channel]) -> None:
    """Judge one job; `channels` lead to the orchestrator and to the runner."""
    control, peer = channels
    order = control.receive()
    use_ieee()
    if "query" in order:
        _answer_queries(order, torch.device(device_name), folder, control)
        return
    judgement = Judgement(order, torch.device(device_name), folder, control, peer)
    with torch.no_grad():
        control.send({"type": "verdict", **storable(judgement.verdict())})


def _answer_queries(order: dict[str, Any], device: torch.device, folder: Path, control: Channel) -> None:
    """Answer one query after another until no more come."""
    with torch.no_grad(), suppress(ChannelClosedError):
        while True:
            control.send(queries.answer(order, device, folder))
            order = control.receive()


class Judgement:
    """Judges one job."""

    def __init__(
        self, order: dict[str, Any], device: torch.device, folder: Path, control: Channel, peer: Channel
    ) -> None:
        """Read the order: the reference, the profile and the facts about the device."""
        self._order, self._device, self._folder, self._control = order, device, folder, control
        self._profile = schema.read(Profile, order["profile"], "profile")
        self._channel = RunnerChannel(peer)
        self._began = time.monotonic()
        self._seconds: dict[str, float] = {}
        self._init_seed = secrets.randbits(62)
        self._calibration = Calibration(order, self._profile)
        self._idleness = Idleness(control, order, device)
        self._trials: Trials | None = None
        self._admission: Admission | None = None
        self._measurement: Measurement | None = None
        self._trace: dict[str, Any] | None = None
        self._sweep: ShapeSweep | None = None

    def verdict(self) -> dict[str, Any]:
        """Run the job and return the verdict in its JSON form."""
        try:
            self._judge()
            return self._verdict("passed", "")
        except verdicts.ContextLostError as error:
            return {"outcome": verdicts.CONTEXT_LOST, "detail": str(error)}
        except DeviceSharedError as error:
            return {"outcome": verdicts.DEVICE_SHARED, "detail": str(error)}
        except ReferenceFaultError as error:
            return self._verdict("invalid_reference", str(error))
        except RejectedError as error:
            return self._verdict(error.outcome, error.detail, error.findings)
        except RunnerLostError:
            return self._verdict("runner_lost", "the runner ended during a call")
        except torch.OutOfMemoryError as error:
            outcome = "invalid_reference" if self._trials is None else "out_of_memory"
            return self._verdict(
                outcome, f"no device memory left for the judge: OutOfMemoryError: {str(error)[:500]}"
            )

    def _judge(self) -> None:
        started = time.perf_counter()
        source, own = self._order["reference"], self._order.get("own_values") is True
        reference = Reference(source, self._folder, self._device, self._init_seed, own_values=own)
        maker = CaseMaker(reference)
        rehearsal = guarded("making a first call of the reference", maker.rehearse)
        self._calibration.prepare(maker, rehearsal)
        self._finish("reference", started)
        self._control.send({"type": "prepared"})
        self._control.receive()
        reference.allow(self._profile.total_timeout_s)
        started = time.perf_counter()
        trials = self._open(maker, rehearsal)
        del rehearsal  # a case of a large task is a good part of the device
        self._run_trials(trials, maker, started)

    def _open(self, maker: CaseMaker, rehearsal: Case) -> Trials:
        """Return the trials of a session whose buffers hold cases like `rehearsal`."""
        cost = self._order.get("order_cost") or {}
        session = Session(self._channel, maker.reference, self._profile, self._hold, lane_shares=bool(cost))
        self._trials = Trials(session, maker, self._profile)
        self._stage("correctness")
        session.open(rehearsal)
        return self._trials

    def _run_trials(self, trials: Trials, maker: CaseMaker, started: float) -> None:
        session = trials.session
        if session.copied_because:
            trials.note("label", "copied_buffers", f"buffers go through the host: {session.copied_because}")
        trials.weights = session.build(self._init_seed)
        trials.weights_detail = session.give_weights()[1] if trials.weights == "seeded" else ""
        if trials.weights == "seeded":
            text = f"built under the reference's seed; its state_dict does not fit ({trials.weights_detail})"
            trials.note("label", "weights_seeded", text)
        first = maker.make()
        trials.check_first(first, self._init_seed)
        self._calibration.tighten(maker, trials, first)
        trials.run_all(first)
        ArgumentTrial(session, maker, trials).run()
        result_memory.look(trials, self._profile.total_timeout_s)
        self._finish("correctness", started)
        self._examine(maker, trials, first)
        self._idleness.check(session, maker.make())
        self._time(session, maker, trials, first)
        look_at_weights(trials)  # before they are given anew
        reweigh = None
        if self._profile.reweigh and trials.weights == "state_dict":
            reweigh = Reweigh(session, maker, trials, self._init_seed)
            reweigh.run()
        if self._order.get("inspect") and self._measurement:
            latest = self._began + self._profile.total_timeout_s * _LATEST_SHARE
            self._sweep = ShapeSweep(self._measurement, first, session, trials, latest)
        self._run_extras(session, maker, trials, reweigh)

    def _look_inside(self, session: Session, maker: CaseMaker) -> bool:
        """Trace the kernels of a call, unless they are known; return whether the runner is still usable. All declared
        sizes are judged by now, and a failure here is reported without changing the outcome."""
        code = bool(self._order.get("inspect"))
        wanted = code or (self._profile.trace and not self._order.get("traced"))
        if not wanted or self._device.type != "cuda":
            return True
        started = time.perf_counter()
        self._trace, alive = trace.take(session, maker, code=code)
        self._finish("trace", started)
        return alive

    def _run_extras(
        self, session: Session, maker: CaseMaker, trials: Trials, reweigh: Reweigh | None
    ) -> None:
        """Check gradients, declared configurations, and last, because they may crash the candidate,
        undeclared sizes."""
        started = time.perf_counter()
        reference = maker.reference
        if self._order.get("backward") or reference.asks_backward:
            BackwardTrials(session, maker, trials, self._profile, reweigh).run()
            look_at_weights(trials)
        extras = ExtraShapes(session, maker, trials, self._profile, self._sweep)
        extras.run_configs([*read_configs(self._order.get("configs")), *reference.declared_configs()])
        usable = self._look_inside(session, maker) and SignTrial(session, maker, trials).run()
        usable = usable and EmptyTrial(session, maker, trials).run()
        usable = usable and ModeTrial(session, maker, trials).run()
        if usable and extras.time_configs() and extras.try_another_model() and self._profile.shapes:
            extras.run_shapes()
        self._finish("beyond", started + (self._sweep.seconds if self._sweep else 0.0))

    def _examine(self, maker: CaseMaker, trials: Trials, first: Case) -> None:
        started = time.perf_counter()
        if self._profile.admission and not self._order.get("admission"):
            self._admission = Admission(maker, trials.own_tolerance, self._calibration.answers)
            self._admission.examine(first)
        self._finish("admission", started)

    def _time(self, session: Session, maker: CaseMaker, trials: Trials, first: Case) -> None:
        if self._profile.timings_max == 0:
            return
        self._stage("timing")
        session.release_cache()
        trials.listing = False
        self._measurement = Measurement(
            self._order, self._profile, session, maker, trials, self._idleness.busy_s, seeded=self._may_be_random()
        )  # fmt: skip
        self._measurement.run(first)
        self._idleness.check_device(session)
        result_memory.look_far_back(trials)
        result_memory.look_further_back(trials, self._profile.total_timeout_s)
        trials.listing = True

    def _hold(self, frozen: bool) -> bool:
        """Have the orchestrator freeze the candidate's processes, or let them go on; return whether all of them did."""
        self._control.send({"type": "hold", "frozen": frozen})
        return self._control.receive().get("done") is True

    def _may_be_random(self) -> bool:
        """Return whether the task draws random numbers, or nobody has asked whether it does."""
        asked = self._admission or self._order.get("admission")
        return not asked or "random_reference" in {finding["code"] for finding in self._task_findings()}

    def _task_findings(self) -> list[dict[str, Any]]:
        """Return the findings about the task, from this job or an earlier one."""
        if self._admission:
            return self._admission.findings()
        findings: list[dict[str, Any]] = (self._order.get("admission") or {}).get("findings", [])
        return findings

    def _stage(self, name: str) -> None:
        self._control.send({"type": "stage", "stage": name})

    def _finish(self, stage: str, started: float) -> None:
        self._seconds[stage] = time.perf_counter() - started

    def _verdict(
        self, outcome: str, detail: str, findings: list[dict[str, Any]] | None = None
    ) -> dict[str, Any]:
        trials, admission, timed = self._trials, self._admission, self._measurement
        all_findings = [*(findings or []), *(trials.findings.values() if trials else [])]
        if admission:
            all_findings += admission.findings()
        told, short = self._kernelbench(outcome, all_findings), self._calibration.is_short_of_memory
        return {
            "outcome": outcome, "detail": detail[:7000], "findings": all_findings, "kernelbench": told,
            "seconds": self._seconds | (timed.seconds if timed else {}),
            "correctness": trials.evidence() if trials and trials.record.compared else None,
            "timing": timed.timing if timed and outcome in ("passed", "cheated") else None,
            "admission": admission.answers if admission and not short else {}, "short_of_memory": short,
            "trace": self._trace,
            "sweep": self._sweep.rows if self._sweep else [],
        }  # fmt: skip

    def _kernelbench(self, outcome: str, findings: list[dict[str, Any]]) -> dict[str, Any] | None:
        """Return what KernelBench's protocol says; nothing after a forged answer, which leaves others behind."""
        if self._trials is None or any(finding["code"] == "forged_message" for finding in findings):
            return None
        started = time.perf_counter()
        latest = self._began + self._profile.total_timeout_s * _LATEST_SHARE
        timing = (self._measurement.timing if self._measurement else None) or {}
        until = min(time.monotonic() + _KERNELBENCH_S, latest)
        told = kernelbench.tell(outcome, self._trials, timing.get("pairs"), until)
        self._finish("kernelbench", started)
        return told
