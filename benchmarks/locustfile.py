"""The people of a load test: readers, annotators, downloads and programs, as users of locust.

    CONCUR_LOAD_PLAN=PLAN.json locust --headless --only-summary -f benchmarks/locustfile.py

`benchmarks/_people.py` writes the plan and reads the times and failures per kind of request that are left in the
plan's `answer` file: locust's own statistics round their percentiles.
"""

import json
import os
import random
import re
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import gevent
from locust import FastHttpUser, events, task
from locust.env import Environment

PLAN = json.loads(Path(os.environ["CONCUR_LOAD_PLAN"]).read_text())
TOKEN = "a" * 32
FIELD = re.compile(r'name="(key|seen|rubric|draft)" value="([^"]+)"')
SAMPLE = re.compile(r"/review/[0-9a-f-]{36}/")
BLOCK_BYTES = 256 * 1024
SLOW_BYTES_A_SECOND = 2 * 2**20
STARTED = time.time()
COUNTED_FROM = STARTED + PLAN["warm_up_seconds"]
COUNTED_UNTIL = COUNTED_FROM + PLAN["seconds"]

times: dict[str, list[float]] = defaultdict(list)
answered: Counter[str] = Counter()  # from the first to the last request, whether counted or not
errors: list[str] = []
environments: list[Environment] = []
downloaded_bytes = 0
wanted = set(PLAN.get("until", []))  # the run ends once each of these kinds was answered


@events.request.add_listener
def took(name: str, response_time: float, start_time: float, exception: Any, url: str = "", **_: Any) -> None:
    if name in wanted:
        wanted.discard(name)
        if not wanted:
            gevent.spawn(environments[0].runner.quit)
    if exception:
        errors.append(f"{name}: {url.removeprefix(PLAN['host'])} {exception!r}")
        return
    answered[name] += 1
    if COUNTED_FROM <= start_time < COUNTED_UNTIL:
        times[name].append(response_time)


@events.init.add_listener
def keep(environment: Environment, **_: Any) -> None:
    environments.append(environment)


@events.quitting.add_listener
def write_answer(**_: Any) -> None:
    answer = {
        "times_ms": times,
        "answered": answered,
        "errors": errors,
        "downloaded_mb": round(downloaded_bytes / 2**20),
        "cores_used": round(time.process_time() / (time.time() - STARTED), 2),
    }
    Path(PLAN["answer"]).write_text(json.dumps(answer))


class Person(FastHttpUser):
    """One browser with a session of its own; the first wait is a random part of a pause."""

    abstract = True
    host = PLAN["host"]
    network_timeout = connection_timeout = 60.0
    role = ""

    def on_start(self) -> None:
        session = PLAN["sessions"][self.role].pop()
        self.headers = {
            "Cookie": f"{PLAN['session_cookie']}={session}; {PLAN['csrf_cookie']}={TOKEN}",
            "X-CSRFToken": TOKEN,
            "Referer": f"{PLAN['host']}/",
            "Accept-Encoding": "identity",
        }
        gevent.sleep(random.uniform(0, PLAN["think_seconds"][self.role][1]))

    def wait_time(self) -> float:
        return random.uniform(*PLAN["think_seconds"][self.role])

    def ask(self, kind: str, path: str, form: dict[str, str] | None = None) -> Any:
        """Return the answer, not redirected; an answer that is neither a page nor a redirection is a failure."""
        method = "GET" if form is None else "POST"
        with self.client.request(
            method,
            path,
            data=form,
            name=kind,
            headers=self.headers,
            allow_redirects=False,
            catch_response=True,
        ) as answer:
            if answer.status_code == 302:
                answer.success()
            return answer


class Reader(Person):
    role = "reader"
    fixed_count = len(PLAN["sessions"]["reader"])
    abstract = not fixed_count

    @task
    def page(self) -> None:
        kind = random.choice(list(PLAN["paths"]))
        self.ask(kind, random.choice(PLAN["paths"][kind]))


