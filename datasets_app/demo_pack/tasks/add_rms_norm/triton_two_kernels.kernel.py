import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, residual_ptr, total_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    x = tl.load(x_ptr + at, mask=inside)
    residual = tl.load(residual_ptr + at, mask=inside)
    tl.store(total_ptr + at, x + residual, mask=inside)


@triton.jit
def rms_norm_kernel(total_ptr, weight_ptr, out_ptr, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < width
    total = tl.load(total_ptr + row * width + cols, mask=inside, other=0.0)
    scale = 1.0 / tl.sqrt(tl.sum(total * total, axis=0) / width + eps)
    weight = tl.load(weight_ptr + cols, mask=inside)
    tl.store(out_ptr + row * width + cols, total * scale * weight, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width: int, eps: float):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        x, residual = x.contiguous(), residual.contiguous()
        total, out = torch.empty_like(x), torch.empty_like(x)
        count, width = x.numel(), x.shape[-1]
        add_kernel[(triton.cdiv(count, 1024),)](x, residual, total, count, BLOCK=1024)
        block = triton.next_power_of_2(width)
        rms_norm_kernel[(count // width,)](total, self.weight, out, width, self.eps, BLOCK=block)
        return out
