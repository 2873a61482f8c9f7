"""The Django admin, one module per part of the site. Logs and frozen results are read-only."""

from datasets_app.admin import (
    accounts,
    derived,
    edits,
    lists,
    logs,
    releases,
    reviews,
    syntheses,
    triples,
    verifications,
    webhooks,
)

__all__ = [
    "accounts",
    "derived",
    "edits",
    "lists",
    "logs",
    "releases",
    "reviews",
    "syntheses",
    "triples",
    "verifications",
    "webhooks",
]
