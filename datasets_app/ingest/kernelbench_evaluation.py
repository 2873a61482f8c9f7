"""What lies beside the kernels of KernelBench's runs: results, generation_config.yaml, timings of baselines.

The results of a run are keyed by problem alone, so they count where its kernels are of one level. A timing counts for a
result of the same hardware, by the name that both files give.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import yaml

from datasets_app.ingest import archives, limits
from datasets_app.ingest.rows import IngestError
from datasets_app.ingest.source_file import SourceFile

Json = dict[str, Any]
BESIDE = re.compile(
    r"(?:^|/)((?:eval|detailed)_results\.json|generation_config\.ya?ml|baseline_time_[^/]+\.json)$"
)
EAGER = "torch"  # baseline_time_torch.json; the others are named after torch.compile's backend
_NUMBER = re.compile(r"[0-9]{1,9}")
# Milliseconds; KernelBench writes -1 where it measured none.
_LEAST_MS, _MOST_MS = 1e-9, 1e12


@dataclass
class Evaluation:
    """The parsed files, by the folder of the run; and the timings, by baseline, level and problem."""

    results: dict[str, Json] = field(default_factory=dict)
    settings: dict[str, Json] = field(default_factory=dict)
    timings: dict[str, list[Json]] = field(default_factory=dict)

    def result(self, folder: str, problem: int, sample: int) -> Json:
        """Return what the evaluation said of one sample; {} if nothing."""
        entry = self.results.get(folder, {}).get(str(problem))
        for number, result in samples_of(entry):
            if number == sample:
                return result
        return {}

    def baselines_ms(self, level: int, problem: int, hardware: str) -> dict[str, float]:
        """Return the mean milliseconds of each baseline that was timed on this hardware."""
        found = {}
        for baseline, timings in self.timings.items():
            for timing in timings:
                entry = timed(timing, level, problem)
                mean = entry.get("mean")
                if hardware and entry.get("hardware") == hardware and is_time(mean):
                    found[baseline] = float(mean)
        return found


def read_beside(file: SourceFile) -> Evaluation:
    """Read the files beside the kernels. Raises IngestError for one that cannot be read."""
    found = Evaluation()
    for path, content in archives.members(file, BESIDE, limits.MAX_BESIDE_BYTES + 1):
        folder, _, name = path.rpartition("/")
        if len(content) > limits.MAX_BESIDE_BYTES:
            raise IngestError(f"{path} is larger than {limits.MAX_BESIDE_BYTES:,} bytes.")
        if name.startswith("generation_config"):
            found.settings[folder] = parsed_yaml(path, content)
        elif name.endswith("_results.json"):
            found.results.setdefault(folder, {}).update(parsed_json(path, content))
        else:
            baseline = name.removeprefix("baseline_time_").removesuffix(".json")
            found.timings.setdefault(baseline, []).append(parsed_json(path, content))
    return found


def parsed_json(path: str, content: bytes) -> Json:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise IngestError(f"{path} is not JSON: {error}. Take it out, or mend it.") from error
    if not isinstance(value, dict):
        raise IngestError(f"{path} should be an object whose keys are problems or levels.")
    return value


def parsed_yaml(path: str, content: bytes) -> Json:
    """Return the plain values of a settings file; nested ones, which may be aliases of each other, are left out."""
    try:
        value = yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError) as error:
        raise IngestError(f"{path} is not YAML: {error}. Take it out, or mend it.") from error
    if not isinstance(value, dict):
        raise IngestError(f"{path} should hold settings by name.")
    return {str(name): item for name, item in value.items() if isinstance(item, str | int | float | bool)}


def samples_of(entry: Any) -> list[tuple[int, Json]]:
    """Return the numbered results of one problem: KernelBench has written one object, a list, and objects by number."""
    if isinstance(entry, Mapping) and "compiled" not in entry:
        entry = [
            {"sample_id": number, **result} for number, result in entry.items() if isinstance(result, dict)
        ]
    results = entry if isinstance(entry, list) else [entry]
    return [(int(str(r.get("sample_id", 0))), r) for r in results if isinstance(r, dict) and is_numbered(r)]


def is_numbered(result: Json) -> bool:
    return bool(_NUMBER.fullmatch(str(result.get("sample_id", 0))))


def timed(timing: Json, level: int, problem: int) -> Json:
    """Return a timing's entry of one problem, whose key is its file's name; {} if there is none."""
    entries = timing.get(f"level{level}")
    for name, entry in entries.items() if isinstance(entries, dict) else ():
        if name.partition("_")[0] == str(problem) and isinstance(entry, dict):
            return entry
    return {}


def is_time(value: Any) -> TypeGuard[float]:
    """Return whether the value is a number of milliseconds that can have been measured."""
    return isinstance(value, int | float) and not isinstance(value, bool) and _LEAST_MS < value < _MOST_MS
