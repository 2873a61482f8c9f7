"""Tests that trl and transformers take a release's files as they are: templates, tokens, one step of training each.

They run where both are installed (`pip install trl peft`): the project itself needs neither. The documented forms that
LLaMA-Factory and Axolotl read are compared with the files in test_training_files.py.
"""

import copy
from pathlib import Path

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import request_export
from datasets_app.export.finish import finish_files
from datasets_app.traces import tokenizer as own_tokenizer
from tests.export import reading
from tests.export.releases import release_for_every_format

trl = pytest.importorskip("trl")
transformers = pytest.importorskip("transformers")
load_dataset = pytest.importorskip(
    "datasets"
).load_dataset  # last: it takes two seconds where the others are absent

pytestmark = [pytest.mark.django_db, pytest.mark.long, pytest.mark.filterwarnings("ignore")]
CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
FILES = {"chat": "parquet", "chat-jsonl": "json", "preference": "json", "kto": "json", "rl": "json"}


@pytest.fixture
def rows(db, tmp_path):
    """Return a format's rows as `load_dataset` reads them from the release's files."""
    release = release_for_every_format()

    def read(format):
        request_export(release, format, COMMAND)
        finish_files(release)
        files = release.exports.filter(format=format)
        paths = [str(reading.folder(release) / file.path) for file in files]
        return load_dataset(FILES[format], data_files=paths, split="train", cache_dir=str(tmp_path / "cache"))

    return read


@pytest.fixture
def tokenizer():
    path = Path(own_tokenizer.__file__).with_name("tokenizer.json")
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(path), eos_token="<|im_end|>", pad_token="<|pad|>"
    )
    made.chat_template = CHATML
    return made


@pytest.fixture
def model(tokenizer):
    """Return a language model of two small layers with random weights."""
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            max_position_embeddings=2048,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


def arguments(folder):
    return {
        "output_dir": str(folder),
        "max_steps": 1,
        "per_device_train_batch_size": 1,
        "use_cpu": True,
        "report_to": [],
        "save_strategy": "no",
        "bf16": False,
    }


@pytest.mark.parametrize("format", ["chat", "chat-jsonl"])
def test_a_chat_template_renders_every_turn_of_a_conversation(rows, tokenizer, format):
    for row in rows(format):
        text = tokenizer.apply_chat_template(row["messages"], tokenize=False)
        assert [text.count(f"<|im_start|>{role}\n") for role in ("user", "assistant")] == [1, 1]
        assert all(turn["content"] in text for turn in row["messages"])


@pytest.mark.parametrize("format", ["chat", "chat-jsonl", "preference", "kto"])
def test_trl_finds_a_conversation_in_every_row(rows, format):
    found = rows(format)
    assert len(found) > 0
    assert all(trl.is_conversational(row) for row in found)


def test_a_step_of_supervised_training_takes_the_conversations(rows, tokenizer, model, tmp_path):
    trainer = trl.SFTTrainer(
        model=model,
        args=trl.SFTConfig(**arguments(tmp_path / "sft"), max_length=512),
        train_dataset=rows("chat"),
        processing_class=tokenizer,
    )
    assert trainer.train().training_loss > 0


def test_a_step_of_preference_training_takes_the_pairs(rows, tokenizer, model, tmp_path):
    trainer = trl.DPOTrainer(
        model=model,
        ref_model=copy.deepcopy(model),
        args=trl.DPOConfig(**arguments(tmp_path / "dpo"), max_length=512),
        train_dataset=rows("preference"),
        processing_class=tokenizer,
    )
    assert trainer.train().training_loss > 0
