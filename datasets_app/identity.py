"""Stable identity: ids derived from content, the same on every site, so that ingest is idempotent."""

import json
import uuid

TASK_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:concur-workbench:task")
SAMPLE_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:concur-workbench:sample")


def normalise(text: str) -> str:
    """Text without the differences that editors and exporters add: line ends, spaces at line ends, blank edges."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def task_id(program: str) -> uuid.UUID:
    return uuid.uuid5(TASK_NAMESPACE, normalise(program))


def sample_id(program: str, reasoning: str, kernel: str) -> uuid.UUID:
    """UUIDv5 of the normalised triple."""
    triple = [normalise(part) for part in (program, reasoning, kernel)]
    return uuid.uuid5(SAMPLE_NAMESPACE, json.dumps(triple, ensure_ascii=False))
