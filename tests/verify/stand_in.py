"""A worker process with a stand-in bench: it exercises the messages, claims and leases without the engine.

The candidate's text selects the behaviour: `sleep 2` takes two seconds, `stall` a minute in its first
attempt, `raise` fails, anything else passes. Run as `python -m tests.verify.stand_in LOG`; each verification
that ran is one line in LOG. `--gib 64` is the memory that it claims to have.
"""

import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval_app.engine import ENGINE_VERSION
from eval_app.host.assignment import Assignment
from eval_app.host.main import main


class StandInBench:
    kinds = ["cpu"]
    lanes = 2

    def __init__(self, log: Path, passes: bool = True, gib: int = 8) -> None:
        self.log, self.passes = log, passes
        self.device = {"kind": "cpu", "name": "stand-in CPU", "memory_bytes": gib * 2**30, "arch": "x86_64"}

    def run_selftest(self) -> tuple[bool, str]:
        return self.passes, "stand-in: passed" if self.passes else "stand-in: known-bad kernel passed"

    def describe(self) -> dict[str, Any]:
        return {
            "devices": [self.device],
            "versions": {"engine": ENGINE_VERSION},
            "sandbox": "none",
        }

    def verify(self, assignment: Assignment) -> dict[str, Any] | None:
        with self.log.open("a") as file:
            file.write(f"{assignment.verification} {assignment.attempt}\n")
        assignment.enter("correctness", "trial 1 of 5")
        word, _, seconds = assignment.job["candidate"].splitlines()[0].partition(" ")
        if word == "raise":
            raise RuntimeError("the bench fell over")
        stalls = word == "stall" and assignment.attempt == 1
        if assignment.cancelled.wait(60 if stalls else float(seconds) if word == "sleep" else 0.01):
            return None
        return {
            "id": assignment.sample,
            "outcome": "wrong_value",
            "detail": "stand-in",
            "device": self.device,
            "versions": {"engine": ENGINE_VERSION},
            "profile": assignment.job["profile"],
            "started_at": datetime.now(UTC).isoformat(),
        }

    def close(self) -> None:
        time.sleep(0)


if __name__ == "__main__":
    claimed = int(sys.argv[sys.argv.index("--gib") + 1]) if "--gib" in sys.argv else 8
    sys.exit(main(lambda folder: StandInBench(Path(sys.argv[1]), "--sick" not in sys.argv, claimed)))
