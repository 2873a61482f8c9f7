"""Measures engine throughput on programs that compile and pass, stage by stage, and the idle share of the GPU.

    python -m benchmarks engine_throughput -o benchmarks/results/NAME.json [--profile quick|standard]
        [--kernels demo|kernelbench|cuda_l1] [--rows FILE.jsonl] [--runs cold,built,warm] [--reports FILE.jsonl]

Kernels: `demo` are the CUDA kernels of the demo pack; `kernelbench` are those of `kernelbench/` on tasks of the
KernelBench file that `--rows` names; `cuda_l1` are the rows of CUDA-L1's file that use load_inline, most of which
nobody can compile. Runs, each by a fresh engine, in this order: `cold` has nothing stored; `built` has the modules of
the run before, but nothing about the tasks; `warm` has both. `--reports` keeps the reports of the last one. Needs
torch and ninja, and no Django. Held to, for its first 39 on an H200 with 16 cores: 45 s cold and 20 s warm under
quick; 2.5 s a kernel warm and 5 s built under standard.
"""

import argparse
import json
import shutil
import tempfile
from pathlib import Path

from benchmarks._engine_runs import (
    cuda_l1_jobs,
    demo_jobs,
    kernelbench_jobs,
    print_run,
    run_batch,
    write_result,
)
from eval_app.engine import Job
from eval_app.engine.orchestrator import task_store

RUNS = ("cold", "built", "warm")
TARGETS_S = {"quick": {"cold": 45.0, "warm": 20.0}, "standard": {"built": 5.0 * 39, "warm": 2.5 * 39}}


def chosen_jobs(options: argparse.Namespace) -> list[Job]:
    """Return the jobs of the chosen kernels."""
    if options.kernels == "demo":
        return demo_jobs(options.profile)
    if options.rows is None:
        raise SystemExit(f"--kernels {options.kernels} needs --rows, the file of their tasks")
    if options.kernels == "kernelbench":
        return kernelbench_jobs(options.rows, options.profile)
    return cuda_l1_jobs(options.rows, options.profile, "load_inline")


def main() -> None:
    """Run the batches, print tables, write the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--kernels", choices=("demo", "kernelbench", "cuda_l1"), default="demo")
    parser.add_argument(
        "--rows", type=Path, help="the tasks of KernelBench, or CUDA-L1's rows, as JSON Lines"
    )
    parser.add_argument("--device", default="auto")
    parser.add_argument("--profile", default="quick")
    parser.add_argument("--runs", type=lambda text: text.split(","), default=["cold", "warm"])
    parser.add_argument("--build-jobs", type=int)
    parser.add_argument("--limit", type=int, help="only so many kernels")
    parser.add_argument("--reports", type=Path, help="where the last run's reports go")
    options = parser.parse_args()
    if not set(options.runs) <= set(RUNS):
        parser.error(f"--runs names some of {', '.join(RUNS)}")
    jobs = chosen_jobs(options)[: options.limit]
    folder = Path(tempfile.mkdtemp(prefix="engine-throughput-"))
    targets_s = TARGETS_S.get(options.profile, {}) if options.kernels == "demo" and not options.limit else {}
    facts = {"profile": options.profile, "kernels": options.kernels, "targets_s": targets_s}
    runs = {}
    try:
        for name in options.runs:
            if name == "built":
                shutil.rmtree(folder / task_store.FOLDER, ignore_errors=True)
            runs[name] = run_batch(jobs, folder, options.device, options.build_jobs)
            print_run(name, runs[name])
            write_result(options.output, runs, **facts)
            if options.reports:
                lines = (json.dumps(report.to_dict()) + "\n" for report in runs[name].reports)
                options.reports.write_text("".join(lines), encoding="utf-8")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
