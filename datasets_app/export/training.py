"""What trainers need to know of a release's files: LLaMA-Factory's dataset_info.json, Axolotl's YAML, the prompts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datasets_app.export.configs import format_of
from datasets_app.export.turns import fence
from datasets_app.models import Export, Release

LLAMA_FACTORY = "dataset_info.json"  # the name that LLaMA-Factory looks for in a folder of data sets
TAGS = {
    "role_tag": "role",
    "content_tag": "content",
    "user_tag": "user",
    "assistant_tag": "assistant",
    "system_tag": "system",
}
# How Axolotl is told which parts of a conversation to train on.
TRAINED = {
    "chat-jsonl": ["    roles_to_train: [assistant]"],
    "chat-masked": [
        "    roles_to_train: []",
        "    train_on_eos: turn",
        "    message_field_training_detail: train_detail",
    ],
    "chat-turns": ["    roles_to_train: []", "    message_field_training: train"],
}


def llama_factory(release: Release, files: list[Export]) -> dict[str, Any]:
    """Return an entry per file of conversations; empty if there is none."""
    return {
        f"{release.name}-{file.path.removesuffix('.jsonl').replace('/', '-')}": {
            "file_name": file.path,
            "formatting": "sharegpt",
            "columns": {"messages": "messages"},
            "tags": TAGS,
        }
        for file in files
        if file.format == "chat-jsonl"
    }


def card_lines(release: Release, files: list[Export]) -> list[str]:
    """Return the card's section on training; empty without a file for it."""
    lines: list[str] = []
    for path, first in first_of_each_folder(files):
        made, options = format_of(first)
        if "columns" in made.takes or "numbered" in made.takes:
            continue
        lines += [f"### `{path}/`: {made.title}", "", f"{made.means[0].upper()}{made.means[1:]}.", ""]
        if not options.think:
            lines += ["Answers have no trace.", ""]
        if first.format in TRAINED:
            lines += ["Axolotl:", "", *block(axolotl(first), "yaml")]
        lines += ["The prompt, in which `{program}` is the reference program in a fence:", ""]
        lines += block(options.template.split("\n"), "text")
    return ["## Train on it", "", *lines] if lines else []


def first_of_each_folder(files: list[Export]) -> Iterator[tuple[str, Export]]:
    seen = set()
    for file in sorted(
        files, key=lambda file: (file.path.rpartition("/")[0], file.split != "train", file.path)
    ):
        folder = file.path.rpartition("/")[0]
        if folder not in seen:
            seen.add(folder)
            yield folder, file


def axolotl(file: Export) -> list[str]:
    return [
        "datasets:",
        f"  - path: {file.path}",
        "    ds_type: json",
        "    type: chat_template",
        "    field_messages: messages",
        "    message_property_mappings: {role: role, content: content}",
        *TRAINED[file.format],
    ]


def block(lines: list[str], language: str) -> list[str]:
    marks = fence(*lines)
    return [f"{marks}{language}", *lines, marks, ""]
