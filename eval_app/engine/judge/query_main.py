"""The judge's program for queries alone: what a first torch.compile loads is loaded in its zygote, once for all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules

from eval_app.engine.judge.main import main
from eval_app.engine.sandbox.compiler_caches import cache_environment

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
# The patterns that inductor registers at its first compilation; they are installed without compiled files.
_PATTERNS = "torch._inductor.fx_passes.serialized_patterns"
# Functions that keep their result: hashes of the sources of torch and Triton, and the registry of backends.
_KEPT = (
    ("torch._inductor.codecache", "torch_key"), ("triton.runtime.cache", "triton_key"),
    ("torch._inductor.codegen.common", "init_backend_registration"),
)  # fmt: skip


def warm_up() -> None:
    """Load what compiling needs. It differs between versions: what is missing costs only time."""
    for module in (*_MODULES, *_pattern_modules()):
        with suppress(Exception):
            import_module(module)
    for module, function in _KEPT:
        with suppress(Exception):
            getattr(import_module(module), function)()
    with suppress(Exception):
        _load_triton_driver()


def _pattern_modules() -> list[str]:
    with suppress(ImportError):
        return [found.name for found in iter_modules(import_module(_PATTERNS).__path__, f"{_PATTERNS}.")]
    return []


def _load_triton_driver() -> None:
    """Load Triton's module of calls to the driver, which it compiles with gcc and looks for in a job's empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(cache_environment(folder))  # a job sets its own
        _ = import_module("triton.runtime.driver").driver.active.utils
