import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_rms_norm_tile(x_ptr, residual_ptr, weight_ptr, out_ptr, rows, width, eps, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    col = tl.arange(0, COLS)
    inside = (row < rows)[:, None] & (col < width)[None, :]
    at = row[:, None] * width + col[None, :]
    total = tl.load(x_ptr + at, mask=inside, other=0.0) + tl.load(residual_ptr + at, mask=inside, other=0.0)
    scale = 1.0 / tl.sqrt(tl.sum(total * total, axis=1) / width + eps)
    weight = tl.load(weight_ptr + col, mask=col < width, other=0.0)
    tl.store(out_ptr + at, total * scale[:, None] * weight[None, :], mask=inside)


class ModelNew(nn.Module):
    def __init__(self, width: int, eps: float):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        x, residual = x.contiguous(), residual.contiguous()
        out = torch.empty_like(x)
        width = x.shape[-1]
        rows = x.numel() // width
        add_rms_norm_tile[(triton.cdiv(rows, 2),)](
            x,
            residual,
            self.weight,
            out,
            rows,
            width,
            self.eps,
            ROWS=2,
            COLS=triton.next_power_of_2(width),
            num_warps=4,
        )
        return out
