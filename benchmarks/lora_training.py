"""Fine-tunes adapters (LoRA) on an exported chat split, and checks that the loss falls on it and on the held-out one.

    manage.py export RELEASE --format chat-jsonl --out FOLDER
    python -m benchmarks lora_training FOLDER --device cuda

Needs transformers and peft. The base model has random weights, since none can be assumed on the machine: adapters
on all of its linear layers, and the embeddings, have everything to learn, so that the figures tell whether a trainer
can learn from the files, and nothing of what a model would learn. Only the answer of a conversation is trained on
(program as the question; `<think>`, trace and kernel as the answer). Writes
benchmarks/results/lora_training_DEVICE_DATE.json. Exits 1 unless both losses fell.
"""

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import peft
import torch
import transformers

from benchmarks._results import write_figures

ROOT = Path(__file__).resolve().parent.parent
TOKENIZER = ROOT / "datasets_app/traces/tokenizer/tokenizer.json"
IGNORED = -100  # a label that the loss leaves out
CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
Example = dict[str, torch.Tensor]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="with the files of one release in the form chat-jsonl")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=4, help="conversations a step")
    parser.add_argument("--max-tokens", type=int, default=2048, help="longer conversations are cut")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--rank", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-write", action="store_true", help="print the result only")
    return parser.parse_args()


# --- Conversations --------------------------------------------------------------------------------------------


def conversations(folder: Path, split: str) -> list[list[dict[str, str]]]:
    """Return the messages of all rows of a split: files whose name begins with it."""
    files = sorted(folder.rglob(f"{split}*.jsonl"))
    if not files:
        raise SystemExit(f"{folder} has no file {split}*.jsonl: export the release with --format chat-jsonl")
    return [json.loads(line)["messages"] for file in files for line in file.read_text().splitlines()]


def example(messages: list[dict[str, str]], tokenizer: Any, max_tokens: int) -> Example:
    """Return token ids and labels, each (tokens,), of a conversation; the question has no label."""
    asked = tokenizer.apply_chat_template(messages[:-1], tokenize=False, add_generation_prompt=True)
    whole = tokenizer.apply_chat_template(messages, tokenize=False)
    question = len(tokenizer(asked)["input_ids"])
    ids = tokenizer(whole)["input_ids"][:max_tokens]
    labels = [IGNORED] * min(question, len(ids)) + ids[question:]
    return {"input_ids": torch.tensor(ids), "labels": torch.tensor(labels)}


def batched(examples: list[Example], pad: int, device: str) -> Example:
    """Return examples padded to the longest, each (batch, tokens)."""
    longest = max(len(one["input_ids"]) for one in examples)

    def padded(name: str, filler: int) -> torch.Tensor:
        rows = [
            torch.nn.functional.pad(one[name], (0, longest - len(one[name])), value=filler)
            for one in examples
        ]
        return torch.stack(rows).to(device)

    ids = padded("input_ids", pad)
    return {"input_ids": ids, "labels": padded("labels", IGNORED), "attention_mask": (ids != pad).long()}


# --- Training ---------------------------------------------------------------------------------------------------


def adapted_model(given: argparse.Namespace, tokenizer: Any) -> Any:
    base = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=given.width,
            intermediate_size=4 * given.width,
            num_hidden_layers=given.layers,
            num_attention_heads=given.width // 64,
            max_position_embeddings=given.max_tokens,
            pad_token_id=tokenizer.pad_token_id,
            tie_word_embeddings=False,
        )
    )
    adapters = peft.LoraConfig(
        r=given.rank,
        lora_alpha=2 * given.rank,
        target_modules="all-linear",
        modules_to_save=["embed_tokens", "lm_head"],
        task_type="CAUSAL_LM",
    )
    return peft.get_peft_model(base, adapters).to(given.device)


@torch.no_grad()
def mean_loss(model: Any, examples: list[Example], given: argparse.Namespace, pad: int) -> float:
    """Return the loss in nats per answered token."""
    model.eval()
    total, tokens = 0.0, 0
    for begin in range(0, len(examples), given.batch):
        batch = batched(examples[begin : begin + given.batch], pad, given.device)
        count = int((batch["labels"][:, 1:] != IGNORED).sum())
        with torch.autocast(given.device.split(":")[0], torch.bfloat16):
            total += float(model(**batch).loss) * count
        tokens += count
    model.train()
    return total / tokens


def drawn(examples: list[Example], given: argparse.Namespace) -> Iterator[list[Example]]:
    """Yield a batch a step; every epoch in another order."""
    some, waiting = random.Random(given.seed), list[Example]()
    for _ in range(given.steps):
        if len(waiting) < given.batch:
            waiting = some.sample(examples, len(examples))
        yield [waiting.pop() for _ in range(min(given.batch, len(waiting)))]


def train(model: Any, examples: list[Example], given: argparse.Namespace, pad: int) -> list[float]:
    """Return the loss of each step."""
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=3e-4, weight_decay=0.1)
    schedule = transformers.get_cosine_schedule_with_warmup(optimizer, given.steps // 20, given.steps)
    losses = []
    for batch in drawn(examples, given):
        with torch.autocast(given.device.split(":")[0], torch.bfloat16):
            loss = model(**batched(batch, pad, given.device)).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def measure(given: argparse.Namespace) -> dict[str, Any]:
    torch.manual_seed(given.seed)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(TOKENIZER), eos_token="<|im_end|>", pad_token="<|pad|>"
    )
    tokenizer.chat_template = CHATML
    splits = {
        split: [
            example(messages, tokenizer, given.max_tokens) for messages in conversations(given.folder, split)
        ]
        for split in ("train", "test")
    }
    # A conversation whose question alone fills the context has no answer to learn.
    splits = {
        split: [one for one in found if (one["labels"] != IGNORED).any()] for split, found in splits.items()
    }
    model = adapted_model(given, tokenizer)
    trainable, parameters = model.get_nb_trainable_parameters()
    before = {
        split: mean_loss(model, found, given, tokenizer.pad_token_id) for split, found in splits.items()
    }
    begun = time.perf_counter()
    losses = train(model, splits["train"], given, tokenizer.pad_token_id)
    seconds = time.perf_counter() - begun
    after = {split: mean_loss(model, found, given, tokenizer.pad_token_id) for split, found in splits.items()}
    return {
        "conversations": {split: len(found) for split, found in splits.items()},
        "model": f"LlamaForCausalLM, {given.layers} layers of {given.width}, random weights",
        "parameters": parameters,
        "trainable_parameters": trainable,
        "steps": given.steps,
        "conversations_a_step": given.batch,
        "train_s": round(seconds, 1),
        "loss_of_a_uniform_guess": round(math.log(len(tokenizer)), 3),
        "loss_before": {split: round(value, 3) for split, value in before.items()},
        "loss_after": {split: round(value, 3) for split, value in after.items()},
        "loss_by_step": [round(value, 3) for value in losses],
    }


def main() -> int:
    given = arguments()
    result = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "device": torch.cuda.get_device_name(given.device) if given.device.startswith("cuda") else "cpu",
        "versions": {name: version(name) for name in ("torch", "transformers", "peft")},
        **measure(given),
    }
    print(json.dumps({key: value for key, value in result.items() if key != "loss_by_step"}, indent=1))
    if not given.no_write:
        device = given.device.split(":")[0]
        write_figures(result, f"lora_training_{device}_{result['date'][:10]}")
    fell = all(result["loss_after"][split] < result["loss_before"][split] for split in result["loss_after"])
    return 0 if fell else 1


if __name__ == "__main__":
    sys.exit(main())
