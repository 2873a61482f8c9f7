"""Measured over claimed speedup, defined once: as a number, and as an expression for databases."""

from __future__ import annotations

from django.db.models import Case, F, FloatField, Q, When

# A source may claim any number above zero. Below this one a quotient could exceed what databases store.
SMALLEST_CLAIM = 1e-6


def claim_ratio(measured: float | None, claimed: float | None) -> float | None:
    """Return the measured speedup as a share of the claimed one; None if either is missing."""
    if measured is None or claimed is None or claimed < SMALLEST_CLAIM:
        return None
    return measured / claimed


def claim_ratio_of(measured: str, claimed: str = "claimed_speedup") -> Case:
    """Return the same of two columns, by their lookup paths."""
    stated = Q(**{f"{claimed}__gte": SMALLEST_CLAIM})
    return Case(When(stated, then=F(measured) / F(claimed)), output_field=FloatField())
