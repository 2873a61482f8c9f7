"""How long a text is, by a real tokenizer; its name is stored beside every count.

The one that comes with the project works offline (datasets_app/traces/tokenizer/); CONCUR_TOKENIZER names any other
tokenizer.json. Counts of two tokenizers are never compared unnoticed: a recount (maintenance.runs) brings all rows
to the present one, and until it is through, pages say what counted what.
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


def counter() -> Counter:
    """The present tokenizer. Raises TokenizerError where CONCUR_TOKENIZER names none."""
    return loaded(settings.TOKENIZER)


@cache
def loaded(path: str) -> Counter:
    return load(Path(path)) if path else load(OWN, OWN_LABEL)


def tokenizer_name() -> str:
    """What stands beside every count: a label and the start of the file's SHA-256."""
    return counter().name


def count_all(texts: Sequence[str]) -> list[int]:
    """The number of tokens in each text."""
    return counter().count(texts)


def count_tokens(text: str) -> int:
    """The number of tokens in `text`."""
    return count_all([text])[0]


def check_tokenizer(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """manage.py check: a tokenizer that cannot be read is found when the site starts, not at the first ingest."""
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
