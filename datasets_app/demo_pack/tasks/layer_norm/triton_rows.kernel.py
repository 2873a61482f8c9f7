import torch
import torch.nn as nn
import triton
import triton.language as tl

@triton.jit
def layer_norm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, width, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < width
    x = tl.load(x_ptr + row * width + cols, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / width
    centred = tl.where(inside, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / width
    weight = tl.load(weight_ptr + cols, mask=inside)
    bias = tl.load(bias_ptr + cols, mask=inside)
    result = centred / tl.sqrt(variance + eps) * weight + bias
    tl.store(out_ptr + row * width + cols, result, mask=inside)

class ModelNew(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.uniform_(self.norm.bias, -0.5, 0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        width = x.shape[-1]
        rows = x.numel() // width
        layer_norm_kernel[(rows,)](
            x,
            self.norm.weight,
            self.norm.bias,
            out,
            width,
            self.norm.eps,
            BLOCK=triton.next_power_of_2(width),
            num_warps=1,
        )
        return out
