"""Accounts that a note mentions as @name."""

import re
from typing import Any

from django.contrib.auth import get_user_model

MENTION = re.compile(r"(?<![\w@.+-])@([\w.+-]{1,150})")
MOST_MENTIONS = 20  # per text


def names_in(text: str) -> list[str]:
    """Return the mentioned names, each once, without the punctuation that ends a sentence."""
    names = (match[1].rstrip(".-+") for match in MENTION.finditer(text))
    return list(dict.fromkeys(name for name in names if name))[:MOST_MENTIONS]


def mentioned(text: str) -> list[Any]:
    """Return the open accounts that a text mentions; no query if it mentions none."""
    names = names_in(text)
    return list(get_user_model().objects.filter(username__in=names, is_active=True)) if names else []


def unknown_mentions(text: str) -> list[str]:
    """Return the mentioned names that no open account has."""
    names = names_in(text)
    known = {user.get_username() for user in mentioned(text)}
    return [name for name in names if name not in known]
