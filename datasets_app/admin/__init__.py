"""The Django admin, one module a part of the site. What is a log or a frozen result can be looked at, not changed."""

from datasets_app.admin import accounts, derived, lists, logs, releases, reviews, triples, verifications

__all__ = ["accounts", "derived", "lists", "logs", "releases", "reviews", "triples", "verifications"]
