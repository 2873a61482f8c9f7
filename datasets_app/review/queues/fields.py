"""Checks the fields of a queue: pages and the API send the same ones."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from datasets_app.browse.query import BrowseError, parse_query
from datasets_app.models import QueueFacet, QueueOrder, ReviewQueue
from datasets_app.models.bounds import LONGEST_QUERY, LONGEST_TEXT
from datasets_app.models.queue import (
    LARGEST_OVERLAP,
    LARGEST_QUEUE,
    LONGEST_QUEUE_NAME,
    MOST_HONEYPOTS_PERCENT,
)
from datasets_app.models.verdict_policy import VerdictPolicy
from datasets_app.review.assignments import AssignmentError, reviewer_named
from datasets_app.text_input.numbers import whole_number
from datasets_app.text_input.validate import FieldsError, prose_fault

LARGEST_SEED = 2**31 - 1


class QueueError(FieldsError):
    """Invalid fields of a queue, or what its state forbids, under `queue`."""


def checked_fields(
    fields: Mapping[str, Any], queue: ReviewQueue | None = None
) -> tuple[dict[str, Any], list[Any]]:
    """Return the columns of a queue and its reviewers. Raises QueueError with a sentence per invalid field.

    Missing fields keep the value that the queue has, or get the default.
    """
    check = Check(fields, queue or ReviewQueue())
    columns: dict[str, Any] = {
        "name": check.name(),
        "words": check.text("words", "The description", LONGEST_TEXT),
        "query": check.query(),
        "order": check.choice("order", QueueOrder.values),
        "seed": check.number("seed", 0, LARGEST_SEED),
        "facet": check.choice("facet", ["", *QueueFacet.values]),
        "overlap": check.number("overlap", 1, LARGEST_OVERLAP),
        "target": check.number("target", 1, LARGEST_QUEUE, optional=True),
        "deadline": check.day("deadline"),
        "blind": check.flag("blind"),
        "policy": check.choice("policy", ["", *VerdictPolicy.values]),
        "honeypot_percent": check.number("honeypot_percent", 0, MOST_HONEYPOTS_PERCENT),
    }
    if columns["order"] == QueueOrder.STRATIFIED and not columns["facet"]:
        check.errors.setdefault("facet", "Choose the facet whose values are taken in rotation.")
    reviewers = check.reviewers(queue)
    if check.errors:
        raise QueueError(check.errors)
    return columns, reviewers


class Check:
    """Reads one field after the other, and collects the faults."""

    def __init__(self, fields: Mapping[str, Any], queue: ReviewQueue) -> None:
        self.fields, self.queue = fields, queue
        self.errors: dict[str, str] = {}

    def given(self, name: str) -> Any:
        value = self.fields.get(name, getattr(self.queue, name))
        return value.strip() if isinstance(value, str) else value

    def text(self, name: str, title: str, longest: int) -> str:
        text = str(self.given(name) or "").replace("\r\n", "\n")
        if fault := prose_fault(title, text, longest):
            self.errors[name] = fault
        return text

    def name(self) -> str:
        name = self.text("name", "The name", LONGEST_QUEUE_NAME)
        if not name:
            self.errors["name"] = "Give the queue a name."
        elif ReviewQueue.objects.filter(name=name).exclude(pk=self.queue.pk).exists():
            self.errors["name"] = f"There is a queue named {name!r} already."
        return name

    def query(self) -> str:
        text = self.text("query", "The query", LONGEST_QUERY)
        try:
            return parse_query(text).typed() if text and "query" not in self.errors else text
        except BrowseError as error:
            self.errors["query"] = " ".join(error.sentences)
            return text

    def choice(self, name: str, choices: list[str]) -> str:
        value = str(self.given(name) or "")
        if value not in choices:
            self.errors[name] = f"{value[:60]!r} is no choice: {', '.join(filter(None, choices))}."
        return value

    def number(self, name: str, least: int, most: int, *, optional: bool = False) -> int | None:
        value = self.given(name)
        if optional and value in (None, ""):
            return None
        number = None if isinstance(value, bool) else whole_number(str(value), least, most)
        if number is None:
            self.errors[name] = f"A whole number from {least} to {most:,}, not {str(value or 'empty')[:20]}."
            return least
        return number

    def day(self, name: str) -> date | None:
        value = self.given(name)
        if value in (None, "") or isinstance(value, date):
            return value or None
        try:
            return date.fromisoformat(str(value))
        except ValueError:
            self.errors[name] = f"A day such as 2027-01-31, not {str(value)[:40]!r}."
            return None

    def flag(self, name: str) -> bool:
        value = self.given(name)
        return value if isinstance(value, bool) else value in ("on", "yes", "1", "true")

    def reviewers(self, queue: ReviewQueue | None) -> list[Any]:
        """Return the accounts of the names given, in a list or separated by commas or lines."""
        if "reviewers" not in self.fields:
            return list(queue.reviewers.all()) if queue else []
        given = self.fields["reviewers"]
        names = given.replace("\n", ",").split(",") if isinstance(given, str) else list(given)
        found = []
        for name in dict.fromkeys(str(name).strip() for name in names):
            try:
                if name:
                    found.append(reviewer_named(name))
            except AssignmentError as error:
                self.errors["reviewers"] = str(error)
        return found
