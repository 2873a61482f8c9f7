"""A model's endpoint: a real HTTP server on loopback that speaks OpenAI's protocol, with the faults of a test."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
Answering = Callable[[BaseHTTPRequestHandler, Json], None]
SILENCE_S = 4.0  # longer than a test lets an endpoint be silent
KERNEL = "import torch\n\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return x + {number}\n"


@dataclass
class ModelServer:
    """`answers` are used up in order; then `usual` answers."""

    port: int
    usual: Answering
    answers: list[Answering] = field(default_factory=list)
    requests: list[Json] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    at_once: int = 0
    most_at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


def block(number: int) -> str:
    return f"Here it is.\n\n```python\n{KERNEL.format(number=number)}```\n"


def chunk(delta: Json, finish: str | None = None, logprob: float | None = None, **more: Any) -> bytes:
    choice: Json = {"index": 0, "delta": delta, "finish_reason": finish}
    if logprob is not None:
        token = {"token": "x", "logprob": logprob, "bytes": None, "top_logprobs": []}
        choice["logprobs"] = {"content": [token], "refusal": None}
    form = {
        "id": "x",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
        **more,
    }
    return b"data: " + json.dumps(form).encode() + b"\n\n"


def begin(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Connection", "close")
    handler.end_headers()


def streams(
    content: str,
    reasoning: str = "",
    finish: str = "stop",
    usage: bool = True,
    reasoning_as: str = "reasoning_content",
    logprobs: Sequence[float] = (),
    **also: object,
) -> Answering:
    """Answer with these texts in parts. Its usage counts 7 tokens of the prompt, 11 of the answer, and has `also`."""

    def answer(handler: BaseHTTPRequestHandler, request: Json) -> None:
        begin(handler)
        for start in range(0, len(reasoning), 20):
            handler.wfile.write(chunk({reasoning_as: reasoning[start : start + 20]}))
        for start in range(0, len(content), 20):
            handler.wfile.write(chunk({"content": content[start : start + 20]}))
        for logprob in logprobs:
            handler.wfile.write(chunk({"content": ""}, logprob=logprob))
        handler.wfile.write(chunk({}, finish))
        if usage:
            counted = {"prompt_tokens": 7, "completion_tokens": 11, "total_tokens": 18}
            handler.wfile.write(chunk({}, None, usage={**counted, **also}))
        handler.wfile.write(b"data: [DONE]\n\n")

    return answer


def by_seed(handler: BaseHTTPRequestHandler, request: Json) -> None:
    """Answer with a kernel of the request's own seed."""
    streams(block(request["seed"]), f"Thinking of {request['seed']}.")(handler, request)


def status(code: int, text: str = '{"error": {"message": "no"}}', **headers: str) -> Answering:
    def answer(handler: BaseHTTPRequestHandler, request: Json) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text.encode())

    return answer


def after_s(seconds: float, then: Answering) -> Answering:
    def answer(handler: BaseHTTPRequestHandler, request: Json) -> None:
        time.sleep(seconds)
        then(handler, request)

    return answer


def each_once(faults: Sequence[Answering]) -> Answering:
    """Meet the first try of the first candidates with these faults, one each, and answer everything else."""
    seen: set[tuple[int, str]] = set()
    waiting, lock = list(faults), threading.Lock()

    def answer(handler: BaseHTTPRequestHandler, request: Json) -> None:
        candidate = (request["seed"], request["messages"][-1]["content"])
        with lock:
            is_first, _ = candidate not in seen, seen.add(candidate)
            fault = waiting.pop(0) if is_first and waiting else by_seed
        fault(handler, request)

    return answer


def cut_off(handler: BaseHTTPRequestHandler, request: Json) -> None:
    """Begin an answer and hang up."""
    begin(handler)
    handler.wfile.write(chunk({"content": "Here it "}))


def falls_silent(handler: BaseHTTPRequestHandler, request: Json) -> None:
    """Begin an answer and send nothing more."""
    cut_off(handler, request)
    time.sleep(SILENCE_S)


def malformed(handler: BaseHTTPRequestHandler, request: Json) -> None:
    begin(handler)
    handler.wfile.write(b'data: {"choices": [{"delta": \n\n')


def another_shape(handler: BaseHTTPRequestHandler, request: Json) -> None:
    begin(handler)
    handler.wfile.write(b'data: {"choices": [7]}\n\ndata: [DONE]\n\n')


def hangs_up(handler: BaseHTTPRequestHandler, request: Json) -> None:
    handler.connection.close()


@contextmanager
def model_server(usual: Answering = by_seed) -> Iterator[ModelServer]:
    """Run a server until the block ends."""
    served: list[ModelServer] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            server = served[0]
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with server.lock:
                server.requests.append(request)
                server.keys.add(self.headers.get("Authorization", ""))
                answer = server.answers.pop(0) if server.answers else server.usual
                server.at_once += 1
                server.most_at_once = max(server.most_at_once, server.at_once)
            try:
                with suppress(ConnectionError):  # a client that waited long enough has hung up
                    answer(self, request)
            finally:
                with server.lock:
                    server.at_once -= 1

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    served.append(ModelServer(http.server_port, usual))
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield served[0]
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
