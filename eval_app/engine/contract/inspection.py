"""Results of an inspection. Text is capped; whatever could not be examined is listed with the reason."""

from __future__ import annotations

from dataclasses import dataclass

from eval_app.engine.contract import schema
from eval_app.engine.contract.schema import ContractError

MAX_CODE_CHARS = 200_000
MAX_CODE_LINES = 20_000
MAX_LOG_CHARS = 8_000
MAX_KERNELS = 60
# Of a call, as the runner lists them; a report holds those that ran longest.
MAX_TRACED = 200
MAX_NAME_CHARS = 500


@dataclass(frozen=True)
class GpuKernel:
    """One kernel, or one kind of copy, that the candidate ran on the GPU."""

    name: str = schema.capped(max_chars=MAX_NAME_CHARS)
    # Launches per call of the model; fractional if calls differ.
    calls: float = schema.capped()
    # In one call of the model.
    total_ms: float = schema.capped()
    # Share of all GPU time of the call.
    share: float = schema.capped()
    # Whether it was built from the submission: its name is in an extension built for it, in Triton's cache of
    # its own kernels, or in its own CUDA text.
    own: bool = schema.capped()

    def __post_init__(self) -> None:
        """Check that shares, counts and times are in range."""
        if not 0 <= self.share <= 1 or self.total_ms < 0 or self.calls < 0:
            raise ContractError("a kernel's share must be from 0 to 1, its calls and time not negative")


@dataclass(frozen=True)
class ProfileTrace:
    """GPU kernels of one call, recorded by torch.profiler in the candidate's process: a claim whose names are
    checked."""

    # Share of GPU time in the submission's own kernels; None if nothing was traced.
    custom_kernel_share: float | None = None
    gpu_kernels: list[GpuKernel] = schema.capped(max_items=MAX_KERNELS, default_factory=list)
    # Reason for a missing trace; empty if there is one.
    missing: str = schema.capped(max_chars=500, default="")

    def __post_init__(self) -> None:
        """Check that there is either a share or a reason."""
        if self.custom_kernel_share is None and not self.missing:
            raise ContractError("profile_trace needs custom_kernel_share or the reason that it is missing")
        if self.custom_kernel_share is not None and not 0 <= self.custom_kernel_share <= 1:
            raise ContractError("profile_trace.custom_kernel_share must be from 0 to 1")


@dataclass(frozen=True)
class KernelFacts:
    """Resources of one compiled kernel, from cuobjdump --dump-resource-usage and its SASS."""

    name: str = schema.capped(max_chars=MAX_NAME_CHARS)
    arch: str = schema.capped(max_chars=20)
    registers: int | None = None
    # Static shared memory per block.
    shared_bytes: int | None = None
    # Bytes of local-memory stores and loads in the code, each instruction counted once: register spills and
    # arrays that are indexed at run time.
    spill_store_bytes: int | None = None
    spill_load_bytes: int | None = None
    stack_bytes: int | None = None
    constant_bytes: int | None = None


@dataclass(frozen=True)
class Metric:
    """One Nsight Compute counter: mean over the profiled launches of the longest kernel."""

    value: float
    unit: str = schema.capped(max_chars=40, default="")


@dataclass(frozen=True)
class Sanitizer:
    """Result of compute-sanitizer."""

    tool: str = schema.capped(max_chars=40)
    errors: int = schema.capped()
    log: str = schema.capped(max_chars=MAX_LOG_CHARS, default="")


@dataclass(frozen=True)
class Inspection:
    """Machine code of a candidate and the output of tools that examined it."""

    kernels: list[KernelFacts] = schema.capped(max_items=MAX_KERNELS, default_factory=list)
    sass: str = schema.capped(max_chars=MAX_CODE_CHARS, default="")
    ptx: str = schema.capped(max_chars=MAX_CODE_CHARS, default="")
    # Functions of a C++ extension, disassembled by objdump.
    assembly: str = schema.capped(max_chars=MAX_CODE_CHARS, default="")
    metrics: dict[str, Metric] = schema.capped(max_items=60, default_factory=dict)
    sanitizer: Sanitizer | None = None
    # What was not examined and why: the missing tool with its installation command, or the tool's own
    # message.
    missing: dict[str, str] = schema.capped(max_items=20, max_chars=500, default_factory=dict)
    # For each line of `sass` the line of the candidate's program that it was compiled from, 0 for none; empty if that
    # is not known.
    sass_lines: list[int] = schema.capped(max_items=MAX_CODE_LINES, default_factory=list)

    def __post_init__(self) -> None:
        """Check that the listing has the lines that `sass_lines` speaks of; a site keeps the listing elsewhere."""
        if min(self.sass_lines, default=0) < 0:
            raise ContractError("inspection.sass_lines must not be negative")
        if self.sass and self.sass_lines and len(self.sass_lines) != self.sass.rstrip("\n").count("\n") + 1:
            raise ContractError("inspection.sass_lines must have one number for each line of sass")
