"""Tests of HTTP as used by proxies and browsers: one answer per request, in order, no ambiguous lengths."""

import pytest

from concur_site.server.channel import Channel
from concur_site.server.parser import MOST_CHUNK_LINE_BYTES
from tests.site.server.running import page, read_all, serving


@pytest.fixture(scope="module")
def site():
    with serving(page) as running:
        yield running


def request(line: str, *headers: str, body: bytes = b"") -> bytes:
    return "\r\n".join([line, "Host: 127.0.0.1", *headers, "", ""]).encode() + body


CLOSE = "Connection: close"


def test_a_connection_is_kept_for_the_next_request(site):
    with site.connect() as line:
        for path in ("/one", "/two"):
            line.sendall(request(f"GET {path} HTTP/1.1"))
            answer = line.recv(4096)
            while path.encode() not in answer:
                answer += line.recv(4096)
            assert answer.startswith(b"HTTP/1.1 200 OK\r\n")


def test_pipelined_requests_are_answered_in_their_order(site):
    sent = b"".join(request(f"GET /{number} HTTP/1.1") for number in range(5)) + request(
        "GET /end HTTP/1.1", CLOSE
    )
    answers = site.exchange(sent)
    order = [answers.index(f"GET /{name} 0".encode()) for name in (0, 1, 2, 3, 4, "end")]
    assert order == sorted(order)
    assert answers.count(b"200 OK") == 6


def test_head_has_the_length_and_no_body_so_that_the_next_answer_is_read_right(site):
    answers = site.exchange(request("HEAD /one HTTP/1.1") + request("GET /two HTTP/1.1", CLOSE))
    assert answers.count(b"Content-Length: ") == 2
    assert b"HEAD /one" not in answers
    assert answers.endswith(b"GET /two 0")


def test_a_chunked_body_is_read(site):
    body = b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
    answer = site.exchange(request("POST /x HTTP/1.1", "Transfer-Encoding: chunked", CLOSE, body=body))
    assert answer.endswith(b"POST /x 11")


def test_a_client_that_asks_first_whether_to_send_its_body_is_told_to_go_on(site):
    with site.connect() as line:
        line.sendall(request("POST /x HTTP/1.1", "Content-Length: 3", "Expect: 100-continue", CLOSE))
        assert line.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
        line.sendall(b"abc")
        assert read_all(line).endswith(b"POST /x 3")


def test_headers_that_are_too_large_are_refused(site):
    assert site.exchange(request("GET / HTTP/1.1", f"X-Large: {'x' * 70_000}")).startswith(b"HTTP/1.0 431 ")


@pytest.mark.parametrize(
    "headers",
    [
        ["Content-Length: 4", "Transfer-Encoding: chunked"],
        ["Content-Length: 4", "Content-Length: 5"],
        ["Content-Length: +4"],
        ["Content-Length : 4"],
        ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked", "Content-Length: 4"],
    ],
)
def test_a_body_of_ambiguous_length_is_refused_and_the_connection_closed(site, headers):
    answer = site.exchange(
        request("POST / HTTP/1.1", *headers, body=b"0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n")
    )
    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.0 400 "))
    assert b"smuggled" not in answer


def test_transfer_encoding_in_http_1_0_is_refused(site):
    sent = request(
        "POST / HTTP/1.0", "Transfer-Encoding: chunked", "Connection: keep-alive", body=b"0\r\n\r\n"
    )
    assert b" 400 " in site.exchange(sent).splitlines()[0]


@pytest.mark.parametrize("body", [b"1" * 200_000, b"5;" + b"x" * 200_000, b"0\r\n" + b"X: y\r\n" * 40_000])
def test_a_chunked_body_cannot_hold_memory_by_a_line_without_an_end(site, body):
    with site.connect() as line:
        line.sendall(request("POST / HTTP/1.1", "Transfer-Encoding: chunked"))
        try:
            for start in range(0, len(body), MOST_CHUNK_LINE_BYTES):
                line.sendall(body[start : start + MOST_CHUNK_LINE_BYTES])
            answer = read_all(line)
        except ConnectionError:  # closed while the rest was being sent
            return
    assert b" 400 " in answer.splitlines()[0]


def test_forwarded_headers_of_clients_do_not_reach_the_site():
    seen = {}

    def application(environ, start_response):
        seen.update(environ)
        return page(environ, start_response)

    with serving(application) as site:
        site.get(
            "/", **{"X-Forwarded-For": "10.1.1.1", "X-Forwarded-Proto": "https", "X_Forwarded_For": "1.1.1.1"}
        )
    assert seen["REMOTE_ADDR"] == "127.0.0.1"
    assert not [name for name in seen if "FORWARDED" in name]


def test_what_the_server_builds_on_is_there():
    """Undocumented names of waitress; a version without them must not be installed."""
    from waitress import wasyncore
    from waitress.channel import HTTPChannel
    from waitress.parser import HTTPRequestParser
    from waitress.receiver import ChunkedReceiver
    from waitress.server import BaseWSGIServer
    from waitress.task import ThreadedTaskDispatcher

    dispatcher = ThreadedTaskDispatcher()
    assert {"queue", "lock", "threads"} <= set(vars(dispatcher))
    receiver = ChunkedReceiver(None)
    assert (receiver.control_line, receiver.trailer) == (b"", b"")
    for owner, names in {
        BaseWSGIServer: (
            "maintenance",
            "set_reuse_addr",
            "add_task",
            "in_connection_overflow",
            "pull_trigger",
        ),
        HTTPChannel: (
            "_flush_some",
            "_flush_outbufs_below_high_watermark",
            "write_soon",
            "total_outbufs_len",
        ),
        HTTPRequestParser: (
            "parse_header",
            "received",
            "chunked",
            "error",
            "body_bytes_received",
            "completed",
        ),
        wasyncore: ("poll2", "close_all"),
    }.items():
        assert not [name for name in names if not hasattr(owner, name)]
    assert {"outbufs", "requests", "sendbuf_len"} <= set(HTTPChannel.__init__.__code__.co_names)
    assert issubclass(Channel, HTTPChannel)
