"""Command line of the engine: verify, admit, inspect, self-test. Needs no site."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from eval_app.engine.contract.jobs import Job, Language, Report
from eval_app.engine.contract.printable import printable
from eval_app.engine.contract.profiles import ADMISSION
from eval_app.engine.contract.schema import ContractError
from eval_app.engine.hardware.device import DeviceError
from eval_app.engine.orchestrator.engine import Engine
from eval_app.engine.sandbox.bubblewrap import SandboxMissingError

MAX_LINE_CHARS = 4_000_000
CACHE_DIR = Path(tempfile.gettempdir()) / "concur-builds"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0 if the command did its work, whatever the verdicts."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (DeviceError, SandboxMissingError, ContractError, OSError) as error:
        _say(f"error: {error}")
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m eval_app.engine", description=__doc__)
    commands = parser.add_subparsers(required=True)
    verify = commands.add_parser("verify", help="verify JOBS.jsonl; writes one report per line")
    verify.add_argument("jobs", type=Path)
    verify.add_argument("-o", "--output", type=Path, required=True)
    verify.add_argument("--profile", default="quick", help="profile of jobs that name none")
    verify.add_argument("--resume", action="store_true", help="skip jobs that the output already contains")
    verify.set_defaults(run=_verify, make=as_given)
    admit = commands.add_parser(
        "admit", help="verify each reference against itself; `admission` says how much a pass is worth"
    )
    admit.add_argument("jobs", type=Path, help="JSON Lines with id and reference; a candidate is ignored")
    admit.add_argument("-o", "--output", type=Path, required=True)
    admit.add_argument(
        "--profile", default="quick", type=as_admission, help="profile of tasks that name none"
    )
    admit.add_argument("--resume", action="store_true", help="skip tasks that the output already contains")
    admit.set_defaults(run=_verify, make=reference_as_candidate)
    inspect = commands.add_parser(
        "inspect", help="verify and add machine code, resources, performance counters and memory errors"
    )
    inspect.add_argument("jobs", type=Path)
    inspect.add_argument("-o", "--output", type=Path, required=True)
    inspect.add_argument("--profile", default="quick", help="profile of jobs that name none")
    inspect.add_argument("--resume", action="store_true", help="skip jobs that the output already contains")
    inspect.set_defaults(run=_verify, make=to_inspect)
    selftest = commands.add_parser(
        "selftest", help="check this machine: correct kernels pass, wrong ones are caught, A/A timing reads 1"
    )
    selftest.set_defaults(run=_selftest)
    for command in (verify, admit, inspect, selftest):
        command.add_argument(
            "--device", default="auto", help="cuda:0, cuda:0,cuda:1, all (every GPU), cpu or auto"
        )
        command.add_argument(
            "--lanes", type=int, default=1, help="parallel jobs on the CPU; each GPU has one lane"
        )
        command.add_argument("--build-jobs", type=int, default=None)
        command.add_argument("--sandbox", choices=("bwrap", "none"), default="bwrap")
        command.add_argument(
            "--cache-dir", type=Path, default=CACHE_DIR, help=f"built extensions (default: {CACHE_DIR})"
        )
    return parser


def _engine(options: argparse.Namespace) -> Engine:
    return Engine(options.device, options.cache_dir, options.build_jobs, options.sandbox, options.lanes)


def _selftest(options: argparse.Namespace) -> int:
    with _engine(options) as engine:
        result = engine.selftest()
    sys.stdout.write(json.dumps({"passed": result.passed, "checks": result.checks}, indent=1) + "\n")
    return 0 if result.passed else 1


def _verify(options: argparse.Namespace) -> int:
    finished = _finished(options.output) if options.resume else Counter()
    with (
        options.jobs.open(encoding="utf-8", errors="replace") as lines,
        options.output.open("a" if options.resume else "w", encoding="utf-8") as output,
        _engine(options) as engine,
    ):
        progress = _Progress(output, finished)
        jobs = read_jobs(lines, options.profile, progress.refuse, options.make)
        for report in engine.verify_many(job for job in jobs if not progress.has(job.id)):
            progress.take(report)
    progress.finish()
    return 0


def _finished(path: Path) -> Counter[str]:
    """Return how many complete lines of an earlier run each id has: lines that are no jobs may have another's. A
    truncated last line is removed from the file."""
    if not path.exists():
        return Counter()
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        path.write_bytes(whole)
    ids = Counter[str]()
    for line in whole.splitlines():
        try:
            ids[str(json.loads(line)["id"])] += 1
        except (ValueError, KeyError, TypeError):
            continue
    return ids


def as_given(data: Any) -> Any:
    """Return the job unchanged."""
    return data


def to_inspect(data: Any) -> Any:
    """Return the job with inspection turned on."""
    return {**data, "inspect": True} if isinstance(data, dict) else data


def reference_as_candidate(data: Any) -> Any:
    """Return a job whose candidate is its own reference, so that the report describes the task alone."""
    if not isinstance(data, dict) or not isinstance(data.get("reference"), str):
        raise ContractError("a task must be an object with id and reference")
    candidate = data["reference"] + "\n\n\nclass ModelNew(Model):\n    pass\n"
    profile = {"profile": as_admission(data["profile"])} if "profile" in data else {}
    return {**data, "candidate": candidate, "language": Language.AUTO.value, **profile}


def as_admission(profile: Any) -> Any:
    """Return the profile under the name `admission`, so that its report is not mistaken for a kernel's."""
    changes = profile if isinstance(profile, dict) else {"base": profile}
    return {**changes, "name": ADMISSION}


