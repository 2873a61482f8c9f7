"""Tests of slow, idle and vanished clients: they hold a connection for a bounded time, and never a thread."""

import socket
import threading
import time

import pytest
from waitress.buffers import ReadOnlyFileBasedBuffer

from datasets_app.export.sending import FilePart
from tests.site.server.running import page, read_all, serving, wait_until

IDLE_BODIES, SLOW_READERS = 24, 16
LARGE_BYTES = 24 * 2**20
SOON_SECONDS = 60.0
LIMITS = {"window_seconds": 1.0, "window_bytes": 2048, "idle_seconds": 1.0}


@pytest.fixture(scope="module")
def large_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "rows.jsonl"
    path.write_bytes(bytes(range(256)) * (LARGE_BYTES // 256))
    return path


def files_and_pages(path):
    """An application with a file at /file, a part of it at /part, a long stream at /stream, else a page."""

    def application(environ, start_response):
        asked = environ["PATH_INFO"]
        if asked == "/stream":
            start_response("200 OK", [("Content-Type", "text/plain")])
            return (b"x" * 2**20 for _ in range(64))
        if asked not in ("/file", "/part"):
            return page(environ, start_response)
        file, size = (
            (FilePart(path, 1000, 5000), 5000) if asked == "/part" else (path.open("rb"), LARGE_BYTES)
        )
        start_response("200 OK", [("Content-Length", str(size))])
        return environ["wsgi.file_wrapper"](file)

    return application


def post_without_body(site) -> socket.socket:
    line = site.connect()
    line.sendall(b"POST /accounts/login/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nname=")
    return line


def slow_reader(site, path: str = "/file", times: int = 1) -> socket.socket:
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.settimeout(SOON_SECONDS)
    line.connect(("127.0.0.1", site.port))
    line.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * times)
    return line


def seconds_of_a_page(site) -> float:
    begun = time.monotonic()
    assert site.get("/").status == 200
    return time.monotonic() - begun


def test_idle_bodies_do_not_hold_up_a_page(large_file):
    with serving(page) as site:
        held = [post_without_body(site) for _ in range(IDLE_BODIES)]
        wait_until(lambda: len(site.server.active_channels) == IDLE_BODIES, "24 connections")
        assert seconds_of_a_page(site) < SOON_SECONDS
        for line in held:
            line.close()


@pytest.mark.parametrize("times", [1, 3], ids=["one request each", "three requests ahead"])
def test_slow_readers_of_a_large_file_do_not_hold_up_a_page(large_file, times):
    with serving(files_and_pages(large_file), drain_seconds=0.1) as site:
        held = [slow_reader(site, times=times) for _ in range(SLOW_READERS)]
        channels = site.server.active_channels
        wait_until(
            lambda: sum(c.state == "sending" for c in list(channels.values())) == SLOW_READERS, "16 answers"
        )
        assert seconds_of_a_page(site) < SOON_SECONDS
        wait_until(lambda: not site.server.running, "free threads: nobody's download is a running request")
        for line in held:
            line.close()
        wait_until(lambda: not channels, "the end of all connections")


def test_a_download_is_the_file_byte_for_byte_and_a_part_its_part(large_file):
    content = large_file.read_bytes()
    with serving(files_and_pages(large_file)) as site:
        assert site.get("/file").content == content
        assert site.get("/part").content == content[1000:6000]


def test_two_downloads_on_one_connection_follow_each_other(large_file):
    with serving(files_and_pages(large_file)) as site:
        ask = (
            b"GET /part HTTP/1.1\r\nHost: x\r\n\r\nGET /part HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        answers = site.exchange(ask)
    assert answers.count(large_file.read_bytes()[1000:6000]) == 2


def test_one_fast_download_does_not_keep_the_loop_from_others(large_file, monkeypatch):
    """The loop sends a bounded part of a file per iteration, however fast the client reads."""
    from concur_site.server import channel

    turns = []
    flush = channel.Channel._flush_some

    def counted(self, do_close=True):
        before = self.sent_bytes
        done = flush(self, do_close)
        turns.append(self.sent_bytes - before)
        return done

    monkeypatch.setattr(channel.Channel, "_flush_some", counted)
    with serving(files_and_pages(large_file)) as site:
        assert len(site.get("/file").content) == LARGE_BYTES
    assert max(turns) <= channel.ROUND_BYTES


def test_a_client_that_leaves_frees_its_connection_and_its_file(large_file):
    opened = []

    def application(environ, start_response):
        opened.append(large_file.open("rb"))
        start_response("200 OK", [("Content-Length", str(LARGE_BYTES))])
        return ReadOnlyFileBasedBuffer(opened[-1])

    with serving(application) as site:
        line = slow_reader(site)
        wait_until(lambda: opened, "the request")
        line.close()
        wait_until(lambda: not site.server.active_channels, "the end of the connection")
        wait_until(lambda: opened[0].closed, "the end of the file")


def closes_within(line: socket.socket, seconds: float) -> bool:
    line.settimeout(seconds)
    try:
        return line.recv(1) == b""
    except ConnectionError:
        return True
    except TimeoutError:
        return False


def is_closed_while_sending(line: socket.socket, block: bytes, times: int, pause_seconds: float) -> bool:
    try:
        for _ in range(times):
            line.sendall(block)
            time.sleep(pause_seconds)
    except OSError:
        return True
    return False


def test_bodies_heads_and_connections_without_progress_are_closed():
    with serving(page, **LIMITS) as site:
        silent, body, head = site.connect(), post_without_body(site), site.connect()
        head.sendall(b"GET / HTTP/1.1\r\nX-")
        assert all(closes_within(line, SOON_SECONDS) for line in (silent, body, head))


def test_a_body_that_trickles_is_closed_though_it_always_moves():
    with serving(page, **LIMITS) as site:
        line = post_without_body(site)
        assert is_closed_while_sending(line, b"x", times=100, pause_seconds=0.1)


def test_a_body_above_the_minimum_rate_is_taken_however_long_it_is():
    with serving(page, **LIMITS) as site, site.connect() as line:
        line.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 30000\r\n\r\n")
        for _ in range(30):
            line.sendall(b"x" * 1000)
            time.sleep(0.1)
        assert read_all(line).endswith(b"POST / 30000")


@pytest.mark.parametrize("path", ["/file", "/stream"])
def test_a_reader_that_takes_nothing_is_closed_and_its_thread_is_free(large_file, path):
    with serving(files_and_pages(large_file), threads=1, **LIMITS) as site:
        line = slow_reader(site, path)
        wait_until(lambda: site.server.active_channels, "the connection")
        wait_until(lambda: not site.server.active_channels, "its end")
        assert seconds_of_a_page(site) < SOON_SECONDS
        line.close()


def test_a_slow_reader_of_a_stream_is_no_stuck_request(large_file):
    with serving(files_and_pages(large_file), request_seconds=0.5, drain_seconds=0.1) as site:
        line = slow_reader(site, "/stream")
        wait_until(
            lambda: (r := site.server.longest_running()) and r.waiting_since,
            "the thread waits for the client",
        )
        time.sleep(0.6)  # beyond the deadline of a request
        assert site.server.is_well()
        line.close()


def test_at_the_limit_of_connections_idle_ones_make_room():
    with serving(page, connections=20) as site:
        held = [site.connect() for _ in range(20)]
        wait_until(lambda: len(site.server.active_channels) == 20, "20 connections")
        assert seconds_of_a_page(site) < SOON_SECONDS
        for line in held:
            line.close()


def test_bodies_that_wait_on_disk_have_a_common_bound():
    with serving(page, all_bodies_bytes=3_000_000) as site:
        small = post_without_body(site)
        large = site.connect()
        large.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n")
        assert is_closed_while_sending(large, b"x" * 100_000, times=80, pause_seconds=0.05)
        small.sendall(b"x" * 995)
        assert b"200 OK" in small.recv(4096)


def test_a_body_may_come_while_threads_are_busy_with_others():
    release = threading.Event()

    def application(environ, start_response):
        if environ["PATH_INFO"] == "/wait":
            release.wait(10)
        return page(environ, start_response)

    with serving(application, threads=1) as site:
        waiting = threading.Thread(target=site.get, args=("/wait",))
        waiting.start()
        wait_until(site.server.longest_running, "the first request")
        with site.connect() as line:
            line.sendall(b"POST /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc")
            wait_until(lambda: site.server.pages.queue, "the second in the queue")
            release.set()
            assert read_all(line).endswith(b"POST /b 3")
        waiting.join()
