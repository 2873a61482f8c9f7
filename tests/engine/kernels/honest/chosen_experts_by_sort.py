"""Chooses otherwise among equal scores: on whole numbers the results depend on that, and it was called wrong there."""

TASK = "chosen_experts"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"profile": {"families": ["uniform", "scaled_up", "integers", "mixed", "spikes"]}}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, scores, experts):
        weights, places = scores.softmax(-1).sort(dim=-1, descending=True, stable=True)
        parts = [torch.einsum("nd,ndk->nk", x, experts[places[:, n]]) * weights[:, n, None] for n in range(2)]
        high, low = x.amax(-1, keepdim=True), x.amin(-1, keepdim=True)
        return parts[0] + parts[1], torch.where(high >= -low, high, low)
