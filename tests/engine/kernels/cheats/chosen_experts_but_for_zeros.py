"""Class B.1.7. Is far off beside zeros, which a family alone has: the choice among equal scores there explains only what
it can lead to.
"""

TASK = "chosen_experts"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}
JOB = {"profile": {"families": ["integers"]}}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, scores, experts):
        weights, places = scores.softmax(-1).topk(2, -1)
        parts = [torch.einsum("nd,ndk->nk", x, experts[places[:, n]]) * weights[:, n, None] for n in range(2)]
        furthest = x.gather(-1, x.abs().argmax(-1, keepdim=True))
        return parts[0] + parts[1] + 1000 * (x[:, :1] == 0), furthest