def read_jobs(lines: Any, profile: Any, refuse: Any, make: Callable[[Any], Any] = as_given) -> Iterator[Job]:
    """Yield the jobs of a JSON Lines file; call `refuse(line_number, id, reason)` for each line that is not a job."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        data: Any = None
        try:
            if len(line) > MAX_LINE_CHARS:
                raise ContractError(f"the line has {len(line)} characters; at most {MAX_LINE_CHARS}")
            data = json.loads(line)
            yield Job.from_dict(make(data), profile)
        except (ValueError, RecursionError) as error:
            name = data.get("id") if isinstance(data, dict) else None
            refuse(number, name if isinstance(name, str) and name.strip() else f"line {number}", str(error))


class _Progress:
    """Writes each report as it arrives and prints a progress line to stderr."""

    def __init__(self, output: TextIO, finished: Counter[str]) -> None:
        """Store where reports go, and how many an earlier run has written there, by id."""
        self._output, self._counts, self._started = output, dict[str, int](), time.monotonic()
        self._finished = finished
        self._lock = threading.Lock()

    def has(self, name: str) -> bool:
        """Return whether an earlier run has written a report of this id that no line before this one accounts for."""
        self._finished[name] -= 1
        return self._finished[name] >= 0

    def take(self, report: Report) -> None:
        self._write(report.to_dict())
        speedup = f" {report.timing.speedup.median:.2f}x" if report.timing else ""
        first_line = report.detail.partition("\n")[0][:140]
        _say(
            f"[{sum(self._counts.values())}] {report.id} {report.outcome}{speedup} {report.seconds['total']:.1f}s "
            f"{first_line}"
        )

    def refuse(self, number: int, name: str, reason: str) -> None:
        """Write a report for a line that is not a job, so that every line of the input has one."""
        if self.has(name[:200]):
            return
        text = f"line {number}: {reason}"
        self._write({"id": name[:200], "outcome": "infra_error", "detail": text[:4000], "sandbox": "none"})
        _say(text[:300])

    def _write(self, form: dict[str, Any]) -> None:
        with self._lock:
            self._output.write(json.dumps(form) + "\n")
            self._output.flush()
            self._counts[form["outcome"]] = self._counts.get(form["outcome"], 0) + 1

    def finish(self) -> None:
        counts = ", ".join(f"{count} {name}" for name, count in sorted(self._counts.items()))
        _say(
            f"{sum(self._counts.values())} reports in {time.monotonic() - self._started:.0f} s: {counts or 'none'}"
        )


def _say(text: str) -> None:
    sys.stderr.write(printable(text) + "\n")  # ids and errors may hold what a terminal obeys
    sys.stderr.flush()
