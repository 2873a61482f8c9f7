"""Measures one batch through the engine: seconds per stage, each lane's work, and the GPU's idle time."""

import os
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchmarks._results import write_figures
from benchmarks.engine_batch import read_lines, stage_seconds
from datasets_app.demo_pack import read_pack
from eval_app.engine import Engine, Job, Outcome, Profile, Report
from eval_app.engine.hardware.device import busy_share

KERNELBENCH = Path(__file__).parent / "kernelbench"
NVML_PERIOD_S = 0.1
_NO_FAULT_OF_THE_CANDIDATE = (Outcome.INVALID_REFERENCE, Outcome.INFRA_ERROR)


def cuda_l1_jobs(path: Path, profile: str, word: str = "") -> list[Job]:
    """Return the rows of CUDA-L1's file whose program contains `word`; their ids are "LEVEL-TASK"."""
    rows = [row for row in read_lines(path) if row.get("custom_code") and word in row["custom_code"]]
    chosen = Profile.from_value(profile)
    return [
        Job(f"{row['level_id']}-{row['task_id']}", row["ref_code"], row["custom_code"], profile=chosen)
        for row in rows
    ]


def demo_jobs(profile: str) -> list[Job]:
    """Return the CUDA kernels of the demo pack."""
    chosen = Profile.from_value(profile)
    return [
        Job(row["name"], row["pytorch_code"], row["kernel_code"], profile=chosen)
        for row in read_pack()
        if row["language"] == "cuda"
    ]


def kernelbench_jobs(tasks: Path, profile: str) -> list[Job]:
    """Return the kernels of `kernelbench/`, one a file, each on the KernelBench task of the same name."""
    references = {row["name"]: row["code"] for row in read_lines(tasks)}
    chosen = Profile.from_value(profile)
    return [
        Job(path.stem, references[path.stem], path.read_text("utf-8"), profile=chosen)
        for path in sorted(KERNELBENCH.glob("*.py"))
    ]


