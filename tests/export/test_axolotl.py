"""Tests that Axolotl's own chat_template strategy takes a release's conversations as the card's YAML says.

They run where it is installed (`pip install axolotl`): the project itself does not need it.
"""

from pathlib import Path

import pytest
import yaml

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import request_export
from datasets_app.export.finish import finish_files
from datasets_app.traces import tokenizer as own_tokenizer
from tests.export import reading
from tests.export.releases import release_for_every_format

pytestmark = [pytest.mark.django_db, pytest.mark.long, pytest.mark.filterwarnings("ignore")]
CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
NOT_TRAINED = -100


@pytest.fixture
def tokenizer():
    import transformers

    path = Path(own_tokenizer.__file__).with_name("tokenizer.json")
    made = transformers.PreTrainedTokenizerFast(tokenizer_file=str(path), eos_token="<|im_end|>")
    made.chat_template = CHATML
    return made


def tokenized(format, tokenizer):
    """Return each record of the format's file with what Axolotl makes of it, told by the release's card."""
    strategies = pytest.importorskip("axolotl.prompt_strategies.chat_template")
    from axolotl.utils.dict import DictDefault

    release = release_for_every_format()
    request_export(release, format, COMMAND)
    finish_files(release)
    folder = reading.folder(release)
    card = (folder / "README.md").read_text()
    (dataset,) = yaml.safe_load(card.partition("```yaml\n")[2].partition("```")[0])["datasets"]
    configuration = DictDefault({"sequence_len": 4096, "chat_template": "tokenizer_default"})
    strategy = strategies.load(tokenizer, configuration, dataset)
    for record in reading.lines((folder / dataset["path"]).read_bytes()):
        yield record, strategy.tokenize_prompt(record)


def trained_text(tokenizer, made):
    return tokenizer.decode([label for label in made["labels"] if label != NOT_TRAINED])


def test_it_trains_on_each_answer_and_on_no_question(tokenizer):
    pairs = list(tokenized("chat-jsonl", tokenizer))
    assert pairs
    for record, made in pairs:
        question, answer = (message["content"] for message in record["messages"])
        text = trained_text(tokenizer, made)
        assert answer in text
        assert question not in text


def test_it_leaves_the_spans_of_faults_out(tokenizer):
    masked = 0
    for record, made in tokenized("chat-masked", tokenizer):
        answer = record["messages"][-1]
        text = trained_text(tokenizer, made)
        assert text
        for span in answer["train_detail"]:
            if not span["train"]:
                masked += 1
                assert answer["content"] not in text
    assert masked
