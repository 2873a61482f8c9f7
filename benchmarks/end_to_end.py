"""Takes tasks from synthesis to an export by the site's own commands: python -m benchmarks end_to_end [--tasks 50]

A server of recorded answers stands for the model: of four candidates of a task one is right, one wrong, one holds no
program, one fails when it is called. Turns that start by themselves take what failed further, with a recorded judge's
advice, until everything passed. Programs are plain PyTorch, so that a machine without a GPU can verify them. Everything
lies in a folder that is deleted at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks._recorded_answers import answer, tasks
from benchmarks._results import write_figures
from tests.synthesize.model_server import model_server, streams

ROOT = Path(__file__).parent.parent
RECIPE = {
    "name": "fast-enough",
    "title": "What passed",
    "rules": [{"rule": "outcome"}],
    "splits": {"train": 90, "validation": 5, "test": 5},
    "seed": 1,
}
# Passing is good enough: how fast plain PyTorch is beside itself is no matter of this benchmark.
LOOP = (
    *("--policy", "serial", "--most-turns", "5", "--until", "0", "--told-turns", "2"),
    *("--judge-endpoint", "recorded", "--judge-model", "recorded-judge"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=50)
    parser.add_argument("--per-task", type=int, default=4)
    parser.add_argument("-o", "--output", type=Path, help="a JSON file for the figures")
    options = parser.parse_args()
    began = datetime.now(UTC).isoformat(timespec="seconds")
    with (
        tempfile.TemporaryDirectory() as folder,
        model_server(lambda handler, request: streams(answer(request))(handler, request)) as server,
    ):
        site = Site(Path(folder), server.url)
        run(site, options.tasks, options.per_task)
    found = {"began_at": began, "tasks": options.tasks, "per_task": options.per_task, "cores": os.cpu_count()}
    found |= {"load_average": os.getloadavg()[0], "stages": site.stages}
    print(f"{sum(stage['seconds'] for stage in site.stages):.0f} s in all")
    if options.output:
        write_figures(found, options.output)


class Site:
    """A data folder of its own, and what each stage took and said."""

    def __init__(self, folder: Path, endpoint: str) -> None:
        """Store where the data lie and where the model is."""
        self.folder = folder
        self.environment = {
            **os.environ,
            "CONCUR_DATA_DIR": str(folder),
            "CONCUR_ENDPOINTS": f"recorded={endpoint}",
        }
        self.stages: list[dict[str, Any]] = []

    def do(self, stage: str, *arguments: str) -> dict[str, Any]:
        """Run a command of the site, and return the JSON on the last line that it prints, if there is one."""
        started = time.monotonic()
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        last = (done.stdout.strip().splitlines() or [""])[-1]
        said: dict[str, Any] = json.loads(last) if last.startswith("{") else {}
        seconds = round(time.monotonic() - started, 1)
        command = " ".join(arguments).replace(str(self.folder), "FOLDER")
        kept = {name: value for name, value in said.items() if not isinstance(value, list)}
        self.stages.append({"stage": stage, "seconds": seconds, "command": command, "said": kept})
        print(f"{stage:28} {seconds:7.1f} s  {last[:150]}", flush=True)
        return said


def run(site: Site, count: int, per_task: int) -> None:
    rows, recipe = site.folder / "tasks.jsonl", site.folder / "recipe.json"
    rows.write_text("".join(json.dumps(row) + "\n" for row in tasks(count)))
    recipe.write_text(json.dumps(RECIPE))
    site.do("set up", "migrate", "--verbosity", "0")
    site.do("ingest tasks", "ingest", str(rows), "--source", "recorded")
    asked = ("--endpoint", "recorded", "--model", "recorded", "--per-task", str(per_task), "--seed", "0")
    first = site.do("synthesis", "synthesize", "start", "first", *asked, "--verify", "none")
    assert sum(first[state] for state in ("stored", "refused", "failed", "waiting")) == count * per_task
    site.do("verification", "verify", "--query", "source:first", "--wait")
    turns = site.do("turns", "turns", "start", "first", *LOOP, "--wait")
    assert (turns["ended_by"], turns["turns"]) == ("good_enough", 3)
    run = site.do("the run", "runs", "show", "first")
    assert run["outcomes"] == {"passed": count * per_task}
    site.do("its table", "runs", "show", "first", "--table", "generators")
    site.do("evaluation of its first turn", "evaluate", "first", "--suite", "Recorded", "-k", "1", "4")
    board = site.do("leaderboard", "leaderboard", "--suite", "Recorded", "-k", str(per_task), "--by", "right")
    assert (len(board["runs"]), board["tasks"]) == (3, count)
    site.stages[-1]["said"]["runs"] = board["runs"]
    site.do("curation", "recipes", "import", str(recipe))
    site.do("release", "release", "create", "end-to-end", "--recipe", RECIPE["name"], "--wait")
    site.do("export", "export", "end-to-end", "--format", "parquet", "--out", str(site.folder / "out"))


if __name__ == "__main__":
    main()
