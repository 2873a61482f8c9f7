"""Weights that need no gradient for a while, as in a layer that is not trained."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch


@contextmanager
def frozen_weights(model: Any) -> Iterator[None]:
    """Have no parameter of a module require a gradient during the block."""
    weights = list(model.parameters()) if isinstance(model, torch.nn.Module) else []
    trained = [weight for weight in weights if weight.requires_grad]
    try:
        for weight in trained:
            weight.requires_grad_(False)
        yield
    finally:
        for weight in trained:
            weight.requires_grad_(True)
