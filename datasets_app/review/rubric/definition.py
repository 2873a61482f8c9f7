"""Checks the definition of a new version: every fault at its place, such as `criteria.0.key`."""

import re
from collections.abc import Mapping
from typing import Any

from datasets_app.models import Verdict
from datasets_app.models.bounds import LONGEST_REASON, LONGEST_TEXT
from datasets_app.review.rubric.fields import PAGE_KEYS, VERDICT_TITLES, VERDICTS
from datasets_app.text_input.validate import name_fault, prose_fault

MOST_CRITERIA = 8
MOST_REASONS = 12
LONGEST_NAME = 40
LONGEST_TITLE = 40
LONGEST_MEANING = 200
NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
KEY = re.compile(r"[A-Za-z]\Z")
# Other fields of the review form and of REST.
RESERVED = frozenset(["verdict", "comment", "key", "seen", "draft", "rubric", "reasons", "scores"])
CRITERION_TEXTS = {"low": "the meaning of 1", "middle": "the meaning of 3", "high": "the meaning of 5"}
CRITERION_FIELDS = {"name", "title", "key", *CRITERION_TEXTS, "needs_trace", "required"}
REASON_FIELDS = {"code", "title", "key", "meaning", "verdicts"}
FIELDS = {"criteria", "reasons", "reason_required_for", "comment_required_for", "guidelines", "note"}


class RubricError(ValueError):
    """An invalid definition; `faults` maps a place to a sentence. Nothing was stored."""

    def __init__(self, faults: dict[str, str]) -> None:
        super().__init__(" ".join(faults.values()))
        self.faults = faults


class Checker:
    """Collects the faults of one definition. A later fault of a place does not replace the first."""

    def __init__(self) -> None:
        self.faults: dict[str, str] = {}
        self.used_keys = {choice.key: f"the verdict {choice.title}" for choice in VERDICTS}

    def fault(self, place: str, sentence: str) -> None:
        if sentence:
            self.faults.setdefault(place, sentence)

    def rows(self, place: str, value: Any, most: int, fields: set[str]) -> list[dict[str, Any]]:
        """Return the rows of a list of objects; anything else is a fault."""
        if not isinstance(value, list) or not all(isinstance(row, Mapping) for row in value):
            self.fault(place, "This is a list of objects.")
            return []
        if len(value) > most:
            self.fault(place, f"There are {len(value)}; at most {most} are allowed.")
            return []
        for at, row in enumerate(value):
            if unknown := sorted(map(str, set(row) - fields)):
                self.fault(f"{place}.{at}", f"{unknown[0][:80]} is no field of it.")
        return [dict(row) for row in value]

    def line(self, place: str, what: str, value: Any, most: int, required: bool = True) -> str:
        """Return a text of one line, stripped."""
        if not isinstance(value, str):
            self.fault(place, "This is a text.")
            return ""
        value = value.strip()
        if required and not value:
            self.fault(place, f"Enter {what}.")
        self.fault(place, name_fault(what[:1].upper() + what[1:], value, most))
        return value

    def prose(self, place: str, what: str, value: Any, most: int) -> str:
        if not isinstance(value, str):
            self.fault(place, "This is a text.")
            return ""
        value = value.replace("\r\n", "\n").strip()
        self.fault(place, prose_fault(what, value, most))
        return value

    def name(self, place: str, value: Any, used: list[str]) -> str:
        name = self.line(place, "a name for programs", value, LONGEST_NAME)
        if name and not NAME.match(name):
            self.fault(place, "Use lower-case letters, digits and underscores, beginning with a letter.")
        if name in RESERVED:
            self.fault(place, f"{name} is another field of a review: choose another name.")
        if name in used:
            self.fault(place, f"{name} is used above: choose another name.")
        used.append(name)
        return name

    def key(self, place: str, value: Any, title: str) -> str:
        key = self.line(place, "a key", value, 1)
        if not key:
            return key
        if key in PAGE_KEYS:
            self.fault(place, f"The review page uses {key} itself: choose another letter.")
        elif not KEY.match(key):
            self.fault(place, "Choose one letter from a to z; a capital one is typed with Shift.")
        elif key in self.used_keys:
            self.fault(place, f"{key} is the key of {self.used_keys[key]}: choose another letter.")
        self.used_keys.setdefault(key, title or "another row")
        return key

    def flag(self, place: str, value: Any) -> bool:
        if not isinstance(value, bool):
            self.fault(place, "This is true or false.")
        return value is True

    def verdicts(self, place: str, value: Any) -> list[str]:
        """Return the verdicts in their own order, each once."""
        known = isinstance(value, list | tuple) and all(one in Verdict.values for one in value)
        if not known:
            self.fault(place, f"This is a list of verdicts: {', '.join(Verdict.values)}.")
            return []
        return [verdict for verdict in Verdict.values if verdict in value]


