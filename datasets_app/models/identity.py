"""Content-derived ids: the same on every site, so that ingest is idempotent."""

import hashlib
import uuid
from functools import lru_cache

import orjson

TASK_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:concur-workbench:task")
RARE_SPACES = "\t\x0b\x0c\x1c\x1d\x1e\x1f"  # of ASCII, but for the space and line ends
SAMPLE_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:concur-workbench:sample")


def normalise(text: str) -> str:
    """Return the text without differences that editors and exporters add: line ends, trailing spaces, blank edges."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if may_end_in_spaces(text):
        text = "\n".join(map(str.rstrip, text.split("\n")))
    return text.strip("\n")


def may_end_in_spaces(text: str) -> bool:
    """Return whether a line could end in white space, without splitting the text into lines."""
    if not text.isascii() or any(character in text for character in RARE_SPACES):
        return True
    return " \n" in text or text.endswith(" ")


@lru_cache(maxsize=256)  # samples of one task usually arrive together
def normalised_program(program: str) -> str:
    return normalise(program)


@lru_cache(maxsize=256)
def task_id(program: str) -> uuid.UUID:
    return uuid.uuid5(TASK_NAMESPACE, normalised_program(program))


def sample_id(program: str, reasoning: str, kernel: str) -> uuid.UUID:
    """Return the UUIDv5 of the normalised triple."""
    texts = (normalised_program(program), normalise(reasoning), normalise(kernel))
    # Equals json.dumps(texts, ensure_ascii=False).
    as_json = b"[%b, %b, %b]" % tuple(map(orjson.dumps, texts))
    digest = hashlib.sha1(SAMPLE_NAMESPACE.bytes + as_json, usedforsecurity=False).digest()
    return uuid.UUID(bytes=digest[:16], version=5)


def as_uuid(value: object) -> uuid.UUID | None:
    """Return the id that a text is, in any of the forms that `uuid.UUID` reads; None for anything else."""
    try:
        return uuid.UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None


def is_uuid(value: object) -> bool:
    return as_uuid(value) is not None
