"""Tests of one request: to the address that was checked, without redirects, and with bounds on what is read."""

import socket
import threading

import pytest

from datasets_app.webhooks.endpoint import parse_url
from datasets_app.webhooks.post import post
from tests.webhooks.certificates import server_context
from tests.webhooks.receiver import LOOPBACK, receiving, status

NAME = "hooks.example.org"
NO_HTTP = "The answer of 127.0.0.1 is not HTTP, or its head is too large."
HEADERS = {"Content-Type": "application/json", "X-Concur-Event": "ping"}


def sent(endpoint, allowed=LOOPBACK):
    return post(endpoint, '{"room": "ä"}', HEADERS, allowed)


def test_the_request_arrives_as_it_was_given(receiver):
    assert sent(receiver.endpoint) == {"status": 200}
    [request] = receiver.received
    assert request.path == "/hook?room=7"
    assert request.body == '{"room": "ä"}'.encode()
    assert request.headers["Host"] == f"127.0.0.1:{receiver.port}"
    assert request.headers["X-Concur-Event"] == "ping"


@pytest.mark.parametrize("code", [204, 301, 302, 307, 308, 404, 500])
def test_the_status_is_the_answer_and_no_redirect_is_followed(receiver, code):
    receiver.answers = [status(code, Location=f"http://127.0.0.1:{receiver.port}/elsewhere")]
    assert sent(receiver.endpoint) == {"status": code}
    assert [request.path for request in receiver.received] == ["/hook?room=7"]


def test_a_host_at_a_private_address_is_refused_before_anything_is_sent(receiver):
    answer = sent(receiver.endpoint, allowed=[])
    assert "127.0.0.1 is not a public address" in answer["error"]
    assert not receiver.received


def test_a_name_that_resolves_to_a_private_address_is_refused(receiver, resolver):
    resolver[NAME] = [["127.0.0.1"]]
    answer = sent(parse_url(f"http://{NAME}:{receiver.port}/"), allowed=[])
    assert f"{NAME} is at 127.0.0.1, which is not a public address" in answer["error"]
    assert not receiver.received


def test_a_name_is_resolved_once_and_reached_at_the_address_that_was_checked(receiver, resolver):
    resolver[NAME] = [["127.0.0.1"], ["192.0.2.1"]]
    assert sent(parse_url(f"http://{NAME}:{receiver.port}/")) == {"status": 200}
    assert resolver[NAME] == [["192.0.2.1"]]
    assert receiver.received[0].headers["Host"] == f"{NAME}:{receiver.port}"


def test_the_next_address_is_tried_where_the_first_refuses(receiver, resolver):
    resolver[NAME] = [["127.0.0.2", "127.0.0.1"]]
    assert sent(parse_url(f"http://{NAME}:{receiver.port}/")) == {"status": 200}


def test_a_closed_port_is_named(loopback):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    answer = sent(parse_url(f"http://127.0.0.1:{port}/"))
    assert answer == {"error": f"No connection to 127.0.0.1, port {port}: connection refused."}


# --- Answers that never end, or are none --------------------------------------------------------------


def endless(first, more, seen):
    """Return an answer that goes on until the client hangs up."""

    def answer(handler):
        try:
            handler.wfile.write(first)
            while True:
                handler.wfile.write(more)
        except OSError:
            seen.set()

    return answer


HEADS = {
    "endless status": (b"HTTP/1.1 200 ", b"O" * 4096),
    "endless header": (b"HTTP/1.1 200 OK\r\nX: ", b"x" * 4096),
    "endless headers": (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
}


@pytest.mark.parametrize("kind", HEADS)
def test_the_head_of_an_answer_is_bounded(receiver, kind):
    hung_up = threading.Event()
    receiver.answers = [endless(*HEADS[kind], hung_up)]
    assert sent(receiver.endpoint) == {"error": NO_HTTP}
    assert hung_up.wait(30)


def test_the_body_of_an_answer_is_not_read(receiver):
    hung_up = threading.Event()
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n"
    receiver.answers = [endless(head, b"x" * 65536, hung_up)]
    assert sent(receiver.endpoint) == {"status": 200}
    assert hung_up.wait(30), "the connection ends with the status"


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (b"", "127.0.0.1 closed the connection without an answer."),
        (b"220 mail.example.org ESMTP\r\n", NO_HTTP),
    ],
)
def test_an_answer_that_is_no_http_is_said(receiver, said, sentence):
    receiver.answers = [lambda handler: handler.wfile.write(said)]
    assert sent(receiver.endpoint) == {"error": sentence}


# --- TLS ----------------------------------------------------------------------------------------------


@pytest.fixture
def tls_receiver(loopback, tmp_path, resolver, monkeypatch):
    context, authority = server_context(tmp_path, NAME)
    resolver |= {NAME: [["127.0.0.1"]], "other.example.org": [["127.0.0.1"]]}
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with receiving(context) as running:
        yield running


def test_the_certificate_is_checked_against_the_name_at_the_checked_address(tls_receiver):
    assert sent(parse_url(f"https://{NAME}:{tls_receiver.port}/hook")) == {"status": 200}
    assert tls_receiver.received[0].path == "/hook"


def test_a_certificate_of_another_name_is_refused(tls_receiver):
    answer = sent(parse_url(f"https://other.example.org:{tls_receiver.port}/"))
    assert "The certificate of other.example.org is not accepted: Hostname mismatch" in answer["error"]
    assert not tls_receiver.received


def test_a_certificate_of_an_unknown_authority_is_refused(tls_receiver, monkeypatch, tmp_path):
    (tmp_path / "empty.pem").touch()
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "empty.pem"))
    answer = sent(parse_url(f"https://{NAME}:{tls_receiver.port}/"))
    assert "is not accepted" in answer["error"]
    assert not tls_receiver.received


def test_a_server_without_tls_is_said(receiver, resolver):
    resolver[NAME] = [["127.0.0.1"]]
    answer = sent(parse_url(f"https://{NAME}:{receiver.port}/"))
    assert answer["error"].startswith("TLS with hooks.example.org failed: ")
