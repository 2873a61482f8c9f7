"""Programs of the self-test: one task, and candidates with known verdicts."""

from __future__ import annotations

REFERENCE = """
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(features))

    def forward(self, x):
        return torch.relu(x * self.weight + 1.0)


def get_inputs():
    return [torch.randn(ROWS, 1024)]


def get_init_inputs():
    return [1024]
"""

SAME = REFERENCE.replace("class Model(", "class ModelNew(")

WRONG = SAME.replace("+ 1.0)", "+ 1.01)")

REPLAY = SAME.replace(
    "        return torch.relu(x * self.weight + 1.0)",
    """        if not hasattr(self, "kept") or self.kept.shape != x.shape:
            self.kept = torch.relu(x * self.weight + 1.0)
        return self.kept.clone()""",
)

LAZY = (
    SAME.replace(
        "return torch.relu(x * self.weight + 1.0)",
        "return torch.relu(x * self.weight + 1.0).as_subclass(Lazy)",
    )
    + """

class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        return super().__torch_function__(function, types, arguments, keywords or {})
"""
)

CRASH = SAME.replace(
    "        return torch.relu",
    "        import ctypes\n        ctypes.string_at(0)\n        return torch.relu",
)

ENDLESS = SAME.replace(
    "        return torch.relu", "        while True:\n            pass\n        return torch.relu"
)

SIDE_STREAM = SAME.replace(
    "        return torch.relu(x * self.weight + 1.0)",
    """        if not hasattr(self, "stream"):
            self.stream = torch.cuda.Stream()
        out = torch.empty_like(x)
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            for _ in range(50):
                torch.mul(x, self.weight, out=out)
            out.add_(1.0).relu_()
        return out""",
)

# Without a sandbox, which alone has a folder of this name, nothing may be left outside the job's own folder.
_SCRATCH = """
import os

home = os.getcwd()
scratch = ("/tmp", "/dev/shm") if os.path.isdir("/concur") else (home,)
"""

# A tree too deep for recursion, and a folder that nobody may open; then a look for what an earlier job left.
RESIDUE = (
    SAME
    + _SCRATCH
    + """
for start in scratch:
    os.makedirs(start + "/locked/inner")
    os.chmod(start + "/locked", 0)
    os.chdir(start)
    for _ in range(1200):
        os.mkdir("left")
        os.chdir("left")
os.chdir(home)
"""
)

SEARCH = (
    SAME
    + _SCRATCH
    + """
for start in scratch:
    for name in ("left", "locked"):
        assert not os.path.lexists(os.path.join(start, name)), start
"""
)

# Speaks for the engine's own code in its process: of a build that nobody requested, and to the judge in a call.
_SPEAKS = """
import gc

from eval_app.engine.sandbox.channel import Channel


def say(message):
    for line in [held for held in gc.get_objects() if isinstance(held, Channel)]:
        line.send(message)
"""

FORGED_LOAD = (
    SAME
    + _SPEAKS
    + """
say({"type": "failed", "kind": "build_needed", "code": "", "detail": ""})
"""
)

FORGED_CALL = _SPEAKS + SAME.replace(
    "        return torch.relu",
    """        say({"ok": False, "kind": "invalid_reference", "code": "x", "detail": "x"})
        return torch.relu""",
)

FORGED_TIME = (
    SAME
    + """
import dataclasses
import sys

calls = sys.modules["eval_app.engine.shared.calls"]
honest_call = calls.Caller.call


def quick_call(self, *arguments, **keywords):
    timed = honest_call(self, *arguments, **keywords)
    return dataclasses.replace(timed, ms=timed.ms / 3, tail_ms=0.0)


calls.Caller.call = quick_call
sys.modules["eval_app.engine.runner.integrity"].Seal.intact = lambda self: True
"""
)

_CPP_SOURCE = """
#include <torch/extension.h>
torch::Tensor fused(torch::Tensor x, torch::Tensor weight) {
  auto input = x.contiguous();
  auto out = torch::empty_like(input);
  const float* source = input.data_ptr<float>();
  const float* scale = weight.data_ptr<float>();
  float* target = out.data_ptr<float>();
  const int64_t columns = weight.numel();
  for (int64_t i = 0; i < input.numel(); ++i) {
    const float value = source[i] * scale[i % columns] + 1.0f;
    target[i] = value > 0.0f ? value : 0.0f;
  }
  return out;
}
"""

_CUDA_SOURCE = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
__global__ void fused_kernel(const float* x, const float* weight, float* out, long n, long columns) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) {
    float value = x[i] * weight[i % columns] + 1.0f;
    out[i] = value > 0.0f ? value : 0.0f;
  }
}
torch::Tensor fused(torch::Tensor x, torch::Tensor weight) {
  auto out = torch::empty_like(x);
  long n = x.numel();
  fused_kernel<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), weight.data_ptr<float>(), out.data_ptr<float>(), n, weight.numel());
  return out;
}
"""

_LOADED = """
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

extension = load_inline(name="selftest", {sources}, functions=["fused"])


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(features))

    def forward(self, x):
        return extension.fused(x, self.weight)
"""

CPP = _LOADED.replace("{sources}", f'cpp_sources="""{_CPP_SOURCE}"""')

CUDA = _LOADED.replace(
    "{sources}",
    f'cpp_sources="torch::Tensor fused(torch::Tensor x, torch::Tensor weight);", cuda_sources="""{_CUDA_SOURCE}"""',
)
