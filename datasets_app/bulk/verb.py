"""Bulk verbs: their base class and registry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Sequence
from typing import Any, ClassVar
from uuid import UUID

from datasets_app.accounts.actor import Actor
from datasets_app.accounts.roles import Scope
from datasets_app.models import BulkAction


class BulkError(ValueError):
    """A bulk action that is not possible; the message says what to do instead."""


class Verb(ABC):
    """One verb. `apply` gets the samples in groups and returns those that it changed."""

    name: ClassVar[str]
    title: ClassVar[str]  # on the button
    scope: ClassVar[Scope] = Scope.ANNOTATE
    always_a_job: ClassVar[bool] = False  # even over few samples
    group: ClassVar[int] = 1000  # samples in one transaction
    facets: ClassVar[tuple[str, ...] | None] = (
        None  # of the list: that it may change, and no others; None: any
    )

    def begin(self, bulk: BulkAction) -> Verb:
        """Return what processes the samples of this action; called by each worker that takes it over."""
        return self

    def numbers(self, bulk: BulkAction) -> array[int] | None:
        """Return the samples' numbers, ascending, if the verb has fixed them; None for the current matches."""
        return None

    def choices(self) -> dict[str, Any]:
        """Return the choices of its form, by field name."""
        return {}

    def prepare(self, actor: Actor, params: dict[str, Any]) -> dict[str, Any]:
        """Return the settings to store with the action, in the transaction of the request. Raises BulkError."""
        return {}

    @abstractmethod
    def apply(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        """Apply it to these samples. Return those that it changed."""

    def changes(self, bulk: BulkAction) -> tuple[str, ...] | None:
        """Return the facets that it may change; they are counted again after every group."""
        return self.facets

    def complete(self, bulk: BulkAction) -> None:  # noqa: B027  (most verbs have nothing of the kind)
        """Do what takes long once all samples are processed, outside of any transaction; a worker that takes the action
        over does it again."""

    def finish(self, bulk: BulkAction) -> dict[str, Any]:
        """Return what remains to be stored once all samples are processed: `note`, `url` and `link`, each optional."""
        return {}

    @abstractmethod
    def did(self, bulk: BulkAction) -> str:
        """Return the result in words: Tagged 3 samples with fast."""


class UndoableVerb(Verb):
    """A verb whose changes are recorded per sample, to be undone."""

    @abstractmethod
    def undo(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        """Undo it on these samples, which `bulk` changed. Return those where there was something to undo."""

    def undone(self, bulk: BulkAction) -> None:
        """Finish after `bulk` has been undone on every sample."""


VERBS: dict[str, Verb] = {}


def register(verb: Verb) -> Verb:
    VERBS[verb.name] = verb
    return verb


def verb_named(name: str) -> Verb:
    if name not in VERBS:
        raise BulkError(f"There is no bulk action {name[:40]!r}; there are {', '.join(sorted(VERBS))}.")
    return VERBS[name]


def samples(count: int) -> str:
    return f"{count:,} sample" if count == 1 else f"{count:,} samples"
