"""Serves recorded answers as a model: python -m benchmarks recorded_model [--tasks 50]

What end_to_end does by commands can be done by pages with it, as docs/synthesis.md says. Writes the tasks to a file
that `/ingest/` takes, prints what the site's environment must name, and answers on loopback until it is interrupted.
"""

from __future__ import annotations

import argparse
import json
import signal
from pathlib import Path

from benchmarks._recorded_answers import answer, tasks
from tests.synthesize.model_server import model_server, streams


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=50)
    parser.add_argument("--file", type=Path, default=Path("recorded_tasks.jsonl"))
    options = parser.parse_args()
    signal.pthread_sigmask(
        signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM}
    )  # of the server's threads as well
    options.file.write_text("".join(json.dumps(row) + "\n" for row in tasks(options.tasks)))
    with model_server(lambda handler, request: streams(answer(request))(handler, request)) as server:
        print(f"{options.tasks} tasks are in {options.file}. Start the site with")
        print(f"CONCUR_ENDPOINTS=recorded={server.url} make run", flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    main()
