"""Measures engine throughput on compiled programs: CUDA-L1's rows that use load_inline, cold and warm.

    python -m benchmarks.engine_throughput cuda_l1_h100.jsonl -o benchmarks/results/NAME.json

Cold: nothing is built yet. Warm: a fresh engine on the cache of the cold run, which holds modules and
failures. Has the engine's requirements, and needs no Django. Targets on an H200 with 16 cores: cold 150 s,
warm 75 s.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

from benchmarks._engine_runs import cuda_l1_jobs, print_run, run_batch, write_result

TARGETS_S = {"cold": 150.0, "warm": 75.0}


def main() -> None:
    """Run both, print tables, write the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", type=Path, help="CUDA-L1's JSON Lines file")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--profile", default="quick")
    parser.add_argument("--build-jobs", type=int)
    parser.add_argument("--limit", type=int, help="only so many rows")
    options = parser.parse_args()
    jobs = cuda_l1_jobs(options.rows, options.profile, "load_inline")[: options.limit]
    folder = Path(tempfile.mkdtemp(prefix="engine-throughput-"))
    runs = {}
    try:
        for name in TARGETS_S:
            runs[name] = run_batch(jobs, folder, options.device, options.build_jobs)
            print_run(name, runs[name])
            facts = {"profile": options.profile, "rows": options.rows.name, "targets_s": TARGETS_S}
            write_result(options.output, runs, **facts)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
