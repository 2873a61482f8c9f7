"""A round: a seeded sequence of user actions and faults, after which everything is healed and drained."""

import random
import signal
import time
import uuid
from collections.abc import Callable
from typing import Any

from eval_app.broker.celery_app import message_list
from tests.faults.site import FaultySite
from tests.ingest.conftest import concur_row

STEPS = 18
FAULTS = 5
ROWS_A_FILE = 25
HANG_SECONDS = (0.5, 3.0)
QUEUE = message_list("cpu", 0)


class Round:
    """One round. Its lists hold what the site accepted: all of it must exist at the end, once."""

    def __init__(self, site: FaultySite, seed: int) -> None:
        self.site = site
        self.some = random.Random(seed)
        self.said: list[str] = []  # the sequence, to diagnose a failure
        self.reviews: dict[str, str] = {}
        self.verifications: set[str] = set()
        self.files: dict[str, list[dict[str, Any]]] = {}
        self.releases: list[str] = []
        self.messages: list[bytes] = []  # to be delivered again, late
        prepared = site.hand("prepare")
        self.samples: list[str] = prepared["samples"]
        site.token = prepared["token"]

    def run(self) -> None:
        """Run actions, with faults at seeded positions."""
        self.site.start_all()
        self.site.ask("POST", "/api/v1/recipes/", {"name": "everything", "definition": {"rules": []}})
        faulty = set(self.some.sample(range(2, STEPS), FAULTS))
        for step in range(STEPS):
            deed = self.some.choice(self.faults() if step in faulty else self.actions())
            self.said.append(deed.__name__)
            deed()
            time.sleep(self.some.uniform(0, 0.3))  # lets work overlap with the next step
        self.heal()

    def heal(self) -> None:
        if "redis" in self.site.running:
            self.site.send("redis", signal.SIGCONT)
        self.site.start_all()
        self.say_again_late()
        self.site.wait_for(self.is_drained, "everything that was asked for ends")

    def is_drained(self) -> bool:
        open_rows = 0
        for table in ("datasets_app_verification", "datasets_app_ingest", "datasets_app_release"):
            open_rows += len(self.unfinished(table))
        for table in ("datasets_app_export", "datasets_app_maintenancerun"):
            open_rows += len(self.unfinished(table))
        return not open_rows

    def unfinished(self, table: str) -> list[dict[str, Any]]:
        return [row for row in self.site.rows.rows(table) if row["state"] in ("queued", "running")]

    # --- what people do ---

    def actions(self) -> list[Callable[[], None]]:
        return [self.verify, self.verify, self.verify, self.review, self.review, self.ingest, self.freeze]

    def verify(self) -> None:
        wish = {"sample": self.some.choice(self.samples), "device": "cpu"}
        wish["profile"] = self.some.choice(["quick", "standard"])
        status, row = self.site.ask("POST", "/api/v1/verifications/", wish)
        if status == 202:
            self.verifications.add(row["id"])

    def review(self) -> None:
        """Send a review, again with the same key if there was no answer, as the page does."""
        key = str(uuid.UUID(int=self.some.getrandbits(128), version=4))
        scores = {"scores": {"correctness": 3}}
        sample = self.some.choice(self.samples)
        wish = {"sample": sample, "verdict": "reject", "comment": f"seeded {key}", "key": key, **scores}
        for _ in range(2):
            status, _ = self.site.ask("POST", "/api/v1/reviews/", wish)
            if status in (200, 201):
                self.reviews[key] = sample

    def ingest(self) -> None:
        first = 1000 + ROWS_A_FILE * len(self.said)
        rows = [concur_row(first + number) for number in range(ROWS_A_FILE)]
        status, row = self.site.upload(f"rows-{first}.jsonl", rows)
        if status == 202:
            self.files[row["id"]] = rows

    def freeze(self) -> None:
        name = f"release-{len(self.said)}"
        status, _ = self.site.ask("POST", "/api/v1/releases/", {"name": name, "recipe": "everything"})
        if status == 202:
            self.releases.append(name)

    # --- what breaks ---

    def faults(self) -> list[Callable[[], None]]:
        return [
            self.kill_worker,
            self.kill_sweeper,
            self.kill_redis,
            self.kill_site,
            self.hang_redis,
            self.flush_redis,
            self.double_a_message,
        ]

    def kill_worker(self) -> None:
        self.kill_and_start("worker")

    def kill_sweeper(self) -> None:
        self.kill_and_start("sweeper")

    def kill_redis(self) -> None:
        self.kill_and_start("redis")

    def kill_site(self) -> None:
        self.kill_and_start("site")

    def kill_and_start(self, name: str) -> None:
        self.site.kill(name)
        if self.some.random() < 0.5:
            self.verify()  # while it is down
        self.site.start(name)

    def hang_redis(self) -> None:
        self.site.send("redis", signal.SIGSTOP)
        self.verify()
        time.sleep(self.some.uniform(*HANG_SECONDS))
        self.site.send("redis", signal.SIGCONT)

    def flush_redis(self) -> None:
        self.site.redis.flushall()

    def double_a_message(self) -> None:
        """Deliver a waiting message twice, and once more at the very end."""
        self.verify()
        if message := self.site.redis.lindex(QUEUE, 0):
            self.site.redis.lpush(QUEUE, message)
            self.messages.append(message)

    def say_again_late(self) -> None:
        for message in self.messages:
            self.site.redis.lpush(QUEUE, message)
