"""Recognises the language of a kernel from its text."""

import re

from datasets_app.syntax.sass import is_listing

HIP_SIGN = re.compile(
    r"hip/hip_runtime|hip/hip_fp16|\bhipLaunchKernelGGL\b|\bhip(?:Malloc|Memcpy|Stream_t|DeviceSynchronize|GetLastError)\b"
)
CUDA_SIGN = re.compile(r"__global__|<<<|cuda_sources\s*=|\.cu\b|RawKernel|@cuda\.jit|import cupy|load_cuda")
CPP_SIGN = re.compile(r"\bload_inline\b|cpp_sources\s*=|cpp_extension|PYBIND11_MODULE|TORCH_LIBRARY")
TRITON_SIGN = re.compile(r"@triton\b|\bimport triton\b|\bfrom triton\b|@tl\.|triton\.jit")


def detect_language(kernel: str) -> str:
    """Return a language by the names in a candidate program. Triton with CUDA is cuda; a listing of SASS has addresses
    in comments before its instructions, and no function of any other language."""
    if HIP_SIGN.search(kernel):
        return "hip"
    if CUDA_SIGN.search(kernel):
        return "cuda"
    if TRITON_SIGN.search(kernel):
        return "triton"
    if is_listing(kernel):
        return "sass"
    return "cpp" if CPP_SIGN.search(kernel) else "python"
