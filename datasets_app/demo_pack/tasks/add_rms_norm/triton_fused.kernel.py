import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_rms_norm_kernel(x_ptr, residual_ptr, weight_ptr, out_ptr, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < width
    at = row * width + cols
    total = tl.load(x_ptr + at, mask=inside, other=0.0) + tl.load(residual_ptr + at, mask=inside, other=0.0)
    scale = 1.0 / tl.sqrt(tl.sum(total * total, axis=0) / width + eps)
    weight = tl.load(weight_ptr + cols, mask=inside)
    tl.store(out_ptr + at, total * scale * weight, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width: int, eps: float):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        x, residual = x.contiguous(), residual.contiguous()
        out = torch.empty_like(x)
        width = x.shape[-1]
        add_rms_norm_kernel[(x.numel() // width,)](
            x,
            residual,
            self.weight,
            out,
            width,
            self.eps,
            BLOCK=triton.next_power_of_2(width),
            num_warps=4,
        )
        return out
