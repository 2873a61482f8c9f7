"""Comparison of an output with the truth, in chunks: a whole-tensor comparison runs out of memory on large tasks.

Both tensors have the same shape, dtype and device.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from eval_app.engine.contract.evidence import MAX_PLACE_CHARS
from eval_app.engine.judge.comparison.wrong_places import Place, WrongElements, text
from eval_app.engine.judge.values.reductions import CHUNK_ELEMENTS, rms

MAX_MISMATCHES = 5
# An element is far off beyond this many times the tolerance of its own size. Where more than a small share is, the
# tolerance of the whole tensor does not decide alone; see tails.py.
_FAR = 10.0
FAR_SHARE = 5e-4


@dataclass(frozen=True)
class Tolerance:
    """Relative tolerance by dtype; the absolute one is the same times max(1, RMS of the truth).

    KernelBench's values (fp32 1e-4, fp16 and bf16 1e-2). Its fixed absolute tolerance rejects honest sums of large
    terms whose value happens to be near zero; the RMS accounts for the size of the terms.
    """

    fp32: float
    half: float
    fp64: float
    # Lower bound of the size in the absolute tolerance. Near 0 it follows the truth's own size alone.
    least_size: float = 1.0
    # Size of elements that larger ones beside them must not hide, smaller ones may be lost; None for what follows from
    # the size of the whole tensor.
    fixed_hidden: float | None = None
    # KernelBench's tolerance, if this one is tightened for a task.
    usual: Tolerance | None = None

    def hidden(self, size: Any) -> Any:
        """Return the size of elements that larger ones must not hide if the truth's RMS, number or tensor, is `size`
        and no less than the least: a hundredth of it, below one in any case."""
        return size / (size + 100) if self.fixed_hidden is None else self.fixed_hidden

    def relative(self, dtype: torch.dtype) -> float:
        """Return the tolerance for outputs of `dtype`; 0 for integers and booleans, which must be equal."""
        if not (dtype.is_floating_point or dtype.is_complex):
            return 0.0
        if dtype in (torch.float64, torch.complex128):
            return self.fp64
        if dtype.itemsize == 1:
            return 0.1
        return self.half if dtype in (torch.float16, torch.bfloat16, torch.complex32) else self.fp32

    def kernelbench(self, dtype: torch.dtype) -> float:
        """Return the tolerance that KernelBench gives torch.allclose; for integers, which it does not treat, that of
        fp32."""
        return self.relative(dtype) or self.fp32


@dataclass
class Difference:
    """Distance of outputs from the truth."""

    wrong: int = 0
    total: int = 0
    max_abs: float = 0.0
    max_rel: float = 0.0
    # Whether torch.allclose(atol=rtol=tolerance) holds, as KernelBench requires.
    allclose: bool = True
    # Elements that are NaN in the output but not in the truth.
    unwritten: int = 0
    # Elements beyond tolerance that the reference's own error explains.
    forgiven: int = 0
    # Elements within tolerance that are far off for their own size.
    far: int = 0
    # The largest error of a wrong element; infinity if one of both values is not finite.
    furthest: float = 0.0
    mismatches: list[dict[str, Any]] = field(default_factory=list)
    # Of one output, its wrong elements, or some of them.
    elements: WrongElements | None = None
    # Of a call, the differences of its outputs: see explained.py.
    outputs: list[Difference] = field(default_factory=list)

    @property
    def uneven(self) -> bool:
        """Return whether more elements are far off for their size than sums that cancel explain."""
        return self.far > FAR_SHARE * self.total

    def add(self, other: Difference) -> None:
        """Add the difference of another output of the same call."""
        self.wrong, self.total = self.wrong + other.wrong, self.total + other.total
        self.max_abs, self.max_rel = max(self.max_abs, other.max_abs), max(self.max_rel, other.max_rel)
        self.allclose &= other.allclose
        self.unwritten += other.unwritten
        self.forgiven += other.forgiven
        self.far += other.far
        self.furthest = max(self.furthest, other.furthest)
        self.mismatches = (self.mismatches + other.mismatches)[:MAX_MISMATCHES]


def compare(
    got: torch.Tensor, truth: torch.Tensor, tolerance: Tolerance, where: str = "output"
) -> Difference:
    """Compare two tensors of the same shape and dtype."""
    flat_got, flat_truth = flat(got), flat(truth)  # of complex numbers both parts count
    difference = Difference(total=flat_truth.numel())
    if not difference.total:
        return difference
    if flat_truth.is_floating_point() and flat_truth.numel() <= CHUNK_ELEMENTS:
        agreement = _agreement(flat_got, flat_truth, tolerance)
        if agreement:
            return agreement
    bounds = bounds_of(flat_truth, truth.dtype, tolerance)
    for start in range(0, flat_truth.numel(), CHUNK_ELEMENTS):
        part = slice(start, start + CHUNK_ELEMENTS)
        _compare_chunk(flat_got[part], flat_truth[part], bounds, difference, Place(where, truth, start))
    return difference


def _agreement(got: torch.Tensor, truth: torch.Tensor, tolerance: Tolerance) -> Difference | None:
    """Return the difference of two floating-point tensors, shape [n], with one wait for a GPU; None unless all of their
    elements are finite and within tolerance."""
    rtol, usual = tolerance.relative(truth.dtype), (tolerance.usual or tolerance).kernelbench(truth.dtype)
    got, truth = _wide(got, truth)
    gap, size = (got - truth).abs_(), truth.abs()
    small = _small_difference(gap, size, min(rtol, usual), tolerance)
    if small:
        return small
    whole = size.square().mean().sqrt_().clamp_min_(tolerance.least_size)
    near = _within(gap, size, usual, usual) & (gap <= size * rtol + whole * rtol)
    mean, hidden = size.mean(), tolerance.hidden(whole)
    figures = torch.stack([
        near.all(), torch.isfinite(whole), whole > hidden, (gap > far_bound(size, rtol, hidden)).sum(), gap.max(),
        (gap / size.clamp_min(torch.where(mean > 0, mean, 1.0))).max(),
    ]).double()  # fmt: skip
    agreed, finite, may_hide, far, max_abs, max_rel = figures.tolist()
    if not (agreed and finite):
        return None
    return Difference(total=truth.numel(), max_abs=max_abs, max_rel=max_rel, far=int(far) if may_hide else 0)


def _small_difference(
    gap: torch.Tensor, size: torch.Tensor, share: float, tolerance: Tolerance
) -> Difference | None:
    """Return the difference of tensors that are so close that no bound is looser; None if they are not. By few kinds of
    kernels: see reductions.py."""
    least, count = tolerance.least_size, size.numel()
    strictest = far_bound(size, share, tolerance.hidden(max(1.0, least)))
    total = size.sum()
    mean = total / count
    scale = ((size + mean) + (size - mean).abs_()) / 2  # the larger one of both
    squares, sizes, largest, ratio, distance, relative = torch.stack([
        (size * size).sum(), total, gap.max(), (gap / (size + 1)).max(), (gap / strictest).max(), (gap / scale).max(),
    ]).tolist()  # fmt: skip
    is_close = ratio <= share and distance <= 1
    if not (math.isfinite(squares) and is_close and max(least, math.sqrt(squares / count)) >= 1):
        return None
    # Of nothing but zeros the scale is 1.
    return Difference(total=count, max_abs=largest, max_rel=relative if sizes else largest)


@dataclass(frozen=True)
class Bounds:
    """Allowed error of one output: `rtol * |truth| + atol`; `usual` is KernelBench's value for both."""

    rtol: float
    atol: float
    usual: float
    hidden: float = 1.0

    @property
    def may_hide(self) -> bool:
        """Return whether the size of the whole tensor allows more than that of a small element does."""
        return self.atol > self.rtol * self.hidden


