"""Tests of what goes wrong on the way to a Hub: one sentence that says what to do, and a repository as it was."""

import pytest
from django.core.management import CommandError, call_command

from datasets_app.export.errors import PushError
from datasets_app.export.push import destination
from tests.export.test_push import TO, pushed_files

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database,
    pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning"),  # huggingface_hub's calls of httpx
]


def fault(hub, *options):
    with pytest.raises(CommandError) as found:
        call_command("release", "push", "first", "--to", TO, "--endpoint", hub.url, *options)
    return str(found.value)


def test_without_a_token_it_says_how_to_get_one(hub, release, monkeypatch, tmp_path):
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr("datasets_app.export.hub_repository.get_token", lambda: None)
    sentence = fault(hub)
    assert f"There is no token for {hub.host}" in sentence
    assert "hf auth login" in sentence
    assert not hub.requests


def test_a_token_of_this_site_is_not_sent_to_a_hub(hub, release, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "cw_of_this_site")
    assert "a token of a site like this one" in fault(hub)
    assert not hub.requests


def test_a_token_that_the_hub_does_not_know(hub, release, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_unknown")
    sentence = fault(hub)
    assert f"{hub.host} answered 401: Invalid username or password." in sentence
    assert "Is HF_TOKEN a token of that Hub?" in sentence


@pytest.mark.parametrize(
    ("part", "status", "words"),
    [
        ("/repos/create", 403, "it needs the right to write there"),
        ("/preupload/", 403, "it needs the right to write there"),
        ("/commit/", 412, "push again"),
        ("/commit/", 500, "500"),
        ("/info/lfs/", 413, "413"),
        ("/objects/", 403, "403"),
    ],
)
def test_a_refusal_in_the_middle_leaves_the_repository_as_it_was(hub, release, part, status, words):
    if "/repos/" not in part:
        hub.make(TO)
    hub.refuses[part] = (status, "Not today.")
    sentence = fault(hub)
    assert words in sentence
    assert "\n" not in sentence
    assert not hub.repositories.get(TO) or len(hub.repositories[TO].commits) == 1
    hub.refuses.clear()
    call_command("release", "push", "first", "--to", TO, "--endpoint", hub.url)
    assert set(pushed_files(hub)) == {file.path for file in release.exports.in_package()}


def test_an_upload_whose_connection_is_cut_once_is_sent_again(hub, release):
    hub.cuts_uploads = 1
    call_command("release", "push", "first", "--to", TO, "--endpoint", hub.url)
    assert hub.cuts_uploads == 0
    assert set(pushed_files(hub)) == {file.path for file in release.exports.in_package()}


def test_a_file_that_the_repository_ignores_is_missed(hub, release):
    hub.ignored = ("README.md",)
    sentence = fault(hub)
    assert "does not hold these files as they were sent: README.md" in sentence
    assert ".gitignore" in sentence


def test_a_hub_without_tags_still_takes_the_files(hub, release, capsys):
    hub.has_tags = False
    call_command("release", "push", "first", "--to", TO, "--endpoint", hub.url)
    assert "has no tag" in capsys.readouterr().err
    assert set(pushed_files(hub)) == {file.path for file in release.exports.in_package()}


def test_a_hub_that_is_not_there(hub, release):
    hub.server.shutdown()
    hub.server.server_close()
    assert hub.host in fault(hub)


@pytest.mark.parametrize("repository", ["kernels", "ada/kernels/more", "ada kernels/x", "../x", "ada/\n"])
def test_what_is_no_repository(repository):
    with pytest.raises(PushError, match="OWNER/NAME"):
        destination(repository)


@pytest.mark.parametrize(
    "endpoint", ["huggingface.co", "ftp://x", "https://a:b@x", "https://x?y", "https://x:port"]
)
def test_what_is_no_endpoint(endpoint):
    with pytest.raises(PushError, match="not an address of a Hub"):
        destination("ada/kernels", endpoint)


def test_the_endpoint_is_the_environment_s_or_the_public_hub(monkeypatch):
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    assert destination("ada/kernels").endpoint == "https://huggingface.co"
    monkeypatch.setenv("HF_ENDPOINT", "https://hub.example.org/")
    assert destination("ada/kernels").endpoint == "https://hub.example.org"
