"""The Django admin, one module per part of the site. Logs and frozen results are read-only."""

from datasets_app.admin import accounts, derived, lists, logs, releases, reviews, triples, verifications

__all__ = ["accounts", "derived", "lists", "logs", "releases", "reviews", "triples", "verifications"]