def far_bound(size: torch.Tensor, rtol: float, hidden: Any) -> torch.Tensor:
    """Return the errors beyond which elements of these sizes are far off; `hidden` is `Tolerance.hidden` of their
    tensor."""
    bound: torch.Tensor = size * (_FAR * rtol) + rtol * hidden
    return bound


def bounds_of(flat_truth: torch.Tensor, dtype: torch.dtype, tolerance: Tolerance) -> Bounds:
    """Return the bounds for one output."""
    rtol, usual = tolerance.relative(dtype), (tolerance.usual or tolerance).kernelbench(dtype)
    whole = max(tolerance.least_size, rms(flat_truth))
    return Bounds(rtol, rtol * whole if rtol else 0.0, usual, tolerance.hidden(whole))


def wrong_flags(got: torch.Tensor, truth: torch.Tensor, bounds: Bounds) -> torch.Tensor:
    """Return a bool tensor, shape [n], of the elements of two flat tensors, shape [n], that differ beyond `bounds`.

    NaN equals NaN and infinity equals itself.
    """
    if not truth.is_floating_point():
        return got != truth
    got, truth = _wide(got, truth)
    same = (got == truth) | (got.isnan() & truth.isnan())
    return ~(same | _within((got - truth).abs_(), truth.abs(), bounds.rtol, bounds.atol))


