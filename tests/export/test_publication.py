"""Tests of who may read a release, of its description, of yanking one and of naming its successor."""

import json

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client

from concur_site.activity import words
from datasets_app.accounts.actor import COMMAND
from datasets_app.accounts.ownership import readable_releases
from datasets_app.curate import freeze, recipes
from datasets_app.curate.definition import parse
from datasets_app.export import publication
from datasets_app.export.finish import finish_files
from datasets_app.export.publication import PublicationError
from datasets_app.models import AuditEntry, Publication, Recipe, Release
from tests.api.clients import api, token_for
from tests.curate.store import frozen, passed
from tests.factories import acting, make_user
from tests.shared_rows import shared_release

pytestmark = pytest.mark.django_db
FILE = "/api/v1/releases/first/files/README.md"
EVERYWHERE = ("/releases/first/", "/api/v1/releases/first/", FILE, "/releases/first/files/README.md")
NOTHING = {"version": 1, "rules": [{"rule": "language", "languages": ["hip"]}]}  # such kernels are not there


def store() -> None:
    passed()
    finish_files(frozen("first"))


@pytest.fixture(scope="module", autouse=True)
def files(request):
    with shared_release(request, store) as folder:
        yield folder


def read(answer) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def statuses(client, name: str = "first") -> list[int]:
    return [client.get(path.replace("first", name)).status_code for path in EVERYWHERE]


def test_a_new_release_is_read_by_accounts_only(release, reader):
    assert statuses(Client()) == [302, 401, 401, 401]
    assert statuses(reader) == [200, 200, 200, 200]


def test_a_public_release_needs_no_header_anywhere(release):
    publication.set_visibility(release, "public", actor=COMMAND)
    assert statuses(Client()) == [200, 200, 200, 200]
    assert Client().get("/api/datasets/concur/first").json()["private"] is False
    assert Client().get("/datasets/concur/first/resolve/main/README.md").status_code == 200


def test_a_stranger_finds_the_public_releases_from_the_sign_in_page(release):
    made = frozen("second")
    finish_files(made)
    assert 'href="/releases/"' in read(Client().get("/", follow=True)).decode()
    assert "No release is public" in read(Client().get("/releases/")).decode()
    publication.set_visibility(release, "public", actor=COMMAND)
    page = read(Client().get("/releases/")).decode()
    assert 'href="/releases/first/"' in page
    assert "second" not in page
    assert ">Recipes<" not in page


def test_a_public_release_that_is_not_finished_is_not_shown_to_strangers():
    made = frozen("empty", NOTHING)
    publication.set_visibility(made, "public", actor=COMMAND)
    assert made.state == "failed"
    assert statuses(Client(), "empty") == [302, 401, 401, 401]


def test_a_private_release_is_read_by_its_creator_curators_and_the_people_it_names(release, reader, curator):
    ada, creator = make_user("reader", "ada"), make_user("annotator", "grace")
    type(release)._base_manager.filter(pk=release.pk).update(created_by=creator)
    publication.set_visibility(release, "private", ["ada"], actor=COMMAND)
    assert statuses(reader) == [404, 404, 404, 404]
    assert statuses(curator) == [200, 200, 200, 200]
    for person in (ada, creator):
        assert statuses(api(token_for(person, "read")))[1:] == [200, 200, 200]
    assert list(readable_releases(acting(make_user("reader")))) == []


def test_a_private_release_is_in_no_list_of_those_who_may_not_read_it(release, reader):
    publication.set_visibility(release, "private", actor=COMMAND)
    assert "/releases/first/" not in reader.get("/releases/").content.decode()
    assert api().get("/api/v1/releases/").json()["results"] == []


def test_the_versions_of_its_recipe_name_a_private_release_only_to_those_who_may_read_it(client):
    mine = Recipe.objects.create(name="mine", definition=NOTHING)
    recipes.add_version(COMMAND, mine, "")
    hidden = freeze.create(COMMAND, name="unannounced", definition=parse(NOTHING), recipe=mine)
    publication.set_visibility(hidden, "private", actor=COMMAND)
    for role, is_named in (("reader", False), ("curator", True)):
        client.force_login(make_user(role))
        assert ("unannounced" in client.get("/curate/mine/versions/").content.decode()) is is_named


def test_a_refusal_says_whom_to_ask(release):
    publication.set_visibility(release, "private", actor=COMMAND)
    assert "its creator or a curator can name you" in api().get("/api/v1/releases/first/").json()["detail"]


def test_a_stranger_is_told_the_same_of_a_private_release_and_of_none(release):
    publication.set_visibility(release, "private", actor=COMMAND)
    answers = [Client().get(f"/api/v1/releases/{name}/") for name in ("first", "none")]
    assert [answer.status_code for answer in answers] == [401, 401]
    texts = {answer.json()["detail"].replace("first", "none") for answer in answers}
    assert len(texts) == 1


def test_changing_who_may_read_is_audited_in_words_and_leaves_the_release_alone(release):
    before = Release.objects.filter(pk=release.pk).values().get()
    publication.set_visibility(release, "public", actor=acting(make_user("curator", "ada")))
    publication.set_visibility(release, "public", actor=COMMAND)  # changes nothing, and is not recorded
    entry = AuditEntry.objects.get(action="release.visibility")
    assert (entry.actor_name, words(entry)) == ("ada", "changed who may read first from token to public")
    assert Release.objects.filter(pk=release.pk).values().get() == before


