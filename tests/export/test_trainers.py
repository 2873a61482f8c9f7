"""Tests that transformers and trl take a release's files as they are: templates, tokens, one step of training each.

Those with trl, whose lock would be one of torch's CUDA packages too, run where it is installed (`pip install trl`). The
documented forms that LLaMA-Factory and Axolotl read are compared with the files in test_training_files.py.
"""

import copy
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import request_export
from datasets_app.export.finish import finish_files, write_into
from datasets_app.traces import tokenizer as own_tokenizer
from tests.export import reading
from tests.export.releases import release_for_every_format

pytestmark = [pytest.mark.django_db, pytest.mark.any_database, pytest.mark.filterwarnings("ignore")]
PAGE = Path(__file__).parents[2] / "docs" / "first-release.md"
CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
FILES = {"chat": "parquet", "chat-jsonl": "json", "preference": "json", "kto": "json", "rl": "json"}


@pytest.fixture
def rows(db, tmp_path):
    """Return a format's rows as `load_dataset` reads them from the release's files."""
    from datasets import load_dataset

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
    import transformers

    path = Path(own_tokenizer.__file__).with_name("tokenizer.json")
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(path), eos_token="<|im_end|>", pad_token="<|pad|>"
    )
    made.chat_template = CHATML
    return made


@pytest.fixture
def model(tokenizer):
    """Return a language model of two small layers with random weights."""
    import transformers

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


@pytest.fixture
def trl():
    return pytest.importorskip("trl")


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


@pytest.mark.long
@pytest.mark.parametrize("format", ["chat", "chat-jsonl", "preference", "kto"])
def test_trl_finds_a_conversation_in_every_row(trl, rows, format):
    found = rows(format)
    assert len(found) > 0
    assert all(trl.is_conversational(row) for row in found)


@pytest.mark.long
def test_a_step_of_supervised_training_takes_the_conversations(trl, rows, tokenizer, model, tmp_path):
    trainer = trl.SFTTrainer(
        model=model,
        args=trl.SFTConfig(**arguments(tmp_path / "sft"), max_length=512),
        train_dataset=rows("chat"),
        processing_class=tokenizer,
    )
    assert trainer.train().training_loss > 0


@pytest.mark.long
def test_a_step_of_preference_training_takes_the_pairs(trl, rows, tokenizer, model, tmp_path):
    trainer = trl.DPOTrainer(
        model=model,
        ref_model=copy.deepcopy(model),
        args=trl.DPOConfig(**arguments(tmp_path / "dpo"), max_length=512),
        train_dataset=rows("preference"),
        processing_class=tokenizer,
    )
    assert trainer.train().training_loss > 0


@pytest.mark.long
def test_the_training_command_of_the_newcomers_page_trains(trl, tokenizer, model, tmp_path):
    """As it is written there, but for the model, which is small and here, and the number of steps."""
    (command,) = re.findall(r"^trl .*", PAGE.read_text(), re.MULTILINE)
    program, *given = shlex.split(command)
    given[given.index("--model_name_or_path") + 1] = "model"
    for made in (model, tokenizer):
        made.save_pretrained(tmp_path / "model")
    write_into(release_for_every_format(), "chat", tmp_path / "correct-1")
    fewer = ["--max_steps", "1", "--max_length", "512", "--use_cpu", "--bf16", "False", "--report_to", "none"]
    done = subprocess.run(
        [Path(sys.executable).with_name(program), *given, *fewer],
        cwd=tmp_path,
        env=os.environ | {"HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=600,  # an upper bound; only a busy machine needs this many
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert (tmp_path / "trained" / "model.safetensors").stat().st_size > 0
