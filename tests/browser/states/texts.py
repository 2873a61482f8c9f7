"""Texts that stress a page: very long ones, and those that a hostile or broken model writes."""

ESCAPE, OVERRIDE, ISOLATE, ZERO_WIDTH = "\x1b", "\u202e", "\u2066", "\u200b"
SCRIPT = "<script>document.title = 'taken over'</script><img src=x onerror=\"document.title = 'taken over'\">"
HOSTILE = f"{ESCAPE}[2J{ESCAPE}[31mred{ESCAPE}[0m {OVERRIDE}desrever{ISOLATE} {ZERO_WIDTH} {SCRIPT}"
LONG_WORD = "kernel_of_" + "a_very_long_name_" * 12

HOSTILE_TRACE = f"""The plan: fuse the relu and the addition. {HOSTILE}

Wait, {OVERRIDE}this line ends in an override that nothing closes

```cpp
// {HOSTILE}
int n = 3;
```

So the kernel uses shared memory.
{"x" * 4000}
"""
HOSTILE_KERNEL = f'''import torch

# {HOSTILE}


class ModelNew(torch.nn.Module):
    """</code></pre>{SCRIPT}"""

    def {LONG_WORD[:150]}(self, x):
        if access_level != "user{OVERRIDE} {ISOLATE}// Check if admin{ISOLATE}":
            return x
        return "{"y" * 3000}"

    def forward(self, x):
        return x.clamp(min=0) + 1
'''

TRACE_BYTES = 400_000
KERNEL_LINES = 10_000
LINKED_LINE = 9040

ASIDES = (
    "Let me plan the launch: each block takes one row of the tile, and `scale_rows_{n}` walks it with a stride.",
    "Wait, that is wrong for n = {n}: the last block would read past the end, so mask the tail.",
    "The loads of a warp are coalesced, because thread {n} reads the element beside its neighbour's.",
    "```cpp\nfor (int i = threadIdx.x; i < {n}; i += blockDim.x) {{\n  out[i] = in[i] * 2.0f;\n}}\n```",
    "So the kernel uses shared memory for the partial sums and one `__shfl_down_sync` for the rest.",
)


def long_trace(size_bytes: int = TRACE_BYTES) -> str:
    """Return a trace of at least that many bytes, with segments of every kind."""
    parts, size, number = [], 0, 0
    while size < size_bytes:
        parts.append(ASIDES[number % len(ASIDES)].format(n=number))
        size += len(parts[-1]) + 2
        number += 1
    return "\n\n".join(parts)


FUNCTION = """
__global__ void scale_rows_{n}(const float* in, float* out, int width) {{
  __shared__ float tile[256];
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < width) {{
    tile[threadIdx.x] = in[at] * {n}.0f;
    __syncthreads();
    out[at] = tile[threadIdx.x] + __shfl_down_sync(0xffffffff, tile[threadIdx.x], 1);
  }}
}}"""


def long_kernel(lines: int = KERNEL_LINES) -> str:
    """Return a program of that many lines: a hundred CUDA kernels in one string, like unrolled code."""
    head = 'import torch\nfrom torch.utils.cpp_extension import load_inline\n\nsource = """'
    tail = '\n"""\n\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return x.clamp(min=0) + 2\n'
    body: list[str] = []
    number = 0
    while len(body) < lines - 13:
        body += (
            FUNCTION.format(n=number).split("\n")[1:]
            if number % 10 == 0
            else [f"// step {number}: x += {number}"]
        )
        number += 1
    return head + "\n".join(["", *body[: lines - 12]]) + tail


def following(functions: int = 30) -> tuple[str, str]:
    """Return a trace and a kernel with as many functions each, in the same order; the trace names each."""
    kernel = "\n\n".join(
        f"def step_{n}(x):\n    # one of many\n    y = x + {n}\n    return y" for n in range(functions)
    )
    trace = "\n\n".join(
        f"Now `step_{n}` adds.\n\n{'It is plain arithmetic. ' * 20}" for n in range(functions)
    )
    return trace, f"{kernel}\n\n\nclass ModelNew:\n    forward = step_0\n"
