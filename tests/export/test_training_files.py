"""Tests of a release's files for training: made of its frozen rows, described for the trainers, the same again."""

import json

import pytest
import yaml

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import FORMATS, request_export
from datasets_app.export.errors import ExportError
from datasets_app.export.finish import finish_files, rewrite_files, write_into
from tests.curate.store import FIRST_PROGRAM, frozen, passed
from tests.export.reading import lines, parquet, texts_of
from tests.export.releases import ALL_TRAIN, release_for_every_format
from tests.factories import PROGRAM, make_sample, make_task

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
TEMPLATE = "Make `{task}` fast:\n{program}"


@pytest.fixture
def release(db):
    return release_for_every_format()


def make(release, format, **chosen):
    files = request_export(release, format, COMMAND, chosen)
    finish_files(release)
    for file in files:
        file.refresh_from_db()
    return files


def test_every_format_is_made_and_a_second_writing_is_the_same_to_the_byte(release, export_folder):
    for format in FORMATS:
        make(release, format)
    done = release.exports.filter(split="train")
    assert {file.format for file in done} == set(FORMATS)
    for file in done:
        (export_folder / "first" / file.path).unlink()
    result = rewrite_files(release)
    assert (len(result["written"]), result["different"]) == (len(FORMATS), [])


def test_a_conversation_holds_what_the_rows_hold(release, export_folder):
    make(release, "chat-jsonl")
    make(release, "jsonl")
    folder = export_folder / "first"
    rows = {row["id"]: row for row in lines((folder / "jsonl/train.jsonl").read_bytes())}
    records = lines((folder / "chat-jsonl/train.jsonl").read_bytes())
    assert len(records) == len(rows) == 5
    for record in records:
        one = rows[record["id"]]
        trace, kernel = texts_of(record["messages"][1]["content"])
        assert (trace, kernel) == (one["generated_think"], one["generated_code"])


def test_another_prompt_has_files_of_its_own_beside_the_first(release, export_folder):
    (plain,) = make(release, "chat")
    (other,) = make(release, "chat", template=TEMPLATE)
    assert plain.path == "chat/train-00000-of-00001.parquet"
    assert other.path != plain.path
    assert other.options == {"template": TEMPLATE}
    (first, *_) = parquet((export_folder / "first" / other.path).read_bytes())
    assert first["messages"][0]["content"].startswith("Make `relu_plus_")
    assert make(release, "chat", template=TEMPLATE) == [other]


def test_a_format_without_records_is_refused_in_a_sentence_and_makes_no_file():
    passed()
    release = frozen(definition=ALL_TRAIN)
    for format, says in [
        ("preference", "a pair needs two samples of one task"),
        ("chat-masked", "no note marks"),
    ]:
        with pytest.raises(ExportError, match=says):
            request_export(release, format, COMMAND)
    assert set(release.exports.values_list("format", flat=True)) == {"jsonl", "parquet"}


def test_rows_that_nobody_judged_have_no_labels():
    make_sample()
    with pytest.raises(ExportError, match="none has a label"):
        request_export(frozen(definition=ALL_TRAIN), "kto", COMMAND)


def test_a_split_without_records_gets_no_file():
    tasks = [make_task(PROGRAM.format(number=FIRST_PROGRAM + number)) for number in range(10)]
    for task in tasks:
        passed(task, speedup=3.0)
    passed(tasks[0], speedup=1.0)
    release = frozen()
    (file,) = make(release, "preference")
    assert len(release.splits) > 1
    assert (file.record_count, file.records) == (1, 1)
    assert file.row_count == release.split_counts[file.split]


def test_the_command_says_why_nothing_was_written(tmp_path):
    passed()
    with pytest.raises(ExportError, match="No two of these rows make a pair"):
        write_into(frozen(definition=ALL_TRAIN), "preference", tmp_path)
    assert not list(tmp_path.rglob("*"))


def head(export_folder):
    return yaml.safe_load((export_folder / "first/README.md").read_text().split("---\n")[1])


def test_the_card_lists_conversations_as_a_second_config_and_no_json_lines(release, export_folder):
    for format in FORMATS:
        make(release, format)
    (other,) = make(release, "chat", template=TEMPLATE)
    said = head(export_folder)
    names = ["default", "chat", other.path.split("/")[0]]
    assert [config["config_name"] for config in said["configs"]] == names
    assert said["configs"][1]["data_files"] == [{"split": "train", "path": "chat/train-*"}]
    assert [info["config_name"] for info in said["dataset_info"]] == names
    assert said["dataset_info"][1]["features"][0] == {
        "name": "messages",
        "list": [{"name": "role", "dtype": "string"}, {"name": "content", "dtype": "string"}],
    }
    assert said["dataset_info"][1]["splits"][0]["num_examples"] == 5


def test_llama_factory_finds_the_conversations_by_dataset_info(release, export_folder):
    make(release, "chat-jsonl")
    folder = export_folder / "first"
    entries = json.loads((folder / "dataset_info.json").read_text())
    entry = entries["first-chat-jsonl-train"]
    (record, *_) = lines((folder / entry["file_name"]).read_bytes())
    roles = [message[entry["tags"]["role_tag"]] for message in record[entry["columns"]["messages"]]]
    assert (entry["formatting"], roles) == ("sharegpt", ["user", "assistant"])
    assert "dataset_info.json" in (folder / "SHA256SUMS").read_text()


def test_a_release_without_conversations_has_no_such_file(release, export_folder):
    finish_files(release)
    assert not (export_folder / "first/dataset_info.json").exists()
    assert "## Train on it" not in (export_folder / "first/README.md").read_text()


def test_the_card_has_axolotls_yaml_and_the_prompt(release, export_folder):
    make(release, "chat-masked", template="```\n---\n{program}")
    text = (export_folder / "first/README.md").read_text()
    (file,) = release.exports.filter(format="chat-masked")
    (dataset,) = yaml.safe_load(text.partition("```yaml\n")[2].partition("```")[0])["datasets"]
    assert (dataset["path"], dataset["type"]) == (file.path, "chat_template")
    assert dataset["message_field_training_detail"] == "train_detail"
    assert "````text\n```\n---\n{program}\n````" in text
