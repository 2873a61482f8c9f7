"""What an inspection found: values that a report holds. Text is capped; what could not be looked at says why."""

from __future__ import annotations

from dataclasses import dataclass

from eval_app.engine.contract import schema
from eval_app.engine.contract.schema import ContractError

MAX_CODE_CHARS = 200_000
MAX_LOG_CHARS = 8_000
MAX_KERNELS = 60
MAX_NAME_CHARS = 500


@dataclass(frozen=True)
class GpuKernel:
    """One kernel, or one kind of copy, that the candidate had the GPU run."""

    name: str = schema.capped(max_chars=MAX_NAME_CHARS)
    # In one call of the model; fractional where calls differ.
    calls: float = schema.capped()
    # In one call of the model.
    total_ms: float = schema.capped()
    # Of all GPU time of the call.
    share: float = schema.capped()
    # Built from the submission: its name is in an extension that was built for it, in Triton's cache of its own
    # kernels, or in its own CUDA text.
    own: bool = schema.capped()

    def __post_init__(self) -> None:
        """Shares are shares."""
        if not 0 <= self.share <= 1 or self.total_ms < 0 or self.calls < 0:
            raise ContractError("a kernel's share must be from 0 to 1, its calls and time not negative")


@dataclass(frozen=True)
class ProfileTrace:
    """What ran on the GPU during a call, by torch.profiler in the candidate's process: a claim, its names checked."""

    # Share of GPU time in the submission's own kernels; None where nothing was traced.
    custom_kernel_share: float | None = None
    gpu_kernels: list[GpuKernel] = schema.capped(max_items=MAX_KERNELS, default_factory=list)
    # Why there is no trace; empty where there is one.
    missing: str = schema.capped(max_chars=500, default="")

    def __post_init__(self) -> None:
        """There is a share or a reason."""
        if self.custom_kernel_share is None and not self.missing:
            raise ContractError("profile_trace needs custom_kernel_share or the reason that it is missing")
        if self.custom_kernel_share is not None and not 0 <= self.custom_kernel_share <= 1:
            raise ContractError("profile_trace.custom_kernel_share must be from 0 to 1")


@dataclass(frozen=True)
class KernelFacts:
    """What one compiled kernel takes, as cuobjdump --dump-resource-usage and its SASS say."""

    name: str = schema.capped(max_chars=MAX_NAME_CHARS)
    arch: str = schema.capped(max_chars=20)
    registers: int | None = None
    # Static shared memory of a block.
    shared_bytes: int | None = None
    # Bytes of local-memory stores and loads in the code, each instruction once: what spills and arrays that are
    # indexed at run time make.
    spill_store_bytes: int | None = None
    spill_load_bytes: int | None = None
    stack_bytes: int | None = None
    constant_bytes: int | None = None


@dataclass(frozen=True)
class Metric:
    """One counter of Nsight Compute: the mean over the profiled launches of the longest kernel."""

    value: float
    unit: str = schema.capped(max_chars=40, default="")


@dataclass(frozen=True)
class Sanitizer:
    """What compute-sanitizer saw."""

    tool: str = schema.capped(max_chars=40)
    errors: int = schema.capped()
    log: str = schema.capped(max_chars=MAX_LOG_CHARS, default="")


@dataclass(frozen=True)
class Inspection:
    """The machine code behind a candidate, and what tools say of it."""

    kernels: list[KernelFacts] = schema.capped(max_items=MAX_KERNELS, default_factory=list)
    sass: str = schema.capped(max_chars=MAX_CODE_CHARS, default="")
    ptx: str = schema.capped(max_chars=MAX_CODE_CHARS, default="")
    # Functions of a C++ extension, as objdump shows them.
    assembly: str = schema.capped(max_chars=MAX_CODE_CHARS, default="")
    metrics: dict[str, Metric] = schema.capped(max_items=60, default_factory=dict)
    sanitizer: Sanitizer | None = None
    # What was not looked at, and why: the tool that is missing, with what installs it, or what it said.
    missing: dict[str, str] = schema.capped(max_items=20, max_chars=500, default_factory=dict)