def test_a_reader_changes_nothing(release):
    actor = acting(make_user("annotator"))
    for verb, arguments in (
        (publication.set_visibility, ("public",)),
        (publication.yank, ("wrong",)),
        (publication.unyank, ()),
        (publication.supersede, ("first",)),
        (publication.describe, ("mine",)),
    ):
        with pytest.raises(PermissionDenied):
            verb(release, *arguments, actor=actor)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [(("open",), "is not a visibility"), (("private", ["nobody"]), "There is no active account nobody")],
)
def test_a_visibility_that_cannot_be_is_refused_in_words(release, arguments, sentence):
    with pytest.raises(PublicationError, match=sentence):
        publication.set_visibility(release, *arguments, actor=COMMAND)
    assert not Publication.objects.exists() or Publication.objects.get().visibility == "token"


def test_a_yanked_release_is_still_sent_with_a_warning_and_its_card_says_why(release):
    publication.yank(release, "two splits share a problem\nsee the report “leaks”", actor=COMMAND)
    answer = api().get(FILE)
    assert answer.status_code == 200
    assert "Release first is yanked: two splits share a problem see the report ?leaks?" in answer["Warning"]
    assert answer["X-HF-Warning"].startswith("yanked; Release first is yanked")
    card = read(answer).decode()
    assert "> **Yanked on " in card
    assert "two splits share a problem see the report “leaks”" in card
    body = api().get("/api/v1/releases/first/").json()["publication"]
    assert body["yank_reason"].startswith("two splits")
    assert body["yanked_at"]


def test_the_description_replaces_the_notes_on_the_page_and_the_card_and_in_no_row(release, curator):
    before = Release.objects.get(pk=release.pk)
    answer = curator.post("/releases/first/describe/", {"description": "## Read first\r\nno bf16 "})
    assert answer.status_code == 302
    assert "no bf16" in curator.get("/releases/first/").content.decode()
    assert "## Read first\nno bf16\n\n" in read(api().get(FILE)).decode()
    croissant = json.loads(read(api().get(FILE.replace("README.md", "croissant.json"))))
    assert croissant["description"] == "## Read first\nno bf16"
    after = Release.objects.get(pk=release.pk)
    assert (after.notes, after.content_sha256) == (before.notes, before.content_sha256)
    assert words(AuditEntry.objects.get(action="release.describe")) == "changed the description of first"


def test_a_description_that_cannot_be_stored_comes_back_with_what_was_typed(release, curator):
    answer = curator.post("/releases/first/describe/", {"description": "half a \x01 word"})
    assert answer.status_code == 400
    assert "The description" in (text := answer.content.decode())
    assert "half a " in text
    answer = curator.patch(
        "/api/v1/releases/first/publication/",
        {"description": "x" * 20_001},
        content_type="application/json",
    )
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["description"])


def test_a_yank_is_taken_back_and_the_card_is_as_it_was(release):
    before = release.exports.get(path="README.md").sha256
    publication.yank(release, "wrong", actor=COMMAND)
    assert release.exports.get(path="README.md").sha256 != before
    publication.unyank(release, actor=COMMAND)
    assert release.exports.get(path="README.md").sha256 == before
    assert "Warning" not in api().get(FILE)
    with pytest.raises(PublicationError, match="is not yanked"):
        publication.unyank(release, actor=COMMAND)


@pytest.mark.parametrize("reason", ["", "   ", "x" * 1001, "a\x1bb"])
def test_a_yank_needs_a_reason_that_can_be_shown(release, reason):
    with pytest.raises(PublicationError):
        publication.yank(release, reason, actor=COMMAND)


def test_a_yanked_release_is_not_yanked_again(release):
    publication.yank(release, "wrong", actor=COMMAND)
    with pytest.raises(PublicationError, match="is yanked already"):
        publication.yank(release, "other", actor=COMMAND)
    assert Publication.objects.get().yank_reason == "wrong"


def test_a_successor_is_another_finished_release_and_no_circle(release):
    second = frozen("second")
    publication.supersede(release, "second", actor=COMMAND)
    assert api().get("/api/v1/releases/first/").json()["publication"]["superseded_by"] == "second"
    assert b"Superseded by `concur/second`" in read(api().get(FILE))
    for later, name in ((release, "first"), (second, "first"), (release, "none")):
        with pytest.raises(PublicationError):
            publication.supersede(later, name, actor=COMMAND)
    publication.supersede(release, "", actor=COMMAND)
    assert Publication.objects.get(release=release).superseded_by is None


def test_rest_changes_each_field_that_is_sent_and_all_or_nothing(release):
    client = api(token_for(make_user("curator"), "read", "curate"))
    path = "/api/v1/releases/first/publication/"
    make_user("reader", "ada")
    answer = client.patch(path, {"visibility": "private", "readers": ["ada"], "yank_reason": "wrong"})
    assert answer.status_code == 200
    assert answer.json()["readers"] == ["ada"]
    assert answer.json()["yank_reason"] == "wrong"
    answer = client.patch(path, {"visibility": "public", "superseded_by": "none"})
    assert answer.status_code == 400
    assert "no finished release" in answer.json()["errors"]["superseded_by"][0]
    assert Publication.objects.get().visibility == "private"
    assert client.patch(path, {"yank_reason": ""}).json()["yanked_at"] is None
    assert api().patch(path, {"visibility": "public"}).status_code == 403
