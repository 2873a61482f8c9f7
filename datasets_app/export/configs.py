"""The configs of a release's card: what `load_dataset` can load by name.

Only Parquet: the Hub's tools read all configs of a data set with one builder, and fail if some are JSON Lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from datasets_app.export.formats import FORMATS, Format
from datasets_app.export.options import Options, parse
from datasets_app.export.types import Described, feature
from datasets_app.models import Export, Release, Split

DEFAULT_CONFIG = "default"


@dataclass
class Config:
    """The files of one format and one set of options."""

    name: str
    folder: str
    columns: Sequence[Described]
    files: list[Export] = field(default_factory=list)

    def splits(self) -> Iterator[tuple[str, int, int]]:
        """Yield each split with its size in bytes and its number of records."""
        for split in Split.values:
            files = [file for file in self.files if file.split == split]
            if files:
                yield split, sum(file.size_bytes for file in files), sum(file.records for file in files)


def format_of(file: Export) -> tuple[Format, Options]:
    made = FORMATS[file.format]
    return made, parse(made.takes, file.options)


def configs(files: list[Export]) -> list[Config]:
    """Return the configs that finished files make, the default one first."""
    found: dict[str, Config] = {}
    for file in files:
        made, options = format_of(file)
        if made.is_config:
            folder = made.place(options)
            name = DEFAULT_CONFIG if folder == FORMATS["parquet"].folder else folder
            found.setdefault(name, Config(name, folder, made.fields(options))).files.append(file)
    return sorted(found.values(), key=lambda config: (config.name != DEFAULT_CONFIG, config.name))


def card_lines(release: Release, files: list[Export]) -> list[str]:
    """Return the lines of the card's head on configs and their contents; none without a file in Parquet."""
    found = configs(files)
    if not found:
        return []
    listed = [line for config in found for line in config_lines(config)]
    return ["configs:", *listed, "dataset_info:", *(line for config in found for line in info_lines(config))]


def config_lines(config: Config) -> Iterator[str]:
    yield f"- config_name: {config.name}"
    if config.name == DEFAULT_CONFIG:
        yield "  default: true"
    yield "  data_files:"
    for split, _, _ in config.splits():
        yield f"  - {{split: {split}, path: {config.folder}/{split}-*}}"


def info_lines(config: Config) -> Iterator[str]:
    yield from (f"- config_name: {config.name}", "  features:")
    yield from (f"  - {feature(column)}" for column in config.columns)
    yield "  splits:"
    for split, size, records in config.splits():
        yield f"  - {{name: {split}, num_bytes: {size}, num_examples: {records}}}"
    total = sum(size for _, size, _ in config.splits())
    yield from (f"  download_size: {total}", f"  dataset_size: {total}")
