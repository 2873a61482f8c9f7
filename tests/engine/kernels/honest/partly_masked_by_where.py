"""The same by sums over what is neither masked nor missing."""

TASK = "partly_masked"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, scores, values):
        weights = (scores - scores.amax(-1, keepdim=True)).exp()
        known = ~values.isnan()
        means = values.where(known, 0).sum(-1) / known.sum(-1)
        return weights / weights.sum(-1, keepdim=True), means
