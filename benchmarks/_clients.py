"""Measures how many list pages per second the real server serves to eight clients on this machine."""

import http.client
import statistics
import threading
import time
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from benchmarks._server import running_site
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
    with running_site("--site-only") as (port, _):
        for _ in range(processes.site_processes() * 4):  # each process reads the bitmaps of the counts once
            ask(port, "/browse/")
        return crowd(port)


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
    """Run all clients; each sends its next request as soon as it has an answer, on one connection."""
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
