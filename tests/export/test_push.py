"""Tests of pushing a release to a Hub, by huggingface_hub against a small Hub on loopback."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from huggingface_hub import HfApi

from datasets_app.accounts.actor import COMMAND
from datasets_app.curate import freeze
from datasets_app.curate.definition import parse
from datasets_app.export import publication
from datasets_app.export.finish import finish_files
from datasets_app.export.request import request_export
from datasets_app.models import AuditEntry
from tests.curate.store import PASSED, frozen, passed
from tests.export.reading import folder
from tests.export.receiving_hub import TOKEN

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database,
    pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning"),  # huggingface_hub's calls of httpx
]
TO = "ada/kernels"


def push(hub, capsys, name="first", *options):
    """Run the command; return its last line and what it said to people."""
    call_command("release", "push", name, "--to", TO, "--endpoint", hub.url, *options)
    said = capsys.readouterr()
    return json.loads(said.out.splitlines()[-1]), said.err


def contents(release):
    files = release.exports.in_package()
    return {file.path: (folder(release) / file.path).read_bytes() for file in files}


def pushed_files(hub):
    there = dict(hub.repositories[TO].commits[-1].files)
    del there[".gitattributes"]  # every repository of a Hub has one
    return there


def refused(hub, capsys, *options, name="first"):
    """Run the command, which must fail without a word to the Hub that changes anything; return its sentence."""
    before = len(hub.writes())
    with pytest.raises(CommandError) as found:
        push(hub, capsys, name, *options)
    assert len(hub.writes()) == before
    return str(found.value)


def test_the_first_push_makes_the_repository_with_exactly_the_release_s_files(hub, release, capsys):
    answer, said = push(hub, capsys)
    repository = hub.repositories[TO]
    assert pushed_files(hub) == contents(release)
    assert [commit.title for commit in repository.commits] == ["initial commit", "Release first"]
    assert repository.tags == {"first": answer["commit"]}
    assert answer["commit"] == repository.commits[-1].oid
    assert (answer["release"], answer["repository"], answer["changed"]) == ("first", TO, True)
    assert "a push makes it" in said
    entry = AuditEntry.objects.get(action="release.push")
    assert entry.detail["commit"] == answer["commit"]


def test_what_was_pushed_is_read_by_the_hub_s_own_client(hub, release, capsys, tmp_path):
    push(hub, capsys)
    api = HfApi(endpoint=hub.url, token=TOKEN)
    stored = api.hf_hub_download(TO, "README.md", repo_type="dataset", revision="first", local_dir=tmp_path)
    assert Path(stored).read_bytes() == contents(release)["README.md"]


def test_a_second_push_changes_nothing(hub, release, capsys):
    first, _ = push(hub, capsys)
    second, said = push(hub, capsys)
    assert (second["commit"], second["changed"], second["tagged"]) == (
        first["commit"],
        False,
        first["commit"],
    )
    assert "holds the release already" in said
    assert len(hub.repositories[TO].commits) == 2
    assert AuditEntry.objects.filter(action="release.push").count() == 1


def test_a_dry_run_says_what_would_change_and_sends_nothing(hub, release, capsys):
    answer, said = push(hub, capsys, "first", "--dry-run")
    assert not hub.writes()
    assert sorted(answer["added"]) == sorted(contents(release))
    assert "add README.md" in said
    assert not AuditEntry.objects.filter(action="release.push").exists()


def test_another_release_replaces_what_a_push_wrote_and_keeps_what_others_wrote(hub, release, capsys):
    request_export(release, "csv", COMMAND)
    finish_files(release)
    push(hub, capsys)
    repository = hub.repositories[TO]
    repository.add({**repository.commits[-1].files, "notes/mine.txt": b"mine"}, set(), "by hand")
    passed()
    newer = frozen("second")
    finish_files(newer)
    answer, said = push(hub, capsys, "second")
    assert pushed_files(hub) == {**contents(newer), "notes/mine.txt": b"mine"}
    assert "csv/train.csv" in answer["deleted"]
    assert "README.md" in answer["replaced"]
    assert "notes/mine.txt" in answer["kept"]
    assert "keep 'notes/mine.txt', which is not of the release" in said
    assert set(repository.tags) == {"first", "second"}


def test_a_file_that_a_push_wrote_and_somebody_changed_since_is_kept(hub, release, capsys):
    request_export(release, "csv", COMMAND)
    finish_files(release)
    push(hub, capsys)
    repository = hub.repositories[TO]
    repository.add({**repository.commits[-1].files, "csv/train.csv": b"mine now"}, set(), "by hand")
    passed()
    finish_files(frozen("second"))
    answer, _ = push(hub, capsys, "second")
    assert "csv/train.csv" in answer["kept"]
    assert pushed_files(hub)["csv/train.csv"] == b"mine now"


def test_somebody_else_s_file_in_the_way_is_named_and_nothing_is_sent(hub, release, capsys):
    hub.make(TO, **{"README.md": b"my own card"})
    sentence = refused(hub, capsys)
    assert "README.md" in sentence
    assert "Delete them there, or push to another repository" in sentence


def test_a_yanked_release_is_not_pushed(hub, release, capsys):
    publication.yank(release, "the test split leaks", actor=COMMAND)
    assert "is yanked: the test split leaks" in refused(hub, capsys)
    assert not hub.requests


def test_an_unfinished_release_is_not_pushed(hub, capsys):
    freeze.create(COMMAND, name="second", definition=parse(PASSED), recipe_name="test")
    assert "Release second is queued" in refused(hub, capsys, name="second")


def test_a_release_whose_files_are_not_all_written_is_not_pushed(hub, release, capsys):
    request_export(release, "csv", COMMAND)
    assert "csv/" in refused(hub, capsys)
    assert not hub.requests


def test_a_damaged_file_is_named_with_the_way_to_write_it_again(hub, release, capsys):
    path = folder(release) / "jsonl/train.jsonl"
    path.write_bytes(path.read_bytes()[:-1] + b" ")
    sentence = refused(hub, capsys)
    assert "jsonl/train.jsonl is not as it was written" in sentence
    assert "manage.py release rebuild first" in sentence
    assert not hub.requests


def test_a_list_of_hashes_that_is_not_of_the_files_is_not_pushed(hub, release, capsys):
    release.exports.get(path="LICENSE").delete()
    assert "SHA256SUMS does not list the release's files" in refused(hub, capsys)


def test_no_address_of_a_request_is_logged(hub, release, capsys, caplog):
    push(hub, capsys)
    assert hub.host not in caplog.text


def test_a_private_release_is_pushed_to_a_private_repository_alone(hub, release, capsys):
    publication.set_visibility(release, "private", actor=COMMAND)
    assert "others could read ada/kernels" in refused(hub, capsys)
    hub.make(TO)
    assert "others could read ada/kernels" in refused(hub, capsys)
    del hub.repositories[TO]
    push(hub, capsys, "first", "--private")
    assert hub.repositories[TO].private
    assert pushed_files(hub) == contents(release)


def test_a_push_makes_no_public_repository_private(hub, release, capsys):
    hub.make(TO)
    assert "is not private" in refused(hub, capsys, "--private")
