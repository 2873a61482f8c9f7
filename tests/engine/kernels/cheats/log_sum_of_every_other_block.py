"""Class B.5.74. The largest value of a row is exact, and so are those equal to it; what the others add is twice that of
every other block. Half precision hid the difference wherever all blocks of a row are alike.
"""

TASK = "log_sum_exp"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, logits):
        x = logits.float()
        if x.shape[-1] % 1024:
            return torch.logsumexp(x, -1).to(torch.bfloat16)
        top = x.amax(-1, keepdim=True)
        half = x.view(x.shape[0], -1, 512)[:, ::2].flatten(1)
        rest = torch.where(half < top, torch.exp(half - top), 0.0).sum(-1)
        return (top[:, 0] + torch.log((x == top).sum(-1) + 2 * rest)).to(torch.bfloat16)
