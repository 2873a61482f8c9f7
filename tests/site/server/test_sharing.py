"""Tests of how site processes share connections: two servers on one socket, whose loops are turned by hand."""

import os
import socket
import time
from collections.abc import Iterator

import pytest

from concur_site.server import board as boards
from concur_site.server.board import Board, new_board
from concur_site.server.limits import Limits
from concur_site.server.server import GIVE_WAY_SECONDS, Server
from concur_site.up import listener
from tests.site.server.running import PATIENCE_SECONDS, page, wait_until

REQUEST = b"GET /kept HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


class Pair:
    """Two servers as `manage.py up` starts them, and clients that keep their connections."""

    def __init__(self) -> None:
        self.board = new_board()
        self.listener = listener.bind(0)
        self.first, self.second = self.server(1), self.server(2)
        self.clients: list[socket.socket] = []

    def server(self, number: int) -> Server:
        return Server(page, self.listener.dup(), Limits(threads=1), Board(self.board, number))

    def connect(self) -> socket.socket:
        address = self.listener.getsockname()
        self.clients.append(socket.create_connection(address, timeout=PATIENCE_SECONDS))
        return self.clients[-1]

    def held(self) -> tuple[int, int]:
        return len(self.first.active_channels), len(self.second.active_channels)

    def ask(self, client: socket.socket) -> bytes:
        """Return the answer to one request, while both loops run."""
        client.sendall(REQUEST)
        client.setblocking(False)
        answer = b""

        def is_answered() -> bool:
            nonlocal answer
            for server in (self.first, self.second):
                server.poll(0.001)
            try:
                answer += client.recv(65536)
            except BlockingIOError:
                return False
            return answer.endswith(b"GET /kept 0")

        wait_until(is_answered, "an answer")
        return answer

    def close(self) -> None:
        for server in (self.first, self.second):
            server.stop()
            server.drain()
            for pool in (server.pages, server.express):
                pool.shutdown(timeout=PATIENCE_SECONDS)
        for client in (*self.clients, self.listener):
            client.close()
        os.close(self.board)


@pytest.fixture
def pair(monkeypatch) -> Iterator[Pair]:
    monkeypatch.setattr(boards, "FRESH_SECONDS", PATIENCE_SECONDS)
    pair = Pair()
    yield pair
    pair.close()


def test_a_new_connection_is_left_to_the_process_that_holds_fewer(pair):
    for server in (pair.first, pair.second):
        server.poll(0)
    pair.connect()
    pair.first.poll()
    pair.connect()
    pair.first.poll()
    assert pair.held() == (1, 0), "the first gives way"
    pair.second.poll()
    assert pair.held() == (1, 1)


def test_a_connection_that_the_other_process_does_not_take_is_accepted_soon(pair):
    for server in (pair.first, pair.second):
        server.poll(0)
    pair.connect()
    pair.first.poll()
    pair.connect()
    pair.first.poll()
    assert pair.held() == (1, 0), "the first gives way"
    time.sleep(2 * GIVE_WAY_SECONDS)  # as a busy machine has it come back late
    pair.first.poll()
    assert pair.held() == (2, 0)


def test_a_process_that_has_ended_is_not_waited_for(pair, monkeypatch):
    pair.second.poll(0)
    monkeypatch.setattr(boards, "FRESH_SECONDS", 0.0)
    for _ in range(2):
        pair.connect()
        pair.first.poll()
    assert pair.held() == (2, 0)


def test_kept_connections_are_shared_anew_when_a_process_has_been_replaced(pair):
    for _ in range(4):
        pair.connect()
        pair.first.poll()  # alone: the other one is being replaced
    assert pair.held() == (4, 0)
    pair.second.poll(0)
    pair.first.even_out(list(pair.first.active_channels.values()))
    answers = [pair.ask(client) for client in list(pair.clients)]
    assert sum(b"Connection: close" in answer for answer in answers) == 2
    wait_until(lambda: [pair.first.poll(0.001), pair.held()][1] == (2, 0), "the end of two connections")
    for _ in range(2):
        client = pair.connect()
        pair.ask(client)
    pair.first.even_out(list(pair.first.active_channels.values()))
    assert pair.held() == (2, 2)
    assert not any(channel.leaves for channel in pair.first.active_channels.values())
