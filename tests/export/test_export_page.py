"""Tests of choosing a format: on the page without JavaScript, by command, and by REST."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from datasets_app.export.columns import NAMES
from datasets_app.export.finish import finish_files
from datasets_app.export.formats import FORMATS
from datasets_app.models import Export, JobState
from tests.api.clients import api, token_for
from tests.curate.store import frozen, passed
from tests.export.reading import lines
from tests.factories import make_task, make_user

pytestmark = pytest.mark.django_db
URL = "/releases/first/export/"
REST = "/api/v1/releases/first/exports/"
ALL_TRAIN = {"version": 1, "rules": []}
TEMPLATE = "Write <b>{task}</b> again:\n{program}"


@pytest.fixture
def release(db):
    task = make_task()
    passed(task, speedup=3.0, reasoning="<script>alert(1)</script>\u202e")
    passed(task, speedup=1.0)
    return frozen(definition=ALL_TRAIN)


def test_the_page_lists_every_format_with_what_it_holds(release, curator):
    text = curator.get(URL).content.decode()
    for name, made in FORMATS.items():
        assert f'href="?format={name}"' in text
        assert made.title in text


def test_the_release_leads_there_for_those_who_may(release, curator, reader):
    assert URL in curator.get("/releases/first/").content.decode()
    assert URL not in reader.get("/releases/first/").content.decode()
    assert reader.get(URL).status_code == 403


@pytest.mark.parametrize("format", FORMATS)
def test_each_format_has_a_form_whose_default_makes_the_default_files(release, curator, format):
    form = curator.get(URL, {"format": format}).context["form"]
    sent = {
        "columns": [choice.name for choice in form.columns()],
        "pairs": [choice.name for choice in form.pairs()],
        "template": form.template.replace("\n", "\r\n"),
        "think": "on",
        "numbered": "on",
    }
    chosen = {name: sent[name] for name in form.made.takes}
    answer = curator.post(URL, {"format": format, "options": "1", "do": "make", **chosen})
    if format in ("chat-masked", "chat-turns"):  # the release has neither notes nor trajectories
        assert (answer.status_code, form.made.nothing[:20] in answer.content.decode()) == (400, True)
    else:
        assert answer.status_code == 302
        assert release.exports.filter(format=format).get().options == {}


def test_a_preview_shows_the_first_record_escaped_and_makes_nothing(release, curator):
    before = release.exports.count()
    fields = {"format": "chat", "options": "1", "template": TEMPLATE, "think": "on", "do": "preview"}
    answer = curator.post(URL, fields)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "messages: assistant" in text
    assert "&lt;b&gt;relu_plus" in text
    assert "<script>alert" not in text
    assert "\u202e" not in text
    assert release.exports.count() == before


def test_a_preview_of_a_pair_shows_both_answers(release, curator):
    fields = {
        "format": "preference",
        "options": "1",
        "template": "{program}",
        "pairs": ["fast"],
        "do": "preview",
    }
    names = [name for name, _ in curator.post(URL, fields).context["form"].preview]
    assert names[:3] == ["prompt: user", "chosen: assistant", "rejected: assistant"]


def test_a_wrong_prompt_is_explained_and_kept(release, curator):
    for do in ("make", "preview"):
        fields = {"format": "chat", "options": "1", "template": "Faster: {trace}", "do": do}
        answer = curator.post(URL, fields)
        text = answer.content.decode()
        assert answer.status_code == 400
        assert "names {trace}, which it cannot" in text
        assert "Faster: {trace}</textarea>" in text
    assert not release.exports.filter(format="chat").exists()


def test_options_on_the_page_are_stored_with_the_files(release, curator, export_folder):
    fields = {"format": "csv", "options": "1", "columns": ["level", "uuid"], "do": "make"}
    curator.post(URL, fields)
    file = release.exports.get(format="csv")
    assert file.options == {"columns": ["uuid", "level"]}
    finish_files(release)
    first, *_ = (export_folder / "first" / file.path).read_text().splitlines()
    assert first == '"uuid","level"'


def test_a_failed_file_is_tried_again_with_its_own_options(release, curator):
    curator.post(URL, {"format": "chat", "options": "1", "template": TEMPLATE, "do": "make"})
    file = release.exports.get(format="chat")
    Export.objects.filter(pk=file.pk).update(state=JobState.FAILED, error="the disk was full")
    curator.post(URL, {"format": "chat", "file": file.path})
    file.refresh_from_db()
    assert (file.state, release.exports.filter(format="chat").count()) == (JobState.QUEUED, 1)


def test_an_unknown_format_is_refused_with_those_there_are(release, curator):
    for answer in (curator.get(URL, {"format": "xlsx"}, follow=True), curator.post(URL, {}, follow=True)):
        assert "is not a format; the formats are jsonl, parquet" in answer.content.decode()


def run(*args) -> dict:
    out = StringIO()
    call_command("export", "first", *args, stdout=out)
    return json.loads(out.getvalue().splitlines()[-1])


def test_the_command_takes_the_same_options(release, tmp_path):
    (tmp_path / "prompt.txt").write_text(TEMPLATE + "\n")
    chosen = ("--template", str(tmp_path / "prompt.txt"), "--no-think")
    result = run("--format", "chat-jsonl", "--out", str(tmp_path / "out"), *chosen)
    (file,) = result["files"]
    first, _ = lines(open(file["path"], "rb").read())  # noqa: SIM115
    assert first["messages"][0]["content"].startswith("Write <b>relu_plus")
    assert "<think>" not in first["messages"][1]["content"]
    assert run("--format", "csv", "--columns", "uuid, level", "--out", str(tmp_path))["rows"] == 2


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        (("--format", "csv", "--no-think"), "no option 'think'"),
        (("--format", "csv", "--columns", "speed"), "no 'speed' among the columns"),
        (("--format", "chat", "--template", "/nowhere/prompt.txt"), "No such file"),
        (("--format", "preference", "--pairs", "honest"), "No two of these rows make a pair"),
    ],
)
def test_the_command_refuses_in_a_sentence(release, tmp_path, chosen, says):
    with pytest.raises(CommandError, match=says):
        run(*chosen, "--out", str(tmp_path / "out"))


def curators_api():
    return api(token_for(make_user("curator"), "read", "curate"))


def test_rest_lists_formats_and_makes_files(release):
    client = curators_api()
    listed = {entry["name"]: entry["takes"] for entry in client.get(REST).json()}
    assert listed["chat"] == ["template", "think"]
    answer = client.post(REST, {"format": "chat", "options": {"think": False}})
    (file,) = answer.json()
    assert (answer.status_code, file["options"], file["state"]) == (202, {"think": False}, "queued")
    assert client.get("/api/v1/releases/first/").json()["files"]


def test_rest_says_what_is_wrong_with_an_option(release):
    client = curators_api()
    answer = client.post(REST, {"format": "chat", "options": {"template": "Faster!"}})
    assert answer.status_code == 400
    assert "lacks {program}" in answer.json()["errors"]["options.template"][0]
    answer = client.post(REST, {"format": "chat-masked"})
    assert (answer.status_code, "no note marks" in answer.json()["detail"]) == (400, True)
    answer = client.post(REST, {"format": "csv", "options": {"speed": 1}})
    assert answer.json()["errors"] == {"options.speed": ["This format has no option 'speed'."]}
    assert client.post(REST, {"format": "xlsx"}).status_code == 400
    assert (
        client.post(REST, {"format": "csv", "options": {"columns": list(NAMES[:1]) * 2}}).status_code == 202
    )
