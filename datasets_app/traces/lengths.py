"""Counts tokens with a real tokenizer, whose name is stored with every count.

The project's own works offline (datasets_app/traces/tokenizer/); CONCUR_TOKENIZER names any other tokenizer.json.
Counts of two tokenizers are never compared unnoticed: a recount (maintenance.runs) updates all rows, and until it is
finished, pages show which tokenizer counted what.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

from datasets_app.traces.tokenizer.counting import Counter, TokenizerError, load

OWN = Path(__file__).parent / "tokenizer" / "tokenizer.json"
OWN_LABEL = "workbench-bpe-16k"
SETTINGS_CHECKS = "settings"  # the tag of checks of the settings, not of the code


def counter() -> Counter:
    """Return the current tokenizer. Raises TokenizerError if CONCUR_TOKENIZER names none."""
    return loaded(settings.TOKENIZER)


@cache
def loaded(path: str) -> Counter:
    return load(Path(path)) if path else load(OWN, OWN_LABEL)


def tokenizer_name() -> str:
    """Return the name stored with every count: a label and the start of the file's SHA-256."""
    return counter().name


def count_all(texts: Sequence[str]) -> list[int]:
    """Return the number of tokens in each text."""
    return counter().count(texts)


def count_tokens(text: str) -> int:
    """Return the number of tokens in `text`."""
    return count_all([text])[0]


def check_tokenizer(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """Report an unreadable tokenizer in `manage.py check`, at the start of the site rather than at the first ingest."""
    if not settings.TOKENIZER:
        return []
    try:
        counter()
    except TokenizerError as error:
        hint = (
            "Name a tokenizer.json of the tokenizers library, or unset CONCUR_TOKENIZER for the site's own."
        )
        return [Error(f"CONCUR_TOKENIZER: {error}", hint=hint, id="datasets_app.E001")]
    return []
