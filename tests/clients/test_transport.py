"""Tests of what the client does about answers that a healthy site does not give."""

import re
import threading
from email.utils import formatdate

import httpx
import pytest

from concur_client import Client, ConcurError, SiteError, UnexpectedAnswerError, UnreachableError
from tests.clients.servers import answering

PROBLEM = {"Content-Type": "application/problem+json"}
PAGE = b'{"next": null, "previous": null, "results": []}'


class Scripted:
    """A server that gives these answers one after another, and a client that notes its waits."""

    def __init__(self, *answers, **options):
        self.answers, self.options = list(answers), options
        self.waits_s, self.asked, self.bodies = [], [], []

    def answer(self, path: str):
        self.asked.append(path)
        return self.answers.pop(0)

    def run(self, action):
        with answering(self.answer, self.bodies) as url, Client(url, "cw_token", **self.options) as client:
            client.transport.pause = self.waits_s.append
            return action(client)


def releases(client):
    return list(client.releases())


def busy(status=503, **headers):
    return (status, headers, b"")


@pytest.mark.parametrize("status", [429, 503])
def test_a_site_that_is_busy_is_asked_again_when_it_says(status):
    site = Scripted(busy(status, **{"Retry-After": "7"}), busy(status), (200, {}, PAGE))
    assert site.run(releases) == []
    assert site.waits_s == [7.0, 0.0]  # without the header: the backoff, which tests make 0


def test_a_moment_to_ask_again_is_understood_as_well():
    site = Scripted(busy(**{"Retry-After": formatdate(0, usegmt=True)}), (200, {}, PAGE))
    assert site.run(releases) == []
    assert site.waits_s == [0.0]


def test_the_retries_are_bounded_and_so_is_a_wait():
    site = Scripted(*[busy()] * 3, retries=2)
    with pytest.raises(SiteError, match="503 Service Unavailable without an explanation"):
        site.run(releases)
    assert (len(site.asked), len(site.waits_s)) == (3, 2)
    site = Scripted(busy(**{"Retry-After": "9999"}), max_wait_s=60)
    with pytest.raises(SiteError):
        site.run(releases)
    assert site.waits_s == []


def test_an_upload_is_repeated_only_if_the_site_says_that_it_was_not_taken(tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b"{}\n")
    refused = (400, PROBLEM, b'{"detail": "No.", "errors": {"file": ["Empty."]}}')
    site = Scripted(busy(**{"Retry-After": "1"}), refused)
    with pytest.raises(SiteError, match=r"No\. file: Empty\.") as error:
        site.run(lambda client: client.upload(file))
    assert (error.value.errors, site.waits_s) == ({"file": ["Empty."]}, [1.0])
    assert [b"\r\n{}\n\r\n" in body for body in site.bodies] == [True, True], "the file was sent each time"
    for status in (502, 503, 504):
        site = Scripted(busy(status))
        with pytest.raises(SiteError):
            site.run(lambda client: client.upload(file))
        assert len(site.asked) == 1


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ((200, {}, b"<html>"), "something else than JSON. Is this the address of the site?"),
        ((200, {}, b"[]"), "no page of a list"),
        ((200, {}, b'{"results": [{"name": "a"}]}'), "no ReleaseSummary.title. Is this the address"),
        (
            (302, {"Location": "https://other.example/x"}, b""),
            "redirects to https://other.example/x. Give that",
        ),
        ((500, {}, b"<html>"), "500 Internal Server Error without an explanation"),
        ((418, {}, b"[]"), "418 I'm a Teapot without"),
    ],
)
def test_an_answer_that_is_not_the_api_s_is_said_to_be_none(answer, sentence):
    with pytest.raises(
        (SiteError, UnexpectedAnswerError), match=re.escape(sentence).replace("Teapot", "[Tt]eapot")
    ):
        Scripted(answer).run(releases)


def test_a_list_is_read_from_this_site_alone_and_ends():
    elsewhere = b'{"next": "http://127.0.0.1:1/steal?cursor=c2", "results": []}'
    site = Scripted((200, {}, elsewhere), (200, {}, PAGE))
    assert site.run(releases) == []
    assert site.asked == ["/api/v1/releases/?limit=100", "/api/v1/releases/?limit=100&cursor=c2"]
    with pytest.raises(UnexpectedAnswerError, match="its next page is the same one"):
        Scripted((200, {}, elsewhere), (200, {}, elsewhere)).run(releases)


def test_a_stream_that_ends_early_is_an_error_after_the_rows_that_came():
    rows = []
    site = Scripted((200, {"Content-Length": "99"}, b'{"id": 1}\n{"id": 2}\n{"id"'))
    with pytest.raises(UnreachableError, match="ended early, after 2 rows"):
        site.run(lambda client: rows.extend(client.stream_samples()))
    with pytest.raises(UnexpectedAnswerError, match="Row 2 of samples/ is no JSON"):
        Scripted((200, {}, b'{"id": 1}\nnothing\n')).run(lambda client: list(client.stream_samples()))


def test_a_site_that_is_not_there_is_said_to_be_away():
    with answering(lambda path: busy()) as url:
        pass
    with (
        Client(url, retries=1) as client,
        pytest.raises(UnreachableError, match=r"127\..* cannot be reached: "),
    ):
        releases(client)


@pytest.mark.parametrize("url", ["", "site", "ftp://site", "http://", "http://site:x", "http://site/?a=b"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(ConcurError, match=r"address of (a|the) site"):
        Client(url)


def test_an_address_and_a_token_are_taken_as_they_are_pasted(monkeypatch):
    monkeypatch.setenv("CONCUR_URL", " https://site.example/concur/api/v1/ ")
    monkeypatch.setenv("CONCUR_TOKEN", "cw_abc\n")
    with Client() as client:
        assert client.transport.root == "https://site.example/concur/api/v1/"
        assert client.transport.http.headers["Authorization"] == "Bearer cw_abc"
    with pytest.raises(ConcurError, match="characters that no token has"):
        Client(token="cw_abc\u2026")


def test_threads_may_share_a_client():
    site = Scripted(*[(200, {}, PAGE)] * 8)

    def ask_from_threads(client: Client) -> list[object]:
        found: list[object] = []
        threads = [threading.Thread(target=lambda: found.append(releases(client))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found

    assert site.run(ask_from_threads) == [[]] * 8


def test_the_token_is_in_no_error(tmp_path):
    client = Client("http://127.0.0.1:1", "cw_secret", retries=0)
    with pytest.raises(UnreachableError) as error:
        releases(client)
    assert isinstance(error.value.__cause__, httpx.ConnectError)
    assert "cw_secret" not in str(error.value)
