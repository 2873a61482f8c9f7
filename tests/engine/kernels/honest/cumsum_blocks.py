"""A scan of blocks, then of the blocks' totals."""

TASK = "cumsum"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x):
        rows, width = x.shape
        blocks = F.pad(x, (0, -width % 32)).view(rows, -1, 32)
        inside = torch.cumsum(blocks, dim=2)
        before = torch.cumsum(inside[:, :, -1], dim=1) - inside[:, :, -1]
        return (inside + before[:, :, None]).view(rows, -1)[:, :width].contiguous()
