"""Generates triples with the skew of real collections, as JSON Lines to ingest, and the evidence to match.

Texts are assembled from a pool of paragraphs, so that a million rows take minutes to generate. A few sources,
generators, operators and words dominate; trace lengths and speedups are log-normal; every text is different.
"""

import json
import random
import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

SAMPLES_A_TASK = 5
COMMON = [
    *(
        "kernel",
        "thread",
        "block",
        "shared",
        "memory",
        "warp",
        "coalesced",
        "load",
        "store",
        "grid",
        "stride",
    ),
    *("loop", "reduce", "sum", "row", "tile", "float", "the", "of", "and", "each", "so", "that", "index"),
    *("bounds", "launch", "registers", "output", "input"),
]
OPERATORS = [
    *("relu", "softmax", "matmul", "layer_norm", "gelu", "cumsum", "max_pool2d", "sigmoid", "sum"),
    *("conv_transpose2d", "mean", "tanh", "conv2d", "group_norm", "cross_entropy", "bmm", "logsumexp"),
    *("argmax", "topk", "embedding", "silu", "clamp", "prod", "var"),
]
GENERATORS = ["kevin-32b", "qwq-32b", "deepseek-r1", "ours-7b", "", *(f"lab-model-{n}" for n in range(15))]
SOURCES = ["KernelBook runs", "CUDA-L1", "own runs", "robust-kbench", "student project", "scraped"]
LANGUAGES = ["cuda"] * 7 + ["triton"] * 2 + ["cpp"]
OUTCOMES = ["passed"] * 10 + [""] * 5 + ["wrong_value"] * 4 + ["build_error"] * 3
OUTCOMES += ["cheated", "runtime_error", "timeout", "nondeterministic", "wrong_structure"]
DEVICES = ["NVIDIA H200"] * 6 + ["NVIDIA H100 80GB HBM3"] * 3 + ["NVIDIA L4"]
VERDICTS = ["accept"] * 5 + ["fix"] * 2 + ["reject"] * 2
FINDINGS = {
    "cheated": ["returns_constant", "caches_result", "reads_expected"],
    "passed": ["uses_library_gemm", "large_speedup", "weights_cached", ""],
}
RARE_WORDS = 40_000
PROGRAM = '''import torch
import torch.nn as nn


class Model(nn.Module):
    """Problem {number}."""

    def forward(self, x, y):
        x = torch.{first}(x)
        return torch.{second}(x, y)


def get_inputs():
    return [torch.randn(64, {number})]


def get_init_inputs():
    return []


# {padding}
'''
KERNEL = '''import torch
from torch.utils.cpp_extension import load_inline

source = """
__global__ void {name}(const float* x, float* y, int n) {{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * {value}f;
}}
"""
# {padding}


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return {name}(x)
'''


class Maker:
    """Generates rows of about `text_kb` KB: program and kernel take a sixth each, the trace the rest."""

    def __init__(self, seed: int, text_kb: float) -> None:
        self.random = random.Random(seed)
        self.trace_chars = int(text_kb * 1000 * 2 / 3)
        self.code_chars = max(0, int(text_kb * 1000 / 6) - 250)
        self.paragraphs = [self.paragraph() for _ in range(6000)]

    def skewed(self, values: list[Any], power: float = 1.2) -> Any:
        return values[int(len(values) * self.random.random() ** (1 + power))]

    def rare(self) -> str:
        return f"word_{int(RARE_WORDS * self.random.random() ** 2)}"

    def word(self) -> str:
        word = self.skewed(COMMON, 0.3) if self.random.random() < 0.9 else self.rare()
        return word + self.random.choice([" ", " ", " ", " ", " ", " ", ", ", ".\n", ".\n\nWait, "])

    def paragraph(self) -> str:
        return "".join(self.word() for _ in range(self.random.randint(20, 60)))

    def prose(self, chars: int) -> str:
        """Return `chars` characters of paragraphs and one rare word."""
        parts, size = [f"{self.rare()} "], 0
        while size < chars:
            parts.append(self.random.choice(self.paragraphs))
            size += len(parts[-1])
        return "".join(parts)[: max(chars, 12)]

    def comment(self) -> str:
        return self.prose(self.code_chars).replace("\n", "\n# ")

    def rows(self, numbers: Iterable[int]) -> Iterator[dict[str, Any]]:
        """Yield Workbench rows; every SAMPLES_A_TASK of them share a program."""
        for number in numbers:
            if number % SAMPLES_A_TASK == 0:
                first, second = self.skewed(OPERATORS), self.skewed(OPERATORS)
                task = {
                    "task_name": f"{number % 100 + 1}_{first}_{second}_{number}",
                    "pytorch_code": PROGRAM.format(
                        number=number, first=first, second=second, padding=self.comment()
                    ),
                    "suite": self.skewed(["", "KernelBook", "KernelBench"]),
                }
            yield {**task, **self.sample(number)}

    def sample(self, number: int) -> dict[str, Any]:
        length = int(self.trace_chars * self.random.lognormvariate(-0.18, 0.6))
        name = f"kernel_{number}"
        return {
            "reasoning": "" if self.random.random() < 0.05 else f"Plan {number}. {self.prose(length)}",
            "kernel_code": KERNEL.format(name=name, value=number, padding=self.comment()),
            "generator": self.skewed(GENERATORS),
            "language": self.random.choice(LANGUAGES),
            "claimed_speedup": round(self.random.lognormvariate(0.4, 0.7), 3)
            if self.random.random() < 0.7
            else None,
        }

    def files(self, folder: Path, rows: int) -> dict[str, Path]:
        """Write one JSON Lines file per source; the first has half of all rows, the next half of the rest."""
        paths, start = {}, 0
        for at, source in enumerate(SOURCES):
            share = rows - start if at == len(SOURCES) - 1 else (rows - start) // 2
            share -= share % SAMPLES_A_TASK
            end = rows if at == len(SOURCES) - 1 else start + share
            path = folder / f"{at}.jsonl"
            with path.open("w") as file:
                for row in self.rows(range(start, end)):
                    file.write(json.dumps(row) + "\n")
            paths[source] = path
            start = end
        return paths

    def evidence(self, pk: uuid.UUID, now: datetime) -> dict[str, Any]:
        """Return the columns that verifying and reviewing a sample would set, and `findings` beside them."""
        outcome = self.random.choice(OUTCOMES)
        at = now - timedelta(seconds=self.random.randint(0, 10_000_000))
        finding = self.random.choice(FINDINGS.get(outcome, [""]))
        reviewed = self.random.random() < 0.15
        return {
            "pk": pk,
            "outcome": outcome,
            "measured_speedup": self.random.lognormvariate(0.2, 0.8) if outcome == "passed" else None,
            "device": self.skewed(DEVICES, 0) if outcome else "",
            "verified_at": at if outcome else None,
            "verdict": self.random.choice(VERDICTS) if reviewed else "",
            "reviewed_at": at if reviewed else None,
            "finding": finding,
        }
