"""Measures jobs per minute on 1, 2 and 4 lanes (GPUs if there are several, else on the CPU), and the limit.

    python -m benchmarks scaling -o benchmarks/results/NAME.json [--jobs 96] [--rows cuda_l1_h100.jsonl]

The programs are the CUDA kernels of the demo pack, each as often as `--jobs` asks for, or the rows of CUDA-L1's file.
Every count gets the same ones and a cache that already holds all their builds, so that the figures are about lanes.
The limit named is the busiest resource: lanes (more of them would help), scouts, or compilers.
"""

import argparse
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks._engine_runs import Run, cuda_l1_jobs, demo_jobs, print_run, run_batch, write_result
from eval_app.engine.hardware.device import gpu_count

COUNTS = (1, 2, 4)


def main() -> None:
    """Fill the cache, then run each count once."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=Path, help="CUDA-L1's JSON Lines file")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--profile", default="quick")
    parser.add_argument("--jobs", type=int, default=96)
    parser.add_argument(
        "--counts", type=lambda text: [int(word) for word in text.split(",")], default=list(COUNTS)
    )
    options = parser.parse_args()
    if options.rows:
        programs = cuda_l1_jobs(options.rows, options.profile)[: options.jobs]
    else:
        programs = demo_jobs(options.profile)
    rounds = -(-options.jobs // len(programs))
    jobs = [replace(job, id=f"{job.id}#{n}") for n in range(rounds) for job in programs][: options.jobs]
    folder = Path(tempfile.mkdtemp(prefix="engine-scaling-"))
    runs: dict[str, Run] = {}
    try:
        widest = max(count for count in options.counts if count <= (gpu_count() or count))
        run_batch(programs, folder, **place(widest))
        for count in options.counts:
            if gpu_count() and count > gpu_count():
                print(f"{count} lanes: left out, this machine has {gpu_count()} GPUs")
                continue
            runs[str(count)] = run_batch(jobs, folder, **place(count))
            print_run(f"{count} lanes", runs[str(count)])
            kernels = "cuda_l1" if options.rows else "demo"
            write_result(
                options.output, runs, profile=options.profile, kernels=kernels, speedups=speedups(runs)
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("times the smallest:", speedups(runs))


def place(count: int) -> dict:
    """Return the placement of this number of lanes."""
    if gpu_count():
        return {"device": ",".join(f"cuda:{index}" for index in range(count))}
    return {"device": "cpu", "lanes": count}


def speedups(runs: dict[str, Run]) -> dict[str, float]:
    """Return the throughput of each count over that of the first."""
    first = next(iter(runs.values())).wall_s
    return {count: round(first / run.wall_s, 2) for count, run in runs.items()}


if __name__ == "__main__":
    main()
