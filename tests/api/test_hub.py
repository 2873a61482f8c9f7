"""Tests of the Hub's protocol, address by address; tests/export/test_hub_clients.py runs the real clients."""

import pytest
from django.test import Client

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import publication
from datasets_app.export.finish import finish_files
from datasets_app.models import Release
from tests.api.clients import api
from tests.curate.store import frozen, small_store
from tests.shared_rows import own_release, shared_release

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
ABOUT = "/api/datasets/concur/first"
FILES = "/datasets/concur/first/resolve/main"


def store() -> None:
    small_store()
    made = frozen()
    finish_files(made)
    publication.set_visibility(made, "public", actor=COMMAND)


@pytest.fixture(scope="module")
def files(request):
    with shared_release(request, store) as folder:
        yield folder


@pytest.fixture
def release(db, files, settings, tmp_path) -> Release:
    settings.EXPORT_DIR = tmp_path
    return own_release(files, tmp_path)


@pytest.fixture
def commit(release) -> str:
    return release.content_sha256[:40]


def test_the_commit_is_forty_digits_of_the_content_hash_and_a_revision(release, commit):
    for revision in ("main", commit):
        assert Client().get(f"{ABOUT}/revision/{revision}").json()["sha"] == commit
    answer = Client().head(f"/datasets/concur/first/resolve/{commit}/README.md")
    assert answer["X-Repo-Commit"] == commit


def test_a_file_says_its_hash_and_size_before_it_is_fetched(release):
    readme = release.exports.get(path="README.md")
    answer = Client().head(f"{FILES}/README.md")
    assert answer["ETag"] == answer["X-Linked-Etag"] == f'"{readme.sha256}"'
    assert answer["Content-Length"] == answer["X-Linked-Size"] == str(readme.size_bytes)
    assert answer["Accept-Ranges"] == "bytes"
    ranged = Client().get(f"{FILES}/README.md", headers={"Range": "bytes=0-2"})
    assert (ranged.status_code, b"".join(ranged.streaming_content)) == (206, b"---")


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        (f"{FILES}/first.py", 404, "EntryNotFound"),
        (f"{FILES}/.huggingface.yaml", 404, "EntryNotFound"),
        (f"{FILES}/dataset_infos.json", 404, "EntryNotFound"),
        (f"{FILES}/a%0D%C3%A9b", 404, "EntryNotFound"),
        (f"{FILES}/../../secret-key", 404, "EntryNotFound"),
        (f"{ABOUT}/tree/main/nowhere", 404, "EntryNotFound"),
        (f"{ABOUT}/revision/v2", 404, "RevisionNotFound"),
        ("/datasets/concur/first/resolve/v2/README.md", 404, "RevisionNotFound"),
        ("/api/datasets/concur/none", 401, "RepoNotFound"),
        ("/api/datasets/others/first", 401, "RepoNotFound"),
    ],
)
def test_what_there_is_not_is_refused_in_json_with_the_hubs_code(release, path, status, code):
    answer = Client().get(path)
    assert answer.status_code == status
    assert answer["X-Error-Code"] == code
    assert answer["X-Error-Message"]
    assert answer.json()["error"]


def test_an_account_is_told_that_there_is_no_such_release(release):
    answer = api().get("/api/datasets/concur/none")
    assert (answer.status_code, answer["X-Error-Code"]) == (404, "RepoNotFound")


def test_an_unfinished_release_is_no_repository(release, settings):
    Release._base_manager.filter(pk=release.pk).update(state="running")
    assert api().get(ABOUT).status_code == 404


def test_only_finished_files_are_in_the_repository(release):
    release.exports.filter(path="jsonl/train.jsonl").update(state="failed")
    names = {one["rfilename"] for one in Client().get(ABOUT).json()["siblings"]}
    assert "README.md" in names
    assert "jsonl/train.jsonl" not in names


def test_a_tree_lists_a_folder_or_everything_below_it(release):
    def paths(address):
        return [one["path"] for one in Client().get(f"{ABOUT}/{address}").json()]

    assert {"data", "jsonl", "README.md"} <= set(paths("tree/main"))
    assert "data/train-00000-of-00001.parquet" not in paths("tree/main")
    assert "data/train-00000-of-00001.parquet" in paths("tree/main?recursive=true")
    assert all(path.startswith("data/") for path in paths("tree/main/data"))


def test_paths_are_told_apart_from_those_that_there_are_not(release):
    body = {"paths": ["README.md", "data", "nothing"]}
    found = Client().post(f"{ABOUT}/paths-info/main", body, content_type="application/json").json()
    assert [(one["path"], one["type"]) for one in found] == [("README.md", "file"), ("data", "directory")]
    assert Client().post(f"{ABOUT}/paths-info/main", {"paths": ["LICENSE"]}).json()[0]["path"] == "LICENSE"


@pytest.mark.parametrize("body", [{}, [], {"paths": 3}, {"paths": [1]}, {"paths": ["x"] * 1001}])
def test_paths_that_cannot_be_read_are_refused_in_words(release, body):
    answer = Client().post(f"{ABOUT}/paths-info/main", body, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["error"]


def test_another_hubs_token_is_no_obstacle_and_a_revoked_one_of_ours_is_named(release):
    theirs = Client(headers={"Authorization": "Bearer hf_abcdef"})
    assert theirs.get(ABOUT).status_code == 200
    ours = Client(headers={"Authorization": "Bearer cw_revoked"})
    answer = ours.get(ABOUT)
    assert answer.status_code == 401
    assert "unknown or revoked" in answer["X-Error-Message"]


def test_the_namespace_is_the_sites_own(release, settings):
    settings.HUB_NAMESPACE = "team"
    assert Client().get(ABOUT).status_code == 401
    assert Client().get("/api/datasets/team/first").json()["id"] == "team/first" == release.hub_id


def test_a_file_costs_a_fixed_number_of_queries(release, django_assert_num_queries):
    with django_assert_num_queries(2):  # the release and the file
        Client().get(f"{FILES}/README.md")
    with django_assert_num_queries(2):
        Client().get(f"{ABOUT}/tree/main?recursive=1")


def test_croissant_leads_to_every_file_and_its_hash(release, commit):
    made = Client().get(f"{ABOUT}/croissant").json()
    assert made["@type"] == "sc:Dataset"
    assert made["distribution"]
    for file in made["distribution"]:
        assert file["contentUrl"].startswith(f"http://testserver/datasets/concur/first/resolve/{commit}/")
        answer = Client().head(file["contentUrl"].removeprefix("http://testserver"))
        assert (answer.status_code, answer["ETag"]) == (200, f'"{file["sha256"]}"')


def test_a_release_without_parquet_has_no_croissant(release):
    release.exports.filter(path="croissant.json").delete()
    assert Client().get(f"{ABOUT}/croissant")["X-Error-Code"] == "EntryNotFound"
