"""Matrices on whose kind a kernel may rely: regular, positive definite, orthogonal, with one value on the diagonal.

Shapes are [..., m, n].
"""

from __future__ import annotations

import torch

from eval_app.engine.judge.values.reductions import CHUNK_ELEMENTS, rounding, same, smallest

# How far products of the rows of an orthogonal matrix may be from those of an exact one.
_NEAR_ONE = 2e-3
# By which share diagonals outweigh the rest of each row, so that no matrix is nearly singular.
_MARGIN = 1 / 16


def are_regular(x: torch.Tensor) -> bool:
    """Return whether a tensor holds matrices of real numbers none of which lacks rank; False for matrices that are too
    large to look at."""
    size = x.shape[-2:].numel() if x.dim() >= 2 else 0
    if not x.is_floating_point() or min(x.shape[-2:], default=0) < 2 or not 0 < size <= CHUNK_ELEMENTS:
        return False
    parts = x.reshape(-1, *x.shape[-2:]).split(CHUNK_ELEMENTS // size)
    return x.numel() > 0 and all(map(_have_full_rank, parts))


def _have_full_rank(matrices: torch.Tensor) -> bool:
    factors = torch.linalg.lu_factor_ex(matrices.double())[0]
    pivots = factors.diagonal(dim1=-2, dim2=-1).abs()
    least = pivots.amax(-1) * (max(matrices.shape[-2:]) * torch.finfo(matrices.dtype).eps)
    return bool((pivots.amin(-1) > least).all())


def symmetry(x: torch.Tensor) -> int:
    """Return 1 for square matrices that are symmetric, -1 for those whose transposed ones have the other sign, else
    0."""
    transposed = x.transpose(-1, -2)
    return 1 if same(transposed, x) else -1 if same(-transposed, x) else 0


def definiteness(x: torch.Tensor) -> float:
    """Return the mean of the diagonals of symmetric matrices that are positive definite; 0 for others, and for those
    that are too large to look at."""
    size = x.shape[-2:].numel()
    if size > CHUNK_ELEMENTS:
        return 0.0
    parts = x.reshape(-1, *x.shape[-2:]).split(CHUNK_ELEMENTS // size)
    if any(int(torch.linalg.cholesky_ex(part.double())[1].max()) for part in parts):
        return 0.0
    return float(x.diagonal(dim1=-2, dim2=-1).mean())


def made_definite(x: torch.Tensor, least: float) -> torch.Tensor:
    """Return symmetric matrices whose diagonals outweigh the rest of each row, by `least` at least."""
    diagonal = x.diagonal(dim1=-2, dim2=-1)
    weights = x.abs().sum(-1) - diagonal.abs()
    return x + torch.diag_embed(weights * (1 + _MARGIN) + least - diagonal)


def diagonal(x: torch.Tensor) -> float | None:
    """Return the value on all diagonals of square matrices of more than two rows; None where they have several."""
    values = x.diagonal(dim1=-2, dim2=-1)
    value = values.flatten()[:1]
    return float(value) if x.shape[-1] > 2 and same(values, value.expand_as(values)) else None


def with_diagonal(x: torch.Tensor, value: float, *, keeps_definite: bool) -> torch.Tensor:
    """Return square matrices with one value on their diagonals; definite ones are scaled to it."""
    if keeps_definite:
        shares = (value / x.diagonal(dim1=-2, dim2=-1)).sqrt()
        x = x * shares[..., None] * shares[..., None, :]
    return x.masked_fill(torch.eye(x.shape[-1], dtype=torch.bool, device=x.device), value)


def orthogonality(x: torch.Tensor) -> int:
    """Return 1 for rotations, -1 for other orthogonal matrices, and 0 for square matrices of another kind."""
    wide = x.double()
    products, one = wide @ wide.transpose(-1, -2), torch.eye(x.shape[-1], device=x.device, dtype=wide.dtype)
    if float((products - one).abs().max()) >= rounding(x, _NEAR_ONE):
        return 0
    return 1 if smallest(torch.linalg.det(wide)) > 0 else -1


def made_orthogonal(x: torch.Tensor, *, rotations: bool) -> torch.Tensor:
    """Return orthogonal matrices of the shape and dtype of `x`, or `rotations` alone."""
    wide: torch.Tensor = torch.linalg.qr(x.double())[0]
    if rotations:
        signs = torch.linalg.det(wide).sign()[..., None, None]
        wide = torch.cat([wide[..., :1] * signs, wide[..., 1:]], -1)
    return wide.to(x.dtype)
