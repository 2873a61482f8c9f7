"""Measures 30 reviewers on one queue that wants three reviews per sample, and checks that no slot is held twice.

    python -m benchmarks reviewers --seconds 600
    python -m benchmarks reviewers --seconds 600 --database postgresql

Fills its own database (`--folder` keeps and reuses it), opens a queue over it, starts the site by `manage.py up`, and
lets one more process on loopback act as the reviewers: each takes the queue's next sample, autosaves a draft and
submits a review, with 1 to 3 s before each. Every second the votes and claims of each sample are counted; at the end
every submission that was answered must be stored once. Writes benchmarks/results/reviewers-<database>.json.
"""

import argparse
import threading
from typing import Any

from benchmarks._database import add_database, filled
from benchmarks._people import WARM_UP_SECONDS, crowd, session_keys
from benchmarks._results import record_on_database
from benchmarks._server import running_site
from benchmarks._settling import settle
from benchmarks.load import server

REVIEWERS, OVERLAP = 30, 3
THINK_SECONDS = {"annotator": (1, 3)}
TARGET_P95_MS = {"sqlite": 500, "postgresql": 200}
LOOK_SECONDS = 1.0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_database(parser)
    parser.set_defaults(rows=3_000, plain=True)
    parser.add_argument("--seconds", type=int, default=600, help="for which the reviewers are counted")
    parser.add_argument("--no-write", action="store_true", help="print the result only")
    return parser.parse_args()


def opened_queue() -> Any:
    """Open a queue over all samples, blind, with a verdict by majority."""
    from datasets_app.accounts.actor import COMMAND
    from datasets_app.models import ReviewQueue
    from datasets_app.review.queues import close_queue, create_queue, open_queue

    for earlier in ReviewQueue.objects.open():  # of an earlier run on a kept folder
        close_queue(earlier, COMMAND)
    name = f"load {ReviewQueue.objects.count() + 1}"
    fields = {"name": name, "order": "random", "overlap": OVERLAP, "policy": "majority"}
    queue = create_queue(COMMAND, fields)
    open_queue(queue, COMMAND)
    return queue


class Watch(threading.Thread):
    """Counts votes and live claims per sample while the reviewers work."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.ended = threading.Event()
        self.looks = self.most_held = 0

    def run(self) -> None:
        from django.db import connection

        while not self.ended.wait(LOOK_SECONDS):
            self.most_held = max(self.most_held, most_held())
            self.looks += 1
        connection.close()


def most_held() -> int:
    """Return the largest number of different people who have voted on one sample or hold a claim on it."""
    from datasets_app.models import Review
    from datasets_app.review.candidates import live_claims

    claims = list(live_claims().order_by().values_list("sample", "reviewer"))
    reviews = Review.objects.votes().filter(sample__in={sample for sample, _ in claims}).order_by()
    people: dict[Any, set[int]] = {}
    for sample, person in [*claims, *reviews.values_list("sample", "reviewer")]:
        people.setdefault(sample, set()).add(person)
    return max(map(len, people.values()), default=0)


def stored_reviews(since: int) -> dict[str, int]:
    from django.db.models import Count

    from datasets_app.models import Review

    new = Review.objects.filter(pk__gt=since).order_by()
    per_sample = new.values("sample").annotate(people=Count("reviewer", distinct=True), rows=Count("pk"))
    counts = list(per_sample.values_list("people", "rows"))
    return {
        "stored": new.count(),
        "samples": len(counts),
        "most_votes_of_a_sample": max((people for people, _ in counts), default=0),
        "stored_twice": sum(rows - people for people, rows in counts),
    }


def measure(given: argparse.Namespace) -> dict[str, Any]:
    from django.db import connections

    from datasets_app.models import Review

    filled(given)
    queue = opened_queue()
    last = Review.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    plan = {
        "seconds": given.seconds,
        "warm_up_seconds": WARM_UP_SECONDS,
        "think_seconds": THINK_SECONDS,
        "drafts_a_review": 1,
        "next": f"/review/next/?queue={queue.pk}",
        "sessions": {"annotator": session_keys("annotator", REVIEWERS)},
    }
    connections.close_all()
    with running_site() as (port, pid):
        settle(pid)
        watch = Watch()
        watch.start()
        report = crowd(plan | {"host": f"http://127.0.0.1:{port}"}, pid)
        watch.ended.set()
        watch.join()
    reviews = stored_reviews(last)
    submitted = report["answered"].get("submit a review", 0)
    saving = report["by_kind"]["submit a review"]
    return {
        "people": REVIEWERS,
        "overlap": OVERLAP,
        "think_seconds": THINK_SECONDS["annotator"],
        "seconds": given.seconds,
        "server": server(),
        "crowd": report,
        "reviews": reviews
        | {
            "answered": submitted,
            "lost": max(0, submitted - reviews["stored"]),
            # Sent in the last moment: the run ended before the answer came.
            "stored_unanswered": max(0, reviews["stored"] - submitted),
        },
        "most_votes_and_claims_of_a_sample": watch.most_held,
        "looks": watch.looks,
        "targets": {"save_p95_ms": TARGET_P95_MS[given.database], "votes_and_claims": OVERLAP, "lost": 0},
        "met": {
            "save_p95_ms": saving["p95_ms"] <= TARGET_P95_MS[given.database],
            "slots": max(watch.most_held, reviews["most_votes_of_a_sample"]) <= OVERLAP,
            "none_lost": submitted <= reviews["stored"] <= submitted + REVIEWERS
            and not reviews["stored_twice"],
        },
    }


def main() -> None:
    given = arguments()
    record_on_database(given, f"reviewers-{given.database}", measure)


if __name__ == "__main__":
    main()
