"""Counts the arithmetic of a program outside matrix products: elementwise work, reductions, softmax, norms, pooling.

An addition, multiplication, division, comparison or elementary function (exp, tanh, erf, a power) of one floating
element is one operation. What an operator needs is written out from its definition in the table below, whatever a
backend makes of it. Products, convolutions and attention are counted by torch's own formulas (`flop_registry`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

_MOST_NAMES = 20
_NAME_CHARS = 60

# Operations for each element of the result.
_OF_RESULT = {
    1: "add sub rsub mul div neg abs reciprocal sqrt rsqrt square exp exp2 expm1 log log2 log10 log1p sin cos tan asin "
    "acos atan atan2 sinh cosh tanh erf erfc erfinv pow floor ceil round trunc frac sign sgn fmod remainder maximum "
    "minimum fmax fmin relu threshold clamp_min clamp_max eq ne lt le gt ge isnan isinf floor_divide hypot",
    2: "clamp hardtanh leaky_relu _prelu_kernel addcmul addcdiv logaddexp hardshrink relu6",
    3: "lerp softshrink",
    4: "sigmoid elu celu selu softplus hardsigmoid log_sigmoid_forward",
    5: "silu hardswish glu xlogy logit",
    6: "mish",
}  # fmt: skip
# Operations for each element of the first argument.
_OF_INPUT = {
    1: "sum mean nansum prod amax amin max min aminmax argmax argmin cumsum cumprod cummax cummin any all",
    2: "norm linalg_vector_norm l1_loss nll_loss_forward nll_loss2d_forward",
    3: "mse_loss kl_div",
    4: "var std var_mean std_mean logsumexp logcumsumexp smooth_l1_loss huber_loss soft_margin_loss",
    5: "_softmax _safe_softmax _log_softmax binary_cross_entropy",
    8: "binary_cross_entropy_with_logits",
}  # fmt: skip
_PER_RESULT = {name: cost for cost, names in _OF_RESULT.items() for name in names.split()}
_PER_INPUT = {name: cost for cost, names in _OF_INPUT.items() for name in names.split()}
# Moves, choices and new tensors compute nothing.
_OF_NOTHING = """
    clone copy _to_copy contiguous cat stack where masked_fill fill zero index index_select index_put index_copy
    gather scatter take embedding constant_pad_nd reflection_pad1d reflection_pad2d replication_pad1d
    replication_pad2d flip roll repeat tril triu arange full full_like zeros zeros_like ones ones_like empty
    empty_like empty_strided new_empty new_zeros new_ones new_full scalar_tensor eye one_hot select_scatter
    slice_scatter copysign upsample_nearest1d upsample_nearest2d upsample_nearest3d pixel_shuffle pixel_unshuffle
    channel_shuffle im2col masked_select nonzero _unsafe_view unsafe_split unsafe_chunk item _local_scalar_dense
    lift_fresh lift_fresh_copy rand randn rand_like randn_like randint randperm bernoulli uniform normal
    native_dropout resolve_conj resolve_neg set_ isin bitwise_not bitwise_and bitwise_or logical_not logical_and
    logical_or
