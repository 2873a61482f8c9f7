"""A lane: one device with the zygotes of judge and runner; it runs one job at a time."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any

from eval_app.engine.hardware import device as devices
from eval_app.engine.hardware.device import Device
from eval_app.engine.orchestrator.queries import Queries
from eval_app.engine.sandbox.bubblewrap import Sandbox
from eval_app.engine.sandbox.privileges import Limits
from eval_app.engine.sandbox.zygote_host import ZygoteHost
from eval_app.engine.sandbox.zygote_pair import PairRotation, ZygotePair
from eval_app.engine.scout.environment import CAPABILITY, NAME

# Pairs of zygotes by device: the second is prepared in the background. On a CPU the job itself needs the
# processors.
PAIRS = {"cpu": 1, "cuda": 2}
_FILE_BYTES = 4 * 2**30
_RUNNER_TMP_BYTES = 2**30
_PROCESSES = 256
_ADDRESS_BYTES = 48 * 2**30
# A user's descriptors in transit, of all lanes where the worker is not root, are held against the limit of whoever
# sends more: a judge sends its buffers though other candidates have as many in transit as theirs allows, and a message.
_RUNNER_FILES, _JUDGE_FILES = 512, 2**16
# One thread per process: two processes share few cores, and a thread pool does not survive a fork.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMEXPR_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0", "TORCHINDUCTOR_COMPILE_THREADS": "1",
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID", "TOKENIZERS_PARALLELISM": "false",
    # Both roles keep freed memory; otherwise the one that allocated more before would see fewer page faults.
    "MALLOC_MMAP_THRESHOLD_": str(32 * 2**20), "MALLOC_TRIM_THRESHOLD_": str(2**30), "MALLOC_TOP_PAD_": str(2**24),
}  # fmt: skip


class Lane:
    """The zygotes for one device. Held by one job at a time: see `lanes.Lanes`."""

    roles = ("judge", "runner")
    times_calls = True

    def __init__(
        self, device: Device, sandbox_kind: str, readable: tuple[str, ...], number: int = 0, *, beside: bool = False,
    ) -> None:  # fmt: skip
        """Prepare the zygotes without starting them; `number` distinguishes lanes of one device, with `beside` if there
        are several."""
        self.device, self._beside = device, beside
        self.name = f"{device.name}/{number}" if number else device.name
        # Seconds by stage, on the orchestrator's clock.
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.attempts = 0
        # `order_cost.refresh`; None before the first job that is timed. The moment is of the monotonic clock.
        self.order_cost: dict[str, float] | None = None
        self.order_cost_at_s = 0.0
        gpu = device.kind == "cuda"
        gpu_file, visible = devices.exposure(device.index) if gpu else ("", "")
        environment = self._environment() | {"CUDA_VISIBLE_DEVICES": visible}
        sandbox = Sandbox(
            kind=sandbox_kind,
            gpu=gpu,
            gpu_file=gpu_file,
            readable=readable,
            tmp_bytes=_RUNNER_TMP_BYTES,
            environment=environment,
        )
        address = None if gpu else _ADDRESS_BYTES
        limits = Limits(_PROCESSES, _FILE_BYTES, address, open_files=_RUNNER_FILES)
        # Shared memory counts as a file, and the judge's holds all inputs of a task. Where both run as one user, as on
        # a GPU, the kernel counts their processes together: a candidate that has all of its own leaves the judge some.
        roomy = Limits(2 * _PROCESSES, _ADDRESS_BYTES, address, open_files=_JUDGE_FILES)
        # On a GPU another zygote answers queries: a job's pair need not be cleared for it.
        self._query_host = ZygoteHost("queries", device.kind, sandbox, roomy) if gpu else None
        judge, runner = self.roles
        self.rotation = PairRotation(
            [
                ZygotePair(
                    ZygoteHost(judge, device.kind, sandbox, roomy),
                    ZygoteHost(runner, device.kind, sandbox, limits),
                )
                for _ in range(self._pairs())
            ]
        )

    def _pairs(self) -> int:
        return PAIRS[self.device.kind]

    @property
    def judge(self) -> ZygoteHost:
        """Return the judge's host in the pair of the present or most recent job."""
        return self.rotation.current.judge

    @property
    def runner(self) -> ZygoteHost:
        """Return the runner's host in the pair of the present or most recent job."""
        return self.rotation.current.runner

    def _environment(self) -> dict[str, str]:
        return dict(ONE_THREAD)

    def start(self) -> None:
        """Launch all zygotes; they import torch in parallel."""
        self.rotation.start()
        if self._query_host is not None:
            self._query_host.start()

    def queries(self) -> Queries:
        """Return a process of its own for queries, while no other of the lane is at work. The caller holds the lane.

        If its zygote breaks, `start` or the next query replaces it.
        """
        if self._query_host is None:
            return Queries(self.rotation.idle_pair().judge)
        return Queries(self._query_host, self.rotation.drain)

    def wait_ready(self) -> None:
        """Block until the lane can run a job."""
        self.rotation.wait_ready()

    def restart(self) -> None:
        """Replace all zygotes."""
        began = time.monotonic()
        self.start()
        self.wait_ready()
        self.seconds["restart"] += time.monotonic() - began

    def add_seconds(self, stages: dict[str, float]) -> None:
        """Add the stages of one attempt to the lane's totals."""
        self.attempts += 1
        for stage, spent_s in stages.items():
            self.seconds[stage] += spent_s

    def versions(self) -> dict[str, str]:
        """Return the versions of torch, Python and CUDA that the zygotes report; empty before one is ready."""
        answers = (pair.runner.versions for pair in self.rotation.pairs)
        return {name: text for name, text in next(filter(None, answers), {}).items() if text}

    def facts(self) -> dict[str, Any]:
        """Return what the judge must know about the device."""
        facts = {"bytes_per_ms": self.device.bytes_per_ms, "order_cost": self.order_cost}
        return facts | {"beside_others": self._beside}

    def stop(self) -> None:
        """End all zygotes for good."""
        if self._query_host is not None:
            self._query_host.stop()
        self.rotation.stop()


class ScoutLane(Lane):
    """A lane on the CPU that finds out which extensions candidates for the GPU `target` need."""

    roles = ("scout_task", "scout_candidate")
    times_calls = False

    def __init__(self, target: Device, sandbox_kind: str, readable: tuple[str, ...], number: int) -> None:
        """Prepare the zygotes without starting them."""
        self._target = target
        super().__init__(Device("cpu"), sandbox_kind, readable, number)
        self.name = f"scout {number}"

    def _environment(self) -> dict[str, str]:
        facts = {CAPABILITY: "compute_capability", NAME: "name"}
        target = {
            name: str(self._target.facts[fact]) for name, fact in facts.items() if fact in self._target.facts
        }
        return super()._environment() | target
