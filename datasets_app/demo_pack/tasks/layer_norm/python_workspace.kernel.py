import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.uniform_(self.norm.bias, -0.5, 0.5)

        self.result = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.result is None or self.result.shape != x.shape:
            self.result = torch.empty_like(x)
        mean = x.mean(dim=-1, keepdim=True)
        centred = torch.sub(x, mean, out=self.result)
        scale = torch.rsqrt((centred * centred).mean(dim=-1, keepdim=True) + self.norm.eps)
        centred.mul_(scale).mul_(self.norm.weight.detach()).add_(self.norm.bias.detach())
        return centred
