"""Eight clients at once against the real server on this machine: how many pages of the list it gives a second."""

import http.client
import os
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from concur_site.up import processes

CLIENTS = 8
SECONDS = 10
PATHS = [
    "/browse/",
    "/browse/?outcome=passed",
    "/browse/?language=cuda&outcome=failed",
    "/browse/?sort=-measured",
]


def lists_a_second() -> dict[str, Any]:
    port = free_port()
    server = serve(port)
    try:
        wait_for(port)
        for _ in range(processes.site_processes() * 4):  # each worker reads the counts' bitmaps once
            ask(port, "/browse/")
        return crowd(port)
    finally:
        stop(server)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def serve(port: int) -> subprocess.Popen[bytes]:
    subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--noinput", "-v", "0"], check=True, env=os.environ
    )
    command = processes.site(port).command  # as `make run` starts it
    return subprocess.Popen(command, env=os.environ, start_new_session=True)


def stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(timeout=20)
    except subprocess.TimeoutExpired:  # a busy machine; its answers were taken already
        os.killpg(server.pid, signal.SIGKILL)  # its own processes, too
        server.wait()


def wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("the server does not answer")


def cookie() -> str:
    client = Client()
    client.force_login(User.objects.get_or_create(username="bench")[0])
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def ask(port: int, path: str) -> None:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    line.request("GET", path, headers={"Cookie": cookie(), "Host": "127.0.0.1"})
    answer = line.getresponse()
    answer.read()
    assert answer.status == 200, answer.status
    line.close()


def crowd(port: int) -> dict[str, Any]:
    """Each client asks as soon as it is answered, on one connection."""
    waited: list[float] = []
    key, end = cookie(), time.perf_counter() + SECONDS

    def client(number: int) -> None:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        while time.perf_counter() < end:
            begun = time.perf_counter()
            line.request("GET", PATHS[(number + len(waited)) % len(PATHS)], headers={"Cookie": key})
            answer = line.getresponse()
            answer.read()
            assert answer.status == 200, answer.status
            waited.append((time.perf_counter() - begun) * 1000)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {
        "clients": CLIENTS,
        "server_processes": processes.site_processes(),
        "pages_a_second": round(len(waited) / (time.perf_counter() - begun), 1),
        "p50_ms": round(statistics.median(waited), 1),
        "p95_ms": round(statistics.quantiles(waited, n=20)[18], 1),
    }