class IdleWatch(threading.Thread):
    """Polls NVML for whether any kernel ran: the mean over all GPUs of the engine."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(daemon=True)
        self._gpus = [device.index for device in engine.devices if device.kind == "cuda"]
        self._ended = threading.Event()
        self._busy: list[float] = []

    def run(self) -> None:
        while self._gpus and not self._ended.wait(NVML_PERIOD_S):
            shares = [busy_share(index) for index in self._gpus]
            self._busy += [share for share in shares if share is not None]

    def idle_share(self) -> float | None:
        """Stop polling and return the idle share: None without a GPU, or if NVML reports nothing."""
        self._ended.set()
        if self.is_alive():
            self.join()
        return round(1 - sum(self._busy) / len(self._busy), 4) if self._busy else None


@dataclass
class Run:
    """Measurements of one batch."""

    wall_s: float
    reports: list[Report]
    # Per job: id, outcome, when it finished, its own seconds without waiting, seconds waited.
    course: list[dict]
    accounts: dict
    gpu_idle_share: float | None
    device: dict
    versions: dict
    parallel_builds: int
    limits: dict[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict:
        """Return the JSON form, without the reports."""
        forms = [report.to_dict() for report in self.reports]
        return {
            "wall_s": round(self.wall_s, 2), "jobs": len(self.reports),
            "jobs_a_minute": round(60 * len(self.reports) / self.wall_s, 1),
            "outcomes": dict(Counter(str(report.outcome) for report in self.reports).most_common()),
            "gpu_idle_share_nvml": self.gpu_idle_share, "busy_share": self.limits, "limit": self.limit(),
            "seconds": stage_seconds(forms), "lanes": self.accounts, "jobs_in_order": self.course,
        }  # fmt: skip

    def limit(self) -> str:
        """Name the busiest resource."""
        name, share = max(self.limits.items(), key=lambda item: item[1])
        slowest = max(self.course, key=lambda job: job["seconds"])
        return (
            f"{name}: busy {share:.0%} of the time; the longest job, {slowest['id']}, took {slowest['seconds']} s "
            f"({slowest['outcome']})"
        )


def run_batch(
    jobs: list[Job], cache_dir: Path, device: str, build_jobs: int | None = None, lanes: int = 1
) -> Run:
    """Run all jobs through a fresh engine, from its start to the last report."""
    reports, course, started = [], [], time.monotonic()
    with Engine(device, cache_dir, build_jobs, lanes=lanes) as engine:
        watch = IdleWatch(engine)
        watch.start()
        for report in engine.verify_many(jobs):
            reports.append(report)
            course.append(_course(report, time.monotonic() - started))
        wall_s = time.monotonic() - started
        run = Run(
            wall_s, reports, course, _accounts(engine, wall_s), watch.idle_share(),
            {k: v for k, v in engine.device.facts.items() if k != "uuid"}, engine.versions(),
            build_jobs or len(os.sched_getaffinity(0)),
        )  # fmt: skip
        run.limits = _busy_shares(run, engine)
    return run


def _course(report: Report, done_s: float) -> dict:
    detail = {"detail": report.detail[:300]} if report.outcome in _NO_FAULT_OF_THE_CANDIDATE else {}
    return {
        "id": report.id, "outcome": str(report.outcome), "done_s": round(done_s, 2),
        "seconds": round(report.seconds.get("total", 0.0), 2), "waited": round(report.seconds.get("waited", 0.0), 2),
        **detail,
    }  # fmt: skip


def _accounts(engine: Engine, wall_s: float) -> dict:
    """Return attempts and seconds per stage for each lane and scout; `idle_share` is the rest of the batch's
    time. `behind` is the time to clear and prepare one pair while another runs a job: it costs the lane no
    time."""
    return {
        lane.name: {
            "attempts": lane.attempts,
            "idle_share": round(max(0.0, 1 - sum(lane.seconds.values()) / wall_s), 4),
            "seconds": _rounded(lane.seconds),
            "behind": _rounded(lane.rotation.seconds),
        }
        for lane in (*engine.lanes.all, *engine.scouts.lanes)
    }


def _rounded(seconds: dict[str, float]) -> dict[str, float]:
    return {stage: round(spent, 2) for stage, spent in sorted(seconds.items())}


def _busy_shares(run: Run, engine: Engine) -> dict[str, float]:
    def share(lanes: list) -> float:
        spent = sum(sum(lane.seconds.values()) for lane in lanes)
        return round(spent / len(lanes) / run.wall_s, 4) if lanes else 0.0

    compiled_s = sum(report.build.seconds for report in run.reports if report.build)
    return {
        "device lanes": share(engine.lanes.all),
        "scouts": share(engine.scouts.lanes),
        "compilers": round(compiled_s / run.parallel_builds / run.wall_s, 4),
    }


def print_run(name: str, run: Run) -> None:
    """Print a table of one run."""
    form = run.to_dict()
    idle = form["gpu_idle_share_nvml"]
    print(
        f"\n{name}: {form['jobs']} jobs in {form['wall_s']} s ({form['jobs_a_minute']} a minute); {form['outcomes']}"
    )
    print(
        f"GPU idle by NVML: {'not known' if idle is None else format(idle, '.0%')}; busy shares {form['busy_share']}"
    )
    print(f"limit: {form['limit']}")
    print(f"{'stage':<14}{'jobs':>6}{'sum s':>9}{'median s':>10}{'max s':>8}")
    for stage, row in form["seconds"].items():
        print(f"{stage:<14}{row['jobs']:>6}{row['sum_s']:>9}{row['median_s']:>10}{row['max_s']:>8}")
    for lane, row in form["lanes"].items():
        spent = ", ".join(f"{stage} {seconds}" for stage, seconds in row["seconds"].items())
        print(f"{lane:<10} idle {row['idle_share']:>4.0%}, {row['attempts']} attempts; seconds: {spent}")


def write_result(path: Path, runs: dict[str, Run], **facts: object) -> None:
    """Write all runs to one file, with the machine that they ran on."""
    first = next(iter(runs.values()))
    form = {
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"), "device": first.device,
        "versions": first.versions, "cores": len(os.sched_getaffinity(0)), **facts,
        "runs": {name: run.to_dict() for name, run in runs.items()},
    }  # fmt: skip
    write_figures(form, path)
