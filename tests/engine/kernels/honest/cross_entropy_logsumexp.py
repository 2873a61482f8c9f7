"""The loss from its definition."""

TASK = "cross_entropy"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, logits, target):
        return torch.logsumexp(logits, dim=1) - logits.gather(1, target[:, None])[:, 0]
