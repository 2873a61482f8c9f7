import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x16 = x.to(torch.bfloat16)
        gate = F.linear(x16, self.gate.weight.to(torch.bfloat16))
        up = F.linear(x16, self.up.weight.to(torch.bfloat16))
        hidden = F.silu(gate) * up
        return F.linear(hidden, self.down.weight.to(torch.bfloat16)).to(x.dtype)