class Annotator(Person):
    """Takes the queue's next sample, autosaves some drafts, submits the review."""

    role = "annotator"
    fixed_count = len(PLAN["sessions"]["annotator"])
    abstract = not fixed_count

    def on_start(self) -> None:
        super().on_start()
        self.path = ""

    @task
    def review(self) -> None:
        if not SAMPLE.match(self.path):  # at the start, and an empty queue leads to its own page
            self.path = self.location(self.ask("next sample", PLAN["next"], {}))
            if not SAMPLE.match(self.path):
                return
        text = self.ask("review page", self.path).text or ""
        fields = dict(FIELD.findall(text)) | {
            "verdict": random.choice(("accept", "fix", "reject")),
            "correctness": "4",
        }
        for number in range(PLAN["drafts_a_review"]):
            self.wait()
            draft = f"{self.path.partition('?')[0]}draft/"
            self.ask("draft", draft, fields | {"comment": f"so far {number}"})
        self.wait()
        answer = self.ask("submit a review", self.path, fields | {"comment": "Reads well."})
        self.path = self.location(answer)

    @staticmethod
    def location(answer: Any) -> str:
        return (answer.headers or {}).get("location", "")


class Download(Person):
    """Downloads one file again and again: at the plan's speed, else half of the clients at full speed, half slowly."""

    role = "download"
    fixed_count = len(PLAN["sessions"]["download"])
    abstract = not fixed_count

    def on_start(self) -> None:
        is_slow = len(PLAN["sessions"]["download"]) % 2 == 1
        self.kind = "download, slow" if is_slow else "download, fast"
        self.bytes_a_second = SLOW_BYTES_A_SECOND if is_slow else 0
        if "download_bytes_a_second" in PLAN:
            self.kind, self.bytes_a_second = "download, held", PLAN["download_bytes_a_second"]
        super().on_start()

    @task
    def file(self) -> None:
        global downloaded_bytes
        begun = time.perf_counter()
        with self.client.get(
            PLAN["file"], name=self.kind, headers=self.headers, stream=True, catch_response=True
        ) as answer:
            left = total = int((answer.headers or {}).get("content-length", 0))
            while left and (block := answer.stream.read(min(BLOCK_BYTES, left))):
                left -= len(block)
                downloaded_bytes += len(block)
                gevent.sleep(self.ahead_by(total - left, begun))
            answer.request_meta["response_time"] = (time.perf_counter() - begun) * 1000
            if left:
                answer.failure(f"{left} bytes are missing")

    def ahead_by(self, count: int, begun: float) -> float:
        """Return the seconds until this client would have `count` bytes at its speed."""
        if not self.bytes_a_second:
            return 0
        return max(0.0, begun + count / self.bytes_a_second - time.perf_counter())


class Program(Person):
    """A program with a token that asks for verifications and uploads files, so that the workers have work."""

    role = "program"
    fixed_count = len(PLAN["sessions"]["program"])
    abstract = not fixed_count

    def on_start(self) -> None:
        super().on_start()
        self.headers = {"Authorization": f"Bearer {PLAN['token']}"}
        self.uploads = 0

    @task
    def verify(self) -> None:
        self.post("ask for a verification", "/api/v1/verifications/", json=random.choice(PLAN["verify"]))

    @task
    def upload(self) -> None:
        self.uploads += 1
        rows = [row | {"reasoning": f"Upload {self.uploads}. {row['reasoning']}"} for row in PLAN["upload"]]
        boundary = "0123456789abcdef"
        parts = {
            'name="source"': "uploaded by a program",
            'name="file"; filename="rows.jsonl"': "\n".join(json.dumps(row) for row in rows),
        }
        body = "".join(
            f"--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n{text}\r\n"
            for head, text in parts.items()
        )
        kind = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        self.post("upload a file", "/api/v1/ingests/", data=f"{body}--{boundary}--\r\n", headers=kind)

    def post(self, kind: str, path: str, headers: dict[str, str] | None = None, **body: Any) -> None:
        self.client.post(path, name=kind, headers=self.headers | (headers or {}), **body)
