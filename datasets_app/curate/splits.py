"""Splits are drawn by task: all samples of a task go the same way, so that no test task was trained on."""

import hashlib
from collections.abc import Mapping

DRAWS = 2**64


def draw(task: str, seed: int) -> float:
    """Return a number in [0, 1) that depends on the task's id and the seed alone: the first 8 bytes of a SHA-256."""
    digest = hashlib.sha256(f"{seed}:split:{task}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / DRAWS


def split_of(task: str, seed: int, splits: Mapping[str, float]) -> str:
    """Return the split whose share of [0, 100) holds the task's draw. A task keeps it when others come or go."""
    point = draw(task, seed) * 100
    passed = 0.0
    wanted = [(split, share) for split, share in splits.items() if share > 0]
    for split, share in wanted:
        passed += share
        if point < passed:
            return split
    return wanted[-1][0]
