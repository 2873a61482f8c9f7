"""What a bulk verb is, and which there are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Sequence
from typing import Any, ClassVar
from uuid import UUID

from datasets_app.accounts.actor import Actor
from datasets_app.accounts.roles import Scope
from datasets_app.models import BulkAction

Said = Callable[..., None]  # called with progress; raises LeaseLostError if another worker has the job


class BulkError(ValueError):
    """A bulk action that cannot be; the message says what to do instead."""


class Verb(ABC):
    """One verb. `apply` gets the samples in groups and says which of them it changed."""

    name: ClassVar[str]
    title: ClassVar[str]  # on the button
    scope: ClassVar[Scope] = Scope.ANNOTATE
    always_a_job: ClassVar[bool] = False  # even over few samples
    group: ClassVar[int] = 1000  # samples in one transaction
    facets: ClassVar[tuple[str, ...] | None] = (
        None  # of the list: that it may change, and no others; None: any
    )

    def begin(self, bulk: BulkAction) -> Verb:
        """What goes through the samples of this action; called by the worker, also by one that takes it over."""
        return self

    def numbers(self, bulk: BulkAction) -> array[int] | None:
        """The samples' numbers, ascending, where the verb has fixed them; None: what matches now."""
        return None

    def choices(self) -> dict[str, Any]:
        """What its form offers, by the form's names."""
        return {}

    def prepare(self, actor: Actor, params: dict[str, Any]) -> dict[str, Any]:
        """The settings as they are kept with the action. Raises BulkError; runs in the transaction that asks."""
        return {}

    @abstractmethod
    def apply(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        """Do it to these samples; returns those that were not so already."""

    def changes(self, bulk: BulkAction) -> tuple[str, ...] | None:
        """The facets that it may change; they are counted anew after every group."""
        return self.facets

    def finish(self, bulk: BulkAction) -> dict[str, Any]:
        """What remains to be done and said once all samples are through: `note`, `url` and `link`, each optional."""
        return {}

    @abstractmethod
    def did(self, bulk: BulkAction) -> str:
        """What was done, in words: Tagged 3 samples with fast."""


class UndoableVerb(Verb):
    """One whose changes are written down, sample by sample, to be taken back."""

    @abstractmethod
    def undo(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        """Take it back from these samples, which `bulk` changed; returns those where there was something to take."""

    def undone(self, bulk: BulkAction) -> None:
        """What remains once `bulk` is taken back from every sample."""


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
