"""A crowd of simulated users: readers, annotators and downloads, in one asyncio loop in its own process.

    python benchmarks/_crowd.py PLAN.json ANSWER.json

The plan holds the port, seconds, paths and session keys; the answer holds the times and failures per kind of
request.
"""

import asyncio
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

TOKEN = "a" * 32
FIELD = re.compile(r'name="(key|seen|rubric)" value="([^"]+)"')
SAMPLE = re.compile(r"/review/[0-9a-f-]{36}/")
BLOCK_BYTES = 256 * 1024
SLOW_BYTES_A_SECOND = 2 * 2**20
FAST_PAUSE_SECONDS = 1.0
ANSWER_WITHIN_SECONDS = 60.0


class Client:
    """One browser: a persistent connection, a session, and the times of its requests."""

    def __init__(self, crowd: "Crowd", session: str) -> None:
        self.crowd, self.cookie = crowd, f"sessionid={session}; csrftoken={TOKEN}"
        self.streams: Any = None

    async def ask(self, kind: str, path: str, form: dict[str, str] | None = None) -> tuple[int, str, str]:
        """Return status, Location and text. A failure is counted and raised."""
        begun = time.perf_counter()
        try:
            status, headers = await asyncio.wait_for(self.send(path, form), ANSWER_WITHIN_SECONDS)
            body = await asyncio.wait_for(
                self.streams[0].readexactly(int(headers.get("content-length", 0))), ANSWER_WITHIN_SECONDS
            )
        except (OSError, EOFError, TimeoutError, ValueError) as error:
            self.streams = None
            self.crowd.failed(f"{kind}: {error!r}")
            raise FailedError from error
        self.crowd.took(kind, begun, time.perf_counter())
        if status not in (200, 302):
            self.crowd.failed(f"{kind}: {status}")
            raise FailedError
        self.crowd.answered[kind] += 1
        if headers.get("connection") == "close":
            self.streams = None
        return status, headers.get("location", ""), body.decode(errors="replace")

    async def send(self, path: str, form: dict[str, str] | None) -> tuple[int, dict[str, str]]:
        from urllib.parse import urlencode

        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.crowd.port)
        reader, writer = self.streams
        body = urlencode(form).encode() if form is not None else b""
        method = "GET" if form is None else "POST"
        extra = (
            f"X-CSRFToken: {TOKEN}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            if form is not None
            else ""
        )
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {self.cookie}\r\n{extra}"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head[1:] if line)
        }
        return int(head[0].split()[1]), headers


class FailedError(Exception):
    """The request failed; it is already counted."""


class Crowd:
    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan, self.port = plan, plan["port"]
        self.random = random.Random(plan["seed"])
        self.begun = time.perf_counter()
        self.counted_from = self.begun + plan["warm_up_seconds"]
        self.until = self.counted_from + plan["seconds"]
        self.times: dict[str, list[float]] = defaultdict(list)
        self.answered: Counter[str] = Counter()  # from the first to the last request, whatever was counted
        self.errors: list[str] = []
        self.downloaded = 0

    def took(self, kind: str, begun: float, ended: float) -> None:
        if self.counted_from <= begun < self.until:
            self.times[kind].append((ended - begun) * 1000)

    def failed(self, what: str) -> None:
        self.errors.append(what)

    async def think(self, kind: str) -> None:
        low, high = self.plan["think_seconds"][kind]
        await asyncio.sleep(self.random.uniform(low, high))

    @property
    def is_over(self) -> bool:
        return time.perf_counter() >= self.until

    async def repeat(self, person: Any, kind: str, session: str) -> None:
        """Simulate one person until the end, starting at a random moment of the first pause."""
        client = Client(self, session)
        await asyncio.sleep(self.random.uniform(0, self.plan["think_seconds"][kind][1]))
        while not self.is_over:
            try:
                await person(client)
            except FailedError:
                await asyncio.sleep(1)

    async def reader(self, client: Client) -> None:
        kind = self.random.choice(list(self.plan["paths"]))
        await client.ask(kind, self.random.choice(self.plan["paths"][kind]))
        await self.think("reader")

    async def annotator(self, client: Client) -> None:
        """Take the next sample, autosave some drafts, submit the review."""
        _, path, _ = await client.ask("next sample", self.plan["next"], {})
        while SAMPLE.match(path) and not self.is_over:  # an empty queue leads to its own page
            _, _, text = await client.ask("review page", path)
            verdict = self.random.choice(("accept", "fix", "reject"))
            fields = dict(FIELD.findall(text)) | {"verdict": verdict, "correctness": "4"}
            here = path.partition("?")[0]
            for number in range(self.plan["drafts_a_review"]):
                await self.think("annotator")
                await client.ask("draft", f"{here}draft/", fields | {"comment": f"so far {number}"})
            await self.think("annotator")
            _, path, _ = await client.ask("submit a review", path, fields | {"comment": "Reads well."})

    async def download(self, number: int) -> None:
        """Download repeatedly: half of the clients at full speed, half slowly."""
        slow, session = number % 2, self.plan["sessions"]["reader"][number]
        while not self.is_over:
            client, begun = Client(self, session), time.perf_counter()
            try:
                status, headers = await client.send(self.plan["file"], None)
                left = int(headers["content-length"])
                while left and not self.is_over:
                    block = await client.streams[0].read(min(BLOCK_BYTES, left))
                    if not block:
                        raise EOFError(f"{left} bytes are missing")
                    left -= len(block)
                    self.downloaded += len(block)
                    await asyncio.sleep(len(block) / SLOW_BYTES_A_SECOND if slow else 0)
            except (OSError, EOFError, KeyError) as error:
                self.failed(f"download: {error!r}")
                continue
            finally:
                if client.streams:
                    client.streams[1].close()
            if status != 200:
                self.failed(f"download: {status}")
            if not left:
                self.took("download, slow" if slow else "download, fast", begun, time.perf_counter())
            await asyncio.sleep(FAST_PAUSE_SECONDS)

    async def run(self) -> None:
        sessions = self.plan["sessions"]
        await asyncio.gather(
            *(self.repeat(self.reader, "reader", key) for key in sessions["reader"]),
            *(self.repeat(self.annotator, "annotator", key) for key in sessions["annotator"]),
            *(self.download(number) for number in range(self.plan["downloads"])),
        )


def main() -> None:
    plan, answer = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    crowd = Crowd(plan)
    asyncio.run(crowd.run())
    result = {
        "times_ms": crowd.times,
        "answered": crowd.answered,
        "errors": crowd.errors,
        "downloaded_mb": round(crowd.downloaded / 2**20),
    }
    answer.write_text(json.dumps(result))


if __name__ == "__main__":
    main()
