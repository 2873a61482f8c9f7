"""Measures bulk actions over a whole result: duration, memory, and how long readers wait meanwhile.

    python -m benchmarks bulk_speed --rows 100000 --text-kb 12
    python -m benchmarks bulk_speed --rows 100000 --text-kb 12 --database postgresql

Fills its own database as browse_speed.py does (`--folder` keeps and reuses it) and starts a Redis and the
site's worker on it. Each verb is requested over all samples, as the page does, while another process reads
list pages; then it is undone if possible. Writes benchmarks/results/bulk_speed-<vendor>-<rows>.json.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks._database import (
    add_database,
    circumstances,
    filled,
    leave_maintenance,
    open_database,
)
from benchmarks._results import write_figures
from benchmarks._server import redis_server, site_worker

LONGEST_READ_MS = 200
POLL_SECONDS = 0.2
VERBS: list[tuple[str, dict[str, str]]] = [
    ("tag", {"tag": "bench"}),
    ("assign", {"reviewer": "bench"}),
    ("recipe", {"recipe": "bench"}),
    ("export", {}),
    ("verify", {"profile": "quick"}),
]
RECIPE = {"version": 1, "seed": 0, "rules": [{"rule": "outcome", "outcomes": ["passed"]}]}
SEARCHED = "code=__global__"  # a filter that is expensive on every evaluation


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_database(parser)
    parser.add_argument("--plain", action="store_true", help="fill by plain INSERTs, which is quicker")
    parser.add_argument("--only", default="", help="verbs whose name holds this; nothing is written then")
    return parser.parse_args()


@contextmanager
def reader() -> Iterator[dict[str, Any]]:
    """Read pages during the block; the measurements are complete when the block ends."""
    seen: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="reader-") as folder:
        answer, stop = Path(folder, "seen.json"), Path(folder, "stop")
        script = Path(__file__).with_name("_page_reader.py")
        process = subprocess.Popen([sys.executable, script, answer, stop], stderr=subprocess.DEVNULL)
        time.sleep(4)
        try:
            yield seen
        finally:
            stop.touch()
            process.wait(timeout=120)
            seen |= json.loads(answer.read_text())


# --- One action -------------------------------------------------------------------------------------------------


def tree_mb(pid: int) -> float:
    """Return the resident memory of a process and its children, which share their parent's pages."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20 + sum(tree_mb(int(child)) for child in children)


def until_done(bulk: Any, worker: subprocess.Popen[bytes]) -> float:
    """Wait for the action and return the worker's peak memory."""
    peak = 0.0
    while not bulk.is_finished:
        assert worker.poll() is None, "the worker ended"
        peak = max(peak, tree_mb(worker.pid))
        time.sleep(POLL_SECONDS)
        bulk.refresh_from_db()
    assert not bulk.error, bulk.error
    return round(peak)


def measured(ask: Any, worker: subprocess.Popen[bytes]) -> tuple[Any, dict[str, Any]]:
    """Request an action and wait for it. `asked_ms` is how long the person waits for the page."""
    with reader() as seen:
        begun = time.perf_counter()
        bulk = ask()
        asked = time.perf_counter()
        peak_mb = until_done(bulk, worker)
        ended = time.perf_counter()
    figures = {
        "samples": bulk.total,
        "changed": bulk.changed,
        "asked_ms": round((asked - begun) * 1000),
        "seconds": round(ended - begun, 1),
        "worker_peak_mb": peak_mb,
        "readers": seen,
    }
    print(f"{bulk.action:8}{'' if bulk.query == '' else '*'} {json.dumps(figures)}", flush=True)
    return bulk, figures


def time_verbs(given: argparse.Namespace, worker: subprocess.Popen[bytes]) -> None:
    from datasets_app.bulk import Target, UndoableVerb, start, undo
    from datasets_app.bulk.verb import VERBS as KNOWN

    actor, timings = person(), {}
    cases = [(name, name, params, "") for name, params in VERBS]
    cases.insert(1, ("tag, over a search in code", "tag", {"tag": "searched"}, SEARCHED))
    for case, name, params, query in cases:
        if given.only not in case:
            continue
        bulk, figures = measured(
            lambda name=name, params=params, query=query: start(actor, name, Target.of_query(query), params),
            worker,
        )
        timings[case] = figures
        if isinstance(KNOWN[name], UndoableVerb):
            _, timings[f"{case}, undone"] = measured(lambda bulk=bulk: undo(actor, bulk), worker)
        if not given.only:
            write(given, timings)  # an interrupted run keeps its measurements so far


def person() -> Any:
    """Return a curator with a recipe of their own."""
    from django.contrib.auth.models import Group, User

    from datasets_app.accounts.actor import account
    from datasets_app.accounts.roles import Role
    from datasets_app.curate import recipes
    from datasets_app.models import Recipe

    person = User.objects.get_or_create(username="bench")[0]
    person.groups.add(Group.objects.get(name=Role.CURATOR.value))
    if not Recipe.objects.filter(name="bench").exists():
        recipes.save(account(person), RECIPE, name="bench")
    return account(person)


def main() -> None:
    given = arguments()
    with ExitStack() as stack:
        queue = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bulk-redis-")))
        os.environ["REDIS_URL"] = stack.enter_context(redis_server(queue))
        open_database(given, stack)
        filled(given)
        leave_maintenance()
        person()
        worker = stack.enter_context(site_worker())
        time_verbs(given, worker)


def write(given: argparse.Namespace, figures: dict[str, Any]) -> None:
    result = circumstances(given) | {
        "load_average": [round(value, 1) for value in os.getloadavg()],
        "longest_read_allowed_ms": LONGEST_READ_MS,
        "verbs": figures,
    }
    write_figures(result, f"bulk_speed-{given.database}-{given.rows}")


if __name__ == "__main__":
    main()