"""
_FREE = frozenset(_OF_NOTHING.split())


def _pooled(args: list[Any], results: list[torch.Tensor]) -> int:
    """Return the work of a pooling with a window: (input, kernel_size, ...)."""
    dimensions, window = args[0].dim() - 2, args[1]
    sides = [window] if isinstance(window, int) else list(window)
    return results[0].numel() * math.prod(sides if len(sides) > 1 else sides * max(dimensions, 1))


def _pooled_to_size(args: list[Any], results: list[torch.Tensor]) -> int:
    return int(args[0].numel() + results[0].numel())


def _scattered(args: list[Any], results: list[torch.Tensor], **_: Any) -> int:
    """(target, dim, index, source, ...): one for each element of the source; of a number, for each index."""
    counted = args[3] if isinstance(args[3], torch.Tensor) else args[2]
    return int(counted.numel())


def _gelu(args: list[Any], results: list[torch.Tensor], approximate: str = "none") -> int:
    """0.5 x (1 + erf(x / sqrt 2)), or the tanh of x + 0.044715 x^3 (Hendrycks and Gimpel 2016)."""
    return results[0].numel() * (9 if approximate == "tanh" else 5)


def _normalised(affine: int) -> Callable[..., int]:
    """Mean, centring and variance (4), scaling (1), then weight and bias, which are arguments from `affine` on."""

    def work(args: list[Any], results: list[torch.Tensor], **_: Any) -> int:
        return results[0].numel() * (5 + sum(given is not None for given in args[affine : affine + 2]))

    return work


def _batch_norm(args: list[Any], results: list[torch.Tensor], **_: Any) -> int:
    """(input, weight, bias, running_mean, running_var, ...): stored statistics leave a difference and a product."""
    statistics = args[5] if len(args) > 5 and isinstance(args[5], bool) else False
    affine = sum(given is not None for given in args[1:3])
    return results[0].numel() * ((5 if statistics else 2) + affine)


def _rms_norm(args: list[Any], results: list[torch.Tensor], **_: Any) -> int:
    """(input, shape, weight, eps): squares, their sum, scaling, and the weight."""
    return results[0].numel() * (3 + (len(args) > 2 and args[2] is not None))


_BY_HAND: dict[str, Callable[..., int]] = {
    "gelu": _gelu,
    "max_pool2d_with_indices": _pooled, "max_pool3d_with_indices": _pooled, "max_pool2d": _pooled,
    "avg_pool1d": _pooled, "avg_pool2d": _pooled, "avg_pool3d": _pooled,
    "_adaptive_avg_pool2d": _pooled_to_size, "_adaptive_avg_pool3d": _pooled_to_size,
    "adaptive_max_pool2d": _pooled_to_size, "adaptive_max_pool3d": _pooled_to_size,
    "native_layer_norm": _normalised(2), "native_group_norm": _normalised(1),
    "native_batch_norm": _batch_norm, "_native_batch_norm_legit": _batch_norm, "cudnn_batch_norm": _batch_norm,
    "_native_batch_norm_legit_no_training": _batch_norm, "_batch_norm_with_update": _batch_norm,
    "_fused_rms_norm": _rms_norm,
    "scatter_add": _scattered, "scatter_reduce": _scattered, "index_add": _scattered, "index_reduce": _scattered,
}  # fmt: skip


class OperationCounter(TorchDispatchMode):
    """Counts what runs inside it: `products` by torch's formulas, `operations` by the table, and the names of the
    operators that neither knows.

    `double_operations` are those of both on 64-bit floating numbers.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.products = self.operations = self.double_operations = 0
        self._unknown: dict[str, None] = {}

    @property
    def uncounted(self) -> list[str]:
        return [name[:_NAME_CHARS] for name in self._unknown][:_MOST_NAMES]

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the operator, and count it, or what it consists of: in inference mode, torch leaves that to the mode."""
        kwargs, formula = kwargs or {}, flop_registry.get(func._overloadpacket)
        if formula is None:
            with self:
                result = func.decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        result = func(*args, **kwargs)
        before = self.products + self.operations
        if formula:
            products = int(formula(*args, **kwargs, out_val=result))
            # A complex product and sum take four of each.
            self.products += 4 * products if any(t.is_complex() for t in _tensors(args)) else products
        elif not func.is_view:
            self._count(func, list(args), kwargs, list(_tensors(result)))
        if any(tensor.dtype is torch.float64 for tensor in _tensors((args, kwargs, result))):
            self.double_operations += self.products + self.operations - before
        return result

    def _count(self, func: Any, args: list[Any], kwargs: dict[str, Any], results: list[torch.Tensor]) -> None:
        namespace, _, name = func._schema.name.partition("::")
        name = name if name.startswith("_") else name.rstrip("_")  # add_ is add in place
        given = [*_tensors((args, kwargs)), *results]
        of_complex = any(tensor.is_complex() for tensor in given)
        if namespace == "aten" and (
            name in _FREE or not (of_complex or any(tensor.is_floating_point() for tensor in given))
        ):
            return
        if of_complex:  # the table is of real numbers
            self._unknown[name if namespace == "aten" else func._schema.name] = None
        elif namespace == "aten" and name in _BY_HAND:
            self.operations += _BY_HAND[name](args, results, **kwargs)
        elif namespace == "aten" and name in _PER_RESULT and results:
            alpha = kwargs.get("alpha", 1) not in (1, None)  # a + alpha b
            self.operations += results[0].numel() * (_PER_RESULT[name] + alpha)
        elif namespace == "aten" and name in _PER_INPUT:
            self.operations += given[0].numel() * _PER_INPUT[name]
        elif namespace != "prim":
            self._unknown[name if namespace == "aten" else func._schema.name] = None


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    return (leaf for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor))
