"""All steps at once, with exponentials of differences that are none above zero. Families made decays grow."""

TASK = "decays"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, q, k, v, g):
        total = g.cumsum(-1)
        between = total[:, :, None] - total[:, None]
        decays = torch.exp(torch.where(between <= 0, between, float("-inf")))
        return (q @ k.transpose(1, 2) * decays).tril() @ v
