"""Tests that a full queue is answered at once with a 503 and a message, and health and static files work."""

import json
import threading
import time
from contextlib import contextmanager

from concur_site.server.busy import SENTENCE
from tests.site.server.running import page, serving, wait_until


@contextmanager
def all_threads_busy(waiting: int = 2, **limits):
    """A site whose only thread is held, with its request queue full."""
    release, started = threading.Event(), []

    def application(environ, start_response):
        if environ["PATH_INFO"] == "/wait":
            started.append(1)
            release.wait(10)
        return page(environ, start_response)

    with serving(application, threads=1, **{"queue": waiting, **limits}) as site:
        site.started = started
        held = [threading.Thread(target=site.get, args=("/wait",)) for _ in range(waiting + 1)]
        held[0].start()
        wait_until(lambda: started, "the request that is held")
        for thread in held[1:]:
            thread.start()
        wait_until(lambda: len(site.server.pages.queue) == waiting, "a full queue")
        try:
            yield site
        finally:
            release.set()
            for thread in held:
                thread.join()


def test_a_full_queue_answers_503_with_a_sentence_and_when_to_try_again():
    with all_threads_busy() as site:
        answer = site.get("/browse/")
        assert answer.status == 503
        assert answer.headers["Retry-After"] == "5"
        assert answer.headers["Cache-Control"] == "no-store"
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["Content-Type"].startswith("text/html")
        assert SENTENCE in answer.content.decode()


def test_programs_are_told_in_json():
    with all_threads_busy() as site:
        answer = site.get("/api/v1/samples/")
        assert answer.status == 503
        problem = json.loads(answer.content)
        assert (problem["status"], problem["detail"]) == (503, SENTENCE)


def test_health_and_static_files_are_answered_all_the_while():
    with all_threads_busy() as site:
        assert site.get("/healthz").status == 200
        assert site.get("/static/css/base.css").status == 200


def test_the_requests_in_the_queue_are_answered_in_the_end():
    with all_threads_busy() as site:
        assert site.get("/").status == 503
    assert len(site.started) == 3


def test_a_request_that_waited_too_long_is_refused_though_no_thread_became_free():
    with all_threads_busy(waiting=0, queue=5, queue_seconds=0.3) as site:
        assert site.get("/late").status == 503
        assert len(site.started) == 1, "the thread is still held"


def test_a_client_that_left_the_queue_costs_no_work():
    with all_threads_busy() as site:
        site.server.pages.most_waiting = 3
        line = site.connect()
        line.sendall(b"GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
        wait_until(lambda: len(site.server.pages.queue) == 3, "a third in the queue")
        line.close()
        wait_until(lambda: len(site.server.active_channels) == 3, "its end")
    assert len(site.started) == 3


def test_a_stream_that_gets_on_may_take_longer_than_a_request():
    def application(environ, start_response):
        start_response("200 OK", [("Content-Type", "text/plain")])
        for _ in range(30):
            time.sleep(0.05)
            yield b"part\n"

    with serving(application, request_seconds=0.8, drain_seconds=0.1) as site:
        line = site.connect()
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        received = b""
        while part := line.recv(4096):
            assert site.server.is_well()
            received += part
    assert received.count(b"part") == 30


def test_a_request_that_never_ends_is_noticed_also_when_its_client_has_left():
    release = threading.Event()

    def application(environ, start_response):
        release.wait(10)
        return page(environ, start_response)

    with serving(application, request_seconds=0.5, drain_seconds=0.1) as site:
        line = site.connect()
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        wait_until(site.server.longest_running, "the request")
        assert site.server.is_well()
        line.close()
        wait_until(lambda: not site.server.active_channels, "the end of the connection")
        wait_until(lambda: not site.server.is_well(), "its discovery")
        assert site.server.stopping
        release.set()
