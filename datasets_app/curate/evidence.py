"""What curation wants to know of verifications, asked through a door: this app does not know the one that keeps them.

Whoever keeps verifications registers a source when the site starts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol


class EvidenceSource(Protocol):
    def severities(self) -> Iterable[tuple[Any, str]]:
        """(sample id, severity) of the findings of every sample's newest finished verification; pairs may repeat."""

    def provenance(self, sample_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Sample id to what stands behind its outcome: verification id, engine, torch, profile, date."""


class NoEvidence:
    """A site on which nothing verifies."""

    def severities(self) -> Iterable[tuple[Any, str]]:
        return ()

    def provenance(self, sample_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        return {}


source: EvidenceSource = NoEvidence()


def register(new: EvidenceSource) -> None:
    """Called once by the app that keeps verifications, from its AppConfig.ready()."""
    global source
    source = new