def checked_definition(definition: Any) -> dict[str, Any]:
    """Return the columns of a version. Raises RubricError with all faults."""
    check = Checker()
    if not isinstance(definition, Mapping):
        raise RubricError({"criteria": "A rubric is an object."})
    for unknown in sorted(map(str, set(definition) - FIELDS))[:1]:
        check.fault("criteria", f"{unknown[:80]} is no field of a rubric.")
    fields: dict[str, Any] = {
        "criteria": checked_criteria(check, definition.get("criteria", [])),
        "reasons": checked_reasons(check, definition.get("reasons", [])),
        **{
            name: check.verdicts(name, definition.get(name, []))
            for name in ("reason_required_for", "comment_required_for")
        },
        "guidelines": check.prose(
            "guidelines", "The guidelines", definition.get("guidelines", ""), LONGEST_TEXT
        ),
        "note": check.prose("note", "The note", definition.get("note", ""), LONGEST_REASON),
    }
    if not fields["note"]:
        check.fault("note", "Say what changed and why: reviewers will read it.")
    for verdict in fields["reason_required_for"]:
        if not any(not row["verdicts"] or verdict in row["verdicts"] for row in fields["reasons"]):
            title = VERDICT_TITLES[verdict]
            check.fault("reason_required_for", f"No reason goes with {title}: nobody could submit it.")
    if check.faults:
        raise RubricError(check.faults)
    return fields


def checked_criteria(check: Checker, value: Any) -> list[dict[str, Any]]:
    used: list[str] = []
    return [
        checked_criterion(check, f"criteria.{at}", row, used)
        for at, row in enumerate(check.rows("criteria", value, MOST_CRITERIA, CRITERION_FIELDS))
    ]


def checked_criterion(check: Checker, place: str, row: dict[str, Any], used: list[str]) -> dict[str, Any]:
    title = check.line(f"{place}.title", "a title", row.get("title", ""), LONGEST_TITLE)
    texts = {
        name: check.line(f"{place}.{name}", what, row.get(name, ""), LONGEST_MEANING).rstrip(".")
        for name, what in CRITERION_TEXTS.items()
    }
    return {
        "name": check.name(f"{place}.name", row.get("name", ""), used),
        "title": title,
        "key": check.key(f"{place}.key", row.get("key", ""), title),
        **texts,
        "needs_trace": check.flag(f"{place}.needs_trace", row.get("needs_trace", False)),
        "required": check.flag(f"{place}.required", row.get("required", False)),
    }


def checked_reasons(check: Checker, value: Any) -> list[dict[str, Any]]:
    used: list[str] = []
    return [
        checked_reason(check, f"reasons.{at}", row, used)
        for at, row in enumerate(check.rows("reasons", value, MOST_REASONS, REASON_FIELDS))
    ]


def checked_reason(check: Checker, place: str, row: dict[str, Any], used: list[str]) -> dict[str, Any]:
    title = check.line(f"{place}.title", "a title", row.get("title", ""), LONGEST_TITLE)
    return {
        "code": check.name(f"{place}.code", row.get("code", ""), used),
        "title": title,
        "key": check.key(f"{place}.key", row.get("key", ""), title),
        "meaning": check.line(
            f"{place}.meaning", "a meaning", row.get("meaning", ""), LONGEST_MEANING, required=False
        ),
        "verdicts": check.verdicts(f"{place}.verdicts", row.get("verdicts", [])),
    }
