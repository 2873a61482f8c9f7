"""The judge's program for queries alone: what a first torch.compile loads is loaded in its zygote, once for all."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module

from eval_app.engine.judge.main import main

__all__ = ["main", "warm_up"]

# What a first torch.compile on a GPU imports and computes takes longer than to compile a small program. Nothing here
# touches a GPU.
_MODULES = (
    "torch._dynamo", "torch._dynamo.repro.after_dynamo", "torch._inductor.compile_fx", "torch._inductor.async_compile",
    "torch._inductor.bounds", "torch._inductor.choices", "torch._inductor.hooks", "torch.export._trace",
    "torch._inductor.codegen.triton", "torch._inductor.codegen.wrapper", "torch._inductor.codegen.cpp_wrapper_gpu",
    "torch._inductor.codegen.cuda_combined_scheduling", "torch._inductor.codegen.memory_planning",
    "torch._inductor.fx_passes.fuse_attention", "torch._inductor.fx_passes.pad_mm",
    "torch._inductor.fx_passes.quantization", "torch._inductor.fx_passes.freezing_patterns",
    "torch._inductor.fx_passes.efficient_conv_bn_eval", "torch._inductor.runtime.triton_heuristics",
    "torch.distributed.tensor.experimental", "sympy.tensor.tensor", "triton.compiler.code_generator",
    "triton.tools.tensor_descriptor",
)  # fmt: skip
# Functions that hash the sources of torch and Triton, and keep the result.
_KEYS = (("torch._inductor.codecache", "torch_key"), ("triton.runtime.cache", "triton_key"))


def warm_up() -> None:
    """Load what compiling needs. It differs between versions: what is missing costs only time."""
    for module in _MODULES:
        with suppress(Exception):
            import_module(module)
    for module, key in _KEYS:
        with suppress(Exception):
            getattr(import_module(module), key)()