def _within(gap: torch.Tensor, size: torch.Tensor, rtol: float, atol: float) -> torch.Tensor:
    """Return whether each gap is within the bound for its element's size: of infinity no number is."""
    return (gap <= size * rtol + atol) & (gap < math.inf)


def _wide(got: torch.Tensor, truth: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    wide = torch.float64 if truth.dtype == torch.float64 else torch.float32
    return got.to(wide), truth.to(wide)


def flat(tensor: torch.Tensor) -> torch.Tensor:
    """Return the values as a tensor of shape [n]; complex ones as pairs of real numbers."""
    real = torch.view_as_real(tensor.resolve_conj()) if tensor.dtype.is_complex else tensor
    return real.reshape(-1)


def _compare_chunk(
    got: torch.Tensor, truth: torch.Tensor, bounds: Bounds, difference: Difference, place: Place
) -> None:
    if not truth.is_floating_point():
        wrong = got != truth
        if bool(wrong.any()):
            _note_whole_numbers(wrong, got.double(), truth.double(), bounds, difference)
        _note_wrong(wrong, got, truth, difference, place)
        return
    got, truth = _wide(got, truth)
    gap, size = (got - truth).abs_(), truth.abs()
    near = _within(gap, size, bounds.usual, bounds.usual)
    if bounds.may_hide:
        difference.far += int((gap > far_bound(size, bounds.rtol, bounds.hidden)).sum())
    looser = bounds.rtol >= bounds.usual and bounds.atol >= bounds.usual
    if bool(near.all()) and (looser or bool((gap <= size * bounds.rtol + bounds.atol).all())):
        _note_size(gap, size, difference)
        return
    same = (got == truth) | (got.isnan() & truth.isnan())
    difference.allclose &= bool((same | near).all())
    difference.unwritten += int((got.isnan() & ~truth.isnan()).sum())
    finite = torch.isfinite(gap)
    _note_size(gap[finite], size[finite], difference)
    _note_wrong(wrong_flags(got, truth, bounds), got, truth, difference, place)


def _note_whole_numbers(
    wrong: torch.Tensor, got: torch.Tensor, truth: torch.Tensor, bounds: Bounds, difference: Difference
) -> None:
    """Record the differences of integers, as doubles, shape [n] all three; a boolean that differs is off by one."""
    gap, size = torch.maximum((got - truth).abs_(), wrong.double()), truth.abs()
    difference.allclose &= bool((gap <= size * bounds.usual + bounds.usual).all())
    _note_size(gap, size, difference)


def _note_size(gap: torch.Tensor, size: torch.Tensor, difference: Difference) -> None:
    """Record the largest differences, the relative one against the larger one of the element and the mean size."""
    if gap.numel():
        difference.max_abs = max(difference.max_abs, float(gap.max()))
        scale = size.clamp_min(float(size.mean()) or 1.0)
        difference.max_rel = max(difference.max_rel, float((gap / scale).max()))


def _note_wrong(
    wrong: torch.Tensor, got: torch.Tensor, truth: torch.Tensor, difference: Difference, place: Place
) -> None:
    count = int(wrong.sum())
    if not count:
        return
    places = wrong.nonzero().flatten()[:CHUNK_ELEMENTS]
    gap = (got[places].double() - truth[places].double()).abs_().nan_to_num_(nan=math.inf, posinf=math.inf)
    difference.wrong += count
    difference.furthest = max(difference.furthest, float(gap.max()))
    found = WrongElements(places + place.start, gap).drawn()
    difference.elements = difference.elements.joined(found) if difference.elements else found
    for number in places[: MAX_MISMATCHES - len(difference.mismatches)].tolist():
        values = {"got": text(got[number]), "expected": text(truth[number])}
        difference.mismatches.append(
            {"output": place.where[:MAX_PLACE_CHARS], "index": place.index(number), **values}
        )


def list_wrong(
    wrong: torch.Tensor, got: torch.Tensor, truth: torch.Tensor, where: str, difference: Difference
) -> Difference:
    """Return the difference with the elements of `wrong`, bool of shape [n], as the wrong ones."""
    result = replace(difference, wrong=0, furthest=0.0, mismatches=[], elements=None)
    _note_wrong(wrong, flat(got), flat(truth), result, Place(where, truth, 0))
    return result
