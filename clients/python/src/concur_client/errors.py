"""What the client raises. The text of each error is a sentence for the person at the keyboard."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any


class ConcurError(Exception):
    """The base of all errors of this package."""


class UnreachableError(ConcurError):
    """No answer came, or it ended early, and the retries are used up."""


class UnexpectedAnswerError(ConcurError):
    """The answer is not what this version of the client reads."""


class DownloadError(ConcurError):
    """A file was not downloaded: its name is unsafe, it is not written yet, or its bytes are not those it states."""


class IngestFailedError(ConcurError):
    """An uploaded file was not read to its end, for the reason that the site gives."""


class YankedWarning(UserWarning):
    """A curator advises against the release that is being downloaded."""


class SiteError(ConcurError):
    """The site refused a request: its problem+json (RFC 9457)."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.title = str(problem.get("title") or phrase_of(status))
        self.detail = str(problem.get("detail") or "")
        errors = problem.get("errors")
        self.errors: dict[str, list[str]] = sentences_by_field(errors) if isinstance(errors, Mapping) else {}
        self.id = str(problem.get("id") or "")
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        """Return the site's own sentences, those about fields behind the one about the request."""
        if not self.detail:
            return f"The site answered {self.status} {self.title} without an explanation."
        about = [f"{name}: {' '.join(texts)}" for name, texts in self.errors.items()]
        return " ".join([self.detail, *about])


def phrase_of(status: int) -> str:
    return HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Error"


def sentences_by_field(errors: Mapping[Any, Any]) -> dict[str, list[str]]:
    return {
        str(name): [str(text) for text in texts] if isinstance(texts, list) else [str(texts)]
        for name, texts in errors.items()
    }
