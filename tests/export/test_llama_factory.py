"""Tests that LLaMA-Factory's own loader takes a release's conversations by the dataset_info.json beside them.

They run where it is installed (`pip install llamafactory`): the project itself does not need it.
"""

from types import SimpleNamespace

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import request_export
from datasets_app.export.finish import finish_files
from tests.export import reading
from tests.export.releases import release_for_every_format

pytestmark = [pytest.mark.django_db, pytest.mark.long, pytest.mark.filterwarnings("ignore")]


def test_its_loader_takes_each_conversation_as_prompt_and_response(tmp_path):
    loader = pytest.importorskip("llamafactory.data.loader")
    from llamafactory.data.parser import get_dataset_list
    from llamafactory.hparams import DataArguments, ModelArguments

    release = release_for_every_format()
    request_export(release, "chat-jsonl", COMMAND)
    finish_files(release)
    folder = str(reading.folder(release))
    (found,) = get_dataset_list(["first-chat-jsonl-train"], folder)
    rows = loader._load_single_dataset(
        found,
        ModelArguments(model_name_or_path="none", cache_dir=str(tmp_path / "cache")),
        DataArguments(dataset_dir=folder),
        SimpleNamespace(do_train=True, seed=1, local_process_index=0, should_log=False),
    )
    (file,) = release.exports.filter(format="chat-jsonl")
    records = reading.lines((reading.folder(release) / file.path).read_bytes())
    assert len(records) > 0
    for row, record in zip(rows, records, strict=True):
        question, answer = (message["content"] for message in record["messages"])
        assert row["_prompt"] == [{"role": "user", "content": question}]
        assert row["_response"] == [{"role": "assistant", "content": answer}]
