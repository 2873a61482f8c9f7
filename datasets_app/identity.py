"""Stable identity: ids derived from content, the same on every site, so that ingest is idempotent."""

import json
import uuid
from functools import lru_cache

TASK_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:concur-workbench:task")
SAMPLE_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:concur-workbench:sample")


def normalise(text: str) -> str:
    """Text without the differences that editors and exporters add: line ends, spaces at line ends, blank edges."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(map(str.rstrip, lines)).strip("\n")


@lru_cache(maxsize=256)  # the samples of a task come together as a rule
def normalised_program(program: str) -> str:
    return normalise(program)


@lru_cache(maxsize=256)
def task_id(program: str) -> uuid.UUID:
    return uuid.uuid5(TASK_NAMESPACE, normalised_program(program))


def sample_id(program: str, reasoning: str, kernel: str) -> uuid.UUID:
    """UUIDv5 of the normalised triple."""
    triple = [normalised_program(program), normalise(reasoning), normalise(kernel)]
    return uuid.uuid5(SAMPLE_NAMESPACE, json.dumps(triple, ensure_ascii=False))
